// SPDX-License-Identifier: MIT
/*
 * A profile is compiled before fork, by libsandbox, and the child only hands over bytes. A compiler that is
 * made up lacks symbols, as old releases do: what is left out then, and what is refused.
 */
#include "fakemac.h"

#include <malloc.h>

#include "enforce/enforce.h"
#include "enforce/session_group.h"
#include "macos/process/fingerprint.h"
#include "tap.h"
#include "world.h"

struct compile_case {
	struct world world;
	struct plan *plan;
	struct sandbox *sandbox;
	struct fingerprint pair;
	struct session_group group;
	struct cordon_error err;
};

/* Returns the status of compiling a policy where the system does not know these words. */
static int
compile_with(struct compile_case *c, const char *policy, const char *unknown, const char *other)
{
	const struct sandbox_options options = {.id = "00112233445566aa"};

	*c = (struct compile_case){.plan = NULL};
	fake_reset();
	fake.has_library = true;
	fake.unknown[0] = unknown;
	fake.unknown[1] = other;
	world_make(&c->world);
	c->world.host.system = c->world.facts.system = SYSTEM_MACOS;
	for (int i = 0; i < FACT_COUNT; i++)
		c->world.facts.values[i] = i == FACT_SEATBELT;
	c->plan = world_plan(&c->world, (struct said){.user = policy});
	return enforce_compile(c->plan, &options, &c->sandbox, &c->err);
}

static void
apply(struct compile_case *c)
{
	enforce_fingerprint(c->sandbox, &c->group);
	check(fingerprint_at(c->group.path, &c->pair));
	fake.allowed = c->pair.allowed;
	fake.denied = c->pair.denied;
	*fake.log = '\0';
	check_int(enforce_apply(c->sandbox, &c->err), fake.init_result < 0 ? -CORDON_E_SYSTEM : 0);
}

static void
clear(struct compile_case *c)
{
	fake.self_sandbox = 0;
	enforce_free(c->sandbox);
	if (c->group.kind != GROUP_NONE)
		check_int(session_group_remove(&c->group), 0);
	plan_free(c->plan);
	world_free(&c->world);
	/* nothing of libsandbox is left */
	check_int(fake.compiled, 0);
	check_int(fake.params, 0);
}

static void
a_profile_is_compiled_before_fork_and_applied_without_allocating(void)
{
	struct compile_case c;
	struct mallinfo2 before, after;

	check_int(compile_with(&c, "{}", NULL, NULL), 0);
	check_str(fake.log, "compile ");
	check_int(fake.self_sandbox, 0);
	before = mallinfo2();
	apply(&c);
	after = mallinfo2();
	check_str(fake.log, "apply ");
	check(before.uordblks == after.uordblks && before.fordblks == after.fordblks);
	check(strstr(fake.profile, "(deny default") != NULL);
	check_str(fake.pairs[0], "P0");
	clear(&c);
}

static void
a_session_inside_a_sandbox_is_refused_by_the_system(void)
{
	struct compile_case c;

	check_int(compile_with(&c, "{}", NULL, NULL), 0);
	fake.init_result = -1;
	fake.init_errno = EPERM;
	apply(&c);
	check_str(c.err.text, "Seatbelt refused the profile: Operation not permitted");
	clear(&c);
}

static void
an_unknown_allow_is_left_out_and_the_rest_stays(void)
{
	static char whole[sizeof fake.profile];
	struct compile_case c;
	const char *gone;

	check_int(compile_with(&c, "{}", NULL, NULL), 0);
	apply(&c);
	strcpy(whole, fake.profile);
	clear(&c);
	check_int(compile_with(&c, "{}", "iokit-open", "sysctl-write"), 0);
	apply(&c);
	check(strstr(whole, "(allow iokit-open ") != NULL);
	check(strstr(whole, "(allow sysctl-write ") != NULL);
	check(strstr(fake.profile, "iokit-open") == NULL);
	check(strstr(fake.profile, "sysctl-write") == NULL);
	/* without those three lines they are the same */
	while ((gone = strstr(whole, "(allow iokit-open ")) != NULL ||
	       (gone = strstr(whole, "(allow sysctl-write ")) != NULL) {
		const char *end = strchr(gone, '\n') + 1;

		memmove(whole + (gone - whole), end, strlen(end) + 1);
	}
	check_str(fake.profile, whole);
	clear(&c);
}

/* One of several operations of a line. */
static void
an_unknown_operation_costs_no_other(void)
{
	struct compile_case c;

	check_int(compile_with(&c,
			       "{\"extends\": [], \"files\": {\"read\": [\"/usr\"]}, "
			       "\"accept\": [\"files.read\", \"files.carveout\", "
			       "\"process.control\"]}",
			       "file-test-existence", NULL),
		  0);
	apply(&c);
	check(strstr(fake.profile, "file-test-existence") == NULL);
	check(strstr(fake.profile, "(allow file-read-data") != NULL);
	check(strstr(fake.profile, "(allow file-map-executable") != NULL);
	check(strstr(fake.profile, "(allow file-read-metadata") != NULL);
	clear(&c);
}

static void
an_unknown_deny_is_a_gap_with_the_name_of_its_guarantee(void)
{
	static const struct {
		const char *unknown, *says, *accepting;
	} cases[] = {
		{"file-clone",
		 "files.carveout cannot be enforced here: this macOS does not know file-clone; "
		 "or --accept files.carveout",
		 "{\"accept\": [\"files.carveout\"]}"},
		{"job-creation",
		 "process.tree cannot be enforced here: this macOS does not know job-creation; "
		 "or --accept process.tree",
		 "{\"accept\": [\"process.tree\"]}"},
		{"2147578994",
		 "terminal.inject cannot be enforced here: this macOS does not know file-ioctl; "
		 "or --accept terminal.inject",
		 "{\"accept\": [\"terminal.inject\"]}"},
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct compile_case c;

		check_int(compile_with(&c, "{}", cases[i].unknown, NULL), -CORDON_E_GAP);
		check_str(c.err.text, cases[i].says);
		check(c.sandbox == NULL);
		clear(&c);
		check_int(compile_with(&c, cases[i].accepting, cases[i].unknown, NULL), 0);
		apply(&c);
		check(strstr(fake.profile, cases[i].unknown) == NULL);
		clear(&c);
	}
}

/* Not a line is unknown then, so none may be left out. */
static void
a_default_that_does_not_compile_is_an_error(void)
{
	struct compile_case c;

	check_int(compile_with(&c, "{}", "default", NULL), -CORDON_E_SYSTEM);
	check_str(c.err.text, "Seatbelt refused the profile: unbound variable: default");
	clear(&c);
}

static void
without_libsandbox_the_text_is_handed_over(void)
{
	struct compile_case c;
	const struct sandbox_options options = {.id = "00112233445566aa"};

	check_int(compile_with(&c, "{}", NULL, NULL), 0);
	c.sandbox = enforce_free(c.sandbox);
	fake.lacks_function = "sandbox_apply";
	check_int(enforce_compile(c.plan, &options, &c.sandbox, &c.err), 0);
	apply(&c);
	check_str(fake.log, "init ");
	clear(&c);
}

int
main(void)
{
	run(a_profile_is_compiled_before_fork_and_applied_without_allocating);
	run(a_session_inside_a_sandbox_is_refused_by_the_system);
	run(an_unknown_allow_is_left_out_and_the_rest_stays);
	run(an_unknown_operation_costs_no_other);
	run(an_unknown_deny_is_a_gap_with_the_name_of_its_guarantee);
	run(a_default_that_does_not_compile_is_an_error);
	run(without_libsandbox_the_text_is_handed_over);
	return tap_end();
}
