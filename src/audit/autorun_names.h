/* SPDX-License-Identifier: MIT */
/*
 * Autorun files: files that a build, test run, editor, agent or service executes or obeys without being
 * asked. They stay writable, so the user is told which ones changed. Recognised by name alone; no file is
 * opened.
 */
#pragma once

#include <stdbool.h>

struct later {
	const char *name;   /* whole name or part, see autorun_names.c */
	const char *reason; /* one clause for the user */
};

/*
 * Looks up a canonical path, ignoring case; NULL if it is no autorun file. *ret_is_exact: matched by its
 * whole name, which occurs once per directory.
 */
const struct later *autorun_names_find(const char *path, bool *ret_is_exact);
