// SPDX-License-Identifier: MIT
/*
 * session_run(): prepares a session, starts its guard or joins a shared session, waits, and
 * restores the signal state of this process.
 */
#include "base/os_process.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "session/inside/spawner.h"
#include "session/prepare/assets.h"
#include "session/shared/shared_session.h"
#include "session/supervisor/supervise.h"

struct running {
	struct arena arena;
	struct supervision watch;
	struct terminal_note terminal;
	struct assets assets;
	struct command_line command;
	sigset_t old_mask;
	struct sigaction old_children; /* original action of SIGCHLD */
	int was_subreaper;	       /* -1: not changed */
	int claim;		       /* os_process_lock; -1: none */
	bool is_started;
};

/*
 * Is the signal forwarded to the command? All are, except those that cannot be caught, that a fault
 * of the process itself causes, or that the supervisor handles.
 */
static bool
is_for_command(int signal)
{
	static const int others[] = {SIGKILL, SIGSTOP, SIGSEGV, SIGBUS, SIGFPE,
				     SIGILL,  SIGTRAP, SIGABRT, SIGSYS, SIGPIPE};

	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		if (others[i] == signal)
			return false;
	return true;
}

static bool
is_ignored(int signal)
{
	struct sigaction action;

	return sigaction(signal, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

/* While SIGCHLD is ignored, waitpid() cannot return a child's status. */
static void
mind_children(struct running *run)
{
	struct sigaction normal = {.sa_handler = SIG_DFL};

	sigaction(SIGCHLD, NULL, &run->old_children);
	if (run->old_children.sa_handler == SIG_IGN || run->old_children.sa_flags & SA_NOCLDWAIT)
		sigaction(SIGCHLD, &normal, NULL);
}

/*
 * Signals are blocked and read from an fd. Ignored ones (nohup) are left out, because a blocked
 * signal is queued even if it is ignored.
 */
static int
catch_signals(struct running *run, struct cordon_error *err)
{
	sigset_t set, blocked;

	sigemptyset(&set);
	mind_children(run);
	for (int signal = 1; signal < NSIG; signal++)
		if (is_for_command(signal) && !is_ignored(signal))
			sigaddset(&set, signal);
	blocked = set;
	/* the reader of a pipe may close it during the relay */
	sigaddset(&blocked, SIGPIPE);
	if (sigprocmask(SIG_BLOCK, &blocked, &run->old_mask) == 0)
		run->watch.signals = os_signal_fd(&set);
	if (run->watch.signals < 0)
		return cordon_fail(err, CORDON_E_SYSTEM, errno, "cannot receive signals");
	return 0;
}

static void
restore_signals(struct running *run)
{
	sigset_t pipe;

	/* do not deliver a SIGPIPE that the relay caused */
	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	if (!sigismember(&run->old_mask, SIGPIPE))
		os_signal_drop(&pipe);
	sigaction(SIGCHLD, &run->old_children, NULL);
	sigprocmask(SIG_SETMASK, &run->old_mask, NULL);
	if (run->watch.signals >= 0)
		close(run->watch.signals);
}

/* With nohup or --leave, the end of the invoker does not end the session. */
static int
watch_caller(const struct session_request *request)
{
	pid_t parent = getppid();
	int fd;

	if (request->leave || is_ignored(SIGHUP) || parent <= 1)
		return -1;
	fd = os_process_fd(parent);
	if (fd >= 0 && getppid() != parent) {
		close(fd);
		return -1;
	}
	return fd;
}

/* An fd that cordon opens must not become 0, 1 or 2. */
static int
check_standard(struct cordon_error *err)
{
	for (int fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			return cordon_fail(err, CORDON_E_USAGE, 0,
					   "descriptor %d is closed; open /dev/null on it", fd);
	return 0;
}

static int
check_request(const struct session_request *request, struct cordon_error *err)
{
	if (request->track_only != (request->plan == NULL))
		return cordon_fail(err, CORDON_E_USAGE, 0,
				   "there is no plan to run the command with");
	if (request->name != NULL && (request->track_only || request->origin == NULL))
		return cordon_fail(err, CORDON_E_USAGE, 0,
				   "a named session shares a sandbox, and this run has none");
	if (request->fingerprint && (!request->track_only || enforce_system() != SYSTEM_MACOS))
		return cordon_fail(err, CORDON_E_USAGE, 0,
				   "--fingerprint is only for --track-only on macOS");
	if (request->leave && request->pty)
		return cordon_fail(err, CORDON_E_USAGE, 0,
				   "--leave and --pty: the terminal would not stay");
	if (request->leave && request->limits[LIMIT_OUTPUT].value != 0)
		return cordon_fail(err, CORDON_E_USAGE, 0,
				   "--leave and --output: no process would be left to count");
	return check_standard(err);
}

/* On macOS a profile that restricts nothing identifies the processes of the session. */
static int
prepare_tracked(struct running *run, const struct session_request *request,
		struct cordon_error *err)
{
	struct sandbox_options options = {.id = request->id,
					  .state_dir = request->origin->state,
					  .editor_uuid = request->ids.fingerprint};
	int rc = command_prepare(&run->arena, request, &(struct command_context){0}, &run->command,
				 err);

	return rc < 0 || !request->fingerprint
		       ? rc
		       : enforce_compile(NULL, &options, &run->assets.box, err);
}

static int
prepare_box(struct running *run, const struct session_request *request, struct cordon_error *err)
{
	struct assets *assets = &run->assets;
	struct command_context context = {0};
	int rc = assets_start_services(assets, &run->arena, request, err);

	context.private_tmp = assets->tmp;
	context.proxy = assets->proxy.pid > 0 ? &assets->proxy : NULL;
	/* before directories are created: a command that cannot be run leaves none */
	if (rc == 0)
		rc = command_prepare(&run->arena, request, &context, &run->command, err);
	return rc < 0 ? rc
		      : assets_make_sandbox(
				assets, request,
				(struct sandbox_options){.changed = assets->event_source.changed},
				err);
}

/* Joins a shared session, or starts it first. */
static int
prepare_join(struct running *run, const struct session_request *request, struct cordon_error *err)
{
	struct joined_session named = {0};
	struct proxy_process proxy = {0};
	struct command_context context = {0};
	int rc = shared_session_enter(&run->arena, request, &run->watch.guard.line, &named, err);

	run->watch.joins = true;
	context.private_tmp = named.tmp;
	context.proxy = proxy_spawn_read(named.proxy, &proxy) ? &proxy : NULL;
	if (rc == 0)
		rc = events_open(request, &run->assets.event_source, err);
	return rc < 0 ? rc : command_prepare(&run->arena, request, &context, &run->command, err);
}

static int
prepare(struct running *run, const struct session_request *request, struct cordon_error *err)
{
	if (request->name != NULL)
		return prepare_join(run, request, err);
	return request->track_only ? prepare_tracked(run, request, err)
				   : prepare_box(run, request, err);
}

/* Only a relay can count output to a terminal, so an output limit needs one. */
static int
prepare_relay(struct running *run, const struct session_request *request, struct cordon_error *err)
{
	bool counts = request->limits[LIMIT_OUTPUT].value != 0;
	struct relay *relay;
	int rc;

	/* a command in a shared session reaches no terminal of the invoker except through 0-2 */
	if (!request->pty && (!counts || (run->watch.joins && !pty_relay_terminal_is_standard())))
		return 0;
	relay = arena_alloc(&run->arena, sizeof *relay, err);
	if (relay == NULL)
		return -CORDON_E_MEMORY;
	rc = request->pty ? pty_relay_open(relay, err) : pty_relay_open_counting(relay, err);
	if (rc > 0 || (rc == 0 && request->pty))
		run->watch.relay = relay;
	return rc < 0 ? rc : 0;
}

static int
prepare_streams(struct running *run, const struct session_request *request,
		struct cordon_error *err)
{
	uint64_t limit = request->limits[LIMIT_OUTPUT].value;
	int rc = prepare_relay(run, request, err);

	if (rc == 0 && limit != 0) {
		struct output *output = arena_alloc(&run->arena, sizeof *output, err);

		rc = output == NULL ? -CORDON_E_MEMORY
				    : output_open(limit, run->watch.relay, output, err);
		run->watch.output = rc < 0 ? NULL : output;
	}
	return rc;
}

static bool
may_leave_some(const struct plan *plan)
{
	return plan != NULL && plan->guarantees[G_PROCESS_TREE].status == GUARANTEE_ACCEPTED;
}

/* Becomes a subreaper. Existing children are not of the session and are noted. */
static int
become_subreaper(struct running *run, const struct plan *plan, struct cordon_error *err)
{
	/* fast path: the plan knows that children can be listed, and there are none */
	bool is_known = plan != NULL && plan->facts.values[FACT_TREE] && os_has_no_child();

	if (!is_known && process_tree_note_children(&run->watch.spare) < 0 && !may_leave_some(plan))
		return run->watch.spare.count > 0
			       ? cordon_fail(err, CORDON_E_GAP, 0,
					     "process.tree cannot be enforced: the calling process "
					     "has more than %zu children already",
					     run->watch.spare.count)
			       : cordon_fail(err, CORDON_E_GAP, errno,
					     "process.tree cannot be enforced: /proc does not list "
					     "children");
	run->watch.spare.is_lone = process_tree_is_lone();
	run->was_subreaper = process_tree_inherit(true);
	if (run->was_subreaper < 0)
		return cordon_fail(err, CORDON_E_SYSTEM, errno, "cannot become a subreaper");
	return 0;
}

static uint64_t
ignored_signals(const struct running *run)
{
	uint64_t bits = 0;

	for (int signal = 1; signal < NSIG && signal <= 64; signal++)
		if (signal == SIGCHLD ? run->old_children.sa_handler == SIG_IGN
				      : is_ignored(signal))
			bits |= 1ull << (signal - 1);
	return bits;
}

static uint64_t
blocked_signals(const struct running *run)
{
	uint64_t bits = 0;

	for (int signal = 1; signal < NSIG && signal <= 64; signal++)
		if (sigismember(&run->old_mask, signal) == 1)
			bits |= 1ull << (signal - 1);
	return bits;
}

static void
hand_over(struct running *run, struct child *to)
{
	if (run->watch.output != NULL)
		memcpy(to->output, run->watch.output->theirs, sizeof to->output);
	if (run->watch.relay != NULL) {
		to->terminal = run->watch.relay->slave;
		to->terminal_is_all = run->watch.relay->replaces_all;
		to->in_front = pty_relay_enter(run->watch.relay);
	} else {
		pty_relay_terminal_note(&run->terminal);
	}
}

static int
start_joining(struct running *run, const struct session_request *request, struct cordon_error *err)
{
	const mode_t mask = umask(0);
	struct spawner_start how = {
		.magic = SPAWNER_MAGIC,
		.terminal = run->watch.relay != NULL,
		.mask = mask,
		.ignored = ignored_signals(run),
		.blocked = blocked_signals(run),
		.grace_ms = request->grace_ms,
	};
	auto_fd int folder =
		record_folder(request->origin->runtime, request->origin->state, false, NULL, err);
	struct spawner_caller caller = {run->watch.guard.line,
					folder,
					{0, 1, 2},
					run->assets.event_source.theirs};

	umask(mask);
	if (folder < 0)
		return folder;
	for (int i = 0; run->watch.relay != NULL && i < 3; i++)
		if (request->pty || pty_relay_replaces(run->watch.relay, i))
			caller.standard[i] = run->watch.relay->slave;
	for (int i = 0; run->watch.output != NULL && i < 2; i++)
		if (run->watch.output->theirs[i] >= 0)
			caller.standard[i + 1] = run->watch.output->theirs[i];
	if (run->watch.relay != NULL)
		pty_relay_enter(run->watch.relay);
	return spawner_client_start(&caller, &how, &run->command, err);
}

static int
start_guarded(struct running *run, const struct session_request *request, struct cordon_error *err)
{
	struct guard_task task = {
		.child = {.box = run->assets.box,
			  .track_only = request->track_only,
			  .fingerprint = request->fingerprint,
			  .command = &run->command,
			  .limits = run->assets.limits,
			  .mask = run->old_mask,
			  .free_connect = !request->track_only &&
					  stdio_check_connect_is_free(request->plan),
			  .ignore_children = run->old_children.sa_handler == SIG_IGN,
			  .output = {-1, -1},
			  .terminal = -1},
		.group = run->assets.group,
		.private_tmp = run->assets.tmp,
		.record = &run->assets.record,
		.invoker = run->watch.caller >= 0 ? getppid() : 0,
		.leave = request->leave,
		.time_ms = (int64_t)request->limits[LIMIT_TIME].value * 1000,
		.grace_ms = request->grace_ms,
		.spawner = -1,
	};
	int rc;

	hand_over(run, &task.child);
	rc = guard_start(&task, &run->watch.guard, err);
	if (rc == 0)
		assets_note_guard(&run->assets, run->watch.guard.pid);
	return rc;
}

static int
start(struct running *run, const struct session_request *request, struct cordon_error *err)
{
	int rc;

	run->watch.started = clock_ms();
	rc = run->watch.joins ? start_joining(run, request, err) : start_guarded(run, request, err);
	if (run->watch.output != NULL)
		output_handed_over(run->watch.output);
	if (run->watch.relay != NULL)
		pty_relay_handed_over(run->watch.relay);
	events_handed_over(&run->assets.event_source);
	/* do not free it yet: memory is shared with the guard, and a write would copy the pages */
	if (run->assets.box != NULL)
		enforce_close_parent_fds(run->assets.box);
	return rc;
}

static void
clean_up(struct running *run, bool ended)
{
	const struct session_request *request = run->watch.request;
	struct assets *assets = &run->assets;

	enforce_free(assets->box);
	events_drain(&assets->event_source, request);
	events_close(&assets->event_source);
	proxy_spawn_end(&assets->proxy, run->is_started && !ended && request->leave);
	if (run->watch.relay != NULL)
		pty_relay_close(run->watch.relay);
	if (run->watch.output != NULL)
		output_close(run->watch.output);
	if (run->watch.caller >= 0)
		close(run->watch.caller);
	/* normally the guard removes it; this is a second attempt */
	if (assets->tmp != NULL && (ended || run->watch.guard_state == GUARD_LOST))
		private_tmp_remove(assets->tmp);
	assets_release(assets, run->watch.guard.pid != 0 && run->watch.guard_state != GUARD_LOST);
	if (!run->is_started && run->watch.guard.line >= 0)
		close(run->watch.guard.line);
	if (run->was_subreaper == 0)
		process_tree_inherit(false);
	session_unclaim(run->claim);
	arena_free(&run->arena);
}

int
session_run(const struct session_request *request, struct session_result *ret_result,
	    struct cordon_error *err)
{
	struct running run = {
		.watch = {.request = request, .guard = {.line = -1}, .signals = -1, .caller = -1},
		.terminal = {.fd = -1},
		.was_subreaper = -1,
		.claim = -1,
	};
	int rc = check_request(request, err);

	assets_none(&run.assets);
	run.watch.event_source = &run.assets.event_source;
	run.watch.group = &run.assets.group;

	if (rc == 0)
		rc = session_claim(&run.claim, err);
	if (rc == 0)
		rc = prepare(&run, request, err);
	if (rc == 0)
		rc = prepare_streams(&run, request, err);
	if (rc == 0 && !run.watch.joins)
		rc = assets_share_limits(&run.assets, request, err);
	if (rc == 0 && !run.watch.joins)
		rc = become_subreaper(&run, request->plan, err);
	/* a session runs even if it cannot be recorded */
	if (rc == 0 && !run.watch.joins)
		record_new(&run.arena, request, &run.assets, NULL, &ret_result->unrecorded);
	if (rc == 0) {
		run.watch.caller = watch_caller(request);
		rc = catch_signals(&run, err);
		if (rc == 0)
			rc = start(&run, request, err);
		run.is_started = rc == 0;
		if (run.is_started)
			rc = supervise(&run.watch, ret_result, err);
		/* a shell does that if its child dies of a signal, but cordon exits normally */
		if (run.is_started && rc == 0 && ret_result->is_signal)
			pty_relay_terminal_restore(&run.terminal);
		restore_signals(&run);
		ret_result->changed = events_changes(&run.assets.event_source, request);
		ret_result->has_objects = run.assets.event_source.changed == NULL ||
					  run.assets.event_source.changed->has_objects;
	}
	clean_up(&run, rc == 0 && !ret_result->left);
	ret_result->ending = run.watch.guard_state == GUARD_ENDING ? run.watch.guard.pid : 0;
	return rc;
}

void
session_close(const struct session_result *result)
{
	while (result->ending > 0 && waitpid(result->ending, NULL, 0) < 0 && errno == EINTR)
		;
}
