// SPDX-License-Identifier: MIT
/*
 * Reads a ClientHello up to its server_name. Every read is checked against the remaining length; a
 * truncated, repeated or contradictory field is refused.
 */
#include "proxy/wire/tls_hello.h"

#include <stdbool.h>
#include <string.h>

#define RECORD_CHANGE 20 /* ChangeCipherSpec */
#define RECORD_ALERT 21
#define RECORD_HANDSHAKE 22
#define RECORD_MAX 16384
#define CLIENT_HELLO 1
#define SERVER_HELLO 2
#define EXTENSION_NAME 0
#define EXTENSION_ECH 0xfe0d
#define EXTENSION_ECH_DRAFT 0xfe08 /* the first draft's value */
#define EXTENSION_ESNI 0xffce

struct tls_reader {
	const uint8_t *at;
	size_t left;
	bool failed;
};

static unsigned
take_number(struct tls_reader *r, size_t size)
{
	unsigned value = 0;

	if (r->left < size) {
		r->failed = true;
		return 0;
	}
	for (size_t i = 0; i < size; i++)
		value = value << 8 | r->at[i];
	r->at += size;
	r->left -= size;
	return value;
}

/* Takes a field preceded by its length, of size bytes. */
static struct tls_reader
take_part(struct tls_reader *r, size_t size)
{
	size_t length = take_number(r, size);
	struct tls_reader part = {r->at, length, false};

	if (r->failed || r->left < length) {
		r->failed = true;
		return (struct tls_reader){NULL, 0, true};
	}
	r->at += length;
	r->left -= length;
	return part;
}

static enum cause
read_names(struct tls_reader *extension, char ret_name[NAME_SIZE])
{
	struct tls_reader list = take_part(extension, 2);
	unsigned kind = take_number(&list, 1);
	struct tls_reader name = take_part(&list, 2);

	if (extension->failed || list.failed || name.failed || extension->left != 0 ||
	    list.left != 0 || kind != 0)
		return CAUSE_TLS_NAME_BAD;
	if (!hostname_normalise((const char *)name.at, name.left, ret_name))
		return CAUSE_TLS_NAME_ODD;
	return CAUSE_NONE;
}

/*
 * Only the server can tell Encrypted ClientHello from the random extension (GREASE) that browsers always
 * send.
 */
static bool
is_hiding(unsigned kind)
{
	return (kind >= EXTENSION_ECH_DRAFT && kind <= EXTENSION_ECH) || kind == EXTENSION_ESNI;
}

static enum cause
read_extensions(struct tls_reader *all, char ret_name[NAME_SIZE], bool *ret_hides)
{
	enum cause reason = CAUSE_NONE;
	bool named = false;

	while (reason == CAUSE_NONE && all->left > 0 && !all->failed) {
		unsigned kind = take_number(all, 2);
		struct tls_reader extension = take_part(all, 2);

		if (all->failed)
			break;
		*ret_hides = *ret_hides || is_hiding(kind);
		if (kind != EXTENSION_NAME)
			continue;
		reason = named ? CAUSE_TLS_TWO_NAMES : read_names(&extension, ret_name);
		named = true;
	}
	if (reason == CAUSE_NONE && all->failed)
		reason = CAUSE_TLS_EXTENSIONS;
	if (reason == CAUSE_NONE && !named)
		reason = CAUSE_TLS_NO_NAME;
	return reason;
}

static enum cause
read_hello(struct tls_reader *r, char ret_name[NAME_SIZE], bool *ret_hides)
{
	struct tls_reader extensions;

	take_number(r, 2); /* version */
	for (int i = 0; i < 8; i++)
		take_number(r, 4); /* random */
	take_part(r, 1);	   /* session */
	take_part(r, 2);	   /* ciphers */
	take_part(r, 1);	   /* compression */
	if (r->failed)
		return CAUSE_TLS_MALFORMED;
	if (r->left == 0)
		return CAUSE_TLS_NO_NAME;
	extensions = take_part(r, 2);
	if (r->failed || r->left != 0)
		return CAUSE_TLS_MALFORMED;
	return read_extensions(&extensions, ret_name, ret_hides);
}

static size_t
whole_size(const uint8_t message[4])
{
	return (size_t)(message[1] << 16 | message[2] << 8 | message[3]);
}

/*
 * Joins the contents of the records. *ret_size: bytes of the message present. Returns false if malformed.
 */
static bool
join_records(const uint8_t *bytes, size_t length, uint8_t *to, size_t *ret_size)
{
	struct tls_reader r = {bytes, length, false};
	size_t size = 0;

	while (r.left >= 5) {
		unsigned type = take_number(&r, 1), version = take_number(&r, 2);
		size_t content = take_number(&r, 2), here;

		if (type != RECORD_HANDSHAKE || version >> 8 != 3 || content == 0 ||
		    content > RECORD_MAX)
			return false;
		here = content < r.left ? content : r.left;
		if (here > TLS_HELLO_MAX - size)
			here = TLS_HELLO_MAX - size;
		memcpy(to + size, r.at, here);
		size += here;
		r.at += here;
		r.left -= here;
		if (size >= 4 && size - 4 >= whole_size(to)) {
			*ret_size = size;
			/* bytes behind it in the same record could be another hello */
			return size - 4 == whole_size(to) && here == content;
		}
		if (here < content)
			break;
	}
	*ret_size = size;
	return true;
}

enum tls_verdict
tls_hello(const uint8_t *bytes, size_t length, char ret_name[NAME_SIZE], enum cause *ret_reason)
{
	static const uint8_t start[2] = {RECORD_HANDSHAKE, 3};
	uint8_t message[TLS_HELLO_MAX];
	struct tls_reader r;
	bool hides = false;
	size_t size, whole;

	if (length == 0)
		return TLS_MORE;
	if (memcmp(bytes, start, length < sizeof start ? length : sizeof start) != 0)
		return TLS_OTHER;
	*ret_reason = CAUSE_TLS_MALFORMED;
	if (!join_records(bytes, length, message, &size))
		return TLS_BAD;
	if (size > 0 && message[0] != CLIENT_HELLO)
		return TLS_BAD;
	whole = size < 4 ? 4 : 4 + whole_size(message);
	if (whole > TLS_HELLO_MAX || (size < whole && length >= TLS_HELLO_MAX)) {
		*ret_reason = CAUSE_TLS_LONG;
		return TLS_BAD;
	}
	if (size < whole)
		return TLS_MORE;
	r = (struct tls_reader){message + 4, whole - 4, false};
	*ret_reason = read_hello(&r, ret_name, &hides);
	if (*ret_reason != CAUSE_NONE)
		return TLS_BAD;
	return hides ? TLS_HIDDEN : TLS_NAMED;
}

size_t
tls_hello_size(const uint8_t *bytes, size_t length)
{
	struct tls_reader r = {bytes, length, false};
	uint8_t start[4] = {0};
	size_t had = 0;

	while (r.left >= TLS_HEAD_SIZE && (had < 4 || had < 4 + whole_size(start))) {
		size_t content;

		take_number(&r, 3);
		content = take_number(&r, 2);
		content = content < r.left ? content : r.left;
		for (size_t i = 0; i < content && had + i < sizeof start; i++)
			start[had + i] = r.at[i];
		had += content;
		r.at += content;
		r.left -= content;
	}
	return length - r.left;
}

size_t
tls_before(const uint8_t *head)
{
	bool is_one = (head[0] == RECORD_CHANGE || head[0] == RECORD_ALERT) && head[1] == 3;

	return is_one ? TLS_HEAD_SIZE + (size_t)(head[3] << 8 | head[4]) : 0;
}

bool
tls_goes_on(const uint8_t answer[TLS_ANSWER_SIZE])
{
	/* SHA-256 of "HelloRetryRequest": marks a retry in the field of the server's random */
	static const uint8_t again[32] = {0xcf, 0x21, 0xad, 0x74, 0xe5, 0x9a, 0x61, 0x11,
					  0xbe, 0x1d, 0x8c, 0x02, 0x1e, 0x65, 0xb8, 0x91,
					  0xc2, 0xa2, 0x11, 0x16, 0x7a, 0xbb, 0x8c, 0x5e,
					  0x07, 0x9e, 0x09, 0xe2, 0xc8, 0xa8, 0x33, 0x9c};
	size_t content = (size_t)(answer[3] << 8 | answer[4]);

	return answer[0] == RECORD_HANDSHAKE && content >= TLS_ANSWER_SIZE - TLS_HEAD_SIZE &&
	       answer[5] == SERVER_HELLO && memcmp(answer + 11, again, sizeof again) != 0;
}

size_t
tls_skip(const uint8_t *head)
{
	return head[0] == RECORD_HANDSHAKE ? 0 : TLS_HEAD_SIZE + (size_t)(head[3] << 8 | head[4]);
}
