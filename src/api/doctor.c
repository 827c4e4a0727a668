// SPDX-License-Identifier: MIT
/*
 * cordon doctor: tests on the running kernel each guarantee that the plan says it enforces. A
 * guarantee whose test fails is worse than a gap and is reported as broken.
 */
#include <stdio.h>

#include "base/array.h"
#include "base/str.h"
#include "discover/context.h"
#include "enforce/enforce.h"
#include "explain/print_text.h"

enum doctor_state { NOT_NEEDED, PROVED, KEPT, ACCEPTED, GAP, BROKEN };
static const char *const state_words[] = {
	[NOT_NEEDED] = "not needed", [PROVED] = "proved", [KEPT] = "kept",
	[ACCEPTED] = "accepted",     [GAP] = "gap",	  [BROKEN] = "BROKEN",
};

struct doctor_finding {
	enum doctor_state state;
	char detail[240]; /* the test and its result, or why it was not tested */
};

struct checkup {
	const struct plan *plan;
	bool here; /* the facts describe this machine, so guarantees can be tested */
	struct doctor_finding findings[G_COUNT];
	int gaps, accepted, broken;
	char landlock[240]; /* why Landlock is missing, or "" */
};

/* ---- tests ---- */

static const enum doctor_state by_keeping[] = {
	[GUARANTEE_NOT_NEEDED] = NOT_NEEDED,
	[GUARANTEE_ENFORCED] = KEPT,
	[GUARANTEE_ACCEPTED] = ACCEPTED,
	[GUARANTEE_GAP] = GAP,
};

static int
examine(struct checkup *checkup, enum guarantee guarantee, struct cordon_error *err)
{
	struct doctor_finding *to = &checkup->findings[guarantee];
	struct cordon_error why = {0};
	struct proof proof;
	int rc;

	to->state = by_keeping[checkup->plan->guarantees[guarantee].status];
	checkup->gaps += to->state == GAP;
	checkup->accepted += to->state == ACCEPTED;
	if (to->state != KEPT || !checkup->here)
		return 0;
	rc = enforce_prove(guarantee, &proof, &why);
	snprintf(to->detail, sizeof to->detail, "%s", rc == 0 ? proof.detail : why.text);
	/* an untestable guarantee is not a failed one */
	if (rc == -CORDON_E_GAP)
		return 0;
	if (rc < 0)
		return cordon_fail(err, (enum cordon_code) - rc, 0, "%s: %s",
				   guarantee_names[guarantee], why.text);
	to->state = proof.denied && proof.allowed ? PROVED : BROKEN;
	checkup->broken += to->state == BROKEN;
	return 0;
}

/* The errno of the kernel is more precise than the plan about why Landlock is missing. */
static void
ask_landlock(struct checkup *checkup)
{
	struct cordon_error why = {0};
	struct proof proof;

	if (checkup->here && checkup->plan->facts.system == SYSTEM_LINUX &&
	    checkup->plan->facts.values[FACT_LANDLOCK_ABI] == 0 &&
	    enforce_prove(G_FILES_READ, &proof, &why) < 0)
		snprintf(checkup->landlock, sizeof checkup->landlock, "%s", why.text);
}

/* ---- facts as text ---- */

static const struct doctor_step {
	int abi;
	const char *kernel, *what;
} landlock_steps[] = {
	{1, "5.13", "files"},
	{2, "5.19", "moving files between folders"},
	{3, "6.2", "truncation"},
	{4, "6.7", "TCP ports"},
	{5, "6.10", "control of devices"},
	{6, "6.12", "signals and abstract sockets"},
	{9, "7.1", "unix sockets by path"},
	{10, "7.2", "UDP ports"},
};
#define LANDLOCK_STEPS (COUNT(landlock_steps))

/* The Landlock ABI that enforces a guarantee alone; below it other mechanisms are needed. */
static const struct {
	enum guarantee guarantee;
	int abi;
} landlock_keeps[] = {
	{G_FILES_WRITE, 3},
	{G_SOCKETS_ABSTRACT, 6},
	{G_PROCESS_SIGNAL, 6},
	{G_SOCKETS_PATH, 9},
};

static const struct doctor_step *
step_for(const struct checkup *checkup, enum guarantee guarantee)
{
	for (size_t i = 0; i < COUNT(landlock_keeps); i++) {
		const struct doctor_step *step = landlock_steps;

		if (landlock_keeps[i].guarantee != guarantee ||
		    checkup->plan->facts.system != SYSTEM_LINUX ||
		    checkup->plan->facts.values[FACT_LANDLOCK_ABI] >= landlock_keeps[i].abi)
			continue;
		while (step->abi != landlock_keeps[i].abi)
			step++;
		return step;
	}
	return NULL;
}

/* Writes a remedy for a gap, or "". */
static void
find_remedy(const struct checkup *checkup, enum guarantee guarantee, char *to, size_t size)
{
	const char *planned = checkup->plan->guarantees[guarantee].remedy;
	const struct doctor_step *step = step_for(checkup, guarantee);
	enum doctor_state state = checkup->findings[guarantee].state;

	*to = '\0';
	if (state != ACCEPTED && state != GAP)
		return;
	if (step != NULL)
		snprintf(to, size, "use a kernel from %s on (Landlock ABI %d)", step->kernel,
			 step->abi);
	else if (planned != NULL)
		snprintf(to, size, "%s", planned);
}

static const struct {
	enum fact fact;
	const char *absent;
} remedies_of_facts[] = {
	{FACT_SECCOMP_FILTER, "use a kernel with CONFIG_SECCOMP_FILTER"},
	{FACT_SECCOMP_NOTIFY,
	 "use a kernel from 5.0 on, or start cordon outside the other sandbox"},
	{FACT_NOTIFY_ADDFD, "use a kernel from 5.9 on"},
	{FACT_NOTIFY_WAIT_KILLABLE, "use a kernel from 5.19 on"},
	{FACT_NOTIFY_SYNC, "use a kernel from 6.6 on"},
	{FACT_PIDFD, "use a kernel from 5.6 on, or allow pidfd_open in the container's profile"},
	{FACT_PIDFD_GETFD,
	 "only UDP needs it; a container that is started with --cap-add SYS_PTRACE has it"},
	{FACT_OPENAT2, "use a kernel from 5.6 on, or allow it in the container's profile"},
	{FACT_CLOSE_RANGE, "use a kernel from 5.9 on"},
	{FACT_CGROUP, "run in a delegated cgroup"},
	{FACT_CGROUP_MEMORY,
	 "run in a delegated cgroup with the memory controller and no other process"},
	{FACT_CGROUP_PIDS,
	 "run in a delegated cgroup with the pids controller and no other process"},
	{FACT_SCOPE,
	 "log in through systemd, with libsystemd installed (the static program does not use it)"},
};

static void
text_landlock(const struct checkup *checkup, struct str *to)
{
	int abi = checkup->plan->facts.values[FACT_LANDLOCK_ABI];
	const char *before = "; not yet: ";

	if (abi == 0) {
		str_printf(to, "  no   Landlock: %s\n",
			   *checkup->landlock == '\0' ? "none" : checkup->landlock);
		return;
	}
	str_printf(to, "  yes  Landlock, ABI %d", abi);
	for (size_t i = 0; i < LANDLOCK_STEPS; i++) {
		if (landlock_steps[i].abi <= abi)
			continue;
		str_printf(to, "%s%s (kernel %s)", before, landlock_steps[i].what,
			   landlock_steps[i].kernel);
		before = ", ";
	}
	str_add(to, "\n");
}

static void
text_linux(const struct checkup *checkup, struct str *to)
{
	const int *values = checkup->plan->facts.values;

	text_landlock(checkup, to);
	for (size_t i = 0; i < COUNT(remedies_of_facts); i++) {
		bool has = values[remedies_of_facts[i].fact] != 0;

		str_printf(to, "  %-4s %s%s%s\n", has ? "yes" : "no",
			   facts_words(remedies_of_facts[i].fact), has ? "" : ": ",
			   has ? "" : remedies_of_facts[i].absent);
	}
	if (values[FACT_YAMA] >= 2)
		str_printf(
			to,
			"  no   reading a child's memory: set kernel.yama.ptrace_scope to 0 or 1 "
			"(now %d)\n",
			values[FACT_YAMA]);
}

/* How the processes of a session are found when it ends. macOS has neither subreapers nor cgroups. */
static const struct {
	const char *way, *holds, *words;
	bool confined;
} tracking_ways[] = {
	{"fingerprint", "always",
	 "two paths that only this session's profile treats so; no process can drop its profile",
	 true},
	{"descent", "best effort",
	 "children of children, as seen at the end; a process whose parent ended is not among them",
	 false},
	{"group", "best effort", "process groups that one of them leads or led", false},
	{"session", "best effort", "terminal sessions that one of them leads or led", false},
	{"environment", "best effort",
	 "the variable CORDON_TRACK; any program can drop it, and macOS hides that of its own",
	 false},
};
#define TRACKING_WAYS (COUNT(tracking_ways))

static void
text_macos(const struct facts *facts, struct str *to)
{
	str_printf(to,
		   "  %-4s Seatbelt\n"
		   "       compiled, linked, analysed and evaluated on Linux; enforcement was not "
		   "yet\n"
		   "       exercised on a Mac (there, tests/macos/real does it)\n"
		   "       what is refused is in the audit log where the user is an administrator\n"
		   "       network by domain is for programs that know proxies: no connection is\n"
		   "       redirected, and no other name is resolved\n"
		   "how the processes of a session are found\n",
		   facts->values[FACT_SEATBELT] ? "yes" : "no");
	for (size_t i = 0; i < TRACKING_WAYS; i++)
		str_printf(to, "  %-11s %-11s %s%s\n", tracking_ways[i].way, tracking_ways[i].holds,
			   tracking_ways[i].words,
			   tracking_ways[i].confined ? " (not with --track-only)" : "");
}

static void
json_tracking(struct str *to)
{
	str_add(to, ",\n  \"tracking\": [");
	for (size_t i = 0; i < TRACKING_WAYS; i++) {
		str_printf(to, "%s\n    {\"way\": \"%s\", \"holds\": \"%s\", \"how\": ",
			   i == 0 ? "" : ",", tracking_ways[i].way, tracking_ways[i].holds);
		str_json(to, tracking_ways[i].words);
		str_printf(to, ", \"track_only\": %s}",
			   tracking_ways[i].confined ? "false" : "true");
	}
	str_add(to, "\n  ]");
}

/* ---- the report ---- */

static void
text_finding(const struct checkup *checkup, enum guarantee guarantee, struct str *to)
{
	const struct guarantee_state *promise = &checkup->plan->guarantees[guarantee];
	const struct doctor_finding *finding = &checkup->findings[guarantee];
	char remedy[160];

	if (finding->state == NOT_NEEDED)
		return;
	str_printf(to, "  %-9s %-18s %s", state_words[finding->state], guarantee_names[guarantee],
		   promise->how == NULL ? guarantee_sentences[guarantee] : promise->how);
	if (*finding->detail != '\0')
		str_printf(to, ": %s", finding->detail);
	find_remedy(checkup, guarantee, remedy, sizeof remedy);
	str_printf(to, "%s%s", *remedy == '\0' ? "" : "; ", remedy);
	if (finding->state == GAP)
		str_printf(to, "; or accept it: --accept %s", guarantee_names[guarantee]);
	str_add(to, "\n");
}

static void
text_verdict(const struct checkup *checkup, struct str *to)
{
	const char *command = checkup->plan->host->command == COMMAND_RUN ? "run" : "shell";

	if (checkup->gaps == 0 && checkup->broken == 0)
		str_printf(to, "the policy of `%s` can be enforced here", command);
	else
		str_printf(to, "the policy of `%s` can NOT be enforced here: %d gap%s, %d broken",
			   command, checkup->gaps, checkup->gaps == 1 ? "" : "s", checkup->broken);
	if (checkup->accepted > 0)
		str_printf(to, ", apart from the %d it accepts", checkup->accepted);
	str_add(to, "\n");
}

static void
print_text(const struct checkup *checkup, struct str *to)
{
	const struct facts *facts = &checkup->plan->facts;

	str_printf(to, "%s (%s)\n", system_names[facts->system], facts->kernel);
	if (facts->system == SYSTEM_LINUX)
		text_linux(checkup, to);
	else
		text_macos(facts, to);
	if (facts->system == SYSTEM_LINUX) {
		str_add(to, "calls: ");
		print_text_calls(checkup->plan, to);
		str_add(to, "\n");
	}
	str_printf(to, "guarantees%s\n",
		   checkup->here ? "" : " (planned only: these are not this machine's facts)");
	for (int i = 0; i < G_COUNT; i++)
		text_finding(checkup, (enum guarantee)i, to);
	text_verdict(checkup, to);
}

static void
json_text(const char *key, const char *text, struct str *to)
{
	str_printf(to, ", \"%s\": ", key);
	str_json_or_null(to, text == NULL || *text == '\0' ? NULL : text);
}

static void
print_json(const struct checkup *checkup, struct str *to)
{
	char remedy[160];

	str_printf(to,
		   "{\n  \"enforceable\": %s,\n  \"tried\": %s,\n  \"gaps\": %d,\n  \"accepted\": "
		   "%d,\n"
		   "  \"broken\": %d,\n  \"guarantees\": [",
		   checkup->gaps == 0 && checkup->broken == 0 ? "true" : "false",
		   checkup->here ? "true" : "false", checkup->gaps, checkup->accepted,
		   checkup->broken);
	for (int i = 0; i < G_COUNT; i++) {
		const struct guarantee_state *promise = &checkup->plan->guarantees[i];

		str_printf(to, "%s\n    {\"name\": \"%s\", \"state\": \"%s\"", i == 0 ? "" : ",",
			   guarantee_names[i],
			   checkup->findings[i].state == BROKEN
				   ? "broken"
				   : state_words[checkup->findings[i].state]);
		json_text("how", promise->how, to);
		json_text("detail", checkup->findings[i].detail, to);
		find_remedy(checkup, (enum guarantee)i, remedy, sizeof remedy);
		json_text("remedy", remedy, to);
		str_add(to, "}");
	}
	str_add(to, "\n  ],\n  \"facts\": ");
	facts_print(&checkup->plan->facts, to);
	json_text("landlock", checkup->landlock, to);
	if (checkup->plan->facts.system == SYSTEM_MACOS)
		json_tracking(to);
	str_add(to, "\n}\n");
}

int
cordon_doctor(const struct cordon_setup *setup, enum cordon_format format, char **ret_text,
	      struct cordon_error *err)
{
	auto_context struct cordon_plan *context = NULL;
	auto_str struct str text = {0};
	struct checkup checkup = {0};
	int rc = context_open(setup, CONTEXT_LOOK, &context, err);

	if (rc == 0)
		rc = context_plan(context, setup, CONTEXT_LOOK, NULL, err);
	if (rc < 0)
		return rc;
	checkup.plan = context->plan;
	checkup.here = setup->facts_file == NULL && context->host.system == enforce_system();
	if (checkup.here) {
		enforce_probe_limits(&context->plan->facts);
		rc = enforce_probe_notify(&context->plan->facts, err);
	}
	for (int i = 0; rc == 0 && i < G_COUNT; i++)
		rc = examine(&checkup, (enum guarantee)i, err);
	if (rc < 0)
		return rc;
	ask_landlock(&checkup);
	if (format == CORDON_JSON)
		print_json(&checkup, &text);
	else
		print_text(&checkup, &text);
	rc = str_finish(&text, ret_text, err);
	return rc < 0 ? rc : checkup.gaps == 0 && checkup.broken == 0;
}
