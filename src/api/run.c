// SPDX-License-Identifier: MIT
/* Running commands: plan, log, session, log again. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "audit/autorun_changes.h"
#include "audit/log.h"
#include "base/fd.h"
#include "discover/context.h"
#include "explain/hints.h"
#include "explain/print_text.h"
#include "explain/remedy.h"
#include "ipc/refusal.h"
#include "proxy/server/proxy.h"
#include "review/new_refs.h"
#include "session/session.h"

static const char *const cause_names[SESSION_CAUSES] = {
	[SESSION_EXITED] = "exit",	 [SESSION_SIGNALLED] = "signal",
	[SESSION_TIME] = "time",	 [SESSION_OUTPUT] = "output",
	[SESSION_MEMORY] = "memory",	 [SESSION_KILLED] = "killed",
	[SESSION_CPU_TIME] = "cpu time", [SESSION_CRASHED] = "crashed",
};

/* One run on its way to the log. */
struct telling {
	const struct cordon_plan *context;
	const struct cordon_command *command;
	struct cordon_run *run;
	char id[17];
};

static void
print_head(const struct telling *telling, const char *event, struct str *to)
{
	char when[32];

	audit_time(when, sizeof when);
	str_printf(to,
		   "{\"time\": \"%s\", \"session\": \"%s\", \"event\": \"%s\", \"project\": ", when,
		   telling->id, event);
	str_json(to, telling->context->host.project);
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
	/* it is no entry, and narrows all the same */
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
		if (plan->promises[i].keeping == KEPT_NOT_NEEDED)
			continue;
		str_printf(to, "%s\"%s\": ", between, guarantee_names[i]);
		str_json(to, plan->promises[i].keeping == KEPT_ENFORCED ? plan->promises[i].how
									: "not kept, accepted");
		between = ", ";
	}
	str_add(to, "}");
}

static void
print_start(const struct telling *telling, struct str *to)
{
	char *const *argv = telling->command->argv;

	print_head(telling, "start", to);
	str_add(to, ", \"command\": [");
	for (size_t i = 0; argv[i] != NULL; i++) {
		str_add(to, i == 0 ? "" : ", ");
		str_json(to, argv[i]);
	}
	str_add(to, "]");
	if (telling->command->session != NULL) {
		str_add(to, ", \"name\": ");
		str_json(to, telling->command->session);
	}
	if (telling->context->plan != NULL)
		print_plan(telling->context->plan, to);
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
print_end(const struct telling *telling, const struct session_result *result,
	  const struct cordon_error *failed, struct str *to)
{
	print_head(telling, "end", to);
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
		if (telling->run->changed > 0)
			str_printf(to, ", \"changed\": %d", telling->run->changed);
	}
	str_add(to, "}");
}

/* Inside another cordon our own folders are closed, as they have to be: that one keeps the log. */
static bool
is_out_of_reach(const struct cordon_plan *context, const struct cordon_error *why)
{
	return context->facts.values[FACT_OUTER_CORDON] &&
	       (why->sys == EACCES || why->sys == EPERM);
}

/*
 * Found out by reading, from the store up to what is there: to try and write would be told outside, as if
 * the command had been refused something.
 */
static bool
is_kept_outside(const struct cordon_plan *context)
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

/* What cannot be logged is said once, and goes on. */
static void
keep(const struct telling *telling, const struct str *line)
{
	const char *store = telling->context->store;
	struct cordon_run *run = telling->run;
	struct cordon_error why = {0};

	if (line->failed || line->text == NULL) {
		snprintf(run->notice, sizeof run->notice, "no memory for the audit log");
		return;
	}
	if (store != NULL && !is_kept_outside(telling->context) &&
	    audit_append(store, line->text, &why) < 0 && !is_out_of_reach(telling->context, &why))
		snprintf(run->notice, sizeof run->notice, "%s", why.text);
}

/* To the log and to the caller's descriptor. */
static void
tell(const struct telling *telling, struct str *line)
{
	struct cordon_run *run = telling->run;
	int fd = telling->command->status_fd;

	keep(telling, line);
	str_add(line, "\n");
	if (fd >= 0 && (line->failed || fd_write_line(fd, line->text, line->length) < 0))
		snprintf(run->notice, sizeof run->notice, "cannot write to the status descriptor");
}

#define REFUSALS_KEPT 3
#define CHANGES_KEPT 5

/* How many lines text has; -1: line is one of them. */
static int
count_lines(const char *text, const char *line)
{
	size_t length = strlen(line);
	int count = 0;

	for (; *text != '\0'; count++) {
		size_t end = strcspn(text, "\n");

		if (end == length && strncmp(text, line, length) == 0)
			return -1;
		text += end + (text[end] == '\n');
	}
	return count;
}

/*
 * One more line for the end of the run, if it is a new one and there is room; names in it are a command's
 * choice.
 */
static void
keep_line(char *to, size_t size, const char *line, int max)
{
	auto_str struct str shown = {0};
	size_t used = strlen(to);
	int count;

	str_visible(&shown, line);
	count = shown.failed ? -1 : count_lines(to, shown.text);
	if (count < 0 || count >= max || shown.length + 1 >= size - used)
		return;
	if (used > 0)
		to[used++] = '\n';
	memcpy(to + used, shown.text, shown.length + 1);
}

/* One line about the network is enough, and has a place whatever else was refused: true if it is new. */
static bool
make_room(char *lines)
{
	const char *at = lines;
	size_t length = 0;

	for (int i = 0; *at != '\0'; i++) {
		if (str_starts(at, REFUSAL_NETWORK ": "))
			return false;
		at += strcspn(at, "\n");
		if (i < REFUSALS_KEPT - 1)
			length = (size_t)(at - lines);
		at += *at == '\n';
	}
	lines[length] = '\0';
	return true;
}

/* A reason is the rest of a sentence about the subject, or one of its own. */
static bool
goes_on(const char *reason)
{
	static const char *const verbs[] = {"is ", "was ", "has ", "leads ", "cannot ", "asked "};

	for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++)
		if (strncmp(reason, verbs[i], strlen(verbs[i])) == 0)
			return true;
	return false;
}

/* What stands at the end of a run that failed: the first few, each a line. */
static void
keep_refusal(const struct refusal *refusal, struct cordon_run *to)
{
	bool has_option = refusal->allow[0] == '-';
	bool is_network = strcmp(refusal->what, REFUSAL_NETWORK) == 0;
	auto_str struct str line = {0};

	to->refused++;
	/* a server that left its caller's session, whose exit status nobody sees */
	if (is_network && refusal->session != 0 && refusal->session == refusal->group &&
	    refusal->session != getsid(0))
		to->refused_daemon = 1;
	str_printf(&line, "%s%s %s%s %s%s%s", refusal->what,
		   str_starts(refusal->reason, "asked ") ? ":" : "", refusal->subject,
		   goes_on(refusal->reason) ? "" : ":", refusal->reason,
		   has_option ? "; allow it with " : "", has_option ? refusal->allow : "");
	if (!line.failed && (!is_network || make_room(to->refusals)))
		keep_line(to->refusals, sizeof to->refusals, line.text, REFUSALS_KEPT);
}

static const char *
find_profile(const struct plan *plan, const struct refusal *refusal)
{
	for (int i = 0; i < RIGHT_KINDS; i++)
		if (strcmp(refusal->what, right_names[i]) == 0)
			return remedy_profile(plan, refusal->subject, 1u << i);
	return NULL;
}

/* No word of the user's. */
static bool
is_by_profile(const struct refusal *refusal)
{
	return strcmp(refusal->reason, REFUSAL_NOT_GRANTED) == 0 ||
	       str_starts(refusal->reason, "is denied by profile ");
}

/*
 * Where no rule speaks about a path, or a profile's: what is known of the place, or the profile that is made for it, which
 * grants all that its tool needs; else the option for the path alone stays.
 */
static void
improve(const struct plan *plan, struct refusal *to)
{
	const struct hint *hint;
	const char *profile;

	if (plan == NULL || !is_by_profile(to))
		return;
	profile = find_profile(plan, to);
	hint = profile != NULL ? NULL : hint_find(plan, to->subject);
	if (profile != NULL)
		snprintf(to->allow, sizeof to->allow, "-p %s", profile);
	else if (hint != NULL) {
		snprintf(to->reason, sizeof to->reason, REFUSAL_NOT_GRANTED ": %s", hint->why);
		snprintf(to->allow, sizeof to->allow, "%s", hint->allow == NULL ? "" : hint->allow);
	}
}

/* As many as the command likes. Should nobody read them we must still hear signals. */
static void
tell_refusal(void *sink, const struct refusal *refusal)
{
	const struct telling *telling = sink;
	int fd = telling->command->status_fd;
	struct refusal told = *refusal;
	auto_str struct str line = {0};

	improve(telling->context->plan, &told);
	print_head(telling, "refused", &line);
	refusal_print(&told, &line);
	str_add(&line, "}");
	if (told.is_nobodys) {
		keep(telling, &line);
		return;
	}
	if (fd < 0 || fd_has_room(fd)) {
		tell(telling, &line);
	} else {
		keep(telling, &line);
		snprintf(telling->run->notice, sizeof telling->run->notice,
			 "nobody reads the status descriptor; not all refusals were told there");
	}
	keep_refusal(&told, telling->run);
}

static void
keep_change(const struct autorun_change *change, struct cordon_run *to)
{
	auto_str struct str line = {0};

	to->changed++;
	str_printf(&line, "%s %s: %s", change->what, change->path, change->reason);
	if (!line.failed)
		keep_line(to->changes, sizeof to->changes, line.text, CHANGES_KEPT);
}

static void
tell_change(void *sink, const struct autorun_change *change)
{
	const struct telling *telling = sink;
	auto_str struct str line = {0};

	print_head(telling, "changed", &line);
	str_printf(&line, ", \"what\": \"%s\", \"subject\": ", change->what);
	str_json(&line, change->path);
	str_add(&line, ", \"reason\": ");
	str_json(&line, change->reason);
	str_add(&line, "}");
	tell(telling, &line);
	keep_change(change, telling->run);
}

static void
tell_refs(struct telling *telling, struct refs *refs)
{
	const char *missed = new_refs_tell(refs, tell_change, telling);

	if (missed != NULL && *telling->run->notice == '\0')
		snprintf(telling->run->notice, sizeof telling->run->notice, "%s", missed);
	new_refs_forget(refs);
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

/* What two commands must have in common to share a sandbox. */
static int
hash_plan(const struct plan *plan, char ret_hash[TRUST_HASH_SIZE], struct cordon_error *err)
{
	auto_str struct str text = {0};

	digest_print(plan, &text);
	if (text.failed)
		return cordon_no_memory(err);
	trust_hash(text.text, text.length, ret_hash);
	return 0;
}

/* Signals that end this process, or have its caller think so. */
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

/* What both kinds of sessions have in common. */
static int
run_session(const struct cordon_plan *context, struct session_request request,
	    const struct cordon_command *command, struct cordon_run *ret_run,
	    struct cordon_error *err)
{
	struct telling telling = {.context = context, .command = command, .run = ret_run};
	auto_str struct str start = {0}, end = {0};
	struct session_result result = {0};
	struct cordon_error why = {0};
	struct refs refs = {0};
	sigset_t ending, before;
	struct session_place place = {
		.runtime = context->host.runtime_dir,
		.state = is_kept_outside(context) ? NULL : context->store,
		.project = *context->host.project == '\0' ? NULL : context->host.project,
	};
	char hash[TRUST_HASH_SIZE];
	int rc = audit_id(telling.id, err);

	/* only a session with a name is ever joined */
	if (rc == 0 && request.plan != NULL && command->session != NULL) {
		rc = hash_plan(request.plan, hash, err);
		place.policy = hash;
	}
	if (rc < 0)
		return rc;
	request.id = telling.id;
	request.argv = command->argv;
	request.environ = context->host.environ;
	request.login = command->login;
	request.pty = command->pty;
	request.leave = command->leave;
	request.fingerprint = command->fingerprint;
	request.grace_ms = command->grace_ms;
	request.name = command->session;
	request.place = &place;
	request.proxy_main = proxy_function();
	request.refused = tell_refusal;
	request.changed = tell_change;
	request.sink = &telling;
	print_start(&telling, &start);
	tell(&telling, &start);
	if (request.plan != NULL)
		new_refs_note(&refs, request.plan);
	rc = session_run(&request, &result, &why);
	ret_run->changed += (int)result.changed;
	/* looking at refs takes a while: whatever ends us waits until the end was told */
	pthread_sigmask(SIG_BLOCK, ending_signals(&ending), &before);
	tell_refs(&telling, &refs);
	print_end(&telling, &result, rc < 0 ? &why : NULL, &end);
	tell(&telling, &end);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	session_close(&result);
	if (result.unrecorded.code != 0 && *ret_run->notice == '\0' &&
	    !is_out_of_reach(context, &result.unrecorded))
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
	struct session_request request = {0};
	struct made_dirs made = {0};
	int rc;

	*ret_run = (struct cordon_run){0};
	if (context == NULL || context->plan == NULL)
		return cordon_fail(err, CORDON_E_USAGE, 0, "there is no plan to run it by");
	if (context->assumed)
		return cordon_fail(err, CORDON_E_USAGE, 0,
				   "a plan made from assumed facts cannot be run");
	request.plan = context->plan;
	request.made = &made;
	request.limits = context->plan->settings.limits;
	rc = run_session(context, request, command, ret_run, err);
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
	if (setup->restricts || setup->text_count > 0)
		return cordon_fail(
			err, CORDON_E_USAGE, 0,
			"tracking restricts nothing: of policies and options only limits go with it");
	rc = context_folders(setup, &context, err);
	return rc < 0 ? rc : run_session(context, request, command, ret_run, err);
}
