// SPDX-License-Identifier: MIT
/*
 * A program that runs commands for an agent, with the library: plan once, ask the plan, run, look at how
 * it ended. Built against an installed cordon:
 *
 *   cc embed.c -o embed $(pkg-config --cflags --libs cordon)
 *   ./embed make
 */
#include <cordon/cordon.h>
#include <stdio.h>
#include <stdlib.h>

static int
fail(const struct cordon_error *err)
{
	fprintf(stderr, "embed: %s\n", err->text);
	/* not found and not executable have the numbers that shells use */
	return err->sys == 126 || err->sys == 127 ? err->sys : 125;
}

/* What the policy can live without it says itself; everything else has to be kept. */
static int
has_gaps(const struct cordon_plan *plan)
{
	const char *text;

	for (size_t i = 0; (text = cordon_plan_notice(plan, i)) != NULL; i++)
		fprintf(stderr, "embed: %s\n", text);
	for (size_t i = 0; (text = cordon_plan_gap(plan, i)) != NULL; i++)
		fprintf(stderr, "embed: cannot enforce %s\n", text);
	return cordon_plan_gaps(plan) > 0;
}

/* Asked before anything runs, and without running anything. */
static void
ask(const struct cordon_plan *plan, const char *what, const char *subject)
{
	struct cordon_error err = {0};
	char *answer = NULL;

	if (cordon_plan_why(plan, what, subject, CORDON_JSON, &answer, &err) < 0)
		fail(&err);
	else
		printf("%s", answer);
	free(answer);
}

int
main(int argc, char **argv)
{
	struct cordon_command command = {.argv = argv + 1, .status_fd = -1, .grace_ms = 500};
	struct cordon_setup *setup = cordon_setup_new();
	struct cordon_plan *plan = NULL;
	struct cordon_error err = {0};
	struct cordon_run run;
	int status = 125;

	if (argc < 2 || setup == NULL)
		return 125;
	if (cordon_setup_set(setup, CORDON_OPT_POLICY, "git", &err) < 0 ||
	    cordon_setup_set(setup, CORDON_OPT_TIME, "10m", &err) < 0 ||
	    cordon_plan_new(setup, &plan, &err) < 0) {
		status = fail(&err);
	} else if (!has_gaps(plan)) {
		ask(plan, "write", ".git/hooks/pre-commit");
		fflush(stdout);
		if (cordon_run(plan, &command, &run, &err) < 0)
			status = fail(&err);
		else
			status = run.signal != 0 ? 128 + run.signal : run.status;
		if (status != 0 && err.code == 0 && run.refused > 0)
			fprintf(stderr, "embed: refused: %s\n", run.refusals);
	}
	cordon_plan_free(plan);
	cordon_setup_free(setup);
	return status;
}
