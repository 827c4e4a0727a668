// SPDX-License-Identifier: MIT
/*
 * Lists and ends live sessions. All information comes from their records. A session is ended by its guard,
 * which gets a signal; it has ended when no process holds the lock of its record.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "discover/context.h"
#include "enforce/session_group.h"
#include "session/record.h"

/* Time limit for a session to end after its grace period. */
#define END_MS 60000
#define LOOK_MS 5

struct sessions {
	struct arena arena;
	int folder;
	struct record *records;
	size_t count;
};

static void
close_sessions(struct sessions *sessions)
{
	if (sessions->folder >= 0)
		close(sessions->folder);
	arena_free(&sessions->arena);
}
#define auto_sessions __attribute__((cleanup(close_sessions)))

/* A missing directory means no sessions. */
static int
open_sessions(struct sessions *to, struct cordon_error *err)
{
	const struct cordon_setup setup = {0};
	auto_context struct cordon_plan *context = NULL;
	struct cordon_error why = {0};
	int rc = context_folders(&setup, &context, err);

	if (rc < 0)
		return rc;
	to->folder = record_folder(context->host.runtime_dir, context->store, false, NULL, &why);
	if (to->folder >= 0)
		return record_list(&to->arena, to->folder, &to->records, &to->count, err);
	if (why.sys == ENOENT)
		return 0;
	if (err != NULL)
		*err = why;
	return -why.code;
}

/* ---- listing ---- */

static bool
measure(const struct record *record, struct process_usage *ret)
{
	struct session_group group = {.kind = GROUP_CGROUP, .folder = -1};
	struct group_usage usage;
	bool known = false;

	if (record->cgroup != NULL) {
		snprintf(group.path, sizeof group.path, "%s", record->cgroup);
		known = session_group_measure(&group, &usage);
	}
	if (known && usage.memory > 0)
		*ret = (struct process_usage){usage.memory, usage.processes};
	else if (!process_id_measure(&record->guard, ret))
		return false;
	/* the spawner of a shared session is not a process of the user */
	ret->processes -= record->token != NULL && ret->processes > 0;
	return true;
}

static int64_t
age_of(const struct record *record)
{
	int64_t now = (int64_t)time(NULL);

	return now > record->since ? now - record->since : 0;
}

static void
print_age(int64_t seconds, char *to, size_t size)
{
	static const struct {
		int64_t unit;
		char letter;
	} units[] = {{86400, 'd'}, {3600, 'h'}, {60, 'm'}, {1, 's'}};
	size_t i = 0;

	while (i < 3 && seconds < units[i].unit * 2)
		i++;
	snprintf(to, size, "%lld%c", (long long)(seconds / units[i].unit), units[i].letter);
}

static void
print_memory(uint64_t bytes, char *to, size_t size)
{
	const char *units = "KMGT";
	double value = (double)bytes / 1024;

	for (; value >= 1000 && units[1] != '\0'; units++)
		value /= 1024;
	snprintf(to, size, "%.*f%c", value < 10 ? 1 : 0, value, *units);
}

/* Column widths from the longest cell; UTF-8 continuation bytes have no width. */
struct widths {
	int name, project;
};

static int
width_of(const char *text)
{
	int width = 0;

	for (; *text != '\0'; text++)
		width += ((unsigned char)*text & 0xc0) != 0x80;
	return width;
}

static void
print_project(const struct record *record, int width, struct str *to)
{
	auto_str struct str shown = {0};

	str_visible(&shown, record->project == NULL ? "-" : record->project);
	str_add(to, shown.text == NULL ? "" : shown.text);
	for (int i = shown.text == NULL ? 0 : width_of(shown.text); i < width; i++)
		str_add(to, " ");
	to->failed = to->failed || shown.failed;
}

static void
print_row(const struct record *record, const struct widths *widths, struct str *to)
{
	char age[24], processes[16] = "-", memory[16] = "-";
	struct process_usage usage;

	print_age(age_of(record), age, sizeof age);
	if (measure(record, &usage)) {
		snprintf(processes, sizeof processes, "%d", usage.processes);
		print_memory(usage.memory, memory, sizeof memory);
	}
	str_printf(to, "%-16s  %-*s  %5s  %9s  %6s  ", record->id, widths->name,
		   record->name == NULL ? "-" : record->name, age, processes, memory);
	print_project(record, widths->project, to);
	str_add(to, " ");
	for (size_t i = 0; i < record->command.count; i++) {
		str_add(to, " ");
		str_visible(to, record->command.items[i]);
	}
	str_add(to, "\n");
}

static void
print_table(const struct sessions *sessions, struct str *to)
{
	struct widths widths = {(int)strlen("NAME"), (int)strlen("PROJECT")};

	for (size_t i = 0; i < sessions->count; i++) {
		const struct record *record = &sessions->records[i];

		if (record->name != NULL && width_of(record->name) > widths.name)
			widths.name = width_of(record->name);
		if (record->project != NULL && width_of(record->project) > widths.project)
			widths.project = width_of(record->project);
	}
	str_printf(to, "%-16s  %-*s  %5s  %9s  %6s  %-*s  %s\n", "ID", widths.name, "NAME", "AGE",
		   "PROCESSES", "MEMORY", widths.project, "PROJECT", "COMMAND");
	for (size_t i = 0; i < sessions->count; i++)
		print_row(&sessions->records[i], &widths, to);
}

static void
json_words(const char *key, const struct record_words *words, struct str *to)
{
	str_printf(to, ", \"%s\": [", key);
	for (size_t i = 0; i < words->count; i++) {
		str_add(to, i == 0 ? "" : ", ");
		str_json(to, words->items[i]);
	}
	str_add(to, "]");
}

static void
json_text(const char *key, const char *text, struct str *to)
{
	str_printf(to, ", \"%s\": ", key);
	str_json_or_null(to, text);
}

static void
json_row(const struct record *record, struct str *to)
{
	struct process_usage usage;

	str_add(to, "{\"id\": ");
	str_json(to, record->id);
	json_text("name", record->name, to);
	str_printf(to, ", \"since\": %lld, \"age\": %lld", (long long)record->since,
		   (long long)age_of(record));
	if (measure(record, &usage))
		str_printf(to, ", \"processes\": %d, \"memory\": %llu", usage.processes,
			   (unsigned long long)usage.memory);
	else
		str_add(to, ", \"processes\": null, \"memory\": null");
	str_printf(to, ", \"supervisor\": %ld, \"guard\": %ld", (long)record->supervisor.pid,
		   (long)record->guard.pid);
	json_text("project", record->project, to);
	json_words("command", &record->command, to);
	json_words("gaps", &record->gaps, to);
	json_text("cgroup", record->cgroup, to);
	json_text("tmp", record->tmp, to);
	json_text("policy", record->policy, to);
	str_add(to, "}");
}

int
cordon_sessions(enum cordon_format format, char **ret_text, struct cordon_error *err)
{
	auto_sessions struct sessions sessions = {.folder = -1};
	auto_str struct str text = {0};
	int rc = open_sessions(&sessions, err);

	if (rc < 0)
		return rc;
	if (format == CORDON_TEXT) {
		if (sessions.count > 0)
			print_table(&sessions, &text);
	} else {
		str_add(&text, "[");
		for (size_t i = 0; i < sessions.count; i++) {
			str_add(&text, i == 0 ? "\n" : ",\n");
			json_row(&sessions.records[i], &text);
		}
		str_add(&text, "]\n");
	}
	str_add(&text, "");
	rc = str_finish(&text, ret_text, err);
	return rc < 0 ? rc : (int)sessions.count;
}

/* ---- ending ---- */

/* Finds a session by name, id, or unique prefix of an id. *ret is NULL if there is none. */
static int
find_session(const struct sessions *sessions, const char *which, const struct record **ret,
	     struct cordon_error *err)
{
	const struct record *found = NULL;
	size_t length = strlen(which);

	for (size_t i = 0; i < sessions->count; i++) {
		const struct record *record = &sessions->records[i];

		if (record->name != NULL && strcmp(record->name, which) == 0) {
			*ret = record;
			return 0;
		}
	}
	for (size_t i = 0; i < sessions->count; i++) {
		if (length == 0 || strncmp(sessions->records[i].id, which, length) != 0)
			continue;
		if (found != NULL)
			return cordon_fail(err, CORDON_E_USAGE, 0,
					   "more than one session begins with %.40s", which);
		found = &sessions->records[i];
	}
	*ret = found;
	return 0;
}

/* The process that was signalled to end the session; pid 0: none yet. */
struct kill_order {
	const struct record *record;
	struct process asked;
};

/* Where a signal cannot carry a value, the guard reads the grace period from a file beside the record. */
static int
order_end(int folder, const struct record *now, int grace_ms)
{
	int rc;

	/* signal again: an earlier order may not have arrived */
	if (grace_ms == 0)
		record_put_grace(folder, now->id, 0);
	rc = process_id_signal(&now->guard, RECORD_END_SIGNAL, grace_ms);
	if (rc == 0 || errno != ENOTSUP)
		return rc;
	return record_put_grace(folder, now->id, grace_ms) < 0
		       ? -1
		       : process_id_signal(&now->guard, RECORD_END_SIGNAL, 0);
}

/*
 * Signals the guard; the record of a starting session has none yet, so this is repeated. If the guard was
 * killed, the supervisor ends the session by itself, unless it was stopped along with its command.
 */
static void
give_order(int folder, struct kill_order *order, const struct record *now, int grace_ms)
{
	if (process_id_is_alive(&order->asked)) {
		/* a tracked command is not confined and may have stopped it */
		if (!process_id_is_running(order->asked.pid))
			process_id_signal(&order->asked, SIGCONT, 0);
		return;
	}
	order->asked = (struct process){0};
	if (order_end(folder, now, grace_ms) == 0)
		order->asked = now->guard;
	else if (now->guard.pid > 0)
		process_id_signal(&now->supervisor, SIGCONT, 0);
}

static int
wait_for_end(int folder, struct kill_order *order, int grace_ms, struct cordon_error *err)
{
	/* count iterations, not time: after a suspend the sessions have had no time to end */
	for (int left = grace_ms / LOOK_MS + END_MS / LOOK_MS; left > 0; left--) {
		auto_arena struct arena arena = {0};
		struct record now;
		enum record_state state = record_look(&arena, folder, order->record->id, &now);

		if (state == RECORD_GONE || state == RECORD_REAPED)
			return 0;
		if (state == RECORD_LIVE)
			give_order(folder, order, &now, grace_ms);
		clock_sleep_us(LOOK_MS * 1000);
	}
	return cordon_fail(err, CORDON_E_SYSTEM, 0, "session %s did not end", order->record->id);
}

static void
print_ended(const struct record *record, struct str *to)
{
	str_printf(to, "ended %s%s%s:", record->id, record->name == NULL ? "" : " ",
		   record->name == NULL ? "" : record->name);
	for (size_t i = 0; i < record->command.count; i++) {
		str_add(to, " ");
		str_visible(to, record->command.items[i]);
	}
	str_add(to, "\n");
}

/* Signals all sessions before waiting for the first. */
static int
end_sessions(int folder, const struct record *records, size_t count, int grace_ms, struct str *text,
	     struct cordon_error *err)
{
	auto_free struct kill_order *orders = calloc(count + 1, sizeof *orders);
	int rc = 0;

	if (orders == NULL)
		return cordon_no_memory(err);
	for (size_t i = 0; i < count; i++) {
		orders[i].record = &records[i];
		give_order(folder, &orders[i], &records[i], grace_ms);
	}
	for (size_t i = 0; i < count; i++) {
		int one = wait_for_end(folder, &orders[i], grace_ms, rc < 0 ? NULL : err);

		if (one == 0)
			print_ended(&records[i], text);
		rc = rc < 0 ? rc : one;
	}
	return rc;
}

int
cordon_kill(const char *which, int grace_ms, char **ret_text, struct cordon_error *err)
{
	auto_sessions struct sessions sessions = {.folder = -1};
	const struct record *found = NULL;
	auto_str struct str text = {0};
	size_t count;
	int rc;

	if (grace_ms < 0)
		return cordon_fail(err, CORDON_E_USAGE, 0, "a grace of %d ms is out of range",
				   grace_ms);
	rc = open_sessions(&sessions, err);
	if (rc == 0 && which != NULL)
		rc = find_session(&sessions, which, &found, err);
	if (rc < 0)
		return rc;
	if (which == NULL)
		found = sessions.records;
	count = which == NULL ? sessions.count : found != NULL;
	rc = end_sessions(sessions.folder, found, count, grace_ms, &text, err);
	str_add(&text, "");
	if (rc == 0)
		rc = str_finish(&text, ret_text, err);
	return rc < 0 ? rc : (int)count;
}
