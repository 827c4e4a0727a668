/* SPDX-License-Identifier: MIT */
/* SOCKS5 (RFC 1928) with user and password (RFC 1929); CONNECT only. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proxy/wire/hostname.h"

#define SOCKS_VERSION 5
#define SOCKS_AUTH_VERSION 1
#define SOCKS_MESSAGE_MAX 515 /* the longest of the three */
#define SOCKS_METHOD_PASSWORD 2
#define SOCKS_METHOD_NONE 0xff

enum socks_reply {
	SOCKS_OK = 0,
	SOCKS_FAILED = 1,
	SOCKS_NOT_ALLOWED = 2,
	SOCKS_HOST_UNREACHABLE = 4,
	SOCKS_REFUSED = 5,
	SOCKS_TIMED_OUT = 6,
	SOCKS_BAD_COMMAND = 7,
	SOCKS_BAD_ADDRESS = 8
};

struct socks_request {
	enum socks_reply reply; /* SOCKS_OK, or the reason for the refusal */
	bool is_address;	/* the request has an address; name is its text */
	char name[NAME_SIZE];
	unsigned port;
};

/* Each returns the length of the message, 0 if more bytes are needed, -1 if malformed. */
int socks_greeting(const uint8_t *bytes, size_t length, bool *ret_takes_password);
int socks_password(const uint8_t *bytes, size_t length, const char *user, const char *password,
		   bool *ret_right);
int socks_request(const uint8_t *bytes, size_t length, struct socks_request *ret_request);
/* Compares in constant time. */
bool socks_secret_equal(const void *bytes, size_t length, const char *secret);
