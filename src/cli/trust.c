// SPDX-License-Identifier: MIT
/* cordon trust: lists, approves or revokes what the project requests. */
#include "base/arena.h"
#include "cli/cli.h"

int
cli_trust(struct cli *cli)
{
	enum cordon_trust_action action = cli->yes	? CORDON_TRUST_APPROVE
					  : cli->revoke ? CORDON_TRUST_REVOKE
							: CORDON_TRUST_LIST;
	struct cordon_error err = {0};
	auto_free char *text = NULL;
	int asked;

	if (cli->yes && cli->revoke)
		return cli_usage(cli, "--yes and --revoke exclude each other");
	asked = cordon_trust(cli->setup, action, cli->format, &text, &err);
	return asked < 0 ? cli_fail(cli, &err) : cli_put(text, NULL, asked > 0);
}
