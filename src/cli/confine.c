// SPDX-License-Identifier: MIT
/* cordon confine: resolves a path below a root. */
#include <stdio.h>
#include <unistd.h>

#include "base/os.h"

#include "base/arena.h"
#include "base/str.h"
#include "cli/cli.h"

static int
answer(const struct cli *cli, const char *path, bool exists)
{
	auto_str struct str text = {0};

	if (cli->format == CORDON_JSON) {
		str_add(&text, "{\"inside\": true, \"path\": ");
		str_json(&text, path);
		str_printf(&text, ", \"exists\": %s}\n", exists ? "true" : "false");
	} else {
		str_visible(&text, path);
		str_add(&text, "\n");
	}
	return cli_put(text.failed ? "" : text.text, NULL, text.failed ? EXIT_CORDON : 0);
}

static int
escape(const struct cli *cli, const struct cordon_error *err)
{
	auto_str struct str text = {0};

	if (cli->format != CORDON_JSON) {
		cli_fail(cli, err);
		return 1;
	}
	str_add(&text, "{\"inside\": false, \"reason\": ");
	str_json(&text, err->text);
	str_add(&text, "}\n");
	return cli_put(text.failed ? "" : text.text, NULL, 1);
}

int
cli_confine(struct cli *cli)
{
	struct cordon_error err = {0};
	auto_free char *path = NULL;
	int fd = -1;
	int rc = cordon_confine(cli->operands[0], cli->operands[1], COMPAT_O_PATH, 0,
				cli->root ? CORDON_CONFINE_ROOT : 0, &fd, &path, &err);

	if (rc == -CORDON_E_ESCAPE)
		return escape(cli, &err);
	if (rc < 0)
		return cli_fail(cli, &err);
	if (fd >= 0)
		close(fd);
	return answer(cli, path, fd >= 0);
}
