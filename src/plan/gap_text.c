// SPDX-License-Identifier: MIT
/* Explains why a guarantee cannot be enforced here, and how it could be. Decides nothing. */
#include "base/array.h"
#include "plan/guarantees.h"

/* Explains what an outer broker lacks. */
static void
explain_outer(const struct plan *plan, unsigned missing, struct guarantee_state *to)
{
	if (missing & NEED_BROKER_SIGNALS) {
		to->how = "the outer cordon does not check signals";
		to->remedy = "start the outer one without --accept process.signal";
	} else if (missing & (NEED_BROKER_SOCKETS | NEED_NO_SOCKETS)) {
		to->how = "the outer cordon does not check names of sockets";
		to->remedy = "start the outer one without --accept sockets.path";
	} else if (missing & NEED_BROKER_NET) {
		to->how = "the outer cordon does not check addresses";
		to->remedy = plan->settings.network.mode == NET_DOMAINS
				     ? "start the outer one with --domain as well"
				     : "start the outer one with --net localhost as well";
	} else if (!(plan->facts.values[FACT_OUTER_CORDON] & OFFER_CHANGES)) {
		to->how = "the outer cordon does not check files";
		to->remedy = "start the outer one without --accept files.future";
	} else {
		to->how = "the outer cordon checks changes only, not reading";
		to->remedy = "start the outer one with a rule that denies reading, too";
	}
}

#define NO_PIDFDS "pidfds are not available"
#define ALLOW_PIDFDS "use a kernel from 5.6 on, or allow pidfd_open in the container's profile"

static void
explain_broker(const struct facts *facts, struct guarantee_state *to)
{
	if (!facts->values[FACT_BROKER]) {
		to->how = "there is no broker";
		to->remedy = NULL;
	} else if (routing_has_broker(facts)) {
		to->how = "the broker needs Landlock";
		to->remedy = "use a kernel from 5.13 on with \"landlock\" in lsm=";
	} else if (facts->values[FACT_YAMA] >= 2) {
		to->how = "Yama keeps the broker from reading the command's arguments";
		to->remedy = "set kernel.yama.ptrace_scope to 0 or 1";
	} else if (facts->values[FACT_NOTIFY_ADDFD] && !facts->values[FACT_PIDFD]) {
		/* a kernel with ADDFD has pidfds, so the container blocks them */
		to->how = NO_PIDFDS;
		to->remedy = ALLOW_PIDFDS;
	} else if (facts->values[FACT_NOTIFY_ADDFD] && !facts->values[FACT_OPENAT2]) {
		to->how = "there is no openat2";
		to->remedy = "use a kernel from 5.6 on, or allow it in the container's profile";
	} else if (facts->values[FACT_SECCOMP_NOTIFY]) {
		to->how = "this kernel cannot pass descriptors to callers";
		to->remedy = "use a kernel from 5.9 on";
	} else {
		to->how = "seccomp notification is not available (old kernel, or another sandbox "
			  "uses it)";
		to->remedy = "use a kernel from 5.9 on, or start cordon outside the other sandbox";
	}
}

/* Kernels with each version of Landlock that a mechanism needs. */
static const char *const newer_kernels[] = {
	[2] = "use a kernel from 5.19 on (Landlock ABI 2)",
	[3] = "use a kernel from 6.2 on (Landlock ABI 3)",
	[4] = "use a kernel from 6.7 on (Landlock ABI 4)",
	[5] = "use a kernel from 6.10 on (Landlock ABI 5)",
	[6] = "use a kernel from 6.12 on (Landlock ABI 6)",
	[9] = "use a kernel from 7.1 on (Landlock ABI 9)",
};

#define NEWER_KERNEL "use a kernel from 5.9 on, built with it"

/* Requirements that concern neither broker nor Landlock. The first missing one is reported. */
static const struct {
	unsigned need;
	const char *how, *remedy;
} reasons[] = {
	{NEED_TREE, "/proc does not list the children of a process",
	 "mount /proc, of a kernel with CONFIG_PROC_CHILDREN"},
	{NEED_SECCOMP, "there is no seccomp filter", NEWER_KERNEL},
	{NEED_NO_PROC, "/proc is granted, and it lists every process", "use the profile strict"},
	{NEED_SCOPE, "no delegated cgroup can limit it, and systemd creates none",
	 "log in through systemd (the static program cannot use it), or run in a delegated cgroup"},
	{NEED_PIDFD, NO_PIDFDS, ALLOW_PIDFDS},
	{NEED_KILLABLE, "supervised calls can be interrupted on this kernel",
	 "use a kernel from 5.19 on"},
	{NEED_MOUNTS, "cannot read which files have other names through mounts",
	 "let /proc/self/mountinfo be read"},
	{NEED_SEATBELT, "there is no Seatbelt", NULL},
};

static void
explain_need(const struct plan *plan, const struct mechanism *mechanism, unsigned missing,
	     struct guarantee_state *to)
{
	to->how = mechanism->how;
	to->remedy = NULL;
	if (missing & NEED_RUN_ENFORCED) {
		to->how = plan->unenforced;
		to->remedy = "move it to a folder where no program can be created, or make it not "
			     "executable";
		return;
	}
	for (size_t i = 0; i < COUNT(reasons); i++) {
		if (missing & reasons[i].need) {
			to->how = reasons[i].how;
			to->remedy = reasons[i].remedy;
			return;
		}
	}
}

static void
explain_landlock(const struct facts *facts, int abi, struct guarantee_state *to)
{
	bool none = facts->values[FACT_LANDLOCK_ABI] == 0;

	if (facts->values[FACT_INSIDE]) {
		to->how = "the outer cordon opens files for this one, and does not see its limits";
		to->remedy = "start it outside, or the outer one without rules that deny reading";
		return;
	}
	to->how = none ? "there is no Landlock" : "Landlock is too old for it";
	to->remedy = none ? NULL : newer_kernels[abi];
	if (to->remedy == NULL)
		to->remedy = "use a newer kernel (5.13 or later) with \"landlock\" in lsm=";
}

void
gap_text_explain(const struct plan *plan, const struct mechanism *mechanism, unsigned missing,
		 struct guarantee_state *to)
{
	const unsigned brokers = NEED_BROKER | NEED_VETTING | NEED_BROKER_NET |
				 NEED_BROKER_SOCKETS | NEED_NO_SOCKETS | NEED_BROKER_SIGNALS;
	const struct facts *facts = &plan->facts;

	if (facts->values[FACT_LANDLOCK_ABI] < mechanism->abi) {
		explain_landlock(facts, mechanism->abi, to);
	} else if ((missing & NEED_BROKER_SIGNALS) && plan->routing != ROUTE_NOTHING &&
		   !plan->routes_sockets && !facts->values[FACT_OUTER_CORDON]) {
		to->how =
			"Landlock is too old for it, and signals are supervised only with sockets";
		to->remedy = newer_kernels[6];
	} else if (!(missing & brokers)) {
		explain_need(plan, mechanism, missing, to);
	} else if (facts->values[FACT_OUTER_CORDON]) {
		explain_outer(plan, missing, to);
	} else {
		explain_broker(facts, to);
	}
}
