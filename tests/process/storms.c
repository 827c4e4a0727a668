// SPDX-License-Identifier: MIT
/* Processes that are hard to catch: made by threads, without a first thread, or never at rest. */
#include "leaver.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

/* ---- threads ---- */

static void *
fork_and_stay(void *context)
{
	if (start() == 0) {
		setsid();
		linger(context);
	}
	say_ready(context);
	stay();
	_exit(0);
}

static void *
fork_and_end(void *context)
{
	if (start() == 0) {
		setsid();
		linger(context);
	}
	return NULL;
}

static pthread_t
start_thread(void *(*function)(void *), const struct place *place)
{
	pthread_t thread;

	errno = pthread_create(&thread, NULL, function, (void *)place);
	if (errno != 0)
		fail("pthread_create");
	return thread;
}

void
leave_thread(const struct place *place)
{
	start_thread(fork_and_stay, place);
	linger(place);
}

void
leave_ended_thread(const struct place *place)
{
	pthread_join(start_thread(fork_and_end, place), NULL);
	linger(place);
}

struct orphan {
	const struct place *place;
	pthread_t first;
};

static void *
outlive(void *context)
{
	const struct orphan *orphan = context;

	pthread_join(orphan->first, NULL);
	return fork_and_stay((void *)orphan->place);
}

/* The first thread goes: the process looks like a zombie, and is none. */
void
leave_headless(const struct place *place)
{
	static struct orphan orphan;
	pthread_t thread;

	orphan = (struct orphan){place, pthread_self()};
	errno = pthread_create(&thread, NULL, outlive, &orphan);
	if (errno != 0)
		fail("pthread_create");
	let_go();
	pthread_exit(NULL);
}

static _Noreturn void
become(const struct place *place, const char *kind)
{
	char ready[16];

	snprintf(ready, sizeof ready, "%d", place->ready[1]);
	execl(place->program, kind, "-", ready, (char *)NULL);
	fail("exec");
}

static void *
fork_and_exec(void *context)
{
	if (start() == 0) {
		setsid();
		linger(context);
	}
	become(context, "exec by a thread");
}

/* A thread that is not the first becomes the whole process; its child stays its child. */
void
leave_exec(const struct place *place)
{
	start_thread(fork_and_exec, place);
	pause();
}

/* ---- those that move ---- */

/* Never longer at one number than it takes to fork. */
static _Noreturn void
hop_on(const struct place *place)
{
	time_t until = now() + STORM_S;

	let_go();
	hop();
	say_ready(place);
	while (!must_stop() && now() < until)
		hop();
	_exit(0);
}

void
leave_hopper(const struct place *place)
{
	hop_on(place);
}

void
leave_hoppers(const struct place *place)
{
	for (int i = 1; i < HOPPERS; i++)
		if (start() == 0)
			hop_on(place);
	hop_on(place);
}

/* Each stops and wakes its brothers, which is what the end does as well. */
void
leave_quarrel(const struct place *place)
{
	pid_t brothers[3];
	time_t until = now() + STORM_S;

	setpgid(0, 0);
	let_go();
	for (int i = 0; i < 3; i++) {
		brothers[i] = start();
		if (brothers[i] == 0) {
			say_ready(place);
			while (!must_stop() && now() < until)
				kill(0, SIGCONT);
			_exit(0);
		}
	}
	say_ready(place);
	for (int i = 0; !must_stop() && now() < until; i = (i + 1) % 3) {
		kill(brothers[i], SIGSTOP);
		kill(brothers[i], SIGCONT);
	}
	for (int i = 0; i < 3; i++)
		kill(brothers[i], SIGKILL);
	_exit(0);
}

static void
rise_again(int number)
{
	/* the old one goes, as it was asked to */
	(void)number;
	if (fork() != 0)
		_exit(0);
}

void
leave_phoenix(const struct place *place)
{
	signal(SIGTERM, rise_again);
	setsid();
	linger(place);
}

/* Processes with numbers of their own; where that is refused they are ordinary ones. */
void
leave_namespace(const struct place *place)
{
	if (unshare(CLONE_NEWPID) < 0 && unshare(CLONE_NEWUSER | CLONE_NEWPID) < 0)
		errno = 0;
	if (start() == 0) {
		if (start() == 0) {
			setsid();
			linger(place);
		}
		linger(place);
	}
	linger(place);
}

void
leave_nothing(const struct place *place)
{
	say_ready(place);
	_exit(0);
}
