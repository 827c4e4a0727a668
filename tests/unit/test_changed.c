// SPDX-License-Identifier: MIT
/* Which names run by themselves later, and the table of those that were touched. */
#include <stdio.h>
#include <string.h>

#include "audit/changed.h"
#include "audit/later.h"
#include "tap.h"

static bool
is_later(const char *path)
{
	bool is_exact;

	return later_find(path, &is_exact) != NULL;
}

static void
names_of_all_kinds(void)
{
	static const char *const yes[] = {
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
		"/p/mk",
		"/p/x.mkv",
		"/p/.github/CODEOWNERS",
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

static void
near_names_take_the_places_of_far_ones(void)
{
	struct changed *changed = NULL;
	struct change change;
	unsigned at = 0;
	char path[64];

	check_int(changed_new(&changed, NULL), 0);
	for (int i = 0; i < 1000; i++) {
		snprintf(path, sizeof path, "/nowhere/a/b/%d.mk", i);
		changed_note(changed, path, NULL);
		changed_note(changed, path, NULL);
	}
	/* as many of its own kind, which were not there */
	for (unsigned i = 0; i < 256; i++) {
		strcpy(path, "/nowhere/makefile");
		for (unsigned k = 0; k < 8; k++)
			path[9 + k] = (char)(path[9 + k] - (i >> k & 1 ? 32 : 0));
		if (strcmp(path, "/nowhere/Makefile") != 0)
			changed_note(changed, path, NULL);
	}
	changed_note(changed, "/nowhere/Makefile", &(struct stat){.st_mode = S_IFREG});
	changed_note(changed, "/nowhere/a.txt", NULL);
	check_int(changed->count, CHANGED_MAX);
	check(changed->more > 1150 && changed->more <= 1192);
	/* of all of these only what was there is gone */
	check(changed_next(changed, &at, &change));
	check_str(change.path, "/nowhere/Makefile");
	check_str(change.what, "removed");
	check(!changed_next(changed, &at, &change));
	check(changed_free(changed) == NULL);
}

int
main(void)
{
	run(names_of_all_kinds);
	run(near_names_take_the_places_of_far_ones);
	return tap_end();
}
