// SPDX-License-Identifier: MIT
/*
 * cordon --sandbox-exec JSON and --config-fd N: the wrapper that editors call for each terminal. The record has the
 * whole policy; other options add to it.
 */
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/fd.h"
#include "base/str.h"
#include "cli/cli.h"

#define RECORD_MAX ((size_t)4 << 20) /* the limit of any policy */

bool
cli_is_wrapper(const struct cli *cli)
{
	return cli->command->run == cli_wrapper;
}

/* Reads the record and closes the fd: the command must not read the policy there or write to it. */
static int
take_record(const struct cli *cli, char **ret_record)
{
	struct cordon_error err = {0};
	uint64_t fd;
	int rc;

	if (!str_number(cli->record_fd, INT_MAX, &fd) || fcntl((int)fd, F_GETFD) < 0)
		return cli_usage(cli, "--config-fd: \"%s\" is not an open descriptor",
				 cli->record_fd);
	rc = fd_read_text((int)fd, RECORD_MAX, ret_record, &err);
	close((int)fd);
	return rc < 0 ? cli_fail(cli, &err) : 0;
}

static int
check_call(const struct cli *cli)
{
	if ((cli->record == NULL) == (cli->record_fd == NULL))
		return cli_usage(cli,
				 "it takes one record, by --sandbox-exec JSON or --config-fd N");
	if (cli->operand_count > 0 && !cli->has_dashes)
		return cli_usage(cli, "-- must stand before the command");
	return 0;
}

/* Without a command it runs the user's shell as a login shell. */
int
cli_wrapper(struct cli *cli)
{
	auto_free char *taken = NULL;
	struct cordon_error err = {0};
	int status = check_call(cli);

	if (cli->record != NULL && strcmp(cli->record, "--help") == 0) {
		cli_help(cli->command);
		return cli_put("", NULL, 0);
	}
	if (status == 0 && cli->record_fd != NULL)
		status = take_record(cli, &taken);
	if (status != 0)
		return status;
	if (cordon_setup_set(cli->setup, CORDON_OPT_RECORD, taken != NULL ? taken : cli->record,
			     &err) < 0)
		return cli_fail(cli, &err);
	cli->track_only = cordon_setup_tracks(cli->setup);
	return cli->operand_count == 0 ? cli_shell(cli) : cli_run(cli);
}
