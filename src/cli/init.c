// SPDX-License-Identifier: MIT
/* cordon init: writes a starter policy. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/str.h"
#include "cli/cli.h"

/* O_EXCL: never overwrite an existing policy. */
int
cli_write_new(const char *path, const char *text, bool force, struct cordon_error *err)
{
	auto_fd int fd = -1;
	size_t length = strlen(text);

	if (force)
		return fd_replace_file(path, text, length, 0644, err);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd < 0 && errno == EEXIST)
		return cordon_fail(err, CORDON_E_USAGE, 0,
				   "%s is there already; --force replaces it", path);
	if (fd < 0)
		return cordon_fail(err, CORDON_E_PATH, errno, "cannot write %s", path);
	if (fd_write_line(fd, text, length) < 0) {
		int sys = errno;

		/* remove a partial file */
		unlink(path);
		return cordon_fail(err, CORDON_E_PATH, sys, "cannot write %s", path);
	}
	return 0;
}

int
cli_init(struct cli *cli)
{
	struct cordon_error err = {0};
	auto_free char *text = NULL, *path = NULL;
	auto_str struct str said = {0};

	if (cordon_init_policy(cli->setup, &text, &path, &err) < 0)
		return cli_fail(cli, &err);
	if (cli->print)
		return cli_put(text, NULL, 0);
	if (cli_write_new(path, text, cli->force, &err) < 0)
		return cli_fail(cli, &err);
	str_add(&said, "wrote ");
	str_visible(&said, path);
	str_add(&said, "; `cordon check` checks it, `cordon trust` approves it\n");
	if (said.failed) {
		cordon_no_memory(&err);
		return cli_fail(cli, &err);
	}
	return cli_put(cli->quiet ? "" : said.text, NULL, 0);
}
