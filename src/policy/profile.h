/* SPDX-License-Identifier: MIT */
/*
 * The profiles that come with the program. They are data files (profiles/), compiled in so that a
 * start reads nothing and nobody can change them under us; the installed copies are for reading.
 */
#pragma once

#include <stddef.h>

struct profile {
	const char *name;
	const char *text;
};

/* NULL if there is none of that name. */
const struct profile *profile_find(const char *name);
/* In alphabetical order; NULL past the end. */
const struct profile *profile_at(size_t index);
/* The installed profile nearest to a misspelt name, or NULL. */
const char *profile_near(const char *name);
