/* SPDX-License-Identifier: MIT */
/*
 * A macOS of a few processes, for tests of what asks it: the calls of the sandbox and of libproc, kill
 * and killpg, waiting and time. Every call is written down; every call can be made to fail, and things
 * can happen between two of them. Linked with --wrap, so that the code under test is the real one.
 */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysctl.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include "macos/process/libsandbox.h"
#include "macos/process/libsystem.h"
#include "sys/proc.h"
#include "wrapopen.h"

#define FAKE_ROOM 6000
#define FAKE_PAIRS 512
/* Numbers of our own: the real ones could be those of processes that are made up. */
#define FAKE_SELF 77
#define FAKE_PARENT 76
#define FAKE_GROUP 75

struct fake_process {
	pid_t pid, parent, group, session;
	uid_t euid, ruid;
	uint64_t started;
	/* 0 none; 1 ours; 2 another's; 3 denies all; 4 allows all; 5, 6 half the answer is an error */
	int sandbox;
	bool zombie;
	bool immortal; /* takes SIGKILL and stays */
	bool foreign;  /* kill says EPERM */
	int forks;     /* at each listing it starts one more, this many times */
	bool stopped;
	int hidden;  /* it is not listed that many times: a fork on its way */
	int signals; /* how many it got */
	/* a variable of its environment, which the system keeps to itself with a "-" in front */
	const char *variable;
};

static struct {
	struct fake_process all[FAKE_ROOM];
	int count;
	pid_t next;
	int64_t now_us;
	char log[1 << 16];
	/* faults */
	int list_fails; /* that many listings */
	int room;	/* a listing shows no more than these; 0: all */
	pid_t recycle;	/* when asked about, this number goes to a stranger */
	int init_result, init_errno;
	const char *init_message;
	bool has_library;	    /* libsandbox can be loaded */
	const char *lacks_function; /* without this one */
	const char *unknown[4];	    /* words that its compiler does not know */
	int compiled, params;	    /* of the library, not freed yet */
	bool init_does_nothing;	    /* success without effect */
	bool open_leaks;	    /* what is denied when asked is opened all the same */
	int frees, checks_reported;
	bool no_room;	    /* mmap fails */
	bool hides_zombies; /* as newer systems do */
	pid_t self;
	int self_sandbox;
	/* what was handed over */
	char profile[65536];
	char pairs[FAKE_PAIRS][300];
	int pair_count;
	const char *allowed, *denied; /* the fingerprint's, as far as the kernel knows */
	const char *written, *spelt;  /* a name, and how the disk spells it */
} fake;

/* The kernel's value; any but the guess that everybody hard-codes. */
const int SANDBOX_CHECK_NO_REPORT = 0x20000000;

static void
fake_note(const char *format, ...)
{
	size_t used = strlen(fake.log);
	va_list args;

	va_start(args, format);
	vsnprintf(fake.log + used, sizeof fake.log - used, format, args);
	va_end(args);
}

static void
fake_reset(void)
{
	memset(&fake, 0, sizeof fake);
	fake.next = 1000;
	fake.self = FAKE_SELF;
	fake.allowed = "/fp/allow";
	fake.denied = "/fp/deny";
}

static struct fake_process *
fake_add(int sandbox, pid_t parent)
{
	struct fake_process *process = &fake.all[fake.count++];

	if (fake.count == FAKE_ROOM)
		abort();
	*process =
		(struct fake_process){.pid = fake.next,
				      .parent = parent,
				      .group = fake.next,
				      .session = fake.next,
				      .euid = getuid(),
				      .ruid = getuid(),
				      .started = (uint64_t)fake.next * 1000 + (uint64_t)fake.now_us,
				      .sandbox = sandbox};
	fake.next++;
	return process;
}

static struct fake_process *
fake_find(pid_t pid)
{
	for (int i = 0; i < fake.count; i++)
		if (fake.all[i].pid == pid)
			return &fake.all[i];
	return NULL;
}

static int __attribute__((unused)) fake_alive(int sandbox)
{
	int alive = 0;

	for (int i = 0; i < fake.count; i++)
		alive += fake.all[i].pid > 0 && fake.all[i].sandbox == sandbox &&
			 !fake.all[i].zombie;
	return alive;
}

/* ---- libproc ---- */

static void
fake_fork_storm(void)
{
	int count = fake.count;

	for (int i = 0; i < count; i++) {
		struct fake_process *process = &fake.all[i];

		if (process->pid <= 0 || process->zombie || process->forks == 0)
			continue;
		process->forks--;
		/* an orphan from the start, in a group of its own: setsid and a double fork */
		fake_add(process->sandbox, 1)->forks = process->forks;
	}
}

int
proc_listpids(uint32_t type, uint32_t user, void *buffer, int size)
{
	pid_t *to = buffer;
	int count = 0, room = size / (int)sizeof *to;

	fake_note("list%u ", type);
	if (fake.list_fails > 0) {
		fake.list_fails--;
		errno = ENOMEM;
		return 0;
	}
	if (fake.room > 0 && fake.room < room)
		room = fake.room;
	/* the calling process always exists */
	to[count++] = fake.self;
	for (int i = 0; i < fake.count && type == PROC_PPID_ONLY && count <= room; i++)
		if (fake.all[i].pid > 0 && fake.all[i].parent == (pid_t)user)
			to[count++ - 1] = fake.all[i].pid;
	if (type == PROC_PPID_ONLY)
		return (count - 1) * (int)sizeof *to;
	for (int i = 0; i < fake.count && count < room; i++) {
		struct fake_process *process = &fake.all[i];

		if (process->hidden > 0) {
			process->hidden -= type == PROC_RUID_ONLY;
			continue;
		}
		if (process->pid > 0 &&
		    (type == PROC_UID_ONLY ? process->euid : process->ruid) == (uid_t)user)
			to[count++] = process->pid;
	}
	if (count == room)
		for (room = size / (int)sizeof *to; count < room; count++)
			to[count] = 0;
	/* between the look and the signals */
	if (type == PROC_RUID_ONLY)
		fake_fork_storm();
	return count * (int)sizeof *to;
}

int
proc_pidinfo(int pid, int flavor, uint64_t arg, void *buffer, int size)
{
	const struct fake_process *process = fake_find(pid);
	struct proc_bsdinfo *to = buffer;

	if (flavor == PROC_PIDTASKINFO && size == (int)sizeof(struct proc_taskinfo)) {
		*(struct proc_taskinfo *)buffer = (struct proc_taskinfo){.pti_resident_size = 4096};
		return process == NULL ? 0 : size;
	}
	if (flavor != PROC_PIDTBSDINFO || size != (int)sizeof *to || arg > 1)
		abort();
	/* a zombie is only found by its own pid */
	if (process == NULL || (process->zombie && arg == 0 && fake.hides_zombies)) {
		errno = ESRCH;
		return 0;
	}
	memset(to, 0, sizeof *to);
	to->pbi_pid = (uint32_t)pid;
	to->pbi_ppid = (uint32_t)process->parent;
	to->pbi_pgid = (uint32_t)process->group;
	to->pbi_status = process->zombie ? SZOMB : 2;
	to->pbi_start_tvsec = process->started / 1000000;
	to->pbi_start_tvusec = process->started % 1000000;
	snprintf(to->pbi_comm, sizeof to->pbi_comm, "p%d", pid);
	return size;
}

/* A count, the program's path filled up with zeros, arguments, environment. */
static size_t
fake_arguments(const struct fake_process *process, char *to)
{
	static const char head[] = "/bin/p\0\0\0p\0"
				   "CORDON_TRACK=ffffffffffffffff\0PATH=/bin";
	const int count = 2;
	size_t length = sizeof count + sizeof head;

	memcpy(to, &count, sizeof count);
	memcpy(to + sizeof count, head, sizeof head);
	if (process->variable != NULL && *process->variable != '-') {
		memcpy(to + length, process->variable, strlen(process->variable) + 1);
		length += strlen(process->variable) + 1;
	}
	return length;
}

int
sysctl(int *name, unsigned count, void *old, size_t *old_length, void *new, size_t new_length)
{
	const struct fake_process *process = fake_find(name[2]);

	if (count != 3 || name[0] != CTL_KERN || name[1] != KERN_PROCARGS2 || new != NULL ||
	    new_length != 0 || *old_length != 1 << 20)
		abort();
	if (process == NULL || process->euid != getuid()) {
		errno = EINVAL;
		return -1;
	}
	*old_length = fake_arguments(process, old);
	return 0;
}

/* ---- the sandbox ---- */

static int
fake_decide(int sandbox, const char *path)
{
	static const int answers[][2] = {{0, 0}, {0, 1}, {1, 1}, {1, 1}, {0, 0}, {0, -1}, {-1, 1}};

	return answers[sandbox][strcmp(path, fake.denied) == 0];
}

int
sandbox_check(pid_t pid, const char *operation, int type, ...)
{
	struct fake_process *process = fake_find(pid);
	const char *path;
	va_list args;
	int answer;

	va_start(args, type);
	path = va_arg(args, const char *);
	va_end(args);
	if (strcmp(operation, "file-read-data") != 0 || (type & 0xffff) != LIBSYSTEM_FILTER_PATH ||
	    (strcmp(path, fake.allowed) != 0 && strcmp(path, fake.denied) != 0))
		abort();
	if (!(type & SANDBOX_CHECK_NO_REPORT))
		fake.checks_reported++;
	if (pid == fake.self)
		return fake_decide(fake.self_sandbox, path);
	if (process == NULL)
		return -1;
	answer = fake_decide(process->sandbox, path);
	/* it ends, and its pid is given to a process that is not ours */
	if (pid == fake.recycle && strcmp(path, fake.allowed) == 0) {
		fake.recycle = 0;
		process->started += 5;
		process->sandbox = 0;
	}
	return answer;
}

int
sandbox_init_with_parameters(const char *profile, uint64_t flags, const char *const parameters[],
			     char **errorbuf)
{
	fake_note("init ");
	if (flags != 0)
		abort();
	snprintf(fake.profile, sizeof fake.profile, "%s", profile);
	for (fake.pair_count = 0; parameters[fake.pair_count] != NULL; fake.pair_count++)
		if (fake.pair_count < FAKE_PAIRS)
			snprintf(fake.pairs[fake.pair_count], sizeof fake.pairs[0], "%s",
				 parameters[fake.pair_count]);
	if (fake.init_message != NULL)
		*errorbuf = strdup(fake.init_message);
	errno = fake.init_errno;
	if (fake.init_result == 0 && !fake.init_does_nothing)
		fake.self_sandbox = 1;
	return fake.init_result;
}

void
sandbox_free_error(char *errorbuf)
{
	fake_note("free ");
	fake.frees++;
	free(errorbuf);
}

/* ---- libsandbox ---- */

void *__wrap_dlopen(const char *path, int flags);
void *__wrap_dlsym(void *handle, const char *name);

static void *
fake_create_params(void)
{
	fake.params++;
	fake.pair_count = 0;
	return fake.pairs;
}

static int
fake_set_param(void *params, const char *name, const char *value)
{
	if (params != fake.pairs || fake.pair_count + 2 > FAKE_PAIRS)
		abort();
	snprintf(fake.pairs[fake.pair_count++], sizeof fake.pairs[0], "%s", name);
	snprintf(fake.pairs[fake.pair_count++], sizeof fake.pairs[0], "%s", value);
	return 0;
}

static void
fake_free_params(void *params)
{
	fake.params--;
	(void)params;
}

/* A word of the text that the compiler does not know, or NULL. */
static const char *
fake_unknown_in(const char *text)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-*";

	for (int i = 0; i < 4 && fake.unknown[i] != NULL; i++) {
		size_t length = strlen(fake.unknown[i]);
		const char *at = text;

		while ((at = strstr(at, fake.unknown[i])) != NULL) {
			if (strchr(letters, at[length]) == NULL && strchr(letters, at[-1]) == NULL)
				return fake.unknown[i];
			at += length;
		}
	}
	return NULL;
}

static struct libsandbox_profile *
fake_compile(const char *text, void *params, char **error)
{
	const char *unknown = fake_unknown_in(text);
	struct libsandbox_profile *profile;

	if (params != fake.pairs || strncmp(text, "(version 1)\n", 12) != 0)
		abort();
	fake_note("compile ");
	if (unknown != NULL && asprintf(error, "unbound variable: %s", unknown) < 0)
		abort();
	if (unknown != NULL)
		return NULL;
	profile = calloc(1, sizeof *profile);
	*profile =
		(struct libsandbox_profile){NULL, (const uint8_t *)strdup(text), strlen(text) + 1};
	fake.compiled++;
	return profile;
}

static int
fake_apply(struct libsandbox_profile *profile)
{
	fake_note("apply ");
	if (profile->builtin != NULL || profile->size != strlen((const char *)profile->data) + 1)
		abort();
	snprintf(fake.profile, sizeof fake.profile, "%s", (const char *)profile->data);
	errno = fake.init_errno;
	if (fake.init_result == 0 && !fake.init_does_nothing)
		fake.self_sandbox = 1;
	return fake.init_result;
}

static void
fake_free_profile(struct libsandbox_profile *profile)
{
	fake.compiled--;
	free((void *)(uintptr_t)profile->data);
	free(profile);
}

void *
__wrap_dlopen(const char *path, int flags)
{
	(void)flags;
	if (strcmp(path, "/usr/lib/libsandbox.1.dylib") != 0)
		abort();
	return fake.has_library ? &fake : NULL;
}

void *
__wrap_dlsym(void *handle, const char *name)
{
	static const struct {
		const char *name;
		void (*function)(void);
	} functions[] = {
		{"sandbox_create_params", (void (*)(void))fake_create_params},
		{"sandbox_set_param", (void (*)(void))fake_set_param},
		{"sandbox_free_params", (void (*)(void))fake_free_params},
		{"sandbox_compile_string", (void (*)(void))fake_compile},
		{"sandbox_apply", (void (*)(void))fake_apply},
		{"sandbox_free_profile", (void (*)(void))fake_free_profile},
	};
	void *found = NULL;

	if (handle != &fake)
		abort();
	for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
		if (strcmp(functions[i].name, name) == 0 &&
		    (fake.lacks_function == NULL || strcmp(fake.lacks_function, name) != 0))
			memcpy(&found, &functions[i].function, sizeof found);
	return found;
}

/* ---- the system ---- */

pid_t __wrap_getpid(void);
pid_t __wrap_getppid(void);
pid_t __wrap_getpgrp(void);
pid_t __wrap_getsid(pid_t pid);
void *__wrap_mmap(void *at, size_t size, int allow, int flags, int fd, off_t offset);
void *__wrap_mmap64(void *at, size_t size, int allow, int flags, int fd, off_t offset);
void *__real_mmap64(void *at, size_t size, int allow, int flags, int fd, off_t offset);
int __wrap_kill(pid_t pid, int signal);
int __wrap_killpg(pid_t group, int signal);
pid_t __wrap_waitpid(pid_t pid, int *status, int options);
int __wrap_nanosleep(const struct timespec *wanted, struct timespec *left);
int __wrap_clock_gettime(clockid_t clock, struct timespec *to);
int __wrap_fcntl64(int fd, int command, ...);
int __real_fcntl64(int fd, int command, ...);

pid_t
__wrap_getpid(void)
{
	return FAKE_SELF;
}

pid_t
__wrap_getppid(void)
{
	return FAKE_PARENT;
}

pid_t
__wrap_getpgrp(void)
{
	return FAKE_GROUP;
}

pid_t
__wrap_getsid(pid_t pid)
{
	const struct fake_process *process = fake_find(pid);

	return process == NULL ? -1 : process->session;
}

void *
__wrap_mmap64(void *at, size_t size, int allow, int flags, int fd, off_t offset)
{
	return fake.no_room ? MAP_FAILED : __real_mmap64(at, size, allow, flags, fd, offset);
}

void *
__wrap_mmap(void *at, size_t size, int allow, int flags, int fd, off_t offset)
{
	return __wrap_mmap64(at, size, allow, flags, fd, offset);
}

static void
fake_deliver(struct fake_process *process, int signal)
{
	process->signals += signal != 0;
	if (signal == SIGKILL && !process->immortal)
		process->pid = -process->pid;
	if (signal == SIGCONT)
		process->stopped = false;
}

int
__wrap_kill(pid_t pid, int signal)
{
	struct fake_process *process = fake_find(pid);

	if (signal != 0)
		fake_note("kill%d:%d ", signal, pid);
	if (pid <= 1 || pid == fake.self)
		abort();
	if (process == NULL || process->foreign) {
		errno = process == NULL ? ESRCH : EPERM;
		return -1;
	}
	fake_deliver(process, signal);
	return 0;
}

/* As macOS does it: EPERM if any member cannot be told or is a zombie; the others are told. */
int
__wrap_killpg(pid_t group, int signal)
{
	bool refused = false, any = false;

	fake_note("killpg%d:%d ", signal, group);
	if (group <= 1)
		abort();
	for (int i = 0; i < fake.count; i++) {
		struct fake_process *process = &fake.all[i];

		if (process->pid <= 0 || process->group != group)
			continue;
		any = true;
		if (process->foreign || process->zombie)
			refused = true;
		else
			fake_deliver(process, signal);
	}
	errno = refused ? EPERM : ESRCH;
	return any && !refused ? 0 : -1;
}

pid_t
__wrap_waitpid(pid_t pid, int *status, int options)
{
	(void)status, (void)options;
	/* never just anybody: that could be a child of the caller's */
	if (pid <= 0)
		abort();
	errno = ECHILD;
	return -1;
}

int
__wrap_nanosleep(const struct timespec *wanted, struct timespec *left)
{
	(void)left;
	fake_note("sleep ");
	fake.now_us += wanted->tv_sec * 1000000 + wanted->tv_nsec / 1000;
	return 0;
}

int
__wrap_clock_gettime(clockid_t clock, struct timespec *to)
{
	(void)clock;
	/* time goes on by itself too, or a loop that never sleeps would never end */
	fake.now_us += 10;
	*to = (struct timespec){fake.now_us / 1000000, fake.now_us % 1000000 * 1000};
	return 0;
}

/* What the profile denies the kernel does not open. */
static int
fake_open(const char *path, int flags, mode_t mode)
{
	if (!(flags & O_CREAT) && fake.self_sandbox != 0 && !fake.open_leaks &&
	    fake_decide(fake.self_sandbox, path) != 0) {
		errno = EPERM;
		return -1;
	}
	return __real_open64(path, flags, mode);
}

WRAP_OPEN(fake_open)

/* F_GETPATH: the name of an open file as the disk has it. Nothing else is asked for here. */
int
__wrap_fcntl64(int fd, int command, ...)
{
	char link[40], *to;
	ssize_t length;
	va_list args;

	va_start(args, command);
	to = va_arg(args, char *);
	va_end(args);
	if (command != F_GETPATH)
		return __real_fcntl64(fd, command, to);
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	length = readlink(link, to, PATH_MAX - 1);
	if (length < 0)
		return -1;
	to[length] = '\0';
	if (fake.written != NULL && strcmp(to, fake.written) == 0)
		strcpy(to, fake.spelt);
	return 0;
}
