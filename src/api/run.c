// SPDX-License-Identifier: MIT
/* Running commands: plan, log, session, log again. */
#include <stdio.h>
#include <string.h>

#include "api/setup.h"
#include "audit/log.h"
#include "session/session.h"

static const char *const cause_names[] = {
	[SESSION_EXITED] = "exit",
	[SESSION_SIGNALLED] = "signal",
	[SESSION_TIME] = "time",
};

static void
print_head(const struct cordon_plan *context, const char *id, const char *event, struct str *to)
{
	char when[32];

	audit_time(when, sizeof when);
	str_printf(to,
		   "{\"time\": \"%s\", \"session\": \"%s\", \"event\": \"%s\", \"project\": ", when,
		   id, event);
	str_json(to, context->host.project);
}

static void
print_start(const struct cordon_plan *context, const char *id, char *const *argv, struct str *to)
{
	const struct plan *plan = context->plan;
	const char *between = "";

	print_head(context, id, "start", to);
	str_add(to, ", \"command\": [");
	for (size_t i = 0; argv[i] != NULL; i++) {
		str_add(to, i == 0 ? "" : ", ");
		str_json(to, argv[i]);
	}
	str_add(to, "], \"sources\": [");
	for (size_t i = 0; i < plan->stack->count; i++) {
		str_add(to, i == 0 ? "" : ", ");
		str_json(to, plan->stack->entries[i].policy->file);
	}
	str_add(to, "], \"guarantees\": {");
	for (int i = 0; i < G_COUNT; i++) {
		if (plan->promises[i].keeping == KEPT_NOT_NEEDED)
			continue;
		str_printf(to, "%s\"%s\": ", between, guarantee_names[i]);
		str_json(to, plan->promises[i].keeping == KEPT_ENFORCED ? plan->promises[i].how
									: "not kept, accepted");
		between = ", ";
	}
	str_add(to, "}}");
}

static void
print_end(const struct cordon_plan *context, const char *id, const struct session_result *result,
	  const struct cordon_error *failed, struct str *to)
{
	print_head(context, id, "end", to);
	if (failed != NULL) {
		str_add(to, ", \"cause\": \"not started\", \"error\": ");
		str_json(to, failed->text);
	} else {
		str_printf(to, ", \"cause\": \"%s\", \"%s\": %d, \"seconds\": %.3f",
			   cause_names[result->cause],
			   result->cause == SESSION_EXITED ? "status" : "signal", result->status,
			   result->seconds);
	}
	str_add(to, "}");
}

/* To the log and to the caller's descriptor. What cannot be logged is said once, and goes on. */
static void
tell(const struct cordon_plan *context, int status_fd, const struct str *line,
     struct cordon_run *run)
{
	struct cordon_error why = {0};

	if (line->failed || line->text == NULL)
		return;
	if (context->store != NULL && audit_append(context->store, line->text, &why) < 0)
		snprintf(run->notice, sizeof run->notice, "%s", why.text);
	if (status_fd >= 0 && dprintf(status_fd, "%s\n", line->text) < 0)
		snprintf(run->notice, sizeof run->notice, "cannot write to the status descriptor");
}

int
cordon_run(struct cordon_plan *context, const struct cordon_command *command,
	   struct cordon_run *ret_run, struct cordon_error *err)
{
	auto_str struct str start = {0}, end = {0};
	struct session_result result = {0};
	struct cordon_error why = {0};
	char id[17];
	struct session_request request = {
		.plan = context->plan,
		.argv = command->argv,
		.login = command->login,
		.pty = command->pty,
		.status_fd = command->status_fd,
		.id = id,
	};
	int rc = audit_id(id, err);

	*ret_run = (struct cordon_run){0};
	if (rc == 0 && context->assumed)
		rc = cordon_fail(err, CORDON_E_USAGE, 0,
				 "a plan made from assumed facts cannot be run");
	if (rc < 0)
		return rc;
	print_start(context, id, command->argv, &start);
	tell(context, command->status_fd, &start, ret_run);
	rc = session_run(&request, &result, &why);
	print_end(context, id, &result, rc < 0 ? &why : NULL, &end);
	tell(context, command->status_fd, &end, ret_run);
	if (rc < 0) {
		if (err != NULL)
			*err = why;
		return rc;
	}
	ret_run->timed_out = result.cause == SESSION_TIME;
	ret_run->signal = result.cause == SESSION_EXITED ? 0 : result.status;
	ret_run->by_terminal = result.by_terminal;
	ret_run->status = result.cause == SESSION_EXITED ? result.status : 0;
	return 0;
}
