// SPDX-License-Identifier: MIT
/*
 * HTTP upgrades. A WebSocket stays with the host that was named. HTTP/2 and TLS on the same connection can
 * name other hosts that the proxy would not check, so these upgrades are removed from the request. Pure.
 */
#include <string.h>

#include "base/array.h"
#include "base/ascii.h"
#include "proxy/wire/http.h"

static const char *const plain[] = {"websocket", "tcp" /* "tcp" is docker attach */};
static const char *const of_upgrade[] = {"Upgrade", "HTTP2-Settings"};

static bool
is_among(const char *at, size_t length, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (length == strlen(names[i]) && ascii_same_n(at, names[i], length))
			return true;
	return false;
}

/* Takes the next token of a list without its blanks; false at the end. */
static bool
next_token(struct http_part *list, struct http_part *ret_token)
{
	const char *comma = memchr(list->at, ',', list->length);
	size_t length = comma == NULL ? list->length : (size_t)(comma - list->at);
	struct http_part token = {list->at, length};

	if (list->length == 0)
		return false;
	list->at += length + (comma != NULL);
	list->length -= length + (comma != NULL);
	while (token.length > 0 && (*token.at == ' ' || *token.at == '\t'))
		token.at++, token.length--;
	while (token.length > 0 &&
	       (token.at[token.length - 1] == ' ' || token.at[token.length - 1] == '\t'))
		token.length--;
	*ret_token = token;
	return true;
}

bool
http_is_plain_upgrade(const struct http_part *value)
{
	struct http_part list = *value, token;

	while (next_token(&list, &token))
		if (!is_among(token.at, token.length, plain, COUNT(plain)))
			return false;
	return true;
}

/*
 * Copies the Connection line without the tokens of an upgrade; to may equal line. Returns the length, 0 if
 * no token is left.
 */
static size_t
put_connection(char *to, const char *line, const char *colon, size_t length)
{
	struct http_part list = {colon + 1, length - (size_t)(colon + 1 - line)}, token;
	size_t used = (size_t)(colon + 1 - line), head = used;

	memmove(to, line, used);
	while (next_token(&list, &token)) {
		if (token.length == 0 ||
		    is_among(token.at, token.length, of_upgrade, COUNT(of_upgrade)))
			continue;
		if (used > head)
			to[used++] = ',';
		memmove(to + used, token.at, token.length);
		used += token.length;
	}
	if (used == head)
		return 0;
	memcpy(to + used, "\r\n", 2);
	return used + 2;
}

size_t
http_strip_upgrade(char *head, size_t size)
{
	const char *end = memmem(head, size, "\r\n", 2), *line = end + 2;
	const char *last = head + size - 2;
	size_t used = (size_t)(line - head);

	for (; line < last; line = end + 2) {
		const char *colon = memchr(line, ':', (size_t)(last - line));
		size_t name = (size_t)(colon - line);

		end = memmem(line, (size_t)(last - line), "\r\n", 2);
		if (is_among(line, name, of_upgrade, COUNT(of_upgrade)))
			continue;
		if (name == 10 && ascii_same_n(line, "Connection", name)) {
			used += put_connection(head + used, line, colon, (size_t)(end - line));
			continue;
		}
		memmove(head + used, line, (size_t)(end + 2 - line));
		used += (size_t)(end + 2 - line);
	}
	memmove(head + used, last, 2);
	return used + 2;
}
