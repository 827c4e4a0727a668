/* SPDX-License-Identifier: MIT */
/*
 * The built-in profiles. They are data files (profiles/), compiled in so that a start reads no file
 * and no other user can change them. The installed copies are documentation.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct cordon_error;
struct policy;
struct reading_as;

struct profile {
	const char *name;
	const char *text;
};

/* NULL if no profile has that name. */
const struct profile *profile_find(const char *name);
/* In alphabetical order; NULL past the end. */
const struct profile *profile_at(size_t index);
/*
 * Makes the profile's policy. For the system of this program it was read when cordon was built; for
 * another one its text is read.
 */
int profile_read(const struct profile *profile, const struct reading_as *as,
		 struct policy **ret_policy, struct cordon_error *err);
/* Does it have "extends"? Then it replaces the default base instead of being added to it. */
bool profile_is_base(const struct profile *profile);
/* Returns the profile nearest to a misspelt name, or NULL. */
const char *profile_nearest(const char *name);
