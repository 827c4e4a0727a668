// SPDX-License-Identifier: MIT
/* The tables that tools/embed and tools/make-profiles generate from profiles/. */
#include "sources/profile.h"

#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/str.h"
#include "policy/read/reader.h"
#include "sources/profile_form.h"

#include "profile_forms.inc"

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

static const struct profile_forms tables = {form_texts, form_rules, form_words};
_Static_assert(COUNT(forms) == COUNT(profiles), "every profile has a form");

/* Rules of profiles are optional: paths that are missing on this machine are skipped. */
static void
make_optional(struct policy *policy)
{
	for (size_t i = 0; i < policy->rule_count; i++)
		policy->rules[i].optional = true;
}

int
profile_read(const struct profile *profile, const struct reading_as *as, struct policy **ret_policy,
	     struct cordon_error *err)
{
	char file[40];
	int rc;

	snprintf(file, sizeof file, "profile %.30s", profile->name);
	if (as->system == FORMS_SYSTEM)
		rc = profile_form_expand(&tables, &forms[profile - profiles], file, as->system,
					 ret_policy, err);
	else
		rc = policy_read(file, profile->text, strlen(profile->text), as, ret_policy, err);
	if (rc == 0)
		make_optional(*ret_policy);
	return rc;
}

bool
profile_is_base(const struct profile *profile)
{
	/* in our own files the word occurs only as the key */
	return strstr(profile->text, "\"extends\":") != NULL;
}

const char *
profile_nearest(const char *name)
{
	const char *names[COUNT(profiles)];

	for (size_t i = 0; i < COUNT(profiles); i++)
		names[i] = profiles[i].name;
	return str_nearest_word(name, names, COUNT(profiles));
}
