// SPDX-License-Identifier: MIT
/* cordon record: prints the record that an editor's settings mean, for --sandbox-exec or --config-fd. */
#include "base/arena.h"
#include "cli/cli.h"

int
cli_record(struct cli *cli)
{
	struct cordon_error err = {0};
	auto_free char *text = NULL;
	int rc;

	if (cli->track_only != (cli->operand_count == 0))
		return cli_usage(cli, cli->track_only ? "--track-only goes without settings"
						      : "it takes settings files, or --track-only");
	/* the array is main()'s, which has one place more */
	cli->operands[cli->operand_count] = NULL;
	rc = cordon_record(cli->setup, (const char *const *)cli->operands, &text, &err);
	if (rc < 0)
		return cli_fail(cli, &err);
	if (rc == 1)
		return cli_put(text, NULL, 0);
	cli_say(cli, "no record: %s", text);
	return 1;
}
