// SPDX-License-Identifier: MIT
/*
 * What asks macOS itself, tried against a macOS that is made up: the order of calls, their arguments,
 * and every failure. What is tested is the code that runs on a Mac; the Mac is not.
 */
#include "fakemac.h"

#include "enforce/enforce.h"
#include "enforce/process_id.h"
#include "enforce/session_group.h"
#include "macos/process/kill_scan.h"
#include "macos/seatbelt.h"
#include "tap.h"
#include "world.h"

static struct fingerprint mark_pair = {"/fp", "/fp/allow", "/fp/deny"};
static const struct scan_criteria by_fingerprint = {.fingerprint = &mark_pair};

/* ---- applying ---- */

/* A profile and a real pair of files, in a folder of its own. */
struct box_case {
	char folder[200];
	struct fingerprint pair;
	struct sbpl *sbpl;
	struct seatbelt seatbelt;
	struct cordon_error err;
};

static void
case_make(struct box_case *c)
{
	const char *tmp = getenv("TMPDIR");

	fake_reset();
	*c = (struct box_case){.folder = ""};
	snprintf(c->folder, sizeof c->folder, "%.150s/fp.XXXXXX", tmp != NULL ? tmp : "/tmp");
	check(mkdtemp(c->folder) != NULL);
	check_int(fingerprint_make(c->folder, "0123456789abcdef", &c->pair, &c->err), 0);
	fake.allowed = c->pair.allowed;
	fake.denied = c->pair.denied;
	check_int(sbpl_fingerprint_only(
			  &(struct sbpl_options){.fingerprint = {c->pair.allowed, c->pair.denied}},
			  &c->sbpl, &c->err),
		  0);
	check_int(seatbelt_prepare(c->sbpl, &c->pair, NULL, &c->seatbelt, &c->err), 0);
}

static void
case_free(struct box_case *c)
{
	char inner[240];

	fake.self_sandbox = 0;
	fingerprint_remove(&c->pair);
	snprintf(inner, sizeof inner, "%s/fingerprints", c->folder);
	check_int(rmdir(inner), 0);
	check_int(rmdir(c->folder), 0);
	sbpl_free(c->sbpl);
}

static void
a_profile_is_applied_with_its_parameters_and_tested(void)
{
	struct box_case c;

	case_make(&c);
	check_int(seatbelt_apply(&c.seatbelt, &c.err), 0);
	check_str(fake.log, "init ");
	check_str(fake.profile, c.sbpl->text);
	check_int(fake.pair_count, 4);
	check_str(fake.pairs[0], "P0");
	check_str(fake.pairs[1], c.pair.allowed);
	check_str(fake.pairs[2], "P1");
	check_str(fake.pairs[3], c.pair.denied);
	check_int(fake.checks_reported, 0);
	check_int(c.err.code, 0);
	case_free(&c);
}

static void
a_refused_profile_is_an_error_with_seatbelts_message(void)
{
	struct box_case c;

	case_make(&c);
	fake.init_result = -1;
	fake.init_message = "unbound variable: file-red";
	check_int(seatbelt_apply(&c.seatbelt, &c.err), -CORDON_E_SYSTEM);
	check_str(c.err.text, "Seatbelt refused the profile: unbound variable: file-red");
	check_str(fake.log, "init free ");
	check_int(fake.frees, 1);
	case_free(&c);
}

static void
a_refusal_without_a_message_has_a_reason(void)
{
	struct box_case c;

	case_make(&c);
	fake.init_result = -1;
	fake.init_errno = EPERM;
	check_int(seatbelt_apply(&c.seatbelt, &c.err), -CORDON_E_SYSTEM);
	check_str(c.err.text, "Seatbelt refused the profile: Operation not permitted");
	check_int(fake.frees, 0);
	case_free(&c);
}

/* Words that come with success are freed as well. */
static void
no_message_is_leaked(void)
{
	struct box_case c;

	case_make(&c);
	fake.init_message = "a warning";
	check_int(seatbelt_apply(&c.seatbelt, &c.err), 0);
	check_int(fake.frees, 1);
	case_free(&c);
}

static void
a_profile_that_is_not_enforced_is_an_error(void)
{
	static const int sandboxes[] = {0, 3, 4};

	for (size_t i = 0; i < sizeof sandboxes / sizeof sandboxes[0]; i++) {
		struct box_case c;

		case_make(&c);
		fake.init_does_nothing = true;
		fake.self_sandbox = sandboxes[i];
		check_int(seatbelt_apply(&c.seatbelt, &c.err), -CORDON_E_SYSTEM);
		check_str(c.err.text, "Seatbelt accepted the profile and does not enforce it");
		case_free(&c);
	}
}

/* The kernel says one thing when asked and does another. */
static void
sandbox_check_is_not_enough_the_files_are_opened(void)
{
	struct box_case c;

	case_make(&c);
	check_int(unlink(c.pair.allowed), 0);
	check_int(seatbelt_apply(&c.seatbelt, &c.err), -CORDON_E_SYSTEM);
	check(strstr(c.err.text, "refuses a path that the profile allows") != NULL);
	case_free(&c);
	case_make(&c);
	fake.open_leaks = true;
	check_int(seatbelt_apply(&c.seatbelt, &c.err), -CORDON_E_SYSTEM);
	check(strstr(c.err.text, "let a path be opened") != NULL);
	case_free(&c);
}

/* ---- the fingerprint ---- */

static void
a_fingerprint_is_new_and_has_mode_700(void)
{
	struct box_case c;
	struct fingerprint twin = {.folder = ""};
	struct stat st;

	case_make(&c);
	check_int(stat(c.pair.folder, &st), 0);
	check_int(st.st_mode & 07777, 0700);
	check_int(stat(c.pair.allowed, &st), 0);
	check_int(st.st_mode & 07777, 0600);
	check_int(stat(c.pair.denied, &st), 0);
	/* the name was already in use */
	check_int(fingerprint_make(c.folder, "0123456789abcdef", &twin, &c.err), -CORDON_E_PATH);
	check_str(twin.folder, "");
	check_int(stat(c.pair.allowed, &st), 0);
	fingerprint_remove(&c.pair);
	check_int(stat(c.pair.allowed, &st), -1);
	fingerprint_remove(&c.pair);
	case_free(&c);
}

static void
only_the_own_session_matches(void)
{
	fake_reset();
	check(fingerprint_matches(&mark_pair, fake_add(1, 1)->pid));
	for (int sandbox = 0; sandbox < 7; sandbox++)
		check_int(fingerprint_matches(&mark_pair, fake_add(sandbox, 1)->pid), sandbox == 1);
	/* gone: the answer is an error, and that is no match */
	check(!fingerprint_matches(&mark_pair, 999));
	check_int(fake.checks_reported, 0);
}

static void
without_a_fingerprint_no_process_matches(void)
{
	static const struct fingerprint none = {.folder = ""};

	fake_reset();
	check(!fingerprint_matches(&none, fake_add(1, 1)->pid));
}

/* ---- looking and ending ---- */

static void
everything_of_the_session_ends_and_nothing_else(void)
{
	struct tree_end end;

	fake_reset();
	for (int i = 0; i < 40; i++)
		fake_add(i % 5, i % 3 == 0 ? 1 : fake.self);
	check(!kill_scan_is_empty(&by_fingerprint));
	check(kill_scan_kill(&by_fingerprint, 1000, &end));
	check_int(end.ended, 8);
	check_int(end.left, 0);
	check_int(fake_alive(1), 0);
	for (int sandbox = 0; sandbox < 5; sandbox++)
		check_int(fake_alive(sandbox), sandbox == 1 ? 0 : 8);
	check(kill_scan_is_empty(&by_fingerprint));
	check_int(fake.checks_reported, 0);
}

static void
both_fingerprint_paths_are_checked(void)
{
	struct tree_end end;

	fake_reset();
	fake_add(1, 1)->euid = getuid() + 1;
	fake_add(1, 1)->ruid = getuid() + 1;
	fake_add(1, 1);
	check(kill_scan_kill(&by_fingerprint, 1000, &end));
	check_int(end.ended, 3);
	check_int(fake_alive(1), 0);
}

static void
zombies_are_no_processes(void)
{
	struct tree_end end;

	fake_reset();
	fake_add(1, fake.self)->zombie = true;
	check(kill_scan_is_empty(&by_fingerprint));
	check(kill_scan_kill(&by_fingerprint, 1000, &end));
	check_int(end.ended, 0);
	check(strstr(fake.log, "kill") == NULL);
}

/* Each starts another at every look, for a while: a chain of setsid and double forks. */
static void
a_process_forked_after_the_scan_is_found_by_the_next(void)
{
	struct tree_end end;

	fake_reset();
	for (int i = 0; i < 3; i++)
		fake_add(1, 1)->forks = 6;
	check(kill_scan_kill(&by_fingerprint, 5000, &end));
	check_int(fake_alive(1), 0);
	check(end.ended >= 3 + 18);
	check_int(end.left, 0);
}

/* Not there yet at the first look that found nothing. */
static void
one_empty_scan_is_not_enough(void)
{
	struct tree_end end;

	fake_reset();
	fake_add(1, 1);
	fake_add(1, 1)->hidden = 2;
	check(kill_scan_kill(&by_fingerprint, 1000, &end));
	check_int(fake_alive(1), 0);
	check_int(end.ended, 2);
}

/* It continues for longer than the deadline; giving up then would leave all of it. */
static void
the_deadline_counts_from_the_last_death(void)
{
	struct tree_end end;

	fake_reset();
	fake_add(1, 1)->immortal = true;
	fake.all[0].forks = 60;
	fake.all[0].group = 1;
	check(!kill_scan_kill(&by_fingerprint, 200, &end));
	check_int(end.left, 1);
	check_int(fake_alive(1), 1);
	check_int(end.survivors[0].pid, 1000);
	check(fake.now_us >= 500000 && fake.now_us < 900000);
	/* without one that stays, all of it ends */
	fake_reset();
	for (int i = 0; i < 4; i++)
		fake_add(1, 1)->forks = 60;
	check(kill_scan_kill(&by_fingerprint, 50, &end));
	check_int(fake_alive(1), 0);
	check_int(end.left, 0);
}

static void
a_reused_pid_is_not_signalled(void)
{
	struct tree_end end;
	pid_t pid;

	fake_reset();
	pid = fake_add(1, 1)->pid;
	fake.recycle = pid;
	check(kill_scan_kill(&by_fingerprint, 1000, &end));
	check(strstr(fake.log, "kill") == NULL);
	check(fake_find(pid) != NULL && fake_find(pid)->signals == 0);
	check_int(end.ended, 0);
}

static void
a_process_that_does_not_die_is_reported_and_not_waited_for(void)
{
	struct tree_end end;

	fake_reset();
	fake_add(1, 1)->immortal = true;
	fake_add(1, 1);
	check(!kill_scan_kill(&by_fingerprint, 300, &end));
	check_int(end.left, 1);
	check_int(end.ended, 1);
	check_int(end.survivors[0].pid, 1000);
	check_str(end.survivors[0].name, "p1000");
	check(fake.now_us >= 300000 && fake.now_us < 500000);
}

static void
a_process_that_cannot_be_signalled_is_not_waited_for(void)
{
	struct tree_end end;

	fake_reset();
	fake_add(1, 1)->foreign = true;
	check(!kill_scan_kill(&by_fingerprint, 10000, &end));
	check_int(end.left, 1);
	check(fake.now_us < 100000);
}

static void
a_failed_scan_is_not_an_empty_one(void)
{
	struct tree_end end;

	fake_reset();
	fake_add(1, 1);
	fake.list_fails = 2;
	check(!kill_scan_is_empty(&by_fingerprint));
	fake.list_fails = 7;
	check(kill_scan_kill(&by_fingerprint, 1000, &end));
	check_int(fake_alive(1), 0);
	/* never an answer: then there is none */
	fake_reset();
	fake.list_fails = 1 << 20;
	check(!kill_scan_kill(&by_fingerprint, 200, &end));
}

static void
more_than_can_be_listed_are_ended_in_turn(void)
{
	struct tree_end end;

	fake_reset();
	for (int i = 0; i < 500; i++)
		fake_add(1, 1);
	fake.room = 64;
	check(!kill_scan_is_empty(&by_fingerprint));
	check(kill_scan_kill(&by_fingerprint, 10000, &end));
	check_int(end.ended, 500);
	check_int(fake_alive(1), 0);
	/* a full list without any of ours says nothing */
	fake.room = 1;
	check(!kill_scan_is_empty(&by_fingerprint));
	fake.room = 0;
	check(kill_scan_is_empty(&by_fingerprint));
}

static void
a_process_group_led_by_the_session_is_signalled_at_once(void)
{
	struct tree_end end;

	fake_reset();
	fake_add(1, fake.self);
	fake_add(1, 1000)->group = 1000;
	/* a zombie among them makes killpg say EPERM, and the rest dies all the same */
	fake_add(1, 1000)->group = 1000;
	fake.all[2].zombie = true;
	check(kill_scan_kill(&by_fingerprint, 1000, &end));
	check(strstr(fake.log, "killpg9:1000") != NULL);
	check(strstr(fake.log, "kill9:") == NULL);
	check_int(fake_alive(1), 0);
	check_int(end.ended, 2);
}

/* The caller's, or a pipeline's: others are in it. */
static void
a_process_group_led_by_another_process_is_not_signalled(void)
{
	struct tree_end end;

	fake_reset();
	fake_add(0, 1);
	fake_add(1, 1)->group = 1000;
	fake_add(0, 1)->group = 1000;
	fake_add(1, 1)->group = FAKE_GROUP;
	check(kill_scan_kill(&by_fingerprint, 1000, &end));
	check(strstr(fake.log, "killpg") == NULL);
	check_int(fake_alive(0), 2);
	check_int(fake_alive(1), 0);
	/* not even when one of ours has the number of our own group */
	fake_reset();
	fake.next = FAKE_GROUP;
	fake_add(1, 1);
	check(kill_scan_kill(&by_fingerprint, 1000, &end));
	check(strstr(fake.log, "killpg") == NULL);
	check_int(fake_alive(1), 0);
}

static void
sigterm_reaches_stopped_processes_too(void)
{
	fake_reset();
	fake_add(1, 1)->stopped = true;
	fake_add(0, 1);
	kill_scan_ask(&by_fingerprint);
	check(strstr(fake.log, "kill15:1000") != NULL);
	check(strstr(fake.log, "kill18:1000") != NULL);
	check(!fake.all[0].stopped);
	check_int(fake.all[1].signals, 0);
}

/* ---- without a fingerprint ---- */

static void
without_a_profile_there_are_four_methods(void)
{
	const struct tree_spare spare = {.pids = {1004}, .count = 1};
	const struct scan_criteria criteria = {.descent = true,
					       .marker = "0123456789abcdef",
					       .spare = &spare};
	struct tree_end end;

	fake_reset();
	fake_add(0, fake.self);	      /* 1000: the command */
	fake_add(0, 1000);	      /* 1001: below it */
	fake_add(0, 1001);	      /* 1002 */
	fake_add(0, 1)->group = 1000; /* 1003: an orphan that stayed in its group */
	fake_add(0, fake.self);	      /* 1004: was there before */
	fake_add(0, 1004);	      /* 1005: and so is its child none of ours */
	fake_add(0, 1);		      /* 1006: left by setsid: this is what only a profile finds */
	fake_add(0, 1)->session = 1002; /* 1007: in a session that one of ours leads */
	fake_add(0, 1)->group = 1007;	/* 1008: and in a group that this one leads */
	fake_add(0, 1)->variable = "CORDON_TRACK=aaaaaaaaaaaaaaaa:0123456789abcdef"; /* 1009 */
	fake_add(0, 1)->group = 1009;						     /* 1010 */
	fake_add(0, 1)->variable = "-CORDON_TRACK=0123456789abcdef";		     /* 1011 */
	fake_add(0, 1)->variable = "CORDON_TRACK=0123456789abcdee";		     /* 1012 */
	fake_add(0, 1)->variable = "XCORDON_TRACK=0123456789abcdef";		     /* 1013 */
	check(!kill_scan_is_empty(&criteria));
	check(kill_scan_kill(&criteria, 1000, &end));
	for (pid_t pid = 1000; pid < 1014; pid++) {
		bool ours = pid < 1004 || (pid > 1006 && pid < 1011);

		check_int(fake_find(pid) == NULL, ours);
		check(ours || fake_find(pid)->signals == 0);
	}
	check_int(end.ended, 8);
	check(kill_scan_is_empty(&criteria));
}

/* An argument that looks like the variable is none. */
static void
only_the_environment_counts(void)
{
	const struct scan_criteria criteria = {.marker = "ffffffffffffffff"};

	fake_reset();
	fake_add(0, 1);
	check(kill_scan_is_empty(&criteria));
}

/* A leader that ended is still known by the look before: its number stays the group's. */
static void
members_of_a_dead_leaders_group_are_found(void)
{
	const struct scan_criteria criteria = {.descent = true};
	struct tree_end end;

	fake_reset();
	fake_add(0, fake.self);
	fake_add(0, 1)->group = 1000;
	/* it was on its way when the others were told */
	fake.all[1].hidden = 1;
	fake_add(0, 1)->session = 1000;
	fake.all[2].hidden = 1;
	check(kill_scan_kill(&criteria, 1000, &end));
	check(fake_find(1000) == NULL && fake_find(1001) == NULL && fake_find(1002) == NULL);
}

/* Who was given the number of one that ended may lead a group by it. */
static void
a_reused_process_group_id_is_not_signalled(void)
{
	const struct scan_criteria criteria = {.descent = true};

	for (int foreign = 0; foreign < 2; foreign++) {
		struct fake_process *stranger;
		struct tree_end end;

		fake_reset();
		fake_add(0, fake.self)->group = FAKE_GROUP;
		stranger = fake_add(0, 1);
		stranger->pid = stranger->group = stranger->session = 1000;
		stranger->hidden = 1;
		stranger->euid = stranger->ruid = getuid() + (uid_t)foreign;
		stranger->foreign = foreign;
		fake_add(0, 1)->group = 1000;
		fake.all[2].hidden = 1;
		check(kill_scan_kill(&criteria, 1000, &end));
		check_int(end.ended, 1);
		check_int(fake.all[1].signals + fake.all[2].signals, 0);
	}
}

static void
a_session_that_a_guard_leads_is_its_own(void)
{
	const struct tree_spare some = {.count = 0, .older = 1};
	const struct scan_criteria guards = {.descent = true};
	const struct scan_criteria others = {.descent = true, .spare = &some};

	fake_reset();
	fake_add(0, 1)->session = FAKE_SELF;
	check(kill_scan_is_empty(&others));
	check(!kill_scan_is_empty(&guards));
}

/* What cannot be asked is not thereby empty. */
static void
a_scan_that_cannot_read_an_environment_is_incomplete(void)
{
	const struct scan_criteria criteria = {.marker = "0123456789abcdef"};

	fake_reset();
	check(kill_scan_is_empty(&criteria));
	fake.no_room = true;
	check(!kill_scan_is_empty(&criteria));
}

static void
a_ring_of_parents_ends(void)
{
	const struct scan_criteria criteria = {.descent = true};

	fake_reset();
	fake_add(0, 1001);
	fake_add(0, 1000);
	check(kill_scan_is_empty(&criteria));
}

static void
processes_and_memory_are_counted(void)
{
	struct process_usage usage = {0};

	fake_reset();
	fake_add(1, 1);
	fake_add(1, 1);
	fake_add(0, 1);
	fake_add(1, 1)->zombie = true;
	check(kill_scan_measure(&by_fingerprint, &usage));
	check_int(usage.processes, 2);
	check_int(usage.memory, 8192);
	fake.list_fails = 1;
	check(!kill_scan_measure(&by_fingerprint, &usage));
}

/* ---- boxes, groups, trees ---- */

static struct plan *
mac_plan(struct world *world, const char *policy)
{
	world->host.system = world->facts.system = SYSTEM_MACOS;
	for (int i = 0; i < FACT_COUNT; i++)
		world->facts.values[i] = i == FACT_SEATBELT;
	return world_plan(world, (struct said){.user = policy});
}

/* From here on the kernel knows the pair of this group. */
static void
know_pair(const struct session_group *group, struct fingerprint *pair)
{
	check(fingerprint_at(group->path, pair));
	fake.allowed = pair->allowed;
	fake.denied = pair->denied;
}

static void
a_sandbox_is_applied_and_its_group_is_removed(void)
{
	auto_world struct world world;
	auto_plan struct plan *plan = NULL;
	const struct sandbox_options options = {.id = "00112233445566aa",
						.named_tmp = "/private/var/tmp/x"};
	struct session_group group = {.kind = GROUP_NONE};
	struct cordon_error err = {0};
	struct fingerprint pair;
	struct sandbox *sandbox = NULL;
	struct tree_end end;
	struct stat st;

	fake_reset();
	world_make(&world);
	plan = mac_plan(&world, "{}");
	check_int(enforce_compile(plan, &options, &sandbox, &err), 0);
	check_int(enforce_grant_tmp(sandbox, "/private/var/tmp/x", &err), 0);
	check_int(enforce_grant_tmp(sandbox, "/private/var/tmp/y", &err), -CORDON_E_SYSTEM);
	enforce_fingerprint(sandbox, &group);
	check_int(group.kind, TRACKED_BY_MARK);
	check(strncmp(group.path, world.host.state_dir, strlen(world.host.state_dir)) == 0);
	know_pair(&group, &pair);
	check_int(enforce_apply(sandbox, &err), 0);
	check(strstr(fake.profile, "(deny default (with message \"cordon-00112233445566aa\")") !=
	      NULL);
	/* by that name a later run knows from the record that it is the session's */
	check(strstr(group.path, "/cordon-00112233445566aa") != NULL);
	fake.self_sandbox = 0;
	sandbox = enforce_free(sandbox);
	check_int(stat(pair.denied, &st), 0);
	fake_add(1, 1);
	fake_add(0, 1);
	check(!session_group_is_empty(&group));
	check_int(session_group_remove(&group), -1);
	check_int(errno, EBUSY);
	check(session_group_kill(&group, 1000));
	check(session_group_is_empty(&group));
	check_int(session_group_remove(&group), 0);
	check_int(stat(pair.folder, &st), -1);
	check_int(group.kind, GROUP_NONE);
	check_int(session_group_remove(&group), 0);
	check_int(fake_alive(0), 1);
	check(process_tree_kill(NULL, 1000, &end));
}

/* Tracking alone, by name: everything is allowed, but for one file of ours. */
static void
a_sandbox_without_a_plan_restricts_nothing(void)
{
	auto_world struct world world;
	struct sandbox_options options = {.id = "00112233445566aa"};
	struct session_group group = {.kind = GROUP_NONE};
	struct cordon_error err = {0};
	struct fingerprint pair;
	struct sandbox *sandbox = NULL;

	fake_reset();
	world_make(&world);
	check_int(enforce_compile(NULL, &options, &sandbox, &err), -CORDON_E_GAP);
	options.state_dir = world.host.state_dir;
	check_int(enforce_compile(NULL, &options, &sandbox, &err), 0);
	check_int(enforce_fds(sandbox).listener, -1);
	enforce_fingerprint(sandbox, &group);
	know_pair(&group, &pair);
	check_int(enforce_apply(sandbox, &err), 0);
	check_str(fake.profile, "(version 1)\n(allow default)\n"
				"\n; by which the processes of this session are known\n"
				"(allow file-read-data (literal (param \"P0\")))\n"
				"(deny file-read-data (literal (param \"P1\")))\n");
	fake.self_sandbox = 0;
	enforce_free(sandbox);
	check_int(session_group_remove(&group), 0);
}

/* The wrapper's record may name the fingerprint by which its editor finds the processes. */
static void
an_editors_fingerprint_is_added(void)
{
	static const char uuid[] = "123e4567-e89b-12d3-a456-426614174000";
	struct sandbox_options options = {.id = "00112233445566aa", .editor_uuid = uuid};
	struct session_group group = {.kind = GROUP_NONE};
	struct cordon_error err = {0};
	struct sandbox *sandbox = NULL;
	auto_world struct world world;
	struct fingerprint pair;

	fake_reset();
	world_make(&world);
	options.state_dir = world.host.state_dir;
	check_int(enforce_compile(NULL, &options, &sandbox, &err), 0);
	enforce_fingerprint(sandbox, &group);
	know_pair(&group, &pair);
	check_int(enforce_apply(sandbox, &err), 0);
	check(strstr(fake.profile, "(allow file-read-data (literal (param \"P2\")))\n"
				   "(deny file-read-data (literal (param \"P3\")))\n") != NULL);
	check(fingerprint_of_editor(uuid, &pair));
	check_str(pair.allowed,
		  "/private/tmp/.zed-sandbox-123e4567-e89b-12d3-a456-426614174000/allow");
	check_str(pair.denied,
		  "/private/tmp/.zed-sandbox-123e4567-e89b-12d3-a456-426614174000/deny");
	fake.self_sandbox = 0;
	enforce_free(sandbox);
	check_int(session_group_remove(&group), 0);
}

static const char *
profile_with(struct world *world, const char *policy, const struct egress *egress)
{
	auto_plan struct plan *plan = mac_plan(world, policy);
	const struct sandbox_options options = {.id = "00112233445566aa", .egress = egress};
	struct cordon_error err = {0};
	struct fingerprint pair;
	struct session_group group;
	struct sandbox *sandbox = NULL;

	fake_reset();
	check_int(enforce_compile(plan, &options, &sandbox, &err), 0);
	if (sandbox == NULL)
		return "";
	enforce_fingerprint(sandbox, &group);
	know_pair(&group, &pair);
	check_int(enforce_apply(sandbox, &err), 0);
	fake.self_sandbox = 0;
	enforce_free(sandbox);
	check_int(session_group_remove(&group), 0);
	return fake.profile;
}

/* With domains the one thing on this machine that can be reached is the proxy's own port. */
static void
of_the_network_only_the_proxy_is_reached(void)
{
	static const char domains[] = "{\"network\": {\"domains\": [\"example.com\"]}, "
				      "\"accept\": [\"net.domains\"]}";
	const struct egress egress = {.line = -1, .named = 40001, .through = 40002, .stub = 40003};
	auto_world struct world world;
	const char *text;

	world_make(&world);
	text = profile_with(&world, domains, &egress);
	check(strstr(text, "(allow network-outbound (remote tcp \"localhost:40001\"))\n") != NULL);
	check(strstr(text, "4000") == strstr(text, "40001") && strstr(text, "40002") == NULL &&
	      strstr(text, "40003") == NULL);
	check(strstr(text, "\"*:") == NULL && strstr(text, "localhost:*") == NULL);
	check(strstr(text, "(local ") == NULL);
	text = profile_with(&world, domains, NULL);
	check(strstr(text, "localhost") == NULL && strstr(text, "(remote ") == NULL);
	/* a proxy that the plan does not need opens nothing */
	text = profile_with(&world, "{\"network\": \"none\"}", &egress);
	check(strstr(text, "localhost") == NULL && strstr(text, "(remote ") == NULL);
}

static void
an_unused_sandbox_removes_its_fingerprint(void)
{
	auto_world struct world world;
	auto_plan struct plan *plan = NULL;
	const struct sandbox_options options = {.private_tmp = NULL};
	struct cordon_error err = {0};
	struct sandbox *sandbox = NULL;
	char folder[PATH_MAX];

	fake_reset();
	world_make(&world);
	plan = mac_plan(&world, "{}");
	check_int(enforce_compile(plan, &options, &sandbox, &err), 0);
	enforce_free(sandbox);
	snprintf(folder, sizeof folder, "%s/fingerprints", world.host.state_dir);
	check_int(rmdir(folder), 0);
}

/* On a disk that folds case the deny would be about nothing. */
static void
a_name_that_the_disk_spells_otherwise_is_refused(void)
{
	auto_world struct world world;
	auto_plan struct plan *plan = NULL;
	const struct sandbox_options options = {.private_tmp = NULL};
	struct cordon_error err = {0};
	struct sandbox *sandbox = NULL;

	fake_reset();
	world_make(&world);
	fake.written = world_dir(&world, "home/p/Secret");
	fake.spelt = world_path(&world, "home/p/secret");
	plan = mac_plan(&world, "{\"files\": {\"deny\": [\"$PROJECT/Secret\"]}}");
	check_int(enforce_compile(plan, &options, &sandbox, &err), -CORDON_E_PATH);
	check(strstr(err.text, " is called ") != NULL);
	check(sandbox == NULL);
	fake.written = "/nothing";
	check_int(enforce_compile(plan, &options, &sandbox, &err), 0);
	enforce_free(sandbox);
}

static bool
has_parameter(const struct sbpl *sbpl, const char *value)
{
	for (size_t i = 0; i < sbpl->parameter_count; i++)
		if (strcmp(sbpl->parameters[i].value, value) == 0)
			return true;
	return false;
}

/* The kernel asks for a link itself before it goes where it leads. */
static void
a_link_on_the_way_can_be_walked_through(void)
{
	const struct sbpl_options options = {.private_tmp = NULL};
	auto_world struct world world;
	auto_plan struct plan *plan = NULL;
	struct cordon_error err = {0};
	struct sbpl *sbpl = NULL;
	const char *link, *real;

	world_make(&world);
	real = world_dir(&world, "home/real/deep");
	link = world_path(&world, "home/link");
	check_int(symlink("real", link), 0);
	plan = mac_plan(&world, "{\"files\": {\"read\": [\"~/link/deep\"]}}");
	check_int(sbpl_make(plan, &options, &sbpl, &err), 0);
	check(has_parameter(sbpl, link) && has_parameter(sbpl, real));
	sbpl_free(sbpl);
}

static void
a_plan_with_a_gap_makes_no_sandbox(void)
{
	auto_world struct world world;
	auto_plan struct plan *plan = NULL;
	const struct sandbox_options options = {.private_tmp = NULL};
	struct cordon_error err = {0};
	struct sandbox *sandbox = NULL;

	fake_reset();
	world_make(&world);
	plan = mac_plan(&world, "{\"limits\": {\"memory\": \"1G\"}}");
	check_int(enforce_compile(plan, &options, &sandbox, &err), -CORDON_E_GAP);
	check(strstr(err.text, "limits.memory") != NULL);
	plan_free(plan);
	plan = mac_plan(&world, "{}");
	world.host.state_dir = NULL;
	check_int(enforce_compile(plan, &options, &sandbox, &err), -CORDON_E_GAP);
	check(sandbox == NULL);
}

static void
limits_over_all_processes_are_refused(void)
{
	const struct group_wish wish = {.id = "x", .memory = 1};
	struct cordon_error err = {0};
	struct facts facts = {0};
	struct session_group group;

	check_int(session_group_select(&facts, &wish, &group, &err), -CORDON_E_GAP);
}

/* Orphans go to launchd: the tree of a guard knows them by the mark of its group. */
static void
orphans_are_found_by_the_fingerprint(void)
{
	const struct group_wish wish = {.id = "0123456789abcdef"};
	struct cordon_error err = {0};
	struct facts facts = {0};
	struct session_group group, none = {.kind = GROUP_NONE};
	struct tree_spare all = {.group = &group}, lone = {.group = &none};
	struct group_usage usage;
	struct tree_end end;

	check_int(session_group_select(&facts, &wish, &group, &err), 0);
	check_int(group.kind, TRACKED_BY_MARK);
	fake_reset();
	fake_add(0, 1)->variable = "CORDON_TRACK=0123456789abcdef";
	fake_add(0, fake.self);
	fake_add(0, 1);
	check(session_group_measure(&group, &usage));
	check_int(usage.processes, 1);
	check(!process_tree_is_empty(&all) && !process_tree_is_empty(&lone) &&
	      !session_group_is_empty(&group));
	process_tree_terminate(&all);
	check_int(fake.all[0].signals, 2);
	check(process_tree_kill(&lone, 1000, &end));
	check_int(end.ended, 1);
	check(process_tree_is_empty(&lone) && !process_tree_is_empty(&all));
	check(process_tree_kill(&all, 1000, &end));
	check_int(end.ended, 1);
	check_int(end.left, 0);
	check(process_tree_is_empty(&all));
	check_int(fake_alive(0), 1);
	check_int(session_group_remove(&group), 0);
}

static void
only_a_folder_of_ours_is_ended_by_name(void)
{
	static const char *const bad[] = {"",
					  "/",
					  "/x",
					  "fingerprints/cordon-0123456789abcdef",
					  "/fingerprints/cordon-0123456789abcdef",
					  "/a/fingerprints/",
					  "/a/fingerprints/0123456789abcdef",
					  "/a/fingerprints/cordon-0123456789abcde",
					  "/a/fingerprints/cordon-0123456789abcdeg",
					  "/a/fingerprints/cordon-0123456789abcdef/b",
					  "/a/prints/cordon-0123456789abcdef",
					  "/environment/cordon-",
					  "/environment/cordon-0123456789abcdeg",
					  "/a/environment/cordon-0123456789abcdef"};

	fake_reset();
	for (size_t i = 0; i < COUNT(bad); i++) {
		errno = 0;
		check_int(session_group_end_dead(bad[i]), -1);
		check_int(errno, EINVAL);
	}
	fake.allowed = "/a/fingerprints/cordon-0123456789abcdef/allow";
	fake.denied = "/a/fingerprints/cordon-0123456789abcdef/deny";
	fake_add(1, 1);
	/* below the run that reaps records: none of theirs */
	fake_add(0, fake.self);
	fake_add(0, 1)->variable = "CORDON_TRACK=0123456789abcdef";
	check_int(session_group_end_dead("/a/fingerprints/cordon-0123456789abcdef"), 0);
	check_int(fake_alive(1), 0);
	check_int(fake_alive(0), 2);
	check_int(session_group_end_dead("/environment/cordon-0123456789abcdef"), 0);
	check_int(fake_alive(0), 1);
}

static void
children_that_were_there_before_are_spared(void)
{
	struct tree_spare spare = {.count = 0};
	struct tree_end end;

	fake_reset();
	fake_add(0, fake.self);
	check_int(process_tree_note_children(&spare), 0);
	check_int(spare.count, 1);
	check_int(spare.pids[0], 1000);
	check(process_tree_is_empty(&spare));
	check(!process_tree_is_empty(NULL));
	fake_add(0, fake.self);
	process_tree_terminate(&spare);
	check_int(fake.all[0].signals, 0);
	check_int(fake.all[1].signals, 2);
	check(process_tree_kill(&spare, 1000, &end));
	check(fake_find(1000) != NULL && fake_find(1001) == NULL);
	/* what is older than the guard is not the session's */
	fake_add(0, fake.self);
	/* which is a zombie when this is asked */
	fake_add(0, fake.self)->zombie = fake.hides_zombies = true;
	process_tree_exclude_older(&spare, 1003);
	fake_add(0, fake.self);
	check(process_tree_kill(&spare, 1000, &end));
	check(fake_find(1002) != NULL && fake_find(1004) == NULL);
	for (int i = 0; i < 100; i++)
		fake_add(0, fake.self);
	check_int(process_tree_note_children(&spare), -1);
}

static void
a_process_is_known_by_its_start(void)
{
	struct process process, none;

	fake_reset();
	process = process_id_find(fake_add(0, 1)->pid);
	check_int(process.pid, 1000);
	check(process_id_is_alive(&process));
	/* what cannot be said with a value is not said without */
	errno = 0;
	check_int(process_id_signal(&process, SIGTERM, 5), -1);
	check_int(errno, ENOTSUP);
	check(strstr(fake.log, "kill") == NULL);
	check_int(process_id_signal(&process, SIGTERM, 0), 0);
	check_str(fake.log, "kill15:1000 ");
	fake.all[0].started++;
	check(!process_id_is_alive(&process));
	check_int(process_id_signal(&process, SIGTERM, 0), -1);
	check_int(errno, ESRCH);
	check_str(fake.log, "kill15:1000 ");
	fake.all[0].zombie = true;
	none = process_id_find(1000);
	check_int(none.pid, 0);
	check(!process_id_is_alive(&none));
}

int
main(void)
{
	run(a_process_is_known_by_its_start);
	run(a_sandbox_is_applied_and_its_group_is_removed);
	run(a_sandbox_without_a_plan_restricts_nothing);
	run(an_editors_fingerprint_is_added);
	run(of_the_network_only_the_proxy_is_reached);
	run(an_unused_sandbox_removes_its_fingerprint);
	run(a_name_that_the_disk_spells_otherwise_is_refused);
	run(a_link_on_the_way_can_be_walked_through);
	run(a_plan_with_a_gap_makes_no_sandbox);
	run(limits_over_all_processes_are_refused);
	run(orphans_are_found_by_the_fingerprint);
	run(only_a_folder_of_ours_is_ended_by_name);
	run(children_that_were_there_before_are_spared);
	run(a_profile_is_applied_with_its_parameters_and_tested);
	run(a_refused_profile_is_an_error_with_seatbelts_message);
	run(a_refusal_without_a_message_has_a_reason);
	run(no_message_is_leaked);
	run(a_profile_that_is_not_enforced_is_an_error);
	run(sandbox_check_is_not_enough_the_files_are_opened);
	run(a_fingerprint_is_new_and_has_mode_700);
	run(only_the_own_session_matches);
	run(without_a_fingerprint_no_process_matches);
	run(everything_of_the_session_ends_and_nothing_else);
	run(both_fingerprint_paths_are_checked);
	run(zombies_are_no_processes);
	run(a_process_forked_after_the_scan_is_found_by_the_next);
	run(one_empty_scan_is_not_enough);
	run(the_deadline_counts_from_the_last_death);
	run(a_reused_pid_is_not_signalled);
	run(a_process_that_does_not_die_is_reported_and_not_waited_for);
	run(a_process_that_cannot_be_signalled_is_not_waited_for);
	run(a_failed_scan_is_not_an_empty_one);
	run(more_than_can_be_listed_are_ended_in_turn);
	run(a_process_group_led_by_the_session_is_signalled_at_once);
	run(a_process_group_led_by_another_process_is_not_signalled);
	run(sigterm_reaches_stopped_processes_too);
	run(without_a_profile_there_are_four_methods);
	run(only_the_environment_counts);
	run(members_of_a_dead_leaders_group_are_found);
	run(a_reused_process_group_id_is_not_signalled);
	run(a_session_that_a_guard_leads_is_its_own);
	run(a_scan_that_cannot_read_an_environment_is_incomplete);
	run(processes_and_memory_are_counted);
	run(a_ring_of_parents_ends);
	return tap_end();
}
