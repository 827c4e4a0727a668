// SPDX-License-Identifier: MIT
/*
 * The starter policy: what it suggests follows from the names in the project's root, it is read
 * back without an error, and there is nothing in it that the linter would warn about.
 */
#include "explain/starter.h"

#include <stdlib.h>

#include "explain/lint/lint.h"
#include "fakefs.h"
#include "policy/read/reader.h"
#include "tap.h"

static const struct fake_entry empty[] = {
	{"/home/u/p/README", FS_FILE, NULL},
	{NULL, FS_MISSING, NULL},
};
static const struct fake_entry full[] = {
	{"/home/u/p/.git", FS_DIR, NULL},
	{"/home/u/p/pnpm-lock.yaml", FS_FILE, NULL},
	{"/home/u/p/uv.lock", FS_LINK, "../uv.lock"},
	{"/home/u/p/Cargo.toml", FS_FILE, NULL},
	{"/home/u/p/go.mod", FS_FILE, NULL},
	{"/home/u/p/build.gradle.kts", FS_FILE, NULL},
	{"/home/u/p/Makefile", FS_FILE, NULL},
	{"/home/u/p/playwright.config.ts", FS_FILE, NULL},
	{"/home/u/p/.env", FS_FILE, NULL},
	{"/home/u/p/.env.local", FS_FILE, NULL},
	{"/home/u/p/.env.example", FS_FILE, NULL},
	{NULL, FS_MISSING, NULL},
};
static const struct fake_entry below[] = {
	{"/home/u/p/sub/package.json", FS_FILE, NULL},
	{"/home/u/p/sub/.env", FS_FILE, NULL},
	{"/home/u/package.json", FS_FILE, NULL},
	{"/home/u/p/go.mod", FS_HIDDEN, NULL},
	{NULL, FS_MISSING, NULL},
};

static struct host
host_of(const struct fs_view *view)
{
	return (struct host){.home = "/home/u",
			     .cwd = "/home/u/p",
			     .project = "/home/u/p",
			     .view = view};
}

/* To be freed; "" on failure. */
static char *
starter_of(const struct fake_entry *entries)
{
	const struct fs_view view = fake_fs(entries);
	const struct host host = host_of(&view);
	const struct plan plan = {.host = &host};
	auto_str struct str text = {0};
	struct cordon_error err = {0};
	char *result = NULL;

	check_int(starter_make(&plan, &text, &err), 0);
	return str_finish(&text, &result, &err) == 0 ? result : calloc(1, 1);
}

static struct policy *
policy_of(const char *text)
{
	const struct reading_as as = {DIALECT_ANY, NULL, SYSTEM_LINUX, COMMAND_RUN};
	struct cordon_error err = {0};
	struct policy *policy = NULL;

	if (policy_read(".cordon.json", text, strlen(text), &as, &policy, &err) == 0)
		return policy;
	printf("# %s\n", err.text);
	tap.failed_checks++;
	return policy_new("failed", NULL);
}

static bool
extends(const struct policy *policy, const char *name)
{
	for (size_t i = 0; i < policy->extends.count; i++)
		if (strcmp(policy->extends.items[i].text, name) == 0)
			return true;
	return false;
}

static bool
denies(const struct policy *policy, const char *path)
{
	for (size_t i = 0; i < policy->rule_count; i++)
		if (policy->rules[i].effect == EFFECT_DENY &&
		    strcmp(policy->rules[i].path, path) == 0)
			return true;
	return false;
}

static void
every_name_suggests_its_profile(void)
{
	static const struct {
		const char *name, *profile;
	} rows[] = {
		{".git", "git"},
		{"package.json", "node"},
		{"package-lock.json", "node"},
		{"pnpm-lock.yaml", "node"},
		{"yarn.lock", "node"},
		{"bun.lockb", "node"},
		{"Cargo.toml", "rust"},
		{"go.mod", "go"},
		{"pyproject.toml", "python"},
		{"requirements.txt", "python"},
		{"setup.py", "python"},
		{"uv.lock", "python"},
		{"poetry.lock", "python"},
		{"pom.xml", "java"},
		{"build.gradle", "java"},
		{"build.gradle.kts", "java"},
		{"CMakeLists.txt", "c"},
		{"meson.build", "c"},
		{"configure.ac", "c"},
		{"Makefile", "c"},
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		char path[64], reason[64];
		const struct fake_entry entries[] = {{path, FS_FILE, NULL}, {0}};

		snprintf(path, sizeof path, "/home/u/p/%s", rows[i].name);
		snprintf(reason, sizeof reason, "\"%s\", // %s is here", rows[i].profile,
			 rows[i].name);
		auto_free char *text = starter_of(entries);
		auto_policy struct policy *policy = policy_of(text);

		check_int(policy->extends.count, 1);
		check(extends(policy, rows[i].profile));
		check(strstr(text, reason) != NULL);
	}
}

static void
each_profile_is_suggested_once(void)
{
	auto_free char *text = starter_of(full);
	auto_policy struct policy *policy = policy_of(text);
	static const char *const names[] = {"git", "node", "python", "rust",
					    "go",  "java", "c",	     "browser"};

	check_int(policy->extends.count, sizeof names / sizeof names[0]);
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		check(extends(policy, names[i]));
}

static void
without_a_finding_the_default_is_kept(void)
{
	auto_free char *text = starter_of(empty);
	auto_policy struct policy *policy = policy_of(text);

	/* present and empty it would mean: start from nothing */
	check(!policy->has_extends);
	check_int(policy->rule_count, 0);
}

static void
only_the_root_of_the_project_counts(void)
{
	auto_free char *text = starter_of(below);
	auto_policy struct policy *policy = policy_of(text);

	check(!policy->has_extends);
	check_int(policy->rule_count, 0);
}

static void
env_files_are_denied_when_they_exist(void)
{
	auto_free char *text = starter_of(full);
	auto_policy struct policy *policy = policy_of(text);

	check(denies(policy, "$PROJECT/.env"));
	check(denies(policy, "$PROJECT/.env.local"));
	check(!denies(policy, "$PROJECT/.env.example"));
	check_int(policy->rule_count, 2);
}

static void
only_profiles_are_requested(void)
{
	auto_free char *text = starter_of(full);
	auto_policy struct policy *policy = policy_of(text);

	check_int(policy->network.mode, NET_UNSET);
	check_int(policy->env.allow.count + policy->env.set_count + policy->sockets.count, 0);
	check_int(policy->accept.count, 0);
	check(!policy->has_default);
	for (size_t i = 0; i < policy->rule_count; i++)
		check_int(policy->rules[i].effect, EFFECT_DENY);
}

/* The text with every suggestion taken: "// " before a key or a value is dropped. */
static char *
uncommented(const char *text)
{
	char *copy = calloc(1, strlen(text) + 1), *to = copy;

	while (*text != '\0') {
		if (strncmp(text, "// \"", 4) == 0)
			text += 3;
		*to++ = *text++;
	}
	return copy;
}

static void
suggestions_are_valid_policies(void)
{
	auto_free char *text = starter_of(full), *taken = uncommented(text);
	auto_policy struct policy *policy = policy_of(taken);
	auto_free char *bare_text = starter_of(empty), *bare_taken = uncommented(bare_text);
	auto_policy struct policy *bare = policy_of(bare_taken);

	check_int(policy->network.mode, NET_DOMAINS);
	check_int(policy->network.domains.count, 2);
	check(extends(policy, "ssh"));
	check(policy->limits[LIMIT_TIME].value > 0);
	check_int(policy->env.set_count, 1);
	check_int(bare->network.domains.count, 2);
	check(denies(bare, "$PROJECT/.env"));
}

static void
it_mentions_trust(void)
{
	auto_free char *text = starter_of(empty);

	check(strstr(text, "`cordon trust`") != NULL);
}

static int
lint_warnings(const char *text, bool trusted)
{
	const struct fs_view view = fake_fs(full);
	const struct host host = host_of(&view);
	const struct stack_text inline_text = {text, "--policy-json"};
	struct stack_input input = {.system = SYSTEM_LINUX, .project = "/home/u/p"};
	const struct facts facts = {0};
	auto_plan struct plan *plan = NULL;
	struct stack *stack = NULL;
	struct findings findings = {0};
	struct cordon_error err = {0};
	int warnings = 0;

	/* trusted, it speaks like any other text; else it is the project's own */
	if (trusted)
		input.texts = &inline_text, input.text_count = 1;
	if (layers_load(&input, &stack, &err) == 0 && !trusted)
		stack->project = policy_of(text);
	if (stack == NULL || plan_make(&host, &facts, stack, NULL, &plan, &err) < 0 ||
	    lint_plan(plan, &findings, &err) < 0) {
		printf("# %s\n", err.text);
		return -1;
	}
	for (size_t i = 0; i < findings.count; i++) {
		if (findings.items[i].severity != LINT_WARNING)
			continue;
		printf("# %s\n", findings.items[i].text);
		warnings++;
	}
	return warnings;
}

static void
the_linter_has_no_warning(void)
{
	auto_free char *text = starter_of(full);

	check_int(lint_warnings(text, false), 0);
	check_int(lint_warnings(text, true), 0);
	/* and would have one */
	check_int(lint_warnings("{\"files\": {\"read\": [\"/\"]}}", true), 1);
}

int
main(void)
{
	run(every_name_suggests_its_profile);
	run(each_profile_is_suggested_once);
	run(without_a_finding_the_default_is_kept);
	run(only_the_root_of_the_project_counts);
	run(env_files_are_denied_when_they_exist);
	run(only_profiles_are_requested);
	run(suggestions_are_valid_policies);
	run(it_mentions_trust);
	run(the_linter_has_no_warning);
	return tap_end();
}
