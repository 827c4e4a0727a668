/* SPDX-License-Identifier: MIT */
/* Finds what would allow a denied access: the narrowest option, and an add-on profile. */
#pragma once

#include <limits.h>

#include "host/resolve.h"
#include "plan/plan.h"

struct advice {
	const char *option;  /* for this path, such as --read; NULL: no option helps */
	bool make_first;     /* it helps only once the path exists */
	const char *profile; /* an add-on that grants it; NULL: none */
};

/* Would a grant be an error because the path does not exist? */
bool remedy_is_missing(const struct plan *plan, const struct resolved *at);
/*
 * Returns an option that helps now, or NULL. missing: requested rights that are not granted; by:
 * the decision about the first of them. ret_path receives the argument of the option: the path. If
 * it does not exist, it is the directory above it where files may be changed already; else the path
 * with a trailing slash for a new directory (at->kind is FS_DIR), or the directory above it.
 */
const char *remedy_option(const struct plan *plan, const struct decision *by,
			  const struct resolved *at, unsigned missing, char ret_path[PATH_MAX]);
struct advice remedy_for(const struct plan *plan, const struct decision *by,
			 const struct resolved *at, unsigned missing);
/*
 * Prints option and path for a shell. The command may have chosen the path: pattern characters in
 * it are quoted, so that the option grants only this path.
 */
void remedy_print_option(const char *option, const char *path, struct str *to);
/* Prints lines of text with the option, ready to paste, and the profile. missing must not be 0. */
void remedy_print_text(const struct plan *plan, const struct decision *by,
		       const struct resolved *at, unsigned missing, struct str *to);
/* Prints JSON members, each with a leading comma; null if nothing helps or is needed. */
void remedy_print_json(const struct plan *plan, const struct decision *by,
		       const struct resolved *at, unsigned missing, struct str *to);
/*
 * Returns the add-on, not in use yet, that would grant these rights at a canonical path for which
 * there is no rule: that of the command, else the only one. NULL if there is none, or more than one.
 */
const char *remedy_profile(const struct plan *plan, const char *path, unsigned missing);
