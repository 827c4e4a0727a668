/* SPDX-License-Identifier: MIT */
/* What would allow something that is denied: the narrowest option, and a profile that is made for it. */
#pragma once

#include <limits.h>

#include "host/resolve.h"
#include "plan/plan.h"

struct advice {
	const char *option;  /* --read and its like, for this path; NULL: no option helps */
	bool make_first;     /* it helps once the path exists */
	const char *profile; /* an add-on that grants it; NULL: none */
};

/* Is what a grant would name not there, and the grant an error for that? */
bool remedy_is_missing(const struct plan *plan, const struct resolved *at);
/*
 * The option alone, where it helps as things are; NULL: none does. missing: the rights that were asked
 * for and are not there; by: what decided the first of them. What is to stand behind it is in ret_path:
 * the path, or for a name that is not there yet the folder around it where files may be changed already;
 * else the name with a slash where a folder was to be made (at->kind FS_DIR), or the folder around it.
 */
const char *remedy_option(const struct plan *plan, const struct decision *by,
			  const struct resolved *at, unsigned missing, char ret_path[PATH_MAX]);
struct advice remedy_for(const struct plan *plan, const struct decision *by,
			 const struct resolved *at, unsigned missing);
/*
 * The option for this very path, as it is typed into a shell. Who asked may have chosen the path: what
 * would be a pattern in it is quoted, so that it grants no more than a file of that name.
 */
void remedy_print_option(const char *option, const char *path, struct str *to);
/* Lines for people: the option, ready to be pasted, and the profile. missing is not 0. */
void remedy_print_text(const struct plan *plan, const struct decision *by,
		       const struct resolved *at, unsigned missing, struct str *to);
/* Members of a JSON object, each with a comma in front; null where nothing helps, or has to. */
void remedy_print_json(const struct plan *plan, const struct decision *by,
		       const struct resolved *at, unsigned missing, struct str *to);
/*
 * The first add-on that is not in use and would grant these rights at a canonical path that no rule
 * speaks about; NULL: none would.
 */
const char *remedy_profile(const struct plan *plan, const char *path, unsigned missing);
