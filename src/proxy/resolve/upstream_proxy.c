// SPDX-License-Identifier: MIT
/*
 * The invoker's proxy from HTTP_PROXY and related variables. An unsupported kind of proxy is an error:
 * connecting directly would bypass a proxy that the user requires.
 */
#include "proxy/resolve/upstream_proxy.h"

#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/error.h"
#include "base/str.h"
#include "proxy/wire/http.h"

static const char *
value_of(const char *const *environ, const char *name)
{
	size_t length = strlen(name);

	for (; environ != NULL && *environ != NULL; environ++)
		if (strncmp(*environ, name, length) == 0 && (*environ)[length] == '=')
			return *environ + length + 1;
	return NULL;
}

/* Returns the first of these variables that is set and not empty. */
static const char *
first_of(const char *const *environ, const char *const *names)
{
	for (; *names != NULL; names++) {
		const char *value = value_of(environ, *names);

		if (value != NULL && *value != '\0')
			return value;
	}
	return NULL;
}

/* Turns "user:password", with %XX escapes, into a header. */
static bool
read_user(const char *text, size_t length, struct upstream *to)
{
	char plain[256] = {0}, encoded[sizeof plain * 4 / 3 + 8];
	size_t used = 0;

	for (size_t i = 0; i < length; i++) {
		char c = text[i];

		if (c == '%' && i + 2 < length && ascii_hex(text[i + 1]) >= 0 &&
		    ascii_hex(text[i + 2]) >= 0) {
			c = (char)(ascii_hex(text[i + 1]) << 4 | ascii_hex(text[i + 2]));
			i += 2;
		}
		if (used == sizeof plain)
			return false;
		plain[used++] = c;
	}
	http_base64(plain, used, encoded);
	snprintf(to->header, sizeof to->header, "Proxy-Authorization: Basic %s\r\n", encoded);
	return true;
}

/* "HOST", "HOST:PORT", "[ADDRESS]:PORT". */
static bool
read_host(const char *text, size_t length, struct upstream *to)
{
	bool bracket = length > 0 && *text == '[';
	const char *end = bracket ? memchr(text, ']', length) : memchr(text, ':', length);
	size_t host = end == NULL ? length : (size_t)(end - text);
	uint64_t port = 80;

	if (bracket && end == NULL)
		return false;
	if (host + bracket < length) {
		const char *rest;

		end += bracket;
		if (*end != ':' || !str_digits(end + 1, UINT16_MAX, &port, &rest) || port == 0 ||
		    rest != text + length)
			return false;
	}
	text += bracket;
	host -= bracket;
	if (host == 0 || host >= sizeof to->host)
		return false;
	memcpy(to->host, text, host);
	to->host[host] = '\0';
	to->port = (unsigned)port;
	return bracket || hostname_normalise(text, host, to->host);
}

static int
read_proxy(const char *text, struct upstream *to, struct cordon_error *err)
{
	const char *at = text, *user;
	size_t length;

	if (text == NULL)
		return 0;
	if (ascii_same_n(at, "http://", 7))
		at += 7;
	else if (strstr(at, "://") != NULL)
		return cordon_fail(
			err, CORDON_E_USAGE, 0,
			"only http:// proxies are supported, and the environment names %.10s...; "
			"unset it for this command",
			text);
	length = strcspn(at, "/?#");
	user = NULL;
	for (size_t i = 0; i < length; i++)
		user = at[i] == '@' ? at + i : user;
	if (user != NULL && !read_user(at, (size_t)(user - at), to))
		return cordon_fail(err, CORDON_E_USAGE, 0,
				   "the user of the proxy in the environment is too long");
	if (user != NULL) {
		length -= (size_t)(user + 1 - at);
		at = user + 1;
	}
	if (!read_host(at, length, to))
		return cordon_fail(err, CORDON_E_USAGE, 0,
				   "the proxy in the environment is not http://HOST:PORT");
	return 0;
}

int
upstreams_read(const char *const *environ, struct upstreams *ret_upstreams,
	       struct cordon_error *err)
{
	/* HTTP_PROXY is ignored, as curl does: in a CGI program a request header sets it */
	static const char *const plain[] = {"http_proxy", "ALL_PROXY", "all_proxy", NULL};
	static const char *const tunnel[] = {"https_proxy", "HTTPS_PROXY", "ALL_PROXY", "all_proxy",
					     NULL};
	static const char *const except[] = {"no_proxy", "NO_PROXY", NULL};
	struct upstreams upstreams = {0};
	const char *http = first_of(environ, plain);
	int rc;

	if (http == NULL && value_of(environ, "REQUEST_METHOD") == NULL)
		http = first_of(environ, (const char *const[]){"HTTP_PROXY", NULL});
	rc = read_proxy(http, &upstreams.plain, err);
	if (rc == 0)
		rc = read_proxy(first_of(environ, tunnel), &upstreams.tunnel, err);
	if (rc < 0)
		return rc;
	upstreams.except = first_of(environ, except);
	if (upstreams.except == NULL)
		upstreams.except = "";
	*ret_upstreams = upstreams;
	return 0;
}

/* ".example.org", "example.org", "*": matches the name itself and names below it. */
static bool
is_excepted(const char *list, const char *name)
{
	size_t size = strlen(name);

	while (*list != '\0') {
		size_t length;

		list += strspn(list, ", ");
		length = strcspn(list, ", ");
		if (length == 1 && *list == '*')
			return true;
		if (length > 0 && *list == '.')
			list++, length--;
		if (length > 0 && length <= size &&
		    ascii_same_n(name + size - length, list, length) &&
		    (length == size || name[size - length - 1] == '.'))
			return true;
		list += length;
	}
	return false;
}

const struct upstream *
upstream_for(const struct upstreams *upstreams, bool is_plain, const char *name)
{
	const struct upstream *one = is_plain ? &upstreams->plain : &upstreams->tunnel;

	return one->host[0] == '\0' || is_excepted(upstreams->except, name) ? NULL : one;
}
