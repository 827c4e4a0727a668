// SPDX-License-Identifier: MIT
/*
 * Zed, flow and clash texts: what each field, default and list becomes, what is not granted and
 * said so, and that every error names its place. The decisions that follow are tested elsewhere.
 */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "policy/read/dialect_defaults.h"
#include "policy/read/printer.h"
#include "reading.h"

static const struct reading_as zed_run = {DIALECT_ZED, NULL, SYSTEM_LINUX, COMMAND_RUN};
static const struct reading_as zed_shell = {DIALECT_ZED, NULL, SYSTEM_LINUX, COMMAND_SHELL};
static const struct reading_as zed_macos = {DIALECT_ZED, NULL, SYSTEM_MACOS, COMMAND_RUN};
static const struct reading_as flow_linux = {DIALECT_FLOW, NULL, SYSTEM_LINUX, COMMAND_RUN};
static const struct reading_as flow_macos = {DIALECT_FLOW, NULL, SYSTEM_MACOS, COMMAND_RUN};
static const struct reading_as clash = {DIALECT_CLASH, NULL, SYSTEM_LINUX, COMMAND_RUN};

static const struct rule *
rule_of(const struct policy *policy, const char *path)
{
	for (size_t i = 0; i < policy->rule_count; i++)
		if (strcmp(policy->rules[i].path, path) == 0)
			return &policy->rules[i];
	return NULL;
}

/* "rx", "deny rwcdx", "none": of the first rule for exactly this text. */
static const char *
grant(const struct policy *policy, const char *path)
{
	static char text[16];
	const struct rule *rule = rule_of(policy, path);

	if (rule == NULL)
		return "none";
	strcpy(text, rule->effect == EFFECT_DENY ? "deny " : "");
	policy_rights_to_letters(rule->rights, text + strlen(text));
	return text;
}

static bool
granted_all(const struct policy *policy, const char *const *paths, const char *rights)
{
	for (; *paths != NULL; paths++)
		if (strcmp(grant(policy, *paths), rights) != 0 ||
		    !rule_of(policy, *paths)->optional)
			return false;
	return true;
}

static size_t
holes_with(const struct policy *policy, const char *part)
{
	size_t count = 0;

	for (size_t i = 0; i < policy->hole_count; i++)
		count += strstr(policy->holes[i].text, part) != NULL;
	return count;
}

static const char *
names_of(const struct words *words)
{
	static char text[600];

	*text = '\0';
	for (size_t i = 0; i < words->count; i++) {
		strcat(text, i == 0 ? "" : " ");
		strcat(text, words->items[i].text);
	}
	return text;
}

static bool
adds_nothing(const struct policy *policy)
{
	return !policy->has_extends && policy->rule_count == 0 && !policy->has_default &&
	       policy->network.mode == NET_UNSET && policy->env.mode == ENV_UNSET &&
	       policy->tmp == TMP_UNSET && policy->hole_count == 1;
}

/* ---- Zed ---- */

static void
zed_is_off_unless_enabled(void)
{
	static const char *const texts[] = {
		"{}",
		"{\"enabled\": false}",
		"{\"enabled\": null}",
		"{\"allow_network\": true, \"additional_read_write_paths\": [\"/\"]}",
		"{\"terminal\": {\"sandbox\": {\"enabled\": false}}}",
		"{\"terminal\": {\"sandbox\": null}, \"theme\": \"x\"}",
		"{\"terminal\": {\"shell\": \"system\"}}",
		"{\"theme\": \"x\", \"tab_size\": 2}",
		"{\"read_only_files\": [], \"linux\": {\"tab_size\": 2}}",
	};

	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		auto_policy struct policy *p = policy_as(&zed_run, texts[i]);

		if (!adds_nothing(p))
			printf("# %s\n", texts[i]);
		check(adds_nothing(p));
		check_int(p->dialect, DIALECT_ZED);
	}
}

static void
zed_off_is_reported_with_its_position(void)
{
	auto_policy struct policy *p = policy_as(&zed_run, "{\n  \"enabled\": false}");

	check_int(holes_with(p, "\"enabled\" is false"), 1);
	check_int(p->holes[0].srcpos.line, 2);
	check_int(p->holes[0].srcpos.column, 14);
}

static void
zed_apply_to_chooses_run_or_shell(void)
{
	static const struct {
		const char *text;
		bool run, shell;
	} cases[] = {
		{"{\"enabled\": true}", true, true},
		{"{\"enabled\": true, \"apply_to\": null}", true, true},
		{"{\"enabled\": true, \"apply_to\": \"both\"}", true, true},
		{"{\"enabled\": true, \"apply_to\": \"tool\"}", true, false},
		{"{\"enabled\": true, \"apply_to\": \"terminal\"}", false, true},
		{"{\"enabled\": true, \"apply_to\": \"neither\"}", false, false},
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		auto_policy struct policy *run = policy_as(&zed_run, cases[i].text);
		auto_policy struct policy *shell = policy_as(&zed_shell, cases[i].text);

		check_int(adds_nothing(run), !cases[i].run);
		check_int(run->has_extends, cases[i].run);
		check_int(adds_nothing(shell), !cases[i].shell);
		check_int(shell->has_extends, cases[i].shell);
	}
}

static void
zed_defaults_on_linux(void)
{
	auto_policy struct policy *p = policy_as(&zed_run, "{\"enabled\": true}");

	check(p->has_extends);
	check_int(p->extends.count, 0);
	check_str(grant(p, "$PROJECT"), "rwcdx");
	check(granted_all(p, baseline_executable[SYSTEM_LINUX], "rx"));
	check(granted_all(p, baseline_read_only[SYSTEM_LINUX], "r"));
	check(granted_all(p, baseline_dotfiles, "r"));
	check(granted_all(p, baseline_config, "r"));
	check(granted_all(p, baseline_histories, "r"));
	check_str(grant(p, "/usr/bin"), "rx");
	check_str(grant(p, "/etc"), "r");
	check_str(grant(p, "~/.zshrc"), "r");
	check_str(grant(p, "/opt/homebrew/bin"), "none");
	check_int(p->network.mode, NET_ALL);
	check_int(p->tmp, TMP_PRIVATE);
	check(!p->has_default);
	check_int(p->sockets.count, 0);
}

static void
what_links_in_etc_lead_to_is_readable_where_etc_is(void)
{
	static const struct {
		const struct reading_as *as;
		const char *text, *rights;
	} cases[] = {
		{&zed_run, "{\"enabled\": true}", "r"},
		{&zed_run, "{\"enabled\": true, \"system_paths\": {\"read_only\": [\"/etc\"]}}",
		 "r"},
		{&zed_run, "{\"enabled\": true, \"system_paths\": {\"read_only\": [\"/srv\"]}}",
		 "none"},
		{&flow_linux, "{\"read_paths\": [\"cwd\"]}", "r"},
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		auto_policy struct policy *p = policy_as(cases[i].as, cases[i].text);

		check_str(grant(p, "/run/systemd/resolve"), cases[i].rights);
		check_str(grant(p, "/etc/resolv.conf"), cases[i].rights);
	}
}

static void
zed_grants_that_open_a_hole_are_dropped_and_listed(void)
{
	static const char *const closed[] = {"/dev", "/tmp", "/var/tmp", "/run/user", "~/.config"};
	auto_policy struct policy *p = policy_as(&zed_run, "{\"enabled\": true}");

	for (size_t i = 0; i < sizeof closed / sizeof closed[0]; i++) {
		char whole[32];

		snprintf(whole, sizeof whole, "whole %s is not", closed[i]);
		check_str(grant(p, closed[i]), "none");
		check_int(holes_with(p, whole), 1);
	}
	check_str(grant(p, "/dev/null"), "rw");
	check_int(rule_of(p, "/dev/null")->match, MATCH_LITERAL);
	check_str(grant(p, "/dev/pts"), "rw");
	check_int(rule_of(p, "/dev/shm")->match, MATCH_CHILD);
	check_int(holes_with(p, "whole /dev/shm is not"), 1);
	check_int(holes_with(p, "history"), 1);
	check_int(holes_with(p, "unprotected"), 1);
	check_int(p->hole_count, 8);
}

static void
zed_defaults_on_macos(void)
{
	auto_policy struct policy *p = policy_as(&zed_macos, "{\"enabled\": true}");

	check(granted_all(p, baseline_executable[SYSTEM_MACOS], "rx"));
	check(granted_all(p, baseline_read_only[SYSTEM_MACOS], "r"));
	check_str(grant(p, "/opt/homebrew/bin"), "rx");
	check_str(grant(p, "/private/etc"), "r");
	check_str(grant(p, "/private/var/run/mDNSResponder"), "rwcd");
	check_str(grant(p, "/private/tmp"), "none");
	check_str(grant(p, "/var/folders"), "none");
	check_str(grant(p, "$TMPDIR"), "rwcd");
	check(rule_of(p, "$TMPDIR") != NULL && rule_of(p, "$TMPDIR")->optional);
	check_str(grant(p, "/run/user"), "none");
	check_int(holes_with(p, "/var/folders"), 1);
	check_int(holes_with(p, "/run/user"), 0);
}

static void
zed_system_list_absent_null_empty_given(void)
{
	static const struct {
		const char *text, *usr_bin, *own;
	} cases[] = {
		{"{\"enabled\":true}", "rx", "none"},
		{"{\"enabled\":true, \"system_paths\": null}", "rx", "none"},
		{"{\"enabled\":true, \"system_paths\": {}}", "rx", "none"},
		{"{\"enabled\":true, \"system_paths\": {\"executable\": null}}", "rx", "none"},
		{"{\"enabled\":true, \"system_paths\": {\"executable\": []}}", "none", "none"},
		{"{\"enabled\":true, \"system_paths\": {\"executable\": [\"/x\"]}}", "none", "rx"},
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		auto_policy struct policy *p = policy_as(&zed_run, cases[i].text);

		check_str(grant(p, "/usr/bin"), cases[i].usr_bin);
		check_str(grant(p, "/x"), cases[i].own);
		check_str(grant(p, "/etc"), "r");
		check_str(grant(p, "/dev/null"), "rw");
	}
}

static void
zed_each_category_is_replaced_alone(void)
{
	auto_policy struct policy *p = policy_as(
		&zed_run,
		"{\"enabled\":true, \"system_paths\": {\"read_only\": [\"/a\", \"/etc/x*\"],"
		" \"read_write\": []}}");

	check_str(grant(p, "/usr/bin"), "rx");
	check_str(grant(p, "/etc"), "none");
	check_str(grant(p, "/a"), "r");
	check(rule_of(p, "/a") != NULL && !rule_of(p, "/a")->optional);
	check_int(rule_of(p, "/etc/x*")->match, MATCH_SUBPATH);
	check_str(grant(p, "/dev/null"), "none");
	check_int(holes_with(p, "/dev"), 0);
	check_int(holes_with(p, "/tmp"), 0);
	check_int(p->tmp, TMP_UNSET);
}

static void
zed_keeps_paths_that_are_listed_by_name(void)
{
	auto_policy struct policy *p = policy_as(
		&zed_run,
		"{\"enabled\":true,\n\"system_paths\": {\"read_write\": [\"/tmp\", \"/dev/\"]},\n"
		"\"additional_read_write_paths\": [\"/run/user\", \"/devices\"]}");

	check_str(grant(p, "/tmp"), "rwcd");
	check_str(grant(p, "/dev/"), "rwcd");
	check_str(grant(p, "/run/user"), "rwcd");
	check_int(holes_with(p, "is named by the policy"), 2);
	check_int(holes_with(p, "whole /dev is named by the policy"), 1);
	check_int(holes_with(p, "whole /run/user is named by the policy"), 1);
}

static void
zed_additional_lists_add(void)
{
	auto_policy struct policy *p = policy_as(
		&zed_run, "{\"enabled\":true, \"additional_executable_paths\": [\"~/bin\"],"
			  "\"additional_read_only_paths\": [\"/data\"],"
			  "\"additional_read_write_paths\": [\"~/.cache/x\"]}");

	check_str(grant(p, "~/bin"), "rx");
	check_str(grant(p, "/data"), "r");
	check_str(grant(p, "~/.cache/x"), "rwcd");
	check_str(grant(p, "/usr/bin"), "rx");
	check(!rule_of(p, "~/bin")->optional);
	check_int(rule_of(p, "/data")->list, LIST_READ);
	check_int(rule_of(p, "/data")->srcpos.column, 90);
}

static void
zed_network_and_variables(void)
{
	auto_policy struct policy *p = policy_as(&zed_run, "{\"enabled\":true}");
	auto_policy struct policy *q = policy_as(
		&zed_run,
		"{\"enabled\":true,\"allow_network\":false,\"allowed_env_vars\":[\"A\",\"TERM\"]}");
	auto_policy struct policy *n = policy_as(
		&zed_run, "{\"enabled\":true,\"allow_network\":true,\"allowed_env_vars\":[]}");

	check_int(p->env.mode, ENV_EXPLICIT);
	check_str(names_of(&p->env.allow),
		  "PATH HOME USER SHELL LANG TERM TERM_PROGRAM CARGO_HOME RUSTUP_HOME GOPATH "
		  "EDITOR VISUAL "
		  "XDG_CONFIG_HOME XDG_DATA_HOME XDG_RUNTIME_DIR SSH_AUTH_SOCK GPG_TTY COLORTERM "
		  "ZED_TERM TERM_PROGRAM_VERSION");
	check_int(q->network.mode, NET_NONE);
	check_str(names_of(&q->env.allow),
		  "A TERM ZED_TERM TERM_PROGRAM COLORTERM TERM_PROGRAM_VERSION");
	check_int(n->network.mode, NET_ALL);
	check_int(n->env.mode, ENV_EXPLICIT);
	check_str(names_of(&n->env.allow),
		  "ZED_TERM TERM_PROGRAM TERM COLORTERM TERM_PROGRAM_VERSION");
}

#define OVERLAID                                                                             \
	"{\"theme\": \"x\", \"terminal\": {\"shell\": 1, \"sandbox\": {\"enabled\": true,"   \
	"\"allow_network\": false, \"additional_read_only_paths\": [\"/base\"],"             \
	"\"system_paths\": {\"executable\": [\"/base-x\"], \"read_only\": [\"/base-r\"]}}}," \
	"\"linux\": {\"tab_size\": 2, \"terminal\": {\"sandbox\": {\"allow_network\": null," \
	"\"additional_read_only_paths\": [\"/linux\"],"                                      \
	"\"system_paths\": {\"executable\": [\"/linux-x\"]}}}},"                             \
	"\"macos\": {\"terminal\": {\"sandbox\": {\"allow_network\": true,"                  \
	"\"system_paths\": {\"read_only\": []}}}},"                                          \
	"\"windows\": {\"terminal\": {\"sandbox\": {\"anything\": \"goes\"}}}}"

static void
zed_overlay_of_this_system_overrides_key_by_key(void)
{
	auto_policy struct policy *p = policy_as(&zed_run, OVERLAID);

	check_str(grant(p, "/linux-x"), "rx");
	check_str(grant(p, "/base-x"), "none");
	check_str(grant(p, "/base-r"), "r");
	check_str(grant(p, "/linux"), "r");
	check_str(grant(p, "/base"), "none");
	check_int(p->network.mode, NET_NONE);
}

static void
zed_overlay_of_the_other_system_is_ignored(void)
{
	auto_policy struct policy *p = policy_as(&zed_macos, OVERLAID);

	check_str(grant(p, "/linux-x"), "none");
	check_str(grant(p, "/base-x"), "rx");
	check_str(grant(p, "/base-r"), "none");
	check_str(grant(p, "/base"), "r");
	check_int(p->network.mode, NET_ALL);
}

static void
zed_overlay_can_turn_it_on_or_off(void)
{
	static const char *const text =
		"{\"enabled\": false, \"linux\": {\"enabled\": true}, \"macos\": null, "
		"\"windows\": {}}";
	auto_policy struct policy *p = policy_as(&zed_run, text);
	auto_policy struct policy *m = policy_as(&zed_macos, text);
	auto_policy struct policy *only = policy_as(
		&zed_run, "{\"linux\": {\"terminal\": {\"sandbox\": {\"enabled\": true}}}}");

	check(p->has_extends);
	check(adds_nothing(m));
	check(only->has_extends);
}

#define NINE                                                                                      \
	"\"project_dir\": \"/p\", \"executable_paths\": [\"/x\"], \"read_only_paths\": [\"/r\"]," \
	"\"additional_executable_paths\": [\"/ax\"], \"additional_read_only_paths\": [\"~/ar\"]," \
	"\"additional_read_write_paths\": [\"/aw\"], \"allow_network\": false,"                   \
	"\"allowed_env_vars\": [\"PATH\"]"

static void
zed_record_is_read_unchanged(void)
{
	auto_policy struct policy *p = policy_as(
		&zed_shell,
		"{" NINE
		", \"read_write_paths\": [\"/w\"], \"fingerprint_uuid\": \"123e4567-e89b-12d3-a456-426614174000\","
		"\"tracking_only\": false, \"cgroup_path\": null}");

	check(p->has_extends);
	check_str(grant(p, "/p"), "rwcdx");
	check_str(grant(p, "$PROJECT"), "none");
	check_str(grant(p, "/x"), "rx");
	check_str(grant(p, "/r"), "r");
	check_str(grant(p, "/w"), "rwcd");
	check_str(grant(p, "/ax"), "rx");
	check_str(grant(p, "~/ar"), "r");
	check_str(grant(p, "/aw"), "rwcd");
	check_str(grant(p, "/usr/bin"), "none");
	check_str(grant(p, "~/.zshrc"), "r");
	check_int(p->network.mode, NET_NONE);
	check_str(names_of(&p->env.allow),
		  "PATH ZED_TERM TERM_PROGRAM TERM COLORTERM TERM_PROGRAM_VERSION");
}

static void
zed_record_with_the_built_in_list_has_no_hole(void)
{
	auto_policy struct policy *p = policy_as(
		&zed_run, "{" NINE ", \"read_write_paths\": [\"/dev\", \"/tmp\", \"/var/tmp\","
			  "\"/dev/shm\", \"/run/user\"]}");

	check_str(grant(p, "/run/user"), "none");
	check_str(grant(p, "/dev"), "none");
	check_str(grant(p, "/dev/null"), "rw");
	check_int(p->tmp, TMP_PRIVATE);
	check_int(holes_with(p, "is named by the policy"), 0);
}

static void
zed_tracking_only_has_no_restriction_and_a_notice(void)
{
	auto_policy struct policy *p = policy_as(&zed_run, "{\"tracking_only\": true}");

	check(p->has_extends && p->has_default);
	check_int(p->default_rights, RIGHTS_ALL);
	check_int(p->network.mode, NET_ALL);
	check_int(p->env.mode, ENV_INHERIT);
	check_int(holes_with(p, "nothing is restricted"), 1);
}

static void
zed_errors_name_their_position(void)
{
	static const struct {
		const char *text, *error;
	} cases[] = {
		{"[]", "f:1:1: Zed settings must be an object, not a list"},
		{"{\"enabeld\": true}",
		 "f:1:2: unknown key \"enabeld\" in the sandbox settings; did you mean "
		 "\"enabled\"?"},
		{"{\"enabled\": true,\n \"colour\": 1}",
		 "f:2:2: unknown key \"colour\" in the sandbox settings"},
		{"{\"enabled\": \"yes\"}",
		 "f:1:13: \"enabled\" must be true or false, not a string"},
		{"{\"enabled\": false, \"apply_to\": \"all\"}",
		 "f:1:32: \"all\" is not one of \"terminal\", \"tool\", \"both\", \"neither\""},
		{"{\"allow_network\": 1}",
		 "f:1:19: \"allow_network\" must be true or false, not a number"},
		{"{\"system_paths\": []}",
		 "f:1:18: \"system_paths\" must be an object, not a list"},
		{"{\"system_paths\": {\"execute\": []}}",
		 "f:1:19: unknown key \"execute\" in \"system_paths\"; did you mean "
		 "\"executable\"?"},
		{"{\"system_paths\": {\"executable\": \"/bin\"}}",
		 "f:1:33: \"executable\" must be a list, not a string"},
		{"{\"system_paths\": {\"executable\": [\"~/bin\"]}}",
		 "f:1:34: \"~/bin\" starts with ~, which is expanded only in the additional lists; "
		 "write the whole path or put it there"},
		{"{\"system_paths\": {\"read_only\": [3]}}",
		 "f:1:33: a string is expected here, not a number"},
		{"{\"additional_read_only_paths\": [\"src\"]}",
		 "f:1:33: \"src\" is relative; start it with / or ~/"},
		{"{\"additional_read_only_paths\": [\"~\"]}",
		 "f:1:33: \"~\" has a ~ that is not expanded here; only ~/ is"},
		{"{\"additional_read_only_paths\": [\"~bob/x\"]}",
		 "f:1:33: \"~bob/x\" has a ~ that is not expanded here; only ~/ is"},
		{"{\"additional_read_only_paths\": [\"$HOME/x\"]}",
		 "f:1:33: \"$HOME/x\" starts with a token, and this dialect has none; write ~/ "
		 "or the "
		 "folder itself"},
		{"{\"additional_read_only_paths\": [\"/a/$HOME\"]}",
		 "f:1:33: \"/a/$HOME\" has a token in the middle"},
		{"{\"additional_read_only_paths\": [\"/a/~/b\"]}",
		 "f:1:33: \"/a/~/b\" has a token in the middle"},
		{"{\"additional_read_only_paths\": [\"\"]}", "f:1:33: \"\" is empty"},
		{"{\"additional_read_only_paths\": [\"/a\\nb\"]}",
		 "f:1:33: \"/a?b\" has a control character in it"},
		{"{\"allowed_env_vars\": [\"LC_*\"]}", "f:1:23: \"LC_*\" is not a variable's name"},
		{"{\"allowed_env_vars\": \"PATH\"}",
		 "f:1:22: \"allowed_env_vars\" must be a list, not a string"},
		{"{\"macos\": {\"enabeld\": true}, \"enabled\": true}",
		 "f:1:12: unknown key \"enabeld\" in the block of one system; did you mean "
		 "\"enabled\"?"},
		{"{\"linux\": {\"linux\": {}}, \"enabled\": true}",
		 "f:1:12: unknown key \"linux\" in the block of one system"},
		{"{\"windows\": 1, \"enabled\": true}",
		 "f:1:13: \"windows\" must be an object, not a number"},
		{"{\"terminal\": 1}", "f:1:14: \"terminal\" must be an object, not a number"},
		{"{\"terminal\": {\"sandbox\": true}}",
		 "f:1:26: \"sandbox\" must be an object, not true or false"},
		{"{\"terminal\": {}, \"macos\": {\"terminal\": {\"sandbox\": {\"x\": 1}}}}",
		 "f:1:53: unknown key \"x\" in the block of one system"},
		{"{\"project_dir\": \"/p\"}", "f:1:1: the record has no \"executable_paths\""},
		{"{" NINE "}", "f:1:1: the record has no \"read_write_paths\""},
		{"{\"project_dir\": \"p\"}", "f:1:17: \"p\" is relative; start it with /"},
		{"{\"project_dir\": \"/p\", \"enabled\": true}",
		 "f:1:23: unknown key \"enabled\" in the record"},
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		check_str(error_as(&zed_run, cases[i].text), cases[i].error);
}

/* ---- flow ---- */

static void
flow_defaults(void)
{
	auto_policy struct policy *p = policy_as(&flow_linux, "{}");

	check(p->has_extends && p->has_default);
	check_int(p->default_rights, RIGHT_READ | RIGHT_EXECUTE);
	check_str(grant(p, "$CWD"), "rwcdx");
	check_str(grant(p, "/usr"), "none");
	check_str(grant(p, "/dev/null"), "rw");
	check_int(p->network.mode, NET_ALL);
	check_int(p->env.mode, ENV_EXPLICIT);
	check_str(names_of(&p->env.allow), "HOME USER PATH LANG TERM SHELL LC_*");
	check_int(p->tmp, TMP_PRIVATE);
}

static void
flow_layers_that_restrict_nothing_are_named(void)
{
	static const struct {
		const char *text;
		size_t light, none, light_macos;
	} cases[] = {
		{"{}", 1, 0, 1},
		{"{\"net\": true, \"read_paths\": [], \"write_paths\": []}", 1, 0, 1},
		{"{\"net\": false}", 0, 1, 0},
		{"{\"write_paths\": [\"/w\"]}", 0, 1, 0},
		{"{\"read_paths\": [\"/r\"]}", 0, 1, 0},
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		auto_policy struct policy *p = policy_as(&flow_linux, cases[i].text);
		auto_policy struct policy *m = policy_as(&flow_macos, cases[i].text);

		check_int(holes_with(p, "flow would not restrict writes"), cases[i].light);
		check_int(holes_with(p, "flow enforces nothing on Linux"), cases[i].none);
		check_int(holes_with(m, "flow would not restrict writes"), cases[i].light_macos);
		check_int(holes_with(m, "Linux"), 0);
		check_int(p->has_default, strstr(cases[i].text, "/r") == NULL);
	}
}

static void
flow_paths(void)
{
	auto_policy struct policy *p =
		policy_as(&flow_linux, "{\"net\": false, \"write_paths\": [\"~/out\", \"/w\"],"
				       "\"read_paths\": [\"cwd\", \"~/in\", \"/cwd\"]}");
	auto_policy struct policy *m = policy_as(&flow_macos, "{\"read_paths\": [\"~/in\"]}");

	check_int(p->network.mode, NET_NONE);
	check_str(grant(p, "~/out"), "rwcd");
	check_str(grant(p, "/w"), "rwcd");
	check_str(grant(p, "~/in"), "rx");
	check_str(grant(p, "/cwd"), "rx");
	check_str(grant(p, "cwd"), "none");
	check_str(grant(p, "$CWD"), "rx");
	check_int(p->rules[p->rule_count - 1].optional, true);
	check(!p->has_default);
	check(granted_all(p, baseline_flow_read[SYSTEM_LINUX], "rx"));
	check(granted_all(m, baseline_flow_read[SYSTEM_MACOS], "rx"));
	check_str(grant(m, "/System"), "rx");
	check_str(grant(m, "/dev"), "none");
	check_str(grant(m, "/dev/null"), "rw");
	check_int(holes_with(m, "whole /dev"), 1);
	check_int(holes_with(m, "/private/tmp"), 1);
}

static void
flow_cwd_stays_writable_whatever_is_listed(void)
{
	auto_policy struct policy *p = policy_as(&flow_linux, "{\"read_paths\": [\"cwd\"]}");
	bool all = false;

	for (size_t i = 0; i < p->rule_count; i++)
		all = all ||
		      (strcmp(p->rules[i].path, "$CWD") == 0 && p->rules[i].rights == RIGHTS_ALL);
	check(all);
}

static void
flow_env_forms(void)
{
	static const struct {
		const char *text;
		enum env_mode mode;
		const char *names;
	} cases[] = {
		{"{\"env\": \"scrubbed\"}", ENV_EXPLICIT, "HOME USER PATH LANG TERM SHELL LC_*"},
		{"{\"env\": \"inherit\"}", ENV_INHERIT, ""},
		{"{\"env\": {\"vars\": [\"A\", \"B\"]}}", ENV_EXPLICIT, "A B"},
		{"{\"env\": [\"A\"]}", ENV_EXPLICIT, "A"},
		{"{\"env\": []}", ENV_EXPLICIT, ""},
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		auto_policy struct policy *p = policy_as(&flow_linux, cases[i].text);

		check_int(p->env.mode, cases[i].mode);
		check_str(names_of(&p->env.allow), cases[i].names);
	}
}

static void
flow_errors_name_their_position(void)
{
	static const struct {
		const char *text, *error;
	} cases[] = {
		{"3", "f:1:1: the capability record must be an object, not a number"},
		{"{\"nett\": true}",
		 "f:1:2: unknown key \"nett\" in the capability record; did you mean \"net\"?"},
		{"{\"net\": null}", "f:1:9: \"net\" must be true or false, not null"},
		{"{\"write_paths\": \"cwd\"}",
		 "f:1:17: \"write_paths\" must be a list, not a string"},
		{"{\"write_paths\": [\"cwd/x\"]}",
		 "f:1:18: \"cwd/x\" is relative; start it with / or ~/"},
		{"{\"read_paths\": [\"~\"]}",
		 "f:1:17: \"~\" has a ~ that is not expanded here; only ~/ is"},
		{"{\"read_paths\": [\"$HOME\"]}",
		 "f:1:17: \"$HOME\" starts with a token, and this dialect has none; write ~/ or "
		 "the "
		 "folder itself"},
		{"{\"env\": \"all\"}", "f:1:9: \"all\" is not one of \"scrubbed\", \"inherit\""},
		{"{\"env\": true}",
		 "f:1:9: \"env\" must be \"scrubbed\", \"inherit\" or a list of names "
		 "in \"vars\", not true or false"},
		{"{\"env\": {}}", "f:1:9: \"env\" has no \"vars\""},
		{"{\"env\": {\"var\": []}}",
		 "f:1:10: unknown key \"var\" in \"env\"; did you mean \"vars\"?"},
		{"{\"env\": [\"A=1\"]}", "f:1:10: \"A=1\" is not a variable's name"},
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		check_str(error_as(&flow_linux, cases[i].text), cases[i].error);
}

/* ---- clash ---- */

#define DEFAULT "\"default\": [\"read\", \"execute\"]"

static void
clash_defaults(void)
{
	auto_policy struct policy *p = policy_as(&clash, "{" DEFAULT "}");

	check(p->has_extends && p->has_default);
	check_int(p->default_rights, RIGHT_READ | RIGHT_EXECUTE);
	check_int(p->rule_count, 1);
	check_str(grant(p, "/dev/null"), "rw");
	check_int(p->network.mode, NET_NONE);
	check_int(p->env.mode, ENV_SCRUB);
	check_int(holes_with(p, "environment"), 1);
	check_int(p->tmp, TMP_PRIVATE);
}

static void
clash_caps_are_exact(void)
{
	static const struct {
		const char *caps;
		unsigned rights;
	} cases[] = {
		{"[\"read\"]", RIGHT_READ},
		{"[\"write\"]", RIGHT_WRITE},
		{"[\"create\"]", RIGHT_CREATE},
		{"[\"delete\"]", RIGHT_DELETE},
		{"[\"execute\"]", RIGHT_EXECUTE},
		{"[\"read\", \"create\", \"read\"]", RIGHT_READ | RIGHT_CREATE},
		{"[\"full\"]", RIGHTS_ALL},
		{"[\"all\"]", RIGHTS_ALL},
		{"[\"read\", \"all\"]", RIGHTS_ALL},
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		char text[100];
		auto_policy struct policy *p = NULL;

		snprintf(text, sizeof text, "{\"default\": %s}", cases[i].caps);
		p = policy_as(&clash, text);
		check_int(p->default_rights, cases[i].rights);
	}
}

static void
clash_path_match_forms(void)
{
	auto_policy struct policy *p = policy_as(
		&clash, "{" DEFAULT ", \"rules\": ["
			"{\"effect\": \"allow\", \"caps\": [\"read\"], \"path\": \"/lit\"},"
			"{\"effect\": \"allow\", \"caps\": [\"read\"], \"path\": \"/lit2\","
			" \"path_match\": \"literal\"},"
			"{\"effect\": \"allow\", \"caps\": [\"read\"], \"path\": \"/sub\","
			" \"path_match\": \"subpath\"},"
			"{\"effect\": \"deny\", \"caps\": [\"all\"], \"path\": \"/child\","
			" \"path_match\": \"child_of\", \"doc\": \"why\"},"
			"{\"effect\": \"deny\", \"caps\": [\"write\"], \"path\": \"^/a.b$\","
			" \"path_match\": \"regex\", \"follow_worktrees\": true, \"doc\": null}]}");

	check_int(p->rule_count, 6);
	check_int(rule_of(p, "/lit")->match, MATCH_LITERAL);
	check_int(rule_of(p, "/lit")->list, LIST_RULES);
	check_int(rule_of(p, "/lit2")->match, MATCH_LITERAL);
	check_int(rule_of(p, "/sub")->match, MATCH_SUBPATH);
	check_int(rule_of(p, "/sub")->list, LIST_READ);
	check_int(rule_of(p, "/child")->match, MATCH_CHILD);
	check_str(rule_of(p, "/child")->why, "why");
	check_str(grant(p, "/child"), "deny rwcdx");
	check_int(rule_of(p, "/child")->worktrees, false);
	check_int(rule_of(p, "/a.b")->match, MATCH_REGEX);
	check_int(rule_of(p, "/a.b")->worktrees, true);
	check_str(rule_of(p, "/a.b")->why, NULL);
	check_str(grant(p, "/a.b"), "deny wcd");
}

static void
clash_short_lists_are_used_only_where_exact(void)
{
	static const struct {
		const char *rest;
		enum list list;
	} cases[] = {
		{"\"effect\": \"allow\", \"caps\": [\"read\", \"execute\"]", LIST_EXECUTE},
		{"\"effect\": \"allow\", \"caps\": [\"read\", \"write\", \"create\", \"delete\"]",
		 LIST_WRITE},
		{"\"effect\": \"allow\", \"caps\": [\"read\", \"write\"]", LIST_RULES},
		{"\"effect\": \"allow\", \"caps\": [\"read\"], \"doc\": \"x\"", LIST_RULES},
		{"\"effect\": \"allow\", \"caps\": [\"read\"], \"follow_worktrees\": true",
		 LIST_RULES},
		{"\"effect\": \"deny\", \"caps\": [\"read\"]", LIST_RULES},
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		char text[300];
		auto_policy struct policy *p = NULL;

		snprintf(text, sizeof text,
			 "{" DEFAULT
			 ", \"rules\": [{%s, \"path\": \"/p\", \"path_match\": \"subpath\"}]}",
			 cases[i].rest);
		p = policy_as(&clash, text);
		check_int(p->rules[0].list, cases[i].list);
	}
}

static void
clash_three_levels_keep_their_effects(void)
{
	auto_policy struct policy *p = policy_as(
		&clash,
		"{" DEFAULT ", \"rules\": ["
		"{\"effect\": \"deny\", \"caps\": [\"all\"], \"path\": \"$HOME/a/b/c\","
		" \"path_match\": \"subpath\"},"
		"{\"effect\": \"allow\", \"caps\": [\"all\"], \"path\": \"$HOME/a/b\","
		" \"path_match\": \"subpath\"},"
		"{\"effect\": \"deny\", \"caps\": [\"write\", \"create\"], \"path\": \"$HOME/a\","
		" \"path_match\": \"subpath\"}]}");

	check_str(grant(p, "$HOME/a/b/c"), "deny rwcdx");
	check_str(grant(p, "$HOME/a/b"), "rwcdx");
	check_str(grant(p, "$HOME/a"), "deny wcd");
	check_str(p->rules[0].path, "$HOME/a/b/c");
	check_int(p->rules[2].srcpos.column, 267);
}

/* The path a rule gets for one that is written; matched literally or as a pattern. */
static const char *
clash_path(const char *written, const char *match)
{
	static char path[200];
	char text[400];
	auto_policy struct policy *p = NULL;

	snprintf(text, sizeof text,
		 "{" DEFAULT ", \"rules\": [{\"effect\": \"deny\", \"caps\": [\"read\"], "
		 "\"path\": \"%s\", \"path_match\": \"%s\"}]}",
		 written, match);
	p = policy_as(&clash, text);
	snprintf(path, sizeof path, "%s", p->rule_count == 0 ? "" : p->rules[0].path);
	return path;
}

static void
clash_tokens_and_relative_paths(void)
{
	check_str(clash_path("$PWD", "literal"), "$CWD");
	check_str(clash_path("$PWD/x", "literal"), "$CWD/x");
	check_str(clash_path("$HOME/.ssh", "subpath"), "$HOME/.ssh");
	check_str(clash_path("$TMPDIR", "child_of"), "$TMPDIR");
	check_str(clash_path("/mnt/$PWD/x", "literal"), "/mnt/$CWD/x");
	check_str(clash_path("src", "literal"), "$CWD/src");
	check_str(clash_path("./src/a", "literal"), "$CWD/src/a");
	check_str(clash_path("../up", "literal"), "$CWD/../up");
	check_str(clash_path(".", "subpath"), "$CWD/");
	check_str(clash_path("a/$HOME", "literal"), "$CWD/a/$HOME");
	check_str(clash_path("/cost$5", "literal"), "/cost$5");
}

static void
clash_patterns_match_anywhere_as_they_did(void)
{
	static const char *const cases[][2] = {
		{"^/a$", "/a"},
		{"\\\\.env$", ".*\\.env"},
		{"^/etc/", "/etc/.*"},
		{"secret", ".*secret.*"},
		{"^/a|b$", "(?:/a.*|.*b)"},
		{"^/(a|b)$", "/(a|b)"},
		{"[|$]|(x|y)\\\\|z", "(?:.*[|$].*|.*(x|y)\\|z.*)"},
		{"[[:alpha:]|]x", ".*[[:alpha:]|]x.*"},
		{"[]|]|[^]|]", "(?:.*[]|].*|.*[^]|].*)"},
		{"^/a\\\\$", "/a\\$.*"},
		{"^/a\\\\\\\\$", "/a\\\\"},
		{".*\\\\.log", ".*\\.log.*"},
		{"/tmp/build-.*", ".*/tmp/build-.*"},
		{"x\\\\.*", ".*x\\.*.*"},
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		check_str(clash_path(cases[i][0], "regex"), cases[i][1]);
}

static void
clash_network_forms(void)
{
	static const struct {
		const char *text;
		enum net_mode mode;
		size_t ports;
		const char *domains;
	} cases[] = {
		{"\"deny\"", NET_NONE, 0, ""},
		{"\"allow\"", NET_ALL, 0, ""},
		{"\"localhost\"", NET_LOCALHOST, 0, ""},
		{"{\"localhost\": []}", NET_LOCALHOST, 0, ""},
		{"{\"localhost\": [8080, 5432]}", NET_LOCALHOST, 2, ""},
		{"{\"allow_domains\": []}", NET_DOMAINS, 0, ""},
		{"{\"allow_domains\": [\"GitHub.com\", \"*.x.org\"]}", NET_DOMAINS, 0,
		 "github.com *.github.com *.x.org"},
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		char text[120];
		auto_policy struct policy *p = NULL;

		snprintf(text, sizeof text, "{" DEFAULT ", \"network\": %s}", cases[i].text);
		p = policy_as(&clash, text);
		check_int(p->network.mode, cases[i].mode);
		check_int(p->network.localhost.count, cases[i].ports);
		check_str(names_of(&p->network.domains), cases[i].domains);
		check_int(p->network.ports.count, 0);
	}
}

#define TWO                                                                   \
	"{\"sandboxes\": {\"ro\": {\"default\": [\"read\"], \"doc\": \"x\"}," \
	" \"rw\": {\"default\": [\"all\"], \"on_sandbox_violation\": \"smart\"}}}"

static void
clash_names_choose(void)
{
	struct reading_as as = clash;
	auto_policy struct policy *one = NULL;
	auto_policy struct policy *ro = NULL;
	auto_policy struct policy *rw = NULL;
	auto_policy struct policy *empty = NULL;

	one = policy_as(&as,
			"{\"sandboxes\": {\"only\": {\"default\": [\"read\"]}}, \"doc\": \"d\"}");
	check_int(one->default_rights, RIGHT_READ);
	check_str(error_as(&as, TWO),
		  "f:1:15: name one of its sandboxes (clash:FILE#NAME); there are \"ro\", \"rw\"");
	as.variant = "ro";
	ro = policy_as(&as, TWO);
	check_int(ro->default_rights, RIGHT_READ);
	check_int(ro->rule_count, 1);
	as.variant = "rw";
	rw = policy_as(&as, TWO);
	check_int(rw->default_rights, RIGHTS_ALL);
	as.variant = "r";
	check_str(error_as(&as, TWO),
		  "f:1:15: there is no sandbox \"r\"; there are \"ro\", \"rw\"");
	check_str(error_as(&as, "{" DEFAULT "}"),
		  "f:1:1: this text holds one policy without a name, so \"r\" cannot be chosen "
		  "from it");
	as.variant = "";
	empty = policy_as(&as, "{\"sandboxes\": {\"\": {\"default\": [\"write\"]}, \"x\": {" DEFAULT
			       "}}}");
	check_int(empty->default_rights, RIGHT_WRITE);
	as.variant = "ro";
	check_str(error_as(&as,
			   "{\"sandboxes\": {\"ro\": {" DEFAULT "}, \"bad\": {\"default\": []}}}"),
		  "f:1:75: \"default\" is empty; name at least one capability");
}

static void
clash_errors_name_their_position(void)
{
	static const struct {
		const char *text, *error;
	} cases[] = {
		{"[]", "f:1:1: the sandbox policy must be an object, not a list"},
		{"{\"rules\": []}", "f:1:1: the sandbox policy has no \"default\""},
		{"{\"default\": \"read\"}",
		 "f:1:13: \"default\" must be a list of capabilities, such as "
		 "[\"read\", \"execute\"], not a string"},
		{"{\"default\": []}", "f:1:13: \"default\" is empty; name at least one capability"},
		{"{\"default\": [\"reed\"]}",
		 "f:1:14: \"reed\" is not one of \"read\", \"write\", \"create\", \"delete\", "
		 "\"execute\", "
		 "\"full\", \"all\""},
		{"{\"default\": [1]}", "f:1:14: a string is expected here, not a number"},
		{"{\"defaults\": []}",
		 "f:1:2: unknown key \"defaults\" in the sandbox policy; did you mean "
		 "\"default\"?"},
		{"{" DEFAULT ", \"on_sandbox_violation\": \"go\"}",
		 "f:1:58: \"go\" is not one of \"stop\", \"workaround\", \"smart\""},
		{"{" DEFAULT ", \"doc\": 1}", "f:1:41: \"doc\" must be a string, not a number"},
		{"{\"sandboxes\": []}",
		 "f:1:15: \"sandboxes\" must be an object of names and policies, not a list"},
		{"{\"sandboxes\": {}}",
		 "f:1:15: name one of its sandboxes (clash:FILE#NAME); there are none"},
		{"{\"sandboxes\": {}, \"default\": [\"read\"]}",
		 "f:1:15: name one of its sandboxes (clash:FILE#NAME); there are none"},
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		check_str(error_as(&clash, cases[i].text), cases[i].error);
}

static void
clash_rule_errors_name_their_position(void)
{
	static const struct {
		const char *rule, *error;
	} cases[] = {
		{"1", "f:1:1: a rule must be an object, not a number"},
		{"{\"caps\": [\"read\"], \"path\": \"/a\"}", "f:1:1: this rule has no \"effect\""},
		{"{\"effect\": \"allow\", \"path\": \"/a\"}", "f:1:1: this rule has no \"caps\""},
		{"{\"effect\": \"allow\", \"caps\": [\"read\"]}",
		 "f:1:1: this rule has no \"path\""},
		{"{\"effect\": \"ask\"}", "f:1:12: \"ask\" is not one of \"deny\", \"allow\""},
		{"{\"caps\": []}", "f:1:10: \"caps\" is empty; name at least one capability"},
		{"{\"path\": 1}", "f:1:10: \"path\" must be a string, not a number"},
		{"{\"path_match\": \"glob\"}",
		 "f:1:16: \"glob\" is not one of \"subpath\", \"literal\", \"child_of\", "
		 "\"regex\""},
		{"{\"follow_worktrees\": 1}",
		 "f:1:22: \"follow_worktrees\" must be true or false, not a number"},
		{"{\"doc\": []}", "f:1:9: \"doc\" must be a string, not a list"},
		{"{\"pathmatch\": 1}",
		 "f:1:2: unknown key \"pathmatch\" in a rule; did you mean \"path_match\"?"},
	};
	char text[300], expected[300];

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		unsigned column;
		int length;

		/* columns above count from the rule; it starts here at column 44 */
		check_int(sscanf(cases[i].error, "f:1:%u:%n", &column, &length), 1);
		snprintf(text, sizeof text, "{" DEFAULT ", \"rules\": [%s]}", cases[i].rule);
		snprintf(expected, sizeof expected, "f:1:%u:%s", column + 43,
			 cases[i].error + length);
		check_str(error_as(&clash, text), expected);
	}
}

static void
clash_path_errors(void)
{
	static const struct {
		const char *path, *match, *error;
	} cases[] = {
		{"", "literal", "\"\" is empty"},
		{"", "regex", "\"\" is empty"},
		{"~/x", "literal",
		 "\"~/x\" starts with ~, which clash does not expand; write $HOME"},
		{"/x$HOME", "subpath",
		 "\"/x$HOME\" has a token in the middle of a name; it may stand only at the "
		 "start or after "
		 "\"/\""},
		{"$HOMES/x", "subpath", "\"$HOMES/x\" has a token that no \"/\" follows"},
		{"$XDG_DATA_HOME/x", "subpath",
		 "\"$XDG_DATA_HOME/x\" has a token clash does not know; there are $PWD, $HOME, "
		 "$TMPDIR"},
		{"$PROJECT", "subpath",
		 "\"$PROJECT\" has a token clash does not know; there are $PWD, $HOME, $TMPDIR"},
		{"/$HOME/$PROJECT", "subpath",
		 "\"/$HOME/$PROJECT\" has a token clash does not know; there are $PWD, $HOME, "
		 "$TMPDIR"},
		{"/a\\tb", "literal", "\"/a?b\" has a control character in it"},
		{"/a\\tb", "regex", "\"/a?b\" has a control character in it"},
		{"^$HOME/x", "regex",
		 "\"^$HOME/x\" has a token; in a regular expression write the folder itself"},
	};
	char text[300], expected[300];

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		snprintf(text, sizeof text,
			 "{" DEFAULT
			 ", \"rules\": [{\"effect\": \"allow\", \"caps\": [\"read\"],\n\"path\": "
			 "\"%s\","
			 " \"path_match\": \"%s\"}]}",
			 cases[i].path, cases[i].match);
		snprintf(expected, sizeof expected, "f:2:9: %s", cases[i].error);
		check_str(error_as(&clash, text), expected);
	}
}

static void
clash_network_errors(void)
{
	static const struct {
		const char *network, *error;
	} cases[] = {
		{"\"none\"",
		 "f:2:12: \"network\" must be \"deny\", \"allow\", \"localhost\", {\"localhost\": "
		 "[ports]} or {\"allow_domains\": [names]}"},
		{"true",
		 "f:2:12: \"network\" must be \"deny\", \"allow\", \"localhost\", {\"localhost\": "
		 "[ports]} or {\"allow_domains\": [names]}"},
		{"{}",
		 "f:2:12: \"network\" must be \"deny\", \"allow\", \"localhost\", {\"localhost\": "
		 "[ports]} or {\"allow_domains\": [names]}"},
		{"{\"localhost\": [], \"allow_domains\": []}",
		 "f:2:12: \"network\" must be \"deny\", \"allow\", \"localhost\", {\"localhost\": "
		 "[ports]} or {\"allow_domains\": [names]}"},
		{"{\"domains\": []}", "f:2:13: unknown key \"domains\" in \"network\""},
		{"{\"localhost\": [0]}", "f:2:27: 0 is not a whole number from 1 to 65535"},
		{"{\"localhost\": 80}", "f:2:26: \"localhost\" must be a list, not a number"},
		{"{\"allow_domains\": [\"localhost\"]}",
		 "f:2:31: \"localhost\" is this machine; use the network mode \"localhost\""},
		{"{\"allow_domains\": [\"127.0.0.1\"]}",
		 "f:2:31: \"127.0.0.1\" is an address; domains are names only"},
	};
	char text[300];

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		snprintf(text, sizeof text, "{" DEFAULT ",\n\"network\": %s}", cases[i].network);
		check_str(error_as(&clash, text), cases[i].error);
	}
}

/* ---- all of them ---- */

static void
dialects_are_recognised_by_their_keys(void)
{
	static const struct {
		const char *text;
		enum dialect dialect;
	} cases[] = {
		{"{\"terminal\": {}}", DIALECT_ZED},
		{"{\"enabled\": true}", DIALECT_ZED},
		{"{\"net\": true}", DIALECT_FLOW},
		{"{\"read_paths\": []}", DIALECT_FLOW},
		{"{\"default\": [\"read\"], \"network\": \"deny\"}", DIALECT_CLASH},
		{TWO, DIALECT_CLASH},
		{"{\"network\": \"none\"}", DIALECT_NATIVE},
	};
	struct reading_as as = {DIALECT_ANY, NULL, SYSTEM_LINUX, COMMAND_RUN};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		auto_policy struct policy *p = NULL;

		as.variant = strcmp(cases[i].text, TWO) == 0 ? "rw" : NULL;
		p = policy_as(&as, cases[i].text);
		check_int(p->dialect, cases[i].dialect);
	}
}

static void
native_form_of_each_reads_back_the_same(void)
{
	static const struct reading_as native = {DIALECT_NATIVE, NULL, SYSTEM_LINUX, COMMAND_RUN};
	const struct {
		const struct reading_as *as;
		const char *text;
	} cases[] = {
		{&zed_run, OVERLAID},
		{&zed_macos, "{\"enabled\": true}"},
		{&zed_run, "{\"enabled\": false}"},
		{&flow_linux, "{\"read_paths\": [\"/a*b\"]}"},
		{&flow_macos, "{\"env\": \"inherit\"}"},
		{&clash,
		 "{" DEFAULT
		 ", \"network\": {\"allow_domains\": [\"a.org\"]}, \"rules\": [{\"effect\":"
		 "\"deny\", \"caps\": [\"all\"], \"path\": \"x|y\", \"path_match\": \"regex\"}]}"},
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		auto_policy struct policy *p = policy_as(cases[i].as, cases[i].text);
		auto_str struct str first = {0}, second = {0};
		auto_policy struct policy *q = NULL;

		policy_print(p, &first);
		q = policy_as(&native, first.text);
		policy_print(q, &second);
		check_str(second.text, first.text);
		check_int(q->rule_count, p->rule_count);
	}
}

static void
no_baseline_grants_what_only_the_user_may(void)
{
	static const struct reading_as *const all[] = {&zed_run, &zed_shell, &zed_macos};

	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
		auto_policy struct policy *p = policy_as(all[i], "{\"enabled\": true}");

		for (size_t k = 0; baseline_never[k] != NULL; k++)
			for (size_t j = 0; j < p->rule_count; j++) {
				size_t length = strlen(p->rules[j].path);

				check(strncmp(baseline_never[k], p->rules[j].path, length) != 0 &&
				      !str_starts(p->rules[j].path, baseline_never[k]));
			}
	}
}

static void
baselines_have_the_required_lengths(void)
{
	static const struct {
		const char *const *list;
		size_t count;
	} * c, cases[] = {
		       {baseline_dotfiles, 12},
		       {baseline_histories, 2},
		       {baseline_never, 15},
		       {baseline_env, 18},
		       {baseline_env_always, 5},
		       {baseline_env_scrub, 7},
		       {NULL, 0},
	       };
	static const size_t executable[2] = {9, 17}, read_only[2] = {6, 9}, read_write[2] = {5, 4};

	for (c = cases; c->list != NULL; c++) {
		size_t n = 0;

		while (c->list[n] != NULL)
			n++;
		check_int(n, c->count);
	}
	for (int system = 0; system < 2; system++) {
		size_t x = 0, r = 0, w = 0;

		while (baseline_executable[system][x] != NULL)
			x++;
		while (baseline_read_only[system][r] != NULL)
			r++;
		while (baseline_read_write[system][w].path != NULL)
			w++;
		check_int(x, executable[system]);
		check_int(r, read_only[system]);
		check_int(w, read_write[system]);
	}
}

int
main(void)
{
	run(zed_is_off_unless_enabled);
	run(zed_off_is_reported_with_its_position);
	run(zed_apply_to_chooses_run_or_shell);
	run(zed_defaults_on_linux);
	run(what_links_in_etc_lead_to_is_readable_where_etc_is);
	run(zed_grants_that_open_a_hole_are_dropped_and_listed);
	run(zed_defaults_on_macos);
	run(zed_system_list_absent_null_empty_given);
	run(zed_each_category_is_replaced_alone);
	run(zed_keeps_paths_that_are_listed_by_name);
	run(zed_additional_lists_add);
	run(zed_network_and_variables);
	run(zed_overlay_of_this_system_overrides_key_by_key);
	run(zed_overlay_of_the_other_system_is_ignored);
	run(zed_overlay_can_turn_it_on_or_off);
	run(zed_record_is_read_unchanged);
	run(zed_record_with_the_built_in_list_has_no_hole);
	run(zed_tracking_only_has_no_restriction_and_a_notice);
	run(zed_errors_name_their_position);
	run(flow_defaults);
	run(flow_layers_that_restrict_nothing_are_named);
	run(flow_paths);
	run(flow_cwd_stays_writable_whatever_is_listed);
	run(flow_env_forms);
	run(flow_errors_name_their_position);
	run(clash_defaults);
	run(clash_caps_are_exact);
	run(clash_path_match_forms);
	run(clash_short_lists_are_used_only_where_exact);
	run(clash_three_levels_keep_their_effects);
	run(clash_tokens_and_relative_paths);
	run(clash_patterns_match_anywhere_as_they_did);
	run(clash_network_forms);
	run(clash_names_choose);
	run(clash_errors_name_their_position);
	run(clash_rule_errors_name_their_position);
	run(clash_path_errors);
	run(clash_network_errors);
	run(dialects_are_recognised_by_their_keys);
	run(native_form_of_each_reads_back_the_same);
	run(no_baseline_grants_what_only_the_user_may);
	run(baselines_have_the_required_lengths);
	return tap_end();
}
