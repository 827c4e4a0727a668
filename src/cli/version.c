// SPDX-License-Identifier: MIT
/* cordon --version: the version; with -v or --json also the build and the facts of this host. */
#include "base/arena.h"
#include "cli/cli.h"

int
cli_version(struct cli *cli)
{
	struct cordon_error err = {0};
	auto_free char *text = NULL;

	if (!cli->verbose && cli->format == CORDON_TEXT)
		return cli_put("cordon " CORDON_VERSION "\n", NULL, 0);
	if (cordon_version(cli->format, &text, &err) < 0)
		return cli_fail(cli, &err);
	return cli_put(text, NULL, 0);
}
