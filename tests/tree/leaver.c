// SPDX-License-Identifier: MIT
/*
 * A program that leaves processes behind, in one way after another: leaver KIND. Every process left
 * keeps a shared lock on ./lock, so whoever can lock the file alone knows that none is left. It
 * goes when ./stop is there, and after two minutes in any case. The program itself ends, with 0,
 * when everything it left has said that it is where it wants to be.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LONGEST_S 120
#define STORM_S 20
#define HOPPERS 8
#define MANY 500
#define DEPTH 50

/* What every process left has in common. */
struct place {
	const char *program;
	int ready[2]; /* a byte for each that is where it wants to be */
};

static _Noreturn void
fail(const char *what)
{
	dprintf(2, "leaver: %s: %s\n", what, strerror(errno));
	_exit(1);
}

static time_t
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

static bool
must_stop(void)
{
	return access("stop", F_OK) == 0;
}

/* ---- what is left ---- */

static void
say_ready(const struct place *place)
{
	if (write(place->ready[1], "x", 1) != 1)
		_exit(1);
}

static void
stay(void)
{
	struct timespec step = {0, 100000000};
	time_t until = now() + LONGEST_S;

	while (!must_stop() && now() < until)
		nanosleep(&step, NULL);
}

/* Whoever reads what we were given must not wait for it. */
static void
let_go(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = 0; fd < 3; fd++)
		dup2(null, fd);
}

static _Noreturn void
linger(const struct place *place)
{
	let_go();
	say_ready(place);
	stay();
	_exit(0);
}

static pid_t
start(void)
{
	pid_t pid = fork();

	if (pid < 0)
		fail("fork");
	return pid;
}

/* The rest is the child's; this process ends. */
static void
hop(void)
{
	if (start() != 0)
		_exit(0);
}

/* ---- ways to go ---- */

static void
leave_setsid(const struct place *place)
{
	setsid();
	linger(place);
}

static void
leave_twice(const struct place *place)
{
	setsid();
	hop();
	linger(place);
}

static void
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

static void
leave_nohup(const struct place *place)
{
	signal(SIGHUP, SIG_IGN);
	linger(place);
}

static void
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
static void
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

static void
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

static void
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
static void
leave_unsignalled(const struct place *place)
{
	if (syscall(SYS_clone, 0, NULL, NULL, NULL, NULL) == 0) {
		setsid();
		linger(place);
	}
	linger(place);
}

/* A sibling of ours: the parent's child. */
static void
leave_sibling(const struct place *place)
{
	if (syscall(SYS_clone, CLONE_PARENT | SIGCHLD, NULL, NULL, NULL, NULL) == 0)
		linger(place);
	linger(place);
}

static void
leave_vfork(const struct place *place)
{
	/* the child says so for both: the parent is where it is to be, waiting */
	if (vfork() == 0) {
		say_ready(place);
		linger(place);
	}
	_exit(0);
}

static void
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

static void
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

static void
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

static void
leave_undumpable(const struct place *place)
{
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	setsid();
	linger(place);
}

static void
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

static void
leave_unfollowed(const struct place *place)
{
	prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0);
	setsid();
	linger(place);
}

static void
leave_idle(const struct place *place)
{
	struct sched_param none = {0};

	sched_setscheduler(0, SCHED_IDLE, &none);
	setpriority(PRIO_PROCESS, 0, 19);
	linger(place);
}

static void
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

static void
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

static void
leave_thread(const struct place *place)
{
	start_thread(fork_and_stay, place);
	linger(place);
}

static void
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
static void
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
static void
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

static void
leave_hopper(const struct place *place)
{
	hop_on(place);
}

static void
leave_hoppers(const struct place *place)
{
	for (int i = 1; i < HOPPERS; i++)
		if (start() == 0)
			hop_on(place);
	hop_on(place);
}

/* Each stops and wakes its brothers, which is what the end does as well. */
static void
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

static void
leave_phoenix(const struct place *place)
{
	signal(SIGTERM, rise_again);
	setsid();
	linger(place);
}

/* Processes with numbers of their own; where that is refused they are ordinary ones. */
static void
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

static void
leave_nothing(const struct place *place)
{
	say_ready(place);
	_exit(0);
}

/* ---- the table ---- */

static const struct kind {
	const char *name;
	void (*leave)(const struct place *place);
	int count; /* how many say that they are ready */
} kinds[] = {
	{"nothing", leave_nothing, 1},
	{"setsid", leave_setsid, 1},
	{"twice", leave_twice, 1},
	{"closed", leave_closed, 1},
	{"nohup", leave_nohup, 1},
	{"deaf", leave_deaf, 1},
	{"pipe", leave_pipe, 1},
	{"stopped", leave_stopped, 1},
	{"traced", leave_traced, 1},
	{"unsignalled", leave_unsignalled, 2},
	{"sibling", leave_sibling, 2},
	{"vfork", leave_vfork, 2},
	{"zombies", leave_zombies, 1},
	{"heir", leave_heir, 1},
	{"living-heir", leave_living_heir, 2},
	{"undumpable", leave_undumpable, 1},
	{"renamed", leave_renamed, 7},
	{"unfollowed", leave_unfollowed, 1},
	{"idle", leave_idle, 1},
	{"many", leave_many, MANY},
	{"chain", leave_chain, DEPTH},
	{"thread", leave_thread, 3},
	{"ended-thread", leave_ended_thread, 2},
	{"headless", leave_headless, 2},
	{"exec", leave_exec, 2},
	{"hopper", leave_hopper, 1},
	{"hoppers", leave_hoppers, HOPPERS},
	{"quarrel", leave_quarrel, 4},
	{"phoenix", leave_phoenix, 1},
	{"namespace", leave_namespace, 3},
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
	if (start() == 0) {
		close(place.ready[0]);
		kind->leave(&place);
	}
	wait_until_ready(&place, kind->count);
	return 0;
}
