// SPDX-License-Identifier: MIT
/* Accepts the ordinary schemes, scp-like host:path, and paths; any other transport is a program. */
#include "git/config/git_url.h"

#include <string.h>

#include "base/array.h"

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS "0123456789"

bool
git_url_has_control(const char *text)
{
	for (; *text != '\0'; text++)
		if ((unsigned char)*text < 0x20 || *text == 0x7f)
			return true;
	return false;
}

static size_t
scheme_length(const char *text)
{
	return strspn(text, LETTERS DIGITS "+-.");
}

/* A host, after an optional user, must not look like an option of ssh. */
static bool
is_plain_host(const char *host)
{
	const char *end = host + strcspn(host, "/:"), *at = memchr(host, '@', (size_t)(end - host));

	return *host != '-' && *host != '\0' && (at == NULL || at[1] != '-');
}

static bool
is_ordinary_scheme(const char *url, size_t length)
{
	static const char *const schemes[] = {"https",	 "http",    "ssh", "git",
					      "git+ssh", "ssh+git", "ftp", "ftps"};

	for (size_t i = 0; i < COUNT(schemes); i++)
		if (strlen(schemes[i]) == length && strncmp(url, schemes[i], length) == 0)
			return is_plain_host(url + length + 3);
	return false;
}

/* host:path: no slash before the colon. */
static bool
is_scp_like(const char *url)
{
	size_t colon = strcspn(url, ":/");

	return url[colon] == ':' && colon > 0;
}

enum cause
git_url_refuse(const char *url, const char **ret_path)
{
	size_t length = scheme_length(url);

	*ret_path = NULL;
	if (*url == '-' || git_url_has_control(url))
		return CAUSE_URL_ODD;
	/* TRANSPORT::ADDRESS runs git-remote-TRANSPORT; ext:: runs any command */
	if (strncmp(url + length, "::", 2) == 0)
		return CAUSE_URL_PROGRAM;
	if (strncmp(url + length, "://", 3) == 0 && strncmp(url, "file://", 7) != 0)
		return is_ordinary_scheme(url, length) ? CAUSE_NONE : CAUSE_URL_SCHEME;
	if (strncmp(url, "file://", 7) != 0 && is_scp_like(url))
		return is_plain_host(url) ? CAUSE_NONE : CAUSE_URL_ODD;
	*ret_path = url;
	if (strncmp(url, "file://", 7) != 0)
		return CAUSE_NONE;
	/* git drops the host and decodes %XX */
	*ret_path = url + 7;
	return **ret_path != '/' || strchr(url, '%') != NULL ? CAUSE_URL_FILE : CAUSE_NONE;
}

bool
git_url_is_relative(const char *url)
{
	const char *path;

	return git_url_refuse(url, &path) == CAUSE_NONE && path != NULL && *path != '/' &&
	       strcmp(path, ".") != 0;
}
