// SPDX-License-Identifier: MIT
/*
 * Refusals on their way to the supervisor. Whoever sends them may read what strangers send, and
 * people paste the advice: nothing comes through that a shell would take for more than an option and
 * one word.
 */
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/array.h"
#include "ipc/refusal.h"
#include "tap.h"

static const struct {
	const char *allow;
	bool comes;
} cases[] = {
	{"--write /home/sam/notes", true},
	{"--write '/home/sam/$(id)'", true},
	{"--write '/a'\\''b'", true},
	{"--domain example.com:443", true},
	{"--track-only", true},
	{EVENT_ALLOW_ECH, true},
	{"", true},
	{"--write $(id)", false},
	{"--write /a; id", false},
	{"--write /a /b", false},
	{"--write 'a", false},
	{"--write '/a'$HOME", false},
	{"--wr`id`ite /a", false},
	{"--write\n/a", false},
	{"id", false},
	{"rm -rf /", false},
	{"\"network\": {\"ech\": \"allow\"}; id", false},
};

static void
advice_is_an_option_and_one_word(void)
{
	int ends[2];

	check_int(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct refusal sent = {.what = "write",
				       .subject = "/a",
				       .reason = "is not granted"};
		struct refusal got = {0};
		bool ended = false;

		strcpy(sent.allow, cases[i].allow);
		refusal_send(ends[0], &sent);
		check(refusal_receive(ends[1], &got, &ended));
		check_str(got.subject, "/a");
		check_str(got.allow, cases[i].comes ? cases[i].allow : "");
	}
	close(ends[0]);
	close(ends[1]);
}

static void
texts_end_where_their_room_does(void)
{
	struct refusal sent, got = {0};
	bool ended = false;
	int ends[2];

	memset(&sent, 'x', sizeof sent);
	sent.is_nobodys = false;
	check_int(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	refusal_send(ends[0], &sent);
	check(refusal_receive(ends[1], &got, &ended));
	check_int((int)strlen(got.what), (int)sizeof got.what - 1);
	check_int((int)strlen(got.reason), (int)sizeof got.reason - 1);
	check_str(got.allow, "");
	close(ends[0]);
	check(!refusal_receive(ends[1], &got, &ended));
	check(ended);
	close(ends[1]);
}

int
main(void)
{
	run(advice_is_an_option_and_one_word);
	run(texts_end_where_their_room_does);
	return tap_end();
}
