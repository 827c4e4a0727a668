// SPDX-License-Identifier: MIT
/* Reads the log for users: filters in words, lines of text or JSON, and what a session was refused. */
#include "base/os.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "audit/log.h"
#include "audit/log_read.h"
#include "base/array.h"
#include "discover/context.h"
#include "explain/denials.h"
#include "explain/page.h"
#include "explain/print_event.h"

struct cordon_log {
	struct log_reader *reader;
	struct log_filter filter;
	char project[PATH_MAX], session[17];
};

/* ---- times ---- */

static bool
read_age(const char *text, int64_t now, int64_t *ret_time)
{
	static const struct {
		const char *unit;
		int64_t seconds;
	} units[] = {{"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}, {"w", 604800}};
	const char *unit;
	uint64_t number;

	if (!str_digits(text, 1000000, &number, &unit))
		return false;
	for (size_t i = 0; i < COUNT(units); i++) {
		if (strcmp(unit, units[i].unit) != 0)
			continue;
		*ret_time = now - (int64_t)number * units[i].seconds;
		return true;
	}
	return false;
}

static bool
read_day(const char *text, int64_t now, int64_t *ret_time)
{
	time_t when = (time_t)now;
	bool is_yesterday = strcmp(text, "yesterday") == 0;
	struct tm day;

	if ((strcmp(text, "today") != 0 && !is_yesterday) || localtime_r(&when, &day) == NULL)
		return false;
	day = (struct tm){.tm_year = day.tm_year,
			  .tm_mon = day.tm_mon,
			  .tm_mday = day.tm_mday - is_yesterday,
			  .tm_isdst = -1};
	*ret_time = mktime(&day);
	return true;
}

static bool
read_date(const char *text, int64_t *ret_time)
{
	static const char *const forms[] = {"%Y-%m-%d", "%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M:%S",
					    "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"};

	for (size_t i = 0; i < COUNT(forms); i++) {
		struct tm parts = {.tm_isdst = -1};
		const char *end = strptime(text, forms[i], &parts);

		if (end == NULL || (*end != '\0' && strcmp(end, "Z") != 0))
			continue;
		*ret_time = *end == 'Z' ? timegm(&parts) : mktime(&parts);
		return true;
	}
	return false;
}

static int
read_time(const char *name, const char *text, int64_t *ret_time, struct cordon_error *err)
{
	int64_t now = time(NULL);

	if (text == NULL || read_age(text, now, ret_time) || read_day(text, now, ret_time) ||
	    read_date(text, ret_time))
		return 0;
	return cordon_fail(
		err, CORDON_E_USAGE, 0,
		"--%s: \"%.60s\" is not a time such as 2026-01-31, \"2026-01-31 12:00\", "
		"today, 10m, 2h or 3d",
		name, text);
}

/* ---- the log ---- */

static bool
is_id(const char *text)
{
	size_t length = strspn(text, "0123456789abcdef");

	return length > 0 && length <= 16 && text[length] == '\0';
}

static int
fail_id(const char *session, struct cordon_error *err)
{
	return cordon_fail(err, CORDON_E_USAGE, 0,
			   "\"%.60s\" is not a session id, which has 16 characters of 0-9 and a-f",
			   session);
}

static int
fail_no_log(struct cordon_error *err)
{
	return cordon_fail(err, CORDON_E_PATH, 0,
			   "there is no log: neither HOME nor XDG_STATE_HOME is set");
}

static int
read_filter(const struct cordon_log_filter *from, struct cordon_log *to, struct cordon_error *err)
{
	int rc = read_time("since", from->since, &to->filter.since, err);

	if (rc == 0)
		rc = read_time("until", from->until, &to->filter.until, err);
	if (rc < 0)
		return rc;
	if (from->session != NULL && !is_id(from->session))
		return fail_id(from->session, err);
	if (from->project != NULL && os_realpath(from->project, to->project) == NULL)
		return cordon_fail(err, CORDON_E_PATH, errno, "cannot find the project %s",
				   from->project);
	if (from->session != NULL)
		memcpy(to->session, from->session, strlen(from->session) + 1);
	to->filter.session = from->session == NULL ? NULL : to->session;
	to->filter.project = from->project == NULL ? NULL : to->project;
	to->filter.kinds = from->refused ? 1u << EVENT_REFUSED : 0;
	return 0;
}

/* Without a session there is nothing to show, so an id that none has is looked for. */
static int
find_last(const char *store, struct cordon_log *log, struct cordon_error *err)
{
	int found = log_last_session(store, &log->filter, log->session, err);

	if (found == 0)
		memcpy(log->session, "no such session", sizeof log->session - 1);
	log->filter.session = log->session;
	return found < 0 ? found : 0;
}

int
cordon_log_open(const struct cordon_log_filter *filter, struct cordon_log **ret_log,
		struct cordon_error *err)
{
	const struct cordon_setup setup = {0};
	auto_context struct cordon_plan *context = NULL;
	struct cordon_log *log;
	int rc = context_folders(&setup, &context, err);

	if (rc < 0)
		return rc;
	if (context->store == NULL)
		return fail_no_log(err);
	log = calloc(1, sizeof *log);
	if (log == NULL)
		return cordon_no_memory(err);
	rc = read_filter(filter, log, err);
	if (rc == 0 && filter->last)
		rc = find_last(context->store, log, err);
	if (rc == 0)
		rc = log_open(context->store, &log->filter, &log->reader, err);
	if (rc < 0) {
		cordon_log_close(log);
		return rc;
	}
	*ret_log = log;
	return 0;
}

int
cordon_log_next(struct cordon_log *log, enum cordon_format format, char **ret_text,
		struct cordon_error *err)
{
	auto_str struct str text = {0};
	struct log_event event;
	int rc = log_next(log->reader, &event, err);

	if (rc <= 0)
		return rc;
	if (format == CORDON_JSON)
		str_printf(&text, "%s\n", event.line);
	else
		print_event(&event, &text);
	rc = str_finish(&text, ret_text, err);
	return rc < 0 ? rc : 1;
}

unsigned
cordon_log_skipped(const struct cordon_log *log)
{
	return log_skipped(log->reader);
}

struct cordon_log *
cordon_log_close(struct cordon_log *log)
{
	if (log != NULL)
		log_close(log->reader);
	free(log);
	return NULL;
}

/* ---- why ---- */

/* What is known of one session. */
struct past {
	struct denials denials;
	struct str title, end;
	char session[17];
};

static void
free_past(struct past *past)
{
	denials_free(&past->denials);
	str_free(&past->title);
	str_free(&past->end);
}

static const char *
text_or_empty(const struct log_event *event, const char *key)
{
	const char *text = log_text(event, key);

	return text == NULL ? "" : text;
}

static enum event_known
read_known(const char *name)
{
	for (int i = 0; name != NULL && i < KNOWN_KINDS; i++)
		if (strcmp(name, event_known_names[i]) == 0)
			return (enum event_known)i;
	return KNOWN_DECIDED;
}

static int
add_refused(struct past *past, const struct log_event *event)
{
	const struct event_refused refused = {.what = text_or_empty(event, "what"),
					      .subject = text_or_empty(event, "subject"),
					      .cause = text_or_empty(event, "cause"),
					      .rule = log_text(event, "rule"),
					      .reason = log_text(event, "reason"),
					      .allow = log_text(event, "allow"),
					      .known = read_known(log_text(event, "known")),
					      .fails_anyway = json_member(event->json,
									  "fails_anyway") != NULL};

	return denials_add(&past->denials, &refused);
}

static int
add_past(struct past *past, const struct log_event *event)
{
	if (event->kind == EVENT_START)
		print_event(event, &past->title);
	if (event->kind == EVENT_END)
		print_event_end(event, &past->end);
	return event->kind == EVENT_REFUSED ? add_refused(past, event) : 0;
}

static int
read_past(const char *store, const struct log_filter *filter, struct past *past,
	  struct cordon_error *err)
{
	auto_log struct log_reader *reader = NULL;
	struct log_event event;
	int rc = log_open(store, filter, &reader, err);

	while (rc >= 0 && (rc = log_next(reader, &event, err)) > 0)
		if (event.session != NULL && add_past(past, &event) < 0)
			return cordon_no_memory(err);
	return rc;
}

static void
print_denial(const struct denial *denial, const struct plan *plan, struct str *to)
{
	const struct denials one = {.items = (struct denial *)denial, .count = 1};
	auto_str struct str line = {0}, policy = {0};

	denials_print_line(denial, &line);
	str_add(to, "refused: ");
	str_visible(to, line.failed || line.text == NULL ? "" : line.text);
	str_add(to, "\n");
	denials_print_policy(&one, plan, &policy);
	if (policy.length == 0)
		return;
	str_add(to, "  in a policy: ");
	str_visible(to, policy.text);
	str_add(to, "\n");
}

static void
print_past(const struct past *past, const struct plan *plan, struct str *to)
{
	str_add(to, past->title.text == NULL ? "" : past->title.text);
	str_printf(to, "%s\n", past->end.text == NULL ? "it has not ended" : past->end.text);
	for (size_t i = 0; i < past->denials.count; i++)
		print_denial(&past->denials.items[i], plan, to);
	if (past->denials.count == 0)
		str_add(to, "cordon refused nothing that would have succeeded without it\n");
}

/* Of several sessions whose ids begin so, the one that started last. */
static int
find_session(const char *store, const char *session, char ret_id[17], struct cordon_error *err)
{
	const struct log_filter filter = {.session = session};
	int found;

	if (session != NULL && !is_id(session))
		return fail_id(session, err);
	found = log_last_session(store, &filter, ret_id, err);
	if (found != 0)
		return found < 0 ? found : 0;
	return session == NULL
		       ? cordon_fail(err, CORDON_E_USAGE, 0, "the log has no session")
		       : cordon_fail(err, CORDON_E_USAGE, 0,
				     "the log has no session %s; `cordon log` lists them", session);
}

/* Appends the events of the session. */
static int
add_events(const char *store, const struct log_filter *filter, struct str *to,
	   struct cordon_error *err)
{
	auto_log struct log_reader *reader = NULL;
	struct log_event event;
	const char *comma = "";
	int rc = log_open(store, filter, &reader, err);

	while (rc >= 0 && (rc = log_next(reader, &event, err)) > 0) {
		str_add(to, comma);
		page_add_json(event.line, to);
		comma = ",\n";
	}
	return rc;
}

static int
print_page(const struct past *past, const struct cordon_plan *context, struct str *to,
	   struct cordon_error *err)
{
	const struct log_filter filter = {.session = past->session};
	auto_str struct str hints = {0};
	char nonce[17];
	int rc = log_session_id(nonce, err);

	if (rc < 0)
		return rc;
	denials_print_list(&past->denials, context->plan, &hints);
	page_begin(nonce, to);
	str_printf(to, "{\"session\": \"%s\", \"hints\": ", past->session);
	page_add_json(hints.failed ? "[]" : hints.text, to);
	str_add(to, ", \"events\": [\n");
	rc = add_events(context->store, &filter, to, err);
	str_add(to, "\n]}");
	page_end(nonce, to);
	return rc;
}

int
cordon_report(const struct cordon_setup *setup, const char *session, char **ret_text,
	      struct cordon_error *err)
{
	__attribute__((cleanup(free_past))) struct past past = {0};
	const struct log_filter filter = {.session = past.session};
	auto_context struct cordon_plan *context = NULL;
	auto_str struct str text = {0};
	int rc = cordon_plan_new(setup, &context, err);

	if (rc == 0)
		rc = context->store == NULL
			     ? fail_no_log(err)
			     : find_session(context->store, session, past.session, err);
	if (rc == 0)
		rc = read_past(context->store, &filter, &past, err);
	if (rc < 0)
		return rc;
	denials_fold(&past.denials, context->plan);
	rc = print_page(&past, context, &text, err);
	return rc < 0 ? rc : str_finish(&text, ret_text, err);
}

int
cordon_why_session(const struct cordon_setup *setup, const char *session, enum cordon_format format,
		   char **ret_text, struct cordon_error *err)
{
	__attribute__((cleanup(free_past))) struct past past = {0};
	struct log_filter filter = {.session = past.session};
	struct cordon_plan *context;
	auto_str struct str text = {0};
	int rc = cordon_plan_new(setup, &context, err);

	if (rc < 0)
		return rc;
	rc = context->store == NULL ? fail_no_log(err)
				    : find_session(context->store, session, past.session, err);
	if (rc == 0)
		rc = read_past(context->store, &filter, &past, err);
	if (rc == 0) {
		denials_fold(&past.denials, context->plan);
		if (format == CORDON_JSON)
			denials_print_json(&past.denials, context->plan, past.session, SIZE_MAX,
					   &text);
		else
			print_past(&past, context->plan, &text);
		str_add(&text, format == CORDON_JSON ? "\n" : "");
		rc = str_finish(&text, ret_text, err);
	}
	cordon_plan_free(context);
	return rc < 0 ? rc : (int)past.denials.added;
}
