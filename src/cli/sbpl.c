// SPDX-License-Identifier: MIT
/* cordon sbpl: prints the Seatbelt profile of a policy, on any system. */
#include "base/arena.h"
#include "cli/cli.h"

int
cli_sbpl(struct cli *cli)
{
	struct cordon_error err = {0};
	struct cordon_plan *plan = NULL;
	auto_free char *text = NULL;
	int rc;

	if (cordon_plan_new(cli->setup, &plan, &err) < 0)
		return cli_fail(cli, &err);
	cli_notices(cli, plan);
	rc = cordon_plan_sbpl(plan, cli->format, &text, &err);
	cordon_plan_free(plan);
	return rc < 0 ? cli_fail(cli, &err) : cli_put(text, NULL, 0);
}
