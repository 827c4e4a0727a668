// SPDX-License-Identifier: MIT
/*
 * Runs inside a session and makes random calls, odd ones above all, from several processes at once:
 * whatever they do, the guard and the launcher outside must go on. fuzz_calls.py starts it and looks.
 *
 *   oddcalls [OPTION...] SEED SECONDS PROCESSES OUT OUTSIDE
 *   oddcalls --inner SEED OUTSIDE
 *
 * It begins when there is a file `go`, and ends with status 42 after the counts are in OUT. A seed
 * repeats the calls of each process; what several do at once is the scheduler's. Bounded are the
 * processes, and the memory and the size of files of each.
 *
 *   --deep          trees of hundreds of levels, too
 *   --trace         PTRACE_TRACEME, too: the guard becomes a tracer
 *   --tick          a process that makes a supervised call every 20 ms
 *   --tame          only what is harmless where nothing is restricted
 *   --orphans       those whose parent ended become the guard's children, not this program's
 *   --spawner       the parent is the spawner of a shared session, and is stopped now and then
 *   --cordon PATH   sandboxes inside
 *   --port N        a server outside
 */
#include "odd.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define OWN_STATUS 42
#define PROCESSES_MAX 16
#define GENERATION_MS 2000
#define TICK_MS 20
#define GO_TRIES 12000

struct program {
	struct options options;
	struct counts *counts;
	int *budgets;
	uint64_t seed;
	int seconds, processes;
	const char *out;
	bool orphans, inner, tick;
};

static int64_t
now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void
wait_ms(long ms)
{
	struct timespec time = {ms / 1000, ms % 1000 * 1000000};

	nanosleep(&time, NULL);
}

static bool
is_enabled(const struct options *options, const struct act *act)
{
	switch (act->when) {
	case ACT_BOXED:
		return !options->is_tame;
	case ACT_DEEP:
		return options->deep && !options->is_tame;
	case ACT_TRACE:
		return options->trace;
	default:
		return true;
	}
}

static const struct act *
act_at(size_t number)
{
	if (number < odd_acts_count)
		return &odd_acts[number];
	number -= odd_acts_count;
	return number < odd_process_acts_count ? &odd_process_acts[number]
					       : &odd_layer_acts[number - odd_process_acts_count];
}

static size_t
act_count(void)
{
	return odd_acts_count + odd_process_acts_count + odd_layer_acts_count;
}

void
odd_act(struct odd *odd)
{
	unsigned number = odd_below(odd, (unsigned)act_count());
	const struct act *act = act_at(number);

	if (!is_enabled(odd->options, act))
		return;
	__atomic_add_fetch(&odd->counts->acts[number], 1, __ATOMIC_RELAXED);
	act->run(odd);
}

static void
ignore(int number)
{
	(void)number;
}

/* Some calls are interrupted, of these some begin again; by the timer none, so that nothing waits long. */
static void
catch_signals(struct odd *odd)
{
	static const int caught[] = {SIGUSR1, SIGUSR2, SIGALRM, SIGIO,	 SIGTSTP,
				     SIGTTIN, SIGTTOU, SIGPIPE, SIGXFSZ, SIGHUP,
				     SIGINT,  SIGQUIT, SIGTERM, 34,	 64};
	struct itimerval often = {.it_interval = {0, 2000 + (long)odd_below(odd, 20000)}};
	sigset_t none;

	for (size_t i = 0; i < COUNT(caught); i++) {
		struct sigaction action = {
			.sa_handler = ignore,
			.sa_flags = caught[i] != SIGALRM && odd_one_in(odd, 2) ? SA_RESTART : 0};

		sigaction(caught[i], &action, NULL);
	}
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	often.it_value = often.it_interval;
	setitimer(ITIMER_REAL, &often, NULL);
}

static void
work(struct odd *odd)
{
	char folder[32];

	setpgid(0, 0);
	catch_signals(odd);
	snprintf(folder, sizeof folder, "w%u", odd_below(odd, 4));
	mkdir(folder, 0700);
	if (odd_one_in(odd, 2) && chdir(folder) < 0)
		return;
	for (int i = 0; i < 24; i++) {
		odd_open_some(odd);
		odd_calls(odd, 12);
		odd_act(odd);
	}
	if (odd_one_in(odd, 2))
		odd_end_children(odd);
}

static pid_t
start_work(struct program *program, int slot, uint64_t seed, unsigned long flags)
{
	struct arena arena;
	struct odd odd = {.state = seed,
			  .options = &program->options,
			  .counts = program->counts,
			  .budget = &program->budgets[slot],
			  .arena = &arena};
	pid_t pid = (pid_t)syscall(SYS_clone, flags, NULL, NULL, NULL, NULL);

	if (pid != 0)
		return pid;
	odd_random(&odd);
	if (arena_make(&arena))
		work(&odd);
	_exit(0);
}

/* ---- generations ---- */

static pid_t
parent_of(const char *process)
{
	char name[300], text[512];
	const char *after;
	ssize_t n;
	int fd, parent = 0;

	snprintf(name, sizeof name, "/proc/%s/stat", process);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	if (fd >= 0)
		close(fd);
	text[n < 0 ? 0 : n] = '\0';
	after = strrchr(text, ')');
	if (after != NULL)
		sscanf(after, ") %*c %d", &parent);
	return (pid_t)parent;
}

/* How many children of one process were sent SIGKILL; the program itself is none. */
static int
kill_below(pid_t parent)
{
	DIR *folder = opendir("/proc");
	struct dirent *entry;
	int killed = 0;

	while (folder != NULL && (entry = readdir(folder)) != NULL) {
		pid_t pid = (pid_t)atoi(entry->d_name);

		if (pid > 0 && pid != getpid() && parent_of(entry->d_name) == parent &&
		    kill(pid, SIGKILL) == 0)
			killed++;
	}
	if (folder != NULL)
		closedir(folder);
	return killed;
}

static void
count_end(struct counts *counts, int status)
{
	if (!WIFSIGNALED(status))
		return;
	if (WTERMSIG(status) == SIGKILL)
		counts->killed++;
	else
		counts->crashed++;
}

static bool
reap(struct program *program, pid_t workers[], int *left)
{
	int status;
	pid_t pid = waitpid(-1, &status, WNOHANG | __WALL);

	for (int i = 0; pid > 0 && i < program->processes; i++) {
		if (workers[i] != pid)
			continue;
		workers[i] = 0;
		--*left;
		program->counts->rounds++;
		count_end(program->counts, status);
	}
	return pid > 0;
}

/* Everything that the generation left is ended: the next one begins with all of its budget. */
static void
clear(struct program *program)
{
	pid_t workers[PROCESSES_MAX] = {0};
	int left = 0;

	for (int tries = 0; tries < 200; tries++) {
		int killed = kill_below(getpid());

		if (program->orphans)
			killed += kill_below(getppid());
		while (reap(program, workers, &left))
			;
		if (killed == 0)
			return;
		wait_ms(2);
	}
}

/* The guard becomes the tracer, and sees a stop by a signal that this program ignores. */
static void
stop_traced(struct odd *odd)
{
	static const int signals[] = {SIGQUIT, SIGTERM, SIGUSR1, SIGHUP, SIGINT, 64};

	ptrace(PTRACE_TRACEME, 0, 0, 0);
	raise(ODD_PICK(odd, signals));
}

/* The program's own odd acts: it is the guard's child, and what it makes this way is, too. */
static void
act_as_command(struct program *program, struct odd *odd)
{
	static const unsigned long flags[] = {CLONE_PARENT, CLONE_PARENT | SIGUSR1,
					      CLONE_PARENT | SIGCHLD, CLONE_PARENT | SIGSTOP,
					      CLONE_PARENT | 64};
	static const int stops[] = {SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU};

	if (odd_one_in(odd, 2))
		start_work(program, 0, odd_random(odd), ODD_PICK(odd, flags));
	if (program->options.spawner > 0 && odd_one_in(odd, 4))
		kill(program->options.spawner, ODD_PICK(odd, stops));
	if (program->options.trace && odd_one_in(odd, 4))
		stop_traced(odd);
	if (odd_one_in(odd, 8)) {
		int stop = ODD_PICK(odd, stops);

		/* the process that started the launcher wakes it, and the launcher this program */
		signal(stop, SIG_DFL);
		raise(stop);
		if (stop != SIGSTOP)
			signal(stop, SIG_IGN);
	}
}

/* Its calls wake the guard's thread that waits for one. Outlives no program. */
static pid_t
start_ticker(const struct program *program)
{
	pid_t parent = getpid(), pid = program->tick ? fork() : 0;

	if (pid != 0 || !program->tick)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	while (getppid() == parent) {
		mkdir("tick", 0700);
		wait_ms(TICK_MS);
	}
	_exit(0);
}

static void
generation(struct program *program, struct odd *odd)
{
	pid_t workers[PROCESSES_MAX], ticker = start_ticker(program);
	int left = 0;
	int64_t end = now_ms() + GENERATION_MS;

	for (int i = 0; i < program->processes; i++) {
		program->budgets[i] = BUDGET;
		workers[i] = start_work(program, i, odd_random(odd), SIGCHLD);
		left += workers[i] > 0;
	}
	act_as_command(program, odd);
	while (left > 0 && now_ms() < end)
		if (!reap(program, workers, &left))
			wait_ms(1);
	if (ticker > 0)
		kill(ticker, SIGKILL);
}

static void
print_counts(const struct program *program, FILE *to)
{
	const struct counts *counts = program->counts;

	fprintf(to, "rounds rounds %llu\nrounds crashed %llu\nrounds killed %llu\n",
		(unsigned long long)counts->rounds, (unsigned long long)counts->crashed,
		(unsigned long long)counts->killed);
	for (size_t i = 0; i < odd_row_count(); i++)
		fprintf(to, "call %s %llu\n", odd_row_name(i),
			(unsigned long long)counts->calls[i]);
	for (size_t i = 0; i < act_count(); i++)
		fprintf(to, "act %s %llu\n", act_at(i)->name, (unsigned long long)counts->acts[i]);
	for (int i = 0; i < ODD_ERRNOS; i++)
		if (counts->errnos[i] > 0)
			fprintf(to, "errno %d %llu\n", i, (unsigned long long)counts->errnos[i]);
}

/* In one step, so that its being there means that the program was about to end by itself. */
static bool
save_counts(const struct program *program)
{
	char name[4200];
	FILE *to;
	bool is_written;

	/* a worker may have changed the mode of its parent directory, which is this one */
	chmod(".", 0755);
	snprintf(name, sizeof name, "%s.new", program->out);
	to = fopen(name, "we");
	if (to == NULL)
		return false;
	print_counts(program, to);
	is_written = fclose(to) == 0;
	return is_written && rename(name, program->out) == 0;
}

/* ---- the program ---- */

static void
set_limits(void)
{
	const struct rlimit none = {0, 0}, size = {1u << 20, 1u << 20};
	/* a sanitizer in a cordon inside needs more, and takes it back */
	const struct rlimit memory = {1u << 30, RLIM_INFINITY};

	setrlimit(RLIMIT_CORE, &none);
	setrlimit(RLIMIT_FSIZE, &size);
	setrlimit(RLIMIT_AS, &memory);
}

static bool
share_memory(struct program *program)
{
	void *shared = mmap(NULL, sizeof(struct counts) + PROCESSES_MAX * sizeof(int),
			    PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (shared == MAP_FAILED)
		return false;
	program->counts = shared;
	program->budgets = (int *)(void *)((char *)shared + sizeof(struct counts));
	return true;
}

static void
ignore_signals(void)
{
	static const int ignored[] = {SIGHUP,  SIGINT,	SIGQUIT, SIGTERM, SIGTSTP,
				      SIGTTIN, SIGTTOU, SIGPIPE, SIGUSR1, SIGUSR2,
				      SIGALRM, SIGIO,	SIGXFSZ, 34,	  64};

	for (size_t i = 0; i < COUNT(ignored); i++)
		signal(ignored[i], SIG_IGN);
}

static bool
wait_for_go(void)
{
	for (int i = 0; i < GO_TRIES; i++) {
		if (access("go", F_OK) == 0)
			return true;
		wait_ms(5);
	}
	return false;
}

static int
run(struct program *program)
{
	struct odd odd = {.state = program->seed};
	int64_t end;

	if (!wait_for_go())
		return 3;
	end = now_ms() + program->seconds * 1000ll;
	if (!program->orphans)
		prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	do {
		generation(program, &odd);
		if (now_ms() < end || odd_one_in(&odd, 2))
			clear(program);
	} while (now_ms() < end);
	if (save_counts(program))
		return OWN_STATUS;
	perror(program->out);
	return 4;
}

static bool
read_options(struct program *program, int argc, char **argv)
{
	struct options *o = &program->options;
	int at = 1;

	for (; at < argc && strncmp(argv[at], "--", 2) == 0; at++) {
		o->deep = o->deep || strcmp(argv[at], "--deep") == 0;
		o->trace = o->trace || strcmp(argv[at], "--trace") == 0;
		o->is_tame = o->is_tame || strcmp(argv[at], "--tame") == 0;
		program->tick = program->tick || strcmp(argv[at], "--tick") == 0;
		program->orphans = program->orphans || strcmp(argv[at], "--orphans") == 0;
		o->spawner = o->spawner || strcmp(argv[at], "--spawner") == 0;
		program->inner = program->inner || strcmp(argv[at], "--inner") == 0;
		if (strcmp(argv[at], "--cordon") == 0 && at + 1 < argc)
			o->cordon = argv[++at];
		else if (strcmp(argv[at], "--port") == 0 && at + 1 < argc)
			o->port = atoi(argv[++at]);
	}
	if (argc - at != (program->inner ? 2 : 5))
		return false;
	program->seed = strtoull(argv[at], NULL, 10);
	o->outside = argv[argc - 1];
	if (!program->inner) {
		program->seconds = atoi(argv[at + 1]);
		program->processes = atoi(argv[at + 2]);
		program->out = argv[at + 3];
	}
	return program->processes <= PROCESSES_MAX;
}

/* A shared session has a spawner between the guard and the command, in the sandbox like the command. */
static void
find_others(struct options *o)
{
	char text[32];

	o->guard = getppid();
	if (o->spawner != 0) {
		o->spawner = getppid();
		snprintf(text, sizeof text, "%d", (int)o->spawner);
		o->guard = parent_of(text);
	}
	snprintf(text, sizeof text, "%d", (int)o->guard);
	o->launcher = parent_of(text);
}

int
main(int argc, char **argv)
{
	struct program program = {.processes = 0};
	char self[4096] = "";

	if (!read_options(&program, argc, argv) || !share_memory(&program))
		return 2;
	program.options.self = readlink("/proc/self/exe", self, sizeof self - 1) > 0 ? self
										     : "oddcalls";
	find_others(&program.options);
	set_limits();
	ignore_signals();
	/* where nothing is restricted it has what the launcher had */
	syscall(SYS_close_range, FD_FIRST, ~0u, 0);
	if (!program.inner)
		return run(&program);
	program.budgets[0] = BUDGET / 2;
	waitpid(start_work(&program, 0, program.seed, SIGCHLD), NULL, 0);
	return 0;
}
