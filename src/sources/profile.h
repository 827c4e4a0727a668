/* SPDX-License-Identifier: MIT */
/*
 * The profiles that come with the program. They are data files (profiles/), compiled in so that a
 * start reads nothing and nobody can change them under us; the installed copies are for reading.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct profile {
	const char *name;
	const char *text;
};

/* NULL if there is none of that name. */
const struct profile *profile_find(const char *name);
/* In alphabetical order; NULL past the end. */
const struct profile *profile_at(size_t index);
/* Does it say what it stands on? Then it takes the place of the default instead of adding to it. */
bool profile_is_base(const struct profile *profile);
/* The installed profile nearest to a misspelt name, or NULL. */
const char *profile_near(const char *name);
