// SPDX-License-Identifier: MIT
/* cordon ps, cordon kill. */
#include <stdio.h>

#include "base/arena.h"
#include "base/str.h"
#include "cli/cli.h"

int
cli_ps(struct cli *cli)
{
	struct cordon_error err = {0};
	auto_free char *text = NULL;

	int count = cordon_sessions(cli->format, &text, &err);

	if (count < 0)
		return cli_fail(cli, &err);
	if (count == 0 && cli->format == CORDON_TEXT && !cli->quiet)
		fputs("cordon: no session is alive\n", stderr);
	return cli_put(text, NULL, 0);
}

/* Returns 0 if ended, 1 if there is no such session, or EXIT_CORDON. */
static int
end_one(const struct cli *cli, const char *which)
{
	struct cordon_error err = {0};
	auto_free char *text = NULL;
	auto_str struct str shown = {0};
	int count = cordon_kill(which, cli->grace_ms < 0 ? 0 : (int)cli->grace_ms, &text, &err);

	if (count < 0)
		return cli_fail(cli, &err);
	if (count == 0 && which != NULL) {
		str_visible(&shown, which);
		fprintf(stderr, "cordon: there is no session %s; `cordon ps` lists them\n",
			shown.failed ? "" : shown.text);
		return 1;
	}
	return cli_put(cli->quiet ? "" : text, NULL, 0);
}

int
cli_kill(struct cli *cli)
{
	int status = 0;

	if (cli->all != (cli->operand_count == 0))
		return cli_usage(cli, cli->all ? "--all and names exclude each other"
					       : "name a session by its id or name, or use --all");
	if (cli->all)
		return end_one(cli, NULL);
	for (int i = 0; i < cli->operand_count; i++) {
		int one = end_one(cli, cli->operands[i]);

		status = one > status ? one : status;
	}
	return status;
}
