// SPDX-License-Identifier: MIT
/*
 * HTTP requests. The result does not depend on how the bytes are split; a rewritten request parses to the
 * same request; only requests for the tunnel's host pass.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "proxy/wire/inspect.h"

#define NAME "a.test"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(int condition)
{
	if (!condition)
		abort();
}

static bool
is_name(const void *context, const char *name)
{
	(void)context;
	return strcmp(name, NAME) == 0;
}

/* Counts bytes that pass when the input is given in pieces of that size. */
static size_t
pass_up(const char *bytes, size_t size, size_t piece, enum check_verdict *ret_verdict)
{
	struct inspection check = {.is_name = is_name, .port = 80};
	size_t sent = 0, shown = 0;
	char *copy = malloc(size);

	must(copy != NULL);
	memcpy(copy, bytes, size);

	*ret_verdict = CHECK_GO_ON;
	while (shown < size && *ret_verdict == CHECK_GO_ON) {
		size_t good;

		shown = size - shown < piece ? size : shown + piece;
		do {
			*ret_verdict = inspect_look(&check, copy + sent, shown - sent, &good);
			must(good + check.cut <= shown - sent);
			/* inspect_look has removed bytes in the middle */
			memmove(copy + shown - check.cut, copy + shown, size - shown);
			shown -= check.cut;
			size -= check.cut;
			sent += good;
		} while (*ret_verdict == CHECK_GO_ON && good > 0 && sent < shown);
	}
	free(copy);
	return sent;
}

static void
check_parts(const char *bytes, size_t size)
{
	enum check_verdict whole, parts;
	size_t sent_whole = pass_up(bytes, size, size, &whole);
	size_t sent_parts = pass_up(bytes, size, 1, &parts);

	/* a whole input over the limit is refused earlier than its pieces */
	if (size >= CHECK_MAX)
		return;
	/* a complete head is decided as a whole; before that only its bytes are checked */
	must(whole >= CHECK_TLS_BAD || parts >= CHECK_TLS_BAD || whole == parts);
	must(whole >= CHECK_TLS_BAD || parts >= CHECK_TLS_BAD || sent_whole == sent_parts);
	must((whole >= CHECK_TLS_BAD) == (parts >= CHECK_TLS_BAD));
}

static void
check_rewritten(const struct http_request *request)
{
	char head[HTTP_HEAD_MAX + 1024];
	struct http_request again;
	enum cause reason;
	ssize_t length = http_rewrite(request, true, "", head, sizeof head);

	must(length > 0);
	if ((size_t)length > HTTP_HEAD_MAX || request->form != HTTP_ABSOLUTE)
		return;
	must(http_parse(head, (size_t)length, &again, &reason) == (int)length);
	must(again.form == HTTP_ORIGIN && again.authorization.at == NULL && !again.has_upgrade);
	must(again.framing == request->framing && again.length == request->length);
	must(!again.has_host || strcmp(again.name, request->name) == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *bytes = (const char *)data;
	struct http_request request;
	enum cause reason = CAUSE_NONE;
	int length = http_parse(bytes, size, &request, &reason), status;

	must(length >= 0 || reason != CAUSE_NONE);
	must(length <= (int)size);
	if (length > 0) {
		must(http_parse(bytes, (size_t)length - 1, &request, &reason) <= 0);
		must(http_parse(bytes, (size_t)length, &request, &reason) == length);
		must(strlen(request.name) < NAME_SIZE && request.port <= 65535);
		http_is_authorized(&request.authorization, "cordon", "0123456789abcdef");
		check_rewritten(&request);
	}
	must(http_parse_status(bytes, size, &status) <= (int)size);
	if (size > 0)
		check_parts(bytes, size);
	return 0;
}
