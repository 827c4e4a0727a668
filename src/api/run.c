// SPDX-License-Identifier: MIT
/* Runs commands: makes the plan, runs the session, and reports its events. */
#include <signal.h>
#include <stdio.h>

#include "api/report.h"
#include "audit/log.h"
#include "base/path.h"
#include "discover/context.h"
#include "explain/print_text.h"
#include "proxy/server/proxy.h"
#include "review/new_refs.h"

static void
tell_refs(struct report *report, struct refs *refs, bool has_objects)
{
	const char *missed = new_refs_report(refs, has_objects, report_change, report);

	if (missed != NULL && *report->run->notice == '\0')
		snprintf(report->run->notice, sizeof report->run->notice, "%s", missed);
	new_refs_free(refs);
}

static void
fill_run(const struct session_result *result, struct cordon_run *to)
{
	const struct tree_end *end = &result->end;
	size_t used = 0;

	to->cause = (enum cordon_cause)result->cause;
	to->signal = result->is_signal ? result->status : 0;
	to->status = result->is_signal ? 0 : result->status;
	to->by_terminal = result->by_terminal;
	to->ended = end->ended;
	to->left = end->left;
	for (int i = 0; i < end->left && i < TREE_SURVIVORS && used < sizeof to->survivors; i++)
		used += (size_t)snprintf(to->survivors + used, sizeof to->survivors - used,
					 "%s%d (%s)", i == 0 ? "" : ", ",
					 (int)end->survivors[i].pid, end->survivors[i].name);
}

/* Hashes the digest of a plan. Two commands share a sandbox only if the hashes are equal. */
static int
hash_plan(const struct plan *plan, char ret_hash[TRUST_HASH_SIZE], struct cordon_error *err)
{
	auto_str struct str text = {0};

	digest_print(plan, &text);
	if (text.failed)
		return cordon_no_memory(err);
	trust_store_hash(text.text, text.length, ret_hash);
	return 0;
}

/* Signals that ask this process to exit. */
static const sigset_t *
ending_signals(sigset_t *to)
{
	sigemptyset(to);
	sigaddset(to, SIGHUP);
	sigaddset(to, SIGINT);
	sigaddset(to, SIGQUIT);
	sigaddset(to, SIGTERM);
	return to;
}

/* The part common to sandboxed and tracked sessions. */
static int
run_session(struct report report, struct session_request request, struct cordon_error *err)
{
	const struct cordon_plan *context = report.context;
	const struct cordon_command *command = report.command;
	struct cordon_run *ret_run = report.run;
	struct session_result result = {0};
	struct cordon_error why = {0};
	struct refs refs = {0};
	sigset_t ending, before;
	struct session_origin origin = {
		.runtime = context->host.runtime_dir,
		.state = report_is_kept_outside(context) ? NULL : context->store,
		.project = *context->host.project == '\0' ? NULL : context->host.project,
	};
	char hash[TRUST_HASH_SIZE];
	int rc = log_session_id(report.id, err);

	/* only a shared session can be joined */
	if (rc == 0 && request.plan != NULL && command->session != NULL) {
		rc = hash_plan(request.plan, hash, err);
		origin.policy = hash;
	}
	if (rc < 0)
		return rc;
	request.id = report.id;
	request.argv = command->argv;
	request.environ = context->host.environ;
	request.login = command->login;
	request.pty = command->pty;
	request.leave = command->leave;
	request.fingerprint = command->fingerprint;
	request.grace_ms = command->grace_ms;
	request.ids = context->ids;
	request.name = command->session;
	request.origin = &origin;
	request.proxy_main = proxy_function();
	request.refused = report_refusal;
	request.changed = report_change;
	request.sink = &report;
	report_start(&report);
	if (request.plan != NULL)
		new_refs_record(&refs, request.plan);
	rc = session_run(&request, &result, &why);
	ret_run->changed += (int)result.changed;
	/* checking refs takes a while: block signals until the end is reported */
	pthread_sigmask(SIG_BLOCK, ending_signals(&ending), &before);
	tell_refs(&report, &refs, result.has_objects);
	report_end(&report, &result, rc < 0 ? &why : NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	session_close(&result);
	if (result.unrecorded.code != 0 && *ret_run->notice == '\0' &&
	    !report_is_out_of_reach(context, &result.unrecorded))
		snprintf(ret_run->notice, sizeof ret_run->notice, "%s", result.unrecorded.text);
	if (rc == 0)
		fill_run(&result, ret_run);
	else if (err != NULL)
		*err = why;
	return rc;
}

int
cordon_run(struct cordon_plan *context, const struct cordon_command *command,
	   struct cordon_run *ret_run, struct cordon_error *err)
{
	return report_collect(context, command, ret_run, NULL, err);
}

int
report_collect(struct cordon_plan *context, const struct cordon_command *command,
	       struct cordon_run *ret_run, struct denials *to, struct cordon_error *err)
{
	struct session_request request = {0};
	struct made_dirs made = {0};
	int rc;

	*ret_run = (struct cordon_run){0};
	if (context == NULL || context->plan == NULL)
		return cordon_fail(err, CORDON_E_USAGE, 0,
				   "there is no plan to run the command with");
	if (context->assumed)
		return cordon_fail(err, CORDON_E_USAGE, 0,
				   "a plan made from assumed facts cannot be run");
	if (context->plan->traces && command->session != NULL)
		return cordon_fail(err, CORDON_E_USAGE, 0,
				   "--trace and --session: the calls of other commands of the "
				   "session would be reported, too");
	context->plan->program = path_last(command->argv[0]);
	request.plan = context->plan;
	request.made = &made;
	request.limits = context->plan->settings.limits;
	rc = run_session((struct report){.context = context,
					 .command = command,
					 .run = ret_run,
					 .collected = to},
			 request, err);
	make_dirs_remove(&made, rc == 0);
	return rc;
}

int
cordon_track(const struct cordon_setup *setup, const struct cordon_command *command,
	     struct cordon_run *ret_run, struct cordon_error *err)
{
	struct session_request request = {.track_only = true, .limits = setup->options->limits};
	auto_context struct cordon_plan *context = NULL;
	int rc;

	*ret_run = (struct cordon_run){0};
	if (setup->restricts || setup->traces || setup->text_count > 0)
		return cordon_fail(
			err, CORDON_E_USAGE, 0,
			"tracking restricts nothing, so it takes no policies and no options "
			"except limits");
	rc = context_folders(setup, &context, err);
	return rc < 0 ? rc
		      : run_session((struct report){.context = context,
						    .command = command,
						    .run = ret_run},
				    request, err);
}
