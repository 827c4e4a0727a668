// SPDX-License-Identifier: MIT
/* Which names run by themselves later, and the table of those that were touched. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "audit/autorun_changes.h"
#include "audit/autorun_names.h"
#include "tap.h"

static bool
is_later(const char *path)
{
	bool is_exact;

	return autorun_names_find(path, &is_exact) != NULL;
}

static void
names_of_all_kinds(void)
{
	static const char *const yes[] = {
		"/p/.hg/hgrc",
		"/p/.git/lazygit.yml",
		"/p/.kiro/steering/a.md",
		"/p/.qwen/PROJECT_SUMMARY.md",
		"/p/.agents/skills/a/SKILL.md",
		"/p/.clinerules",
		"/p/.clinerules/a.md",
		"/p/.bundle/config",
		"/p/mise.local.toml",
		"/p/.config/mise/config.toml",
		"/p/.tool-versions",
		"/p/.bazeliskrc",
		"/p/ansible.cfg",
		"/p/.Rprofile",
		"/p/.prettierrc.json",
		"/p/phpunit.xml.dist",
		"/p/Directory.Build.props",
		"/p/.github/agents/a.agent.md",
		"/p/.gemini/settings.json",
		"/p/.qwen/settings.json",
		"/p/crush.json",
		"/p/.helix/languages.toml",
		"/p/.mocharc.cjs",
		"/p/tools/bazel",
		"/p/main.tf",
		"/p/Makefile",
		"/p/makefile",
		"/p/a/b.mk",
		"/p/MAKEFILE.am",
		"/p/vite.config.ts",
		"/p/Dockerfile",
		"/p/Dockerfile.dev",
		"/p/x.Dockerfile",
		"/p/.github/workflows/a.yml",
		"/p/.GitHub/Workflows/deep/a.yml",
		"/p/.github/workflows",
		"/p/.github",
		"/p/sub/.husky/pre-commit",
		"/p/.cargo/config.toml",
		"/p/build.gradle.kts",
		"/p/.gitlab-ci.yml",
		"/Makefile",
	};
	static const char *const no[] = {
		"/p/Makefiles",
		"/p/amake",
		"/p/.githubs/workflows/a",
		"/p/.helixir/a",
		"/p/bazel-out",
		"/p/x.tfx",
		"/p/mk",
		"/p/x.mkv",
		"/p/.github/CODEOWNERS",
		"/p/.nvmrc",
		"/p/.python-version",
		"/p/.bundled",
		"/p/.pip",
		"/p/.git",
		"/p/.husk",
		"/p/Makefile/x",
		"/p/.",
		"/p/x.json",
		"/p/.config/other",
		"/",
		"/p/github/workflows/a.yml",
	};

	for (size_t i = 0; i < sizeof yes / sizeof yes[0]; i++)
		if (!is_later(yes[i]))
			check_str(yes[i], "a name that runs later");
	for (size_t i = 0; i < sizeof no / sizeof no[0]; i++)
		if (is_later(no[i]))
			check_str(no[i], "a name that does not");
	check(is_later(yes[0]));
}

struct event_source {
	unsigned count;
	char first[64], last[64];
};

static void
hear(void *sink, const struct autorun_change *change)
{
	struct event_source *told = sink;

	snprintf(told->last, sizeof told->last, "%s %s", change->what, change->path);
	if (told->count++ == 0)
		memcpy(told->first, told->last, sizeof told->first);
}

static const struct stat a_file = {.st_mode = S_IFREG};

/* As many names that are not there now. */
static void
note_many(struct autorun_changes *changed, int count, const char *folder, const struct stat *at)
{
	char path[64];

	for (int i = 0; i < count; i++) {
		snprintf(path, sizeof path, "%s/%d.mk", folder, i);
		autorun_changes_note(changed, path, at);
		autorun_changes_note(changed, path, at);
	}
}

static void
shallow_names_replace_deep_ones(void)
{
	struct autorun_changes *changed = NULL;
	struct event_source told = {0};

	check_int(autorun_changes_new(&changed, NULL), 0);
	note_many(changed, 5000, "/nowhere/a/b", NULL);
	check_int(changed->count, CHANGED_MAX);
	note_many(changed, 4096, "/nowhere", NULL);
	autorun_changes_note(changed, "/nowhere/Makefile", &a_file);
	autorun_changes_note(changed, "/nowhere/a.txt", NULL);
	check_int(changed->count, CHANGED_MAX);
	check(changed->more > 4700 && changed->more <= 5001);
	/* of all of these only what was there is gone */
	check(autorun_changes_tell(changed, 10, hear, &told) == changed->more);
	check_int(told.count, 1);
	check_str(told.first, "removed /nowhere/Makefile");
	check(autorun_changes_free(changed) == NULL);
}

static void
removed_files_free_their_entries(void)
{
	struct autorun_changes *changed = NULL;
	struct event_source told = {0};

	check_int(autorun_changes_new(&changed, NULL), 0);
	for (int i = 0; i < 20; i++) {
		note_many(changed, 4000, i % 2 == 0 ? "/nowhere" : "/nowhere/else",
			  i % 2 == 0 ? NULL : &a_file);
		check(changed->is_crowded);
		autorun_changes_tidy(changed);
		check(!changed->is_crowded);
	}
	check_int(changed->count, 0);
	autorun_changes_note(changed, "/nowhere/far/down/build.rs", &a_file);
	autorun_changes_tidy(changed);
	check(autorun_changes_tell(changed, 10, hear, &told) == changed->more);
	check_str(told.last, "removed /nowhere/far/down/build.rs");
	/* what came and went is no news, what was there and lost its place is counted */
	check(changed->more > 3800 && changed->more <= 4000);
	check(autorun_changes_free(changed) == NULL);
}

static void
long_names_fill_the_table_too(void)
{
	struct autorun_changes *changed = NULL;
	char path[PATH_MAX];

	check_int(autorun_changes_new(&changed, NULL), 0);
	for (int i = 0; i < 1000; i++) {
		snprintf(path, sizeof path, "/%03d%0*d.mk", i, 4000, i);
		autorun_changes_note(changed, path, NULL);
	}
	check(changed->count > 100 && changed->used <= CHANGED_TEXT);
	check(changed->count + changed->more > 980);
	autorun_changes_note(changed, "/Makefile", NULL);
	check_str(changed->texts + changed->files[changed->count - 1].text, "/Makefile");
	autorun_changes_tidy(changed);
	check_int(changed->used, 0);
	check(autorun_changes_free(changed) == NULL);
}

int
main(void)
{
	run(names_of_all_kinds);
	run(shallow_names_replace_deep_ones);
	run(removed_files_free_their_entries);
	run(long_names_fill_the_table_too);
	return tap_end();
}
