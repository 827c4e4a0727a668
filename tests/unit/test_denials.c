// SPDX-License-Identifier: MIT
/*
 * Reports of Seatbelt as macOS logs them, line by line: which are a session's own, and what they say.
 * The lines have the forms that programs which read this log have published.
 */
#include <stdlib.h>
#include <string.h>

#include "macos/denials.h"
#include "tap.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))
#define TAG "cordon-0123456789abcdef"
#define EVENT(message)                                                                             \
	"{\"timestamp\":\"2026-01-31 12:00:00.000000+0100\",\"messageType\":\"Error\","            \
	"\"eventMessage\":\"" message                                                              \
	"\",\"processID\":0,\"senderImagePath\":\"\\/System\\/Library\\/Extensions\\/Sandbox.kext" \
	"\\/Contents\\/MacOS\\/Sandbox\",\"eventType\":\"logEvent\"}"

static int
read_line(struct arena *arena, const char *line, struct denial *ret)
{
	struct cordon_error err = {0};

	return denial_read(arena, line, strlen(line), TAG, ret, &err);
}

static void
reports_are_taken_apart(void)
{
	static const struct {
		const char *line, *process, *operation, *subject;
		int pid, right;
		unsigned long repeated;
	} cases[] = {
		{EVENT("Sandbox: cat(4711) deny(1) file-read-data \\/Users\\/sam\\/.ssh\\/id\\n" TAG),
		 "cat", "file-read-data", "/Users/sam/.ssh/id", 4711, 0, 0},
		{EVENT("Sandbox: touch(12) deny(1) file-write-create \\/Users\\/sam\\/a b\\n" TAG),
		 "touch", "file-write-create", "/Users/sam/a b", 12, 2, 0},
		{EVENT("Sandbox: rm(12) deny(1) file-write-unlink \\/x\\n" TAG), "rm",
		 "file-write-unlink", "/x", 12, 3, 0},
		{EVENT("Sandbox: chmod(12) deny(1) file-write-mode \\/x\\n" TAG), "chmod",
		 "file-write-mode", "/x", 12, 1, 0},
		{EVENT("Sandbox: sh(12) deny(1) process-exec* \\/opt\\/x\\n" TAG), "sh",
		 "process-exec*", "/opt/x", 12, 4, 0},
		{EVENT("Sandbox: Google Chrome He(99) deny(1) mach-lookup com.apple.x\\n" TAG),
		 "Google Chrome He", "mach-lookup", "com.apple.x", 99, -1, 0},
		{EVENT("Sandbox: a (b)(7) deny(1) network-outbound *:443\\n" TAG), "a (b)",
		 "network-outbound", "*:443", 7, -1, 0},
		{EVENT("3 duplicate reports for Sandbox: cat(4711) deny(1) file-read-data \\/x\\n" TAG),
		 "cat", "file-read-data", "/x", 4711, 0, 3},
		{EVENT("1 duplicate report for Sandbox: cat(4711) deny(1) file-read-data \\/x\\n" TAG),
		 "cat", "file-read-data", "/x", 4711, 0, 1},
		{EVENT("Sandbox: ps(5) deny(1) process-info-listpids\\n" TAG), "ps",
		 "process-info-listpids", "", 5, -1, 0},
		{EVENT("Sandbox: cat(5) deny(1) file-read-data \\/a\\nb deny(1) x\\n" TAG), "cat",
		 "file-read-data", "/a\nb deny(1) x", 5, 0, 0},
		{EVENT("Sandbox: cat(5) deny(1) file-read-data \\/caf\\u00e9\\n" TAG "\\n"), "cat",
		 "file-read-data", "/caf\xc3\xa9", 5, 0, 0},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		auto_arena struct arena arena = {0};
		struct denial denial = {0};

		check_int(read_line(&arena, cases[i].line, &denial), 1);
		check_str(denial.process, cases[i].process);
		check_str(denial.operation, cases[i].operation);
		check_str(denial.subject, cases[i].subject);
		check_int(denial.pid, cases[i].pid);
		check_int(denial.right, cases[i].right);
		check_int(denial.repeated, cases[i].repeated);
	}
}

static void
what_is_not_ours_is_left_alone(void)
{
	static const char *const lines[] = {
		"",
		"Filtering the log data using \"eventMessage ENDSWITH \\\"x\\\"\"",
		"{",
		"{}",
		"[]",
		"{\"eventMessage\":1}",
		"{\"eventMessage\":null}",
		/* another session's, and none */
		EVENT("Sandbox: cat(5) deny(1) file-read-data \\/x\\ncordon-ffffffffffffffff"),
		EVENT("Sandbox: cat(5) deny(1) file-read-data \\/x"),
		/* the tag as part of a name is no tag */
		EVENT("Sandbox: cat(5) deny(1) file-read-data \\/" TAG),
		EVENT("Sandbox: cat(5) deny(1) file-read-data \\/x\\n" TAG "0"),
		EVENT("Sandbox: cat(5) deny(1) file-read-data \\/x\\n0" TAG),
		EVENT("Sandbox: cat(5) allow file-read-data \\/x\\n" TAG),
		EVENT("Sandbox: cat(x) deny(1) file-read-data \\/x\\n" TAG),
		EVENT("Sandbox: cat() deny(1) file-read-data \\/x\\n" TAG),
		EVENT("Sandbox: cat(-5) deny(1) file-read-data \\/x\\n" TAG),
		EVENT("Sandbox: cat deny(1) file-read-data \\/x\\n" TAG),
		EVENT("Sandbox: cat(5) deny(1)\\n" TAG),
		EVENT("Sandbox: cat(5) deny() file-read-data \\/x\\n" TAG),
		EVENT("Sandbox: cat(5) deny(1) File_Read \\/x\\n" TAG),
		EVENT("cat(5) deny(1) file-read-data \\/x\\n" TAG),
		EVENT(TAG),
		EVENT("\\n" TAG),
		/* what every program tries */
		EVENT("Sandbox: cat(5) deny(1) file-read-data \\/dev\\/dtracehelper\\n" TAG),
		EVENT("Sandbox: cat(5) deny(1) file-write-data \\/dev\\/oslog\\n" TAG),
	};

	for (size_t i = 0; i < COUNT(lines); i++) {
		auto_arena struct arena arena = {0};
		struct denial denial = {.pid = 1};

		check_int(read_line(&arena, lines[i], &denial), 0);
		check_int(denial.pid, 1);
	}
}

static void
the_log_is_asked_for_this_tag_alone(void)
{
	auto_arena struct arena arena = {0};
	const char *argv[DENIALS_ARGUMENTS];

	check_int(denials_command(&arena, TAG, argv, NULL), 0);
	check_str(argv[0], "/usr/bin/log");
	check_str(argv[1], "stream");
	check_str(argv[3], "ndjson");
	check_str(argv[5],
		  "senderImagePath ENDSWITH \"/Sandbox\" AND eventMessage ENDSWITH \"" TAG "\"");
	check(argv[6] == NULL);
}

int
main(void)
{
	run(reports_are_taken_apart);
	run(what_is_not_ours_is_left_alone);
	run(the_log_is_asked_for_this_tag_alone);
	return tap_end();
}
