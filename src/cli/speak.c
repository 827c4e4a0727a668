// SPDX-License-Identifier: MIT
/* Output: answers on standard output, everything else on standard error. A failed write is a failure. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "cli/cli.h"

/* Who looks for lost memory: gcc says so by a name, clang when asked. */
#if defined(__has_feature)
#define HAS_FEATURE(name) __has_feature(name)
#else
#define HAS_FEATURE(name) 0
#endif

int
cli_leave(int status)
{
#if !defined(__SANITIZE_ADDRESS__) && !HAS_FEATURE(address_sanitizer)
	_exit(status);
#endif
	return status;
}

int
cli_fail(const struct cordon_error *err)
{
	fprintf(stderr, "cordon: %s\n", err->text);
	return EXIT_CORDON;
}

void
cli_notices(const struct cli *cli, const struct cordon_plan *plan)
{
	const char *notice;

	for (size_t i = 0; !cli->quiet && (notice = cordon_plan_notice(plan, i)) != NULL; i++) {
		auto_str struct str text = {0};

		str_visible(&text, notice);
		fprintf(stderr, "cordon: %s\n", text.text == NULL ? "" : text.text);
	}
}

static bool
wants_colour(void)
{
	const char *no_colour = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && (no_colour == NULL || *no_colour == '\0') && term != NULL &&
	       strcmp(term, "dumb") != 0;
}

int
cli_put(const char *text, const char *colour, int status)
{
	size_t first = strcspn(text, ":\n");

	if (colour != NULL && wants_colour())
		printf("\033[%sm%.*s\033[0m%s", colour, (int)first, text, text + first);
	else
		fputs(text, stdout);
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	fprintf(stderr, "cordon: cannot write the answer: %s\n", strerror(errno));
	return EXIT_CORDON;
}
