// SPDX-License-Identifier: MIT
/*
 * Groups on the real kernel: made, entered, ended and removed, as root and as an ordinary user to whom
 * a cgroup was given. Every case runs in a child that lives in a cgroup of its own, and whatever it
 * leaves behind there is a failure.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "child.h"
#include "enforce/enforce.h"
#include "enforce/session_group.h"
#include "linux/cgroup/cgroup.h"
#include "tap.h"

#define PATIENCE 60000 /* ms; a condition that is met sooner is not waited for */

/* ---- a place of its own for each case ---- */

enum dir_entry {
	IN_PLACE = 0,	 /* alone in a cgroup that is ours */
	IN_LEAF = 1,	 /* in a leaf of one that is ours, where controllers can be switched on */
	KILLED_ONCE = 2, /* the cgroup was ended by cgroup.kill before we came */
};

static const struct group_wish no_limits = {.id = "0123456789abcdef"};

/* Where all of them are made; "" when the tests cannot make any. */
static char top[PATH_MAX];

static void
put(const char *folder, const char *file, const char *text)
{
	auto_fd int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || cgroup_write(fd, file, text) < 0) {
		printf("# %s/%s: %s\n", folder, file, strerror(errno));
		fflush(stdout);
		_exit(CHILD_BROKEN);
	}
}

static void
give(const char *folder, enum who who)
{
	static const char *const files[] = {"", "/cgroup.procs", "/cgroup.subtree_control",
					    "/cgroup.threads"};
	char path[PATH_MAX];

	for (size_t i = 0; who == AS_USER && geteuid() == 0 && i < 4; i++) {
		snprintf(path, sizeof path, "%.3800s%s", folder, files[i]);
		if (chown(path, CHILD_NOBODY, CHILD_NOBODY) < 0)
			_exit(CHILD_BROKEN);
	}
}

static void
make(char *path, const char *above, const char *name, enum who who)
{
	snprintf(path, PATH_MAX, "%.3800s/%s", above, name);
	if (mkdir(path, 0755) < 0) {
		printf("# %s: %s\n", path, strerror(errno));
		fflush(stdout);
		_exit(CHILD_BROKEN);
	}
	give(path, who);
}

/* In the child: enters its cgroup, changes its user, and calls function. */
static _Noreturn void
live(const char *home, enum who who, enum dir_entry spot, void (*function)(void))
{
	char leaf[PATH_MAX];

	if (spot == IN_LEAF) {
		make(leaf, home, "leaf", who);
		home = leaf;
	}
	if (spot == KILLED_ONCE)
		put(home, "cgroup.kill", "1");
	put(home, "cgroup.procs", "0");
	child_become(who);
	/* orphans of a case are not left to the machine */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	tap.failed_checks = 0;
	function();
	fflush(stdout);
	_exit(tap.failed_checks != 0);
}

static bool
becomes_empty(int folder)
{
	for (int waited = 0; waited < PATIENCE && !cgroup_is_empty(folder); waited += 5)
		poll(NULL, 0, 5);
	return cgroup_is_empty(folder);
}

/* Only the leaf is left, without processes. */
static void
check_left(const char *home, enum dir_entry spot)
{
	auto_fd int folder = open(home, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct stat st;

	/* newer kernels take a moment until a process that was waited for is gone from it */
	check(folder >= 0 && becomes_empty(folder));
	/* one for itself, one for "..", one for each cgroup in it */
	check_int(fstat(folder, &st), 0);
	check_int(st.st_nlink, spot == IN_LEAF ? 3 : 2);
	check(cgroup_kill(folder, PATIENCE));
	check_int(cgroup_clear(folder), 0);
	check_int(rmdir(home), 0);
}

static void
in_place(enum who who, enum dir_entry spot, void (*function)(void))
{
	static int count;
	char home[PATH_MAX], name[64];
	pid_t child;

	snprintf(name, sizeof name, "cordon-test-%d-%d", (int)getpid(), ++count);
	make(home, top, name, who);
	fflush(stdout);
	child = fork();
	if (child == 0)
		live(home, who, spot, function);
	check_int(child_wait(child), 0);
	check_left(home, spot);
}

/* Both ways where both are possible. */
static void
as_each(enum dir_entry spot, void (*function)(void))
{
	if (geteuid() == 0)
		in_place(AS_ROOT, spot, function);
	in_place(AS_USER, spot, function);
}

/* ---- what the cases share ---- */

static struct facts
facts_here(void)
{
	struct facts facts;
	struct cordon_error err = {0};

	check_int(enforce_probe(&facts, &err), 0);
	enforce_probe_limits(&facts);
	return facts;
}

static struct session_group
make_group(const struct group_wish *wish)
{
	struct facts facts = facts_here();
	struct session_group group = {.kind = GROUP_NONE, .folder = -1, .keeper_pipe = -1};
	struct cordon_error err = {0};

	check_int(session_group_select(&facts, wish, &group, &err), 0);
	check(access(group.path, F_OK) < 0);
	check_int(session_group_make(&group, &err), 0);
	check_str(err.text, "");
	check_int(group.kind, GROUP_CGROUP);
	return group;
}

static bool
is_gone(const char *path)
{
	return access(path, F_OK) < 0 && errno == ENOENT;
}

/* Waits until the group has this many processes. */
static bool
has_processes(const struct session_group *group, int wanted)
{
	struct group_usage usage = {0};

	for (int waited = 0; waited < PATIENCE; waited += 5) {
		if (session_group_measure(group, &usage) && usage.processes >= wanted)
			return true;
		poll(NULL, 0, 5);
	}
	printf("# %d processes, expected %d\n", usage.processes, wanted);
	return false;
}

/* Ends and removes it; there must be nothing left to reap but what was started. */
static void
end_group(struct session_group *group)
{
	char path[PATH_MAX];

	memcpy(path, group->path, sizeof path);
	check(session_group_kill(group, PATIENCE));
	check(session_group_is_empty(group));
	check_int(session_group_remove(group), 0);
	check(is_gone(path));
	check_int(group->kind, GROUP_NONE);
	while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
		;
}

static _Noreturn void
stay(const char *path)
{
	(void)path;
	for (;;)
		pause();
}

/* Starts this very program in the group, in one of its roles; argument is its path or NULL. */
struct role {
	const char *name;
	const struct session_group *group;
};

static void
become(const void *argument)
{
	const struct role *role = argument;
	char *const argv[] = {(char *)"test_session_group", (char *)role->name,
			      (char *)role->group->path, NULL};
	char *const envp[] = {(char *)"ASAN_OPTIONS=detect_leaks=0", NULL};

	execve("/proc/self/exe", argv, envp);
}

static pid_t
start(const struct session_group *group, const char *name)
{
	struct role role = {name, group};
	pid_t child = session_group_spawn(group, become, &role);

	if (child < 0)
		printf("# cannot start \"%s\": %s\n", name, strerror(errno));
	check(child > 0);
	return child;
}

/* ---- cases ---- */

static void
made_below(void)
{
	char own[PATH_MAX], path[PATH_MAX];
	struct session_group group = make_group(&no_limits);

	check(cgroup_find_own(own));
	snprintf(path, sizeof path, "%.3800s/cordon-%s", own, no_limits.id);
	check_str(group.path, path);
	check(!is_gone(path));
	check(session_group_is_empty(&group));
	check_int(session_group_remove(&group), 0);
	check(is_gone(path));
	check_int(session_group_remove(&group), 0);
}

static void
a_cgroup_is_created_below_ours_and_removed(void)
{
	as_each(IN_PLACE, made_below);
}

static void
a_session_without_a_cgroup_works(void)
{
	struct facts facts = {.system = SYSTEM_LINUX};
	struct session_group group = {0};
	struct group_usage usage;
	struct group_wish limited = {.id = "a", .memory = 1 << 30};
	struct cordon_error err = {0};

	check_int(session_group_select(&facts, &limited, &group, &err), -CORDON_E_GAP);
	check_int(session_group_select(&facts, &no_limits, &group, &err), 0);
	check_int(session_group_make(&group, &err), 0);
	check_int(group.kind, GROUP_NONE);
	check_int(child_wait(start(&group, "three")), 3);
	check(session_group_kill(&group, 0));
	check(session_group_is_empty(&group));
	check(!session_group_hit_memory(&group) && !session_group_hit_processes(&group));
	check(!session_group_measure(&group, &usage));
	check_int(session_group_remove(&group), 0);
	group = (struct session_group){0};
	check_int(session_group_remove(&group), 0);
	check(fcntl(0, F_GETFD) >= 0);
}

static void
cgroup_names_cannot_lead_elsewhere(void)
{
	static const char *const names[] = {"", "a/b", "..", "../x", "a b", "a\n"};
	struct facts facts = facts_here();
	struct session_group group;

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		struct group_wish wish = {.id = names[i]};

		check_int(session_group_select(&facts, &wish, &group, NULL), -CORDON_E_USAGE);
	}
}

/* Says by its status whether it is where it should be. */
static _Noreturn void
tell_place(const char *path)
{
	char own[PATH_MAX];

	_exit(cgroup_find_own(own) && strcmp(own, path) == 0 ? 7 : 8);
}

static void
born_inside(void)
{
	struct session_group group = make_group(&no_limits);

	/* again and again: the group stays usable */
	for (int i = 0; i < 3; i++)
		check_int(child_wait(start(&group, "tell_place")), 7);
	end_group(&group);
}

static void
a_child_starts_in_the_cgroup(void)
{
	as_each(IN_PLACE, born_inside);
}

static void
a_child_joins_the_cgroup_where_clone_into_it_is_killed(void)
{
	char path[PATH_MAX];

	/* BASELINE(5.14): no cgroup.kill, and so no such kernel */
	snprintf(path, sizeof path, "%.3800s/cordon-test-kill-%d", top, (int)getpid());
	check_int(mkdir(path, 0755), 0);
	strcat(path, "/cgroup.kill");
	as_each(access(path, F_OK) == 0 ? KILLED_ONCE : IN_PLACE, born_inside);
	*strrchr(path, '/') = '\0';
	check_int(rmdir(path), 0);
}

static void
ended_and_used_again(void)
{
	struct session_group group = make_group(&no_limits);
	pid_t child = start(&group, "stay");

	check(session_group_kill(&group, PATIENCE));
	check_int(child_wait(child), -SIGKILL);
	check(session_group_kill(&group, PATIENCE));
	check_int(child_wait(start(&group, "tell_place")), 7);
	end_group(&group);
}

static void
a_killed_cgroup_can_be_joined_again(void)
{
	as_each(IN_PLACE, ended_and_used_again);
}

static void
must_not_run(const void *argument)
{
	*(volatile int *)(uintptr_t)argument = 1;
	_exit(0);
}

static void
no_child_runs_if_the_cgroup_cannot_be_joined(void)
{
	struct session_group gone = {.kind = GROUP_CGROUP,
				     .folder = -1,
				     .procs_fd = -1,
				     .keeper_pipe = -1};
	volatile int ran = 0;

	gone.folder = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	check_int(session_group_spawn(&gone, must_not_run, (const void *)&ran), -1);
	check_int(errno, ENOENT);
	check_int(ran, 0);
	close(gone.folder);
	check_int(waitpid(-1, NULL, 0), -1);
}

/* ---- ending ---- */

/* Forks as fast as it can, each child going on for it. */
static _Noreturn void
storm(void)
{
	for (;;) {
		pid_t child = fork();

		if (child < 0)
			poll(NULL, 0, 1);
		else if (child > 0)
			_exit(0);
		setsid();
	}
}

static _Noreturn void
breed(const char *path)
{
	(void)path;
	/* those that hop, those that wait, those that will not hear, those that stand still */
	for (int i = 0; i < 100; i++) {
		if (fork() != 0)
			continue;
		setsid();
		if (i % 10 == 0)
			storm();
		if (i % 10 == 1)
			for (int number = 1; number < NSIG; number++)
				signal(number, SIG_IGN);
		if (i % 10 == 2)
			kill(getpid(), SIGSTOP);
		stay(NULL);
	}
	stay(NULL);
}

static void
hundred_end(void)
{
	struct session_group group = make_group(&no_limits);

	start(&group, "breed");
	check(has_processes(&group, 90));
	end_group(&group);
}

static void
a_hundred_forking_children_end(void)
{
	as_each(IN_PLACE, hundred_end);
}

/* Only the path is known, as to a supervisor whose guard was killed. */
static void
ended_by_path(void)
{
	struct session_group group = make_group(&no_limits), known = group;

	known.folder = known.procs_fd = -1;
	start(&group, "nest");
	check(has_processes(&known, 8));
	check(!session_group_is_empty(&known));
	end_group(&known);
	check(session_group_is_empty(&group));
	check_int(session_group_remove(&group), 0);
}

static void
a_cgroup_is_killed_by_its_path(void)
{
	as_each(IN_PLACE, ended_by_path);
}

static void
bystanders_live(void)
{
	struct group_wish other_wish = {.id = "other"};
	struct session_group group = make_group(&no_limits), other = make_group(&other_wish);
	pid_t outside = fork(), neighbour, inside;
	int status;

	if (outside == 0)
		stay(NULL);
	neighbour = start(&other, "stay");
	inside = start(&group, "stay");
	check(session_group_kill(&group, PATIENCE));
	check_int(child_wait(inside), -SIGKILL);
	check_int(waitpid(outside, &status, WNOHANG), 0);
	check_int(waitpid(neighbour, &status, WNOHANG), 0);
	check(!session_group_is_empty(&other));
	kill(outside, SIGKILL);
	check_int(child_wait(outside), -SIGKILL);
	end_group(&other);
	end_group(&group);
}

static void
processes_outside_the_cgroup_live_on(void)
{
	as_each(IN_PLACE, bystanders_live);
}

/* In the group: cgroups in cgroups, with processes in them, one name that tries to hide. */
static _Noreturn void
nest(const char *path)
{
	static const char *const names[] = {"a", "a/b", "a/b/c", "a/d", ".x", ".x/..y", "e"};
	char folder[PATH_MAX];

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		snprintf(folder, sizeof folder, "%.3800s/%s", path, names[i]);
		if (mkdir(folder, 0755) < 0)
			_exit(1);
		if (fork() == 0) {
			put(folder, "cgroup.procs", "0");
			stay(NULL);
		}
	}
	stay(NULL);
}

static void
nested_go(void)
{
	struct session_group group = make_group(&no_limits);

	start(&group, "nest");
	check(has_processes(&group, 8));
	/* not while a process is in it */
	check_int(rmdir(group.path), -1);
	end_group(&group);
}

static void
cgroups_created_inside_are_removed_too(void)
{
	as_each(IN_PLACE, nested_go);
}

/* Deeper than descriptors or a stack of names would reach. */
static void
deep_goes(void)
{
	struct session_group group = make_group(&no_limits);
	struct rlimit few = {32, 32};
	int fd = dup(group.folder);

	for (int depth = 0; depth < 400; depth++) {
		int below = -1;

		if (mkdirat(fd, "deep", 0755) == 0)
			below = openat(fd, "deep", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		check(below >= 0);
		if (below < 0)
			break;
		close(fd);
		fd = below;
	}
	check_int(cgroup_write(fd, "cgroup.freeze", "0"), 0);
	close(fd);
	setrlimit(RLIMIT_NOFILE, &few);
	end_group(&group);
}

static void
cgroups_nested_deeply_are_removed(void)
{
	as_each(IN_PLACE, deep_goes);
}

static void
frozen_ends(void)
{
	struct session_group group = make_group(&no_limits);

	start(&group, "stay");
	check_int(cgroup_write(group.folder, "cgroup.freeze", "1"), 0);
	check(!session_group_is_empty(&group));
	end_group(&group);
}

static void
a_frozen_cgroup_is_killed(void)
{
	as_each(IN_PLACE, frozen_ends);
}

static void
busy_is_said(void)
{
	struct session_group group = make_group(&no_limits);

	start(&group, "stay");
	check_int(session_group_remove(&group), -1);
	check_int(errno, EBUSY);
	check_int(group.kind, GROUP_CGROUP);
	end_group(&group);
}

static void
a_cgroup_with_processes_is_not_removed(void)
{
	as_each(IN_PLACE, busy_is_said);
}

/* ---- sessions that lost everybody ---- */

static void
dead_ends(void)
{
	struct session_group group = make_group(&no_limits);
	char path[PATH_MAX];

	start(&group, "nest");
	check(has_processes(&group, 8));
	memcpy(path, group.path, sizeof path);
	check_int(session_group_end_dead(path), 0);
	check(is_gone(path));
	check_int(session_group_end_dead(path), 0);
	/* a process that still has it open finds nothing, and reports that */
	check(session_group_is_empty(&group));
	end_group(&group);
}

static void
a_dead_session_is_killed_by_its_path(void)
{
	as_each(IN_PLACE, dead_ends);
}

static _Noreturn void
end_own(const char *path)
{
	_exit(session_group_end_dead(path) < 0 && errno == EBUSY ? 7 : 8);
}

static void
asked_from_inside(void)
{
	struct session_group group = make_group(&no_limits);

	check_int(child_wait(start(&group, "end_own")), 7);
	end_group(&group);
}

static void
a_dead_session_is_not_killed_from_inside(void)
{
	as_each(IN_PLACE, asked_from_inside);
}

static void
strange_paths(void)
{
	char own[PATH_MAX], path[PATH_MAX], folder[] = "/tmp/cordon-XXXXXX";
	const char *made = mkdtemp(folder);

	check(cgroup_find_own(own));
	/* its name could be one of ours */
	check_int(session_group_end_dead(own), -1);
	check_int(errno, EBUSY);
	check_int(session_group_end_dead("/sys/fs/cgroup"), -1);
	check_int(errno, EINVAL);
	snprintf(path, sizeof path, "%.3800s/cordon-x/../../cordon-y", own);
	check_int(session_group_end_dead(path), -1);
	check_int(errno, EINVAL);
	check(made != NULL && session_group_end_dead(made) < 0 && errno == EINVAL);
	check_int(session_group_end_dead("cordon-x"), -1);
	check_int(made == NULL ? 0 : rmdir(made), 0);
}

static void
only_cgroups_of_cordon_are_killed(void)
{
	as_each(IN_PLACE, strange_paths);
}

/* ---- limits ---- */

/* Takes memory until it is ended. */
static _Noreturn void
devour(const char *path)
{
	(void)path;
	for (int i = 0; i < 64; i++) {
		char *more = mmap(NULL, 4 << 20, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (more == MAP_FAILED)
			_exit(1);
		memset(more, 1, 4 << 20);
	}
	_exit(0);
}

static void
memory_is_limited(void)
{
	struct group_wish wish = {.id = "memory", .memory = 64 << 20};
	struct session_group group = make_group(&wish);
	struct group_usage usage = {0};
	pid_t child, waiting;

	child = fork();
	if (child == 0)
		devour(NULL);
	check_int(child_wait(child), 0);
	/* its neighbour takes nothing, and goes with it */
	waiting = start(&group, "stay");
	check(!session_group_hit_memory(&group));
	check(session_group_measure(&group, &usage) && usage.memory > 0 && usage.processes == 1);
	child = start(&group, "devour");
	check_int(child_wait(child), -SIGKILL);
	check_int(child_wait(waiting), -SIGKILL);
	check(session_group_hit_memory(&group));
	check(!session_group_hit_processes(&group));
	end_group(&group);
}

/* How many children it can have at once. */
static _Noreturn void
multiply(const char *path)
{
	int count = 0;

	(void)path;
	while (count < 20) {
		pid_t child = fork();

		if (child < 0)
			break;
		if (child == 0)
			stay(NULL);
		count++;
	}
	_exit(count);
}

static void
processes_are_limited(void)
{
	struct group_wish wish = {.id = "pids", .processes = 8};
	struct session_group group = make_group(&wish);

	check(!session_group_hit_processes(&group));
	check_int(child_wait(start(&group, "multiply")), 7);
	check(session_group_hit_processes(&group));
	check(!session_group_hit_memory(&group));
	end_group(&group);
}

/* What the facts say is true: where a limit cannot be had it is refused, and nothing stays. */
static void
limits_hold(void)
{
	struct facts facts = facts_here();
	struct group_wish wish = {.id = "refused", .memory = 64 << 20, .processes = 8};
	auto_fd int above = -1;
	struct session_group group;
	char path[PATH_MAX];

	/* where the kernel has them they can be had */
	check(cgroup_find_own(path));
	*strrchr(path, '/') = '\0';
	above = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	check_int(facts.values[FACT_CGROUP_MEMORY],
		  cgroup_has_word(above, "cgroup.controllers", "memory"));
	check_int(facts.values[FACT_CGROUP_PIDS],
		  cgroup_has_word(above, "cgroup.controllers", "pids"));

	/* the scopes of the user who runs the tests are for another test */
	facts.values[FACT_SCOPE] = 0;
	if (facts.values[FACT_CGROUP_MEMORY])
		memory_is_limited();
	if (facts.values[FACT_CGROUP_PIDS])
		processes_are_limited();
	if (!facts.values[FACT_CGROUP_MEMORY] || !facts.values[FACT_CGROUP_PIDS])
		check_int(session_group_select(&facts, &wish, &group, NULL), -CORDON_E_GAP);
	/* also when the facts are wrong */
	facts.values[FACT_CGROUP_MEMORY] = facts.values[FACT_CGROUP_PIDS] = 1;
	wish.memory = UINT64_MAX;
	wish.processes = UINT64_MAX;
	check_int(session_group_select(&facts, &wish, &group, NULL), 0);
	check_int(session_group_make(&group, NULL), -CORDON_E_GAP);
	check(is_gone(group.path));
	check_int(session_group_remove(&group), 0);
}

static void
limits_apply_to_all_processes_or_are_refused(void)
{
	as_each(IN_LEAF, limits_hold);
}

/* What doctor tries, here: it must hold wherever limits can be had, and leave nothing. */
static void
limits_proved(void)
{
	static const struct {
		enum guarantee guarantee;
		enum fact fact;
	} limits[] = {
		{G_LIMITS_MEMORY, FACT_CGROUP_MEMORY},
		{G_LIMITS_PROCESSES, FACT_CGROUP_PIDS},
	};
	struct facts facts = facts_here();

	for (size_t i = 0; i < 2; i++) {
		struct proof proof = {0};
		bool can = facts.values[limits[i].fact] || facts.values[FACT_SCOPE];

		check_int(enforce_prove(limits[i].guarantee, &proof, NULL),
			  can ? 0 : -CORDON_E_GAP);
		check_int(proof.denied, can);
		check_int(proof.allowed, can);
	}
}

static void
limits_are_tested_where_they_are_available(void)
{
	as_each(IN_LEAF, limits_proved);
}

/* A cgroup with processes gives no limits, and ours is asked for no more than it can do. */
static void
limits_without_a_leaf(void)
{
	struct facts facts = facts_here();

	check_int(facts.values[FACT_CGROUP], 1);
	check_int(facts.values[FACT_CGROUP_MEMORY], 0);
	check_int(facts.values[FACT_CGROUP_PIDS], 0);
}

static void
a_cgroup_with_processes_delegates_no_limits(void)
{
	in_place(AS_USER, IN_PLACE, limits_without_a_leaf);
}

/* A cgroup with processes that is divided by threads: none below it takes a process. */
static void
divided_by_threads(void)
{
	struct facts facts = facts_here();
	struct session_group group = {.kind = GROUP_NONE, .folder = -1, .keeper_pipe = -1};
	char own[PATH_MAX];

	check(cgroup_find_own(own));
	put(own, "cgroup.subtree_control", "+pids");
	check_int(session_group_select(&facts, &no_limits, &group, NULL), 0);
	check_int(session_group_make(&group, NULL), 0);
	check_int(group.kind, GROUP_NONE);
	check_int(child_wait(start(&group, "three")), 3);
	enforce_probe_limits(&facts);
	check_int(facts.values[FACT_CGROUP], 0);
}

static void
a_threaded_cgroup_gets_no_session(void)
{
	auto_fd int folder = open(top, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	/* on a hybrid mount the old hierarchy has it */
	if (cgroup_has_word(folder, "cgroup.subtree_control", "pids"))
		as_each(IN_PLACE, divided_by_threads);
}

/* ---- the whole ---- */

/* Lets the places have limits, where this machine can. */
static void
prepare_top(void)
{
	struct group_wish wish = {.id = "x", .memory = 1, .processes = 1};
	auto_fd int folder = -1;

	if (!cgroup_is_delegated() || !cgroup_find_own(top)) {
		*top = '\0';
		return;
	}
	folder = open(top, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	cgroup_enable(folder, &wish);
}

static _Noreturn void
three(const char *path)
{
	(void)path;
	_exit(3);
}

/* What this program is when it runs inside a group. */
static _Noreturn void
play(const char *name, const char *path)
{
	static const struct {
		const char *name;
		void (*play)(const char *path);
	} roles[] = {
		{"stay", stay},	    {"three", three},	    {"tell_place", tell_place},
		{"breed", breed},   {"nest", nest},	    {"end_own", end_own},
		{"devour", devour}, {"multiply", multiply},
	};

	for (size_t i = 0; i < sizeof roles / sizeof roles[0]; i++)
		if (strcmp(roles[i].name, name) == 0)
			roles[i].play(path);
	_exit(CHILD_BROKEN);
}

int
main(int argc, char **argv)
{
	if (argc == 3)
		play(argv[1], argv[2]);
	prepare_top();
	if (*top == '\0') {
		printf("1..0 # SKIP no cgroup of the unified hierarchy is delegated to us\n");
		return 0;
	}
	run(a_session_without_a_cgroup_works);
	run(cgroup_names_cannot_lead_elsewhere);
	run(a_cgroup_is_created_below_ours_and_removed);
	run(a_child_starts_in_the_cgroup);
	run(a_child_joins_the_cgroup_where_clone_into_it_is_killed);
	run(a_killed_cgroup_can_be_joined_again);
	run(no_child_runs_if_the_cgroup_cannot_be_joined);
	run(a_hundred_forking_children_end);
	run(a_cgroup_is_killed_by_its_path);
	run(processes_outside_the_cgroup_live_on);
	run(cgroups_created_inside_are_removed_too);
	run(cgroups_nested_deeply_are_removed);
	run(a_frozen_cgroup_is_killed);
	run(a_cgroup_with_processes_is_not_removed);
	run(a_dead_session_is_killed_by_its_path);
	run(a_dead_session_is_not_killed_from_inside);
	run(only_cgroups_of_cordon_are_killed);
	run(limits_apply_to_all_processes_or_are_refused);
	run(limits_are_tested_where_they_are_available);
	run(a_cgroup_with_processes_delegates_no_limits);
	run(a_threaded_cgroup_gets_no_session);
	return tap_end();
}
