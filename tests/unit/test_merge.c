// SPDX-License-Identifier: MIT
/* Adding up lists: what is there twice, which of the two stays, in which order, and how fast. */
#include "sources/merge.h"

#include <stdlib.h>
#include <time.h>

#include "base/str.h"
#include "policy/read/reader.h"
#include "tap.h"

static struct policy *
policy_of(const char *text)
{
	const struct reading_as as = {.dialect = DIALECT_NATIVE, .system = SYSTEM_LINUX};
	struct cordon_error err = {0};
	struct policy *policy = NULL;

	if (policy_read("f", text, strlen(text), &as, &policy, &err) == 0)
		return policy;
	printf("Bail out! %s\n", err.text);
	exit(1);
}

static struct settings
merged(struct arena *arena, struct policy *first, struct policy *second)
{
	struct stack_entry entries[] = {{.policy = first, .layer = LAYER_SYSTEM},
					{.policy = second, .layer = LAYER_USER}};
	struct stack stack = {.entries = entries, .count = 2};
	struct settings settings = {0};
	struct cordon_error err = {0};

	check_int(merge_settings(arena, &stack, &settings, &err), 0);
	return settings;
}

static void
check_words(const struct words *words, const char *expected)
{
	auto_str struct str all = {0};

	for (size_t i = 0; i < words->count; i++)
		str_printf(&all, "%s:%u ", words->items[i].text, words->items[i].srcpos.line);
	check_str(all.text == NULL ? "" : all.text, expected);
}

static void
the_first_of_equal_entries_keeps_its_position(void)
{
	auto_arena struct arena arena = {0};
	auto_policy struct policy *outer = policy_of(
		"{\"network\": {\"domains\": [\"z.org\", \"a.org\",\n\"m.org\", \"a.org\"]},"
		"\"sockets\": [\"x11\", \"docker\"], \"env\": {\"allow\": [\"B\", \"A\"]}}");
	auto_policy struct policy *inner = policy_of(
		"{\"network\": {\"domains\": [\"m.org\",\n\n\"b.org\", \"z.org\"]},"
		"\"sockets\": [\"docker\", \"x11\"], \"env\": {\"allow\": [\"A\", \"C\", \"B\"]}}");
	struct settings settings = merged(&arena, outer, inner);

	check_words(&settings.network.domains, "z.org:1 a.org:1 m.org:2 b.org:3 ");
	check_words(&settings.sockets, "x11:2 docker:2 ");
	check_words(&settings.env.allow, "B:2 A:2 C:3 ");
	check_words(&settings.network.private_ranges, "");
}

static void
the_last_value_of_a_variable_holds(void)
{
	auto_arena struct arena arena = {0};
	auto_policy struct policy *outer =
		policy_of("{\"env\": {\"set\": {\"Z\": \"1\", \"A\": \"2\"}},"
			  "\"linux\": {\"env\": {\"set\": {\"Z\": \"3\"}}}}");
	auto_policy struct policy *inner =
		policy_of("{\"env\": {\"set\": {\"B\": \"4\", \"Z\": \"5\"}}}");
	struct settings settings = merged(&arena, outer, inner);
	const struct environment *env = &settings.env;

	check_int(env->set_count, 3);
	if (env->set_count != 3)
		return;
	check_str(env->set[0].name, "Z");
	check_str(env->set[0].value, "5");
	check_str(env->set[1].name, "A");
	check_str(env->set[1].value, "2");
	check_str(env->set[2].name, "B");
}

static void
ports_are_merged_without_duplicates(void)
{
	auto_arena struct arena arena = {0};
	auto_policy struct policy *outer = policy_of("{\"network\": {\"opaque\": [9]}}");
	auto_policy struct policy *inner = policy_of(
		"{\"network\": {\"ports\": [65535, 1, 9, 65535, 1], \"opaque\": [1, 9]}}");
	struct settings usual = merged(&arena, outer, outer);
	struct settings chosen = merged(&arena, outer, inner);

	check_int(usual.network.ports.count, 2);
	check_int(usual.network.ports.items[0].number, 80);
	check_int(usual.network.ports.items[1].number, 443);
	check_int(chosen.network.ports.count, 3);
	check_int(chosen.network.ports.items[0].number, 65535);
	check_int(chosen.network.ports.items[2].number, 9);
	/* these add up, and open none */
	check_int(usual.network.opaque.count, 1);
	check_int(chosen.network.opaque.count, 2);
}

/* 100,000 take seconds when each is looked for among all, and milliseconds when not. */
static void
long_lists_are_quick(void)
{
	auto_arena struct arena arena = {0};
	auto_str struct str text = {0};
	auto_policy struct policy *many = NULL, *none = policy_of("{}");
	struct settings settings;
	clock_t start;

	str_add(&text, "{\"network\": {\"domains\": [");
	for (int i = 0; i < 100000; i++)
		str_printf(&text, "\"h%d.example.org\",", i);
	str_add(&text, "]}}");
	many = policy_of(text.text);
	start = clock();
	settings = merged(&arena, none, many);
	check((clock() - start) / CLOCKS_PER_SEC < 2);
	check_int(settings.network.domains.count, 100000);
	check_str(settings.network.domains.items[99999].text, "h99999.example.org");
}

int
main(void)
{
	run(the_first_of_equal_entries_keeps_its_position);
	run(the_last_value_of_a_variable_holds);
	run(ports_are_merged_without_duplicates);
	run(long_lists_are_quick);
	return tap_end();
}
