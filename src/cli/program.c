// SPDX-License-Identifier: MIT
/* Finds programs as a shell does: the one that is meant instead of a command, and cordon itself. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/str.h"
#include "cli/cli.h"

static bool
is_executable(const char *path)
{
	struct stat found;

	return stat(path, &found) == 0 && S_ISREG(found.st_mode) && access(path, X_OK) == 0;
}

bool
cli_find_program(const char *name, char ret_path[PATH_MAX])
{
	const char *at = getenv("PATH");

	while (at != NULL) {
		size_t length = strcspn(at, ":");
		auto_str struct str path = {0};

		str_printf(&path, "%.*s/%s", (int)length, at, name);
		at = at[length] == ':' ? at + length + 1 : NULL;
		if (path.failed || *path.text != '/' || path.length >= PATH_MAX ||
		    !is_executable(path.text))
			continue;
		strcpy(ret_path, path.text);
		return true;
	}
	return false;
}

bool
cli_is_program(const char *name)
{
	char path[PATH_MAX];

	return strchr(name, '/') == NULL ? cli_find_program(name, path) : is_executable(name);
}

/* Links in the path stay: a link of a package manager leads to the next version after an upgrade. */
int
cli_find_self(const char *name, char ret_path[PATH_MAX], struct cordon_error *err)
{
	bool found;

	if (strchr(name, '/') == NULL) {
		found = cli_find_program(name, ret_path);
	} else if (*name == '/' && strlen(name) < PATH_MAX) {
		strcpy(ret_path, name);
		found = true;
	} else {
		found = realpath(name, ret_path) != NULL;
	}
	return found ? 0
		     : cordon_fail(err, CORDON_E_PATH, 0,
				   "cannot find the program \"%.100s\" itself", name);
}
