// SPDX-License-Identifier: MIT
/* cordon check: checks a policy or a git ref and prints the findings. */
#include <stdio.h>

#include "base/arena.h"
#include "cli/cli.h"

int
cli_check(struct cli *cli)
{
	const char *file = cli->operand_count > 0 ? cli->operands[0] : NULL;
	struct cordon_error err = {0};
	auto_free char *findings = NULL, *printed = NULL;
	int warnings = 0;

	if (cli->ref != NULL && (file != NULL || cli->print))
		return cli_usage(cli, "--ref checks a ref, not policies");
	if ((cli->ref != NULL
		     ? cordon_check_ref(cli->setup, cli->ref, cli->format, &findings, &warnings,
					&err)
		     : cordon_check(cli->setup, file, cli->format, &findings, &warnings, &err)) < 0)
		return cli_fail(cli, &err);
	if (!cli->print && *findings == '\0' && !cli->quiet)
		return cli_put("no findings\n", NULL, 0);
	if (!cli->print)
		return cli_put(findings, NULL, warnings > 0);
	if (cordon_check_print(cli->setup, file, &printed, &err) < 0)
		return cli_fail(cli, &err);
	if (!cli->quiet)
		fputs(findings, stderr);
	return cli_put(printed, NULL, warnings > 0);
}
