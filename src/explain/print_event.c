// SPDX-License-Identifier: MIT
/* Prints events of the log for people. The command chose some of the texts: all are escaped. */
#include "explain/print_event.h"

#include <string.h>
#include <time.h>

static void
add(const struct log_event *event, const char *before, const char *key, struct str *to)
{
	const char *text = log_text(event, key);

	if (text == NULL || *text == '\0')
		return;
	str_add(to, before);
	str_visible(to, text);
}

static void
print_time(int64_t seconds, struct str *to)
{
	time_t when = (time_t)seconds;
	char text[32] = "";
	struct tm parts;

	if (localtime_r(&when, &parts) != NULL)
		strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts);
	str_add(to, text);
}

/* ---- what happened ---- */

static void
print_start(const struct log_event *event, struct str *to)
{
	const struct json *words = json_member(event->json, "command");
	auto_str struct str line = {0};

	for (const struct json *word = words == NULL ? NULL : words->first; word != NULL;
	     word = word->next) {
		str_add(&line, line.length == 0 ? "" : " ");
		str_shell(&line, word->type == JSON_STRING ? word->string : "");
	}
	str_visible(to, line.failed || line.text == NULL ? "" : line.text);
	add(event, "  in ", "project", to);
	add(event, "  session ", "name", to);
}

static void
print_refused(const struct log_event *event, struct str *to)
{
	const char *allow = log_text(event, "allow"), *known = log_text(event, "known");

	add(event, "", "what", to);
	add(event, " ", "subject", to);
	add(event, ": ", "reason", to);
	if (allow != NULL)
		add(event, *allow == '-' ? "; allow it with " : "; allow it in a policy by ",
		    "allow", to);
	if (known != NULL && strcmp(known, event_known_names[KNOWN_DECIDED]) != 0)
		add(event, "; ", "known", to);
}

static void
print_used(const struct log_event *event, struct str *to)
{
	add(event, "", "what", to);
	add(event, " ", "subject", to);
}

static void
print_change(const struct log_event *event, struct str *to)
{
	add(event, "", "what", to);
	add(event, " ", "subject", to);
	add(event, ": ", "reason", to);
}

static void
print_limit(const struct log_event *event, struct str *to)
{
	add(event, "", "limit", to);
}

static void
print_trust(const struct log_event *event, struct str *to)
{
	const struct json *requests = json_member(event->json, "requests");

	add(event, "", "what", to);
	add(event, " ", "file", to);
	if (requests != NULL && requests->count > 0)
		str_printf(to, ": %zu %s", requests->count,
			   requests->count == 1 ? "request" : "requests");
}

void
print_event_end(const struct log_event *event, struct str *to)
{
	const char *cause = log_text(event, "cause");
	int64_t signal = log_number(event, "signal"), refused = log_number(event, "refused");
	const struct json *seconds = json_member(event->json, "seconds");

	if (log_text(event, "error") != NULL) {
		add(event, "not started: ", "error", to);
		return;
	}
	if (signal > 0)
		str_printf(to, "signal %lld", (long long)signal);
	else
		str_printf(to, "exit status %lld", (long long)log_number(event, "status"));
	if (cause != NULL && strcmp(cause, "exit") != 0 && strcmp(cause, "signal") != 0)
		add(event, ", ended by: ", "cause", to);
	if (seconds != NULL && seconds->type == JSON_NUMBER)
		str_printf(to, ", %s s", seconds->written);
	if (refused > 0)
		str_printf(to, ", %lld refused", (long long)refused);
}

void
print_event(const struct log_event *event, struct str *to)
{
	static void (*const prints[EVENT_KINDS])(const struct log_event *, struct str *) = {
		[EVENT_START] = print_start,	[EVENT_REFUSED] = print_refused,
		[EVENT_CHANGED] = print_change, [EVENT_PLANTED] = print_change,
		[EVENT_LIMIT] = print_limit,	[EVENT_TRUST] = print_trust,
		[EVENT_USED] = print_used,	[EVENT_END] = print_event_end,
	};
	auto_str struct str session = {0};

	print_time(event->time, to);
	str_visible(&session, event->session == NULL ? "-" : event->session);
	str_printf(to, "  %-16s  %-7s  ", session.failed ? "" : session.text,
		   event_names[event->kind]);
	prints[event->kind](event, to);
	str_add(to, "\n");
}
