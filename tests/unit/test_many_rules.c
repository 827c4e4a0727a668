// SPDX-License-Identifier: MIT
/*
 * Plans with so many rules that two threads load them, and that folders are held by their names in
 * others: what is granted is what was planned, and what changed since is found out wherever it is.
 */
#include "base/os.h"

#include "linux/landlock/ruleset.h"

#include <ftw.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "tap.h"

#define PARENTS 12
#define EACH 100
#define COUNT (PARENTS * EACH)

static char base[PATH_MAX / 2];

/* ---- a tree of them ---- */

static void
path_of(int number, const char *rest, char to[PATH_MAX])
{
	snprintf(to, PATH_MAX, "%s/%02d/%03d%s", base, number / EACH, number % EACH, rest);
}

static void
put_file(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	check(fd >= 0 && write(fd, "x", 1) == 1);
	close(fd);
}

static int
remove_one(const char *path, const struct stat *at, int kind, struct FTW *walk)
{
	(void)at, (void)kind, (void)walk;
	return remove(path);
}

static void
wipe(void)
{
	nftw(base, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void
make_tree(void)
{
	const char *tmp = getenv("TMPDIR");
	char made[PATH_MAX / 4], path[PATH_MAX];

	snprintf(made, sizeof made, "%.900s/many.XXXXXX", tmp == NULL ? "/tmp" : tmp);
	check(mkdtemp(made) != NULL && realpath(made, path) != NULL);
	snprintf(base, sizeof base, "%.*s", (int)sizeof base - 1, path);
	for (int i = 0; i < COUNT; i++) {
		snprintf(path, sizeof path, "%s/%02d", base, i / EACH);
		check(i % EACH != 0 || mkdir(path, 0700) == 0);
		path_of(i, "", path);
		check_int(mkdir(path, 0700), 0);
		path_of(i, "/file", path);
		put_file(path);
	}
}

/* ---- plans: every second one is granted ---- */

struct fixture {
	struct plan plan;
	struct rule rules[COUNT];
	struct ruleset_options options;
};

static struct fixture *
plan_begin(void)
{
	struct fixture *f = calloc(1, sizeof *f);
	struct cordon_error err = {0};

	check_int(enforce_probe(&f->plan.facts, &err), 0);
	f->plan.settings.network.mode = NET_ALL;
	for (int i = 0; i < COUNT * 2; i += 2) {
		struct rule *rule = &f->rules[i / 2];
		struct planned_rule planned = {.effect = EFFECT_ALLOW,
					       .rights = RIGHT_READ,
					       .match = MATCH_SUBPATH,
					       .rule = rule,
					       .layer = LAYER_USER,
					       .exists = true,
					       .is_folder = true};
		char path[PATH_MAX];

		*rule = (struct rule){.rights = RIGHT_READ, .srcpos = {"policy.json", 7, 9}};
		/* and those that are not have rules that say nothing */
		if (i >= COUNT)
			planned.rights = 0;
		path_of(i < COUNT ? i : i - COUNT + 1, "", path);
		rule->path = planned.path = planned.root =
			arena_strdup(&f->plan.index.arena, path, NULL);
		check_int(index_add(&f->plan.index, &planned, NULL), 0);
	}
	check_int(index_finish(&f->plan.index, NULL), 0);
	return f;
}

static void
plan_end(struct fixture *f)
{
	index_free(&f->plan.index);
	free(f);
}

static int
make(struct fixture *f, struct cordon_error *err)
{
	auto_fd int fd = -1;

	*err = (struct cordon_error){0};
	return ruleset_make(&f->plan, &f->options, &fd, err);
}

static bool
can_read(int number, const char *rest)
{
	char path[PATH_MAX];
	auto_fd int fd = -1;

	path_of(number, rest, path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd >= 0;
}

/* How many can be read that must be, and must not be, by a child in the ruleset. */
static int
count_wrong(struct fixture *f)
{
	struct cordon_error err = {0};
	int status = 0, fd = -1, wrong = 0;
	pid_t child;

	for (int i = 0; i < COUNT; i++)
		wrong += !can_read(i, "/file");
	check_int(wrong, 0);
	fflush(stdout);
	child = fork();
	if (child == 0) {
		if (ruleset_make(&f->plan, &f->options, &fd, &err) < 0 ||
		    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
		    ruleset_enter(fd, false, &err) < 0)
			_exit(201);
		for (int i = 0; i < COUNT; i++)
			wrong += can_read(i, "/file") != (i % 2 == 0);
		_exit(wrong > 200 ? 200 : wrong);
	}
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 202;
}

static void
each_of_many_is_granted_and_no_other(void)
{
	struct fixture *f = plan_begin();

	check_int(count_wrong(f), 0);
	plan_end(f);
}

/* ---- what changed since the plan ---- */

enum change { TO_LINK, TO_FILE, TO_NOTHING };

static void
change(int number, enum change to)
{
	char path[PATH_MAX], aside[PATH_MAX];

	path_of(number, "", path);
	path_of(number, ".aside", aside);
	check_int(rename(path, aside), 0);
	if (to == TO_LINK)
		check_int(symlink(strrchr(aside, '/') + 1, path), 0);
	if (to == TO_FILE)
		put_file(path);
}

static void
change_back(int number)
{
	char path[PATH_MAX], aside[PATH_MAX];

	path_of(number, "", path);
	path_of(number, ".aside", aside);
	remove(path);
	check_int(rename(aside, path), 0);
}

static void
expect_refused(struct fixture *f, int number, int why)
{
	struct cordon_error err;
	char path[PATH_MAX];

	path_of(number, "", path);
	check_int(make(f, &err), -CORDON_E_PATH);
	check_int(err.sys, why);
	check(strstr(err.text, path) != NULL && strstr(err.text, "policy.json:7:9") != NULL);
}

static void
a_changed_path_is_found_wherever_it_is(void)
{
	/* the first and the last of a folder, of the front and of the rear */
	static const int numbers[] = {0, 4, 98, 300, 598, 600, 850, 1198};
	struct fixture *f = plan_begin();
	struct cordon_error err;

	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
		change(numbers[i], TO_LINK);
		expect_refused(f, numbers[i], ELOOP);
		change_back(numbers[i]);
		change(numbers[i], TO_NOTHING);
		expect_refused(f, numbers[i], ENOENT);
		change_back(numbers[i]);
		change(numbers[i], TO_FILE);
		check_int(make(f, &err), 0);
		change_back(numbers[i]);
	}
	check_int(count_wrong(f), 0);
	plan_end(f);
}

static void
of_two_changed_paths_the_first_is_reported(void)
{
	struct fixture *f = plan_begin();

	change(1100, TO_NOTHING);
	change(20, TO_LINK);
	expect_refused(f, 20, ELOOP);
	change_back(20);
	expect_refused(f, 1100, ENOENT);
	change_back(1100);
	plan_end(f);
}

static void
a_folder_that_became_a_link_is_found(void)
{
	struct fixture *f = plan_begin();
	char path[PATH_MAX], aside[PATH_MAX];

	snprintf(path, sizeof path, "%s/07", base);
	snprintf(aside, sizeof aside, "%s/07.aside", base);
	check_int(rename(path, aside), 0);
	check_int(symlink("07.aside", path), 0);
	expect_refused(f, 700, ELOOP);
	check_int(unlink(path), 0);
	check_int(rename(aside, path), 0);
	plan_end(f);
}

static void
a_folder_is_opened_by_its_name_only_if_it_is_no_link(void)
{
	auto_fd int root = open("/", O_PATH | O_CLOEXEC), folder = -1, held = -1;
	char path[PATH_MAX];

	snprintf(path, sizeof path, "%s/00", base);
	folder = open(path, O_PATH | O_CLOEXEC);
	held = open_verified_dir(folder, "000");
	check(held >= 0);
	change(2, TO_LINK);
	check_int(open_verified_dir(folder, "002"), -1);
	change(4, TO_FILE);
	check_int(open_verified_dir(folder, "004"), -1);
	check_int(open_verified_dir(folder, "none"), -1);
	/* a mount, behind which anything may be */
	check_int(open_verified_dir(root, "proc"), -1);
}

int
main(void)
{
	if (landlock_version(NULL) == 0) {
		printf("1..0 # SKIP needs Landlock\n");
		return 0;
	}
	make_tree();
	run(each_of_many_is_granted_and_no_other);
	run(a_changed_path_is_found_wherever_it_is);
	run(of_two_changed_paths_the_first_is_reported);
	run(a_folder_that_became_a_link_is_found);
	run(a_folder_is_opened_by_its_name_only_if_it_is_no_link);
	wipe();
	return tap_end();
}
