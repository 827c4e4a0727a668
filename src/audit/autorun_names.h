/* SPDX-License-Identifier: MIT */
/*
 * Files that run by themselves later: what a build, a test run, an editor, an agent or a service
 * starts or obeys without being told to. They stay writable, so whoever runs the next command
 * should know that they are new. Known by their names alone; nothing is opened.
 */
#pragma once

#include <stdbool.h>

struct later {
	const char *name;   /* or a part of it, see autorun_names.c */
	const char *reason; /* one clause for people */
};

/*
 * What is known about a canonical path, or NULL. Upper and lower case are the same. *ret_is_exact: by
 * its whole name, of which a folder has one.
 */
const struct later *autorun_find(const char *path, bool *ret_is_exact);
