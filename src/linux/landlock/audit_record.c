// SPDX-License-Identifier: MIT
/*
 * Parses audit records: fields NAME=VALUE between spaces. The kernel writes a text that has a space, a quote or
 * a control character as hexadecimal digits, so a quoted value ends at the next quote.
 */
#include "linux/landlock/audit_record.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "plan/plan.h"

/* The value of a field and its length; NULL if there is none. */
static const char *
field(const char *text, const char *name, size_t *ret_length)
{
	size_t length = strlen(name);

	while ((text = strchr(text, ' ')) != NULL) {
		text++;
		if (strncmp(text, name, length) != 0 || text[length] != '=')
			continue;
		*ret_length = strcspn(text + length + 1, " ");
		return text + length + 1;
	}
	return NULL;
}

static bool
number(const char *text, const char *name, int base, uint64_t *ret)
{
	size_t length;
	const char *value = field(text, name, &length);
	char *end;

	if (value == NULL || length == 0 || *value == '-' || *value == '+')
		return false;
	*ret = strtoull(value, &end, base);
	return end == value + length;
}

static bool
is_word(const char *text, const char *name, const char *word)
{
	size_t length;
	const char *value = field(text, name, &length);

	return value != NULL && length == strlen(word) && strncmp(value, word, length) == 0;
}

static int
digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* "..." or digits. */
static bool
unquote(const char *value, size_t length, char *to, size_t size)
{
	size_t count = length / 2;

	if (length >= 2 && value[0] == '"' && value[length - 1] == '"') {
		if (length - 2 >= size)
			return false;
		memcpy(to, value + 1, length - 2);
		to[length - 2] = '\0';
		return true;
	}
	if (length % 2 != 0 || count >= size)
		return false;
	for (size_t i = 0; i < count; i++) {
		int high = digit(value[2 * i]), low = digit(value[2 * i + 1]);

		if (high < 0 || low < 0 || (high | low) == 0)
			return false;
		to[i] = (char)(high << 4 | low);
	}
	to[count] = '\0';
	return true;
}

static const struct {
	const char *name;
	unsigned right;
} blockers[] = {
	{"fs.execute", RIGHT_EXECUTE},	 {"fs.read_file", RIGHT_READ},
	{"fs.read_dir", RIGHT_READ},	 {"fs.write_file", RIGHT_WRITE},
	{"fs.truncate", RIGHT_WRITE},	 {"fs.make_reg", RIGHT_CREATE},
	{"fs.make_dir", RIGHT_CREATE},	 {"fs.make_sym", RIGHT_CREATE},
	{"fs.make_sock", RIGHT_CREATE},	 {"fs.make_fifo", RIGHT_CREATE},
	{"fs.remove_dir", RIGHT_DELETE}, {"fs.remove_file", RIGHT_DELETE},
};

/* A list with commas. */
static unsigned
rights_of(const char *value, size_t length)
{
	unsigned rights = 0;

	for (size_t at = 0; at < length; at++) {
		size_t one = strcspn(value + at, ", ");

		for (size_t i = 0; i < COUNT(blockers); i++)
			if (strlen(blockers[i].name) == one &&
			    strncmp(value + at, blockers[i].name, one) == 0)
				rights |= blockers[i].right;
		at += one;
	}
	return rights;
}

bool
audit_record_access(const char *text, struct audit_access *ret_access)
{
	size_t length;
	const char *value = field(text, "blockers", &length);

	*ret_access = (struct audit_access){0};
	if (value == NULL || !number(text, "domain", 16, &ret_access->domain))
		return false;
	ret_access->rights = rights_of(value, length);
	if (ret_access->rights == 0)
		return true;
	value = field(text, "path", &length);
	return value != NULL && unquote(value, length, ret_access->path, sizeof ret_access->path) &&
	       *ret_access->path == '/';
}

bool
audit_record_domain(const char *text, uint64_t *ret_domain, pid_t *ret_creator)
{
	uint64_t pid;

	if (!is_word(text, "status", "allocated") || !number(text, "domain", 16, ret_domain) ||
	    !number(text, "pid", 10, &pid) || pid > INT_MAX)
		return false;
	*ret_creator = (pid_t)pid;
	return true;
}
