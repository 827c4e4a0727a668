// SPDX-License-Identifier: MIT
/* Syntax of values. No lookups: a domain here is a name, not an address. */
#include "policy/model/value.h"

#include <arpa/inet.h>
#include <idn2.h>
#include <string.h>

#include "base/ascii.h"
#include "base/str.h"

const char *const socket_presets[] = {"ssh-agent", "gpg-agent", "docker", "podman",
				      "wayland",   "x11",	NULL};
const char *const path_tokens[] = {"$HOME",	      "$PROJECT", "$CWD",
				   "$TMPDIR",	      "$XDG_",	  "$SSH_AUTH_SOCK",
				   "$GIT_COMMON_DIR", "$GIT_DIR", NULL};

static bool
is_name_byte(char c)
{
	return ascii_is_letter(c) || ascii_is_digit(c) || c == '_';
}

static const char *
check_label(const char *label, size_t length)
{
	if (length == 0)
		return "has an empty label";
	if (length > 63)
		return "has a label longer than 63 bytes";
	if (label[0] == '-' || label[length - 1] == '-')
		return "has a label that starts or ends with \"-\"";
	for (size_t i = 0; i < length; i++)
		if (label[i] != '-' && (!is_name_byte(label[i]) || ascii_is_upper(label[i])))
			return label[i] == '*' ? "has a wildcard that is not a leading \"*.\""
					       : "has a character no host name can have";
	return NULL;
}

static bool
is_address(const char *name)
{
	unsigned char buffer[16];
	const char *last = strrchr(name, '.');

	if (inet_pton(AF_INET6, name, buffer) == 1 || strchr(name, ':') != NULL || *name == '[')
		return true;
	/* also inet_aton's forms: no top-level domain is a number */
	last = last == NULL ? name : last + 1;
	return *last != '\0' &&
	       (strspn(last, "0123456789") == strlen(last) || str_starts(last, "0x"));
}

/* One colon followed by digits: an IPv6 address has more colons. */
static bool
has_port(const char *name)
{
	const char *colon = strchr(name, ':');

	return colon != NULL && colon != name && colon[1] != '\0' &&
	       strspn(colon + 1, "0123456789") == strlen(colon + 1);
}

static const char *
check_labels(const char *name)
{
	while (true) {
		size_t length = strcspn(name, ".");
		const char *reason = check_label(name, length);

		if (reason != NULL)
			return reason;
		if (name[length] == '\0')
			return NULL;
		name += length + 1;
	}
}

/* IDNA 2008 with UTS 46 mapping; ASCII names are only converted to lower case. */
static const char *
to_ascii(const char *text, char *to, size_t size)
{
	char *ascii = NULL;
	const char *reason = NULL;
	bool plain = true;

	for (const char *p = text; *p != '\0'; p++)
		plain = plain && (unsigned char)*p < 0x80;
	if (plain) {
		if (strlen(text) >= size)
			return "is longer than a host name can be";
		for (size_t i = 0; i <= strlen(text); i++)
			to[i] = ascii_lower(text[i]);
		return NULL;
	}
	if (idn2_to_ascii_8z(text, &ascii, IDN2_NONTRANSITIONAL | IDN2_NFC_INPUT) != IDN2_OK)
		return "is not a valid internationalised host name";
	if (strlen(ascii) >= size)
		reason = "is longer than a host name can be";
	else
		strcpy(to, ascii);
	idn2_free(ascii);
	return reason;
}

const char *
value_domain(const char *text, char *ret_name)
{
	bool wild = str_starts(text, "*.");
	char *name = ret_name + (wild ? 2 : 0);
	size_t length;
	const char *reason;

	if (strstr(text, "://") != NULL)
		return "is a URL; name only the host, and a port by --port N";
	if (strcmp(text, "*") == 0)
		return "names every host; say \"network\": \"all\", or --net all, if that is meant";
	reason = to_ascii(text + (wild ? 2 : 0), name, 254);
	if (reason != NULL)
		return reason;
	length = strlen(name);
	if (length > 1 && name[length - 1] == '.')
		name[length - 1] = '\0';
	if (strcmp(name, "localhost") == 0 ||
	    (strlen(name) > 10 && strcmp(name + strlen(name) - 10, ".localhost") == 0))
		return "is this machine; use the network mode \"localhost\"";
	if (has_port(name))
		return "must not have a port; use --port N";
	if (is_address(name))
		return "is an address; domains are names only";
	if (wild)
		memcpy(ret_name, "*.", 2);
	return check_labels(name);
}

static const char *
out_of_range(const char *units)
{
	_Static_assert(VALUE_MOST == 4503599627370495, "the texts below say it");
	return *units == 's'   ? "is out of range: from 1 to 4503599627370495 seconds"
	       : *units == 'K' ? "is out of range: from 1 to 4503599627370495 bytes"
			       : "is out of range: from 1 to 4503599627370495";
}

/* Parses a positive number with one optional unit letter. */
static const char *
scaled(const char *text, const char *units, const uint64_t *factors, uint64_t *ret_value)
{
	const uint64_t most = VALUE_MOST;
	const char *p, *unit;
	uint64_t value;

	if (!ascii_is_digit(*text))
		return "does not start with a number";
	if (!str_digits(text, most, &value, &p) || value == 0)
		return out_of_range(units);
	if (*p != '\0') {
		unit = strchr(units, *p);
		if (unit == NULL || p[1] != '\0')
			return *units == 's'   ? "has an unknown unit; there are s, m, h, d"
			       : *units == 'K' ? "has an unknown unit; there are K, M, G, T"
					       : "is not a plain number";
		if (value > most / factors[unit - units])
			return out_of_range(units);
		value *= factors[unit - units];
	}
	*ret_value = value;
	return NULL;
}

const char *
value_duration(const char *text, uint64_t *ret_seconds)
{
	static const uint64_t factors[] = {1, 60, 3600, 86400};

	return scaled(text, "smhd", factors, ret_seconds);
}

const char *
value_size(const char *text, uint64_t *ret_bytes)
{
	static const uint64_t factors[] = {1ull << 10, 1ull << 20, 1ull << 30, 1ull << 40};

	return scaled(text, "KMGT", factors, ret_bytes);
}

const char *
value_count(const char *text, uint64_t *ret_count)
{
	return scaled(text, "", NULL, ret_count);
}

const char *
value_range(const char *text)
{
	char address[INET6_ADDRSTRLEN];
	unsigned char buffer[16];
	size_t length = strcspn(text, "/");
	uint64_t bits = 0;
	int family;

	if (length >= sizeof address)
		return "is not an address range such as 10.0.0.0/8";
	memcpy(address, text, length);
	address[length] = '\0';
	family = inet_pton(AF_INET, address, buffer) == 1    ? AF_INET
		 : inet_pton(AF_INET6, address, buffer) == 1 ? AF_INET6
							     : 0;
	if (family == 0)
		return "is not an address range such as 10.0.0.0/8";
	if (text[length] == '\0')
		return NULL;
	if (scaled(text + length + 1, "", NULL, &bits) != NULL ||
	    bits > (family == AF_INET ? 32 : 128))
		return "has a prefix length that does not fit";
	return NULL;
}

const char *
value_endpoint(const char *text)
{
	char address[INET6_ADDRSTRLEN];
	unsigned char buffer[16];
	const char *colon = strrchr(text, ':');
	bool v6 = *text == '[';
	uint64_t port;
	size_t length;

	if (colon == NULL || scaled(colon + 1, "", NULL, &port) != NULL || port > 65535)
		return "needs a port, as in 127.0.0.1:53 or [::1]:53";
	length = (size_t)(colon - text);
	if (v6 && (length < 3 || text[length - 1] != ']'))
		return "is not ADDRESS:PORT";
	text += v6;
	length -= v6 ? 2 : 0;
	if (length >= sizeof address)
		return "is not ADDRESS:PORT";
	memcpy(address, text, length);
	address[length] = '\0';
	if (inet_pton(v6 ? AF_INET6 : AF_INET, address, buffer) != 1)
		return "does not start with an address";
	return NULL;
}

static const char *
check_env_name(const char *text, size_t length)
{
	if (length == 0 || ascii_is_digit(text[0]))
		return "is not a variable's name";
	for (size_t i = 0; i < length; i++)
		if (!is_name_byte(text[i]))
			return "is not a variable's name";
	return NULL;
}

const char *
value_env_name(const char *text)
{
	return check_env_name(text, strlen(text));
}

const char *
value_env_pattern(const char *text)
{
	size_t length = strlen(text);

	return check_env_name(text, length > 1 && text[length - 1] == '*' ? length - 1 : length);
}

bool
value_is_glob(const char *text)
{
	return strpbrk(text, "*?") != NULL;
}

static const char *
check_token(const char *text)
{
	for (size_t i = 0; path_tokens[i] != NULL; i++) {
		size_t length = strlen(path_tokens[i]);

		if (strncmp(text, path_tokens[i], length) != 0)
			continue;
		if (path_tokens[i][length - 1] == '_') {
			while (ascii_is_upper(text[length]) || text[length] == '_')
				length++;
		}
		if (text[length] == '\0' || text[length] == '/')
			return NULL;
	}
	return "starts with a token that is not known; there are ~, $HOME, $PROJECT, $CWD, $TMPDIR, "
	       "$XDG_..., $SSH_AUTH_SOCK";
}

const char *
value_path(const char *text, bool glob)
{
	for (const char *p = text; *p != '\0'; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			return "has a control character in it";
	if (strlen(text) > 4095)
		return "is longer than a path can be";
	if (*text == '$')
		return check_token(text);
	if (*text == '~' && text[1] != '\0' && text[1] != '/')
		return "names another user's home; write the folder itself";
	if (*text == '/' || *text == '~' || (glob && str_starts(text, "**")))
		return NULL;
	if (*text == '\0')
		return "is empty";
	return glob ? "is relative; start it with /, ~, $PROJECT, or with **/ for any folder"
		    : "is relative; start it with /, ~ or $PROJECT";
}

const char *
value_socket(const char *text)
{
	const char *reason;

	for (size_t i = 0; socket_presets[i] != NULL; i++)
		if (strcmp(socket_presets[i], text) == 0)
			return NULL;
	reason = value_path(text, false);
	if (reason != NULL && *text != '/' && *text != '~' && *text != '$')
		return "is neither a path nor one of ssh-agent, gpg-agent, docker, podman, wayland, x11";
	return reason;
}
