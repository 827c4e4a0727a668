// SPDX-License-Identifier: MIT
/* Reports events of a session: to the log, to the status fd, and for the end of the run. */
#include "api/report.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "api/guess.h"
#include "audit/event.h"
#include "audit/log.h"
#include "audit/log_sink.h"
#include "base/array.h"
#include "base/fd.h"
#include "explain/harmless.h"
#include "explain/mechanisms.h"
#include "explain/refused.h"
#include "ipc/refusal.h"

/* A session has fewer files of policy: profiles, options and at most one for each -p. */
#define SOURCES_MAX 64
#define USES_TOGETHER 16384 /* bytes */

static const char *const cause_names[SESSION_CAUSES] = {
	[SESSION_EXITED] = "exit",	 [SESSION_SIGNALLED] = "signal",
	[SESSION_TIME] = "time",	 [SESSION_OUTPUT] = "output",
	[SESSION_MEMORY] = "memory",	 [SESSION_KILLED] = "killed",
	[SESSION_CPU_TIME] = "cpu time", [SESSION_CRASHED] = "crashed",
};

/* Limits that end a session, as policies name them. */
static const char *const limits[SESSION_CAUSES] = {
	[SESSION_TIME] = "time",
	[SESSION_OUTPUT] = "output",
	[SESSION_MEMORY] = "memory",
	[SESSION_CPU_TIME] = "cpu_time",
};

static struct event
event_of(const struct report *report, enum event_kind kind)
{
	return (struct event){.kind = kind,
			      .session = report->id,
			      .project = report->context->host.project};
}

/* ---- the log and the status fd ---- */

bool
report_is_out_of_reach(const struct cordon_plan *context, const struct cordon_error *why)
{
	return context->facts.values[FACT_OUTER_CORDON] &&
	       (why->sys == EACCES || why->sys == EPERM);
}

/*
 * Checks by reading, at the store or the nearest existing directory above: a refused attempt to
 * write would be reported by the outer cordon as a refusal of the command.
 */
bool
report_is_kept_outside(const struct cordon_plan *context)
{
	char path[PATH_MAX];
	int fd;

	if (!context->facts.values[FACT_OUTER_CORDON] || context->store == NULL ||
	    snprintf(path, sizeof path, "%s", context->store) >= (int)sizeof path)
		return false;
	while ((fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0 && errno == ENOENT &&
	       strrchr(path, '/') > path)
		*strrchr(path, '/') = '\0';
	if (fd >= 0)
		close(fd);
	return fd < 0;
}

/* On failure the session continues, and the run gets a notice. */
static void
lose(struct report *report, const struct cordon_error *why)
{
	struct cordon_run *run = report->run;

	report->lost++;
	snprintf(run->notice, sizeof run->notice, "%.200s (%u %s lost)", why->text, report->lost,
		 report->lost == 1 ? "event" : "events");
}

/* Appends to the log. */
static void
save(struct report *report, const struct str *line)
{
	const char *store = report->context->store;
	struct cordon_error why = {0};

	if (line->failed || line->text == NULL)
		cordon_no_memory(&why);
	else if (store == NULL || report_is_kept_outside(report->context) ||
		 log_append(store, line->text, &why) == 0 ||
		 report_is_out_of_reach(report->context, &why))
		return;
	lose(report, &why);
}

/* Sends it to the system's log as well, where the policy says so. An outer cordon logs for itself. */
static void
send_to_system(struct report *report, const struct event *event, const struct str *line)
{
	const struct plan *plan = report->context->plan;
	struct cordon_error why = {0};

	if (plan == NULL || plan->settings.log <= EVENT_LOG_FILE || line->failed ||
	    report->context->facts.values[FACT_OUTER_CORDON])
		return;
	if (log_sink_send(plan->settings.log == EVENT_LOG_JOURNAL ? LOG_SINK_JOURNAL
								  : LOG_SINK_SYSLOG,
			  event, line, &why) < 0)
		lose(report, &why);
}

static void
write_uses(struct report *report)
{
	if (report->uses.length > 0)
		save(report, &report->uses);
	str_free(&report->uses);
}

/*
 * Writes an event to the log, and to the status fd unless it is full: the command controls the number of
 * refusals, and signals would wait while a write blocks.
 */
static void
tell(struct report *report, const struct event *event, bool may_block, bool is_public)
{
	struct cordon_run *run = report->run;
	auto_str struct str line = {0};
	int fd = is_public ? report->command->status_fd : -1;

	event_print(event, &line);
	write_uses(report);
	save(report, &line);
	send_to_system(report, event, &line);
	if (fd >= 0 && !may_block && !fd_has_room(fd)) {
		snprintf(run->notice, sizeof run->notice,
			 "the status descriptor was full, so not all refusals were written to it");
		return;
	}
	str_add(&line, "\n");
	if (fd >= 0 && (line.failed || fd_write_line(fd, line.text, line.length) < 0))
		snprintf(run->notice, sizeof run->notice, "cannot write to the status descriptor");
}

/*
 * Adds a line for the end of the run, if it is new and there is space. The command chooses names in
 * it, so they are escaped.
 */
static void
keep_line(char lines[][CORDON_LINE], size_t count, const struct str *line)
{
	auto_str struct str shown = {0};
	size_t i = 0;

	str_visible(&shown, line->text == NULL ? "" : line->text);
	if (line->failed || shown.failed || shown.length == 0 || shown.length >= CORDON_LINE)
		return;
	while (i < count && *lines[i] != '\0' && strcmp(lines[i], shown.text) != 0)
		i++;
	if (i < count)
		strcpy(lines[i], shown.text);
}

/* Hands the last of the refusals to the caller, who shows it at once. */
static void
show_refusal(const struct report *report)
{
	const struct cordon_command *command = report->command;
	const struct denial *last = &report->denials.items[report->denials.count - 1];
	auto_str struct str line = {0}, shown = {0};

	if (command->refused == NULL ||
	    harmless_change(report->context->plan, last->what, last->subject))
		return;
	denials_print_line(last, &line);
	str_visible(&shown, line.text == NULL ? "" : line.text);
	if (!line.failed && !shown.failed)
		command->refused(command->refused_context, shown.text);
}

/* Refusals that are explained at the end of the run. */
static void
keep_refusal(struct report *report, const struct refusal *refusal,
	     const struct event_refused *event)
{
	struct cordon_run *to = report->run;
	bool is_network = refusal->what == REFUSED_NETWORK;
	size_t before = report->denials.added;

	to->refused++;
	/* a daemon: its exit status does not reach the user */
	if (is_network && refusal->session != 0 && refusal->session == refusal->group &&
	    refusal->session != getsid(0))
		to->refused_daemon = 1;
	denials_add(&report->denials, event);
	if (report->denials.added > before)
		show_refusal(report);
	if (report->collected != NULL)
		denials_add(report->collected, event);
}

/*
 * Would the user without cordon be refused as well, by the mode of the file or because it is missing? This
 * process is under no layer. Its answer is for the explanation only: the file may have changed since.
 */
static bool
fails_anyway(const struct refusal *refusal)
{
	static const int modes[RIGHT_KINDS] = {R_OK, W_OK, W_OK | X_OK, W_OK | X_OK, X_OK};
	bool is_name = refusal->what == REFUSED_CREATE || refusal->what == REFUSED_DELETE;
	char path[sizeof refusal->subject];
	char *slash;

	if (refusal->what >= RIGHT_KINDS || *refusal->subject != '/' ||
	    strlen(refusal->subject) == sizeof refusal->subject - 1)
		return false;
	strcpy(path, refusal->subject);
	slash = strrchr(path, '/');
	if (is_name)
		slash[slash == path] = '\0';
	return faccessat(AT_FDCWD, path, modes[refusal->what], AT_EACCESS) < 0 &&
	       (errno == EACCES || errno == ENOENT || errno == ENOTDIR || errno == EROFS);
}

/* A traced session uses thousands of files: their lines are written some dozens at a time. */
static void
report_use(struct report *report, const struct refusal *use)
{
	struct event event = event_of(report, EVENT_USED);
	auto_str struct str line = {0};

	event.is.used =
		(struct event_used){refusal_what(use), use->subject, (enum event_known)use->known};
	event_print(&event, &line);
	str_printf(&report->uses, "%s%s", report->uses.length == 0 ? "" : "\n",
		   line.failed ? "" : line.text);
	if (report->uses.length > USES_TOGETHER)
		write_uses(report);
	if (report->command->status_fd < 0 || !fd_has_room(report->command->status_fd))
		return;
	str_add(&line, "\n");
	if (!line.failed)
		fd_write_line(report->command->status_fd, line.text, line.length);
}

void
report_refusal(void *sink, const struct refusal *refusal)
{
	struct report *report = sink;
	struct event event = event_of(report, EVENT_REFUSED);
	struct refused_text text = {0};

	if (refusal->is_use) {
		report_use(report, refusal);
		return;
	}
	refused_fill(report->context->plan, refusal, &text, &event.is.refused);
	event.is.refused.fails_anyway = fails_anyway(refusal);
	tell(report, &event, false, !refusal->is_unclaimed);
	if (!refusal->is_unclaimed)
		keep_refusal(report, refusal, &event.is.refused);
	refused_text_free(&text);
}

void
report_change(void *sink, const struct autorun_change *change)
{
	struct report *report = sink;
	struct cordon_run *run = report->run;
	struct event event = event_of(report, change->is_planted ? EVENT_PLANTED : EVENT_CHANGED);
	auto_str struct str shown = {0};

	event.is.change = (struct event_change){change->what, change->path, change->reason};
	tell(report, &event, true, true);
	run->changed++;
	str_printf(&shown, "%s %s: %s", change->what, change->path, change->reason);
	keep_line(run->changes, COUNT(run->changes), &shown);
}

/* ---- start and end ---- */

/* Lists the files of the policy; returns how many fit. */
static size_t
list_sources(const struct stack *stack, const char **to, size_t room)
{
	size_t count = 0;

	for (size_t i = 0; i < stack->count && count < room; i++)
		to[count++] = stack->entries[i].policy->file;
	/* an unapproved project policy is no entry of the stack, but narrows the policy */
	if (stack->project != NULL && !stack->project_trusted && count < room)
		to[count++] = stack->project->file;
	return count;
}

static size_t
list_guarantees(const struct plan *plan, struct event_guarantee to[G_COUNT])
{
	size_t count = 0;

	for (int i = 0; i < G_COUNT; i++) {
		if (plan->guarantees[i].status == GUARANTEE_NOT_NEEDED)
			continue;
		to[count++] = (struct event_guarantee){
			guarantee_names[i], plan->guarantees[i].status == GUARANTEE_ENFORCED
						    ? plan->guarantees[i].how
						    : "not kept, accepted"};
	}
	return count;
}

/*
 * Variables in which agents pass the ids of their session and of one use of a tool. Claude Code sets the second of the
 * session's (seen in 2.1.197) and none for a use of a tool; clash passes both as options and sets none.
 */
static const char *const agent_sessions[] = {"CORDON_AGENT_SESSION", "CLAUDE_CODE_SESSION_ID",
					     NULL};
static const char *const tool_uses[] = {"CORDON_TOOL_USE", NULL};
#define AGENT_ID_MAX 200

static const char *
agent_id(const struct cordon_plan *context, const char *const *names)
{
	for (; *names != NULL; names++) {
		const char *value = host_getenv(&context->host, *names);

		if (value != NULL && *value != '\0' && strlen(value) <= AGENT_ID_MAX)
			return value;
	}
	return NULL;
}

void
report_start(struct report *report)
{
	static const struct event_guarantee tracked[] = {{"process.tree", "tracking only"}};
	const struct plan *plan = report->context->plan;
	struct event event = event_of(report, EVENT_START);
	struct event_start *start = &event.is.start;
	struct event_guarantee guarantees[G_COUNT];
	const char *sources[SOURCES_MAX], *layers[MECHANISM_LAYERS];

	*start = (struct event_start){.argv = report->command->argv,
				      .name = report->command->session,
				      .sources = sources,
				      .guarantees = plan == NULL ? tracked : guarantees,
				      .guarantee_count = COUNT(tracked),
				      .layers = layers,
				      .agent_session = agent_id(report->context, agent_sessions),
				      .tool_use = agent_id(report->context, tool_uses)};
	if (plan != NULL) {
		start->source_count = list_sources(plan->stack, sources, COUNT(sources));
		start->guarantee_count = list_guarantees(plan, guarantees);
		start->layer_count = mechanisms_layers(plan, layers);
		start->notices = plan->notices;
		start->notice_count = plan->notice_count;
	}
	tell(report, &event, true, true);
}

static void
tell_limit(struct report *report, const char *name)
{
	struct event event = event_of(report, EVENT_LIMIT);

	event.is.limit.name = name;
	tell(report, &event, true, true);
}

static size_t
list_survivors(const struct session_result *result, struct event_survivor to[TREE_SURVIVORS])
{
	size_t count = 0;

	for (int i = 0; i < result->end.left && i < TREE_SURVIVORS; i++)
		to[count++] = (struct event_survivor){(int)result->end.survivors[i].pid,
						      result->end.survivors[i].name};
	return count;
}

static int
count_harmless(const struct denials *denials, const struct plan *plan)
{
	int count = 0;

	for (size_t i = 0; i < denials->count; i++)
		count += harmless_change(plan, denials->items[i].what, denials->items[i].subject);
	return count;
}

/* Explains the refusals in the run. */
static void
explain_refusals(struct report *report)
{
	struct denials *denials = &report->denials;
	const struct plan *plan = report->context->plan;
	struct cordon_run *run = report->run;
	auto_str struct str policy = {0}, json = {0};

	run->refused_only_here = (int)denials->added - count_harmless(denials, plan);
	denials_fold(denials, plan);
	for (size_t i = 0; i < denials->count && i < COUNT(run->refusals); i++) {
		auto_str struct str line = {0};

		denials_print_line(&denials->items[i], &line);
		keep_line(run->refusals, COUNT(run->refusals), &line);
	}
	if (denials->count > COUNT(run->refusals))
		run->refusals_more = (int)(denials->count - COUNT(run->refusals));
	denials_print_policy(denials, plan, &policy);
	if (policy.length > 0)
		keep_line(&run->refusals_policy, 1, &policy);
	run->refusals_advice = denials_advice(plan);
	denials_print_json(denials, plan, report->id, sizeof run->refusals_json - 1, &json);
	if (!json.failed && json.length < sizeof run->refusals_json)
		memcpy(run->refusals_json, json.text, json.length + 1);
	denials_free(denials);
}

/* Statuses with which shells and programs report a refusal: not executable, and EX_NOPERM. */
static bool
suggests_refusal(const struct session_result *result)
{
	return result->has_error_words ||
	       (!result->is_signal && (result->status == 126 || result->status == 77));
}

/* After a failure in which nothing was seen to be refused: a guess, and whether looking is worth it. */
static void
look_for_more(struct report *report, const struct session_result *result)
{
	const struct plan *plan = report->context->plan;
	struct refusal guess;
	bool is_guessed;

	if (plan == NULL || plan->traces || plan->facts.values[FACT_AUDIT] ||
	    report->denials.added > 0 || result->cause >= SESSION_TIME ||
	    (!result->is_signal && result->status == 0))
		return;
	is_guessed = !report->context->facts.values[FACT_OUTER_CORDON] &&
		     guess_argument(plan, report->command->argv, &guess);
	if (is_guessed)
		report_refusal(report, &guess);
	report->run->unseen = is_guessed || suggests_refusal(result);
}

void
report_end(struct report *report, const struct session_result *result,
	   const struct cordon_error *failed)
{
	struct event event = event_of(report, EVENT_END);
	struct event_end *end = &event.is.end;
	struct event_survivor survivors[TREE_SURVIVORS];

	if (failed == NULL)
		look_for_more(report, result);
	explain_refusals(report);
	if (failed != NULL) {
		end->cause = "not started";
		end->error = failed->text;
		tell(report, &event, true, true);
		return;
	}
	if (limits[result->cause] != NULL)
		tell_limit(report, limits[result->cause]);
	if (result->hit_processes)
		tell_limit(report, "processes");
	*end = (struct event_end){.cause = cause_names[result->cause],
				  .is_signal = result->is_signal,
				  .status = result->status,
				  .ms = result->ms,
				  .ended = result->end.ended,
				  .refused = report->run->refused,
				  .changed = report->run->changed,
				  .hit_processes = result->hit_processes,
				  .lives_on = result->left,
				  .survivors = survivors,
				  .survivor_count = list_survivors(result, survivors)};
	tell(report, &event, true, true);
}
