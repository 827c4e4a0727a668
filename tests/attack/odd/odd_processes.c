// SPDX-License-Identifier: MIT
/*
 * Acts of processes and threads: they end, execute, are killed and stopped while a call
 * of theirs is being answered. Every process is counted against the budget of its round.
 */
#include "odd.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STACK_SIZE 65536

void
odd_rest(struct odd *odd, unsigned most_us)
{
	struct timespec time = {0, (long)(1 + odd_below(odd, most_us)) * 1000};

	nanosleep(&time, NULL);
}

/* ---- children ---- */

static bool
is_afforded(struct odd *odd)
{
	if (__atomic_sub_fetch(odd->budget, 1, __ATOMIC_RELAXED) >= 0)
		return true;
	__atomic_add_fetch(odd->budget, 1, __ATOMIC_RELAXED);
	return false;
}

/* A child that shares what flags say, does its part and ends; 0 when there is none. */
pid_t
odd_spawn(struct odd *odd, void (*run)(struct odd *odd), unsigned long flags)
{
	uint64_t state = odd_random(odd);
	size_t place = odd_below(odd, COUNT(odd->children));
	pid_t pid;

	if (odd->depth > 3 || !is_afforded(odd))
		return 0;
	pid = (pid_t)syscall(SYS_clone, flags, NULL, NULL, NULL, NULL);
	if (pid == 0) {
		odd->state = state;
		odd->depth++;
		memset(odd->children, 0, sizeof odd->children);
		run(odd);
		_exit(0);
	}
	if (pid > 0)
		odd->children[place] = pid;
	return pid > 0 ? pid : 0;
}

void
odd_end_children(struct odd *odd)
{
	for (size_t i = 0; i < COUNT(odd->children); i++) {
		odd_kill(odd->children[i], SIGKILL);
		odd->children[i] = 0;
	}
	while (waitpid(-1, NULL, WNOHANG | __WALL) > 0)
		;
}

void
odd_call_often(struct odd *odd)
{
	odd_calls(odd, 40);
}

static void
kill_in_call(struct odd *odd)
{
	pid_t child = odd_spawn(odd, odd_call_often, SIGCHLD);

	odd_rest(odd, 4000);
	odd_kill(child, SIGKILL);
}

static void
stop_in_call(struct odd *odd)
{
	static const int stops[] = {SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU};
	pid_t child = odd_spawn(odd, odd_call_often, SIGCHLD);

	if (child == 0)
		return;
	odd_rest(odd, 2000);
	odd_kill(child, ODD_PICK(odd, stops));
	odd_calls(odd, 5);
	waitpid(child, NULL, WNOHANG | WUNTRACED);
	odd_kill(child, odd_one_in(odd, 2) ? SIGCONT : SIGKILL);
}

/* Left behind: its parent ends first. */
static void
leave_one(struct odd *odd)
{
	odd_spawn(odd, odd_call_often, odd_one_in(odd, 2) ? SIGCHLD : 0);
}

static void
leave_orphans(struct odd *odd)
{
	odd_spawn(odd, leave_one, SIGCHLD);
}

static void
clone_oddly(struct odd *odd)
{
	static const unsigned long flags[] = {
		CLONE_FILES | SIGCHLD, CLONE_FS | SIGCHLD,	CLONE_FILES | CLONE_FS,
		CLONE_PARENT,	       CLONE_PARENT | SIGUSR1,	CLONE_UNTRACED | 64,
		CLONE_VFORK | SIGCHLD, CLONE_PTRACE | SIGCHLD,	CLONE_THREAD,
		CLONE_SIGHAND,	       CLONE_NEWUSER | SIGCHLD, CLONE_IO | SIGSTOP,
		CLONE_PARENT | SIGTERM};

	odd_spawn(odd, odd_call_often, ODD_PICK(odd, flags));
}

static void
vfork_and_call(struct odd *odd)
{
	pid_t child;

	if (!is_afforded(odd))
		return;
	child = vfork();
	if (child == 0) {
		/* the parent's memory: one call only */
		syscall(SYS_mkdirat, AT_FDCWD, "vforked", 0700);
		syscall(SYS_unlinkat, AT_FDCWD, "vforked", AT_REMOVEDIR);
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

static void
lead_session(struct odd *odd)
{
	setsid();
	odd_spawn(odd, odd_call_often, SIGCHLD);
	setpgid(0, 0);
	odd_calls(odd, 10);
}

/* ---- threads ---- */

enum duty {
	DUTY_CALL,
	DUTY_MEMORY,
	DUTY_NUMBERS,
	DUTY_SIGNALS,
	DUTY_EXCHANGE,
	DUTY_EXIT,
	DUTY_EXEC,
	DUTIES
};

struct helper {
	struct odd odd;
	enum duty duty;
	pid_t of;
};

static void
execute(struct odd *odd)
{
	char *none[] = {NULL}, *arguments[] = {(char *)"true", NULL};

	odd_rest(odd, 3000);
	execve("/bin/true", arguments, none);
	_exit(1);
}

static void
disturb(struct helper *helper)
{
	struct odd *odd = &helper->odd;
	static const int signals[] = {SIGUSR1, SIGUSR2, SIGURG, SIGCHLD};

	switch (helper->duty) {
	case DUTY_MEMORY:
		arena_disturb(odd);
		break;
	case DUTY_NUMBERS:
		syscall(odd_one_in(odd, 2) ? SYS_dup3 : SYS_close, FD_FIRST + odd_below(odd, 40),
			FD_FIRST + odd_below(odd, 20), 0);
		break;
	case DUTY_SIGNALS:
		syscall(SYS_tgkill, getpid(), helper->of, ODD_PICK(odd, signals));
		odd_rest(odd, 300);
		break;
	case DUTY_EXCHANGE:
		syscall(SYS_renameat2, AT_FDCWD, "a", AT_FDCWD, "d", odd_one_in(odd, 2) ? 2 : 0);
		syscall(SYS_renameat2, AT_FDCWD, "a/b", AT_FDCWD, "link", 2);
		break;
	default:
		odd_call(odd);
	}
}

static void *
helper_main(void *argument)
{
	struct helper *helper = argument;

	for (int i = 0; i < 60; i++)
		disturb(helper);
	if (helper->duty == DUTY_EXIT)
		_exit(0);
	if (helper->duty == DUTY_EXEC)
		execute(&helper->odd);
	free(helper);
	return NULL;
}

static void
start_helper(struct odd *odd, enum duty duty)
{
	struct helper *helper = malloc(sizeof *helper);
	pthread_attr_t attributes;
	pthread_t thread;

	if (helper == NULL)
		return;
	*helper = (struct helper){*odd, duty, (pid_t)syscall(SYS_gettid)};
	helper->odd.state = odd_random(odd);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_SIZE);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	if (pthread_create(&thread, &attributes, helper_main, helper) != 0)
		free(helper);
	pthread_attr_destroy(&attributes);
}

/* Threads that call, and one that changes what they call with; a child, which may end at any time. */
static void
call_disturbed_inside(struct odd *odd)
{
	start_helper(odd, DUTY_CALL);
	start_helper(odd, (enum duty)odd_below(odd, DUTIES));
	start_helper(odd, (enum duty)odd_below(odd, DUTIES));
	odd_calls(odd, 60);
	/* the first thread is gone, the others go on */
	if (odd_one_in(odd, 4))
		syscall(SYS_exit, 0);
}

static void
call_disturbed(struct odd *odd)
{
	odd_spawn(odd, call_disturbed_inside, SIGCHLD);
}

/* ---- fifos: opens that wait ---- */

static void *
open_fifo(void *argument)
{
	close(open("fifo", (int)(intptr_t)argument));
	return NULL;
}

static void
wait_at_fifo_inside(struct odd *odd)
{
	unsigned count = 1 + odd_below(odd, odd_one_in(odd, 8) ? 80 : 6);

	unlink("fifo");
	mkfifo("fifo", 0600);
	for (unsigned i = 0; i < count; i++) {
		pthread_attr_t attributes;
		pthread_t thread;

		pthread_attr_init(&attributes);
		pthread_attr_setstacksize(&attributes, STACK_SIZE);
		pthread_create(&thread, &attributes, open_fifo,
			       (void *)(intptr_t)(odd_one_in(odd, 3) ? O_RDONLY : O_WRONLY));
	}
	odd_rest(odd, 20000);
	if (odd_one_in(odd, 2))
		execute(odd);
}

static void
wait_at_fifo(struct odd *odd)
{
	odd_spawn(odd, wait_at_fifo_inside, SIGCHLD);
}

const struct act odd_process_acts[] = {
	{"kill_in_call", kill_in_call, ACT_ALWAYS},	{"stop_in_call", stop_in_call, ACT_ALWAYS},
	{"leave_orphans", leave_orphans, ACT_ALWAYS},	{"clone_oddly", clone_oddly, ACT_ALWAYS},
	{"vfork_and_call", vfork_and_call, ACT_ALWAYS}, {"lead_session", lead_session, ACT_ALWAYS},
	{"call_disturbed", call_disturbed, ACT_BOXED},	{"wait_at_fifo", wait_at_fifo, ACT_ALWAYS},
};
const size_t odd_process_acts_count = COUNT(odd_process_acts);
