// SPDX-License-Identifier: MIT
/*
 * A command that says what it was given and does what it is told, for comparing a run with a bare
 * one: show, listen, shed, exit N, die SIGNAL, stop SIGNAL.
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* ---- show ---- */

static void
show_signals(void)
{
	struct sigaction action;
	sigset_t blocked;

	sigprocmask(SIG_SETMASK, NULL, &blocked);
	for (int number = 1; number < NSIG; number++) {
		if (sigismember(&blocked, number) == 1)
			printf("blocked %d\n", number);
		if (sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_DFL)
			printf("ignored %d\n", number);
	}
}

static void
show_limits(void)
{
	struct rlimit limit;

	for (int i = 0; i < RLIM_NLIMITS; i++)
		if (getrlimit((__rlimit_resource_t)i, &limit) == 0)
			printf("limit %d: %llu %llu\n", i, (unsigned long long)limit.rlim_cur,
			       (unsigned long long)limit.rlim_max);
}

static void
show_process(void)
{
	char folder[4096];
	cpu_set_t processors;
	mode_t mask = umask(0);
	int tty = open("/dev/tty", O_RDWR), death = 0;

	prctl(PR_GET_PDEATHSIG, &death, 0, 0, 0);
	CPU_ZERO(&processors);
	sched_getaffinity(0, sizeof processors, &processors);
	printf("umask %o\n", mask);
	printf("cwd %s\n", getcwd(folder, sizeof folder));
	printf("nice %d\n", getpriority(PRIO_PROCESS, 0));
	printf("group %d\n", getpgrp());
	printf("session %d\n", getsid(0));
	printf("processors %d\n", CPU_COUNT(&processors));
	printf("terminal %d\n", tty >= 0);
	printf("scheduling %d\n", sched_getscheduler(0));
	printf("at death %d\n", death);
	printf("new privileges %d\n", prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0);
	printf("dumpable %d\n", prctl(PR_GET_DUMPABLE, 0, 0, 0, 0));
	if (tty >= 0)
		close(tty);
}

static void
show_descriptors(void)
{
	for (int fd = 0; fd < 256; fd++) {
		struct stat st;

		if (fstat(fd, &st) == 0)
			printf("descriptor %d: %o %llu, flags %x\n", fd, st.st_mode,
			       (unsigned long long)st.st_ino, fcntl(fd, F_GETFD));
	}
}

static void
show_bytes(const char *what, const char *text)
{
	printf("%s ", what);
	for (; *text != '\0'; text++)
		printf("%02x", (unsigned char)*text);
	puts("");
}

static int
show(char **argv)
{
	show_signals();
	show_limits();
	show_process();
	show_descriptors();
	for (; *argv != NULL; argv++)
		show_bytes("argument", *argv);
	for (char **variable = environ; *variable != NULL; variable++)
		show_bytes("variable", *variable);
	return 0;
}

/* ---- listen ---- */

static void
tell(int number)
{
	char text[16];
	int length = snprintf(text, sizeof text, "%d\n", number);

	if (write(1, text, (size_t)length) < 0 || number == SIGTERM)
		_exit(3);
}

/* Says each signal it hears, until SIGTERM. */
static _Noreturn void
listen_to_all(void)
{
	struct sigaction action = {.sa_handler = tell};
	sigset_t none;

	sigfillset(&action.sa_mask);
	for (int number = 1; number < NSIG; number++)
		sigaction(number, &action, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	puts("ready");
	fflush(stdout);
	alarm(300);
	for (;;)
		pause();
}

/* ---- deeds ---- */

static int
die_of(int number)
{
	sigset_t none;

	signal(number, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	raise(number);
	/* one that does not kill */
	return 3;
}

/* Once it goes on, it stays until a signal ends it. */
static int
stop_by(int number)
{
	die_of(number);
	alarm(300);
	return pause();
}

/* A child in a group of its own ends; its number is told, and free to be used again. */
static int
shed(void)
{
	char byte;
	pid_t child = fork();

	if (child == 0) {
		setpgid(0, 0);
		_exit(0);
	}
	if (child < 0 || waitpid(child, NULL, 0) != child)
		return 1;
	printf("%d\n", child);
	fflush(stdout);
	while (read(0, &byte, 1) > 0)
		;
	execl("./leaver", "leaver", "twice", (char *)NULL);
	return 1;
}

int
main(int argc, char **argv)
{
	const char *deed = argc > 1 ? argv[1] : "";
	int number = argc > 2 ? atoi(argv[2]) : 0;

	if (strcmp(deed, "show") == 0)
		return show(argv + 2);
	if (strcmp(deed, "listen") == 0)
		listen_to_all();
	if (strcmp(deed, "exit") == 0)
		return number;
	if (strcmp(deed, "die") == 0)
		return die_of(number);
	if (strcmp(deed, "stop") == 0)
		return stop_by(number);
	if (strcmp(deed, "shed") == 0)
		return shed();
	fputs("usage: probe show | listen | shed | exit N | die SIGNAL | stop SIGNAL\n", stderr);
	return 2;
}
