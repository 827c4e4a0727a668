// SPDX-License-Identifier: MIT
/* Prints events. No other code writes lines to the log or to a status fd. */
#include "audit/event.h"

#include <string.h>

#include "audit/log.h"

/* A command may be megabytes long; a line of the log is not. */
#define ARGUMENTS_MAX 8192

const char *const event_names[EVENT_KINDS] = {
	[EVENT_START] = "start",     [EVENT_REFUSED] = "refused", [EVENT_CHANGED] = "changed",
	[EVENT_PLANTED] = "planted", [EVENT_LIMIT] = "limit",	  [EVENT_TRUST] = "trust",
	[EVENT_USED] = "used",	     [EVENT_END] = "end",
};

const char *const event_known_names[KNOWN_KINDS] = {
	[KNOWN_DECIDED] = "decided",
	[KNOWN_OBSERVED] = "observed",
	[KNOWN_PREDICTED] = "predicted",
	[KNOWN_GUESSED] = "guessed",
};

/* ---- members ---- */

static void
add_text(const char *key, const char *value, struct str *to)
{
	if (value == NULL)
		return;
	str_printf(to, ", \"%s\": ", key);
	str_json(to, value);
}

static void
add_number(const char *key, int value, struct str *to)
{
	if (value != 0)
		str_printf(to, ", \"%s\": %d", key, value);
}

static void
add_list(const char *key, const char *const *items, size_t count, struct str *to)
{
	str_printf(to, ", \"%s\": [", key);
	for (size_t i = 0; i < count; i++) {
		str_add(to, i == 0 ? "" : ", ");
		str_json(to, items[i]);
	}
	str_add(to, "]");
}

/* ---- events ---- */

/* Prints as many arguments as there is space for; the number of all of them if some are left out. */
static void
add_command(char *const *argv, struct str *to)
{
	size_t begin = to->length;
	int count = 0, said = 0;

	str_add(to, ", \"command\": [");
	for (; argv[count] != NULL; count++) {
		if (said < count || to->length - begin + strlen(argv[count]) > ARGUMENTS_MAX)
			continue;
		str_add(to, count == 0 ? "" : ", ");
		str_json(to, argv[count]);
		said++;
	}
	str_add(to, "]");
	if (said < count)
		add_number("arguments", count, to);
}

static void
print_start(const struct event_start *start, struct str *to)
{
	add_command(start->argv, to);
	add_text("name", start->name, to);
	add_text("agent_session", start->agent_session, to);
	add_text("tool_use", start->tool_use, to);
	add_list("sources", start->sources, start->source_count, to);
	add_list("layers", start->layers, start->layer_count, to);
	str_add(to, ", \"guarantees\": {");
	for (size_t i = 0; i < start->guarantee_count; i++) {
		str_printf(to, "%s\"%s\": ", i == 0 ? "" : ", ", start->guarantees[i].name);
		str_json(to, start->guarantees[i].how);
	}
	str_add(to, "}");
	if (start->notice_count > 0)
		add_list("notices", start->notices, start->notice_count, to);
}

static void
print_refused(const struct event_refused *refused, struct str *to)
{
	add_text("what", refused->what, to);
	add_text("subject", refused->subject, to);
	add_text("cause", refused->cause, to);
	add_text("guarantee", refused->guarantee, to);
	add_text("rule", refused->rule, to);
	add_number("nest", refused->nest, to);
	add_text("reason", refused->reason, to);
	add_text("allow", refused->allow, to);
	add_text("known", event_known_names[refused->known], to);
	if (refused->fails_anyway)
		str_add(to, ", \"fails_anyway\": true");
}

static void
print_used(const struct event_used *used, struct str *to)
{
	add_text("what", used->what, to);
	add_text("subject", used->subject, to);
	add_text("known", event_known_names[used->known], to);
}

static void
print_change(const struct event_change *change, struct str *to)
{
	add_text("what", change->what, to);
	add_text("subject", change->subject, to);
	add_text("reason", change->reason, to);
}

static void
print_trust(const struct event_trust *trust, struct str *to)
{
	add_text("what", trust->what, to);
	add_text("file", trust->file, to);
	add_list("requests", trust->requests, trust->request_count, to);
}

static void
print_survivors(const struct event_end *end, struct str *to)
{
	str_add(to, ", \"survivors\": [");
	for (size_t i = 0; i < end->survivor_count; i++) {
		str_printf(to, "%s{\"pid\": %d, \"name\": ", i == 0 ? "" : ", ",
			   end->survivors[i].pid);
		str_json(to, end->survivors[i].name);
		str_add(to, "}");
	}
	str_add(to, "]");
}

static void
print_end(const struct event_end *end, struct str *to)
{
	add_text("cause", end->cause, to);
	add_text("error", end->error, to);
	if (end->error != NULL)
		return;
	str_printf(to, ", \"%s\": %d, \"seconds\": %lld.%03d, \"ended\": %d",
		   end->is_signal ? "signal" : "status", end->status, (long long)end->ms / 1000,
		   (int)(end->ms % 1000), end->ended);
	add_number("refused", end->refused, to);
	if (end->hit_processes)
		str_add(to, ", \"hit\": [\"processes\"]");
	if (end->lives_on)
		str_add(to, ", \"lives_on\": true");
	if (end->survivor_count > 0)
		print_survivors(end, to);
	add_number("changed", end->changed, to);
}

void
event_print(const struct event *event, struct str *to)
{
	char when[32];

	log_time(when, sizeof when);
	str_printf(to, "{\"v\": %d, \"time\": \"%s\"", EVENT_VERSION, when);
	add_text("session", event->session, to);
	add_text("event", event_names[event->kind], to);
	add_text("project", event->project, to);
	switch (event->kind) {
	case EVENT_START:
		print_start(&event->is.start, to);
		break;
	case EVENT_REFUSED:
		print_refused(&event->is.refused, to);
		break;
	case EVENT_USED:
		print_used(&event->is.used, to);
		break;
	case EVENT_CHANGED:
	case EVENT_PLANTED:
		print_change(&event->is.change, to);
		break;
	case EVENT_LIMIT:
		add_text("limit", event->is.limit.name, to);
		break;
	case EVENT_TRUST:
		print_trust(&event->is.trust, to);
		break;
	default:
		print_end(&event->is.end, to);
	}
	str_add(to, "}");
}
