// SPDX-License-Identifier: MIT
/*
 * Policy times host: which promises can be kept with which facts, links that must not redirect a
 * grant, tokens, variables, sockets and the network, and that what is printed can be read.
 */
#include <string.h>

#include "base/json.h"
#include "explain/print_text.h"
#include "explain/why.h"
#include "plan/environ.h"
#include "plan/network.h"
#include "plan/pty.h"
#include "world.h"

/* ---- gaps ---- */

/* The guarantees that are kept in this way, in order. Valid until the next call. */
static const char *
kept(const struct plan *plan, enum guarantee_status keeping)
{
	static char text[800];

	*text = '\0';
	for (int i = 0; i < G_COUNT; i++)
		if (plan->guarantees[i].status == keeping)
			list_add(text, sizeof text, " ", guarantee_names[i]);
	return text;
}

static void
check_gaps(struct world *world, struct said said, const char *expected)
{
	auto_plan struct plan *plan = world_plan(world, said);
	int count = *expected != '\0';

	for (const char *p = expected; *p != '\0'; p++)
		count += *p == ' ';
	check_str(kept(plan, GUARANTEE_GAP), expected);
	check_int(plan_gaps(plan), count);
	for (int i = 0; i < G_COUNT; i++)
		if (plan->guarantees[i].status != GUARANTEE_NOT_NEEDED)
			check(plan->guarantees[i].how != NULL);
}

static void
on_abi_7_the_default_policy_has_no_gap(void)
{
	auto_world struct world w;

	world_make(&w);
	check_gaps(&w, (struct said){0}, "");
	auto_plan struct plan *plan = world_plan(&w, (struct said){0});
	check_str(kept(plan, GUARANTEE_ACCEPTED), "process.listing");
	check_int(plan->guarantees[G_FILES_FUTURE].status, GUARANTEE_ENFORCED);
	check_int(plan->guarantees[G_FILES_PATTERN].status, GUARANTEE_NOT_NEEDED);
	check_int(plan->guarantees[G_LIMITS_TIME].status, GUARANTEE_NOT_NEEDED);
	check_str(plan->guarantees[G_PROCESS_SIGNAL].how, "Landlock scope");
}

static void
with_a_broker_every_abi_enforces_the_default(void)
{
	static const int abis[] = {1, 2, 3, 4, 5, 6, 7, 9, 10};
	auto_world struct world w;

	world_make(&w);
	for (size_t i = 0; i < COUNT(abis); i++) {
		w.facts.values[FACT_LANDLOCK_ABI] = abis[i];
		check_gaps(&w, (struct said){0}, "");
		auto_plan struct plan *plan = world_plan(&w, (struct said){0});
		check_int(plan->routes_sockets, abis[i] < 9);
		check_int(plan->routes_signals, abis[i] < 6);
		check_str(plan->guarantees[G_PROCESS_SIGNAL].how,
			  abis[i] < 6 ? "broker over Landlock" : "Landlock scope");
		check(!plan->routes_network);
		check_str(plan->guarantees[G_FILES_WRITE].how,
			  abis[i] < 3 ? "Landlock; truncation by the broker" : "Landlock");
		check_str(plan->guarantees[G_SOCKETS_ABSTRACT].how,
			  abis[i] < 6 ? "broker" : "Landlock scope");
		check_str(plan->guarantees[G_SOCKETS_PATH].how,
			  abis[i] < 9 ? "broker" : "Landlock");
	}
}

static void
without_notification_each_abi_has_its_gaps(void)
{
	static const struct {
		int abi;
		const char *gaps;
	} rows[] = {
		{1, "files.write files.future files.metadata process.signal"},
		{2, "files.write files.future files.metadata process.signal"},
		{3, "files.future files.metadata process.signal"},
		{5, "files.future files.metadata process.signal"},
		{6, "files.future files.metadata"},
		{7, "files.future files.metadata"},
		{9, "files.future files.metadata"},
		{10, "files.future files.metadata"},
	};
	static const enum fact lacking[] = {FACT_SECCOMP_NOTIFY, FACT_NOTIFY_ADDFD};
	auto_world struct world w;

	world_make(&w);
	for (size_t i = 0; i < COUNT(rows); i++) {
		for (size_t k = 0; k < COUNT(lacking); k++) {
			w.facts = facts_full();
			w.facts.values[FACT_LANDLOCK_ABI] = rows[i].abi;
			w.facts.values[lacking[k]] = 0;
			check_gaps(&w, (struct said){0}, rows[i].gaps);
		}
	}
}

static void
without_landlock_guarantees_of_files_are_gaps(void)
{
	auto_world struct world w;

	world_make(&w);
	w.facts.values[FACT_LANDLOCK_ABI] = 0;
	check_gaps(&w, (struct said){0},
		   "files.read files.write files.execute files.future files.metadata "
		   "process.signal process.ptrace");
	auto_plan struct plan *plan = world_plan(&w, (struct said){0});
	check_str(plan->guarantees[G_FILES_READ].how, "there is no Landlock");
	check(plan->guarantees[G_FILES_READ].remedy != NULL);
}

static void
with_yama_2_there_is_no_broker_and_a_reason(void)
{
	auto_world struct world w;

	world_make(&w);
	for (int yama = 0; yama <= 3; yama++) {
		w.facts.values[FACT_YAMA] = yama;
		check_gaps(&w, (struct said){0}, yama < 2 ? "" : "files.future files.metadata");
	}
	auto_plan struct plan *plan = world_plan(&w, (struct said){0});
	check_str(plan->guarantees[G_FILES_FUTURE].how,
		  "Yama keeps the broker from reading the command's arguments");
	check_str(plan->guarantees[G_FILES_FUTURE].remedy,
		  "set kernel.yama.ptrace_scope to 0 or 1");
}

static void
without_killable_waits_calls_are_interruptible(void)
{
	auto_world struct world w;

	world_make(&w);
	w.facts.values[FACT_NOTIFY_WAIT_KILLABLE] = 0;
	check_gaps(&w, (struct said){0}, "calls.interrupted");
	check_gaps(&w, (struct said){.user = "{\"accept\": [\"calls.interrupted\"]}"}, "");
}

static void
without_seccomp_and_pidfds_there_are_gaps(void)
{
	auto_world struct world w;

	world_make(&w);
	w.facts.values[FACT_SECCOMP_FILTER] = 0;
	check_gaps(&w, (struct said){0},
		   "net.tcp net.udp process.ptrace process.control ipc.sysv terminal.inject "
		   "kernel.surface");
	w.facts = facts_full();
	w.facts.values[FACT_PIDFD] = 0;
	check_gaps(&w, (struct said){.user = "{\"limits\": {\"time\": 5}}"},
		   "files.future files.metadata process.tree limits.time");
}

static void
limits_that_need_a_cgroup_are_gaps_without_one(void)
{
	auto_world struct world w;
	static const char limits[] =
		"{\"limits\": {\"memory\": \"1G\", \"processes\": 5, \"time\": 5,"
		" \"output\": 5, \"cpu_time\": 5}}";

	world_make(&w);
	check_gaps(&w, (struct said){.user = limits}, "");
	w.facts.values[FACT_CGROUP_PIDS] = w.facts.values[FACT_SCOPE] = 0;
	check_gaps(&w, (struct said){.user = limits}, "limits.processes");
	w.facts.values[FACT_CGROUP] = w.facts.values[FACT_CGROUP_MEMORY] = 0;
	check_gaps(&w, (struct said){0}, "");
	check_gaps(&w, (struct said){.user = limits}, "limits.processes limits.memory");
	auto_plan struct plan *plan = world_plan(&w, (struct said){.user = limits});
	check_str(plan->guarantees[G_LIMITS_MEMORY].how,
		  "no delegated cgroup can limit it, and systemd creates none");
	check_str(plan->guarantees[G_PROCESS_TREE].how, "subreapers and pidfds");
	w.facts.values[FACT_SCOPE] = 1;
	auto_plan struct plan *scope = world_plan(&w, (struct said){.user = limits});
	check_str(scope->guarantees[G_LIMITS_MEMORY].how, "systemd scope");
	check_str(scope->guarantees[G_LIMITS_PROCESSES].how, "systemd scope");
}

/* There is no filter for one without the other. */
static void
signals_are_supervised_only_with_sockets(void)
{
	auto_world struct world w;

	world_make(&w);
	w.facts.values[FACT_LANDLOCK_ABI] = 5;
	check_gaps(&w,
		   (struct said){.user = "{\"accept\": [\"sockets.path\", \"sockets.abstract\"]}"},
		   "process.signal");
	w.facts.values[FACT_LANDLOCK_ABI] = 6;
	check_gaps(&w,
		   (struct said){.user = "{\"accept\": [\"sockets.path\", \"sockets.abstract\"]}"},
		   "");
}

static void
a_gap_is_accepted_by_name_and_no_other(void)
{
	auto_world struct world w;

	world_make(&w);
	w.facts.values[FACT_SECCOMP_NOTIFY] = 0;
	w.facts.values[FACT_LANDLOCK_ABI] = 5;
	check_gaps(&w, (struct said){.user = "{\"accept\": [\"process.signal\"]}"},
		   "files.future files.metadata");
	check_gaps(&w, (struct said){.user = "{\"sockets\": [\"/s\"]}"},
		   "files.future files.metadata sockets.path sockets.abstract process.signal");
	auto_plan struct plan *plan = world_plan(
		&w, (struct said){.user = "{\"accept\": [\"process.signal\", \"net.udp\"]}"});
	check_int(plan->guarantees[G_PROCESS_SIGNAL].status, GUARANTEE_ACCEPTED);
	check_str(plan->guarantees[G_SOCKETS_PATH].how, "seccomp: there are none but pairs");
	/* what is kept anyway stays kept */
	check_int(plan->guarantees[G_NET_UDP].status, GUARANTEE_ENFORCED);
}

static void
only_required_guarantees_can_be_gaps(void)
{
	auto_world struct world w;
	static const char free[] =
		"{\"extends\": [], \"files\": {\"default\": \"rwcdx\"}, \"network\": "
		"\"all\", \"env\": {\"mode\": \"inherit\"}}";

	world_make(&w);
	/* cordon's own folders are a restriction too: without them nothing is left to keep */
	w.host.config_dir = w.host.state_dir = NULL;
	auto_plan struct plan *plan = world_plan(&w, (struct said){.inline_text = free});
	check_int(plan->guarantees[G_FILES_READ].status, GUARANTEE_NOT_NEEDED);
	check_int(plan->guarantees[G_NET_TCP].status, GUARANTEE_NOT_NEEDED);
	check_int(plan->guarantees[G_ENV_FILTER].status, GUARANTEE_NOT_NEEDED);
	auto_plan struct plan *domains = world_plan(
		&w, (struct said){.user = "{\"network\": {\"domains\": [\"a.example\"]}}"});
	check_int(domains->guarantees[G_NET_DOMAINS].status, GUARANTEE_ENFORCED);
	check_int(domains->guarantees[G_NET_DNS].status, GUARANTEE_ENFORCED);
	auto_plan struct plan *strict = world_plan(&w, (struct said){.args = {"strict"}});
	check_int(strict->guarantees[G_PROCESS_LISTING].status, GUARANTEE_ENFORCED);
}

/* Where the kernel alone cannot say it, the broker is needed. */
static void
a_deny_inside_what_is_allowed_needs_the_broker(void)
{
	static const struct {
		const char *files;
		bool carveout;
	} rows[] = {
		{"\"read\": [\"/a\", \"/b/c\"]", false},
		{"\"read\": [\"/a\"], \"deny\": [\"/b\"]", false},
		{"\"deny\": [\"/a\"], \"read\": [\"/a/b\"]", false},
		{"\"read\": [\"/a\"], \"deny\": [\"/a/b\"]", true},
		{"\"read\": [\"/a\"], \"deny\": [\"/a/b/c/d\"]", true},
		{"\"write\": [\"/a\"], \"protect\": [\"/a/b\"]", true},
		{"\"read\": [\"/a\"], \"protect\": [\"/a/b\"]", false},
		{"\"default\": \"r\", \"deny\": [\"/a/b\"]", true},
		{"\"default\": \"r\", \"deny\": [\"/a\"]", true},
		{"\"read\": [\"/\"], \"deny\": [\"/a\"]", true},
		{"\"default\": \"r\", \"deny\": [\"/\"]", false},
		{"\"read\": [\"/a\"], \"rules\": [{\"effect\": \"deny\", \"rights\": \"r\", "
		 "\"path\": "
		 "\"/a/b\", \"match\": \"child\"}]",
		 true},
		{"\"read\": [\"/b\"], \"rules\": [{\"effect\": \"deny\", \"rights\": \"r\", "
		 "\"path\": "
		 "\"/a/b\", \"match\": \"child\"}]",
		 false},
		{"\"rules\": [{\"effect\": \"allow\", \"rights\": \"rc\", \"path\": \"/a\"}]",
		 true},
		{"\"rules\": [{\"effect\": \"allow\", \"rights\": \"r\", \"path\": \"/a\", "
		 "\"match\": "
		 "\"literal\"}]",
		 true},
	};
	auto_world struct world w;

	world_make(&w);
	/* cordon's own folders are denied inside what is allowed, too */
	w.host.config_dir = w.host.state_dir = NULL;
	for (size_t i = 0; i < COUNT(rows); i++) {
		char text[200];

		snprintf(text, sizeof text, "{\"extends\": [], \"files\": {%s}}", rows[i].files);
		auto_plan struct plan *plan = world_plan(&w, (struct said){.inline_text = text});
		if ((plan->guarantees[G_FILES_CARVEOUT].status == GUARANTEE_ENFORCED) !=
		    rows[i].carveout)
			printf("# for %s\n", rows[i].files);
		check_int(plan->guarantees[G_FILES_CARVEOUT].status,
			  rows[i].carveout ? GUARANTEE_ENFORCED : GUARANTEE_NOT_NEEDED);
	}
}

static void
a_deny_of_less_than_the_tree_another_layer_grants_needs_the_broker(void)
{
	static const char *const matches[] = {"literal", "child"};
	auto_world struct world w;

	world_make(&w);
	for (size_t i = 0; i < COUNT(matches); i++) {
		char text[200];

		snprintf(text, sizeof text,
			 "{\"files\": {\"rules\": [{\"effect\": \"deny\", \"rights\": \"r\", "
			 "\"path\": \"/a\","
			 " \"match\": \"%s\"}]}}",
			 matches[i]);
		auto_plan struct plan *plan = world_plan(
			&w, (struct said){
				    .system = "{\"extends\": [], \"files\": {\"read\": [\"/a\"]}}",
				    .user = text});
		check_int(plan->guarantees[G_FILES_CARVEOUT].status, GUARANTEE_ENFORCED);
	}
}

static void
patterns_need_the_broker(void)
{
	auto_world struct world w;
	static const char text[] = "{\"files\": {\"deny\": [\"**/.env\"]}}";

	world_make(&w);
	auto_plan struct plan *plan = world_plan(&w, (struct said){.user = text});
	check_int(plan->guarantees[G_FILES_PATTERN].status, GUARANTEE_ENFORCED);
	w.facts.values[FACT_SECCOMP_NOTIFY] = 0;
	check_gaps(&w, (struct said){.user = text}, "files.future files.pattern files.metadata");
}

static void
in_a_nest_only_calls_that_the_outer_session_supervises_are_enforced(void)
{
	auto_world struct world w;

	world_make(&w);
	w.facts.values[FACT_SECCOMP_NOTIFY] = w.facts.values[FACT_NOTIFY_ADDFD] = 0;
	w.facts.values[FACT_OUTER_CORDON] = OFFER_HERE | OFFER_CHANGES | OFFER_SOCKETS;
	check_gaps(&w, (struct said){0}, "");
	check_gaps(&w, (struct said){.user = "{\"files\": {\"deny\": [\"**/.env\"]}}"},
		   "files.future files.pattern files.metadata");
	check_gaps(&w, (struct said){.user = "{\"network\": \"localhost\"}"}, "net.tcp net.udp");
	check_gaps(&w, (struct said){.user = "{\"network\": {\"domains\": [\"a.test\"]}}"},
		   "net.tcp net.udp net.domains net.dns");
	w.facts.values[FACT_OUTER_CORDON] |= OFFER_READS | OFFER_NETWORK;
	check_gaps(&w,
		   (struct said){.user = "{\"files\": {\"deny\": [\"**/.env\"]}, "
					 "\"network\": {\"domains\": [\"a.test\"]}}"},
		   "");
	w.facts.values[FACT_OUTER_CORDON] = OFFER_HERE | OFFER_CHANGES;
	check_gaps(&w, (struct said){.user = "{\"sockets\": [\"/s\"]}"}, "sockets.path");
	check_gaps(&w, (struct said){0}, "");
	w.facts.values[FACT_OUTER_CORDON] = OFFER_HERE | OFFER_SOCKETS;
	check_gaps(&w, (struct said){0}, "files.future files.metadata");
}

static void
macos_enforces_what_seatbelt_enforces(void)
{
	auto_world struct world w;
	static const char limits[] = "{\"limits\": {\"memory\": \"1G\", \"processes\": 5}}";

	world_make(&w);
	w.host.system = SYSTEM_MACOS;
	w.host.view = &fs_macos_minimal;
	w.facts = (struct facts){.system = SYSTEM_MACOS, .kernel = "test"};
	w.facts.values[FACT_SEATBELT] = 1;
	check_gaps(&w, (struct said){.user = "{\"accept\": [\"process.control\"]}"}, "");
	check_gaps(&w,
		   (struct said){.user = limits,
				 .inline_text = "{\"accept\": [\"process.control\"]}"},
		   "limits.processes limits.memory");
	auto_plan struct plan *plan = world_plan(&w, (struct said){0});
	check_str(rights_at(plan, "/etc/hosts"), "r");
	check_str(rights_at(plan, "/private/etc/hosts"), "r");
	check_str(rights_at(plan, "/System/Library"), "rx");
	check_str(rights_at(plan, "$PROJECT/.git/config"), "rx");
	check_int(plan->guarantees[G_SOCKETS_ABSTRACT].status, GUARANTEE_ENFORCED);
	w.facts.values[FACT_SEATBELT] = 0;
	auto_plan struct plan *bare = world_plan(&w, (struct said){0});
	check_int(bare->guarantees[G_FILES_READ].status, GUARANTEE_GAP);
	check_str(bare->guarantees[G_FILES_READ].how, "there is no Seatbelt");
}

static void
the_default_policy_has_no_gap_on_macos(void)
{
	auto_world struct world w;

	world_make(&w);
	w.host.system = SYSTEM_MACOS;
	w.host.view = &fs_macos_minimal;
	w.facts = (struct facts){.system = SYSTEM_MACOS, .kernel = "test"};
	w.facts.values[FACT_SEATBELT] = 1;
	check_gaps(&w, (struct said){0}, "");
}

/* ---- facts as text ---- */

static void
facts_are_read_and_printed(void)
{
	static const char text[] =
		"{\"system\": \"macos\", \"kernel\": \"6.1\", \"landlock_abi\": 5, \"yama\": "
		"2, \"pidfd\": true, \"cgroup\": false}";
	struct facts facts = {0}, again = {0};
	auto_str struct str printed = {0};

	check_int(facts_read("f", text, strlen(text), &facts, NULL), 0);
	check_int(facts.system, SYSTEM_MACOS);
	check_str(facts.kernel, "6.1");
	check_int(facts.values[FACT_LANDLOCK_ABI], 5);
	check_int(facts.values[FACT_YAMA], 2);
	check_int(facts.values[FACT_PIDFD], 1);
	check_int(facts.values[FACT_SECCOMP_NOTIFY], 0);
	facts_print(&facts, &printed);
	check_int(facts_read("f", printed.text, printed.length, &again, NULL), 0);
	check_int(memcmp(facts.values, again.values, sizeof facts.values), 0);
	check_str(again.kernel, facts.kernel);
}

static void
wrong_facts_are_refused_with_their_position(void)
{
	static const struct {
		const char *text, *expected;
	} rows[] = {
		{"[]", "f:1:1: facts are an object, not a list"},
		{"{\"abi\": 1}", "f:1:2: \"abi\" is not a known fact"},
		{"{\"landlock_abi\": true}",
		 "f:1:18: \"landlock_abi\" must be a small whole number"},
		{"{\"landlock_abi\": -1}", "f:1:18: \"landlock_abi\" must be a small whole "
					   "number"},
		{"{\"landlock_abi\": 1001}",
		 "f:1:18: \"landlock_abi\" must be a small whole number"},
		{"{\"yama\": 1.5}", "f:1:10: \"yama\" must be a small whole number"},
		{"{\"pidfd\": 1}", "f:1:11: \"pidfd\" must be true or false"},
		{"{\"system\": \"bsd\"}", "f:1:12: \"system\" must be \"linux\" or \"macos\""},
		{"{\"kernel\": 6}", "f:1:12: \"kernel\" must be a string"},
		{"{", "f:1:2: text ends inside an object"},
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct facts facts = {.kernel = "before"};
		struct cordon_error err = {0};

		check(facts_read("f", rows[i].text, strlen(rows[i].text), &facts, &err) < 0);
		check_str(err.text, rows[i].expected);
		check_str(facts.kernel, "before");
	}
}

static void
a_long_kernel_name_is_cut_between_characters(void)
{
	auto_str struct str text = {0}, printed = {0};
	struct facts facts = {0}, again = {0};

	str_add(&text, "{\"kernel\": \"x");
	for (int i = 0; i < 100; i++)
		str_add(&text, "\xc3\xa9");
	str_add(&text, "\"}");
	check_int(facts_read("f", text.text, text.length, &facts, NULL), 0);
	facts_print(&facts, &printed);
	check_int(facts_read("f", printed.text, printed.length, &again, NULL), 0);
	check_str(again.kernel, facts.kernel);
	check(strlen(facts.kernel) > 70);
}

/* ---- links ---- */

static void
a_grant_through_a_link_the_sandbox_could_plant_is_refused(void)
{
	auto_world struct world w;

	world_make(&w);
	check_int(symlink("/etc/shadow", world_path(&w, "home/p/link")), 0);
	check(strstr(world_error(&w, (struct said){.user = "{\"files\": {\"read\": "
							   "[\"$PROJECT/link\"]}}"}),
		     "leads through") != NULL);
	check_int(w.err.code, CORDON_E_PATH);
	check(strstr(world_error(
			     &w,
			     (struct said){
				     .user = "{\"files\": {\"read\": [\"$PROJECT/link/a/*\"]}}"}),
		     "leads through") != NULL);
	/* in the middle of a path too */
	check_int(symlink("..", world_path(&w, "home/p/up")), 0);
	check(strstr(world_error(&w,
				 (struct said){
					 .user = "{\"files\": {\"write\": [\"$PROJECT/up/x\"]}}"}),
		     "leads through") != NULL);
}

static void
an_optional_grant_through_such_a_link_is_dropped_with_a_notice(void)
{
	auto_world struct world w;

	world_make(&w);
	world_dir(&w, "home/secret");
	check_int(symlink("../secret", world_path(&w, "home/p/link")), 0);
	auto_plan struct plan *plan = world_plan(
		&w, (struct said){
			    .user = "{\"files\": {\"rules\": [{\"effect\": \"allow\", \"rights\": "
				    "\"r\","
				    " \"path\": \"$PROJECT/link\", \"optional\": true}]}}"});
	check_str(rights_at(plan, "~/secret/a"), "");
	check_int(plan->notice_count, 1);
	check(strstr(plan->notice_count > 0 ? plan->notices[0] : "", "not granted: ") != NULL);
}

static void
a_grant_through_a_link_that_the_session_cannot_change_is_allowed(void)
{
	auto_world struct world w;

	world_make(&w);
	world_dir(&w, "home/data");
	check_int(symlink("data", world_path(&w, "home/link")), 0);
	auto_plan struct plan *plan =
		world_plan(&w, (struct said){.user = "{\"files\": {\"read\": [\"~/link\", "
						     "\"~/link/*.x\"]}}"});
	check_str(rights_at(plan, "~/data/a"), "r");
	check_str(rights_at(plan, "~/link/a"), "r");
	check_int(plan->notice_count, 0);
}

static void
a_deny_through_such_a_link_is_refused_too(void)
{
	auto_world struct world w;

	world_make(&w);
	world_dir(&w, "home/p/real");
	check_int(symlink("real", world_path(&w, "home/p/link")), 0);
	/* the link could lead elsewhere next time, and what it meant would be open */
	check(strstr(world_error(&w, (struct said){.user = "{\"files\": {\"deny\": "
							   "[\"$PROJECT/link\"]}}"}),
		     "name its target") != NULL);
	check_str(world_error(&w, (struct said){.user = "{\"files\": {\"deny\": "
							"[\"$PROJECT/real\"]}}"}),
		  "");
}

static void
a_dangling_link_is_an_error(void)
{
	auto_world struct world w;

	world_make(&w);
	check_int(symlink("loop", world_path(&w, "home/loop")), 0);
	check(strstr(world_error(&w,
				 (struct said){.user = "{\"files\": {\"read\": [\"~/loop\"]}}"}),
		     "config.json:1:21: \"~/loop\" cannot be resolved") != NULL);
}

/* ---- tokens ---- */

static const char *const token_environ[] = {
	"XDG_CACHE_HOME=/c/$HOME/~", "XDG_DATA_HOME=relative", "TMPDIR=/t*p",
	"SSH_AUTH_SOCK=/run/agent",  "HOMEBREW=/brew",	       NULL};
static const struct host token_host = {.home = "/h",
				       .cwd = "/elsewhere",
				       .cwd_token = "/w",
				       .project = "/p*",
				       .git = {.git_dir = "/g/d", .common_dir = "/g"},
				       .environ = token_environ};

/* The path, or the message. */
static const char *
expanded(const struct host *host, const char *written, bool glob)
{
	static char copy[300];
	const struct token_text text = {written, {"f", 3, 4}, false, glob};
	auto_arena struct arena arena = {0};
	struct cordon_error err = {0};
	const char *path = NULL;

	snprintf(copy, sizeof copy, "%s",
		 host_expand_token(&arena, host, &text, &path, &err) < 0 ? err.text : path);
	return copy;
}

static void
tokens_are_replaced_at_the_start_and_after_a_slash(void)
{
	static const struct {
		const char *written, *expected;
	} rows[] = {
		{"~", "/h"},
		{"~/a", "/h/a"},
		{"$HOME", "/h"},
		{"$HOME/a/b", "/h/a/b"},
		{"$PROJECT/a", "/p*/a"},
		{"$CWD", "/w"},
		{"$TMPDIR/x", "/t*p/x"},
		{"$SSH_AUTH_SOCK", "/run/agent"},
		{"$GIT_DIR/a", "/g/d/a"},
		{"$GIT_COMMON_DIR", "/g"},
		{"$XDG_CONFIG_HOME/a", "/h/.config/a"},
		{"$XDG_STATE_HOME", "/h/.local/state"},
		/* a relative value is none: the default holds */
		{"$XDG_DATA_HOME", "/h/.local/share"},
		/* inside */
		{"/a/$HOME/b", "/a//h/b"},
		{"/a/~/b", "/a//h/b"},
		{"/a/", "/a/"},
		/* what only looks like a token */
		{"/opt/$HOMEBREW/bin", "/opt/$HOMEBREW/bin"},
		{"/a$HOME/b", "/a$HOME/b"},
		{"/a/b~", "/a/b~"},
		{"/a/~b", "/a/~b"},
		{"/a/$", "/a/$"},
		{"/a/${HOME}", "/a/${HOME}"},
		{"/a/$home", "/a/$home"},
		{"/a/$PATH", "/a/$PATH"},
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		check_str(expanded(&token_host, rows[i].written, false), rows[i].expected);
}

static void
the_value_of_a_token_is_not_expanded_again(void)
{
	check_str(expanded(&token_host, "$XDG_CACHE_HOME/a", false), "/c/$HOME/~/a");
}

static void
a_glob_takes_the_value_of_a_token_literally(void)
{
	check_str(expanded(&token_host, "$PROJECT/*.c", true), "/p\\*/*.c");
	check_str(expanded(&token_host, "$TMPDIR/?", true), "/t\\*p/?");
}

static void
an_unset_token_is_an_error_with_its_position_unless_optional(void)
{
	const struct token_text optional = {"$XDG_RUNTIME_DIR/a", {"f", 3, 4}, true, false};
	auto_arena struct arena arena = {0};
	const char *path = "before";

	check_str(expanded(&token_host, "$XDG_RUNTIME_DIR/a", false),
		  "f:3:4: $XDG_RUNTIME_DIR is not set, so this path cannot be resolved");
	check_int(host_expand_token(&arena, &token_host, &optional, &path, NULL), 0);
	check(path == NULL);
}

static void
without_a_home_what_needs_it_is_unset(void)
{
	static const char *const none[] = {NULL};
	struct host host = token_host;

	host.home = NULL;
	host.git = (struct git_dirs){0};
	host.environ = none;
	check_str(expanded(&host, "~/a", false),
		  "f:3:4: $HOME is not set, so this path cannot be resolved");
	check_str(expanded(&host, "/a/~", false),
		  "f:3:4: $HOME is not set, so this path cannot be resolved");
	check_str(expanded(&host, "$XDG_CACHE_HOME", false),
		  "f:3:4: $XDG_CACHE_HOME is not set, so this path cannot be resolved");
	check_str(expanded(&host, "$GIT_DIR", false), "(null)");
	check_str(expanded(&host, "$TMPDIR", false), "/tmp");
	check_str(expanded(&host, "$PROJECT", false), "/p*");
}

static void
without_a_home_profiles_still_work_and_the_users_tilde_does_not(void)
{
	auto_world struct world w;

	world_make(&w);
	w.host.home = NULL;
	auto_plan struct plan *plan = world_plan(&w, (struct said){.args = {"node"}});
	check_str(rights_at(plan, "$PROJECT/a"), "rwcdx");
	check(strstr(world_error(&w, (struct said){.user = "{\"files\": {\"read\": [\"~/a\"]}}"}),
		     "config.json:1:21: $HOME is not set") != NULL);
}

/* ---- the environment ---- */

static void
check_variable(struct world *world, const char *user, const char *name, bool passes)
{
	auto_plan struct plan *plan = world_plan(world, (struct said){.user = user});
	struct env_answer answer = environ_decide(&plan->settings, name);

	if (answer.passes != passes)
		printf("# for %s with %s: %s\n", name, user == NULL ? "nothing" : user,
		       answer.reason);
	check_int(answer.passes, passes);
	check(answer.reason != NULL);
}

#define MODE(mode) "{\"env\": {\"mode\": \"" mode "\"}}"

static void
each_environment_mode_passes_its_variables(void)
{
	static const struct {
		const char *name;
		bool explicit, scrub, developer, inherit;
	} rows[] = {
		{"PATH", false, true, true, true},
		{"HOME", false, true, true, true},
		{"LC_ALL", false, true, true, true},
		{"TERM", false, true, true, true},
		{"TZ", false, true, true, true},
		{"CARGO_HOME", false, false, true, true},
		{"EDITOR", false, false, true, true},
		{"AWS_SECRET_ACCESS_KEY", false, false, false, true},
		{"GITHUB_TOKEN", false, false, false, true},
		{"PATHX", false, false, false, true},
		{"LD_PRELOAD", false, false, false, false},
		{"TMPDIR", true, true, true, true},
		{"TMUX_TMPDIR", true, true, true, true},
	};
	auto_world struct world w;

	world_make(&w);
	for (size_t i = 0; i < COUNT(rows); i++) {
		check_variable(&w, MODE("explicit"), rows[i].name, rows[i].explicit);
		check_variable(&w, MODE("scrub"), rows[i].name, rows[i].scrub);
		check_variable(&w, MODE("developer"), rows[i].name, rows[i].developer);
		check_variable(&w, MODE("inherit"), rows[i].name, rows[i].inherit);
	}
}

/* What leads Java to the private tmp passes by its own name only: more can be in it. */
static void
javas_options_pass_by_name_only(void)
{
	static const struct {
		const char *user;
		bool passes;
	} rows[] = {
		{MODE("inherit"), false},
		{"{\"env\": {\"allow\": [\"J*\"]}}", false},
		{"{\"env\": {\"allow\": [\"JAVA_TOOL_OPTIONS\"]}}", true},
		{"{\"env\": {\"mode\": \"inherit\"}, \"tmp\": \"shared\"}", false},
	};
	auto_world struct world w;

	world_make(&w);
	for (size_t i = 0; i < COUNT(rows); i++) {
		auto_plan struct plan *plan = world_plan(&w, (struct said){.user = rows[i].user});
		struct env_answer answer = environ_decide(&plan->settings, "JAVA_TOOL_OPTIONS");

		check_int(answer.passes, rows[i].passes);
		check(answer.value == NULL);
		check_int(environ_names(&plan->settings, "JAVA_TOOL_OPTIONS"), rows[i].passes);
	}
}

static void
loader_variables_pass_by_their_own_name_only(void)
{
	static const char *const loaders[] = {"LD_PRELOAD",	  "LD_LIBRARY_PATH",
					      "LD_ANYTHING",	  "DYLD_INSERT_LIBRARIES",
					      "BASH_ENV",	  "ENV",
					      "BASH_FUNC_x",	  "NODE_OPTIONS",
					      "PYTHONPATH",	  "PYTHONSTARTUP",
					      "PERL5OPT",	  "RUBYOPT",
					      "_JAVA_OPTIONS",	  "GIT_SSH_COMMAND",
					      "GIT_CONFIG_COUNT", "GIT_EXTERNAL_DIFF",
					      "LESSOPEN",	  "PROMPT_COMMAND",
					      "GCONV_PATH",	  "OPENSSL_CONF"};
	static const char *const others[] = {"LDFLAGS",	    "NODE_ENV",	       "PYTHONUNBUFFERED",
					     "ENVIRONMENT", "GIT_AUTHOR_NAME", "LD"};
	auto_world struct world w;
	char prefix[200], name[200];

	world_make(&w);
	for (size_t i = 0; i < COUNT(loaders); i++) {
		snprintf(prefix, sizeof prefix,
			 "{\"env\": {\"mode\": \"inherit\", \"allow\": [\"%.1s*\"]}}", loaders[i]);
		snprintf(name, sizeof name,
			 "{\"env\": {\"mode\": \"explicit\", \"allow\": [\"%s\"]}}", loaders[i]);
		check(environ_is_loader(loaders[i]));
		check_variable(&w, MODE("inherit"), loaders[i], false);
		check_variable(&w, prefix, loaders[i], false);
		check_variable(&w, name, loaders[i], true);
	}
	for (size_t i = 0; i < COUNT(others); i++) {
		check(!environ_is_loader(others[i]));
		check_variable(&w, MODE("inherit"), others[i], true);
	}
	check_variable(&w, "{\"env\": {\"set\": {\"LD_PRELOAD\": \"x\"}}}", "LD_PRELOAD", true);
}

static void
variables_that_lead_to_a_socket_need_that_socket(void)
{
	static const struct {
		const char *name, *sockets;
		bool passes;
	} rows[] = {
		{"SSH_AUTH_SOCK", "", false},
		{"SSH_AUTH_SOCK", "\"docker\"", false},
		{"SSH_AUTH_SOCK", "\"ssh-agent\"", true},
		{"SSH_AUTH_SOCK", "\"$SSH_AUTH_SOCK\"", true},
		{"GPG_TTY", "", false},
		{"GPG_TTY", "\"gpg-agent\"", true},
		{"XDG_RUNTIME_DIR", "", false},
		{"XDG_RUNTIME_DIR", "\"docker\"", false},
		{"XDG_RUNTIME_DIR", "\"$XDG_RUNTIME_DIR/x\"", true},
		{"XDG_RUNTIME_DIR", "\"wayland\"", true},
		{"XDG_CONFIG_HOME", "", true},
	};
	auto_world struct world w;

	world_make(&w);
	w.environ[0] = "SSH_AUTH_SOCK=/run/agent";
	w.environ[1] = "XDG_RUNTIME_DIR=/run/user/1";
	for (size_t i = 0; i < COUNT(rows); i++) {
		char user[100];

		snprintf(user, sizeof user,
			 "{\"env\": {\"mode\": \"developer\"}, \"sockets\": [%s]}",
			 rows[i].sockets);
		check_variable(&w, user, rows[i].name, rows[i].passes);
	}
}

static void
names_pass_by_name_prefix_or_value(void)
{
	auto_world struct world w;
	static const char user[] =
		"{\"env\": {\"mode\": \"explicit\", \"allow\": [\"A\", \"B_*\"], \"set\": "
		"{\"C\": \"1\", \"TMPDIR\": \"/x\"}}}";

	world_make(&w);
	check_variable(&w, user, "A", true);
	check_variable(&w, user, "AA", false);
	check_variable(&w, user, "B_", true);
	check_variable(&w, user, "B_X", true);
	check_variable(&w, user, "B", false);
	check_variable(&w, user, "C", true);
	check_variable(&w, user, "D", false);
	auto_plan struct plan *plan = world_plan(&w, (struct said){.user = user});
	check_str(environ_decide(&plan->settings, "C").value, "1");
	check_str(environ_decide(&plan->settings, "TMPDIR").value, "/x");
	check(environ_decide(&plan->settings, "A").value == NULL);
	check_int(environ_decide(&plan->settings, "A").srcpos->line, 1);
	auto_plan struct plan *shared = world_plan(
		&w,
		(struct said){.user = "{\"tmp\": \"shared\", \"env\": {\"mode\": \"explicit\"}}"});
	check(!environ_decide(&shared->settings, "TMPDIR").passes);
}

/* ---- network and sockets ---- */

static void
subjects_are_split_into_host_and_port(void)
{
	static const struct {
		const char *subject, *host;
		unsigned port; /* 0: refused */
	} rows[] = {
		{"a.example:443", "a.example", 443},
		{"[::1]:80", "::1", 80},
		{"1.2.3.4:65535", "1.2.3.4", 65535},
		{"a.example", "", 0},
		{"a.example:", "", 0},
		{"a.example:0", "", 0},
		{"a.example:65536", "", 0},
		{"a.example:-1", "", 0},
		{"a.example:80x", "", 0},
		{":80", "", 0},
		{"[]:80", "", 0},
		{"[::1:80", "", 0},
		{"a.example:99999999999999999999", "", 0},
		{"", "", 0},
		{"a.example: 80", "", 0},
		{"a.example:+80", "", 0},
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		char host[64] = "";
		unsigned port = 0;
		int rc = network_split(rows[i].subject, host, sizeof host, &port, NULL);

		check_int(rc, rows[i].port == 0 ? -CORDON_E_USAGE : 0);
		check_int(port, rows[i].port);
		check_str(host, rows[i].host);
	}
}

static void
check_connect(struct world *world, const char *network, const char *subject, int expected)
{
	char user[200];
	auto_str struct str text = {0};

	snprintf(user, sizeof user, "{\"network\": %s}", network);
	auto_plan struct plan *plan = world_plan(world, (struct said){.user = user});
	int answer = why_answer(plan, "connect", subject, false, &text, NULL);
	if (answer != expected)
		printf("# for %s with %s\n", subject, network);
	check_int(answer, expected);
}

static void
connections_follow_the_mode(void)
{
	static const char domains[] = "{\"domains\": [\"a.example\", \"*.b.example\"]}";
	auto_world struct world w;

	world_make(&w);
	check_connect(&w, "\"none\"", "a.example:443", 0);
	check_connect(&w, "\"none\"", "127.0.0.1:80", 0);
	check_connect(&w, "\"all\"", "a.example:1", 1);
	check_connect(&w, "\"all\"", "10.0.0.1:22", 1);
	check_connect(&w, "\"localhost\"", "127.0.0.1:5000", 1);
	check_connect(&w, "\"localhost\"", "127.8.9.1:5000", 1);
	check_connect(&w, "\"localhost\"", "[::1]:5000", 1);
	check_connect(&w, "\"localhost\"", "[::ffff:127.0.0.1]:5000", 1);
	check_connect(&w, "\"localhost\"", "LocalHost:5000", 1);
	check_connect(&w, "\"localhost\"", "x.localhost:5000", 1);
	check_connect(&w, "\"localhost\"", "128.0.0.1:5000", 0);
	check_connect(&w, "\"localhost\"", "localhost.example:5000", 0);
	check_connect(&w, "\"localhost\"", "xlocalhost:5000", 0);
	check_connect(&w, "\"localhost\"", "[::ffff:128.0.0.1]:5000", 0);
	check_connect(&w, "{\"localhost\": [5000]}", "127.0.0.1:5000", 1);
	check_connect(&w, "{\"localhost\": [5000]}", "127.0.0.1:5001", 0);
	check_connect(&w, domains, "a.example:443", 1);
	check_connect(&w, domains, "A.Example.:80", 1);
	check_connect(&w, domains, "a.example:22", 0);
	check_connect(&w, domains, "x.a.example:443", 0);
	check_connect(&w, domains, "x.b.example:443", 1);
	check_connect(&w, domains, "b.example:443", 0);
	check_connect(&w, domains, "xb.example:443", 0);
	check_connect(&w, domains, "*.b.example:443", 0);
	check_connect(&w, domains, "127.0.0.1:443", 0);
	check_connect(&w, domains, "localhost:443", 0);
	check_connect(&w, domains, "a.example", -CORDON_E_USAGE);
}

static void
check_socket(const struct plan *plan, const char *path, int expected)
{
	auto_str struct str text = {0};

	check_int(why_answer(plan, "socket", path, false, &text, NULL), expected);
}

static void
sockets_are_granted_by_path_or_preset(void)
{
	auto_world struct world w;

	world_make(&w);
	w.environ[0] = "SSH_AUTH_SOCK=/run/agent";
	auto_plan struct plan *plan = world_plan(
		&w,
		(struct said){.user = "{\"sockets\": [\"ssh-agent\", \"~/s.sock\", \"podman\"]}"});
	check_socket(plan, "/run/agent", 1);
	check_socket(plan, "$SSH_AUTH_SOCK", 1);
	check_socket(plan, "~/s.sock", 1);
	check_socket(plan, "~/s.sock2", 0);
	check_socket(plan, "/run/docker.sock", 0);
	check_socket(plan, "$PROJECT/x.sock", 1);
	auto_plan struct plan *none = world_plan(&w, (struct said){0});
	check_socket(none, "/run/agent", 0);
	check(strstr(world_error(&w,
				 (struct said){.user = "{\"sockets\": [\"$XDG_RUNTIME_DIR/x\"]}"}),
		     "$XDG_RUNTIME_DIR is not set") != NULL);
}

/* ---- printing ---- */

static void
check_json(const struct str *text)
{
	auto_arena struct arena arena = {0};
	const struct json *value = NULL;
	struct cordon_error err = {0};

	check_int(json_read(&arena, "printed", text->text, text->length, &value, &err), 0);
	check_str(err.text, "");
}

static void
what_is_printed_as_json_is_json_whatever_the_names(void)
{
	auto_world struct world w;
	const char *subjects[] = {"/a\"b\\c\x01\x1b\xc3\xa9", "$PROJECT/.vscode", "$HOME/.ssh/id"};

	world_make(&w);
	auto_plan struct plan *plan = world_plan(
		&w,
		(struct said){
			.user = "{\"files\": {\"deny\": [\"/a\\\"b\", \"**/\\\"*\"], \"rules\": "
				"[{\"effect\":"
				" \"allow\", \"rights\": \"r\", \"path\": \"/q\\\\\", \"why\": "
				"\"\\n\\\"\"}]},"
				" \"env\": {\"set\": {\"A\": \"\\u0001\\\"\"}}, \"limits\": "
				"{\"time\": 90}}",
			.project = "{\"network\": \"all\", \"files\": {\"read\": [\"/\\\"\"]}}"});
	auto_str struct str whole = {0}, words = {0};
	print_json_plan(plan, &whole);
	check_json(&whole);
	for (int verbose = 0; verbose < 2; verbose++)
		print_text_plan(plan, verbose, &words);
	check(strpbrk(words.text, "\x01\x1b") == NULL);
	for (size_t i = 0; i < COUNT(subjects); i++) {
		static const char *const whats[] = {"read", "rwcdx", "socket"};

		for (size_t k = 0; k < COUNT(whats); k++) {
			auto_str struct str json = {0}, text = {0};

			check(why_answer(plan, whats[k], subjects[i], true, &json, NULL) >= 0);
			check_json(&json);
			check(why_answer(plan, whats[k], subjects[i], false, &text, NULL) >= 0);
			check(strpbrk(text.text, "\x01\x1b") == NULL);
		}
	}
}

static void
an_answer_has_the_rule_and_the_remedy(void)
{
	auto_world struct world w;
	auto_str struct str denied = {0}, allowed = {0}, guarded = {0}, bad = {0};

	world_make(&w);
	auto_plan struct plan *plan = world_plan(
		&w, (struct said){.user = "{\"files\": {\"deny\": [\"~/a\"]}}",
				  .inline_text = "{\"files\": {\"read\": [\"~/a/b\", \"~/c\"]}}"});
	check_int(why_answer(plan, "read", "~/a/b", false, &denied, NULL), 0);
	check(strstr(denied.text,
		     "config.json:1:21: deny read + write + create + delete + execute ~/a; "
		     "final, because the user layer is trusted more") != NULL);
	check(strstr(denied.text, "to allow it") == NULL);
	check_int(why_answer(plan, "r", "~/c/d", false, &allowed, NULL), 1);
	check(strstr(allowed.text, "--policy-json:1:30: allow read ~/c") != NULL);
	check_int(why_answer(plan, "write", "$PROJECT/.envrc", false, &guarded, NULL), 0);
	check(strstr(guarded.text, "it is protected: direnv runs it (**/.envrc)") != NULL);
	check(strstr(guarded.text, "to allow it: --write ") != NULL);
	check_int(why_answer(plan, "fly", "/a", false, &bad, NULL), -CORDON_E_USAGE);
	check_int(why_answer(plan, "", "/a", false, &bad, NULL), -CORDON_E_USAGE);
}

static void
an_ignored_git_pointer_has_a_notice(void)
{
	auto_world struct world w;

	world_make(&w);
	w.host.git.refused = "it leads out";
	auto_plan struct plan *plan = world_plan(&w, (struct said){0});
	check_int(plan->notice_count, 1);
	check(strstr(plan->notices[0], "is ignored: it leads out") != NULL);
}

static void
the_git_folders_of_a_worktree_are_granted_and_protected(void)
{
	auto_world struct world w;

	world_make(&w);
	w.host.git.common_dir = world_dir(&w, "store");
	w.host.git.git_dir = world_dir(&w, "store/worktrees/w");
	auto_plan struct plan *plan = world_plan(&w, (struct said){0});
	check_str(rights_at(plan, "$GIT_COMMON_DIR/objects/x"), "rwcd");
	check_str(rights_at(plan, "$GIT_DIR/HEAD"), "rwcd");
	check_str(rights_at(plan, "$GIT_COMMON_DIR/hooks/pre-commit"), "r");
	check(index_decide(&plan->index, world_path(&w, "store/config")).vetted != NULL);
	w.host.git = (struct git_dirs){0};
	auto_plan struct plan *without = world_plan(&w, (struct said){0});
	check_str(rights_at(without, world_path(&w, "store/objects/x")), "");
}

static void
a_rule_for_worktrees_covers_the_gits_folders(void)
{
	auto_world struct world w;
	static const char text[] =
		"{\"extends\": [], \"files\": {\"rules\": [{\"effect\": \"allow\", "
		"\"rights\": \"r\", \"path\": \"$PROJECT\", \"worktrees\": true}]}}";

	world_make(&w);
	w.host.git.common_dir = w.host.git.git_dir = world_dir(&w, "store");
	auto_plan struct plan *plan = world_plan(&w, (struct said){.user = text});
	check_str(rights_at(plan, "$PROJECT/a"), "r");
	check_str(rights_at(plan, "$GIT_DIR/a"), "r");
	check_str(rights_at(plan, "$HOME"), "");
}

/* ---- terminals ---- */

#define RULE(rights, path, match)                                                \
	"{\"files\": {\"rules\": [{\"effect\": \"allow\", \"rights\": \"" rights \
	"\", \"path\": \"" path "\", \"match\": \"" match "\"}]}}"

static void
only_ptys_of_the_session_are_granted_unless_a_rule_names_others(void)
{
	static const unsigned both = RIGHT_READ | RIGHT_WRITE;
	static const struct {
		const char *text;
		unsigned folder, third;
	} rows[] = {
		{"{}", both, both},
		{"{\"files\": {\"deny\": [\"$PROJECT/x\"]}}", both, both},
		{"{\"files\": {\"deny\": [\"**/*.x\"]}}", both, both},
		{RULE("rw", "/dev/pts", "subpath"), 0, 0},
		{RULE("rw", "/dev/pts/3", "subpath"), both, 0},
		{RULE("r", "/dev/pts/3", "subpath"), both, RIGHT_WRITE},
		{RULE("r", "/dev", "subpath"), RIGHT_WRITE, RIGHT_WRITE},
		{RULE("r", "/dev/pts", "literal"), both, both},
		{RULE("rw", "/dev/pts/?", "glob"), both, 0},
		{RULE("rw", "/dev/pts/*", "glob"), 0, 0},
		/* then every open is asked about */
		{"{\"files\": {\"default\": \"r\"}}", both, both},
		{"{\"accept\": [\"files.metadata\", \"files.future\"]}", 0, 0},
	};
	auto_world struct world w;

	world_make(&w);
	for (size_t i = 0; i < COUNT(rows); i++) {
		auto_plan struct plan *plan = world_plan(&w, (struct said){.user = rows[i].text});

		check_int((int)plan_own_terminals(plan, TERMINALS), (int)rows[i].folder);
		check_int((int)plan_own_terminals(plan, "/dev/pts/3"), (int)rows[i].third);
		check_int((int)plan_own_terminals(plan, "/dev/ptsx"), 0);
	}
	auto_plan struct plan *open = world_plan(&w, (struct said){.args = {"open-reads"}});
	check_int((int)plan_own_terminals(open, "/dev/pts/3"), (int)both);
	w.facts.values[FACT_OUTER_CORDON] = OFFER_HERE | OFFER_CHANGES;
	auto_plan struct plan *inside = world_plan(&w, (struct said){0});
	check_int((int)plan_own_terminals(inside, TERMINALS), 0);
	w.facts.values[FACT_OUTER_CORDON] |= OFFER_TERMINALS;
	auto_plan struct plan *asked = world_plan(&w, (struct said){0});
	check_int((int)plan_own_terminals(asked, TERMINALS), (int)both);
}

int
main(void)
{
	run(only_ptys_of_the_session_are_granted_unless_a_rule_names_others);
	run(on_abi_7_the_default_policy_has_no_gap);
	run(with_a_broker_every_abi_enforces_the_default);
	run(without_notification_each_abi_has_its_gaps);
	run(without_landlock_guarantees_of_files_are_gaps);
	run(with_yama_2_there_is_no_broker_and_a_reason);
	run(without_killable_waits_calls_are_interruptible);
	run(without_seccomp_and_pidfds_there_are_gaps);
	run(limits_that_need_a_cgroup_are_gaps_without_one);
	run(signals_are_supervised_only_with_sockets);
	run(a_gap_is_accepted_by_name_and_no_other);
	run(only_required_guarantees_can_be_gaps);
	run(a_deny_inside_what_is_allowed_needs_the_broker);
	run(a_deny_of_less_than_the_tree_another_layer_grants_needs_the_broker);
	run(patterns_need_the_broker);
	run(in_a_nest_only_calls_that_the_outer_session_supervises_are_enforced);
	run(macos_enforces_what_seatbelt_enforces);
	run(the_default_policy_has_no_gap_on_macos);
	run(facts_are_read_and_printed);
	run(wrong_facts_are_refused_with_their_position);
	run(a_long_kernel_name_is_cut_between_characters);
	run(a_grant_through_a_link_the_sandbox_could_plant_is_refused);
	run(an_optional_grant_through_such_a_link_is_dropped_with_a_notice);
	run(a_grant_through_a_link_that_the_session_cannot_change_is_allowed);
	run(a_deny_through_such_a_link_is_refused_too);
	run(a_dangling_link_is_an_error);
	run(tokens_are_replaced_at_the_start_and_after_a_slash);
	run(the_value_of_a_token_is_not_expanded_again);
	run(a_glob_takes_the_value_of_a_token_literally);
	run(an_unset_token_is_an_error_with_its_position_unless_optional);
	run(without_a_home_what_needs_it_is_unset);
	run(without_a_home_profiles_still_work_and_the_users_tilde_does_not);
	run(each_environment_mode_passes_its_variables);
	run(javas_options_pass_by_name_only);
	run(loader_variables_pass_by_their_own_name_only);
	run(variables_that_lead_to_a_socket_need_that_socket);
	run(names_pass_by_name_prefix_or_value);
	run(subjects_are_split_into_host_and_port);
	run(connections_follow_the_mode);
	run(sockets_are_granted_by_path_or_preset);
	run(what_is_printed_as_json_is_json_whatever_the_names);
	run(an_answer_has_the_rule_and_the_remedy);
	run(an_ignored_git_pointer_has_a_notice);
	run(the_git_folders_of_a_worktree_are_granted_and_protected);
	run(a_rule_for_worktrees_covers_the_gits_folders);
	return tap_end();
}
