// SPDX-License-Identifier: MIT
/* cordon why: explains one decision, or what a session was refused. */
#include "base/arena.h"
#include "cli/cli.h"

static int
explain_session(const struct cli *cli)
{
	struct cordon_error err = {0};
	auto_free char *text = NULL;
	int refused;

	if (cli->operand_count > 0 || (cli->last && cli->session != NULL))
		return cli_usage(cli, "--last, --session ID and a question exclude each other");
	refused = cordon_why_session(cli->setup, cli->session, cli->format, &text, &err);
	return refused < 0 ? cli_fail(cli, &err) : cli_put(text, NULL, refused > 0);
}

int
cli_why(struct cli *cli)
{
	struct cordon_error err = {0};
	struct cordon_plan *plan = NULL;
	auto_free char *text = NULL;
	int answer;

	if (cli->last || cli->session != NULL)
		return explain_session(cli);
	if (cli->operand_count < 2)
		return cli_usage(cli, "missing argument: cordon why %s", cli->command->synopsis);

	if (cordon_plan_new(cli->setup, &plan, &err) < 0)
		return cli_fail(cli, &err);
	cli_notices(cli, plan);
	answer =
		cordon_plan_why(plan, cli->operands[0], cli->operands[1], cli->format, &text, &err);
	cordon_plan_free(plan);
	if (answer < 0)
		return cli_fail(cli, &err);
	return cli_put(text, cli->format == CORDON_JSON ? NULL : answer ? "32" : "31", !answer);
}
