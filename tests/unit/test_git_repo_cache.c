// SPDX-License-Identifier: MIT
/*
 * Repositories inside a project: all are found, none through a link; and while the settings of one take
 * forever to be read, nobody waits who asks about something else. open is this test's own for that.
 */
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/path.h"
#include "git/config/git_repo_list.h"
#include "git/config/git_repo_walk.h"
#include "git/protect/git_repo_cache.h"
#include "host/host.h"
#include "rules/protected.h"
#include "tap.h"

static char base[PATH_MAX];

/* The first to open it waits, after the second semaphore was posted. */
static const char slow[] = "/slow/.git/config";
static atomic_bool is_slow;
static sem_t go_on, is_waiting;

/* How often settings were read. */
static atomic_int config_reads;

static int
open_slowly(const char *path, int flags, mode_t mode)
{
	size_t length = strlen(path), end = strlen(slow);

	config_reads += length > 7 && strcmp(path + length - 7, "/config") == 0;

	if (length > end && strcmp(path + length - end, slow) == 0 &&
	    atomic_exchange(&is_slow, false)) {
		sem_post(&is_waiting);
		sem_wait(&go_on);
	}
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int __wrap_open(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...);

int
__wrap_open(const char *path, int flags, ...)
{
	va_list more;
	mode_t mode;

	va_start(more, flags);
	mode = (mode_t)(flags & O_CREAT ? va_arg(more, int) : 0);
	va_end(more);
	return open_slowly(path, flags, mode);
}

int
__wrap_open64(const char *path, int flags, ...)
{
	va_list more;
	mode_t mode;

	va_start(more, flags);
	mode = (mode_t)(flags & O_CREAT ? va_arg(more, int) : 0);
	va_end(more);
	return open_slowly(path, flags, mode);
}

static int
sh(const char *script)
{
	char command[2 * PATH_MAX];

	snprintf(command, sizeof command, "cd '%s' && { set -e; %s\n} >log 2>&1", base, script);
	return system(command);
}

static const char set_up[] =
	"mkdir -p p/.git p/a/b/sub/.git p/node_modules/x/.git p/bare/objects/ab/.git p/tools/hooks;"
	"echo ref >p/bare/HEAD; mkdir -p p/tree p/none/HEAD out/.git; echo 'gitdir: x' >p/tree/.git;"
	"ln -s ../out p/link;"
	"printf '[core]\\n\\thooksPath = ../../../tools/hooks\\n' >p/a/b/sub/.git/config;"
	"mkdir -p p/slow/.git; printf '[core]\\n\\thooksPath = own\\n' >p/slow/.git/config";

/* ---- finding ---- */

static bool
has(const struct repositories *found, const char *name)
{
	size_t start = strlen(base) + 1;

	for (size_t i = 0; i < found->count; i++)
		if (strcmp(found->roots[i] + start, name) == 0)
			return true;
	return false;
}

static struct repositories
find(struct arena *arena, size_t limit)
{
	struct repositories found;
	char top[PATH_MAX + 8];

	snprintf(top, sizeof top, "%s/p", base);
	check_int(git_repo_walk_find(arena, top, limit, &found), 0);
	return found;
}

static void
all_are_found_and_none_through_a_link(void)
{
	auto_arena struct arena arena = {0};
	struct repositories found = find(&arena, 1000);

	check(found.is_whole);
	check(has(&found, "p"));
	check(has(&found, "p/a/b/sub"));
	check(has(&found, "p/node_modules/x"));
	check(has(&found, "p/bare"));
	check(has(&found, "p/tree"));
	check(has(&found, "p/slow"));
	check_int(found.count, 6);
}

static void
a_reached_limit_is_reported_and_packages_come_last(void)
{
	auto_arena struct arena arena = {0};
	struct repositories found = find(&arena, 3);

	check(!found.is_whole);
	/* p, bare, tools, hooks, tree, none, HEAD, a, b, sub, slow, and node_modules with x */
	found = find(&arena, 12);
	check(!found.is_whole);
	check(has(&found, "p/a/b/sub"));
	check(!has(&found, "p/node_modules/x"));
	found = find(&arena, 13);
	check(found.is_whole);
}

static void
the_nearest_repositories_are_found_without_a_search(void)
{
	auto_arena struct arena arena = {0};
	struct repositories found;
	char top[PATH_MAX + 16];

	snprintf(top, sizeof top, "%s/p", base);
	check_int(git_repo_walk_beside(&arena, top, 100, &found), 0);
	check(!found.is_whole);
	check(has(&found, "p/bare") && has(&found, "p/tree") && has(&found, "p/slow"));
	check_int(found.count, 3);
	/* where there are no folders there are no others */
	snprintf(top, sizeof top, "%s/p/tools/hooks", base);
	check_int(git_repo_walk_beside(&arena, top, 100, &found), 0);
	check(found.is_whole);
	/* of what cannot be looked into nothing is known */
	snprintf(top, sizeof top, "%s/p/nothing", base);
	check_int(git_repo_walk_beside(&arena, top, 100, &found), 0);
	check(!found.is_whole);
}

/* ---- asking ---- */

static struct host
a_host(struct arena *arena)
{
	static const char *const none[] = {NULL};
	const char *project = path_join(arena, base, "p", NULL);

	return (struct host){.system = SYSTEM_LINUX,
			     .cwd = project,
			     .project = project,
			     .environ = none,
			     .view = &fs_real};
}

struct ask {
	struct git_repo_cache *memory;
	const struct host *host;
	const char *name;
	bool is_closed;
};

static bool
is_closed(struct git_repo_cache *memory, const struct host *host, const char *name)
{
	auto_arena struct arena arena = {0};
	struct git_repo_query q = {.path = path_join(&arena, host->project, name, NULL),
				   .top = strlen(host->project)};

	return git_repo_cache_lookup(memory, host, &q) != NULL;
}

static void *
ask(void *arg)
{
	struct ask *to = arg;

	to->is_closed = is_closed(to->memory, to->host, to->name);
	return NULL;
}

static void
a_slow_read_does_not_delay_other_threads(void)
{
	auto_arena struct arena arena = {0};
	struct host host = a_host(&arena);
	struct git_repo_cache *memory = git_repo_cache_new(NULL);
	struct ask late = {memory, &host, "slow/own/pre-commit", false};
	pthread_t thread;

	check(is_closed(memory, &host, "tools/hooks/pre-commit"));
	check(!is_closed(memory, &host, "tools/free"));
	is_slow = true;
	check_int(pthread_create(&thread, NULL, ask, &late), 0);
	/* with the lock held this would be the end */
	sem_wait(&is_waiting);
	check(!is_closed(memory, &host, "tools/free"));
	check(is_closed(memory, &host, "tools/hooks/pre-commit"));
	sem_post(&go_on);
	pthread_join(thread, NULL);
	check(late.is_closed);
	git_repo_cache_free(memory);
}

/* As the broker does: it asks about every name that moves along, at its new place. */
static void
a_moved_repository_is_found_at_its_new_path(void)
{
	auto_arena struct arena arena = {0};
	struct host host = a_host(&arena);
	struct git_repo_cache *memory = git_repo_cache_new(NULL);
	struct git_repo_query q = {.path = path_join(&arena, host.project, "c/d/e/sub/.git", NULL),
				   .top = strlen(host.project),
				   .is_marker = true};

	check(is_closed(memory, &host, "tools/hooks/pre-commit"));
	check(!is_closed(memory, &host, "c/tools/hooks/pre-commit"));
	check(git_repo_cache_lookup(memory, &host, &q) == NULL);
	check_int(sh("mkdir -p p/c/d/e; mv p/a/b/sub p/c/d/e"), 0);
	git_repo_cache_changed(memory, path_join(&arena, host.project, "a/b/sub", NULL), false);
	git_repo_cache_changed(memory, path_join(&arena, host.project, "c/d/e/sub", NULL), false);
	check(is_closed(memory, &host, "c/tools/hooks/pre-commit"));
	check(git_repo_cache_is_read(memory, &host, path_join(&arena, host.project, "c/d", NULL)));
	check(!git_repo_cache_is_read(memory, &host,
				      path_join(&arena, host.project, "tools", NULL)));
	git_repo_cache_free(memory);
}

/* ---- what is read again ---- */

#define MANY 200
#define NEW 20

static void
tell(struct git_repo_cache *memory, const struct host *host, const char *name)
{
	auto_arena struct arena arena = {0};

	git_repo_cache_changed(memory, path_join(&arena, host->project, name, NULL), false);
}

static void
make(struct git_repo_cache *memory, const struct host *host, const char *name)
{
	auto_arena struct arena arena = {0};
	struct git_repo_query q = {.path = path_join(&arena, host->project, name, NULL),
				   .top = strlen(host->project),
				   .is_marker = true};

	git_repo_cache_lookup(memory, host, &q);
	check_int(mkdir(q.path, 0700), 0);
	tell(memory, host, name);
}

/* A round for each second may be read in any case: that is how the user's own changes are seen. */
static void
a_new_repository_invalidates_no_other(void)
{
	static const char *const names[] = {"", "/.git", "/.git/objects", "/.git/hooks"};
	auto_arena struct arena arena = {0};
	struct host host = a_host(&arena);
	struct git_repo_cache *memory = git_repo_cache_new(NULL);
	int64_t time = git_repo_list_now();
	char name[64];
	int rounds;

	check_int(
		sh("for i in $(seq 200); do mkdir -p p/many$i/.git; : >p/many$i/.git/config; done"),
		0);
	config_reads = 0;
	check(!is_closed(memory, &host, "tools/free"));
	check(config_reads >= MANY);
	config_reads = 0;
	for (int i = 0; i < NEW; i++) {
		for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
			snprintf(name, sizeof name, "new%d%s", i, names[k]);
			make(memory, &host, name);
			check(!is_closed(memory, &host, "tools/free"));
		}
	}
	rounds = 1 + (int)((git_repo_list_now() - time) / (GIT_REPO_MOMENT_NS / 2));
	check(config_reads <= 20 * NEW + rounds * 2 * (MANY + NEW));
	check(config_reads >= NEW);
	git_repo_cache_free(memory);
	check_int(sh("rm -rf p/many* p/new*"), 0);
}

/* Each is read through another path: a change there is seen at once. */
static void
files_outside_the_repository_are_reread_when_they_change(void)
{
	static const struct {
		const char *set_up, *change, *path;
	} ways[] = {
		{"mkdir -p p/w/.git", "printf '[core]\n\thooksPath = ../t\n' >p/w/.git/config",
		 "w/.git/config"},
		{"mkdir -p p/w/.git", "printf '[core]\n\thooksPath = ../t\n' >p/w/.git/config",
		 "W/.GIT/Config"},
		{"mkdir -p p/w p/x/g; ln -s ../x/g p/w/.git",
		 "printf '[core]\n\thooksPath = ../t\n' >p/x/g/config", "x/g/config"},
		{"mkdir -p p/w; ln -s ../x/g p/w/.git",
		 "mkdir -p p/x/g; printf '[core]\n\thooksPath = ../t\n' >p/x/g/config", "x"},
		{"mkdir -p p/w p/x/g; echo 'gitdir: ../x/g' >p/w/.git",
		 "printf '[core]\n\thooksPath = ../t\n' >p/x/g/config", "x/g/config"},
		{"mkdir -p p/w p/x; echo 'gitdir: ../x/g' >p/x/p; ln -s ../x/p p/w/.git",
		 "mkdir -p p/y; printf '[core]\n\thooksPath = ../t\n' >p/y/config; echo 'gitdir: ../y' >p/x/p",
		 "x/p"},
		{"mkdir -p p/w/.git p/x; printf '[include]\n\tpath = ../../x/i\n' >p/w/.git/config",
		 "printf '[core]\n\thooksPath = ../t\n' >p/x/i", "x/i"},
		{"mkdir -p p/w/.git p/x p/y; echo ../../x >p/w/.git/commondir",
		 "printf '[core]\n\thooksPath = ../t\n' >p/x/config", "x"},
		{"mkdir -p p/w/.git p/x; ln -s ../../x/c p/w/.git/commondir",
		 "mkdir -p p/y; echo ../../y >p/x/c; printf '[core]\n\thooksPath = ../t\n' >p/y/config",
		 "x/c"},
		{"mkdir -p p/w/.git p/x; ln -s ../../x/c p/w/.git/config.worktree",
		 "printf '[core]\n\thooksPath = ../t\n' >p/x/c", "x/c"},
		{"mkdir -p p/w/.git p/x; printf '[core]\n\thooksPath = ../l/h\n' >p/w/.git/config; ln -s x p/l",
		 "rm p/l; mkdir -p p/y/h; ln -s y p/l; rm -rf p/t; ln -s y/h p/t", "l"},
		{"mkdir -p p/w/.git p/x; ln -s ../../x p/w/.git/modules",
		 "mkdir -p p/x/m/objects; echo ref >p/x/m/HEAD; printf '[core]\n\tworktree = ../../w\n\thooksPath = ../t\n' >p/x/m/config",
		 "x/m/HEAD"},
		{"mkdir -p p/w/.git", "printf '[core]\n\thooksPath = ../t\n' >p/w/.git/config",
		 "\303\204"},
	};
	auto_arena struct arena arena = {0};
	struct host host = a_host(&arena);

	for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
		struct git_repo_cache *memory = git_repo_cache_new(NULL);

		check_int(sh("rm -rf p/w p/x p/y p/t p/l; mkdir p/t"), 0);
		check_int(sh(ways[i].set_up), 0);
		check(!is_closed(memory, &host, "t/pre-commit"));
		check_int(sh(ways[i].change), 0);
		tell(memory, &host, ways[i].path);
		if (!is_closed(memory, &host, "t/pre-commit") &&
		    !is_closed(memory, &host, "y/h/pre-commit")) {
			printf("# not seen: %s\n", ways[i].change);
			check(false);
		}
		git_repo_cache_free(memory);
	}
	check_int(sh("rm -rf p/w p/x p/y p/t p/l"), 0);
}

static bool
is_known(const struct git_repo_list *roots, const char *path)
{
	for (size_t i = 0; i < roots->count; i++)
		if (strcmp(roots->items[i]->path, path) == 0)
			return true;
	return false;
}

/* Two minutes lie between one and the next, so each is over before another comes. */
static void
a_created_and_removed_repository_is_forgotten(void)
{
	struct git_repo_list roots;
	char path[PATH_MAX + 32], real[PATH_MAX + 32];
	int64_t time = git_repo_list_now();

	git_repo_list_start(&roots);
	snprintf(real, sizeof real, "%s/p/bare", base);
	check(git_repo_list_add_candidate(&roots, real, strlen(real), time));
	for (int i = 0; i < 10000; i++) {
		time += 120 * GIT_REPO_MOMENT_NS;
		snprintf(path, sizeof path, "%s/p/gone-%d", base, i);
		check(git_repo_list_add_candidate(&roots, path, strlen(path), time));
	}
	check(roots.count < 200);
	check(is_known(&roots, real));
	check(is_known(&roots, path));
	git_repo_list_end(&roots);
}

int
main(void)
{
	const char *tmp = getenv("TMPDIR");
	char made[256], command[PATH_MAX + 16];

	alarm(120);
	snprintf(made, sizeof made, "%s/hookmemory.XXXXXX", tmp == NULL ? "/tmp" : tmp);
	if (mkdtemp(made) == NULL || realpath(made, base) == NULL || sh(set_up) != 0) {
		printf("Bail out! nothing can be made in %s\n", made);
		return 1;
	}
	sem_init(&go_on, 0, 0);
	sem_init(&is_waiting, 0, 0);
	run(all_are_found_and_none_through_a_link);
	run(a_reached_limit_is_reported_and_packages_come_last);
	run(the_nearest_repositories_are_found_without_a_search);
	run(a_slow_read_does_not_delay_other_threads);
	run(a_moved_repository_is_found_at_its_new_path);
	run(a_new_repository_invalidates_no_other);
	run(files_outside_the_repository_are_reread_when_they_change);
	run(a_created_and_removed_repository_is_forgotten);
	snprintf(command, sizeof command, "rm -rf '%s'", base);
	check_int(system(command), 0);
	return tap_end();
}
