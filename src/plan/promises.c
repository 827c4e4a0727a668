// SPDX-License-Identifier: MIT
/*
 * Which guarantees a plan needs, and what keeps each on this host. One row per way of keeping one,
 * best first: the first row whose needs are met is how; if none is, the last row's first unmet need
 * is the reason of the gap.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/path.h"
#include "base/table.h"
#include "plan/plan.h"
#include "plan/running.h"

enum need {
	NEED_SECCOMP = 1,
	NEED_BROKER = 2, /* notification, injection, descriptors of others, no Yama 2 or 3 */
	NEED_PIDFD = 4,
	NEED_CGROUP = 8,
	NEED_SEATBELT = 16,
	NEED_NO_PROC = 32, /* the plan itself keeps /proc closed */
	NEED_KILLABLE = 64,
	NEED_NEVER = 128,
	NEED_NO_NET = 256, /* the plan allows no network at all */
	NEED_TREE = 512,
	NEED_VETTING = 1024,
	NEED_BROKER_NET = 2048,
	NEED_MEMORY = 4096,    /* a cgroup that limits it */
	NEED_PROCESSES = 8192, /* likewise */
	NEED_SCOPE = 16384,
	NEED_RUN_TREES = 32768,	 /* nothing is denied to be run inside what may be */
	NEED_RUN_UNREAD = 65536, /* or only what cannot be read either */
	NEED_BROKER_SOCKETS = 131072,
	NEED_NO_SOCKETS = 262144, /* no unix socket can be connected at all */
	NEED_BROKER_SIGNALS = 524288,
	NEED_RUN_LISTED = 1048576, /* or only where every other program is granted by itself */
};

static const struct way {
	enum guarantee guarantee;
	enum system system;
	int abi; /* Landlock, at least */
	unsigned needs;
	const char *how;
} ways[] = {
	{G_FILES_READ, SYSTEM_LINUX, 1, 0, "Landlock"},
	{G_FILES_WRITE, SYSTEM_LINUX, 3, 0, "Landlock"},
	{G_FILES_WRITE, SYSTEM_LINUX, 1, NEED_BROKER, "Landlock; truncation by the broker"},
	{G_FILES_EXECUTE, SYSTEM_LINUX, 1, NEED_RUN_TREES, "Landlock"},
	{G_FILES_EXECUTE, SYSTEM_LINUX, 1, NEED_RUN_LISTED,
	 "Landlock, entry by entry beside what is denied"},
	{G_FILES_EXECUTE, SYSTEM_LINUX, 1, NEED_RUN_UNREAD,
	 "Landlock, by whole folders: a binary with a denied name can still be started"},
	{G_FILES_CARVEOUT, SYSTEM_LINUX, 1, NEED_BROKER, "broker over Landlock"},
	{G_FILES_FUTURE, SYSTEM_LINUX, 1, NEED_BROKER | NEED_VETTING, "broker over Landlock"},
	{G_FILES_PATTERN, SYSTEM_LINUX, 1, NEED_BROKER, "broker over Landlock"},
	{G_FILES_METADATA, SYSTEM_LINUX, 0, NEED_BROKER, "broker"},
	{G_NET_TCP, SYSTEM_LINUX, 0, NEED_SECCOMP | NEED_NO_NET, "seccomp"},
	{G_NET_TCP, SYSTEM_LINUX, 0, NEED_SECCOMP | NEED_BROKER_NET, "broker and seccomp"},
	{G_NET_UDP, SYSTEM_LINUX, 0, NEED_SECCOMP | NEED_NO_NET, "seccomp"},
	{G_NET_UDP, SYSTEM_LINUX, 0, NEED_SECCOMP | NEED_BROKER_NET, "broker and seccomp"},
	{G_NET_DOMAINS, SYSTEM_LINUX, 0, NEED_BROKER_NET, "broker and proxy"},
	{G_NET_DNS, SYSTEM_LINUX, 0, NEED_BROKER_NET, "broker and resolver stub"},
	{G_SOCKETS_PATH, SYSTEM_LINUX, 9, 0, "Landlock"},
	{G_SOCKETS_PATH, SYSTEM_LINUX, 0, NEED_BROKER_SOCKETS, "broker"},
	{G_SOCKETS_PATH, SYSTEM_LINUX, 0, NEED_NO_SOCKETS, "seccomp: there are none but pairs"},
	{G_SOCKETS_ABSTRACT, SYSTEM_LINUX, 6, 0, "Landlock scope"},
	{G_SOCKETS_ABSTRACT, SYSTEM_LINUX, 0, NEED_BROKER_SOCKETS, "broker"},
	{G_SOCKETS_ABSTRACT, SYSTEM_LINUX, 0, NEED_NO_SOCKETS, "seccomp: there are none but pairs"},
	{G_PROCESS_SIGNAL, SYSTEM_LINUX, 6, 0, "Landlock scope"},
	{G_PROCESS_SIGNAL, SYSTEM_LINUX, 1, NEED_BROKER_SIGNALS, "broker over Landlock"},
	{G_PROCESS_PTRACE, SYSTEM_LINUX, 1, NEED_SECCOMP, "Landlock and seccomp"},
	{G_PROCESS_CONTROL, SYSTEM_LINUX, 0, NEED_SECCOMP, "seccomp"},
	{G_PROCESS_LISTING, SYSTEM_LINUX, 1, NEED_NO_PROC, "/proc is not granted"},
	{G_PROCESS_TREE, SYSTEM_LINUX, 0, NEED_TREE | NEED_PIDFD | NEED_CGROUP,
	 "subreapers, pidfds and a cgroup"},
	{G_PROCESS_TREE, SYSTEM_LINUX, 0, NEED_TREE | NEED_PIDFD, "subreapers and pidfds"},
	{G_IPC_SYSV, SYSTEM_LINUX, 0, NEED_SECCOMP, "seccomp"},
	{G_TERMINAL_INJECT, SYSTEM_LINUX, 0, NEED_SECCOMP, "seccomp"},
	{G_KERNEL_SURFACE, SYSTEM_LINUX, 0, NEED_SECCOMP, "seccomp"},
	{G_ENV_FILTER, SYSTEM_LINUX, 0, 0, "a new environment"},
	{G_FDS_CLOSED, SYSTEM_LINUX, 0, 0, "descriptors closed before exec"},
	{G_LIMITS_TIME, SYSTEM_LINUX, 0, NEED_TREE | NEED_PIDFD, "supervisor"},
	{G_LIMITS_OUTPUT, SYSTEM_LINUX, 0, NEED_TREE, "supervisor"},
	{G_LIMITS_PROCESSES, SYSTEM_LINUX, 0, NEED_TREE | NEED_PROCESSES, "cgroup"},
	{G_LIMITS_PROCESSES, SYSTEM_LINUX, 0, NEED_TREE | NEED_SCOPE, "systemd scope"},
	{G_LIMITS_MEMORY, SYSTEM_LINUX, 0, NEED_TREE | NEED_MEMORY, "cgroup"},
	{G_LIMITS_MEMORY, SYSTEM_LINUX, 0, NEED_TREE | NEED_SCOPE, "systemd scope"},
	{G_CALLS_INTERRUPTED, SYSTEM_LINUX, 0, NEED_KILLABLE, "killable waits"},

	{G_FILES_READ, SYSTEM_MACOS, 0, NEED_SEATBELT, "Seatbelt"},
	{G_FILES_WRITE, SYSTEM_MACOS, 0, NEED_SEATBELT, "Seatbelt"},
	{G_FILES_EXECUTE, SYSTEM_MACOS, 0, NEED_SEATBELT, "Seatbelt"},
	{G_FILES_CARVEOUT, SYSTEM_MACOS, 0, NEED_SEATBELT, "Seatbelt"},
	{G_FILES_FUTURE, SYSTEM_MACOS, 0, NEED_SEATBELT, "Seatbelt"},
	{G_FILES_PATTERN, SYSTEM_MACOS, 0, NEED_SEATBELT, "Seatbelt"},
	{G_FILES_METADATA, SYSTEM_MACOS, 0, NEED_SEATBELT, "Seatbelt"},
	{G_NET_TCP, SYSTEM_MACOS, 0, NEED_SEATBELT, "Seatbelt"},
	{G_NET_UDP, SYSTEM_MACOS, 0, NEED_SEATBELT, "Seatbelt"},
	{G_NET_DOMAINS, SYSTEM_MACOS, 0, NEED_SEATBELT,
	 "Seatbelt and proxy, for programs that know proxies"},
	{G_NET_DNS, SYSTEM_MACOS, 0, NEED_SEATBELT, "Seatbelt"},
	{G_SOCKETS_PATH, SYSTEM_MACOS, 0, NEED_SEATBELT, "Seatbelt"},
	{G_SOCKETS_ABSTRACT, SYSTEM_MACOS, 0, 0, "macOS has none"},
	{G_PROCESS_SIGNAL, SYSTEM_MACOS, 0, NEED_SEATBELT, "Seatbelt"},
	{G_PROCESS_PTRACE, SYSTEM_MACOS, 0, NEED_SEATBELT, "Seatbelt"},
	{G_PROCESS_CONTROL, SYSTEM_MACOS, 0, NEED_NEVER, "nothing on macOS covers priorities"},
	{G_PROCESS_LISTING, SYSTEM_MACOS, 0, NEED_SEATBELT, "Seatbelt"},
	{G_PROCESS_TREE, SYSTEM_MACOS, 0, NEED_SEATBELT, "fingerprint scans"},
	{G_IPC_SYSV, SYSTEM_MACOS, 0, NEED_SEATBELT, "Seatbelt"},
	{G_TERMINAL_INJECT, SYSTEM_MACOS, 0, NEED_SEATBELT, "Seatbelt"},
	{G_KERNEL_SURFACE, SYSTEM_MACOS, 0, NEED_SEATBELT, "Seatbelt"},
	{G_ENV_FILTER, SYSTEM_MACOS, 0, 0, "a new environment"},
	{G_FDS_CLOSED, SYSTEM_MACOS, 0, 0, "descriptors closed before exec"},
	{G_LIMITS_TIME, SYSTEM_MACOS, 0, 0, "supervisor"},
	{G_LIMITS_OUTPUT, SYSTEM_MACOS, 0, 0, "supervisor"},
	{G_LIMITS_PROCESSES, SYSTEM_MACOS, 0, NEED_NEVER, "macOS limits processes per user only"},
	{G_LIMITS_MEMORY, SYSTEM_MACOS, 0, NEED_NEVER, "macOS limits memory per process only"},
	{G_CALLS_INTERRUPTED, SYSTEM_MACOS, 0, 0, "no call is supervised"},
};

/* ---- what is needed ---- */

/* Found out once: what the rules ask for beyond plain trees. */
struct demand {
	bool change;	/* something can be changed at all */
	bool carveout;	/* a deny inside an allowed tree, or a rule for less than a tree */
	bool reads;	/* one of these, or a pattern, is about reading */
	bool runs;	/* or denies running, */
	bool runs_only; /* and reading not */
	const struct planned_rule *by; /* the first about reading, else the first of all */
	bool restrict_files;
};

static bool
is_part(unsigned rights)
{
	unsigned change = rights & RIGHTS_CHANGE;

	return change != 0 && change != RIGHTS_CHANGE;
}

/*
 * A right without its companions, or a match that is not a whole tree, is more than Landlock says;
 * so is a whole right of which a deny at the same path leaves a part.
 */
static bool
is_exact(const struct plan *plan, const struct planned_rule *rule)
{
	if (strncmp(rule->path, "/dev/", 5) == 0)
		return false;
	return rule->match != MATCH_SUBPATH || is_part(rule->rights) ||
	       ((rule->rights & RIGHTS_CHANGE) && is_part(index_rights(&plan->index, rule->path)));
}

/* Has a path beside the rule's own the rights it speaks about? below is added to it. */
static bool
has_near(const struct plan *plan, const struct planned_rule *rule, const char *below)
{
	char near[PATH_MAX];
	const char *root = strcmp(rule->path, "/") == 0 ? "" : rule->path;
	int length = snprintf(near, sizeof near, "%s%s", root, below);

	if (length >= (int)sizeof near)
		return false;
	return (index_rights(&plan->index, length == 0 ? "/" : near) & rule->rights) != 0;
}

static bool
has_parent(const struct plan *plan, const struct planned_rule *rule)
{
	struct planned_rule parent = *rule;
	char path[PATH_MAX];

	if (strcmp(rule->path, "/") == 0 || strlen(rule->path) >= sizeof path)
		return false;
	strcpy(path, rule->path);
	*strrchr(path, '/') = '\0';
	parent.path = path;
	return has_near(plan, &parent, "");
}

/*
 * Does the deny take something from a tree that otherwise has it? Asked just outside of its reach,
 * below it by a name that no rule has.
 */
static bool
takes_away(const struct plan *plan, const struct planned_rule *rule)
{
	switch (rule->match) {
	case MATCH_LITERAL:
		return has_parent(plan, rule) || has_near(plan, rule, "/\x01");
	case MATCH_CHILD:
		return has_near(plan, rule, "") || has_near(plan, rule, "/\x01/\x01");
	default:
		return has_parent(plan, rule);
	}
}

/* A policy file of this run inside the project is a protected name: files.future speaks for it. */
static bool
is_projects_policy(const struct plan *plan, const struct planned_rule *rule)
{
	return rule->layer == LAYER_BUILTIN && rule->match == MATCH_LITERAL &&
	       path_below(rule->path, plan->host->project);
}

/* In a way that only names could hold. */
static bool
denies_running(const struct plan *plan, const struct planned_rule *rule)
{
	return rule->effect == EFFECT_DENY && (rule->rights & RIGHT_EXECUTE) &&
	       !running_is_listed(plan, rule);
}

static void
add_demand(struct demand *demand, const struct plan *plan, const struct planned_rule *rule)
{
	bool reads = (rule->rights & RIGHT_READ) != 0;

	if (demand->by == NULL || (reads && !demand->reads))
		demand->by = rule;
	demand->reads = demand->reads || reads;
	if (denies_running(plan, rule)) {
		demand->runs = true;
		demand->runs_only = demand->runs_only || !reads;
	}
}

/* Could it add anything? Asking costs more than that. */
static bool
is_known(const struct demand *demand, const struct plan *plan, const struct planned_rule *rule)
{
	bool runs = denies_running(plan, rule);

	return demand->carveout && (demand->reads || !(rule->rights & RIGHT_READ)) &&
	       (!runs || (demand->runs && (demand->runs_only || (rule->rights & RIGHT_READ))));
}

static struct demand
find_demand(const struct plan *plan)
{
	const struct index *index = &plan->index;
	struct demand demand = {.change = (index->default_rights & RIGHTS_CHANGE) != 0};

	for (size_t i = 0; i < index->path_count; i++) {
		const struct planned_rule *rule = &index->paths[i];

		if (rule->rights == 0 || is_projects_policy(plan, rule))
			continue;
		if (rule->effect == EFFECT_ALLOW && (rule->rights & RIGHTS_CHANGE))
			demand.change = true;
		if (is_known(&demand, plan, rule))
			continue;
		if (rule->effect == EFFECT_ALLOW ? is_exact(plan, rule) : takes_away(plan, rule)) {
			demand.carveout = true;
			add_demand(&demand, plan, rule);
		}
	}
	for (size_t i = 0; i < index->pattern_count; i++)
		add_demand(&demand, plan, &index->patterns[i]);
	demand.restrict_files = index->default_rights != RIGHTS_ALL || demand.carveout ||
				index->pattern_count > 0;
	return demand;
}

static bool
is_needed(const struct plan *plan, const struct demand *demand, enum guarantee guarantee)
{
	const struct settings *settings = &plan->settings;

	switch (guarantee) {
	case G_FILES_READ:
	case G_FILES_WRITE:
	case G_FILES_EXECUTE:
	case G_FILES_METADATA:
		return demand->restrict_files;
	case G_FILES_CARVEOUT:
		return demand->carveout;
	case G_FILES_FUTURE:
		return demand->change;
	case G_FILES_PATTERN:
		return plan->index.pattern_count > 0;
	case G_NET_TCP:
	case G_NET_UDP:
		return settings->network.mode != NET_ALL;
	case G_NET_DOMAINS:
	case G_NET_DNS:
		return settings->network.mode == NET_DOMAINS;
	case G_ENV_FILTER:
		return settings->env.mode != ENV_INHERIT;
	case G_LIMITS_TIME:
		return settings->limits[LIMIT_TIME].value != 0;
	case G_LIMITS_OUTPUT:
		return settings->limits[LIMIT_OUTPUT].value != 0;
	case G_LIMITS_PROCESSES:
		return settings->limits[LIMIT_PROCESSES].value != 0;
	case G_LIMITS_MEMORY:
		return settings->limits[LIMIT_MEMORY].value != 0;
	case G_CALLS_INTERRUPTED:
		return plan->host->system == SYSTEM_LINUX &&
		       (plan->routing != ROUTE_NOTHING || plan->routes_sockets ||
			plan->routes_network);
	default:
		return true;
	}
}

/* ---- what there is ---- */

static bool
has_broker(const struct facts *facts)
{
	bool own = facts->values[FACT_SECCOMP_NOTIFY] && facts->values[FACT_NOTIFY_ADDFD];

	/* one around us has all of it, and asks us */
	if (facts->values[FACT_DOOR])
		own = true;
	else
		own = own && facts->values[FACT_OPENAT2];
	return facts->values[FACT_BROKER] && own && facts->values[FACT_PIDFD] &&
	       facts->values[FACT_YAMA] < 2;
}

/*
 * Nothing is routed that need not be: a policy that lives without protected names and metadata stays
 * as fast as the kernel.
 */
static enum routing
find_routing(const struct plan *plan, const struct demand *demand)
{
	const int *values = plan->facts.values;
	bool exact = demand->carveout || plan->index.pattern_count > 0;
	bool metadata = demand->restrict_files && !plan->settings.accept[G_FILES_METADATA];
	bool future = values[FACT_VETTING] && demand->change &&
		      !plan->settings.accept[G_FILES_FUTURE];

	if (plan->host->system != SYSTEM_LINUX || !has_broker(&plan->facts) ||
	    values[FACT_LANDLOCK_ABI] == 0)
		return ROUTE_NOTHING;
	/* one around us answers for what it routes */
	if (demand->reads)
		return values[FACT_BROKER_READS] &&
				       (!values[FACT_DOOR] || (values[FACT_DOOR] & DOOR_READS))
			       ? ROUTE_READS
			       : ROUTE_NOTHING;
	if (values[FACT_DOOR] && !(values[FACT_DOOR] & DOOR_CHANGES))
		return ROUTE_NOTHING;
	return exact || metadata || future ? ROUTE_CHANGES : ROUTE_NOTHING;
}

/*
 * What of sockets is asked of the broker: names of unix sockets where Landlock does not see them,
 * and addresses where not all or none are allowed. Where there is no broker, as inside another
 * sandbox, and no socket is granted, there are no unix sockets with names.
 */
static void
find_socket_routing(struct plan *plan)
{
	const int *values = plan->facts.values;
	const bool *accept = plan->settings.accept;
	enum net_mode mode = plan->settings.network.mode;
	bool between = mode == NET_LOCALHOST || mode == NET_DOMAINS;
	int abi = values[FACT_LANDLOCK_ABI];
	bool names = (abi < 9 && !accept[G_SOCKETS_PATH]) ||
		     (abi < 6 && !accept[G_SOCKETS_ABSTRACT]);

	if (plan->host->system != SYSTEM_LINUX)
		return;
	plan->routes_signals = abi > 0 && abi < 6 && names && !accept[G_PROCESS_SIGNAL];
	if (values[FACT_DOOR]) {
		plan->routes_signals = plan->routes_signals && (values[FACT_DOOR] & DOOR_SIGNALS);
		plan->routes_sockets = names && (values[FACT_DOOR] & DOOR_SOCKETS);
		plan->routes_network = between && (values[FACT_DOOR] & DOOR_NETWORK);
		plan->closes_sockets = names && !plan->routes_sockets &&
				       values[FACT_SECCOMP_FILTER] && plan->socket_count == 0;
	} else if (has_broker(&plan->facts) && abi > 0 && values[FACT_BROKER_NET]) {
		plan->routes_sockets = names;
		plan->routes_network = between;
	} else {
		plan->routes_signals = false;
		plan->closes_sockets = names && values[FACT_SECCOMP_FILTER] &&
				       plan->routing == ROUTE_NOTHING && plan->socket_count == 0;
	}
}

/* A pattern that gave up denies, but has not shown that nothing allows. */
static bool
is_unlisted(const struct plan *plan)
{
	struct verdict verdict = index_decide(&plan->index, "/proc/1");

	return !(verdict.rights & RIGHT_READ) && !verdict.limit_hit;
}

static unsigned
needs_met(const struct plan *plan, const struct demand *demand)
{
	const int *values = plan->facts.values;
	unsigned met = 0;

	met |= demand->runs || plan->lists_running ? 0u : NEED_RUN_TREES;
	met |= demand->runs ? 0u : NEED_RUN_LISTED;
	met |= demand->runs_only ? 0u : NEED_RUN_UNREAD;

	met |= values[FACT_SECCOMP_FILTER] ? NEED_SECCOMP : 0u;
	met |= plan->routing != ROUTE_NOTHING ? NEED_BROKER : 0u;
	if (has_broker(&plan->facts))
		met |= values[FACT_VETTING] ? NEED_VETTING : 0u;
	met |= plan->routes_sockets ? NEED_BROKER_SOCKETS : 0u;
	met |= plan->routes_signals ? NEED_BROKER_SIGNALS : 0u;
	met |= plan->closes_sockets ? NEED_NO_SOCKETS : 0u;
	met |= plan->routes_network ? NEED_BROKER_NET : 0u;
	met |= values[FACT_PIDFD] ? NEED_PIDFD : 0u;
	met |= values[FACT_TREE] ? NEED_TREE : 0u;
	met |= values[FACT_CGROUP] ? NEED_CGROUP : 0u;
	met |= values[FACT_CGROUP_MEMORY] ? NEED_MEMORY : 0u;
	met |= values[FACT_CGROUP_PIDS] ? NEED_PROCESSES : 0u;
	met |= values[FACT_SCOPE] ? NEED_SCOPE : 0u;
	met |= values[FACT_SEATBELT] ? NEED_SEATBELT : 0u;
	met |= values[FACT_NOTIFY_WAIT_KILLABLE] ? NEED_KILLABLE : 0u;
	met |= plan->settings.network.mode == NET_NONE ? NEED_NO_NET : 0u;
	met |= is_unlisted(plan) ? NEED_NO_PROC : 0u;
	return met;
}

/* What the broker around us does not do, nobody does. */
static void
explain_door(const struct plan *plan, unsigned missing, struct promise *to)
{
	if (missing & NEED_BROKER_SIGNALS) {
		to->how = "the cordon around this one does not look at signals";
		to->remedy = "start the outer one without --accept process.signal";
	} else if (missing & (NEED_BROKER_SOCKETS | NEED_NO_SOCKETS)) {
		to->how = "the cordon around this one does not look at names of sockets";
		to->remedy = "start the outer one without --accept sockets.path";
	} else if (missing & NEED_BROKER_NET) {
		to->how = "the cordon around this one does not look at addresses";
		to->remedy = plan->settings.network.mode == NET_DOMAINS
				     ? "start the outer one with --domain as well"
				     : "start the outer one with --net localhost as well";
	} else if (!(plan->facts.values[FACT_DOOR] & DOOR_CHANGES)) {
		to->how = "the cordon around this one does not look at files";
		to->remedy = "start the outer one without --accept files.future";
	} else {
		to->how = "the cordon around this one looks at changes only, not at reading";
		to->remedy = "start the outer one with a rule that denies reading, too";
	}
}

static void
explain_broker(const struct facts *facts, struct promise *to)
{
	if (!facts->values[FACT_BROKER] || has_broker(facts)) {
		to->how = facts->values[FACT_BROKER] ? "this version's broker does not do it yet"
						     : "there is no broker";
		to->remedy = NULL;
	} else if (facts->values[FACT_YAMA] >= 2) {
		to->how = "Yama keeps the broker from reading the command's arguments";
		to->remedy = "set kernel.yama.ptrace_scope to 0 or 1";
	} else if (facts->values[FACT_SECCOMP_NOTIFY]) {
		to->how = "this kernel cannot hand descriptors over";
		to->remedy = "use a kernel from 5.9 on";
	} else {
		to->how =
			"no seccomp notification can be had (old kernel, or another sandbox holds it)";
		to->remedy = "use a kernel from 5.9 on, or start cordon outside the other sandbox";
	}
}

/* Which kernel has which version of Landlock. */
#define ABI_NAMED 9
static const char *const newer_kernels[ABI_NAMED + 1] = {
	[2] = "use a kernel from 5.19 on (Landlock ABI 2)",
	[3] = "use a kernel from 6.2 on (Landlock ABI 3)",
	[4] = "use a kernel from 6.7 on (Landlock ABI 4)",
	[5] = "use a kernel from 6.10 on (Landlock ABI 5)",
	[6] = "use a kernel from 6.12 on (Landlock ABI 6)",
	[9] = "use a kernel from 7.1 on (Landlock ABI 9)",
};

static void
explain_gap(const struct plan *plan, const struct way *way, unsigned missing, struct promise *to)
{
	if (plan->facts.values[FACT_INSIDE] && plan->facts.values[FACT_LANDLOCK_ABI] < way->abi) {
		to->how = "the cordon around this one reads for us, and would not see our limits";
		to->remedy = "start it outside, or the outer one without rules that deny reading";
		return;
	}
	if (plan->facts.values[FACT_LANDLOCK_ABI] < way->abi) {
		to->how = plan->facts.values[FACT_LANDLOCK_ABI] == 0 ? "there is no Landlock"
								     : "Landlock is too old for it";
		to->remedy =
			plan->facts.values[FACT_LANDLOCK_ABI] == 0 || way->abi > ABI_NAMED ||
					newer_kernels[way->abi] == NULL
				? "use a newer kernel (5.13 or later) with \"landlock\" in lsm="
				: newer_kernels[way->abi];
		return;
	}
	if ((missing & NEED_BROKER_SIGNALS) && plan->routing != ROUTE_NOTHING &&
	    !plan->routes_sockets && !plan->facts.values[FACT_DOOR]) {
		to->how =
			"Landlock is too old for it, and signals are supervised only with sockets";
		to->remedy = newer_kernels[6];
		return;
	}
	if (missing & (NEED_BROKER | NEED_VETTING | NEED_BROKER_NET | NEED_BROKER_SOCKETS |
		       NEED_NO_SOCKETS | NEED_BROKER_SIGNALS)) {
		if (plan->facts.values[FACT_DOOR])
			explain_door(plan, missing, to);
		else
			explain_broker(&plan->facts, to);
		return;
	}
	to->how = missing & NEED_TREE	   ? "/proc does not list the children of a process"
		  : missing & NEED_SECCOMP ? "there is no seccomp filter"
		  : missing & NEED_NO_PROC ? "/proc is granted, and it lists every process"
		  : missing & NEED_SCOPE ? "no cgroup of ours can limit it, and systemd makes none"
		  : missing & NEED_PIDFD ? "there are no pidfds"
		  : missing & NEED_KILLABLE ? "supervised calls can be interrupted on this kernel"
		  : missing & NEED_RUN_UNREAD
			  ? "by name a program is denied only where none can be made"
		  : missing & NEED_SEATBELT ? "there is no Seatbelt"
					    : way->how;
	to->remedy = missing & NEED_TREE      ? "mount /proc, of a kernel with CONFIG_PROC_CHILDREN"
		     : missing & NEED_NO_PROC ? "use the profile strict"
		     : missing & NEED_SCOPE ? "log in through systemd, or run in a delegated cgroup"
		     : missing & NEED_KILLABLE	 ? "use a kernel from 5.19 on"
		     : missing & NEED_RUN_UNREAD ? "deny reading as well"
		     : missing & NEED_NEVER	 ? NULL
						 : "use a kernel from 5.9 on, built with it";
}

static void
judge(struct plan *plan, const struct demand *demand, enum guarantee guarantee, unsigned met)
{
	struct promise *to = &plan->promises[guarantee];
	const struct way *last = NULL;

	*to = (struct promise){.keeping = KEPT_NOT_NEEDED};
	if (!is_needed(plan, demand, guarantee))
		return;
	for (size_t i = 0; i < COUNT(ways); i++) {
		const struct way *way = &ways[i];

		if (way->guarantee != guarantee || way->system != plan->host->system)
			continue;
		last = way;
		if (plan->facts.values[FACT_LANDLOCK_ABI] >= way->abi && !(way->needs & ~met)) {
			*to = (struct promise){.keeping = KEPT_ENFORCED, .how = way->how};
			return;
		}
	}
	to->keeping = plan->settings.accept[guarantee] ? KEPT_ACCEPTED : KEPT_GAP;
	if (last != NULL)
		explain_gap(plan, last, last->needs & ~met, to);
}

void
plan_judge(struct plan *plan)
{
	struct demand demand;
	unsigned met;

	running_list(plan);
	demand = find_demand(plan);
	plan->routing = find_routing(plan, &demand);
	plan->routed_by = demand.by;
	find_socket_routing(plan);
	met = needs_met(plan, &demand);

	for (int i = 0; i < G_COUNT; i++)
		judge(plan, &demand, (enum guarantee)i, met);
}
