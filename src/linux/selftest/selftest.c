// SPDX-License-Identifier: MIT
/*
 * Tests guarantees on this kernel. A child does an operation that works, enters a small sandbox, must then
 * fail at it, and must still succeed at another one. One table row per guarantee.
 */
#include "base/os.h"

#include "enforce/enforce.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "enforce/session_group.h"
#include "linux/landlock/ruleset.h"
#include "linux/sandbox.h"
#include "linux/selftest/cases.h"
#include "linux/selftest/fixture_sandbox.h"
#include "linux/selftest/selftest_limits.h"
#include "linux/selftest/selftest_tree.h"

/* ---- the table ---- */

enum trial_flags {
	TRIAL_LANDLOCK = 1,	 /* only Landlock enforces it on Linux */
	TRIAL_FREE_MAY_FAIL = 2, /* newer kernels refuse it without a sandbox, too */
	TRIAL_TOLD = 4,		 /* refused by the filter or by a broker: try both */
};

static const struct selftest {
	enum guarantee guarantee;
	case_fn *refused, *works;
	unsigned flags;
	const char *what;
} trials[] = {
	{G_FILES_READ, case_read_denied, case_read_granted, TRIAL_LANDLOCK,
	 "reading a file that was not granted"},
	{G_FILES_WRITE, case_write_denied, case_write_granted, TRIAL_LANDLOCK,
	 "making a file that was not granted"},
	{G_FILES_CARVEOUT, case_read_hidden, case_read_kept, 0,
	 "reading a denied file in a granted folder"},
	{G_FILES_FUTURE, case_make_later, case_make_kept, 0,
	 "making a protected file that did not exist"},
	{G_FILES_PATTERN, case_read_hidden, case_read_kept, 0,
	 "reading a file that a pattern denies"},
	{G_FILES_METADATA, case_chmod_denied, case_chmod_kept, 0,
	 "the mode of a file that was not granted"},
	{G_FILES_EXECUTE, case_execute_denied, case_execute_granted, TRIAL_LANDLOCK,
	 "starting a program that was not granted"},
	{G_NET_TCP, case_connect_tcp, case_talk_to_self, TRIAL_TOLD,
	 "a TCP connection without network"},
	{G_NET_UDP, case_send_udp, case_talk_to_self, TRIAL_TOLD, "a UDP packet without network"},
	{G_SOCKETS_PATH, case_connect_denied, case_connect_granted, 0,
	 "a unix socket that was not named"},
	{G_SOCKETS_ABSTRACT, case_connect_abstract, case_connect_created, 0,
	 "an abstract unix socket of another process"},
	{G_PROCESS_SIGNAL, case_signal_bystander, case_signal_created, TRIAL_LANDLOCK,
	 "a signal to another process"},
	{G_PROCESS_PTRACE, case_trace_bystander, case_trace_created, TRIAL_LANDLOCK,
	 "tracing another process"},
	{G_PROCESS_CONTROL, case_control_bystander, case_control_created, 0,
	 "the priority of another process"},
	{G_PROCESS_LISTING, case_list_processes, case_read_granted, TRIAL_LANDLOCK,
	 "the list of processes"},
	{G_IPC_SYSV, case_find_memory, case_make_memory, 0, "shared memory of another process"},
	{G_TERMINAL_INJECT, case_type_into_terminal, case_ask_terminal, TRIAL_FREE_MAY_FAIL,
	 "typing into the terminal"},
	{G_KERNEL_SURFACE, case_make_queue, case_signal_created, 0,
	 "a call that programs do not need"},
	{G_ENV_FILTER, case_see_variable, case_execute_granted, 0, "a variable that was not named"},
	{G_FDS_CLOSED, case_use_leaked, case_execute_granted, 0, "an open file of the caller"},
};

/* ---- one test ---- */

/* Errnos reported by the child. */
struct selftest_seen {
	int free, confined, works;
	struct cordon_error err; /* the sandbox could not be entered */
};
_Static_assert(sizeof(struct selftest_seen) == 12 + sizeof(struct cordon_error), "no padding");

struct selftest_visit {
	const struct selftest *trial;
	struct fixture *fixture;
	struct fixture_sandbox *sandbox;
	int to; /* fd for the report */
};

/*
 * The operation that must succeed. Below ABI 6 the session's abstract socket names look like others, so
 * all are denied; likewise inside another cordon, and every socket name without a broker.
 */
static case_fn *
still_works(const struct selftest_visit *visit)
{
	const struct plan *plan = &visit->sandbox->plan;

	/* from Yama's scope 2 on only a process with CAP_SYS_PTRACE may trace its children */
	if (visit->trial->guarantee == G_PROCESS_PTRACE && plan->facts.values[FACT_YAMA] >= 2)
		return case_signal_created;
	/* a broker that refuses must also answer */
	if ((visit->trial->flags & TRIAL_TOLD) && plan->routing != ROUTE_NOTHING)
		return case_make_kept;
	return plan->closes_sockets ||
			       (visit->trial->guarantee == G_SOCKETS_ABSTRACT &&
				(plan->routes_sockets || plan->facts.values[FACT_OUTER_CORDON]))
		       ? case_talk_to_self
		       : visit->trial->works;
}

static void
try_in_child(const void *argument)
{
	const struct selftest_visit *visit = argument;
	const struct selftest *trial = visit->trial;
	struct fixture *fixture = visit->fixture;
	struct selftest_seen seen = {0};

	alarm(FIXTURE_SECONDS);
	if (!fixture_sandbox_is_routed(visit->sandbox))
		seen.free = fixture_start_bystander(fixture);
	if (seen.free == 0)
		seen.free = trial->refused(fixture);
	fixture->confined = true;
	if (enforce_apply(visit->sandbox->built, &seen.err) == 0) {
		seen.confined = trial->refused(fixture);
		seen.works = still_works(visit)(fixture);
	}
	if (!fixture_sandbox_is_routed(visit->sandbox))
		fixture_end_bystander(fixture);
	_exit(write(visit->to, &seen, sizeof seen) != (ssize_t)sizeof seen);
}

/*
 * Runs in a child that acts as guard and broker. The bystander is started here: a child of the confined
 * process would be under the outer layer.
 */
static void __attribute__((noreturn)) try_with_broker(const struct selftest_visit *visit)
{
	const struct enforce_main main = {try_in_child, visit, true, NULL};
	const struct session_group none = {.folder = -1, .procs_fd = -1, .keeper_pipe = -1};
	struct enforce_needs needs;
	pid_t pid;
	int status;

	alarm(FIXTURE_SECONDS);
	if (fixture_start_bystander(visit->fixture) != 0)
		_exit(1);
	pid = enforce_start(visit->sandbox->built, &none, &main);
	close(visit->to);
	needs = enforce_fds(visit->sandbox->built);
	/* request the opener now: no thread reads signals here */
	visit->sandbox->built->broker.opener.state = OPENER_WANTED;
	enforce_service(visit->sandbox->built);
	enforce_serve(visit->sandbox->built, &needs);
	while (pid > 0 && waitpid(pid, &status, __WALL) < 0 && errno == EINTR)
		;
	fixture_end_bystander(visit->fixture);
	_exit(pid < 0);
}

static int
try_one(const struct selftest *trial, struct fixture *fixture, struct fixture_sandbox *sandbox,
	struct selftest_seen *ret_seen, struct cordon_error *err)
{
	struct selftest_visit visit = {trial, fixture, sandbox, -1};
	int ends[2], status = 0;
	ssize_t length;
	pid_t child;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return cordon_fail(err, CORDON_E_SYSTEM, errno, "cannot try %s", trial->what);
	visit.to = ends[1];
	child = fork();
	if (child == 0 && fixture_sandbox_is_routed(sandbox))
		try_with_broker(&visit);
	else if (child == 0)
		try_in_child(&visit);
	close(ends[1]);
	length = child < 0 ? -1 : read(ends[0], ret_seen, sizeof *ret_seen);
	close(ends[0]);
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (length != (ssize_t)sizeof *ret_seen)
		return cordon_fail(err, CORDON_E_SYSTEM, 0, "%s: the child ended by signal %d",
				   trial->what, WIFSIGNALED(status) ? WTERMSIG(status) : 0);
	if (ret_seen->err.code != 0) {
		*err = ret_seen->err;
		return -ret_seen->err.code;
	}
	return 0;
}

static int
judge(const struct selftest *trial, const struct selftest_seen *seen, struct proof *ret_proof,
      struct cordon_error *err)
{
	bool free_may_fail = (trial->flags & TRIAL_FREE_MAY_FAIL) != 0;
	struct proof proof = {.guarantee = trial->guarantee,
			      .denied = seen->confined != 0,
			      .allowed = seen->works == 0};

	if (seen->free != 0 && !free_may_fail)
		return cordon_fail(err, CORDON_E_GAP, seen->free,
				   "cannot be tested: %s fails even without a sandbox",
				   trial->what);
	snprintf(proof.detail, sizeof proof.detail, "%s %s%s%s", trial->what,
		 proof.denied ? "was refused" : "WORKED",
		 seen->free != 0 ? " (this kernel refuses it to every process)" : "",
		 proof.allowed ? "" : "; BUT an operation that must work failed");
	*ret_proof = proof;
	return 0;
}

static const struct selftest *
find_trial(enum guarantee guarantee)
{
	for (size_t i = 0; i < sizeof trials / sizeof trials[0]; i++)
		if (trials[i].guarantee == guarantee)
			return &trials[i];
	return NULL;
}

static int
try_in_sandbox(const struct selftest *trial, const struct fixture_sandbox_wish *wish,
	       struct fixture *fixture, struct selftest_seen *ret_seen, struct cordon_error *err)
{
	struct fixture_sandbox sandbox = {.built = NULL};
	int rc = fixture_sandbox_make(&sandbox, fixture, wish, err);

	if (rc == 0)
		rc = try_one(trial, fixture, &sandbox, ret_seen, err);
	fixture_sandbox_clear(&sandbox);
	return rc;
}

/* A sandbox that cannot be made or entered enforces nothing: that is a result, too. */
static int
try_and_judge(const struct selftest *trial, const struct facts *facts, struct fixture *fixture,
	      struct proof *ret_proof, struct cordon_error *err)
{
	struct fixture_sandbox_wish wish = {.facts = facts, .guarantee = trial->guarantee};
	struct cordon_error why = {0};
	struct selftest_seen seen, other;
	int rc = try_in_sandbox(trial, &wish, fixture, &seen, &why);

	/* a process with a broker is under a layer from the start: only the first attempt was free */
	wish.has_broker = true;
	if (rc == 0 && (trial->flags & TRIAL_TOLD) && fixture_sandbox_can_tell(facts)) {
		rc = try_in_sandbox(trial, &wish, fixture, &other, &why);
		seen.confined = seen.confined == 0 ? 0 : other.confined;
		seen.works = seen.works != 0 ? seen.works : other.works;
	}
	if (rc == 0)
		return judge(trial, &seen, ret_proof, err);
	*ret_proof = (struct proof){.guarantee = trial->guarantee};
	snprintf(ret_proof->detail, sizeof ret_proof->detail, "%.150s", why.text);
	return 0;
}

static int
prove_in_box(enum guarantee guarantee, struct proof *ret_proof, struct cordon_error *err)
{
	const struct selftest *trial = find_trial(guarantee);
	struct fixture fixture;
	struct facts facts;
	const char *why;
	int rc;

	if (trial == NULL)
		return cordon_fail(err, CORDON_E_GAP, 0, "it has no test of its own");
	if ((trial->flags & TRIAL_LANDLOCK) && landlock_version(&why) == 0)
		return cordon_fail(err, CORDON_E_GAP, 0, "%s", why);
	rc = enforce_probe(&facts, err);
	if (rc < 0)
		return rc;
	if (!fixture_sandbox_can_be(&facts, guarantee))
		return cordon_fail(err, CORDON_E_GAP, 0, "only another cordon could test it here");
	rc = fixture_make(&fixture, guarantee, err);
	if (rc == 0)
		rc = try_and_judge(trial, &facts, &fixture, ret_proof, err);
	fixture_clear(&fixture);
	return rc;
}

int
enforce_prove(enum guarantee guarantee, struct proof *ret_proof, struct cordon_error *err)
{
	struct sigaction normal = {.sa_handler = SIG_DFL}, old;
	int rc;

	/* a caller that ignores SIGCHLD could not wait for the child */
	sigaction(SIGCHLD, &normal, &old);
	if (guarantee == G_PROCESS_TREE)
		rc = selftest_tree(ret_proof, err);
	else if (selftest_limits_knows(guarantee))
		rc = selftest_limits(guarantee, ret_proof, err);
	else
		rc = prove_in_box(guarantee, ret_proof, err);
	sigaction(SIGCHLD, &old, NULL);
	return rc;
}
