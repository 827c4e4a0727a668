// SPDX-License-Identifier: MIT
/* cordon doctor: tests what this host can enforce. */
#include "base/arena.h"
#include "cli/cli.h"

/* What the host can enforce does not help if a grant of the policy is missing. */
static bool
is_startable(const struct cli *cli)
{
	struct cordon_error err = {0};
	struct cordon_plan *plan = NULL;
	int rc = cordon_plan_new(cli->setup, &plan, &err);

	if (rc == 0)
		rc = cordon_plan_check(plan, &err);
	cordon_plan_free(plan);
	if (rc < 0)
		cli_fail(cli, &err);
	return rc == 0;
}

int
cli_doctor(struct cli *cli)
{
	struct cordon_error err = {0};
	auto_free char *text = NULL;
	int enforceable = cordon_doctor(cli->setup, cli->format, &text, &err);

	if (enforceable < 0)
		return cli_fail(cli, &err);
	return cli_put(text, NULL, !enforceable || !is_startable(cli));
}
