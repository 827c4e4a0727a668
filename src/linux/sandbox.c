// SPDX-License-Identifier: MIT
/*
 * The sandbox on Linux: Landlock rulesets, seccomp filter, and the order in which a child enters them. No
 * decision is made here: a plan with gaps was refused before, so a missing part was accepted by name.
 */
#include "enforce/enforce.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "git/protect/git_repo_cache.h"
#include "linux/broker/nest.h"
#include "linux/landlock/brokered_trees.h"
#include "linux/landlock/rules.h"
#include "linux/process/privileges.h"
#include "linux/sandbox.h"
#include "linux/seccomp/filter.h"

static int
refuse_gaps(const struct plan *plan, struct cordon_error *err)
{
	int gap = 0, more = plan_gaps(plan) - 1;
	const struct guarantee_state *promise;
	char others[32] = "";

	while (plan->guarantees[gap].status != GUARANTEE_GAP)
		gap++;
	promise = &plan->guarantees[gap];
	if (more > 0)
		snprintf(others, sizeof others, " (and %d more)", more);
	return cordon_fail(err, CORDON_E_GAP, 0,
			   "%s cannot be enforced here: %.90s%s%.70s; or --accept %s%s",
			   guarantee_names[gap],
			   promise->how == NULL ? "no mechanism enforces it" : promise->how,
			   promise->remedy == NULL ? "" : "; ",
			   promise->remedy == NULL ? "" : promise->remedy, guarantee_names[gap],
			   others);
}

/* Between none and all, addresses decide; without a broker that gap was accepted. */
static enum filter_network
network_of(const struct plan *plan)
{
	if (plan->settings.network.mode == NET_NONE)
		return FILTER_NO_NETWORK;
	/* an outer broker supervises with its own filter */
	if (!plan->routes_network || plan->facts.values[FACT_OUTER_CORDON])
		return FILTER_ALL_NETWORK;
	return plan->has_datagrams ? FILTER_DATAGRAMS : FILTER_BROKERED;
}

static enum filter_names
names_of(const struct plan *plan)
{
	if (plan->closes_sockets)
		return FILTER_NAMES_CLOSED;
	/* an outer broker supervises with its own filter */
	if (plan->facts.values[FACT_OUTER_CORDON])
		return FILTER_NAMES_SEEN;
	if (!plan->facts.values[FACT_PIDFD_GETFD] &&
	    (plan->routes_sockets || plan->routes_network || plan->routing != ROUTE_NOTHING))
		return plan->routes_signals ? FILTER_NAMES_COPIED_AND_SIGNALS : FILTER_NAMES_COPIED;
	if (!plan->routes_sockets)
		return FILTER_NAMES_SEEN;
	return plan->routes_signals ? FILTER_NAMES_AND_SIGNALS : FILTER_NAMES_ROUTED;
}

static enum filter_guard
guard_of(const struct plan *plan)
{
	if (plan->facts.values[FACT_OUTER_CORDON])
		return FILTER_FREE;
	return plan->routing == ROUTE_READS	? FILTER_READS
	       : plan->routing == ROUTE_CHANGES ? FILTER_CHANGES
						: FILTER_FREE;
}

static int
choose_filter(const struct plan *plan, const struct sock_fprog **ret_filter,
	      struct cordon_error *err)
{
	*ret_filter = NULL;
	if (!plan->facts.values[FACT_SECCOMP_FILTER])
		return 0;
	*ret_filter = filter_choose((struct seccomp_filter_kind){
		network_of(plan), names_of(plan), guard_of(plan),
		plan->settings.ipc == IPC_SYSV ? FILTER_SYSTEM_V : FILTER_NO_SYSTEM_V});
	if (*ret_filter == NULL)
		return cordon_fail(err, CORDON_E_GAP, 0,
				   "there is no seccomp filter for this processor");
	return 0;
}

/* One layer: an outer broker does not act under ours. Its filter supervises already, so ours does not. */
static int
make_nested(struct sandbox *sandbox, const struct plan *plan, const struct sandbox_options *options,
	    struct cordon_error *err)
{
	struct ruleset_options layer = {.kind = RULESET_INNER, .private_tmp = options->private_tmp};
	int rc = 0;

	if (plan->routing != ROUTE_NOTHING)
		rc = brokered_trees_find(&sandbox->arena, plan, &sandbox->broker.trees, err);
	layer.trees = &sandbox->broker.trees;
	sandbox->is_nested = true;
	sandbox->broker.plan = plan;
	sandbox->broker.private_tmp = options->private_tmp;
	sandbox->broker.is_asked = true;
	if (options->egress != NULL)
		sandbox->broker.egress = *options->egress;
	return rc < 0 ? rc : ruleset_make(plan, &layer, &sandbox->ruleset, err);
}

/*
 * Two layers: the outer one for broker and command, the inner one for the command alone. If no file call is
 * supervised, and the broker needs no /proc for signals, the outer layer alone is what the plan allows.
 */
static int
make_both_layers(struct sandbox *sandbox, const struct plan *plan,
		 const struct sandbox_options *options, struct cordon_error *err)
{
	bool files = plan->routing != ROUTE_NOTHING || plan->routes_signals;
	struct ruleset_options outer = {.kind = files ? RULESET_OUTER : RULESET_ALONE,
					.private_tmp = options->private_tmp,
					.is_brokers = true,
					.egress = options->egress};
	struct ruleset_options inner = {.kind = files ? RULESET_INNER : RULESET_BARE,
					.private_tmp = options->private_tmp};
	bool wider = plan->routing == ROUTE_READS;
	struct shared_files shared;
	int rc = plan->routing != ROUTE_NOTHING
			 ? brokered_trees_find(&sandbox->arena, plan, &sandbox->broker.trees, err)
			 : 0;

	outer.trees = inner.trees = &sandbox->broker.trees;
	outer.wider = &wider;
	outer.shared = inner.shared = &shared;
	shared.count = 0;
	if (rc == 0)
		rc = ruleset_make(plan, &outer, &sandbox->outer, err);
	if (files && !wider)
		inner.kind = RULESET_CHANGES;
	sandbox->broker.cuts_blindly = plan->facts.values[FACT_LANDLOCK_ABI] < 3 ||
				       inner.kind == RULESET_CHANGES;
	sandbox->kind = inner.kind;
	if (rc == 0)
		rc = ruleset_make(plan, &inner, &sandbox->ruleset, err);
	rules_close_shared(&shared);
	return rc;
}

static int
make_layers(struct sandbox *sandbox, const struct plan *plan, const struct sandbox_options *options,
	    struct cordon_error *err)
{
	struct ruleset_options layer = {.kind = RULESET_ALONE, .private_tmp = options->private_tmp};
	int rc;

	if (plan->facts.values[FACT_OUTER_CORDON] && plan->facts.values[FACT_LANDLOCK_ABI] > 0)
		return make_nested(sandbox, plan, options, err);
	sandbox->is_routed = plan->routing != ROUTE_NOTHING || plan->routes_sockets ||
			     plan->routes_network || plan->traces;
	sandbox->broker.plan = plan;
	if (options->events > 0)
		sandbox->broker.events = options->events;
	if (options->events > 0 && plan->facts.values[FACT_AUDIT] && !plan->traces)
		sandbox->log.fd = audit_log_open();
	if (!sandbox->is_routed)
		return ruleset_make(plan, &layer, &sandbox->ruleset, err);
	rc = make_both_layers(sandbox, plan, options, err);
	if (rc == 0 &&
	    (sandbox->outer < 0 || (sandbox->ruleset < 0 && sandbox->kind != RULESET_BARE) ||
	     sandbox->filter == NULL))
		rc = cordon_fail(err, CORDON_E_GAP, 0,
				 "supervised calls need Landlock and seccomp");
	if (rc == 0 && plan->traces && (sandbox->broker.trace = trace_new(sandbox->filter)) == NULL)
		rc = cordon_no_memory(err);
	if (rc == 0 && plan->traces)
		sandbox->filter = sandbox->broker.trace->filter;
	sandbox->broker.reads = plan->routing == ROUTE_READS;
	sandbox->broker.private_tmp = options->private_tmp;
	sandbox->broker.changed = options->changed;
	if (options->egress != NULL)
		sandbox->broker.egress = *options->egress;
	return rc;
}

static struct sandbox *
sandbox_new(struct cordon_error *err)
{
	struct sandbox *sandbox = calloc(1, sizeof *sandbox);

	if (sandbox == NULL) {
		cordon_no_memory(err);
		return NULL;
	}
	sandbox->ruleset = sandbox->outer = sandbox->line[0] = sandbox->line[1] = -1;
	sandbox->shared_line = sandbox->log.fd = -1;
	broker_begin(&sandbox->broker);
	sem_init(&sandbox->started, 0, 0);
	sem_init(&sandbox->serving, 0, 0);
	return sandbox;
}

int
enforce_compile(const struct plan *plan, const struct sandbox_options *options,
		struct sandbox **ret_sandbox, struct cordon_error *err)
{
	struct sandbox *sandbox;
	int rc;

	if (plan == NULL || plan->facts.system != SYSTEM_LINUX)
		return cordon_fail(err, CORDON_E_GAP, 0, "the plan is for another system");
	if (plan_gaps(plan) > 0)
		return refuse_gaps(plan, err);
	rc = privileges_check(err);
	if (rc < 0)
		return rc;
	sandbox = sandbox_new(err);
	if (sandbox == NULL)
		return -CORDON_E_MEMORY;
	sandbox->abi = plan->facts.values[FACT_LANDLOCK_ABI];
	sandbox->broker.fold =
		casefold_new(&plan->index, plan->host == NULL ? NULL : plan->host->project);
	sandbox->broker.hooks = git_repo_cache_new(casefold_below);
	sandbox->broker.names.memory = sandbox->broker.hooks;
	rc = sandbox->broker.fold == NULL || sandbox->broker.hooks == NULL
		     ? cordon_no_memory(err)
		     : choose_filter(plan, &sandbox->filter, err);
	if (rc == 0)
		rc = make_layers(sandbox, plan, options, err);
	if (rc < 0) {
		enforce_free(sandbox);
		return rc;
	}
	*ret_sandbox = sandbox;
	return 0;
}

int
enforce_grant_tmp(struct sandbox *sandbox, const char *path, struct cordon_error *err)
{
	int rc = 0;

	sandbox->broker.private_tmp = path;
	if (sandbox->outer >= 0)
		rc = ruleset_grant_tmp(sandbox->outer, RULESET_OUTER, sandbox->abi, path, err);
	if (rc == 0 && sandbox->ruleset >= 0 && sandbox->kind != RULESET_BARE)
		rc = ruleset_grant_tmp(sandbox->ruleset, sandbox->kind, sandbox->abi, path, err);
	return rc;
}

/* Sends the listener to the broker. */
static int
hand_over(const struct sandbox *sandbox, int listener, struct cordon_error *err)
{
	char byte = 'l';
	char control[CMSG_SPACE(sizeof listener)] = {0};
	struct iovec data = {&byte, 1};
	struct msghdr message = {.msg_iov = &data,
				 .msg_iovlen = 1,
				 .msg_control = control,
				 .msg_controllen = sizeof control};
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);

	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(sizeof listener);
	memcpy(CMSG_DATA(header), &listener, sizeof listener);
	if (sendmsg(sandbox->line[1], &message, MSG_NOSIGNAL) == 1)
		return 0;
	return cordon_fail(err, CORDON_E_SYSTEM, errno, "cannot reach the broker");
}

/*
 * Starts a process outside the filter, with a shared fd table, that sends the listener whose number it
 * reads from the pipe.
 */
static pid_t
start_sender(const struct sandbox *sandbox, const int ends[2])
{
	pid_t pid = (pid_t)syscall(SYS_clone, (unsigned long)(CLONE_FILES | SIGCHLD), 0ul, 0ul, 0ul,
				   0ul);
	int listener;

	if (pid == 0)
		_exit(read(ends[0], &listener, sizeof listener) == (ssize_t)sizeof listener &&
				      hand_over(sandbox, listener, NULL) == 0
			      ? 0
			      : 1);
	return pid;
}

/* A filter that supervises sendmsg(2) would also stop the one that sends its listener. */
static int
load_sending(const struct sandbox *sandbox, struct cordon_error *err)
{
	int ends[2], listener = -1, status = 0, rc;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return cordon_fail(err, CORDON_E_SYSTEM, errno, "cannot make a pipe");
	pid = start_sender(sandbox, ends);
	rc = pid < 0 ? cordon_fail(err, CORDON_E_SYSTEM, errno, "cannot reach the broker")
		     : filter_load_routed(sandbox->filter, &listener, err);
	if (rc == 0 && write(ends[1], &listener, sizeof listener) != (ssize_t)sizeof listener)
		rc = cordon_fail(err, CORDON_E_SYSTEM, errno, "cannot reach the broker");
	close(ends[1]);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	close(ends[0]);
	if (rc == 0 && status != 0)
		rc = cordon_fail(err, CORDON_E_SYSTEM, 0, "cannot reach the broker");
	return rc;
}

static int
load_filter(const struct sandbox *sandbox, struct cordon_error *err)
{
	int listener, rc;

	if (!sandbox->is_routed)
		return filter_load(sandbox->filter, err);
	if (sandbox->broker.plan->has_datagrams)
		return load_sending(sandbox, err);
	rc = filter_load_routed(sandbox->filter, &listener, err);
	return rc < 0 ? rc : hand_over(sandbox, listener, err);
}

/* Before the layer: an outer broker never acts for a process that added a layer unregistered. */
static int
register_nest(const struct sandbox *sandbox, struct cordon_error *err)
{
	int line = handshake_enter(), rc;

	if (line < 0)
		return cordon_fail(err, CORDON_E_SYSTEM, errno,
				   "the outer cordon accepts no more sandboxes inside it");
	rc = hand_over(sandbox, line, err);
	close(line);
	return rc;
}

/*
 * Privileges first: afterwards no step can be undone, and no_new_privs allows the others without privilege.
 * The filter last: it denies calls that the steps before it need.
 */
int
enforce_apply(const struct sandbox *sandbox, struct cordon_error *err)
{
	int rc = privileges_drop(err);

	/* a selftest has no broker to answer queries, and needs none */
	if (rc == 0 && sandbox->is_nested && sandbox->line[1] >= 0)
		rc = register_nest(sandbox, err);
	if (rc == 0 && sandbox->ruleset >= 0)
		rc = ruleset_enter(sandbox->ruleset, sandbox->log.fd >= 0, err);
	if (sandbox->ruleset >= 0)
		close(sandbox->ruleset);
	if (rc == 0 && sandbox->filter != NULL)
		rc = load_filter(sandbox, err);
	return rc;
}

/* The session's processes are found below the guard or in its cgroup: no fingerprint is needed. */
void
enforce_fingerprint(struct sandbox *sandbox, struct session_group *group)
{
	(void)sandbox, (void)group;
}

void
enforce_close_parent_fds(struct sandbox *sandbox)
{
	int *const own[] = {&sandbox->ruleset, &sandbox->outer, &sandbox->log.fd};

	for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
		if (*own[i] >= 0)
			close(*own[i]);
		*own[i] = -1;
	}
}

struct sandbox *
enforce_free(struct sandbox *sandbox)
{
	if (sandbox == NULL)
		return NULL;
	enforce_close_parent_fds(sandbox);
	sandbox->broker.trace = trace_free(sandbox->broker.trace);
	sandbox->broker.fold = casefold_free(sandbox->broker.fold);
	sandbox->broker.hooks = git_repo_cache_free(sandbox->broker.hooks);
	arena_free(&sandbox->arena);
	free(sandbox);
	return NULL;
}
