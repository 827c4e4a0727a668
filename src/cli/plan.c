// SPDX-License-Identifier: MIT
/* cordon plan: prints what would be enforced on this host. */
#include <stdio.h>

#include "base/arena.h"
#include "cli/cli.h"

static int
list_profiles(void)
{
	const char *name;

	for (size_t i = 0; (name = cordon_profile(i)) != NULL; i++)
		printf("%s\n", name);
	return cli_put("", NULL, 0);
}

int
cli_plan(struct cli *cli)
{
	struct cordon_error err = {0};
	struct cordon_plan *plan = NULL;
	auto_free char *text = NULL;
	int gaps, rc, missing;

	if (cli->profiles)
		return list_profiles();
	if (cordon_plan_new(cli->setup, &plan, &err) < 0)
		return cli_fail(cli, &err);
	cli_notices(cli, plan);
	gaps = cordon_plan_gaps(plan);
	missing = cordon_plan_check(plan, &err);
	if (missing < 0)
		cli_fail(cli, &err);
	rc = cordon_plan_print(plan, cli->format, cli->verbose, &text, &err);
	cordon_plan_free(plan);
	return rc < 0 ? cli_fail(cli, &err) : cli_put(text, NULL, gaps > 0 || missing < 0);
}
