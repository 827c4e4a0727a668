// SPDX-License-Identifier: MIT
/* Lookup in the table that tools/embed generates from profiles/. */
#include "sources/profile.h"

#include <string.h>

#include "base/array.h"
#include "base/str.h"

static const struct profile profiles[] = {
#include "profiles.inc"
};

const struct profile *
profile_find(const char *name)
{
	for (size_t i = 0; i < COUNT(profiles); i++)
		if (strcmp(profiles[i].name, name) == 0)
			return &profiles[i];
	return NULL;
}

const struct profile *
profile_at(size_t index)
{
	return index < COUNT(profiles) ? &profiles[index] : NULL;
}

bool
profile_is_base(const struct profile *profile)
{
	/* in our own files the word occurs only as the key */
	return strstr(profile->text, "\"extends\":") != NULL;
}

const char *
profile_near(const char *name)
{
	const char *names[COUNT(profiles)];

	for (size_t i = 0; i < COUNT(profiles); i++)
		names[i] = profiles[i].name;
	return str_nearest_word(name, names, COUNT(profiles));
}
