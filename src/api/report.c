// SPDX-License-Identifier: MIT
/* Reports events of a session: to the log, to the status fd, and for the end of the run. */
#include "api/report.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "audit/log.h"
#include "base/array.h"
#include "base/fd.h"
#include "explain/refused.h"
#include "ipc/refusal.h"

static const char *const cause_names[SESSION_CAUSES] = {
	[SESSION_EXITED] = "exit",	 [SESSION_SIGNALLED] = "signal",
	[SESSION_TIME] = "time",	 [SESSION_OUTPUT] = "output",
	[SESSION_MEMORY] = "memory",	 [SESSION_KILLED] = "killed",
	[SESSION_CPU_TIME] = "cpu time", [SESSION_CRASHED] = "crashed",
};

static void
print_head(const struct report *report, const char *event, struct str *to)
{
	char when[32];

	audit_time(when, sizeof when);
	str_printf(to,
		   "{\"time\": \"%s\", \"session\": \"%s\", \"event\": \"%s\", \"project\": ", when,
		   report->id, event);
	str_json(to, report->context->host.project);
}

static void
print_sources(const struct stack *stack, struct str *to)
{
	const char *between = "";

	for (size_t i = 0; i < stack->count; i++) {
		str_add(to, between);
		str_json(to, stack->entries[i].policy->file);
		between = ", ";
	}
	/* an unapproved project policy is no entry of the stack, but narrows the policy */
	if (stack->project != NULL && !stack->project_trusted) {
		str_add(to, between);
		str_json(to, stack->project->file);
	}
}

static void
print_plan(const struct plan *plan, struct str *to)
{
	const char *between = "";

	str_add(to, ", \"sources\": [");
	print_sources(plan->stack, to);
	str_add(to, "], \"guarantees\": {");
	for (int i = 0; i < G_COUNT; i++) {
		if (plan->guarantees[i].status == GUARANTEE_NOT_NEEDED)
			continue;
		str_printf(to, "%s\"%s\": ", between, guarantee_names[i]);
		str_json(to, plan->guarantees[i].status == GUARANTEE_ENFORCED
				     ? plan->guarantees[i].how
				     : "not kept, accepted");
		between = ", ";
	}
	str_add(to, "}");
}

static void
print_start(const struct report *report, struct str *to)
{
	char *const *argv = report->command->argv;

	print_head(report, "start", to);
	str_add(to, ", \"command\": [");
	for (size_t i = 0; argv[i] != NULL; i++) {
		str_add(to, i == 0 ? "" : ", ");
		str_json(to, argv[i]);
	}
	str_add(to, "]");
	if (report->command->session != NULL) {
		str_add(to, ", \"name\": ");
		str_json(to, report->command->session);
	}
	if (report->context->plan != NULL)
		print_plan(report->context->plan, to);
	else
		str_add(to,
			", \"sources\": [], \"guarantees\": {\"process.tree\": \"tracking only\"}");
	str_add(to, "}");
}

static void
print_survivors(const struct session_result *result, struct str *to)
{
	str_add(to, ", \"survivors\": [");
	for (int i = 0; i < result->end.left && i < TREE_SURVIVORS; i++) {
		str_printf(to, "%s{\"pid\": %d, \"name\": ", i == 0 ? "" : ", ",
			   (int)result->end.survivors[i].pid);
		str_json(to, result->end.survivors[i].name);
		str_add(to, "}");
	}
	str_add(to, "]");
}

static void
print_end(const struct report *report, const struct session_result *result,
	  const struct cordon_error *failed, struct str *to)
{
	print_head(report, "end", to);
	if (failed != NULL) {
		str_add(to, ", \"cause\": \"not started\", \"error\": ");
		str_json(to, failed->text);
	} else {
		str_printf(to,
			   ", \"cause\": \"%s\", \"%s\": %d, \"seconds\": %lld.%03d, \"ended\": %d",
			   cause_names[result->cause], result->is_signal ? "signal" : "status",
			   result->status, (long long)result->ms / 1000, (int)(result->ms % 1000),
			   result->end.ended);
		if (result->hit_processes)
			str_add(to, ", \"hit\": [\"processes\"]");
		if (result->left)
			str_add(to, ", \"lives_on\": true");
		if (result->end.left > 0)
			print_survivors(result, to);
		if (report->run->changed > 0)
			str_printf(to, ", \"changed\": %d", report->run->changed);
	}
	str_add(to, "}");
}

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

/* Appends to the log. On failure the session continues, and the run gets a notice. */
static void
keep(const struct report *report, const struct str *line)
{
	const char *store = report->context->store;
	struct cordon_run *run = report->run;
	struct cordon_error why = {0};

	if (line->failed || line->text == NULL) {
		snprintf(run->notice, sizeof run->notice, "no memory for the audit log");
		return;
	}
	if (store != NULL && !report_is_kept_outside(report->context) &&
	    audit_append(store, line->text, &why) < 0 &&
	    !report_is_out_of_reach(report->context, &why))
		snprintf(run->notice, sizeof run->notice, "%s", why.text);
}

/* Writes a line to the log and to the status fd. */
static void
tell(const struct report *report, struct str *line)
{
	struct cordon_run *run = report->run;
	int fd = report->command->status_fd;

	keep(report, line);
	str_add(line, "\n");
	if (fd >= 0 && (line->failed || fd_write_line(fd, line->text, line->length) < 0))
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

/* Refusals shown at the end of a failed run: the first few, and always one about the network. */
static void
keep_refusal(struct report *report, const struct refusal *refusal)
{
	struct cordon_run *to = report->run;
	bool is_network = refusal->what == REFUSED_NETWORK;
	auto_str struct str line = {0};

	to->refused++;
	/* a daemon: its exit status does not reach the user */
	if (is_network && refusal->session != 0 && refusal->session == refusal->group &&
	    refusal->session != getsid(0))
		to->refused_daemon = 1;
	if (is_network && report->has_network)
		return;
	if (is_network)
		*to->refusals[COUNT(to->refusals) - 1] = '\0';
	report->has_network = report->has_network || is_network;
	refused_print_line(report->context->plan, refusal, &line);
	keep_line(to->refusals, COUNT(to->refusals), &line);
}

/* The command controls the number of events, so never block on the status fd: signals would wait. */
void
report_refusal(void *sink, const struct refusal *refusal)
{
	struct report *report = sink;
	int fd = report->command->status_fd;
	auto_str struct str line = {0};

	print_head(report, "refused", &line);
	refused_print_json(report->context->plan, refusal, &line);
	str_add(&line, "}");
	if (refusal->is_unclaimed) {
		keep(report, &line);
		return;
	}
	if (fd < 0 || fd_has_room(fd)) {
		tell(report, &line);
	} else {
		keep(report, &line);
		snprintf(report->run->notice, sizeof report->run->notice,
			 "the status descriptor was full, so not all refusals were written to it");
	}
	keep_refusal(report, refusal);
}

void
report_change(void *sink, const struct autorun_change *change)
{
	struct report *report = sink;
	struct cordon_run *run = report->run;
	auto_str struct str line = {0}, shown = {0};

	print_head(report, "changed", &line);
	str_printf(&line, ", \"what\": \"%s\", \"subject\": ", change->what);
	str_json(&line, change->path);
	str_add(&line, ", \"reason\": ");
	str_json(&line, change->reason);
	str_add(&line, "}");
	tell(report, &line);
	run->changed++;
	str_printf(&shown, "%s %s: %s", change->what, change->path, change->reason);
	keep_line(run->changes, COUNT(run->changes), &shown);
}

void
report_start(struct report *report)
{
	auto_str struct str line = {0};

	print_start(report, &line);
	tell(report, &line);
}

void
report_end(struct report *report, const struct session_result *result,
	   const struct cordon_error *failed)
{
	auto_str struct str line = {0};

	print_end(report, result, failed, &line);
	tell(report, &line);
}
