/* SPDX-License-Identifier: MIT */
/*
 * The caller: a thread of a process of its own, that makes one plain call after the other and reports what the kernel
 * answered. The memory in which it gets a path is shared, so the path has the same address in both processes.
 */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "lookup_tree.h"

enum mode { HOLD, HOLD_LINK, CREATE, CREATE_NEW, MKDIR, RMDIR, UNLINK, MODES };

struct id {
	dev_t device;
	ino_t inode;
	mode_t mode;
	bool is_proc, is_removed;
};

struct caller {
	pid_t process;
	_Atomic pid_t thread;
	sem_t asked, answered;
	const struct tree *tree;
	enum mode mode;
	int folder;
	char path[2 * PATH_MAX];
	int why; /* 0, or errno; then of the rest nothing is set */
	struct id id;
	char name[PATH_MAX]; /* of what a call created */
};

static inline bool
id_of(int fd, struct id *to)
{
	struct statfs fs;
	struct stat at;

	if (fstat(fd, &at) != 0 || fstatfs(fd, &fs) != 0)
		return false;
	*to = (struct id){at.st_dev, at.st_ino, at.st_mode, fs.f_type == PROC_SUPER_MAGIC,
			  at.st_nlink == 0};
	return true;
}

static inline bool
id_same(const struct id *a, const struct id *b)
{
	return a->device == b->device && a->inode == b->inode;
}

/* Tells what fd is, and closes it. */
static inline int
tell(struct caller *caller, int fd)
{
	char link[40];
	ssize_t n;

	if (fd < 0)
		return errno;
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	n = readlink(link, caller->name, sizeof caller->name - 1);
	caller->name[n < 0 ? 0 : n] = '\0';
	if (!id_of(fd, &caller->id))
		broken();
	close(fd);
	return 0;
}

/* What was removed is put back, if the path still leads there: later calls should find something. */
static inline int
take_away(struct caller *caller, int flag)
{
	int held = openat(caller->folder, caller->path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	char text[PATH_MAX];
	ssize_t n = held < 0 ? -1 : readlinkat(held, "", text, sizeof text - 1);

	text[n < 0 ? 0 : n] = '\0';
	if (held >= 0)
		tell(caller, held);
	if (unlinkat(caller->folder, caller->path, flag) != 0)
		return errno;
	if (held < 0)
		broken();
	if (S_ISDIR(caller->id.mode))
		mkdirat(caller->folder, caller->path, caller->id.mode & 07777);
	else if (S_ISLNK(caller->id.mode))
		symlinkat(text, caller->folder, caller->path);
	else
		mknodat(caller->folder, caller->path, caller->id.mode, 0);
	return 0;
}

static inline int
make_directory(struct caller *caller)
{
	if (mkdirat(caller->folder, caller->path, 0755) != 0)
		return errno;
	return tell(caller, openat(caller->folder, caller->path, O_PATH | O_NOFOLLOW | O_CLOEXEC));
}

static inline int
make_call(struct caller *caller)
{
	const int create = O_CREAT | O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
	int folder = caller->folder;

	switch (caller->mode) {
	case HOLD:
		return tell(caller, openat(folder, caller->path, O_PATH | O_CLOEXEC));
	case HOLD_LINK:
		return tell(caller, openat(folder, caller->path, O_PATH | O_NOFOLLOW | O_CLOEXEC));
	case CREATE:
		return tell(caller, openat(folder, caller->path, create, 0640));
	case CREATE_NEW:
		return tell(caller, openat(folder, caller->path, create | O_EXCL, 0640));
	case MKDIR:
		return make_directory(caller);
	case RMDIR:
		return take_away(caller, AT_REMOVEDIR);
	default:
		return take_away(caller, 0);
	}
}

static inline int
removed_directory(void)
{
	char path[] = "/tmp/lookup.XXXXXX";
	int fd = mkdtemp(path) == NULL ? -1 : open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	rmdir(path);
	return fd;
}

static inline int
open_base(struct tree *tree, int number, int ends[2])
{
	switch (number) {
	case 0:
		return open_deep(tree);
	case 1:
		return removed_directory();
	case 2:
		return ends[0];
	case 3:
		return ends[1];
	case 4:
		return open("/", O_PATH | O_CLOEXEC);
	case 5:
		return open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	default:
		return open(tree->dirs[draw(tree, tree->dir_count)],
			    (number & 1 ? O_PATH : O_RDONLY) | O_DIRECTORY | O_CLOEXEC);
	}
}

static inline void
open_bases(struct caller *caller)
{
	struct tree tree = *caller->tree;
	int ends[2], fd, cwd;

	if (pipe2(ends, O_CLOEXEC) != 0)
		broken();
	for (int i = 0; i < BASES; i++) {
		fd = open_base(&tree, i, ends);
		if (fd >= 0 && dup3(fd, FIRST_BASE + i, O_CLOEXEC) < 0)
			broken();
		close(fd);
	}
	cwd = (int)draw(&tree, 16);
	if (cwd < BASES && fchdir(FIRST_BASE + cwd) == 0)
		return;
	/* where a mount hides it, the caller stays where it is */
	if (chdir(tree.dirs[draw(&tree, tree.dir_count)]) != 0 && chdir(tree.root) != 0)
		return;
}

static inline void *
caller_main(void *argument)
{
	struct caller *caller = argument;

	caller->thread = (pid_t)syscall(SYS_gettid);
	for (;;) {
		sem_post(&caller->answered);
		while (sem_wait(&caller->asked) != 0)
			if (errno != EINTR)
				broken();
		caller->why = make_call(caller);
	}
	return NULL;
}

static inline bool
caller_wait(struct caller *caller)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 20;
	return sem_timedwait(&caller->answered, &until) == 0;
}

/* The kernel's answer to the path in caller->path. */
static inline void
caller_ask(struct caller *caller, enum mode mode, int folder)
{
	caller->mode = mode;
	caller->folder = folder;
	*caller->name = '\0';
	sem_post(&caller->asked);
	if (!caller_wait(caller))
		broken();
}

static inline struct caller *
caller_start(const struct tree *tree)
{
	struct caller *caller = mmap(NULL, sizeof *caller, PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_t thread;
	pid_t process;

	if (caller == MAP_FAILED)
		broken();
	caller->tree = tree;
	sem_init(&caller->asked, 1, 0);
	sem_init(&caller->answered, 1, 0);
	process = fork();
	if (process != 0) {
		caller->process = process;
		if (process < 0 || !caller_wait(caller))
			broken();
		return caller;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	open_bases(caller);
	if (pthread_create(&thread, NULL, caller_main, caller) != 0)
		broken();
	for (;;)
		pause();
}
