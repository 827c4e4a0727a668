// SPDX-License-Identifier: MIT
/* Ways to leave one's parent, group, session, name or waiting parent, for single processes. */
#include "leaver.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

void
leave_setsid(const struct place *place)
{
	setsid();
	linger(place);
}

void
leave_twice(const struct place *place)
{
	setsid();
	hop();
	linger(place);
}

void
leave_closed(const struct place *place)
{
	hop();
	setsid();
	hop();
	for (int fd = 0; fd < 3; fd++)
		close(fd);
	say_ready(place);
	stay();
	_exit(0);
}

void
leave_nohup(const struct place *place)
{
	signal(SIGHUP, SIG_IGN);
	linger(place);
}

void
leave_deaf(const struct place *place)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	for (int number = 1; number < NSIG; number++)
		signal(number, SIG_IGN);
	setsid();
	linger(place);
}

/* In another group, with the caller's output open. */
void
leave_pipe(const struct place *place)
{
	setpgid(0, 0);
	say_ready(place);
	stay();
	_exit(0);
}

/* Ends a child that cannot see ./stop by itself. */
static _Noreturn void
linger_over(const struct place *place, pid_t child)
{
	let_go();
	say_ready(place);
	stay();
	kill(child, SIGKILL);
	_exit(0);
}

void
leave_stopped(const struct place *place)
{
	pid_t child = start();

	if (child == 0) {
		setsid();
		raise(SIGSTOP);
		_exit(0);
	}
	if (waitpid(child, NULL, WUNTRACED) < 0)
		fail("waitpid");
	linger_over(place, child);
}

void
leave_traced(const struct place *place)
{
	pid_t child = start();

	if (child == 0) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0)
			fail("ptrace");
		raise(SIGSTOP);
		_exit(0);
	}
	if (waitpid(child, NULL, WUNTRACED) < 0)
		fail("waitpid");
	linger_over(place, child);
}

/* A child of clone's own making, which ordinary waiting does not see. */
void
leave_unsignalled(const struct place *place)
{
	if (syscall(SYS_clone, 0, NULL, NULL, NULL, NULL) == 0) {
		setsid();
		linger(place);
	}
	linger(place);
}

/* A sibling of ours: the parent's child. */
void
leave_sibling(const struct place *place)
{
	if (syscall(SYS_clone, CLONE_PARENT | SIGCHLD, NULL, NULL, NULL, NULL) == 0)
		linger(place);
	linger(place);
}

void
leave_vfork(const struct place *place)
{
	/* the child says so for both: the parent is where it is to be, waiting */
	if (vfork() == 0) {
		say_ready(place);
		linger(place);
	}
	_exit(0);
}

void
leave_zombies(const struct place *place)
{
	for (int i = 0; i < 20; i++) {
		pid_t child = start();
		siginfo_t info;

		if (child == 0)
			_exit(0);
		waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT);
	}
	linger(place);
}

void
leave_heir(const struct place *place)
{
	pid_t child;
	siginfo_t info;

	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	child = start();
	if (child == 0) {
		/* the grandchild comes to the heir, which then goes as well */
		hop();
		setsid();
		linger(place);
	}
	waitid(P_PID, (id_t)child, &info, WEXITED);
	_exit(0);
}

void
leave_living_heir(const struct place *place)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	if (start() == 0) {
		hop();
		setsid();
		linger(place);
	}
	linger(place);
}

void
leave_undumpable(const struct place *place)
{
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	setsid();
	linger(place);
}

void
leave_renamed(const struct place *place)
{
	static const char *const names[] = {"a b", "((", "))", ") Z 1", ") Z 1 (", "\n1 (a) Z 1"};
	int count = (int)(sizeof names / sizeof names[0]);

	for (int i = 0; i < count; i++) {
		if (start() == 0) {
			prctl(PR_SET_NAME, names[i], 0, 0, 0);
			setsid();
			linger(place);
		}
	}
	linger(place);
}

void
leave_unfollowed(const struct place *place)
{
	prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0);
	setsid();
	linger(place);
}

void
leave_idle(const struct place *place)
{
	struct sched_param none = {0};

	sched_setscheduler(0, SCHED_IDLE, &none);
	setpriority(PRIO_PROCESS, 0, 19);
	linger(place);
}

void
leave_many(const struct place *place)
{
	for (int i = 1; i < MANY; i++) {
		if (start() == 0) {
			setsid();
			linger(place);
		}
	}
	linger(place);
}

void
leave_chain(const struct place *place)
{
	for (int i = 1; i < DEPTH; i++) {
		if (start() != 0)
			linger(place);
		if (i % 2 == 0)
			setsid();
	}
	linger(place);
}

/* As sudo does it: its caller cannot signal it. Needs the setuid bit. */
void
leave_rooted(const struct place *place)
{
	if (setresuid(0, 0, 0) < 0)
		fail("setresuid");
	setsid();
	linger(place);
}
