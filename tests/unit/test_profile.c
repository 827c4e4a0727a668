// SPDX-License-Identifier: MIT
/* The profiles that were read when cordon was built: each is what the reader makes of its text. */
#include <string.h>

#include "policy/read/reader.h"
#include "sources/profile.h"
#include "tap.h"

static bool
is_same_text(const char *one, const char *other)
{
	return one == NULL || other == NULL ? one == other : strcmp(one, other) == 0;
}

static bool
is_same_place(const struct srcpos *one, const struct srcpos *other)
{
	return one->line == other->line && one->column == other->column &&
	       is_same_text(one->file, other->file);
}

static bool
has_same_words(const struct words *one, const struct words *other)
{
	for (size_t i = 0; one->count == other->count && i < one->count; i++)
		if (!is_same_text(one->items[i].text, other->items[i].text) ||
		    !is_same_place(&one->items[i].srcpos, &other->items[i].srcpos))
			return false;
	return one->count == other->count;
}

static bool
is_same_rule(const struct rule *one, const struct rule *other)
{
	return one->effect == other->effect && one->rights == other->rights &&
	       one->match == other->match && one->list == other->list &&
	       is_same_text(one->path, other->path) && is_same_text(one->why, other->why) &&
	       one->worktrees == other->worktrees && one->implied == other->implied &&
	       one->skips_missing == other->skips_missing &&
	       is_same_place(&one->srcpos, &other->srcpos);
}

static void
check_values(const struct policy *made, const struct policy *parsed)
{
	check(made->has_extends == parsed->has_extends);
	check(made->has_default == parsed->has_default);
	check(made->default_rights == parsed->default_rights);
	check(is_same_place(&made->default_srcpos, &parsed->default_srcpos));
	check(made->network.mode == parsed->network.mode);
	check(is_same_place(&made->network.srcpos, &parsed->network.srcpos));
	check(made->env.mode == parsed->env.mode);
	check(is_same_place(&made->env.srcpos, &parsed->env.srcpos));
	check(made->tmp == parsed->tmp);
	check(is_same_place(&made->tmp_srcpos, &parsed->tmp_srcpos));
	check(made->system == parsed->system && made->dialect == parsed->dialect);
}

static void
check_lists(const struct policy *made, const struct policy *parsed)
{
	check(has_same_words(&made->extends, &parsed->extends));
	check(has_same_words(&made->network.domains, &parsed->network.domains));
	check(has_same_words(&made->sockets, &parsed->sockets));
	check(has_same_words(&made->env.allow, &parsed->env.allow));
	check(has_same_words(&made->accept, &parsed->accept));
	check_int((int)made->network.ports.count, (int)parsed->network.ports.count);
	for (size_t i = 0; i < parsed->network.ports.count; i++)
		check_int(made->network.ports.items[i].number,
			  parsed->network.ports.items[i].number);
	check_int((int)made->env.set_count, (int)parsed->env.set_count);
	for (size_t i = 0; i < parsed->env.set_count; i++)
		check(is_same_text(made->env.set[i].name, parsed->env.set[i].name) &&
		      is_same_text(made->env.set[i].value, parsed->env.set[i].value) &&
		      is_same_place(&made->env.set[i].srcpos, &parsed->env.set[i].srcpos));
	check_int((int)made->rule_count, (int)parsed->rule_count);
	for (size_t i = 0; i < parsed->rule_count; i++)
		check(made->rules[i].optional && is_same_rule(&made->rules[i], &parsed->rules[i]));
}

static void
a_profile_made_at_build_time_is_what_the_reader_makes(void)
{
	const struct profile *profile;

	for (size_t i = 0; (profile = profile_at(i)) != NULL; i++) {
		for (int system = SYSTEM_LINUX; system <= SYSTEM_MACOS; system++) {
			const struct reading_as as = {.dialect = DIALECT_NATIVE,
						      .system = (enum system)system};
			auto_policy struct policy *made = NULL, *parsed = NULL;

			check_int(profile_read(profile, &as, &made, NULL), 0);
			check_int(policy_read(made->file, profile->text, strlen(profile->text), &as,
					      &parsed, NULL),
				  0);
			check_values(made, parsed);
			check_lists(made, parsed);
		}
	}
}

int
main(void)
{
	run(a_profile_made_at_build_time_is_what_the_reader_makes);
	return tap_end();
}
