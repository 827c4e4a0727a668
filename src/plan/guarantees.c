// SPDX-License-Identifier: MIT
/*
 * Determines which guarantees a plan needs and the mechanism for each on this host. One row per
 * mechanism, best first. If no row's requirements are met, the first unmet one of the last row
 * explains the gap.
 */
#include "plan/guarantees.h"

#include "base/array.h"
#include "plan/shared_dirs.h"

#define OUTPUT_COUNTED "supervisor: descriptors 1 and 2, and the terminal"

static const struct mechanism mechanisms[] = {
	{G_FILES_READ, SYSTEM_LINUX, 1, 0, "Landlock"},
	{G_FILES_WRITE, SYSTEM_LINUX, 3, 0, "Landlock"},
	{G_FILES_WRITE, SYSTEM_LINUX, 1, NEED_BROKER, "Landlock; truncation by the broker"},
	{G_FILES_EXECUTE, SYSTEM_LINUX, 1, NEED_RUN_TREES, "Landlock"},
	{G_FILES_EXECUTE, SYSTEM_LINUX, 1, NEED_RUN_LISTED,
	 "Landlock, entry by entry beside what is denied"},
	{G_FILES_EXECUTE, SYSTEM_LINUX, 1, NEED_RUN_ENFORCED,
	 "Landlock; nothing else that is denied is a program, but patterns do not hold in folders "
	 "of the system"},
	{G_FILES_CARVEOUT, SYSTEM_LINUX, 1, NEED_BROKER | NEED_MOUNTS, "broker over Landlock"},
	{G_FILES_FUTURE, SYSTEM_LINUX, 1, NEED_BROKER | NEED_VETTING, "broker over Landlock"},
	{G_FILES_PATTERN, SYSTEM_LINUX, 1, NEED_BROKER | NEED_MOUNTS, "broker over Landlock"},
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
	{G_LIMITS_OUTPUT, SYSTEM_LINUX, 0, NEED_TREE, OUTPUT_COUNTED},
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
	{G_LIMITS_OUTPUT, SYSTEM_MACOS, 0, 0, OUTPUT_COUNTED},
	{G_LIMITS_PROCESSES, SYSTEM_MACOS, 0, NEED_NEVER, "macOS limits processes per user only"},
	{G_LIMITS_MEMORY, SYSTEM_MACOS, 0, NEED_NEVER, "macOS limits memory per process only"},
	{G_CALLS_INTERRUPTED, SYSTEM_MACOS, 0, 0, "no call is supervised"},
};

static bool
is_needed(const struct plan *plan, const struct requirements *requirements,
	  enum guarantee guarantee)
{
	const struct settings *settings = &plan->settings;

	switch (guarantee) {
	case G_FILES_READ:
	case G_FILES_WRITE:
	case G_FILES_EXECUTE:
	case G_FILES_METADATA:
		return requirements->restrict_files;
	case G_FILES_CARVEOUT:
		return requirements->carveout;
	case G_FILES_FUTURE:
		return requirements->change;
	case G_FILES_PATTERN:
		return plan->index.pattern_count > 0;
	case G_NET_TCP:
	case G_NET_UDP:
		return settings->network.mode != NET_ALL;
	case G_NET_DOMAINS:
	case G_NET_DNS:
		return settings->network.mode == NET_DOMAINS;
	case G_IPC_SYSV:
		return settings->ipc == IPC_NONE;
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

/* A pattern that gave up counts as a deny, but does not prove that nothing allows. */
static bool
is_unlisted(const struct plan *plan)
{
	struct verdict verdict = index_decide(&plan->index, "/proc/1");

	return !(verdict.rights & RIGHT_READ) && !verdict.limit_hit;
}

static unsigned
requirements_met(const struct plan *plan, const struct requirements *requirements)
{
	static const struct {
		enum fact fact;
		unsigned need;
	} given[] = {
		{FACT_SECCOMP_FILTER, NEED_SECCOMP},
		{FACT_PIDFD, NEED_PIDFD},
		{FACT_TREE, NEED_TREE},
		{FACT_CGROUP, NEED_CGROUP},
		{FACT_CGROUP_MEMORY, NEED_MEMORY},
		{FACT_CGROUP_PIDS, NEED_PROCESSES},
		{FACT_SCOPE, NEED_SCOPE},
		{FACT_SEATBELT, NEED_SEATBELT},
		{FACT_NOTIFY_WAIT_KILLABLE, NEED_KILLABLE},
	};
	const struct {
		bool holds;
		unsigned need;
	} found[] = {
		{!requirements->runs && plan->listed_count == 0, NEED_RUN_TREES},
		{!requirements->runs, NEED_RUN_LISTED},
		{plan->unenforced == NULL, NEED_RUN_ENFORCED},
		{plan->routing != ROUTE_NOTHING, NEED_BROKER},
		{routing_has_broker(&plan->facts), NEED_VETTING},
		{plan->routes_sockets, NEED_BROKER_SOCKETS},
		{plan->routes_signals, NEED_BROKER_SIGNALS},
		{plan->closes_sockets, NEED_NO_SOCKETS},
		{plan->routes_network, NEED_BROKER_NET},
		{plan->settings.network.mode == NET_NONE, NEED_NO_NET},
		{is_unlisted(plan), NEED_NO_PROC},
		{!plan->host->mounts_hidden, NEED_MOUNTS},
	};
	unsigned met = 0;

	for (size_t i = 0; i < COUNT(given); i++)
		met |= plan->facts.values[given[i].fact] ? given[i].need : 0u;
	for (size_t i = 0; i < COUNT(found); i++)
		met |= found[i].holds ? found[i].need : 0u;
	return met;
}

static void
judge(struct plan *plan, const struct requirements *requirements, enum guarantee guarantee,
      unsigned met)
{
	struct guarantee_state *to = &plan->guarantees[guarantee];
	const struct mechanism *last = NULL;

	*to = (struct guarantee_state){.status = GUARANTEE_NOT_NEEDED};
	if (!is_needed(plan, requirements, guarantee))
		return;
	for (size_t i = 0; i < COUNT(mechanisms); i++) {
		const struct mechanism *mechanism = &mechanisms[i];

		if (mechanism->guarantee != guarantee || mechanism->system != plan->host->system)
			continue;
		last = mechanism;
		if (plan->facts.values[FACT_LANDLOCK_ABI] >= mechanism->abi &&
		    !(mechanism->needs & ~met)) {
			*to = (struct guarantee_state){.status = GUARANTEE_ENFORCED,
						       .how = mechanism->how};
			return;
		}
	}
	to->status = plan->settings.accept[guarantee] ? GUARANTEE_ACCEPTED : GUARANTEE_GAP;
	if (last != NULL)
		gap_text_explain(plan, last, last->needs & ~met, to);
}

void
plan_check_guarantees(struct plan *plan)
{
	struct requirements requirements = requirements_find(plan);
	unsigned met;

	plan_route(plan, &requirements);
	plan_mark_absent_shared(plan);
	met = requirements_met(plan, &requirements);
	for (int i = 0; i < G_COUNT; i++)
		judge(plan, &requirements, (enum guarantee)i, met);
}
