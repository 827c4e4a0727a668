// SPDX-License-Identifier: MIT
/*
 * The home of the user we are, by the user database: what decides about trust must not come from
 * the environment. The file is looked at first: asking the C library loads and reads so much that
 * it takes longer than anything else of a start, and nearly every user stands in the file.
 */
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/setup.h"
#include "base/fd.h"

#define PASSWD_MAX (1u << 16)
enum { FIELD_UID = 2, FIELD_HOME = 5 };

/* The field of a line, which it cuts off there; NULL when there are not so many. */
static char *
field_of(char *line, int number)
{
	for (; number > 0 && line != NULL; number--) {
		line = strchr(line, ':');
		line = line == NULL ? NULL : line + 1;
	}
	return line;
}

static bool
is_of(char *line, uid_t uid)
{
	const char *field = field_of(line, FIELD_UID);
	char *end;

	return field != NULL && *field >= '0' && *field <= '9' && strtoul(field, &end, 10) == uid &&
	       *end == ':';
}

const char *
home_in_text(char *text, uid_t uid)
{
	char *rest = text;

	for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
		char *home;

		if (*line == '+' || *line == '-')
			return NULL;
		if (!is_of(line, uid))
			continue;
		home = field_of(line, FIELD_HOME);
		if (home != NULL)
			home[strcspn(home, ":")] = '\0';
		return home;
	}
	return NULL;
}

const char *
home_of_user(struct arena *arena)
{
	const struct passwd *entry;
	const char *home = NULL;
	size_t length;
	char *text;

	if (file_read(arena, "/etc/passwd", PASSWD_MAX, &text, &length, NULL, NULL) == 0 &&
	    strlen(text) == length)
		home = home_in_text(text, geteuid());
	if (home == NULL) {
		entry = getpwuid(geteuid());
		home = entry == NULL || entry->pw_dir == NULL
			       ? NULL
			       : arena_strdup(arena, entry->pw_dir, NULL);
	}
	return home != NULL && *home == '/' ? home : NULL;
}
