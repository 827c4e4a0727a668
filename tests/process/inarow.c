// SPDX-License-Identifier: MIT
/*
 * Many sessions in one process, by the library: inarow COUNT PROGRAM. Afterwards the process has as
 * many descriptors, children, blocked and ignored signals and heirs as before, and its memory does
 * not grow. Says what is different and ends with 1, else with 0.
 */
#include <cordon/cordon.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* What a library must leave as it was. */
struct state {
	int descriptors;
	bool has_children;
	sigset_t blocked;
	unsigned long long ignored;
	int is_heir;
	long pages;
};

static int
count_descriptors(void)
{
	DIR *folder = opendir("/proc/self/fd");
	int count = 0;

	while (folder != NULL && readdir(folder) != NULL)
		count++;
	if (folder != NULL)
		closedir(folder);
	return count;
}

static long
count_pages(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	long all = 0, resident = 0;

	if (file == NULL || fscanf(file, "%ld %ld", &all, &resident) != 2)
		resident = -1;
	if (file != NULL)
		fclose(file);
	return resident;
}

static struct state
look(void)
{
	struct state state = {0};
	struct sigaction action;

	state.descriptors = count_descriptors();
	state.has_children = waitpid(-1, NULL, WNOHANG | __WALL) >= 0 || errno != ECHILD;
	sigprocmask(SIG_SETMASK, NULL, &state.blocked);
	for (int number = 1; number < NSIG; number++)
		if (sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN)
			state.ignored |= 1ull << (number - 1);
	prctl(PR_GET_CHILD_SUBREAPER, &state.is_heir, 0, 0, 0);
	state.pages = count_pages();
	return state;
}

static bool
is_same(const char *what, long long before, long long after)
{
	if (before != after)
		printf("%s: %lld before, %lld after\n", what, before, after);
	return before == after;
}

static bool
are_same(const struct state *before, const struct state *after)
{
	bool same = is_same("descriptors", before->descriptors, after->descriptors);

	same &= is_same("children", before->has_children, after->has_children);
	same &= is_same("ignored signals", (long long)before->ignored, (long long)after->ignored);
	same &= is_same("heir of orphans", before->is_heir, after->is_heir);
	for (int number = 1; number < NSIG; number++)
		same &= is_same("blocked signal", sigismember(&before->blocked, number),
				sigismember(&after->blocked, number));
	/* a megabyte is what an allocator may keep */
	if (after->pages > before->pages + 256) {
		printf("pages: %ld before, %ld after\n", before->pages, after->pages);
		same = false;
	}
	return same;
}

static int
run_one(const struct cordon_setup *setup, char **argv, bool track)
{
	struct cordon_command command = {.argv = argv, .status_fd = -1, .grace_ms = -1};
	struct cordon_error err = {0};
	struct cordon_run run = {0};
	struct cordon_plan *plan = NULL;
	int rc;

	if (track) {
		rc = cordon_track(setup, &command, &run, &err);
	} else {
		rc = cordon_plan_new(setup, &plan, &err);
		if (rc == 0)
			rc = cordon_run(plan, &command, &run, &err);
		cordon_plan_free(plan);
	}
	if (rc == 0 && run.signal == 0 && run.status == 0 && run.left == 0)
		return 0;
	printf("%s (status %d, signal %d, left %d)\n", err.text, run.status, run.signal, run.left);
	return -1;
}

static int
run_many(int count, char **argv)
{
	for (int i = 0; i < count; i++) {
		struct cordon_setup *setup = cordon_setup_new();
		int rc = setup == NULL ? -1 : run_one(setup, argv, i % 2 == 0);

		cordon_setup_free(setup);
		if (rc < 0)
			return rc;
	}
	return 0;
}

int
main(int argc, char **argv)
{
	int count = argc > 2 ? atoi(argv[1]) : 0;
	struct state before, after;

	if (count < 1) {
		fputs("usage: inarow COUNT PROGRAM [ARGUMENT...]\n", stderr);
		return 2;
	}
	/* what is made once and kept does not count */
	if (run_many(10, argv + 2) < 0)
		return 1;
	before = look();
	if (run_many(count, argv + 2) < 0)
		return 1;
	after = look();
	return are_same(&before, &after) ? 0 : 1;
}
