// SPDX-License-Identifier: MIT
/*
 * A program that leaves processes behind, in one way after another: leaver KIND. Every process left
 * keeps a shared lock on ./lock, so an exclusive lock on the file shows that none is left. It
 * goes when ./stop is there, and after two minutes in any case. The program itself ends, with 0,
 * when everything it left has said that it is where it wants to be.
 */
#include "leaver.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LONGEST_S 120

_Noreturn void
fail(const char *what)
{
	dprintf(2, "leaver: %s: %s\n", what, strerror(errno));
	_exit(1);
}

time_t
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

bool
must_stop(void)
{
	return access("stop", F_OK) == 0;
}

/* ---- what is left ---- */

void
say_ready(const struct place *place)
{
	if (write(place->ready[1], "x", 1) != 1)
		_exit(1);
}

void
stay(void)
{
	struct timespec step = {0, 100000000};
	time_t until = now() + LONGEST_S;

	while (!must_stop() && now() < until)
		nanosleep(&step, NULL);
}

void
let_go(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = 0; fd < 3; fd++)
		dup2(null, fd);
}

_Noreturn void
linger(const struct place *place)
{
	let_go();
	say_ready(place);
	stay();
	_exit(0);
}

pid_t
start(void)
{
	pid_t pid = fork();

	if (pid < 0)
		fail("fork");
	return pid;
}

void
hop(void)
{
	if (start() != 0)
		_exit(0);
}

/* ---- the table ---- */

static const struct kind {
	const char *name;
	way *leave;
	int count; /* how many say that they are ready */
	int flags; /* of clone, for the first of them */
} kinds[] = {
	{"nothing", leave_nothing, 1, 0},
	{"setsid", leave_setsid, 1, 0},
	{"twice", leave_twice, 1, 0},
	{"closed", leave_closed, 1, 0},
	{"nohup", leave_nohup, 1, 0},
	{"deaf", leave_deaf, 1, 0},
	{"pipe", leave_pipe, 1, 0},
	{"stopped", leave_stopped, 1, 0},
	{"traced", leave_traced, 1, 0},
	{"unsignalled", leave_unsignalled, 2, 0},
	{"sibling", leave_sibling, 2, 0},
	{"own-sibling", leave_setsid, 1, CLONE_PARENT},
	{"vfork", leave_vfork, 2, 0},
	{"zombies", leave_zombies, 1, 0},
	{"heir", leave_heir, 1, 0},
	{"living-heir", leave_living_heir, 2, 0},
	{"undumpable", leave_undumpable, 1, 0},
	{"renamed", leave_renamed, 7, 0},
	{"unfollowed", leave_unfollowed, 1, 0},
	{"idle", leave_idle, 1, 0},
	{"many", leave_many, MANY, 0},
	{"chain", leave_chain, DEPTH, 0},
	{"thread", leave_thread, 3, 0},
	{"ended-thread", leave_ended_thread, 2, 0},
	{"headless", leave_headless, 2, 0},
	{"exec", leave_exec, 2, 0},
	{"hopper", leave_hopper, 1, 0},
	{"hoppers", leave_hoppers, HOPPERS, 0},
	{"quarrel", leave_quarrel, 4, 0},
	{"phoenix", leave_phoenix, 1, 0},
	{"namespace", leave_namespace, 3, 0},
	{"rooted", leave_rooted, 1, 0},
};

static const struct kind *
find_kind(const char *name)
{
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (strcmp(kinds[i].name, name) == 0)
			return &kinds[i];
	return NULL;
}

/* Not closed by exec: some of those left exec. */
static void
take_lock(void)
{
	int lock = open("lock", O_RDWR | O_CREAT, 0600);

	if (lock < 0 || flock(lock, LOCK_SH) < 0)
		fail("lock");
}

/* The end of the pipe: one of them died before it was ready. */
static void
wait_until_ready(const struct place *place, int count)
{
	char byte;

	close(place->ready[1]);
	for (int i = 0; i < count; i++) {
		errno = 0;
		if (read(place->ready[0], &byte, 1) != 1)
			fail("one of those left is gone");
	}
}

/* With flags the C library knows nothing of it, and threads do not work there. */
static pid_t
begin(int flags)
{
	if (flags == 0)
		return start();
	return (pid_t)syscall(SYS_clone, flags | SIGCHLD, NULL, NULL, NULL, NULL);
}

int
main(int argc, char **argv)
{
	const struct kind *kind = argc < 2 ? NULL : find_kind(argv[1]);
	struct place place = {.program = argv[0], .ready = {-1, -1}};

	if (argc == 3 && strcmp(argv[1], "-") == 0) {
		place.ready[1] = atoi(argv[2]);
		linger(&place);
	}
	if (kind == NULL || argc != 2) {
		fputs("usage: leaver KIND\n", stderr);
		for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
			puts(kinds[i].name);
		return 2;
	}
	take_lock();
	if (pipe(place.ready) < 0)
		fail("pipe");
	if (begin(kind->flags) == 0) {
		close(place.ready[0]);
		kind->leave(&place);
	}
	wait_until_ready(&place, kind->count);
	return 0;
}
