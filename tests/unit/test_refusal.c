// SPDX-License-Identifier: MIT
/*
 * Refusals on their way to the supervisor, and their words. Whoever sends them may read what strangers
 * send, and people paste the advice: what is no refusal is dropped, and an option that is named is an
 * option and one word to a shell.
 */
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/array.h"
#include "explain/refused.h"
#include "tap.h"

static const struct refusal denied = {.what = REFUSED_WRITE, .cause = CAUSE_NOT_GRANTED};

static void
a_sent_refusal_arrives(void)
{
	struct refusal sent = denied, got = {0};
	bool ended = false;
	int ends[2];

	check_int(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	refusal_send(ends[0], &sent, "/a");
	check(refusal_receive(ends[1], &got, &ended));
	check_str(got.subject, "/a");
	check_int(got.what, REFUSED_WRITE);
	check_int(got.cause, CAUSE_NOT_GRANTED);
	check(!refusal_receive(ends[1], &got, &ended));
	check(!ended);
	close(ends[0]);
	check(!refusal_receive(ends[1], &got, &ended));
	check(ended);
	close(ends[1]);
}

static void
a_malformed_refusal_is_dropped(void)
{
	struct refusal bad[] = {denied, denied, denied, denied, denied, denied}, got = {0};
	bool ended = false;
	int ends[2];

	for (size_t i = 0; i < COUNT(bad); i++)
		bad[i].version = REFUSAL_VERSION;
	bad[0].version++;
	bad[1].what = REFUSED_COUNT;
	bad[2].cause = CAUSE_COUNT;
	bad[3].cause = CAUSE_NONE;
	bad[4].detail = CAUSE_COUNT;
	bad[5].layer = LAYER_COUNT;
	check_int(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	for (size_t i = 0; i < COUNT(bad); i++)
		refusal_forward(ends[0], &bad[i]);
	check_int(send(ends[0], "short", 5, 0), 5);
	check(!refusal_receive(ends[1], &got, &ended));
	/* texts end where their room does */
	memset(bad[0].rule, 'x', sizeof bad[0].rule);
	memset(bad[0].name, 'x', sizeof bad[0].name);
	memset(bad[0].subject, 'x', sizeof bad[0].subject);
	bad[0].version = REFUSAL_VERSION;
	refusal_forward(ends[0], &bad[0]);
	check(refusal_receive(ends[1], &got, &ended));
	check_int((int)strlen(got.rule), (int)sizeof got.rule - 1);
	check_int((int)strlen(got.name), (int)sizeof got.name - 1);
	check_int((int)strlen(got.subject), (int)sizeof got.subject - 1);
	close(ends[0]);
	close(ends[1]);
}

/* Every cause of everything that can be refused, with names that a hostile command chose. */
static void
an_option_is_an_option_and_one_word(void)
{
	static const char criteria[] = "; allow it with --";

	for (int cause = CAUSE_NONE + 1; cause < CAUSE_COUNT; cause++)
		for (int what = 0; what < REFUSED_COUNT; what++) {
			struct refusal refusal = {.what = (uint16_t)what,
						  .cause = (uint16_t)cause,
						  .name = "$(id)'",
						  .subject = "/a b;'$(id)\n:80"};
			auto_str struct str line = {0};
			const char *option, *word;

			refused_print_line(NULL, &refusal, &line);
			check(!line.failed && line.length > 10);
			option = strstr(line.text, criteria);
			word = option == NULL ? NULL : strchr(option + strlen(criteria), ' ');
			if (word != NULL)
				check(str_is_shell_word(word + 1));
		}
}

/* A program tells causes apart by their names, and no two may look alike. */
static void
names_of_causes_are_unique(void)
{
	for (int cause = CAUSE_NONE + 1; cause < CAUSE_COUNT; cause++) {
		check(*cause_text((enum cause)cause) != '\0');
		for (int other = CAUSE_NONE; other < cause; other++)
			check(strcmp(cause_row((enum cause)other)->id,
				     cause_row((enum cause)cause)->id) != 0);
	}
}

int
main(void)
{
	run(a_sent_refusal_arrives);
	run(a_malformed_refusal_is_dropped);
	run(an_option_is_an_option_and_one_word);
	run(names_of_causes_are_unique);
	return tap_end();
}
