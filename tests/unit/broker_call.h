/* SPDX-License-Identifier: MIT */
/*
 * Calls answered by the broker without a kernel in between: a call is made up, its memory is read from
 * this process, and its answer is recorded instead of being sent. What the handlers do to files is real,
 * in a world of its own. The functions of notif.h that talk to the listener are wrapped by the linker.
 */
#pragma once

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "git/protect/git_repo_cache.h"
#include "linux/broker/broker.h"
#include "linux/landlock/brokered_trees.h"
#include "world.h"

/* ---- answers ---- */

enum how { NOT_ANSWERED, FAILED, RETURNED, CONTINUED, GIVEN };

static struct {
	pthread_mutex_t lock;
	int count; /* of a call there is one, whatever happens */
	enum how how;
	long long value; /* the errno, the result, or the fd */
	int valid;	 /* times that the caller is still there; negative: always */
	int interruption;
	int read_error;	 /* of the caller's memory */
	int allocations; /* before those that fail; negative: none does */
	bool ran_out;	 /* one did */
} notif = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void
record(enum how how, long long value)
{
	pthread_mutex_lock(&notif.lock);
	notif.how = how;
	notif.value = value;
	notif.count++;
	pthread_mutex_unlock(&notif.lock);
}

static bool
take_one(int *left)
{
	bool has_one;

	pthread_mutex_lock(&notif.lock);
	has_one = *left != 0;
	notif.ran_out = notif.ran_out || !has_one;
	*left -= *left > 0;
	pthread_mutex_unlock(&notif.lock);
	return has_one;
}

#define WRAP(type, name, ...)            \
	type __wrap_##name(__VA_ARGS__); \
	type __wrap_##name(__VA_ARGS__)

WRAP(void, notif_fail, const struct notif_call *request, int why)
{
	(void)request;
	record(FAILED, why);
}
WRAP(void, notif_return, const struct notif_call *request, int64_t value)
{
	(void)request;
	record(RETURNED, value);
}
WRAP(void, notif_continue, const struct notif_call *request)
{
	(void)request;
	record(CONTINUED, 0);
}
WRAP(void, notif_give, const struct notif_call *request, int fd, bool close_on_exec)
{
	(void)request, (void)close_on_exec;
	record(GIVEN, fd);
}
WRAP(void, notif_give_as, const struct notif_call *request, int fd, int number, bool close_on_exec)
{
	(void)request, (void)number, (void)close_on_exec;
	record(GIVEN, fd);
}
WRAP(void, notif_give_pair, const struct notif_call *request, const int pair[2], uint64_t address,
     bool close_on_exec)
{
	(void)request, (void)address, (void)close_on_exec;
	close(pair[1]);
	record(GIVEN, pair[0]);
}
WRAP(bool, notif_is_valid, const struct notif_call *request)
{
	(void)request;
	return take_one(&notif.valid);
}
WRAP(int, notif_interruption, const struct notif_call *request, int *looks)
{
	(void)request, (void)looks;
	return notif.interruption;
}

ssize_t __real_process_vm_readv(pid_t, const struct iovec *, unsigned long, const struct iovec *,
				unsigned long, unsigned long);
WRAP(ssize_t, process_vm_readv, pid_t pid, const struct iovec *here, unsigned long heres,
     const struct iovec *there, unsigned long theres, unsigned long flags)
{
	if (notif.read_error == 0)
		return __real_process_vm_readv(pid, here, heres, there, theres, flags);
	errno = notif.read_error;
	return -1;
}

static bool
has_memory(void)
{
	bool has_it = take_one(&notif.allocations);

	if (!has_it)
		errno = ENOMEM;
	return has_it;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
WRAP(void *, malloc, size_t size)
{
	return has_memory() ? __real_malloc(size) : NULL;
}
WRAP(void *, calloc, size_t count, size_t size)
{
	return has_memory() ? __real_calloc(count, size) : NULL;
}
WRAP(void *, realloc, void *old, size_t size)
{
	return has_memory() ? __real_realloc(old, size) : NULL;
}
WRAP(char *, strdup, const char *text)
{
	char *copy = has_memory() ? __real_malloc(strlen(text) + 1) : NULL;

	return copy == NULL ? NULL : strcpy(copy, text);
}

/* ---- a broker ---- */

struct session {
	struct world world;
	struct plan *plan;
	struct arena arena;
	struct broker broker;
	int events[2];
	pid_t caller; /* whose memory, directories and fds are read */
};

static inline void
session_make(struct session *s, int abi, const char *policy)
{
	memset(s, 0, sizeof *s);
	notif.valid = notif.allocations = -1;
	notif.interruption = notif.read_error = 0;
	world_make(&s->world);
	s->world.facts.values[FACT_LANDLOCK_ABI] = abi;
	s->plan = world_plan(&s->world, (struct said){.user = policy});
	broker_begin(&s->broker);
	s->broker.plan = s->plan;
	s->broker.has_own_fs = s->broker.deep.has_own_folder = true;
	s->broker.fold = casefold_new(&s->plan->index, s->world.project);
	s->broker.hooks = s->broker.names.memory = git_repo_cache_new(casefold_below);
	check_int(brokered_trees_find(&s->arena, s->plan, &s->broker.trees, NULL), 0);
	s->broker.own = open("/proc/self/fd", O_PATH | O_DIRECTORY | O_CLOEXEC);
	check_int(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, s->events),
		  0);
	s->broker.events = s->events[0];
	s->caller = (pid_t)syscall(SYS_gettid);
}

static inline void
session_free(struct session *s)
{
	notif.valid = notif.allocations = -1;
	close(s->broker.own);
	close(s->events[0]);
	close(s->events[1]);
	casefold_free(s->broker.fold);
	git_repo_cache_free(s->broker.hooks);
	plan_free(s->plan);
	arena_free(&s->arena);
	world_free(&s->world);
}
#define auto_session __attribute__((cleanup(session_free)))

/* How many refusals were reported since the last time. */
static inline int
session_reports(const struct session *s)
{
	char event[4096];
	int count = 0;

	while (recv(s->events[1], event, sizeof event, MSG_DONTWAIT) > 0)
		count++;
	return count;
}

/* ---- a call ---- */

struct made_call {
	struct session *session;
	int number;
	const uint64_t *args;
	int allocations;
};

/* In a thread with a directory and umask of its own, as those of the broker. */
static inline void *
call_main(void *argument)
{
	const struct made_call *made = argument;
	struct notif_call request = {.broker = &made->session->broker,
				     .deep = &made->session->broker.deep,
				     .listener = -1,
				     .thread = made->session->caller,
				     .notif.data.nr = made->number};

	if (unshare(CLONE_FS) < 0)
		return NULL;
	memcpy(request.notif.data.args, made->args, 6 * sizeof *made->args);
	notif.allocations = made->allocations;
	broker_answer(&request, 25);
	notif.allocations = -1;
	return NULL;
}

/* How it is answered; NOT_ANSWERED also if that is done later, in another thread. */
static inline enum how
call_make(struct session *s, int number, const uint64_t args[6])
{
	struct made_call made = {s, number, args, notif.allocations};
	pthread_t thread;

	notif.count = 0;
	notif.how = NOT_ANSWERED;
	notif.value = 0;
	notif.ran_out = false;
	notif.allocations = -1;
	check_int(pthread_create(&thread, NULL, call_main, &made), 0);
	check_int(pthread_join(thread, NULL), 0);
	check(notif.count <= 1);
	return notif.how;
}
#define call(session, number, ...) call_make(session, number, (const uint64_t[6]){__VA_ARGS__})
#define at(pointer) ((uint64_t)(uintptr_t)(pointer))
#define CWD ((uint64_t)(uint32_t)AT_FDCWD)

/* Is the names lock free, and how many fds are open? What a call took it gives back. */
static inline bool
names_are_free(struct session *s)
{
	bool is_free = pthread_rwlock_trywrlock(&s->broker.names.lock) == 0;

	if (is_free)
		pthread_rwlock_unlock(&s->broker.names.lock);
	return is_free;
}

static inline int
count_fds(void)
{
	int count = 0;

	for (int i = 0; i < 1024; i++)
		count += fcntl(i, F_GETFD) >= 0;
	return count;
}

#define check_failed(how, why)                 \
	do {                                   \
		check_int(how, FAILED);        \
		check_int(notif.value, (why)); \
	} while (0)
#define check_returned(how)                \
	do {                               \
		check_int(how, RETURNED);  \
		check_int(notif.value, 0); \
	} while (0)
