// SPDX-License-Identifier: MIT
/*
 * Runs a program under ptrace and makes chosen system calls fail instead of being made.
 *
 *   inject [-l FILE] [-o FILE] [-r ROLE] [-s CALL] [-n N] [-e ERRNO] [-a] [-t SECONDS] -- PROGRAM ...
 *
 * Every process the program starts is followed until it starts another program: what is run in the
 * end is left alone. A process is known by its ROLE, the path of its birth: 0 the program, 0.2 its
 * second child, 0.2.1 that one's first. "loader" is what the dynamic loader does before the program
 * begins. The Nth call of that ROLE and name (either may be *) fails with ERRNO, with -a every one
 * from the Nth on until another program is started. -l writes each call as it happens. -o gets, line by line:
 *
 *   reached before|after CALL   the fault happened, before or after another program was started
 *   again                       without -a: there was a later one that it would have hit
 *   status N | signal N         how the program ended
 *   end                         everything it had started has ended too; missing after SECONDS
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "calls.h"
#include "registers.h"

#define TASKS_MAX 64
#define CALLS_MAX 1024
#define ROLE_SIZE 40
#define OPTIONS                                                                                   \
	(PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | \
	 PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL)

struct task {
	pid_t pid;
	char role[ROLE_SIZE]; /* "": its parent has not told us yet */
	bool waiting;	      /* stopped since birth for the want of a role */
	bool failing;	      /* between entry and exit of a call that we replaced */
	uint64_t asked;	      /* of brk, which we replaced by asking for nothing */
	int children;
	unsigned counts[CALLS_MAX];
};

struct injector {
	const char *role, *call;
	int call_number; /* of that name on this machine; any when negative */
	unsigned long nth, seen;
	bool again; /* every later one as well */
	int error;
	FILE *list, *out;
	struct timespec deadline;
	pid_t root;
	bool started;	/* the program itself runs, not yet we in its place */
	bool main_seen; /* the loader is done */
	bool other;	/* another program was started */
	bool told, later;
	uint64_t loader_from, loader_to;
	struct task tasks[TASKS_MAX];
};

static void
die(const char *what)
{
	fprintf(stderr, "inject: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* ---- tasks ---- */

static struct task *
task_find(struct injector *in, pid_t pid)
{
	for (int i = 0; i < TASKS_MAX; i++)
		if (in->tasks[i].pid == pid)
			return &in->tasks[i];
	return NULL;
}

static struct task *
task_add(struct injector *in, pid_t pid)
{
	struct task *task = task_find(in, 0);

	if (task == NULL) {
		errno = EOVERFLOW;
		die("too many processes");
	}
	memset(task, 0, sizeof *task);
	task->pid = pid;
	return task;
}

static void
resume(pid_t pid, enum __ptrace_request how, int signal)
{
	/* ESRCH: killed meanwhile; the next wait tells */
	if (ptrace(how, pid, NULL, (void *)(long)signal) < 0 && errno != ESRCH)
		die("cannot let a process go on");
}

/* Stopping at every call costs most of the time, so only where it can matter. */
static void
go_on(const struct injector *in, const struct task *task, int signal)
{
	bool done = in->told && !in->again && (in->later || in->other),
	     loader = strcmp(in->role, "loader") == 0;
	bool other = strcmp(in->role, "*") != 0 && strcmp(in->role, task->role) != 0 &&
		     !(loader && task->pid == in->root && !in->main_seen);
	bool look = task->failing || in->list != NULL || !(done || other) || !in->started;

	resume(task->pid, look ? PTRACE_SYSCALL : PTRACE_CONT, signal);
}

/* ---- the loader ---- */

/* The address the kernel put the loader at; 0 for a static program. */
static uint64_t
loader_base(pid_t pid)
{
	uint64_t pair[2], base = 0;
	char path[40];
	FILE *file;

	snprintf(path, sizeof path, "/proc/%d/auxv", (int)pid);
	file = fopen(path, "re");
	while (file != NULL && fread(pair, sizeof pair, 1, file) == 1 && pair[0] != AT_NULL)
		if (pair[0] == AT_BASE)
			base = pair[1];
	if (file != NULL)
		fclose(file);
	return base;
}

/* Right after exec only the program and the loader are there, and each lies in one piece. */
static void
find_loader(struct injector *in, pid_t pid)
{
	uint64_t base = loader_base(pid), from, to;
	char path[40], line[512], name[256], loader[256] = "";
	FILE *file;

	snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
	file = fopen(path, "re");
	while (base != 0 && file != NULL && fgets(line, sizeof line, file) != NULL) {
		if (sscanf(line, "%lx-%lx %*s %*s %*s %*s %255s", &from, &to, name) != 3)
			continue;
		if (from == base) {
			in->loader_from = from;
			snprintf(loader, sizeof loader, "%s", name);
		}
		if (*loader != '\0' && strcmp(loader, name) == 0)
			in->loader_to = to;
	}
	if (file != NULL)
		fclose(file);
}

static const char *
role_of(struct injector *in, struct task *task, const struct call_info *info)
{
	if (task->pid == in->root && !in->main_seen) {
		if (info->instruction >= in->loader_from && info->instruction < in->loader_to)
			return "loader";
		in->main_seen = true;
		memset(task->counts, 0, sizeof task->counts);
	}
	return task->role;
}

/* ---- calls ---- */

static bool
is_meant(const struct injector *in, const char *role, uint64_t nr)
{
	return in->nth != 0 && (in->call_number < 0 || (uint64_t)in->call_number == nr) &&
	       (strcmp(in->role, "*") == 0 || strcmp(in->role, role) == 0);
}

static bool
is_chosen(struct injector *in, const char *role, uint64_t nr)
{
	if (!is_meant(in, role, nr))
		return false;
	in->seen++;
	if (in->seen <= in->nth || in->other)
		return in->seen == in->nth;
	if (!in->again && !in->later)
		fputs("again\n", in->out);
	in->later = true;
	return in->again;
}

static void
note(struct injector *in, struct task *task, const struct call_info *info, const char *name,
     bool chosen)
{
	const char *when = in->other ? "after" : "before", *role = role_of(in, task, info);
	char detail[300];

	call_describe(task->pid, info, name, detail, sizeof detail);
	if (in->list != NULL)
		fprintf(in->list, "%s %s %u %s %s\n", role, name,
			++task->counts[info->nr % CALLS_MAX], when, detail);
	if (chosen && !in->told)
		fprintf(in->out, "reached %s %s %s %s\n", when, role, name, detail);
	in->told = in->told || chosen;
}

static void
break_call(struct task *task, const struct call_info *info)
{
	/* brk has no errors: it answers with the end it has, as it does when asked for nothing */
	if (info->nr == SYS_brk) {
		task->asked = info->args[0];
		set_argument(task->pid, 0);
	} else if (info->nr != SYS_close) {
		/* a descriptor is closed whatever close says */
		replace_call(task->pid);
	}
}

static void
at_entry(struct injector *in, struct task *task, const struct call_info *info)
{
	char name[40];

	if (call_never_fails(info->nr))
		return;
	task->failing = is_chosen(in, role_of(in, task, info), info->nr);
	if (in->list != NULL || task->failing)
		note(in, task, info, call_name(info, name, sizeof name), task->failing);
	if (task->failing)
		break_call(task, info);
}

static void
at_call(struct injector *in, struct task *task)
{
	struct call_info info = {0};

	if (ptrace((enum __ptrace_request)GET_SYSCALL_INFO, task->pid, (void *)sizeof info, &info) <
	    0)
		return;
	if (info.op == CALL_ENTRY && in->started)
		at_entry(in, task, &info);
	if (info.op != CALL_EXIT || !task->failing)
		return;
	task->failing = false;
	if (task->asked == 0)
		set_result(task->pid, -in->error);
	else if (!ARGUMENT_IS_RESULT)
		set_argument(task->pid, task->asked);
	task->asked = 0;
}

/* ---- events ---- */

static void
at_birth(struct injector *in, struct task *parent)
{
	unsigned long pid = 0;
	struct task *child;

	if (ptrace(PTRACE_GETEVENTMSG, parent->pid, NULL, &pid) < 0)
		return;
	child = task_find(in, (pid_t)pid);
	if (child == NULL)
		child = task_add(in, (pid_t)pid);
	snprintf(child->role, sizeof child->role, "%.24s.%d", parent->role, ++parent->children);
	/* it was here before its parent had told us */
	if (child->waiting)
		go_on(in, child, 0);
	child->waiting = false;
}

/* The first program is the one to try; any other is what it was asked to run: not ours. */
static bool
at_exec(struct injector *in, struct task *task)
{
	if (task->pid == in->root && !in->started) {
		in->started = true;
		find_loader(in, task->pid);
		return true;
	}
	in->other = true;
	resume(task->pid, PTRACE_DETACH, 0);
	task->pid = 0;
	return false;
}

static void
at_stop(struct injector *in, pid_t pid, int status)
{
	struct task *task = task_find(in, pid);
	int event = status >> 16, signal = WSTOPSIG(status);

	if (task == NULL) {
		task = task_add(in, pid);
		task->waiting = true;
		return;
	}
	if (event == PTRACE_EVENT_STOP) {
		/* a stopped group stays stopped, and still tells when it goes on */
		if (signal == SIGTRAP)
			go_on(in, task, 0);
		else
			resume(pid, PTRACE_LISTEN, 0);
		return;
	}
	if (signal == (SIGTRAP | 0x80))
		at_call(in, task);
	else if (event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK ||
		 event == PTRACE_EVENT_CLONE)
		at_birth(in, task);
	else if (event == PTRACE_EVENT_EXEC && !at_exec(in, task))
		return;
	go_on(in, task, event == 0 && signal != (SIGTRAP | 0x80) ? signal : 0);
}

static void
at_end(struct injector *in, pid_t pid, int status)
{
	struct task *task = task_find(in, pid);

	if (task != NULL)
		task->pid = 0;
	if (pid != in->root)
		return;
	if (WIFSIGNALED(status))
		fprintf(in->out, "signal %d\n", WTERMSIG(status));
	else
		fprintf(in->out, "status %d\n", WEXITSTATUS(status));
	fflush(in->out);
}

static bool
is_late(const struct injector *in)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec >= in->deadline.tv_sec;
}

/* Nothing that was started here outlives us: what is traced dies now, what is not is ours to end. */
static void
end_all(struct injector *in)
{
	for (int i = 0; i < TASKS_MAX; i++)
		if (in->tasks[i].pid > 0)
			kill(in->tasks[i].pid, SIGKILL);
}

/* Until there is no child left: as subreaper we get those of others too. False when it was late. */
static bool
follow(struct injector *in)
{
	int status;

	for (;;) {
		pid_t pid = waitpid(-1, &status, __WALL);

		if (pid < 0 && errno == ECHILD)
			return true;
		if (pid < 0 && errno != EINTR)
			die("cannot wait");
		if (pid < 0 && is_late(in))
			return false;
		if (pid > 0 && WIFSTOPPED(status))
			at_stop(in, pid, status);
		else if (pid > 0)
			at_end(in, pid, status);
	}
}

/* ---- starting ---- */

static void
on_tick(int signal)
{
	(void)signal;
}

/* A tick a second ends a wait, so that the deadline is seen. */
static void
start_clock(struct injector *in, long seconds)
{
	struct sigaction action = {.sa_handler = on_tick};
	struct itimerval every = {{1, 0}, {1, 0}};

	clock_gettime(CLOCK_MONOTONIC, &in->deadline);
	in->deadline.tv_sec += seconds;
	if (sigaction(SIGALRM, &action, NULL) < 0 || setitimer(ITIMER_REAL, &every, NULL) < 0)
		die("no clock");
}

/* The child waits until it is traced, then becomes the program. */
static void
start(struct injector *in, char **argv)
{
	int gate[2];
	char byte;

	if (pipe2(gate, O_CLOEXEC) < 0 || (in->root = fork()) < 0)
		die("cannot start");
	if (in->root == 0) {
		close(gate[1]);
		if (read(gate[0], &byte, 1) == 1)
			execv(argv[0], argv);
		fprintf(stderr, "inject: cannot run %s\n", argv[0]);
		_exit(1);
	}
	close(gate[0]);
	if (ptrace(PTRACE_SEIZE, in->root, NULL, (void *)OPTIONS) < 0)
		die("cannot trace");
	snprintf(task_add(in, in->root)->role, ROLE_SIZE, "0");
	if (write(gate[1], "", 1) != 1)
		die("cannot start");
	close(gate[1]);
}

static FILE *
open_for_us(const char *path)
{
	FILE *file = fopen(path, "we");

	if (file == NULL)
		die(path);
	return file;
}

static void
usage(void)
{
	fputs("usage: inject [-l FILE] [-o FILE] [-r ROLE] [-s CALL] [-n N] [-e ERRNO] [-a]\n"
	      "              [-t SECONDS] -- PROGRAM [ARG...]\n",
	      stderr);
	exit(2);
}

int
main(int argc, char **argv)
{
	struct injector *in = calloc(1, sizeof *in);
	long seconds = 60;

	if (in == NULL)
		die("no memory");
	in->role = in->call = "*";
	in->error = ENOMEM;
	in->out = stderr;
	for (int option; (option = getopt(argc, argv, "l:o:r:s:n:e:at:")) != -1;) {
		switch (option) {
		case 'l':
			in->list = open_for_us(optarg);
			break;
		case 'o':
			in->out = open_for_us(optarg);
			break;
		case 'r':
			in->role = optarg;
			break;
		case 's':
			in->call = optarg;
			break;
		case 'n':
			in->nth = strtoul(optarg, NULL, 10);
			break;
		case 'e':
			in->error = atoi(optarg);
			break;
		case 'a':
			in->again = true;
			break;
		case 't':
			seconds = strtol(optarg, NULL, 10);
			break;
		default:
			usage();
		}
	}
	if (optind >= argc)
		usage();
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	in->call_number = strcmp(in->call, "*") == 0 ? -1 : call_number(in->call);
	start_clock(in, seconds);
	start(in, argv + optind);
	if (follow(in))
		fputs("end\n", in->out);
	else
		end_all(in);
	if (fflush(in->out) != 0 || (in->list != NULL && fflush(in->list) != 0))
		die("cannot write");
	free(in);
	return 0;
}
