// SPDX-License-Identifier: MIT
/* The audit log: its calendar, its files and their bounds, many writers, and the reader with its filters. */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "audit/log.h"
#include "audit/log_files.h"
#include "audit/log_read.h"
#include "tap.h"

static bool
agrees(uint64_t seconds)
{
	time_t when = (time_t)seconds;
	char ours[32], theirs[32];
	struct tm parts;

	log_date(seconds, ours, sizeof ours);
	return gmtime_r(&when, &parts) != NULL &&
	       strftime(theirs, sizeof theirs, "%Y-%m-%dT%H:%M:%SZ", &parts) != 0 &&
	       strcmp(ours, theirs) == 0;
}

static void
every_day_of_four_centuries(void)
{
	uint64_t wrong = 0;

	for (uint64_t day = 0; day < 400 * 366; day++)
		if (!agrees(day * 86400) || !agrees(day * 86400 + 86399) ||
		    !agrees(day * 86400 + day % 86400))
			wrong++;
	check_int(wrong, 0);
}

static void
leap_days(void)
{
	char date[32];

	log_date(951782400, date, sizeof date);
	check_str(date, "2000-02-29T00:00:00Z");
	log_date(4107542400, date, sizeof date);
	check_str(date, "2100-03-01T00:00:00Z");
}

/* ---- files ---- */

static char state[64];

static void
new_state(void)
{
	snprintf(state, sizeof state, "/tmp/cordon-log-XXXXXX");
	if (mkdtemp(state) == NULL)
		exit(1);
}

static void
remove_state(void)
{
	struct log_file *files;
	auto_arena struct arena arena = {0};
	char path[PATH_MAX];
	size_t count = 0;

	snprintf(path, sizeof path, "%s/audit", state);
	log_files_list(&arena, path, &files, &count, NULL);
	for (size_t i = 0; i < count; i++) {
		snprintf(path, sizeof path, "%s/audit/%s", state, files[i].name);
		unlink(path);
	}
	snprintf(path, sizeof path, "%s/audit/other.log", state);
	unlink(path);
	snprintf(path, sizeof path, "%s/audit", state);
	rmdir(path);
	rmdir(state);
}

/* A file of the log with this text, which is extended to size by a hole. */
static void
put(const char *name, const char *text, off_t size)
{
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof path, "%s/audit", state);
	mkdir(path, 0700);
	snprintf(path, sizeof path, "%s/audit/%s", state, name);
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
	if (fd < 0 || write(fd, text, strlen(text)) < 0 || (size > 0 && ftruncate(fd, size) < 0))
		exit(1);
	close(fd);
}

/* Names of the files, oldest first, with a space behind each. */
static const char *
names(void)
{
	static char all[4096];
	auto_arena struct arena arena = {0};
	struct log_file *files;
	size_t count = 0, used = 0;
	char path[PATH_MAX];

	snprintf(path, sizeof path, "%s/audit", state);
	log_files_list(&arena, path, &files, &count, NULL);
	*all = '\0';
	for (size_t i = 0; i < count; i++)
		used += (size_t)snprintf(all + used, sizeof all - used, "%s ", files[i].name);
	return all;
}

static void
files_are_listed_by_age(void)
{
	new_state();
	check_str(names(), "");
	put("shell-2026-01-02.log", "", 0);
	put("shell-2026-01-02.10.log", "", 0);
	put("shell-2026-01-02.9.log", "", 0);
	put("shell-2025-12-31.log", "", 0);
	put("other.log", "", 0);
	check_str(names(), "shell-2025-12-31.log shell-2026-01-02.9.log shell-2026-01-02.10.log "
			   "shell-2026-01-02.log ");
	remove_state();
}

static void
a_full_file_is_renamed(void)
{
	char day[32], current[48], want[200];

	new_state();
	log_time(day, sizeof day);
	day[10] = '\0';
	snprintf(current, sizeof current, "shell-%s.log", day);
	put(current, "", LOG_FILE_MAX - 1);
	check_int(log_append(state, "{}", NULL), 0);
	snprintf(want, sizeof want, "%s ", current);
	check_str(names(), want);
	check_int(log_append(state, "{}", NULL), 0);
	check_int(log_append(state, "{}", NULL), 0);
	snprintf(want, sizeof want, "shell-%s.1.log %s ", day, current);
	check_str(names(), want);
	remove_state();
}

static void
old_files_are_deleted(void)
{
	const uint64_t now = 1767400000; /* 2026-01-03 */
	char folder[PATH_MAX];

	new_state();
	snprintf(folder, sizeof folder, "%s/audit", state);
	put("shell-2025-10-04.log", "", 0); /* 91 days */
	put("shell-2025-10-05.log", "", 0);
	put("shell-2026-01-01.log", "", LOG_TOTAL_MAX / 2);
	put("shell-2026-01-02.1.log", "", LOG_TOTAL_MAX / 4);
	put("shell-2026-01-02.log", "", LOG_TOTAL_MAX / 4);
	put("other.log", "", 1);
	log_files_prune(folder, now);
	check_str(names(), "shell-2025-10-05.log shell-2026-01-01.log shell-2026-01-02.1.log "
			   "shell-2026-01-02.log ");
	put("shell-2026-01-03.log", "x", 0);
	log_files_prune(folder, now);
	check_str(names(), "shell-2026-01-02.1.log shell-2026-01-02.log shell-2026-01-03.log ");
	remove_state();
}

/* ---- the reader ---- */

#define LINE(time, session, event, project)                                                    \
	"{\"v\": 1, \"time\": \"" time "\", \"session\": \"" session "\", \"event\": \"" event \
	"\", \"project\": \"" project "\"}\n"

/* The times (of day) of the events that the filter selects, with a space behind each. */
static const char *
times(struct log_filter filter)
{
	static char all[1000];
	auto_log struct log_reader *reader = NULL;
	struct log_event event;
	size_t used = 0;

	*all = '\0';
	check_int(log_open(state, &filter, &reader, NULL), 0);
	while (log_next(reader, &event, NULL) > 0)
		used += (size_t)snprintf(all + used, sizeof all - used, "%.8s ",
					 log_text(&event, "time") + 11);
	return all;
}

static void
events_are_filtered(void)
{
	char id[17] = "";

	new_state();
	check_str(times((struct log_filter){0}), "");
	put("shell-2026-01-01.1.log",
	    LINE("2026-01-01T00:00:01Z", "aaaaaaaaaaaaaaaa", "start", "/p"), 0);
	put("shell-2026-01-01.log",
	    LINE("2026-01-01T00:00:02Z", "aaaaaaaaaaaaaaaa", "refused", "/p")
		    LINE("2026-01-01T00:00:03Z", "bbbbbbbbbbbbbbbb", "start", "/p/q"),
	    0);
	put("shell-2026-01-02.log",
	    LINE("2026-01-02T00:00:04Z", "aaaaaaaaaaaaaaaa", "end", "/p")
		    LINE("2026-01-02T00:00:05Z", "bbbbbbbbbbbbbbbb", "refused", "/pq"),
	    0);
	check_str(times((struct log_filter){0}), "00:00:01 00:00:02 00:00:03 00:00:04 00:00:05 ");
	check_str(times((struct log_filter){.since = 1767225602}),
		  "00:00:02 00:00:03 00:00:04 00:00:05 ");
	check_str(times((struct log_filter){.since = 1767312004}), "00:00:04 00:00:05 ");
	check_str(times((struct log_filter){.until = 1767225603}), "00:00:01 00:00:02 ");
	check_str(times((struct log_filter){.session = "a"}), "00:00:01 00:00:02 00:00:04 ");
	check_str(times((struct log_filter){.session = "ab"}), "");
	check_str(times((struct log_filter){.project = "/p"}),
		  "00:00:01 00:00:02 00:00:03 00:00:04 ");
	check_str(times((struct log_filter){.kinds = 1u << EVENT_REFUSED}), "00:00:02 00:00:05 ");
	check_int(log_last_session(state, &(struct log_filter){0}, id, NULL), 1);
	check_str(id, "bbbbbbbbbbbbbbbb");
	check_int(log_last_session(state, &(struct log_filter){.session = "a"}, id, NULL), 1);
	check_str(id, "aaaaaaaaaaaaaaaa");
	check_int(log_last_session(state, &(struct log_filter){.project = "/x"}, id, NULL), 0);
	remove_state();
}

static void
what_is_no_event_is_skipped(void)
{
	auto_log struct log_reader *reader = NULL;
	struct log_event event;
	int count = 0;

	new_state();
	put("shell-2026-01-01.log",
	    "{\"v\": 1, \"time\": \"2026-01-01T00:00:00Z\", \"ev\n"
	    "[]\nno\n{}\n\377\n"
	    "{\"v\": 1, \"time\": \"yesterday\", \"event\": \"end\"}\n"
	    "{\"v\": 1, \"time\": \"2026-01-01T00:00:00Z\", \"event\": \"other\"}\n" LINE(
		    "2026-01-01T00:00:01Z", "aaaaaaaaaaaaaaaa", "end", "/p") "{\"v\": 1",
	    0);
	put("shell-2026-01-02.log", LINE("2026-01-02T00:00:01Z", "aaaaaaaaaaaaaaaa", "end", "/p"),
	    0);
	check_int(log_open(state, &(struct log_filter){0}, &reader, NULL), 0);
	while (log_next(reader, &event, NULL) > 0)
		count++;
	check_int(count, 2);
	check_int(log_skipped(reader), 8);
	remove_state();
}

static void
a_line_of_any_length_is_read_or_skipped(void)
{
	static char line[6 << 20];
	auto_log struct log_reader *reader = NULL;
	struct log_event event;

	new_state();
	for (size_t length = 1 << 20; length <= 5 << 20; length += 4 << 20) {
		size_t head = (size_t)snprintf(line, sizeof line,
					       "{\"time\": \"2026-01-01T00:00:00Z\", \"event\": "
					       "\"end\", \"error\": \"");

		memset(line + head, 'x', length);
		strcpy(line + head + length, "\"}\n");
		put("shell-2026-01-01.log", line, 0);
	}
	put("shell-2026-01-01.log", LINE("2026-01-01T00:00:01Z", "aaaaaaaaaaaaaaaa", "end", "/p"),
	    0);
	check_int(log_open(state, &(struct log_filter){0}, &reader, NULL), 0);
	check_int(log_next(reader, &event, NULL), 1);
	check_int((long long)strlen(log_text(&event, "error")), 1 << 20);
	check_int(log_next(reader, &event, NULL), 1);
	check_str(event.session, "aaaaaaaaaaaaaaaa");
	check_int(log_skipped(reader), 1);
	remove_state();
}

static void
reading_goes_on_across_rotation_and_midnight(void)
{
	auto_log struct log_reader *reader = NULL;
	struct log_event event;
	char from[PATH_MAX], to[PATH_MAX];

	new_state();
	check_int(log_open(state, &(struct log_filter){0}, &reader, NULL), 0);
	check_int(log_next(reader, &event, NULL), 0);
	put("shell-2026-01-01.log", LINE("2026-01-01T00:00:01Z", "aaaaaaaaaaaaaaaa", "end", "/p"),
	    0);
	check_int(log_next(reader, &event, NULL), 1);
	check_int(log_next(reader, &event, NULL), 0);
	put("shell-2026-01-01.log", "{\"time\": \"2026-01-01T00:00:02Z\",", 0);
	check_int(log_next(reader, &event, NULL), 0);
	put("shell-2026-01-01.log", "\"event\": \"end\"}\n", 0);
	check_int(log_next(reader, &event, NULL), 1);
	snprintf(from, sizeof from, "%s/audit/shell-2026-01-01.log", state);
	snprintf(to, sizeof to, "%s/audit/shell-2026-01-01.1.log", state);
	check_int(rename(from, to), 0);
	check_int(log_next(reader, &event, NULL), 0);
	/* one that had opened the file before it was renamed */
	put("shell-2026-01-01.log", LINE("2026-01-01T00:00:04Z", "cccccccccccccccc", "end", "/p"),
	    0);
	put("shell-2026-01-01.1.log", LINE("2026-01-01T00:00:03Z", "bbbbbbbbbbbbbbbb", "end", "/p"),
	    0);
	put("shell-2026-01-02.log", LINE("2026-01-02T00:00:05Z", "dddddddddddddddd", "end", "/p"),
	    0);
	check_int(log_next(reader, &event, NULL), 1);
	check_str(event.session, "bbbbbbbbbbbbbbbb");
	check_int(log_next(reader, &event, NULL), 1);
	check_str(event.session, "cccccccccccccccc");
	check_int(log_next(reader, &event, NULL), 1);
	check_str(event.session, "dddddddddddddddd");
	check_int(log_next(reader, &event, NULL), 0);
	remove_state();
}

/* ---- many writers ---- */

#define WRITERS 1000
#define LINES 20

/* Writes its lines when all others are ready as well. */
static _Noreturn void
write_lines(int number, int gate)
{
	char line[300], byte;
	struct cordon_error err;

	if (read(gate, &byte, 1) != 0)
		_exit(1);
	for (int i = 0; i < LINES; i++) {
		snprintf(
			line, sizeof line,
			"{\"v\": 1, \"time\": \"2026-01-01T00:00:00Z\", \"session\": \"%08x%08x\", "
			"\"event\": \"limit\", \"limit\": \"%0100d\"}",
			number, i, number);
		if (log_append(state, line, &err) < 0)
			_exit(1);
	}
	_exit(0);
}

/* Each line once: sessions are numbered. */
static void
count_lines(void)
{
	static unsigned char seen[WRITERS][LINES];
	auto_log struct log_reader *reader = NULL;
	struct log_event event;
	unsigned writer, line, count = 0, twice = 0;

	check_int(log_open(state, &(struct log_filter){0}, &reader, NULL), 0);
	while (log_next(reader, &event, NULL) > 0) {
		if (sscanf(event.session, "%8x%8x", &writer, &line) != 2 || writer >= WRITERS ||
		    line >= LINES)
			continue;
		count++;
		twice += seen[writer][line]++;
	}
	check_int(count, WRITERS * LINES);
	check_int(twice, 0);
	/* the hole that made the first file nearly full */
	check_int(log_skipped(reader), 1);
}

static void
a_thousand_writers_and_rotation_lose_nothing(void)
{
	char day[32], current[48];
	int gate[2], status, failed = 0;

	new_state();
	log_time(day, sizeof day);
	day[10] = '\0';
	snprintf(current, sizeof current, "shell-%s.log", day);
	put(current, "", LOG_FILE_MAX - WRITERS * LINES * 100);
	if (pipe(gate) < 0)
		exit(1);
	for (int i = 0; i < WRITERS; i++) {
		if (fork() == 0) {
			close(gate[1]);
			write_lines(i, gate[0]);
		}
	}
	close(gate[0]);
	close(gate[1]);
	for (int i = 0; i < WRITERS; i++)
		failed += wait(&status) < 0 || status != 0;
	check_int(failed, 0);
	check(strstr(names(), ".1.log") != NULL);
	check(strstr(names(), ".2.log") == NULL);
	count_lines();
	remove_state();
}

/* Lines that cross a page make the file grow in two steps. */
static void
long_lines_of_many_writers_leave_no_empty_line(void)
{
	char line[1400], name[PATH_MAX];
	struct cordon_error err = {0};
	size_t empty = 0, count = 0;
	FILE *file;

	new_state();
	memset(line, 'x', sizeof line);
	line[sizeof line - 1] = '\0';
	for (int i = 0; i < 8; i++)
		if (fork() == 0) {
			for (int n = 0; n < 500; n++)
				log_append(state, line, &err);
			_exit(0);
		}
	while (wait(NULL) > 0)
		continue;
	snprintf(name, sizeof name, "%s/audit/%s", state, names());
	name[strcspn(name, " \n")] = '\0';
	file = fopen(name, "r");
	check(file != NULL);
	for (int before = '\n', c; file != NULL && (c = getc(file)) != EOF; before = c) {
		count += c == '\n';
		empty += c == '\n' && before == '\n';
	}
	check_int(count, 4000);
	check_int(empty, 0);
	if (file != NULL)
		fclose(file);
	remove_state();
}

int
main(void)
{
	run(every_day_of_four_centuries);
	run(leap_days);
	run(files_are_listed_by_age);
	run(a_full_file_is_renamed);
	run(old_files_are_deleted);
	run(events_are_filtered);
	run(what_is_no_event_is_skipped);
	run(a_line_of_any_length_is_read_or_skipped);
	run(reading_goes_on_across_rotation_and_midnight);
	run(a_thousand_writers_and_rotation_lose_nothing);
	run(long_lines_of_many_writers_leave_no_empty_line);
	return tap_end();
}
