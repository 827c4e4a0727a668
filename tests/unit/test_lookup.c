// SPDX-License-Identifier: MIT
/*
 * Lookups of a caller's path are held against the kernel's own. A caller makes plain calls with random paths in random
 * trees; what a lookup found for the same path must be what these calls reached, or fail as they failed.
 *
 * LOOKUP_SEED=N repeats one tree; LOOKUP_SECONDS=N takes new trees for so long.
 */
#include <sched.h>
#include <sys/mount.h>

#include "base/fd.h"
#include "child.h"
#include "linux/broker/broker.h"
#include "linux/broker/long_name.h"
#include "linux/broker/lookup.h"
#include "linux/seccomp/syscalls.h"
#include "lookup_caller.h"
#include "tap.h"

#define TREES 4
#define PATHS 200
#define FINDINGS_MAX 10
#define NO_MAGIC_LINKS 2

static const char *const mode_names[MODES] = {"hold",  "hold link", "create", "create new",
					      "mkdir", "rmdir",	    "unlink"};

/* One path, and what the kernel said of it. */
struct trial {
	struct caller *caller;
	struct notif_call *request;
	enum mode mode;
	int folder;
	int base;	 /* -1: the path is absolute, or its start cannot be held */
	int base_why;	 /* 0: it can */
	bool is_removed; /* what is at the path has none any more */
	int findings;
};

/* The ends of long paths; bytes that a terminal would obey are shown by number. */
static void
print_path(const char *path)
{
	size_t length = strlen(path);

	for (size_t i = 0; i < length; i++) {
		if (i == 80 && length > 160) {
			printf("...");
			i = length - 80;
		}
		printf(path[i] < ' ' ? "\\x%02x" : "%c", (unsigned char)path[i]);
	}
}

static void
report(struct trial *trial, const char *what, int got)
{
	const struct caller *caller = trial->caller;

	trial->findings++;
	printf("# seed %llu, %s, fd %d, \"", (unsigned long long)caller->tree->first,
	       mode_names[trial->mode], trial->folder);
	print_path(caller->path);
	printf("\" (%zu): %s: %d; kernel: %d, inode %lu\n", strlen(caller->path), what, got,
	       caller->why, caller->why == 0 ? (unsigned long)caller->id.inode : 0);
}

static bool
id_at(int folder, const char *name, struct id *to)
{
	auto_fd int fd =
		openat(folder, *name == '\0' ? "." : name, O_PATH | O_NOFOLLOW | O_CLOEXEC);

	return fd >= 0 && id_of(fd, to);
}

static bool
is_at(const struct caller *caller, int folder, const char *name)
{
	struct id id;

	return id_at(folder, name, &id) && id_same(&id, &caller->id);
}

/* ---- objects ---- */

/* An object that the kernel reached without the step-by-step walk is reached again by the same path. */
static bool
is_reached_again(const struct trial *trial, bool nofollow)
{
	const uint64_t how[3] = {O_PATH | O_CLOEXEC | (nofollow ? O_NOFOLLOW : 0), 0,
				 NO_MAGIC_LINKS};
	auto_fd int fd =
		(int)syscall(SYS_openat2, trial->base, trial->caller->path, how, sizeof how);
	struct id id;

	return fd >= 0 && id_of(fd, &id) && id_same(&id, &trial->caller->id);
}

static void
try_object(struct trial *trial, enum lookup_follow follow)
{
	struct lookup found = LOOKUP_NONE;
	const struct caller *caller = trial->caller;
	struct id id;

	if (lookup(trial->request, trial->base, caller->path, LOOKUP_OBJECT, follow, &found) !=
	    LOOKUP_FOUND) {
		if (found.why != caller->why)
			report(trial, "lookup fails", found.why);
		if (found.object >= 0 || found.folder >= 0)
			report(trial, "keeps fds of a failure", found.object);
		return;
	}
	if (caller->why != 0)
		report(trial, "lookup finds", found.object);
	else if (found.object < 0 || !id_of(found.object, &id) || !id_same(&id, &caller->id))
		report(trial, "another object", found.object);
	else if (found.is_proc != id.is_proc)
		report(trial, "is_proc", found.is_proc);
	else if (!found.by_steps && !is_reached_again(trial, follow != LOOKUP_FOLLOW))
		report(trial, "by_steps", found.by_steps);
	auto_lookup_fn(&found);
}

/* ---- what may be created ---- */

/* As the broker does it: what is there is opened through the fd, what is not there is made. errno, or 0. */
static int
create_found(const struct lookup *found, enum mode mode)
{
	const int flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
	char link[40];
	auto_fd int fd = -1;
	struct id id = {0};

	if (found->object < 0 && found->is_proc)
		return ENOENT;
	if (found->object < 0)
		fd = openat(found->folder, found->name, flags | O_CREAT | O_EXCL | O_NOFOLLOW,
			    0640);
	else if (mode == CREATE_NEW)
		return EEXIST;
	else if (id_of(found->object, &id) && S_ISDIR(id.mode))
		return EISDIR;
	else {
		snprintf(link, sizeof link, "/proc/self/fd/%d", found->object);
		fd = open(link, flags);
	}
	if (fd < 0)
		return errno;
	if (found->object < 0)
		unlinkat(found->folder, found->name, 0);
	return 0;
}

static void
try_quick_place(struct trial *trial)
{
	struct lookup found = LOOKUP_NONE;
	struct id id;

	if (!lookup_new(trial->base, trial->caller->path, &found))
		return;
	if (lookup_is_procfs(found.folder)) {
		auto_lookup_fn(&found);
		return;
	}
	if (trial->caller->why == 0 && !is_at(trial->caller, found.folder, found.name) &&
	    !(id_at(found.folder, found.name, &id) && S_ISLNK(id.mode)))
		report(trial, "lookup_new: another place", 0);
	if (trial->caller->why == EISDIR && !id_at(found.folder, found.name, &id))
		report(trial, "lookup_new: a place", 0);
	auto_lookup_fn(&found);
}

static void
try_create(struct trial *trial)
{
	struct lookup found = LOOKUP_NONE;
	enum lookup_follow follow = trial->mode == CREATE_NEW ? LOOKUP_KEEP : LOOKUP_FOLLOW;
	struct caller *caller = trial->caller;
	bool is_found = lookup(trial->request, trial->base, caller->path, LOOKUP_NEW, follow,
			       &found) == LOOKUP_FOUND;
	int why;

	/* now the call itself: before, there was nothing */
	caller_ask(caller, trial->mode, trial->folder);
	try_quick_place(trial);
	if (!is_found) {
		if (found.why != caller->why)
			report(trial, "lookup fails", found.why);
		if (caller->why == 0)
			unlink(caller->name);
		return;
	}
	if (caller->why == 0) {
		struct id id = {0};

		if (found.object >= 0 ? !id_of(found.object, &id) || !id_same(&id, &caller->id)
				      : !is_at(caller, found.folder, found.name))
			report(trial, "another place", found.object);
		if (found.object < 0 && unlinkat(found.folder, found.name, 0) != 0)
			unlink(caller->name);
	} else {
		why = create_found(&found, trial->mode);
		if (why != caller->why)
			report(trial, "creating where lookup leads", why);
	}
	auto_lookup_fn(&found);
}

/* ---- places ---- */

/* Goes along a path of any length, by names that are no links. */
static bool
leads_to(const char *path, const struct id *id)
{
	int at = open("/", O_PATH | O_CLOEXEC);
	struct id is = {0};

	for (path += strspn(path, "/"); at >= 0 && *path != '\0'; path += strspn(path, "/")) {
		char name[NAME_MAX + 1];
		size_t length = strcspn(path, "/");
		int next = -1;

		if (length < sizeof name) {
			memcpy(name, path, length);
			name[length] = '\0';
			next = openat(at, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
		}
		close(at);
		at = next;
		path += length;
	}
	if (at < 0 || !id_of(at, &is))
		return false;
	close(at);
	return id_same(&is, id);
}

/* The path of a place is the one the kernel reports for what is there, or for its directory. */
static bool
is_canonical(const struct lookup *found)
{
	char name[PATH_MAX], link[40], path[PATH_MAX];
	auto_fd int fd = -1;
	struct id id;
	ssize_t n;

	strcpy(name, *found->name == '\0' ? "." : found->name);
	for (size_t end = strlen(name); end > 1 && name[end - 1] == '/'; end--)
		name[end - 1] = '\0';
	fd = openat(found->folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0) {
		fd = fcntl(found->folder, F_DUPFD_CLOEXEC, 0);
		if (strlen(found->path) < strlen(name) ||
		    strcmp(found->path + strlen(found->path) - strlen(name), name) != 0)
			return false;
	} else {
		*name = '\0';
	}
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof path - 1 - sizeof "/");
	if (n < 0 || (size_t)n + strlen(name) + 2 > sizeof path) {
		auto_free char *folder = strdup(found->path);

		if (*name != '\0')
			*strrchr(folder, '/') = '\0';
		return id_of(fd, &id) && leads_to(folder, &id);
	}
	path[n] = '\0';
	if (*name != '\0' && strcmp(path, "/") != 0)
		strcat(path, "/");
	strcat(path, name);
	return strcmp(path, found->path) == 0;
}

/* Can the kernel alone go there for us? Then nothing is left to the caller. */
static bool
is_within_reach(const struct trial *trial, enum lookup_follow follow)
{
	const uint64_t how[3] = {O_PATH | O_CLOEXEC | (follow == LOOKUP_FOLLOW ? 0 : O_NOFOLLOW), 0,
				 NO_MAGIC_LINKS};
	auto_fd int fd =
		(int)syscall(SYS_openat2, trial->base, trial->caller->path, how, sizeof how);
	struct id id;

	return fd >= 0 && id_of(fd, &id) && !id.is_proc && !id.is_removed;
}

static enum lookup_result
find_place(struct trial *trial, enum lookup_follow follow, struct lookup *found)
{
	enum lookup_result end = lookup_caller_path(trial->request, trial->folder,
						    (uint64_t)(uintptr_t)trial->caller->path,
						    follow, found);

	if (end != LOOKUP_FOUND && (found->folder >= 0 || found->path != NULL))
		report(trial, "keeps the place of a failure", found->folder);
	if (end == LOOKUP_ELSEWHERE && is_within_reach(trial, follow))
		report(trial, "left to the caller", (int)follow);
	if (end == LOOKUP_FOUND && !is_canonical(found)) {
		report(trial, "another canonical path", (int)follow);
		printf("#   name \"%s\", path \"%.300s\"\n", found->name, found->path);
	}
	if (end == LOOKUP_FOUND && !lookup_unchanged(found))
		report(trial, "changed", (int)follow);
	return end;
}

static void
try_place(struct trial *trial, enum lookup_follow follow)
{
	auto_lookup struct lookup found = LOOKUP_NONE;
	const struct caller *caller = trial->caller;
	enum lookup_result end = find_place(trial, follow, &found);
	struct id id;

	if (end == LOOKUP_FAILED && found.why != caller->why &&
	    !(found.why == ENOENT && trial->is_removed))
		report(trial, "no place", found.why);
	if (end != LOOKUP_FOUND)
		return;
	if (!id_at(found.folder, found.name, &id)) {
		if (errno != caller->why)
			report(trial, "nothing at the place", errno);
	} else if (caller->why != 0) {
		report(trial, "something at the place", (int)follow);
	} else if (!id_same(&id, &caller->id)) {
		report(trial, "something else at the place", (int)follow);
	}
}

static int
act(enum mode mode, const struct lookup *found)
{
	int rc = mode == MKDIR
			 ? mkdirat(found->folder, found->name, 0755)
			 : unlinkat(found->folder, found->name, mode == RMDIR ? AT_REMOVEDIR : 0);

	return rc == 0 ? 0 : errno;
}

/* Where something is made or removed: what the kernel refuses at the path, it refuses at the place. */
static void
try_change(struct trial *trial)
{
	auto_lookup struct lookup found = LOOKUP_NONE;
	struct caller *caller = trial->caller;
	enum lookup_result end = find_place(trial, LOOKUP_NAME, &found);
	bool is_found = end == LOOKUP_FOUND;
	struct id before = {0};
	int why;

	if (is_found && trial->mode != MKDIR)
		id_at(found.folder, found.name, &before);
	caller_ask(caller, trial->mode, trial->folder);
	if (end == LOOKUP_FAILED && found.why != caller->why &&
	    !(found.why == ENOENT && trial->is_removed))
		report(trial, "no place", found.why);
	if (caller->why == 0 && is_found) {
		if (trial->mode == MKDIR ? !is_at(caller, found.folder, found.name)
					 : !id_same(&before, &caller->id))
			report(trial, "another place", 0);
	} else if (is_found) {
		why = act(trial->mode, &found);
		if (why != caller->why)
			report(trial, "at the place", why);
	}
	if (caller->why == 0 && trial->mode == MKDIR)
		rmdir(caller->name);
}

/* ---- trials ---- */

static void
try_modes(struct trial *trial)
{
	struct caller *caller = trial->caller;
	/* as open does: neither an empty path nor one that is too long gets to the lookup */
	bool is_looked_up = *caller->path != '\0' && strlen(caller->path) < PATH_MAX &&
			    trial->base_why == 0;

	trial->mode = HOLD;
	caller_ask(caller, HOLD, trial->folder);
	trial->is_removed = caller->why == 0 && caller->id.is_removed;
	if (is_looked_up)
		try_object(trial, LOOKUP_FOLLOW);
	try_place(trial, LOOKUP_FOLLOW);
	trial->mode = HOLD_LINK;
	caller_ask(caller, HOLD_LINK, trial->folder);
	trial->is_removed = caller->why == 0 && caller->id.is_removed;
	if (is_looked_up)
		try_object(trial, LOOKUP_KEEP);
	try_place(trial, LOOKUP_KEEP);
	for (trial->mode = CREATE; is_looked_up && trial->mode <= CREATE_NEW; trial->mode++)
		try_create(trial);
	for (trial->mode = MKDIR; trial->mode <= UNLINK; trial->mode++)
		try_change(trial);
}

static int
count_fds(void)
{
	int count = 0;

	for (int fd = 0; fd < 256; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

static int
try_paths(struct tree *tree)
{
	auto_free struct long_names *deep = calloc(1, sizeof *deep);
	auto_free struct broker *broker = calloc(1, sizeof *broker);
	auto_free struct plan *plan = calloc(1, sizeof *plan);
	struct caller *caller = caller_start(tree);
	struct notif_call request = {.listener = -1,
				     .thread = caller->thread,
				     .deep = deep,
				     .broker = broker};
	struct trial trial = {.caller = caller, .request = &request};
	struct tree dice = *tree;
	int fds = count_fds();

	/* with and without what a container's runtime refuses */
	plan->facts.values[FACT_PIDFD_GETFD] = (int)(tree->first & 1);
	deep->has_own_folder = (tree->first & 2) != 0;
	broker->plan = plan;
	pthread_mutex_init(&deep->lock, NULL);
	for (int i = 0; i < PATHS && trial.findings < FINDINGS_MAX; i++) {
		trial.folder = draw_path(&dice, caller->process, caller->path);
		trial.base_why = 0;
		trial.base = *caller->path == '/'
				     ? -1
				     : notif_folder(&request, trial.folder, &trial.base_why);
		try_modes(&trial);
		if (trial.base >= 0)
			close(trial.base);
	}
	if (count_fds() != fds)
		trial.findings++, printf("# seed %llu: %d fds more than before\n",
					 (unsigned long long)tree->first, count_fds() - fds);
	for (int i = 0; i < DEEP_NAMES; i++)
		free(deep->folders[i].name);
	kill(caller->process, SIGKILL);
	child_wait(caller->process);
	munmap(caller, sizeof *caller);
	return trial.findings;
}

/* ---- positions of a caller ---- */

/* Where a tree is looked at from. */
struct position {
	enum who who;
	bool has_mounts;
};

static void
mount_in(struct tree *tree)
{
	char path[PATH_MAX];

	for (int i = 0; i < 6; i++) {
		const char *at = tree->dirs[draw(tree, tree->dir_count)];

		if (i % 3 == 0)
			mount(tree->dirs[draw(tree, tree->dir_count)], at, NULL, MS_BIND, NULL);
		if (i % 3 == 1)
			mount("proc", at, "proc", 0, NULL);
		if (i % 3 != 2 || mount("tmpfs", at, "tmpfs", 0, "mode=777,size=64k") != 0)
			continue;
		snprintf(path, sizeof path, "%.3000s/%s", at, tree->names[0]);
		mkdir(path, 0777);
		snprintf(path, sizeof path, "%.3000s/%s", at, tree->names[1]);
		symlink("..", path);
	}
}

static int
make_mounts_private(const void *unused)
{
	(void)unused;
	return unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0;
}

static int
try_tree(struct tree *tree, const struct position *position)
{
	if (position->has_mounts) {
		if (make_mounts_private(NULL) != 0)
			return CHILD_BROKEN;
		mount_in(tree);
	}
	child_become(position->who);
	prctl(PR_SET_DUMPABLE, 1);
	umask(022);
	return try_paths(tree);
}

static int
try_seed(uint64_t seed, const struct position *position)
{
	auto_free struct tree *tree = calloc(1, sizeof *tree);
	pid_t child;
	int findings;

	tree_grow(tree, seed, CHILD_NOBODY);
	fflush(stdout);
	child = fork();
	if (child == 0) {
		findings = try_tree(tree, position);
		fflush(stdout);
		_exit(findings);
	}
	findings = child_wait(child);
	check(tree_remove(tree));
	return findings;
}

static uint64_t
number_of(const char *name)
{
	const char *text = getenv(name);

	return text == NULL ? 0 : strtoull(text, NULL, 10);
}

static void
try_seeds(const struct position *position)
{
	uint64_t only = number_of("LOOKUP_SEED"), seconds = number_of("LOOKUP_SECONDS");
	uint64_t seed = seconds > 0 ? (uint64_t)time(NULL) << 20 : 1;
	time_t end = time(NULL) + (time_t)seconds;
	int trees = 0, findings = 0;

	if (only != 0) {
		check_int(try_seed(only, position), 0);
		return;
	}
	for (; findings == 0 && (seconds > 0 ? time(NULL) < end : trees < TREES); trees++)
		findings = try_seed(seed++, position);
	printf("# %d trees, %d paths each\n", trees, PATHS);
	check_int(findings, 0);
}

static void
lookups_agree_with_openat2(void)
{
	try_seeds(&(struct position){.who = AS_ROOT});
}

static void
as_an_ordinary_user(void)
{
	try_seeds(&(struct position){.who = AS_USER});
}

static void
through_mounts(void)
{
	try_seeds(&(struct position){.who = AS_ROOT, .has_mounts = true});
}

static void
through_mounts_as_an_ordinary_user(void)
{
	try_seeds(&(struct position){.who = AS_USER, .has_mounts = true});
}

static void
run_as_root(void (*function)(void), const char *name)
{
	if (child_can_be_root())
		tap_run(function, name);
	else
		printf("ok %d - %s # SKIP not root, or root of a container\n", ++tap.cases, name);
}

/* In a chroot the root is not a mount, so mounts would appear outside of the test. */
static void
run_with_mounts(void (*function)(void), const char *name)
{
	if (!child_can_be_root() || child_run(AS_ROOT, make_mounts_private, NULL) == 0)
		run_as_root(function, name);
	else
		printf("ok %d - %s # SKIP / is not a mount here\n", ++tap.cases, name);
}

int
main(void)
{
	run(lookups_agree_with_openat2);
	run_as_root(as_an_ordinary_user, "as_an_ordinary_user");
	run_with_mounts(through_mounts, "through_mounts");
	run_with_mounts(through_mounts_as_an_ordinary_user, "through_mounts_as_an_ordinary_user");
	return tap_end();
}
