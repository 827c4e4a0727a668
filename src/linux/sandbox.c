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
#include <time.h>
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
	const struct promise *promise;
	char others[32] = "";

	while (plan->promises[gap].keeping != KEPT_GAP)
		gap++;
	promise = &plan->promises[gap];
	if (more > 0)
		snprintf(others, sizeof others, " (and %d more)", more);
	return cordon_fail(
		err, CORDON_E_GAP, 0, "%s cannot be kept here: %.90s%s%.70s; or --accept %s%s",
		guarantee_names[gap], promise->how == NULL ? "nothing keeps it" : promise->how,
		promise->remedy == NULL ? "" : "; ", promise->remedy == NULL ? "" : promise->remedy,
		guarantee_names[gap], others);
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
	if (!plan->routes_sockets || plan->facts.values[FACT_OUTER_CORDON])
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
make_nested(struct sandbox *box, const struct plan *plan, const struct box_options *options,
	    struct cordon_error *err)
{
	struct ruleset_options layer = {.kind = RULESET_INNER, .private_tmp = options->private_tmp};
	int rc = 0;

	if (plan->routing != ROUTE_NOTHING)
		rc = brokered_trees_find(&box->arena, plan, &box->broker.trees, err);
	layer.trees = &box->broker.trees;
	box->is_nested = true;
	box->broker.plan = plan;
	box->broker.private_tmp = options->private_tmp;
	box->broker.is_asked = true;
	if (options->egress != NULL)
		box->broker.egress = *options->egress;
	return rc < 0 ? rc : ruleset_make(plan, &layer, &box->ruleset, err);
}

/*
 * Two layers: the outer one for broker and command, the inner one for the command alone. If no file call is
 * supervised, and the broker needs no /proc for signals, the outer layer alone is what the plan allows.
 */
static int
make_both_layers(struct sandbox *box, const struct plan *plan, const struct box_options *options,
		 struct cordon_error *err)
{
	bool files = plan->routing != ROUTE_NOTHING || plan->routes_signals;
	struct ruleset_options outer = {.kind = files ? RULESET_OUTER : RULESET_ALONE,
					.private_tmp = options->private_tmp,
					.is_brokers = true,
					.egress = options->egress};
	struct ruleset_options inner = {.kind = files ? RULESET_INNER : RULESET_BARE,
					.private_tmp = options->private_tmp};
	bool wider = plan->routing == ROUTE_READS;
	struct kept_files kept;
	int rc = plan->routing != ROUTE_NOTHING
			 ? brokered_trees_find(&box->arena, plan, &box->broker.trees, err)
			 : 0;

	outer.trees = inner.trees = &box->broker.trees;
	outer.wider = &wider;
	outer.kept = inner.kept = &kept;
	kept.count = 0;
	if (rc == 0)
		rc = ruleset_make(plan, &outer, &box->outer, err);
	if (files && !wider)
		inner.kind = RULESET_CHANGES;
	box->broker.cuts_blindly = plan->facts.values[FACT_LANDLOCK_ABI] < 3 ||
				   inner.kind == RULESET_CHANGES;
	box->kind = inner.kind;
	if (rc == 0)
		rc = ruleset_make(plan, &inner, &box->ruleset, err);
	rules_close_shared(&kept);
	return rc;
}

static int
make_layers(struct sandbox *box, const struct plan *plan, const struct box_options *options,
	    struct cordon_error *err)
{
	struct ruleset_options layer = {.kind = RULESET_ALONE, .private_tmp = options->private_tmp};
	int rc;

	if (plan->facts.values[FACT_OUTER_CORDON] && plan->facts.values[FACT_LANDLOCK_ABI] > 0)
		return make_nested(box, plan, options, err);
	box->is_routed = plan->routing != ROUTE_NOTHING || plan->routes_sockets ||
			 plan->routes_network;
	if (!box->is_routed)
		return ruleset_make(plan, &layer, &box->ruleset, err);
	rc = make_both_layers(box, plan, options, err);
	if (rc == 0 && (box->outer < 0 || (box->ruleset < 0 && box->kind != RULESET_BARE) ||
			box->filter == NULL))
		rc = cordon_fail(err, CORDON_E_GAP, 0,
				 "calls are routed only with Landlock and seccomp");
	box->broker.plan = plan;
	box->broker.reads = plan->routing == ROUTE_READS;
	box->broker.private_tmp = options->private_tmp;
	if (options->events > 0)
		box->broker.events = options->events;
	box->broker.changed = options->changed;
	if (options->egress != NULL)
		box->broker.egress = *options->egress;
	return rc;
}

static struct sandbox *
box_new(struct cordon_error *err)
{
	struct sandbox *box = calloc(1, sizeof *box);
	pthread_condattr_t clock;

	if (box == NULL) {
		cordon_no_memory(err);
		return NULL;
	}
	box->ruleset = box->outer = box->line[0] = box->line[1] = box->broker.listener = -1;
	box->broker.egress.line = box->broker.events = -1;
	memset(box->broker.terminals.spare, -1, sizeof box->broker.terminals.spare);
	box->broker.started = broker_now();
	names_lock_start(&box->broker.names);
	pthread_mutex_init(&box->broker.sockets, NULL);
	pthread_mutex_init(&box->broker.own_servers.still, NULL);
	pthread_mutex_init(&box->broker.own_servers.lock, NULL);
	pthread_mutex_init(&box->broker.terminals.lock, NULL);
	opener_begin(&box->broker.opener);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&box->broker.answered, &clock);
	pthread_condattr_destroy(&clock);
	pthread_mutex_init(&box->broker.small, NULL);
	sem_init(&box->started, 0, 0);
	sem_init(&box->serving, 0, 0);
	return box;
}

int
enforce_compile(const struct plan *plan, const struct box_options *options,
		struct sandbox **ret_box, struct cordon_error *err)
{
	struct sandbox *box;
	int rc;

	if (plan == NULL || plan->facts.system != SYSTEM_LINUX)
		return cordon_fail(err, CORDON_E_GAP, 0, "the plan is for another system");
	if (plan_gaps(plan) > 0)
		return refuse_gaps(plan, err);
	rc = privileges_check(err);
	if (rc < 0)
		return rc;
	box = box_new(err);
	if (box == NULL)
		return -CORDON_E_MEMORY;
	box->abi = plan->facts.values[FACT_LANDLOCK_ABI];
	box->broker.fold =
		casefold_new(&plan->index, plan->host == NULL ? NULL : plan->host->project);
	box->broker.hooks = git_repo_cache_new(casefold_below);
	box->broker.names.memory = box->broker.hooks;
	rc = box->broker.fold == NULL || box->broker.hooks == NULL
		     ? cordon_no_memory(err)
		     : choose_filter(plan, &box->filter, err);
	if (rc == 0)
		rc = make_layers(box, plan, options, err);
	if (rc < 0) {
		enforce_free(box);
		return rc;
	}
	*ret_box = box;
	return 0;
}

int
enforce_grant_tmp(struct sandbox *box, const char *path, struct cordon_error *err)
{
	int rc = 0;

	box->broker.private_tmp = path;
	if (box->outer >= 0)
		rc = ruleset_grant_tmp(box->outer, RULESET_OUTER, box->abi, path, err);
	if (rc == 0 && box->ruleset >= 0 && box->kind != RULESET_BARE)
		rc = ruleset_grant_tmp(box->ruleset, box->kind, box->abi, path, err);
	return rc;
}

/* Sends the listener to the broker. */
static int
hand_over(const struct sandbox *box, int listener, struct cordon_error *err)
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
	if (sendmsg(box->line[1], &message, MSG_NOSIGNAL) == 1)
		return 0;
	return cordon_fail(err, CORDON_E_SYSTEM, errno, "cannot reach the broker");
}

/*
 * Starts a process outside the filter, with a shared fd table, that sends the listener whose number it
 * reads from the pipe.
 */
static pid_t
start_sender(const struct sandbox *box, const int ends[2])
{
	pid_t pid = (pid_t)syscall(SYS_clone, (unsigned long)(CLONE_FILES | SIGCHLD), 0ul, 0ul, 0ul,
				   0ul);
	int listener;

	if (pid == 0)
		_exit(read(ends[0], &listener, sizeof listener) == (ssize_t)sizeof listener &&
				      hand_over(box, listener, NULL) == 0
			      ? 0
			      : 1);
	return pid;
}

/* A filter that supervises sendmsg(2) would also stop the one that sends its listener. */
static int
load_sending(const struct sandbox *box, struct cordon_error *err)
{
	int ends[2], listener = -1, status = 0, rc;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return cordon_fail(err, CORDON_E_SYSTEM, errno, "cannot make a pipe");
	pid = start_sender(box, ends);
	rc = pid < 0 ? cordon_fail(err, CORDON_E_SYSTEM, errno, "cannot reach the broker")
		     : filter_load_routed(box->filter, &listener, err);
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
load_filter(const struct sandbox *box, struct cordon_error *err)
{
	int listener, rc;

	if (!box->is_routed)
		return filter_load(box->filter, err);
	if (box->broker.plan->has_datagrams)
		return load_sending(box, err);
	rc = filter_load_routed(box->filter, &listener, err);
	return rc < 0 ? rc : hand_over(box, listener, err);
}

/* Before the layer: an outer broker never acts for a process that added a layer unregistered. */
static int
register_nest(const struct sandbox *box, struct cordon_error *err)
{
	int line = handshake_enter(), rc;

	if (line < 0)
		return cordon_fail(err, CORDON_E_SYSTEM, errno,
				   "the cordon around this one takes no more inside it");
	rc = hand_over(box, line, err);
	close(line);
	return rc;
}

/*
 * Privileges first: afterwards no step can be undone, and no_new_privs allows the others without privilege.
 * The filter last: it denies calls that the steps before it need.
 */
int
enforce_apply(const struct sandbox *box, struct cordon_error *err)
{
	int rc = privileges_drop(err);

	/* a selftest has no broker to answer queries, and needs none */
	if (rc == 0 && box->is_nested && box->line[1] >= 0)
		rc = register_nest(box, err);
	if (rc == 0 && box->ruleset >= 0)
		rc = ruleset_enter(box->ruleset, err);
	if (box->ruleset >= 0)
		close(box->ruleset);
	if (rc == 0 && box->filter != NULL)
		rc = load_filter(box, err);
	return rc;
}

/* The session's processes are found below the guard or in its cgroup: no fingerprint is needed. */
void
enforce_fingerprint(struct sandbox *box, struct session_group *group)
{
	(void)box, (void)group;
}

void
enforce_close_parent_fds(struct sandbox *box)
{
	int *const own[] = {&box->ruleset, &box->outer};

	for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
		if (*own[i] >= 0)
			close(*own[i]);
		*own[i] = -1;
	}
}

struct sandbox *
enforce_free(struct sandbox *box)
{
	if (box == NULL)
		return NULL;
	enforce_close_parent_fds(box);
	box->broker.fold = casefold_free(box->broker.fold);
	box->broker.hooks = git_repo_cache_free(box->broker.hooks);
	arena_free(&box->arena);
	free(box);
	return NULL;
}
