// SPDX-License-Identifier: MIT
/* Host names. Each name has one accepted spelling. */
#include "proxy/wire/hostname.h"

#include <string.h>

#include "base/ascii.h"

static bool
is_label_byte(char c)
{
	return ascii_is_letter(c) || ascii_is_digit(c) || c == '-' || c == '_';
}

bool
hostname_normalise(const char *text, size_t length, char ret_name[NAME_SIZE])
{
	size_t label = 0;

	if (length > 0 && text[length - 1] == '.')
		length--;
	if (length == 0 || length > 253)
		return false;
	for (size_t i = 0; i < length; i++) {
		char c = ascii_lower(text[i]);

		if (c == '.' ? label == 0 : !is_label_byte(c) || ++label > 63)
			return false;
		if (c == '.')
			label = 0;
		ret_name[i] = c;
	}
	ret_name[length] = '\0';
	return label > 0;
}

/* In an address the last label is a number, in some base; in a domain name it never is. */
bool
hostname_is_address(const char *name)
{
	const char *dot = strrchr(name, '.'), *last = dot == NULL ? name : dot + 1;

	if (strchr(name, ':') != NULL)
		return true;
	if (last[0] == '0' && last[1] == 'x')
		return true;
	return last[strspn(last, "0123456789")] == '\0';
}

static bool
read_port(const char *text, size_t length, unsigned *ret_port)
{
	unsigned port = 0;

	if (length == 0 || length > 5)
		return false;
	for (size_t i = 0; i < length; i++) {
		if (text[i] < '0' || text[i] > '9')
			return false;
		port = port * 10 + (unsigned)(text[i] - '0');
	}
	if (port == 0 || port > 65535)
		return false;
	*ret_port = port;
	return true;
}

bool
hostname_split(const char *text, size_t length, char ret_name[NAME_SIZE], unsigned *ret_port)
{
	const char *colon = memchr(text, ':', length);
	size_t host = colon == NULL ? length : (size_t)(colon - text);

	if (colon != NULL && !read_port(colon + 1, length - host - 1, ret_port))
		return false;
	return hostname_normalise(text, host, ret_name);
}
