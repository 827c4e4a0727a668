// SPDX-License-Identifier: MIT
/* cordon learn: runs a command, asks about what it was refused, and writes the policy that it needs. */
#include <stdio.h>
#include <unistd.h>

#include "base/arena.h"
#include "cli/cli.h"

/* The command may have left its input at the end, or in another mode: the answer comes from the terminal. */
static int
ask(const struct cli *cli, const char *what, const char *option)
{
	char answer[16] = "";
	FILE *terminal;

	if (cli->yes || cli->open)
		return 1;
	terminal = isatty(STDERR_FILENO) ? fopen("/dev/tty", "re") : NULL;
	if (terminal == NULL)
		return 0;
	cli_say(cli, "refused: %s", what);
	cli_say(cli, "allow it with %s ? [y/N]", option);
	if (fgets(answer, sizeof answer, terminal) == NULL)
		*answer = '\0';
	fclose(terminal);
	return *answer == 'y' || *answer == 'Y';
}

static int
confirm(void *sink, const char *what, const char *option)
{
	return ask(sink, what, option);
}

static void
say_round(void *sink, int number)
{
	const struct cli *cli = sink;

	if (!cli->quiet && isatty(STDERR_FILENO))
		cli_say(cli, "learn: run %d", number);
}

static int
finish(const struct cli *cli, const char *policy, const char *diff)
{
	struct cordon_error err = {0};

	if (cli->out != NULL && cli_write_new(cli->out, policy, cli->force, &err) < 0)
		return cli_fail(cli, &err);
	if (cli->diff)
		return cli_put(diff, NULL, 0);
	return cli->out == NULL ? cli_put(policy, NULL, 0) : 0;
}

int
cli_learn(struct cli *cli)
{
	const struct cordon_command command = {.argv = cli->operands,
					       .status_fd = -1,
					       .grace_ms = -1};
	const struct cordon_learning how = {confirm, say_round, cli, cli->open};
	struct cordon_error err = {0};
	struct cordon_run run = {0};
	auto_free char *policy = NULL, *diff = NULL;
	int status;

	if (cordon_learn(cli->setup, &command, &how, &run, &policy, &diff, &err) < 0)
		return cli_fail(cli, &err);
	if (*run.notice != '\0' && !cli->quiet)
		cli_say(cli, "%s", run.notice);
	status = finish(cli, policy, diff);
	if (status != 0)
		return status;
	if ((run.status != 0 || run.signal != 0) && !cli->quiet)
		cli_say(cli,
			"the command failed with what was confirmed: the policy is not complete");
	return run.signal != 0 ? 128 + run.signal : run.status;
}
