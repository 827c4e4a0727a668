// SPDX-License-Identifier: MIT
/*
 * Opening inside a root, by openat2 and by the walk. Every promise is held against both; the races
 * first prove, by plain open(2), that the attack works when nothing stops it.
 */
#include "base/os.h"

#include "host/beneath.h"

#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/fd.h"
#include "tap.h"
#include "tree.h"

typedef int confine_fn(const char *root, const char *path, int flags, unsigned int mode,
		       unsigned int confine_flags, int *ret_fd, char **ret_path,
		       struct cordon_error *err);

static const struct {
	const char *name;
	confine_fn *open;
} ways[] = {{"best", cordon_confine}, {"walk", beneath_walk}};
#define WAYS 2

/* What one call came to. text is the first bytes read, "-" for what cannot be read. */
struct outcome {
	int rc, fd;
	struct cordon_error err;
	char text[16];
	char path[PATH_MAX]; /* below the root; the whole path when it is not there */
};

static char base[256]; /* BASE/root is the root, BASE/out the outside */
static char root[300];

static struct outcome
try(size_t way, const char *path, int flags, unsigned int confine_flags)
{
	struct outcome seen = {.fd = -2, .text = "-"};
	auto_free char *shown = NULL;
	auto_fd int fd = -1;
	ssize_t length;

	seen.rc =
		ways[way].open(root, path, flags, 0600, confine_flags, &seen.fd, &shown, &seen.err);
	if (seen.rc < 0 && (seen.fd != -2 || shown != NULL))
		check_str(path, "left alone on failure");
	if (seen.rc < 0)
		return seen;
	fd = seen.fd;
	length = fd >= 0 ? read(fd, seen.text, sizeof seen.text - 1) : -1;
	if (length >= 0)
		seen.text[length] = '\0';
	snprintf(seen.path, sizeof seen.path, "%s",
		 path_below(shown, root) ? shown + strlen(root) : shown);
	return seen;
}

static void
write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	check(file != NULL);
	if (file == NULL)
		return;
	fputs(text, file);
	fclose(file);
}

static const char *
below(const char *name)
{
	static char paths[8][900];
	static size_t next;
	char *path = paths[next++ % 8];

	snprintf(path, sizeof paths[0], "%s/%s", base, name);
	return path;
}

static void
link_to(const char *target, const char *name)
{
	check_int(symlink(target, below(name)), 0);
}

static void
make_base(void)
{
	const char *tmp = getenv("TMPDIR");
	char made[200], real[PATH_MAX];

	snprintf(made, sizeof made, "%.150s/confine.XXXXXX", tmp != NULL ? tmp : "/tmp");
	if (mkdtemp(made) == NULL || realpath(made, real) == NULL) {
		perror(made);
		exit(1);
	}
	snprintf(base, sizeof base, "%.250s", real);
	snprintf(root, sizeof root, "%s/root", base);
}

static void
make_tree(void)
{
	static const char *const folders[] = {"root",	  "out",	   "root2",
					      "root/sub", "root/sub/deep", "root/real"};
	char text[700];

	for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
		check_int(mkdir(below(folders[i]), 0700), 0);
	write_file(below("root/file"), "file");
	write_file(below("root/sub/inner"), "inner");
	write_file(below("root/real/target"), "target");
	write_file(below("out/secret"), "secret");
	write_file(below("root2/secret"), "secret");
	link_to("real/target", "root/good");
	link_to("../real", "root/sub/up");
	link_to("../out", "root/dirout");
	link_to("../out/secret", "root/fileout");
	link_to("../../out", "root/sub/deepout");
	link_to("/etc", "root/absout");
	link_to("loop", "root/loop");
	link_to("ping", "root/pong");
	link_to("pong/x", "root/ping");
	link_to("nothing/here", "root/dangling");
	link_to("../out/new", "root/danglingout");
	link_to(".", "root/self");
	link_to("../root/file", "root/around");
	snprintf(text, sizeof text, "%s/real", root);
	link_to(text, "root/absin");
	snprintf(text, sizeof text, "%s2/secret", root);
	link_to(text, "root/sibling");
	check_int(mkfifo(below("root/fifo"), 0600), 0);
}

static void
remove_base(void)
{
	char command[700];

	snprintf(command, sizeof command, "chmod -R u+rwx '%s'; rm -rf '%s'", base, base);
	check_int(system(command), 0);
}

#define INSIDE 0
#define ESCAPES -CORDON_E_ESCAPE
#define FAILS -CORDON_E_PATH
#define MISUSE -CORDON_E_USAGE

static const struct {
	const char *path;
	int flags, rc, sys;
	const char *text, *shown; /* text "-": no descriptor, or a folder */
} cases[] = {
	{"file", O_RDONLY, INSIDE, 0, "file", "/file"},
	{"./sub//../file", O_RDONLY, INSIDE, 0, "file", "/file"},
	{"sub/inner", O_RDONLY, INSIDE, 0, "inner", "/sub/inner"},
	{"good", O_RDONLY, INSIDE, 0, "target", "/real/target"},
	{"sub/up/target", O_RDONLY, INSIDE, 0, "target", "/real/target"},
	{"sub/up/../file", O_RDONLY, INSIDE, 0, "file", "/file"},
	{"absin/target", O_RDONLY, INSIDE, 0, "target", "/real/target"},
	{"sub/deep/../../absin/../good", O_RDONLY, INSIDE, 0, "target", "/real/target"},
	{"self/self/file", O_RDONLY, INSIDE, 0, "file", "/file"},
	{"sub", O_RDONLY, INSIDE, 0, "-", "/sub"},
	{"sub/", O_RDONLY, INSIDE, 0, "-", "/sub"},
	{"sub/deep/..", O_RDONLY, INSIDE, 0, "-", "/sub"},
	{"absin", O_RDONLY | O_DIRECTORY, INSIDE, 0, "-", "/real"},
	/* what does not exist yet */
	{"new", O_RDONLY, INSIDE, 0, "-", "/new"},
	{"sub/new/er/file", O_RDONLY, INSIDE, 0, "-", "/sub/new/er/file"},
	{"sub/up/new", O_RDONLY, INSIDE, 0, "-", "/real/new"},
	{"dangling", O_RDONLY, INSIDE, 0, "-", "/nothing/here"},
	{"new/", O_RDONLY, INSIDE, 0, "-", "/new"},
	{"new/../file", O_RDONLY, INSIDE, 0, "file", "/file"},
	{"new/../../out/secret", O_RDONLY, ESCAPES, 0, NULL, NULL},
	/* ways out */
	{"..", O_RDONLY, ESCAPES, 0, NULL, NULL},
	{"../../etc/passwd", O_RDONLY, ESCAPES, 0, NULL, NULL},
	{"../root/file", O_RDONLY, ESCAPES, 0, NULL, NULL},
	{"../root2/secret", O_RDONLY, ESCAPES, 0, NULL, NULL},
	{"sub/../../out/secret", O_RDONLY, ESCAPES, 0, NULL, NULL},
	{"/etc/passwd", O_RDONLY, ESCAPES, 0, NULL, NULL},
	{"/", O_RDONLY, ESCAPES, 0, NULL, NULL},
	{"dirout", O_RDONLY, ESCAPES, 0, NULL, NULL},
	{"dirout/secret", O_RDONLY, ESCAPES, 0, NULL, NULL},
	{"dirout/../root/file", O_RDONLY, ESCAPES, 0, NULL, NULL},
	{"fileout", O_RDONLY, ESCAPES, 0, NULL, NULL},
	{"sub/deepout/secret", O_RDONLY, ESCAPES, 0, NULL, NULL},
	{"absout/passwd", O_RDONLY, ESCAPES, 0, NULL, NULL},
	{"sibling", O_RDONLY, ESCAPES, 0, NULL, NULL},
	{"danglingout", O_RDONLY, ESCAPES, 0, NULL, NULL},
	{"danglingout", O_WRONLY | O_CREAT, ESCAPES, 0, NULL, NULL},
	{"dirout/new", O_WRONLY | O_CREAT, ESCAPES, 0, NULL, NULL},
	{"around", O_RDONLY, ESCAPES, 0, NULL, NULL},
	/* errors are errors, never "does not exist" */
	{"loop", O_RDONLY, FAILS, ELOOP, NULL, NULL},
	{"pong/y", O_RDONLY, FAILS, ELOOP, NULL, NULL},
	{"file/x", O_RDONLY, FAILS, ENOTDIR, NULL, NULL},
	{"file/", O_RDONLY, FAILS, ENOTDIR, NULL, NULL},
	{"file", O_RDONLY | O_DIRECTORY, FAILS, ENOTDIR, NULL, NULL},
	{"sub", O_WRONLY, FAILS, EISDIR, NULL, NULL},
	{"good", O_RDONLY | O_NOFOLLOW, FAILS, ELOOP, NULL, NULL},
	{"file", O_WRONLY | O_CREAT | O_EXCL, FAILS, EEXIST, NULL, NULL},
	{"dangling", O_WRONLY | O_CREAT | O_EXCL, FAILS, EEXIST, NULL, NULL},
	{"no/such/folder", O_WRONLY | O_CREAT, FAILS, ENOENT, NULL, NULL},
	{"fifo", O_WRONLY | O_NONBLOCK, FAILS, ENXIO, NULL, NULL},
	/* the root itself, and what is no path */
	{".", O_RDONLY, FAILS, 0, NULL, NULL},
	{"self", O_RDONLY, FAILS, 0, NULL, NULL},
	{"sub/..", O_RDONLY, FAILS, 0, NULL, NULL},
	{"", O_RDONLY, MISUSE, 0, NULL, NULL},
	{"a\nb", O_RDONLY, MISUSE, 0, NULL, NULL},
	{"a\x7f", O_RDONLY, MISUSE, 0, NULL, NULL},
};

static void
check_case(size_t way, size_t i)
{
	struct outcome seen = try(way, cases[i].path, cases[i].flags, 0);

	check_int(seen.rc, cases[i].rc);
	check_int(seen.err.sys, seen.rc < 0 ? cases[i].sys : 0);
	if (seen.rc != 0 || cases[i].rc != 0)
		return;
	check_str(seen.text, cases[i].text);
	check_str(seen.path, cases[i].shown);
}

static void
each_path_opens_the_expected_file(void)
{
	for (size_t way = 0; way < WAYS; way++)
		for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
			int before = tap.failed_checks;

			check_case(way, i);
			if (tap.failed_checks != before)
				printf("# path %s, %s\n", cases[i].path, ways[way].name);
		}
	check(access(below("out/new"), F_OK) < 0);
}

static void
absolute_paths_inside_are_accepted(void)
{
	char path[700];

	for (size_t way = 0; way < WAYS; way++) {
		snprintf(path, sizeof path, "%s/sub/inner", root);
		check_str(try(way, path, O_RDONLY, 0).text, "inner");
		snprintf(path, sizeof path, "%s//sub/../good", root);
		check_str(try(way, path, O_RDONLY, 0).text, "target");
		snprintf(path, sizeof path, "%s/../out/secret", root);
		check_int(try(way, path, O_RDONLY, 0).rc, ESCAPES);
		snprintf(path, sizeof path, "%s2/secret", root);
		check_int(try(way, path, O_RDONLY, 0).rc, ESCAPES);
		check_int(try(way, root, O_RDONLY, 0).rc, FAILS);
	}
}

static void
a_root_by_another_name_is_the_same_root(void)
{
	char real_root[sizeof root], path[700];

	strcpy(real_root, root);
	link_to("root", "alias");
	snprintf(root, sizeof root, "%s/alias", base);
	snprintf(path, sizeof path, "%s/sub/inner", root);
	for (size_t way = 0; way < WAYS; way++) {
		struct outcome seen = try(way, path, O_RDONLY, 0);

		check_int(seen.rc, 0);
		check_str(seen.text, "inner");
		check_str(strstr(seen.path, "/root/"), "/root/sub/inner");
		check_str(try(way, "absin/target", O_RDONLY, 0).text, "target");
	}
	strcpy(root, real_root);
}

static void
the_root_itself_is_opened_only_on_request(void)
{
	for (size_t way = 0; way < WAYS; way++) {
		struct outcome seen = try(way, "sub/..", O_RDONLY, CORDON_CONFINE_ROOT);

		check_int(seen.rc, 0);
		check(seen.fd >= 0);
		check_str(seen.path, "");
		check_int(try(way, "..", O_RDONLY, CORDON_CONFINE_ROOT).rc, ESCAPES);
	}
}

static void
new_files_are_created_inside(void)
{
	static const char *const names[][WAYS] = {{"made", "made2"}, {"sub/up/a", "sub/up/b"}};
	static const char *const shown[][WAYS] = {{"/made", "/made2"}, {"/real/a", "/real/b"}};
	char path[600];

	link_to("real/made3", "root/tocreate");
	for (size_t way = 0; way < WAYS; way++) {
		for (size_t i = 0; i < 2; i++) {
			struct outcome seen = try(way, names[i][way], O_RDWR | O_CREAT | O_EXCL, 0);

			check_int(seen.rc, 0);
			check(seen.fd >= 0);
			check_str(seen.path, shown[i][way]);
			check_int(access(below(names[i][way]), F_OK), -1);
			snprintf(path, sizeof path, "root%.500s", seen.path);
			check_int(access(below(path), F_OK), 0);
		}
		/* through a dangling link that stays inside */
		check(try(way, "tocreate", O_RDWR | O_CREAT, 0).fd >= 0);
		check_int(unlink(below("root/real/made3")), 0);
	}
}

static void
forty_links_pass_and_no_more(void)
{
	char name[32], target[16];

	check_int(mkdir(below("root/chain"), 0700), 0);
	write_file(below("root/chain/l0"), "end");
	for (int i = 1; i <= 41; i++) {
		snprintf(name, sizeof name, "root/chain/l%d", i);
		snprintf(target, sizeof target, "l%d", i - 1);
		link_to(target, name);
	}
	for (size_t way = 0; way < WAYS; way++) {
		check_str(try(way, "chain/l40", O_RDONLY, 0).text, "end");
		check_int(try(way, "chain/l41", O_RDONLY, 0).err.sys, ELOOP);
	}
}

static void
descriptors_close_on_exec_and_none_leak(void)
{
	int before = dup(0), after;

	close(before);
	for (size_t way = 0; way < WAYS; way++) {
		auto_fd int fd = -1;

		check_int(ways[way].open(root, "sub/inner", O_RDONLY, 0, 0, &fd, NULL, NULL), 0);
		check_int(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
		for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
			try(way, cases[i].path, cases[i].flags & ~O_CREAT, 0);
	}
	after = dup(0);
	check_int(after, before);
	close(after);
}

static void
a_link_itself_is_opened_only_by_name(void)
{
#ifdef O_PATH
	for (size_t way = 0; way < WAYS; way++) {
		auto_fd int plain = -1, link = -1;
		struct stat st = {0};

		check_int(ways[way].open(root, "good", O_PATH, 0, 0, &plain, NULL, NULL), 0);
		check(fstat(plain, &st) == 0 && S_ISREG(st.st_mode));
		check_int(ways[way].open(root, "fileout", O_PATH, 0, 0, &link, NULL, NULL),
			  ESCAPES);
		check_int(ways[way].open(root, "fileout", O_PATH | O_NOFOLLOW, 0, 0, &link, NULL,
					 NULL),
			  0);
		check(fstat(link, &st) == 0 && S_ISLNK(st.st_mode));
	}
#endif
}

static void
a_directory_that_cannot_be_searched_is_an_error(void)
{
	bool all_powerful = geteuid() == 0;

	check_int(chmod(base, 0755) | chmod(root, 0755) | chmod(below("root/sub"), 0), 0);
	if (all_powerful)
		check_int(seteuid(65534), 0);
	for (size_t way = 0; way < WAYS; way++) {
		struct outcome seen = try(way, "sub/new", O_RDONLY, 0);

		check_int(seen.rc, FAILS);
		check_int(seen.err.sys, EACCES);
	}
	if (all_powerful)
		check_int(seteuid(0), 0);
	check_int(chmod(below("root/sub"), 0700), 0);
}

static void
an_unusable_root_is_named(void)
{
	static const struct {
		const char *name;
		int sys;
	} bad[] = {{"nowhere", ENOENT}, {"root/file", ENOTDIR}, {"root/loop", ELOOP}};
	char real_root[sizeof root];

	strcpy(real_root, root);
	for (size_t way = 0; way < WAYS; way++)
		for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
			struct outcome seen;

			snprintf(root, sizeof root, "%s/%s", base, bad[i].name);
			seen = try(way, "file", O_RDONLY, 0);
			check_int(seen.rc, FAILS);
			check_int(seen.err.sys, bad[i].sys);
			check(strstr(seen.err.text, "as a root") != NULL);
		}
	strcpy(root, real_root);
}

static void
same(const struct tree *tree, const char *path, int flags)
{
	struct outcome quick = try(0, path, flags, 0), walk = try(1, path, flags, 0);
	char whole[2 * TEXT_SIZE], real[PATH_MAX];

	check_int(quick.rc, walk.rc);
	check_int(quick.err.sys, walk.err.sys);
	check_int(quick.fd >= 0, walk.fd >= 0);
	check_str(quick.path, walk.path);
	snprintf(whole, sizeof whole, "%s/%s", tree->root, path);
	if (realpath(whole, real) == NULL) {
		/* a missing name and the ".." behind it cancel out, unlike in the kernel */
		check(walk.fd < 0 || strstr(path, "..") != NULL);
		return;
	}
	if (!path_below(real, root))
		check_int(walk.rc, ESCAPES);
	else if (walk.rc == 0)
		check_str(walk.path, real + strlen(root));
}

static void
openat2_and_the_fallback_agree_on_random_trees(void)
{
	static struct tree tree;
	char real_root[sizeof root], path[TEXT_SIZE];

	strcpy(real_root, root);
	for (size_t i = 0; i < 100 && tap.failed_checks < 20; i++) {
		check(tree_make(&tree));
		snprintf(root, sizeof root, "%s", tree.root);
		for (size_t n = 0; n < 150 && tap.failed_checks < 20; n++) {
			int before = tap.failed_checks;

			random_relative(path, 7, pick(3) == 0 ? 6 : 5);
			same(&tree, path, pick(4) == 0 ? O_RDONLY | O_DIRECTORY : O_RDONLY);
			if (tap.failed_checks != before)
				printf("# %s in %s\n", path, tree.root);
		}
		tree_remove(&tree);
	}
	strcpy(root, real_root);
}

static bool
told_to_stop(void)
{
	sigset_t pending;

	return sigpending(&pending) < 0 || sigismember(&pending, SIGTERM) != 0;
}

/* A process of its own that runs whole steps until it is told to stop, or its parent is gone. */
static pid_t
start(void (*step)(void))
{
	pid_t parent = getpid(), child;
	sigset_t term;

	fflush(stdout);
	child = fork();
	if (child != 0)
		return child;
	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	sigprocmask(SIG_BLOCK, &term, NULL);
	while (getppid() == parent && !told_to_stop())
		step();
	_exit(0);
}

static void
stop(pid_t child)
{
	int status = -1;

	check(child > 0 && kill(child, SIGTERM) == 0 && waitpid(child, &status, 0) == child);
	check_int(status, 0);
}

/* RACE is a folder inside, then a link to the outside, then the folder again. */
static void
swap_folder_and_link(void)
{
	rename(below("root/race"), below("root/away"));
	rename(below("root/trap"), below("root/race"));
	rename(below("root/race"), below("root/trap"));
	rename(below("root/away"), below("root/race"));
}

/* A folder moves out and in, so that ".." from within is sometimes the outside. */
static void
move_out_and_in(void)
{
	rename(below("root/race/x"), below("out/x"));
	rename(below("out/x"), below("root/race/x"));
}

#define RACES 20000
static void
race(size_t way, const char *path, int *ret_inside, int *ret_refused)
{
	*ret_inside = *ret_refused = 0;
	for (int i = 0; i < RACES; i++) {
		struct outcome seen = try(way, path, O_RDONLY, 0);

		if (seen.fd >= 0 && seen.rc == 0 && strcmp(seen.text, "inside") != 0)
			check_str(seen.text, "inside");
		*ret_inside += seen.rc == 0 && seen.fd >= 0;
		*ret_refused += seen.rc < 0;
	}
}

/* Does plain open(2) ever reach the canary outside? */
static bool
open_is_fooled(const char *path)
{
	for (int i = 0; i < 50 * RACES; i++) {
		auto_fd int fd = open(below(path), O_RDONLY | O_CLOEXEC);
		char first = 0;

		if (fd >= 0 && read(fd, &first, 1) == 1 && first == 'o')
			return true;
	}
	return false;
}

static void
a_racing_swap_never_leads_out(void)
{
	pid_t child = start(swap_folder_and_link);
	int inside, refused;

	check(open_is_fooled("root/race/canary"));
	for (size_t way = 0; way < WAYS; way++) {
		race(way, "race/canary", &inside, &refused);
		printf("# %s: %d inside, %d refused\n", ways[way].name, inside, refused);
		check(inside > 0 && refused > 0);
	}
	stop(child);
}

static void
a_racing_move_never_leads_out(void)
{
	pid_t child = start(move_out_and_in);
	int inside, refused;

	for (size_t way = 0; way < WAYS; way++) {
		race(way, "race/x/../canary", &inside, &refused);
		printf("# %s: %d inside, %d refused\n", ways[way].name, inside, refused);
		check(inside > 0);
	}
	stop(child);
}

static void
make_race(void)
{
	check_int(mkdir(below("root/race"), 0700), 0);
	check_int(mkdir(below("root/race/x"), 0700), 0);
	write_file(below("root/race/canary"), "inside");
	write_file(below("out/canary"), "outside");
	link_to("../out", "root/trap");
}

int
main(void)
{
	make_base();
	make_tree();
	make_race();
	run(each_path_opens_the_expected_file);
	run(absolute_paths_inside_are_accepted);
	run(a_root_by_another_name_is_the_same_root);
	run(the_root_itself_is_opened_only_on_request);
	run(new_files_are_created_inside);
	run(forty_links_pass_and_no_more);
	run(descriptors_close_on_exec_and_none_leak);
	run(a_link_itself_is_opened_only_by_name);
	run(a_directory_that_cannot_be_searched_is_an_error);
	run(an_unusable_root_is_named);
	run(openat2_and_the_fallback_agree_on_random_trees);
	run(a_racing_swap_never_leads_out);
	run(a_racing_move_never_leads_out);
	remove_base();
	return tap_end();
}
