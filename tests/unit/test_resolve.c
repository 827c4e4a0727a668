// SPDX-License-Identifier: MIT
/*
 * Resolution against realpath(3) and realpath -m on seeded random trees of links, loops, files and
 * holes; the same trees again through a table, which must give the same answers.
 */
#include "host/resolve.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "tap.h"
#include "tree.h"

#define TREES 150
#define PATHS_PER_TREE 100

/* What realpath -m says to each line of the file ROOT/list. */
static FILE *
ask_realpath(const char *root)
{
	char command[TEXT_SIZE];

	snprintf(command, sizeof command,
		 "tr '\\n' '\\0' <'%s/list' | xargs -0 timeout 10 realpath -m --", root);
	return popen(command, "r");
}

static bool
have_realpath_m(void)
{
	return system("timeout 10 realpath -m / >/dev/null 2>&1") == 0;
}

static void
compare_with_realpath(struct arena *arena, const char *path, const char *lexical)
{
	struct cordon_error err = {0};
	struct resolved found = {.path = NULL};
	int rc = resolve_path(arena, &fs_real, path, &found, &err);
	char real[PATH_MAX];
	const char *expected = realpath(path, real);
	int sys = errno;

	if (rc < 0) {
		/* realpath(3) stops at the first hole, we go on and may meet a loop behind it */
		check(expected == NULL && (sys == ELOOP || sys == ENOENT || sys == ENOTDIR));
		check_int(err.sys, ELOOP);
		return;
	}
	check(expected != NULL || sys != ELOOP);
	check_str(found.path, expected != NULL ? expected : lexical);
	check_int(found.exists, access(found.path, F_OK) == 0);
	check(found.kind != FS_LINK);
	for (size_t i = 0; i < found.link_count; i++) {
		char target[PATH_MAX];

		check(fs_real.look(NULL, found.links[i], target) == FS_LINK);
	}
}

static void
compare_with_table(struct arena *arena, const struct tree *tree, const char *path)
{
	struct fs_view fake = fake_fs(tree->table);
	struct resolved real = {.path = "error"}, told = {.path = "error"};
	int real_rc, told_rc;

	/* what leaves the tree meets the machine's own files */
	real_rc = resolve_path(arena, &fs_real, path, &real, NULL);
	if (real_rc == 0 && !path_below(real.path, tree->root))
		return;
	told_rc = resolve_path(arena, &fake, path, &told, NULL);
	check_int(told_rc, real_rc);
	check_str(told.path, real.path);
	check_int(told.kind, real.kind);
	check_int(told.link_count, real.link_count);
}

/* The longer it remembers the more it knows; the answer is the same. */
static void
compare_with_memory(struct arena *arena, const struct fs_cache *memory, const char *path)
{
	struct resolved real = {.path = "error"}, told = {.path = "error"};

	check_int(resolve_path(arena, &memory->view, path, &told, NULL),
		  resolve_path(arena, &fs_real, path, &real, NULL));
	check_str(told.path, real.path);
	check_int(told.kind, real.kind);
	check_int(told.link_count, real.link_count);
}

/* realpath -m runs forever on a link that leads to something below itself: not asked then. */
static bool
ends(const char *path)
{
	auto_arena struct arena arena = {NULL};
	struct resolved found;

	return resolve_path(&arena, &fs_real, path, &found, NULL) == 0;
}

static void
random_paths(const struct tree *tree, char paths[][TEXT_SIZE])
{
	char file[TEXT_SIZE], inner[TEXT_SIZE / 2];
	FILE *list;

	snprintf(file, sizeof file, "%s/list", tree->root);
	list = fopen(file, "w");
	check(list != NULL);
	if (list == NULL)
		return;
	for (size_t i = 0; i < PATHS_PER_TREE; i++) {
		random_relative(inner, 8, 6);
		snprintf(paths[i], TEXT_SIZE, "%s/%s%s", tree->root, inner,
			 pick(6) == 0 ? "/" : "");
		fprintf(list, "%s\n", ends(paths[i]) ? paths[i] : "/");
	}
	fclose(list);
}

static void
compare_tree(const struct tree *tree)
{
	static char paths[PATHS_PER_TREE][TEXT_SIZE];
	auto_arena struct arena arena = {NULL};
	struct fs_cache memory;
	char line[PATH_MAX];
	FILE *answers;

	fs_cache_start(&memory, &fs_real);
	random_paths(tree, paths);
	answers = ask_realpath(tree->root);
	for (size_t i = 0; i < PATHS_PER_TREE && tap.failed_checks < 20; i++) {
		int before = tap.failed_checks;

		if (answers == NULL || fgets(line, sizeof line, answers) == NULL)
			strcpy(line, "no answer\n");
		line[strcspn(line, "\n")] = '\0';
		compare_with_realpath(&arena, paths[i], line);
		compare_with_table(&arena, tree, paths[i]);
		compare_with_memory(&arena, &memory, paths[i]);
		if (tap.failed_checks != before)
			printf("# path %s\n", paths[i]);
	}
	fs_cache_end(&memory);
	if (answers != NULL)
		pclose(answers);
}

static void
random_trees_resolve_as_realpath_does(void)
{
	static struct tree tree;

	for (size_t i = 0; i < TREES && tap.failed_checks < 20; i++) {
		check(tree_make(&tree));
		compare_tree(&tree);
		tree_remove(&tree);
	}
}

static const struct fake_entry machine[] = {
	{"/home/u/p/src", FS_DIR, NULL},
	{"/home/u/p/file", FS_FILE, NULL},
	{"/home/u/p/sock", FS_SOCKET, NULL},
	{"/home/u/p/dark", FS_HIDDEN, NULL},
	{"/home/u/p/up", FS_LINK, "../q/deep"},
	{"/home/u/p/out", FS_LINK, "/etc//./"},
	{"/home/u/p/gone", FS_LINK, "nowhere/x"},
	{"/home/u/p/self", FS_LINK, "self"},
	{"/home/u/p/ping", FS_LINK, "pong"},
	{"/home/u/p/pong", FS_LINK, "ping/x"},
	{"/home/u/p/root", FS_LINK, "/"},
	{"/home/u/p/empty", FS_LINK, ""},
	{"/home/u/p/two", FS_LINK, "up"},
	{"/home/u/q/deep", FS_DIR, NULL},
	{"/etc/hosts", FS_FILE, NULL},
	{NULL, FS_MISSING, NULL},
};

static void
each_rule_of_resolution(void)
{
	static const struct {
		const char *asked, *path;
		enum fs_kind kind;
	} cases[] = {
		{"/", "/", FS_DIR},
		{"///", "/", FS_DIR},
		{"/..", "/", FS_DIR},
		{"/../../etc/./hosts", "/etc/hosts", FS_FILE},
		{"/home/u/p/src///", "/home/u/p/src", FS_DIR},
		{"/home/u/p/file/", "/home/u/p/file", FS_FILE},
		{"/home/u/p/file/x/y", "/home/u/p/file/x/y", FS_MISSING},
		{"/home/u/p/file/x/..", "/home/u/p/file", FS_FILE},
		{"/home/u/p/file/../src", "/home/u/p/src", FS_DIR},
		{"/home/u/p/sock", "/home/u/p/sock", FS_SOCKET},
		{"/home/u/p/dark", "/home/u/p/dark", FS_HIDDEN},
		{"/home/u/p/dark/x", "/home/u/p/dark/x", FS_MISSING},
		{"/home/u/p/up", "/home/u/q/deep", FS_DIR},
		{"/home/u/p/up/..", "/home/u/q", FS_DIR},
		{"/home/u/p/up/../../p/src", "/home/u/p/src", FS_DIR},
		{"/home/u/p/two/new/file", "/home/u/q/deep/new/file", FS_MISSING},
		{"/home/u/p/out/hosts", "/etc/hosts", FS_FILE},
		{"/home/u/p/gone", "/home/u/p/nowhere/x", FS_MISSING},
		{"/home/u/p/gone/../..", "/home/u/p", FS_DIR},
		{"/home/u/p/no/../out/hosts", "/etc/hosts", FS_FILE},
		{"/home/u/p/no/no/../../../q", "/home/u/q", FS_DIR},
		{"/home/u/p/root", "/", FS_DIR},
		{"/home/u/p/root/..", "/", FS_DIR},
		{"/home/u/p/empty", "/home/u/p/empty", FS_MISSING},
	};
	auto_arena struct arena arena = {NULL};
	struct fs_view view = fake_fs(machine);

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct resolved found = {.path = NULL};

		check_int(resolve_path(&arena, &view, cases[i].asked, &found, NULL), 0);
		check_str(found.path, cases[i].path);
		check_int(found.kind, cases[i].kind);
		check_int(found.exists, found.kind != FS_MISSING && found.kind != FS_HIDDEN);
	}
}

static void
links_are_reported_with_their_paths(void)
{
	auto_arena struct arena arena = {NULL};
	struct fs_view view = fake_fs(machine);
	struct resolved found = {.path = NULL};

	check_int(resolve_path(&arena, &view, "/home/u/p/up/../../p/two/../deep", &found, NULL), 0);
	check_str(found.path, "/home/u/q/deep");
	check_int(found.link_count, 3);
	if (found.link_count != 3)
		return;
	check_str(found.links[0], "/home/u/p/up");
	check_str(found.links[1], "/home/u/p/two");
	check_str(found.links[2], "/home/u/p/up");
	check_int(resolve_path(&arena, &view, "/etc/hosts", &found, NULL), 0);
	check_int(found.link_count, 0);
}

static void
fails(const char *path, int sys, const char *words)
{
	auto_arena struct arena arena = {NULL};
	struct fs_view view = fake_fs(machine);
	struct cordon_error err = {0};
	struct resolved found = {.path = "untouched"};

	check_int(resolve_path(&arena, &view, path, &found, &err), -CORDON_E_PATH);
	check_int(err.sys, sys);
	check(strstr(err.text, words) != NULL);
	check_str(found.path, "untouched");
}

static void
loops_and_relative_paths_are_errors(void)
{
	fails("/home/u/p/self", ELOOP, "cannot resolve /home/u/p/self");
	fails("/home/u/p/ping/y", ELOOP, "cannot resolve");
	fails("relative", 0, "relative is not an absolute path");
	fails("", 0, "is not an absolute path");
}

/* l0 -> l1 -> ... -> l(count) which is a folder */
static int
chain(size_t count)
{
	static char names[64][16], targets[64][16];
	struct fake_entry table[66] = {{NULL, FS_MISSING, NULL}};
	auto_arena struct arena arena = {NULL};
	struct fs_view view = fake_fs(table);
	struct resolved found;

	for (size_t i = 0; i <= count; i++) {
		snprintf(names[i], sizeof names[i], "/l%zu", i);
		snprintf(targets[i], sizeof targets[i], "l%zu", i + 1);
		table[i] = (struct fake_entry){names[i], i == count ? FS_DIR : FS_LINK, targets[i]};
	}
	return resolve_path(&arena, &view, "/l0", &found, NULL);
}

static void
forty_links_pass_and_no_more(void)
{
	check_int(chain(RESOLVE_LINKS_MAX), 0);
	check_int(chain(RESOLVE_LINKS_MAX + 1), -CORDON_E_PATH);
}

static void
lengths_are_bounded(void)
{
	char path[PATH_MAX + 2];
	char target[PATH_MAX];
	const struct fake_entry table[] = {{"/l", FS_LINK, target}, {NULL, FS_MISSING, NULL}};
	auto_arena struct arena arena = {NULL};
	struct fs_view view = fake_fs(table);
	struct cordon_error err = {0};
	struct resolved found;

	memset(path, 'x', sizeof path);
	path[0] = '/';
	path[PATH_MAX] = '\0';
	fails(path, ENAMETOOLONG, "cannot resolve");
	path[PATH_MAX - 1] = '\0';
	check_int(resolve_path(&arena, &view, path, &found, NULL), 0);
	check_int(strlen(found.path), PATH_MAX - 1);
	/* short as written, too long once the link is followed */
	memset(target, 'y', sizeof target);
	target[PATH_MAX - 3] = '\0';
	check_int(resolve_path(&arena, &view, "/l", &found, NULL), 0);
	check_int(resolve_path(&arena, &view, "/l/zzzz", &found, &err), -CORDON_E_PATH);
	check_int(err.sys, ENAMETOOLONG);
}

/* If a link were missed, its target could be opened by its own name. */
static void
an_unreadable_component_is_an_error(void)
{
	static const struct fake_entry table[] = {{"/a/broken", FS_FAILED, NULL},
						  {"/l", FS_LINK, "/a/broken/x"},
						  {NULL, FS_MISSING, NULL}};
	static const char *const paths[] = {"/a/broken", "/a/broken/x", "/l", "/a/broken/.."};
	auto_arena struct arena arena = {NULL};
	struct fs_view view = fake_fs(table);

	for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
		struct cordon_error err = {0};
		struct resolved found;

		errno = EIO;
		check_int(resolve_path(&arena, &view, paths[i], &found, &err), -CORDON_E_SYSTEM);
		check_int(err.sys, EIO);
		check(strstr(err.text, "/a/broken") != NULL);
	}
}

static void
macos_paths_keep_their_form_elsewhere(void)
{
	static const char *const cases[][2] = {
		{"/tmp/x", "/private/tmp/x"},
		{"/var/folders/ab/T/", "/private/var/folders/ab/T"},
		{"/etc", "/private/etc"},
		{"/private/tmp/..", "/private"},
		{"/tmp/../x", "/private/x"},
		{"/Users/u/Library/../p", "/Users/u/p"},
		{"/System/Volumes/Data/Users/u", "/System/Volumes/Data/Users/u"},
		{"/tmpx", "/tmpx"},
		{"/", "/"},
	};
	auto_arena struct arena arena = {NULL};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct resolved found = {.path = NULL};

		check_int(resolve_path(&arena, &fs_macos_minimal, cases[i][0], &found, NULL), 0);
		check_str(found.path, cases[i][1]);
	}
}

struct counting {
	size_t looks;
};

/* Every kind in turn; a link's target is its own name. */
static enum fs_kind
count_and_look(const void *ctx, const char *path, char *link)
{
	int number = atoi(path + 1);

	((struct counting *)ctx)->looks++;
	if (number % (FS_HIDDEN + 1) == FS_LINK)
		snprintf(link, PATH_MAX, "to%s", path);
	return (enum fs_kind)(number % (FS_HIDDEN + 1));
}

static void
a_caching_view_reads_once_and_gives_the_same_result(void)
{
	struct counting counting = {0};
	const struct fs_view view = {.ctx = &counting, .look = count_and_look};
	struct fs_cache memory;
	int wrong = 0;

	fs_cache_start(&memory, &view);
	/* many more than it has room for at first */
	for (int i = 0; i < 4000; i++) {
		char path[32], link[PATH_MAX] = "", expected[40] = "";
		int number = i % 2000;
		enum fs_kind kind;

		snprintf(path, sizeof path, "/%d", number);
		if (number % (FS_HIDDEN + 1) == FS_LINK)
			snprintf(expected, sizeof expected, "to%s", path);
		kind = memory.view.look(memory.view.ctx, path, link);
		wrong += (int)kind != number % (FS_HIDDEN + 1) || strcmp(link, expected) != 0;
	}
	fs_cache_end(&memory);
	check_int(wrong, 0);
	check_int(counting.looks, 2000);
}

int
main(void)
{
	if (have_realpath_m())
		run(random_trees_resolve_as_realpath_does);
	else
		printf("ok %d - random_trees_resolve_as_realpath_does # SKIP no realpath -m here\n",
		       ++tap.cases);
	run(each_rule_of_resolution);
	run(links_are_reported_with_their_paths);
	run(loops_and_relative_paths_are_errors);
	run(forty_links_pass_and_no_more);
	run(lengths_are_bounded);
	run(an_unreadable_component_is_an_error);
	run(macos_paths_keep_their_form_elsewhere);
	run(a_caching_view_reads_once_and_gives_the_same_result);
	return tap_end();
}
