// SPDX-License-Identifier: MIT
/* Output: answers on standard output, everything else on standard error. A failed write is a failure. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
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

void
cli_say(const char *format, ...)
{
	auto_str struct str shown = {0};
	auto_free char *text = NULL;
	va_list args;
	int length;

	va_start(args, format);
	length = vasprintf(&text, format, args);
	va_end(args);
	/* what it is set to then is not defined */
	if (length < 0)
		text = NULL;
	str_visible(&shown, text == NULL ? "out of memory" : text);
	fprintf(stderr, "cordon: %s\n", shown.failed ? "out of memory" : shown.text);
}

int
cli_fail(const struct cordon_error *err)
{
	cli_say("%s", err->text);
	return EXIT_CORDON;
}

void
cli_notices(const struct cli *cli, const struct cordon_plan *plan)
{
	const char *notice;

	for (size_t i = 0; !cli->quiet && (notice = cordon_plan_notice(plan, i)) != NULL; i++)
		cli_say("%s", notice);
}

static bool
wants_colour(void)
{
	const char *no_colour = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && (no_colour == NULL || *no_colour == '\0') && term != NULL &&
	       strcmp(term, "dumb") != 0;
}

/*
 * Names are made visible where they are put into an answer; here, once more, is what no name may ever do
 * to a terminal. Answers in JSON have nothing that would be changed.
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
		cli_say("out of memory");
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
