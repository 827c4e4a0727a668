// SPDX-License-Identifier: MIT
/* cordon report: writes what the log knows of a session as a page of HTML. */
#include <stdio.h>
#include <unistd.h>

#include "base/arena.h"
#include "cli/cli.h"

int
cli_report(struct cli *cli)
{
	const char *session = cli->operand_count > 0 ? cli->operands[0] : NULL;
	bool is_shown = !cli->quiet && isatty(STDERR_FILENO);
	struct cordon_error err = {0};
	auto_free char *text = NULL;

	if (is_shown)
		cli_say(cli, "reading the log");
	if (cordon_report(cli->setup, session, &text, &err) < 0)
		return cli_fail(cli, &err);
	if (cli->out == NULL)
		return cli_put(text, NULL, 0);
	if (cli_write_new(cli->out, text, cli->force, &err) < 0)
		return cli_fail(cli, &err);
	if (is_shown)
		cli_say(cli, "wrote %s", cli->out);
	return 0;
}
