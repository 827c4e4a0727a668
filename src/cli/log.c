// SPDX-License-Identifier: MIT
/* cordon log: prints events of the log, and waits for more with --follow. */
#include <stdio.h>

#include "base/arena.h"
#include "base/clock.h"
#include "cli/cli.h"

#define FOLLOW_US 200000

static int
print_rest(const struct cli *cli, struct cordon_log *log, bool is_shown, uint64_t *count)
{
	struct cordon_error err = {0};
	int rc, status = 0;

	do {
		auto_free char *text = NULL;

		rc = cordon_log_next(log, cli->format, &text, &err);
		if (rc > 0 && is_shown)
			status = cli_put(text, NULL, 0);
		*count += rc > 0;
	} while (rc > 0 && status == 0);
	return rc < 0 ? cli_fail(cli, &err) : status;
}

static void
say_rest(const struct cli *cli, const struct cordon_log *log, uint64_t count)
{
	unsigned skipped = cordon_log_skipped(log);

	if (cli->quiet)
		return;
	if (skipped > 0)
		cli_say(cli, "%u %s of the log %s not an event", skipped,
			skipped == 1 ? "line" : "lines", skipped == 1 ? "is" : "are");
	if (count == 0 && cli->format == CORDON_TEXT)
		cli_say(cli, "the log has no such event");
}

int
cli_log(struct cli *cli)
{
	/* without a choice --follow shows what happens from now on */
	bool is_new = cli->follow && cli->since == NULL && cli->session == NULL && !cli->last;
	const struct cordon_log_filter filter = {.since = is_new ? "0s" : cli->since,
						 .until = cli->until,
						 .session = cli->session,
						 .project = cli->of_project,
						 .last = cli->last,
						 .refused = cli->refused};
	struct cordon_error err = {0};
	struct cordon_log *log = NULL;
	uint64_t count = 0;
	int status;

	if (cli->last && cli->session != NULL)
		return cli_usage(cli, "--last and --session exclude each other");
	if (cordon_log_open(&filter, &log, &err) < 0)
		return cli_fail(cli, &err);
	status = print_rest(cli, log, !is_new, &count);
	while (status == 0 && cli->follow) {
		clock_sleep_us(FOLLOW_US);
		status = print_rest(cli, log, true, &count);
	}
	if (status == 0)
		say_rest(cli, log, count);
	cordon_log_close(log);
	return status;
}
