// SPDX-License-Identifier: MIT
/* Output: answers on stdout, everything else on stderr. A failed write to stdout is an error. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/str.h"
#include "cli/cli.h"

/* Leak detection: gcc defines a macro, clang has __has_feature. */
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

/* An editor shows the message in a terminal of its own: the option tells what it is about. */
static const char *
speaker(const struct cli *cli)
{
	if (!cli_is_wrapper(cli))
		return "cordon";
	return cli->record_fd != NULL ? "cordon --config-fd" : "cordon --sandbox-exec";
}

void
cli_say(const struct cli *cli, const char *format, ...)
{
	auto_str struct str shown = {0};
	auto_free char *text = NULL;
	va_list args;
	int length;

	va_start(args, format);
	length = vasprintf(&text, format, args);
	va_end(args);
	/* vasprintf() leaves it undefined on failure */
	if (length < 0)
		text = NULL;
	str_visible(&shown, text == NULL ? "out of memory" : text);
	fprintf(stderr, "%s: %s\n", speaker(cli), shown.failed ? "out of memory" : shown.text);
}

int
cli_fail(const struct cli *cli, const struct cordon_error *err)
{
	cli_say(cli, "%s", err->text);
	return EXIT_CORDON;
}

void
cli_notices(const struct cli *cli, const struct cordon_plan *plan)
{
	const char *notice;

	for (size_t i = 0; !cli->quiet && (notice = cordon_plan_notice(plan, i)) != NULL; i++)
		cli_say(cli, "%s", notice);
}

static bool
wants_colour(void)
{
	const char *no_colour = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && (no_colour == NULL || *no_colour == '\0') && term != NULL &&
	       strcmp(term, "dumb") != 0;
}

/*
 * Escapes control characters once more for the whole answer; names in it were escaped when it was made.
 * JSON output is never changed by this.
 */
static void
make_lines_visible(const char *text, struct str *to)
{
	while (*text != '\0') {
		size_t length = strcspn(text, "\n\t");
		auto_free char *part = strndup(text, length);

		if (part == NULL) {
			to->failed = true;
			return;
		}
		str_visible(to, part);
		text += length;
		if (*text != '\0')
			str_add_n(to, text++, 1);
	}
}

int
cli_put(const char *answer, const char *colour, int status)
{
	auto_str struct str shown = {0};
	const char *text;
	size_t first;

	make_lines_visible(answer, &shown);
	if (shown.failed) {
		fputs("cordon: out of memory\n", stderr);
		return EXIT_CORDON;
	}
	text = shown.text == NULL ? "" : shown.text;
	first = strcspn(text, ":\n");
	if (colour != NULL && wants_colour())
		printf("\033[%sm%.*s\033[0m%s", colour, (int)first, text, text + first);
	else
		fputs(text, stdout);
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	fprintf(stderr, "cordon: cannot write the answer: %s\n", strerror(errno));
	return EXIT_CORDON;
}
