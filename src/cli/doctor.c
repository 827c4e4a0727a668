// SPDX-License-Identifier: MIT
/* cordon doctor: tests what this host can enforce. */
#include "base/arena.h"
#include "cli/cli.h"

int
cli_doctor(struct cli *cli)
{
	struct cordon_error err = {0};
	auto_free char *text = NULL;
	int enforceable = cordon_doctor(cli->setup, cli->format, &text, &err);

	return enforceable < 0 ? cli_fail(cli, &err) : cli_put(text, NULL, !enforceable);
}
