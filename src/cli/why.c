// SPDX-License-Identifier: MIT
/* cordon why: explains one decision. */
#include "base/arena.h"
#include "cli/cli.h"

int
cli_why(struct cli *cli)
{
	struct cordon_error err = {0};
	struct cordon_plan *plan = NULL;
	auto_free char *text = NULL;
	int answer;

	if (cordon_plan_new(cli->setup, &plan, &err) < 0)
		return cli_fail(&err);
	cli_notices(cli, plan);
	answer =
		cordon_plan_why(plan, cli->operands[0], cli->operands[1], cli->format, &text, &err);
	cordon_plan_free(plan);
	if (answer < 0)
		return cli_fail(&err);
	return cli_put(text, cli->format == CORDON_JSON ? NULL : answer ? "32" : "31", !answer);
}
