// SPDX-License-Identifier: MIT
/*
 * Measures a session: time until all leftover processes are gone, memory of supervisor and guard, size of
 * the program.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "scene.h"

#define LEFT 500
#define BAR_END_MS 100.0
#define BAR_KILOBYTES 1024.0
#define BAR_SIZE_MB 2.0
#define PIDS_MAX 64

/* ---- killing many processes ---- */

/* Counts the processes that are alive, and reads when the command ended. */
static int
count_alive(const char *path, double *ret_ended)
{
	FILE *file = fopen(path, "r");
	char line[64];
	int alive = 0;

	*ret_ended = 0;
	while (file != NULL && fgets(line, sizeof line, file) != NULL) {
		if (strncmp(line, "at ", 3) == 0)
			*ret_ended = strtod(line + 3, NULL);
		else
			alive += kill(atoi(line), 0) == 0;
	}
	if (file != NULL)
		fclose(file);
	return alive;
}

/* Milliseconds from the end of the command to the return of the launcher; -1 on failure. */
static double
end_of(const struct contender *contender, const char *path, int *ret_alive)
{
	double ended, back;

	unlink(path);
	if (contender_run(contender, NULL) < 0)
		return -1;
	back = clock_now();
	*ret_alive += count_alive(path, &ended);
	return ended > 0 ? back - ended : -1;
}

static int
measure_end(struct scene *scene, bool quick)
{
	struct contender contenders[CONTENDERS_MAX];
	char path[SCENE_PATH], number[16];
	char *command[] = {scene->worker, "leave", number, path, NULL};
	int rounds = quick ? 1 : 15, left = quick ? 10 : LEFT, failed = 0;
	size_t count;

	scene_path(path, scene->project, "left");
	snprintf(number, sizeof number, "%d", left);
	count = scene_contenders(scene, PART_OURS | PART_TRACK, command, contenders);
	printf("\n### the end of a session with %d processes left behind\n\n", left);
	for (size_t i = 0; i < count; i++) {
		struct contender one = {.name = contenders[i].name, .times = NULL};
		int alive = 0;

		/* no other contender kills leftover processes */
		if (strncmp(one.name, "cordon", 6) != 0)
			continue;
		one.times = calloc((size_t)rounds, sizeof *one.times);
		for (int k = 0; k < rounds && one.times != NULL; k++) {
			double ms = end_of(&contenders[i], path, &alive);

			if (ms >= 0)
				one.times[one.count++] = ms;
		}
		printf("- %s: all gone after %.1f ms (median of %d), %d left alive\n", one.name,
		       contender_median(&one), one.count, alive);
		if (strcmp(one.name, "cordon") == 0)
			bar_print_number("end", contender_median(&one), BAR_END_MS, "ms");
		failed += one.count != rounds || alive > 0;
		free(one.times);
	}
	return failed;
}

/* ---- memory ---- */

/* Stays negative whatever is added to it. */
#define UNKNOWN (-1e9)

static double
kilobytes_of(pid_t pid)
{
	char path[64], line[128];
	double kilobytes = 0;
	FILE *file;

	snprintf(path, sizeof path, "/proc/%d/smaps_rollup", (int)pid);
	file = fopen(path, "r");
	/* with a broker the guard is undumpable: only root can read it */
	if (file == NULL)
		return UNKNOWN;
	while (file != NULL && fgets(line, sizeof line, file) != NULL)
		if (strncmp(line, "Pss:", 4) == 0)
			kilobytes = strtod(line + 4, NULL);
	if (file != NULL)
		fclose(file);
	return kilobytes;
}

/* The children of a process with one thread. */
static size_t
children_of(pid_t pid, pid_t *to, size_t room)
{
	char path[64];
	size_t count = 0;
	FILE *file;
	int child;

	snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)pid);
	file = fopen(path, "r");
	while (file != NULL && count < room && fscanf(file, "%d", &child) == 1)
		to[count++] = child;
	if (file != NULL)
		fclose(file);
	return count;
}

static bool
is_program(pid_t pid, const char *program)
{
	char link[64], path[SCENE_PATH];
	ssize_t length;

	snprintf(link, sizeof link, "/proc/%d/exe", (int)pid);
	length = readlink(link, path, sizeof path - 1);
	path[length < 0 ? 0 : length] = '\0';
	return strcmp(path, program) == 0;
}

/* Memory of all processes below pid, except the command. */
static double
held_by(pid_t pid, const char *command)
{
	pid_t found[PIDS_MAX];
	double sum = 0;

	if (is_program(pid, command))
		return 0;
	sum = kilobytes_of(pid);
	for (size_t i = 0, count = children_of(pid, found, PIDS_MAX); i < count; i++)
		sum += held_by(found[i], command);
	return sum;
}

/* Waits for the file that the command creates, while child runs and for a limited time. */
static bool
wait_for(const char *path, pid_t child)
{
	const struct timespec pause = {0, 5000000};
	siginfo_t info = {0};

	for (int i = 0; i < 12000; i++) {
		if (access(path, F_OK) == 0)
			return true;
		if (waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) < 0 ||
		    info.si_pid == child)
			return false;
		nanosleep(&pause, NULL);
	}
	return false;
}

/* SIGTERM first, so that it can end its processes. */
static void
end_child(pid_t child)
{
	const struct timespec pause = {0, 5000000};

	kill(child, SIGTERM);
	for (int i = 0; i < 4000; i++) {
		if (waitpid(child, NULL, WNOHANG) != 0)
			return;
		nanosleep(&pause, NULL);
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

static double
hold_and_weigh(const struct contender *contender, const struct scene *scene, const char *path)
{
	/* measure the idle state, not the start */
	const struct timespec settle = {2, 0};
	double kilobytes = -1;
	pid_t child;

	unlink(path);
	child = fork();
	if (child == 0)
		contender_become(contender);
	if (child < 0)
		return -1;
	if (wait_for(path, child)) {
		nanosleep(&settle, NULL);
		kilobytes = held_by(child, scene->worker);
	}
	end_child(child);
	return kilobytes;
}

static int
measure_memory(struct scene *scene)
{
	struct contender contenders[CONTENDERS_MAX];
	char path[SCENE_PATH];
	char *command[] = {scene->worker, "hold", path, NULL};
	size_t count;
	int failed = 0;

	scene_path(path, scene->project, "held");
	count = scene_contenders(scene, PART_OURS | PART_PEERS, command, contenders);
	printf("\n### memory held beside the command (PSS)\n\n");
	for (size_t i = 0; i < count; i++) {
		bool ours = strcmp(contenders[i].name, "cordon") == 0;
		double kilobytes;

		/* launchers that exec leave no process beside the command */
		if (strcmp(contenders[i].name, "bare") == 0 ||
		    strncmp(contenders[i].name, "floor", 5) == 0)
			continue;
		kilobytes = hold_and_weigh(&contenders[i], scene, path);
		if (kilobytes <= 0)
			printf("- %s: cannot be told here\n", contenders[i].name);
		else if (ours)
			bar_print_number("cordon", kilobytes, BAR_KILOBYTES, "kB");
		else
			printf("- %s: %.0f kB\n", contenders[i].name, kilobytes);
		failed += ours && kilobytes <= 0 && kilobytes > UNKNOWN / 2;
	}
	return failed;
}

/* ---- size ---- */

static int
measure_size(const struct scene *scene)
{
	char words[SCENE_PATH * 5], path[SCENE_PATH];
	struct stat st;

	scene_path(path, scene->root, "stripped");
	snprintf(words, sizeof words, "strip -o '%s' '%s' || cp '%s' '%s'", path, scene->cordon,
		 scene->cordon, path);
	if (scene_shell(scene, words) != 0 || stat(path, &st) < 0)
		return 1;
	printf("\n### size\n\n");
	bar_print_number("the program, stripped", (double)st.st_size / 1e6, BAR_SIZE_MB, "MB");
	return 0;
}

int
main(int argc, char **argv)
{
	bool quick = argc > 1 && strcmp(argv[1], "--quick") == 0;
	struct scene scene;
	int failed;

	if (scene_make(&scene, argv[0]) < 0)
		return 1;
	machine_print(quick);
	failed = measure_end(&scene, quick);
	failed += measure_memory(&scene);
	failed += measure_size(&scene);
	scene_remove(&scene);
	return failed > 0;
}
