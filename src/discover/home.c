// SPDX-License-Identifier: MIT
/*
 * Home of the effective user, from the user database: trust must not depend on the environment.
 * /etc/passwd is read directly first, because getpwuid() loads so much that it would dominate the
 * time of a start.
 */
#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/str.h"
#include "discover/context.h"

#define PASSWD_MAX (1u << 16)
enum { FIELD_UID = 2, FIELD_HOME = 5 };

/* Returns a field of a line, or NULL if there are fewer. The field is not terminated. */
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
	const char *end;
	uint64_t number;

	return field != NULL && str_digits(field, UINT32_MAX, &number, &end) && number == uid &&
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

/* Uses the C library, which knows users that are not in /etc/passwd. */
static int
ask_library(struct arena *arena, const char **ret_home, struct cordon_error *err)
{
	const struct passwd *entry;

	errno = 0;
	entry = getpwuid(geteuid());
	if (entry == NULL && error_errno_is_fault(errno))
		return cordon_fail(err, CORDON_E_SYSTEM, errno, "cannot look up the user");
	if (entry == NULL || entry->pw_dir == NULL)
		return 0;
	*ret_home = arena_strdup(arena, entry->pw_dir, err);
	return *ret_home == NULL ? -CORDON_E_MEMORY : 0;
}

int
home_of_user(struct arena *arena, const char **ret_home, struct cordon_error *err)
{
	struct cordon_error why = {0};
	size_t length;
	char *text;
	int rc = fd_read_file(arena, "/etc/passwd", PASSWD_MAX, &text, &length, NULL, &why);

	*ret_home = NULL;
	if (rc == -CORDON_E_MEMORY)
		return cordon_no_memory(err);
	if (rc == 0 && strlen(text) == length)
		*ret_home = home_in_text(text, geteuid());
	rc = *ret_home == NULL ? ask_library(arena, ret_home, err) : 0;
	if (*ret_home != NULL && **ret_home != '/')
		*ret_home = NULL;
	return rc;
}
