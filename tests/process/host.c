// SPDX-License-Identifier: MIT
/*
 * A program with threads and children of its own that runs commands by the library.
 *
 *   host at-once                   a second run while one is under way, and one after it
 *   host guard-dies run|track CALLER STARTER
 *
 * The latter kills the guard. CALLER and STARTER are "first" or "other": the threads that run the
 * command, and start a bystander meanwhile. The first one does not do both. The bystander must live.
 */
#include <cordon/cordon.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct run {
	bool track;
	const char *script;
	int rc;
	struct cordon_run result;
	struct cordon_error err;
};

static void *
run(void *argument)
{
	struct run *run = argument;
	char *argv[] = {"sh", "-c", (char *)run->script, NULL};
	struct cordon_command command = {.argv = argv, .status_fd = -1, .grace_ms = -1};
	struct cordon_setup *setup = cordon_setup_new();
	struct cordon_plan *plan = NULL;

	run->rc = run->track ? cordon_track(setup, &command, &run->result, &run->err)
			     : cordon_plan_new(setup, &plan, &run->err);
	if (!run->track && run->rc == 0)
		run->rc = cordon_run(plan, &command, &run->result, &run->err);
	cordon_plan_free(plan);
	cordon_setup_free(setup);
	return NULL;
}

static void
wait_for(const char *file)
{
	for (int i = 0; i < 2000 && access(file, F_OK) < 0; i++)
		usleep(10000);
}

static pid_t
read_number(const char *file)
{
	FILE *from = fopen(file, "r");
	int number = 0;

	if (from == NULL || fscanf(from, "%d", &number) != 1)
		number = 0;
	if (from != NULL)
		fclose(from);
	return number;
}

static int
try_at_once(void)
{
	struct run first = {.track = true,
			    .script = "touch up; while [ ! -e go ]; do sleep 0.05; done"};
	struct run second = {.track = true, .script = "true"}, third = second,
		   confined = {.script = "true"};
	pthread_t thread;

	pthread_create(&thread, NULL, run, &first);
	wait_for("up");
	run(&second);
	run(&confined);
	fclose(fopen("go", "w"));
	pthread_join(thread, NULL);
	run(&third);
	printf("%s\n%s\nfirst %d second %d confined %d third %d\n", second.err.text,
	       confined.err.text, first.rc, second.rc < 0, confined.rc < 0, third.rc);
	return 0;
}

static pid_t bystander;

/* Waits until the command runs, starts the bystander, and kills the guard. */
static void *
disturb(void *argument)
{
	(void)argument;
	wait_for("up");
	bystander = fork();
	if (bystander == 0) {
		alarm(60);
		for (;;)
			pause();
	}
	usleep(100000);
	kill(read_number("guard"), SIGKILL);
	return NULL;
}

static bool
is_alive(pid_t pid)
{
	return pid > 0 && kill(pid, 0) == 0;
}

static int
try_guard_dies(char **argv)
{
	struct run one = {
		.track = strcmp(argv[0], "track") == 0,
		.script = "exec >/dev/null 2>&1 </dev/null; echo $PPID >guard; echo $$ >command; "
			  "(sleep 60 & echo $! >left); touch up; exec sleep 60"};
	pthread_t thread, other;

	if (strcmp(argv[1], "first") == 0) {
		pthread_create(&thread, NULL, disturb, NULL);
		run(&one);
	} else if (strcmp(argv[2], "first") == 0) {
		pthread_create(&thread, NULL, run, &one);
		disturb(NULL);
	} else {
		pthread_create(&other, NULL, disturb, NULL);
		pthread_create(&thread, NULL, run, &one);
		pthread_join(other, NULL);
	}
	pthread_join(thread, NULL);
	usleep(200000);
	printf("bystander %s\n",
	       is_alive(bystander) && waitpid(bystander, NULL, WNOHANG) == 0 ? "lives" : "died");
	printf("left %s%s\n", is_alive(read_number("left")) ? "lives" : "died",
	       one.result.left > 0 ? ", told" : "");
	kill(bystander, SIGKILL);
	if (read_number("left") > 0)
		kill(read_number("left"), SIGKILL);
	if (one.result.left > 0 && read_number("command") > 0)
		kill(read_number("command"), SIGKILL);
	return 0;
}

int
main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "at-once") == 0)
		return try_at_once();
	if (argc == 5 && strcmp(argv[1], "guard-dies") == 0)
		return try_guard_dies(argv + 2);
	return 2;
}
