// SPDX-License-Identifier: MIT
/*
 * One signal for a whole session: all in the layer get it and nobody else, and where the layer does
 * not keep signals in, nobody at all. What is tried here takes place in a process as the guard is one, whose
 * parent, and a bystander of the same user, are outside.
 */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "linux/landlock/ruleset.h"
#include "linux/process/kill_all.h"
#include "tap.h"

#define INSIDE 3

enum walls { WALLS_NONE, WALLS_FOR_FILES, WALLS_FOR_SIGNALS };

struct guard {
	enum walls walls;
	struct kill_all sweep;
	pid_t inside[INSIDE], bystander;
	bool is_held_up; /* its thread hears no order before it is let go */
	sem_t ready, let_go, went;
};

/* What became of it, for the test to see. */
struct seen {
	bool is_ready, is_sent;
	int dead; /* of those inside */
	bool bystander_lives;
	pid_t guard;
	sem_t parent_goes, parent_went;
};

static pid_t
start_waiting(void)
{
	pid_t pid = fork();

	if (pid == 0)
		for (;;)
			pause();
	return pid;
}

static bool
enter(enum walls walls)
{
	struct landlock_access handled = {.files = FILE_MAKE_BLOCK};
	struct cordon_error err;

	if (walls == WALLS_NONE)
		return true;
	if (walls == WALLS_FOR_SIGNALS)
		handled.scopes = SCOPE_SIGNAL;
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       ruleset_enter_unlogged(landlock_ruleset(&handled), landlock_version(NULL), false,
				      &err) == 0;
}

static void
wait_for(sem_t *event)
{
	while (sem_wait(event) < 0)
		;
}

/* As one that gets no processor. */
static void
hold_up(struct guard *guard)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	sem_post(&guard->ready);
	wait_for(&guard->let_go);
	/* what waits is heard before this returns */
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	sem_post(&guard->went);
}

static void *
thread_inside(void *argument)
{
	struct guard *guard = argument;

	kill_all_begin(&guard->sweep);
	if (enter(guard->walls)) {
		for (int i = 0; i < INSIDE; i++)
			guard->inside[i] = start_waiting();
		kill_all_ready(&guard->sweep);
	}
	if (guard->is_held_up)
		hold_up(guard);
	sem_post(&guard->ready);
	for (;;)
		pause();
	return NULL;
}

static void
start_guard(struct guard *guard, enum walls walls, bool is_held_up)
{
	pthread_t thread;

	*guard = (struct guard){.walls = walls, .is_held_up = is_held_up};
	guard->bystander = start_waiting();
	sem_init(&guard->ready, 0, 0);
	sem_init(&guard->let_go, 0, 0);
	sem_init(&guard->went, 0, 0);
	pthread_create(&thread, NULL, thread_inside, guard);
	wait_for(&guard->ready);
}

static void
look_and_end(struct guard *guard, struct seen *seen)
{
	int status;

	seen->is_ready = guard->sweep.thread > 0;
	/* they had the signal by now, or never will */
	for (int i = 0; i < INSIDE; i++) {
		if (!seen->is_sent)
			kill(guard->inside[i], SIGTERM);
		if (waitpid(guard->inside[i], &status, 0) == guard->inside[i] &&
		    WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
			seen->dead++;
	}
	seen->bystander_lives = waitpid(guard->bystander, &status, WNOHANG) == 0;
	kill(guard->bystander, SIGKILL);
	waitpid(guard->bystander, NULL, 0);
	_exit(0);
}

static struct seen *
seen_new(void)
{
	struct seen *seen =
		mmap(NULL, sizeof *seen, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	sem_init(&seen->parent_goes, 1, 0);
	sem_init(&seen->parent_went, 1, 0);
	return seen;
}

static struct seen *
sweep_with(enum walls walls)
{
	struct seen *seen = seen_new();
	struct guard guard;
	pid_t pid = fork();

	if (pid == 0) {
		start_guard(&guard, walls, false);
		seen->is_sent = kill_all_send(&guard.sweep, SIGKILL);
		look_and_end(&guard, seen);
	}
	check(waitpid(pid, NULL, 0) == pid);
	return seen;
}

static void
every_process_of_the_layer_is_killed_and_no_other(void)
{
	const struct seen *seen = sweep_with(WALLS_FOR_SIGNALS);

	check(seen->is_ready);
	check(seen->is_sent);
	check_int(seen->dead, INSIDE);
	check(seen->bystander_lives);
}

static void
expect_nothing(enum walls walls)
{
	const struct seen *seen = sweep_with(walls);

	check(!seen->is_ready);
	check(!seen->is_sent);
	check_int(seen->dead, 0);
	check(seen->bystander_lives);
}

static void
without_a_layer_nothing_is_sent(void)
{
	expect_nothing(WALLS_NONE);
}

static void
without_a_signal_scope_no_process_is_signalled(void)
{
	expect_nothing(WALLS_FOR_FILES);
}

/* The guard outlives a supervisor that is killed: what was shown before still holds. */
static void
processes_whose_parent_died_are_killed(void)
{
	struct seen *seen = seen_new();
	struct guard guard;
	pid_t parent = fork();

	if (parent == 0) {
		if (fork() > 0) {
			wait_for(&seen->parent_goes);
			_exit(0);
		}
		seen->guard = getpid();
		start_guard(&guard, WALLS_FOR_SIGNALS, false);
		sem_post(&seen->parent_goes);
		wait_for(&seen->parent_went);
		seen->is_sent = kill_all_send(&guard.sweep, SIGKILL);
		look_and_end(&guard, seen);
	}
	check(waitpid(parent, NULL, 0) == parent);
	sem_post(&seen->parent_went);
	/* it is ours now */
	check(waitpid(seen->guard, NULL, 0) == seen->guard);
	check(seen->is_sent);
	check_int(seen->dead, INSIDE);
	check(seen->bystander_lives);
}

/* Only the process itself gives the order: a signal of that number from anywhere else means nothing. */
static void
a_signal_of_another_process_kills_none(void)
{
	struct seen *seen = seen_new();
	struct guard guard;
	pid_t pid = fork();

	if (pid == 0) {
		start_guard(&guard, WALLS_FOR_SIGNALS, false);
		guard.sweep.signal = SIGKILL;
		seen->is_ready = syscall(SYS_tgkill, getpid(), guard.sweep.thread, SIGRTMIN + 1) ==
				 0;
		usleep(20000);
		look_and_end(&guard, seen);
	}
	check(waitpid(pid, NULL, 0) == pid);
	check(seen->is_ready);
	check_int(seen->dead, 0);
	check(seen->bystander_lives);
}

/* Who was not asked in time is asked by others: not once more afterwards. */
static struct seen *
sweep_late(int signal)
{
	struct seen *seen = seen_new();
	struct guard guard;
	pid_t pid = fork();

	if (pid == 0) {
		start_guard(&guard, WALLS_FOR_SIGNALS, true);
		seen->is_sent = kill_all_send(&guard.sweep, signal);
		sem_post(&guard.let_go);
		wait_for(&guard.went);
		/* the process that had it does not receive this any more */
		for (int i = 0; i < INSIDE; i++)
			kill(guard.inside[i], SIGKILL);
		look_and_end(&guard, seen);
	}
	check(waitpid(pid, NULL, 0) == pid);
	check(!seen->is_sent);
	check(seen->bystander_lives);
	return seen;
}

static void
a_request_after_the_timeout_is_not_sent(void)
{
	check_int(sweep_late(SIGTERM)->dead, INSIDE);
}

int
main(void)
{
	/* whose parent died comes to us */
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	run(without_a_layer_nothing_is_sent);
	if (landlock_version(NULL) < 6) {
		printf("ok %d - every_process_of_the_layer_is_killed_and_no_other # SKIP needs Landlock ABI 6\n",
		       ++tap.cases);
		return tap_end();
	}
	run(without_a_signal_scope_no_process_is_signalled);
	run(every_process_of_the_layer_is_killed_and_no_other);
	run(processes_whose_parent_died_are_killed);
	run(a_signal_of_another_process_kills_none);
	run(a_request_after_the_timeout_is_not_sent);
	return tap_end();
}
