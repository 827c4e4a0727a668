// SPDX-License-Identifier: MIT
/* The three messages of a SOCKS5 client. Nothing is consumed before a message is complete. */
#include "proxy/wire/socks.h"

#include <arpa/inet.h>
#include <string.h>

#define COMMAND_CONNECT 1
#define KIND_V4 1
#define KIND_NAME 3
#define KIND_V6 4

bool
socks_secret_equal(const void *bytes, size_t length, const char *secret)
{
	const unsigned char *given = bytes;
	size_t right = strlen(secret);
	unsigned differs = length != right;

	for (size_t i = 0; i < length; i++)
		differs |= (unsigned)(given[i] ^ (unsigned char)secret[right == 0 ? 0 : i % right]);
	return differs == 0;
}

int
socks_greeting(const uint8_t *bytes, size_t length, bool *ret_takes_password)
{
	if (length >= 1 && bytes[0] != SOCKS_VERSION)
		return -1;
	if (length < 2)
		return 0;
	if (bytes[1] == 0)
		return -1;
	if (length < 2u + bytes[1])
		return 0;
	*ret_takes_password = memchr(bytes + 2, SOCKS_METHOD_PASSWORD, bytes[1]) != NULL;
	return 2 + bytes[1];
}

int
socks_password(const uint8_t *bytes, size_t length, const char *user, const char *password,
	       bool *ret_right)
{
	size_t user_length, password_length;
	bool is_user;

	if (length >= 1 && bytes[0] != SOCKS_AUTH_VERSION)
		return -1;
	if (length < 2 || length < 3u + bytes[1])
		return 0;
	user_length = bytes[1];
	password_length = bytes[2 + user_length];
	if (length < 3 + user_length + password_length)
		return 0;
	is_user = socks_secret_equal(bytes + 2, user_length, user);
	*ret_right = socks_secret_equal(bytes + 3 + user_length, password_length, password) &&
		     is_user;
	return (int)(3 + user_length + password_length);
}

/* Returns the offset of the end of the address; 0 if more bytes are needed, -1 for an unknown type. */
static int
address_length(const uint8_t *bytes, size_t length)
{
	switch (bytes[3]) {
	case KIND_V4:
		return 4 + 4;
	case KIND_V6:
		return 4 + 16;
	case KIND_NAME:
		return length < 5 ? 0 : 5 + bytes[4];
	default:
		return -1;
	}
}

static void
read_address(const uint8_t *bytes, struct socks_request *to)
{
	if (bytes[3] == KIND_NAME) {
		if (!hostname_normalise((const char *)bytes + 5, bytes[4], to->name))
			to->reply = SOCKS_BAD_ADDRESS;
		return;
	}
	to->is_address = true;
	inet_ntop(bytes[3] == KIND_V4 ? AF_INET : AF_INET6, bytes + 4, to->name, NAME_SIZE);
}

int
socks_request(const uint8_t *bytes, size_t length, struct socks_request *ret_request)
{
	struct socks_request request = {.reply = SOCKS_OK};
	int address;

	if ((length >= 1 && bytes[0] != SOCKS_VERSION) || (length >= 3 && bytes[2] != 0))
		return -1;
	if (length < 4)
		return 0;
	address = address_length(bytes, length);
	if (address <= 0)
		return address;
	if (length < (size_t)address + 2)
		return 0;
	read_address(bytes, &request);
	request.port = (unsigned)(bytes[address] << 8 | bytes[address + 1]);
	if (bytes[1] != COMMAND_CONNECT)
		request.reply = SOCKS_BAD_COMMAND;
	else if (request.port == 0 && request.reply == SOCKS_OK)
		request.reply = SOCKS_NOT_ALLOWED;
	*ret_request = request;
	return address + 2;
}
