// SPDX-License-Identifier: MIT
/*
 * The native form: every key and what it becomes, every wrong value and where it is refused, and
 * that printing what was read gives a text of the same meaning. Nothing here looks at a host.
 */
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/str.h"
#include "policy/model/guarantee.h"
#include "policy/model/value.h"
#include "policy/read/printer.h"
#include "reading.h"
#include "sources/profile.h"

static const struct reading_as on_linux = {DIALECT_NATIVE, NULL, SYSTEM_LINUX, COMMAND_RUN};
static const struct reading_as on_macos = {DIALECT_NATIVE, NULL, SYSTEM_MACOS, COMMAND_RUN};

static struct policy *
policy_of(const char *text)
{
	return policy_as(&on_linux, text);
}

static const char *
error_of(const char *text)
{
	return error_as(&on_linux, text);
}

struct row {
	const char *text, *expected;
};

static void
check_errors(const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(error_of(rows[i].text), rows[i].expected) != 0)
			printf("# for %s\n", rows[i].text);
		check_str(error_of(rows[i].text), rows[i].expected);
	}
}

/* Every rule as "effect rights match path", one a line. */
static void
rules_to_text(const struct policy *policy, struct str *to)
{
	for (size_t i = 0; i < policy->rule_count; i++) {
		const struct rule *rule = &policy->rules[i];
		char letters[RIGHT_KINDS + 1];

		policy_rights_to_letters(rule->rights, letters);
		str_printf(to,
			   "%s %s %s "
			   "%s%s%s\n",
			   rule->effect == EFFECT_ALLOW ? "allow" : "deny", letters,
			   match_names[rule->match], rule->path,
			   rule->worktrees ? " worktrees" : "", rule->optional ? " optional" : "");
	}
}

static const char *
rules_of(const char *text)
{
	static char copy[4000];
	auto_policy struct policy *policy = policy_of(text);
	auto_str struct str to = {0};

	rules_to_text(policy, &to);
	snprintf(copy, sizeof copy, "%s", to.text == NULL ? "" : to.text);
	return copy;
}

/* ---- every key ---- */

static void
the_short_lists_become_rules(void)
{
	check_str(rules_of("{\"files\": {\"read\": [\"/r\"], \"write\": [\"/w\"], \"execute\": "
			   "[\"/x\"],"
			   " \"deny\": [\"/d\"], \"protect\": [\"/p\"]}}"),
		  "allow r subpath /r\n"
		  "allow rwcd subpath /w\n"
		  "allow rx subpath /x\n"
		  "deny rwcdx subpath /d\n"
		  "deny wcd subpath /p\n");
}

static void
a_star_or_question_mark_makes_a_list_entry_a_glob(void)
{
	check_str(rules_of("{\"files\": {\"deny\": [\"**/.env\", \"/a/*.key\", \"/a/?\", "
			   "\"/a/[b]\"]}}"),
		  "deny rwcdx glob **/.env\n"
		  "deny rwcdx glob /a/*.key\n"
		  "deny rwcdx glob /a/?\n"
		  "deny rwcdx subpath /a/[b]\n");
}

static void
the_full_form_has_every_member(void)
{
	auto_policy struct policy *policy = policy_of(
		"{\"files\": {\"rules\": [\n"
		" {\"effect\": \"allow\", \"rights\": \"rc\", \"path\": \"~/drop\", \"why\": "
		"\"new only\"},\n"
		" {\"path\": \"/l\", \"rights\": \"xdcwr\", \"effect\": \"deny\", \"match\": "
		"\"literal\"},\n"
		" {\"effect\": \"allow\", \"rights\": \"r\", \"path\": \"/c\", \"match\": "
		"\"child\"},\n"
		" {\"effect\": \"allow\", \"rights\": \"r\", \"path\": \"/s\", \"match\": "
		"\"subpath\"},\n"
		" {\"effect\": \"deny\", \"rights\": \"r\", \"path\": \"/g/*\", \"match\": "
		"\"glob\"},\n"
		" {\"effect\": \"deny\", \"rights\": \"r\", \"path\": \"/(a|b)\", \"match\": "
		"\"regex\"},\n"
		" {\"effect\": \"allow\", \"rights\": \"r\", \"path\": \"/t\", \"worktrees\": "
		"true},\n"
		" {\"effect\": \"allow\", \"rights\": \"r\", \"path\": \"$TMPDIR\", "
		"\"optional\": true}]}}");
	auto_str struct str rules = {0};

	rules_to_text(policy, &rules);
	check_str(rules.text, "allow rc subpath ~/drop\n"
			      "deny rwcdx literal /l\n"
			      "allow r child /c\n"
			      "allow r subpath /s\n"
			      "deny r glob /g/*\n"
			      "deny r regex /(a|b)\n"
			      "allow r subpath /t worktrees\n"
			      "allow r subpath $TMPDIR optional\n");
	check_str(policy->rules[0].why, "new only");
	check(policy->rules[1].why == NULL);
	/* the place of a rule is that of its path */
	check_int(policy->rules[0].srcpos.line, 2);
	check_int(policy->rules[0].srcpos.column, 46);
	check_int(policy->rules[1].srcpos.column, 11);
}

static void
an_empty_text_grants_nothing(void)
{
	auto_policy struct policy *policy = policy_of("{}");

	check_int(policy->rule_count, 0);
	check(!policy->has_extends && !policy->has_default);
	check_int(policy->network.mode, NET_UNSET);
	check_int(policy->env.mode, ENV_UNSET);
	check_int(policy->tmp, TMP_UNSET);
	check_int(policy->dialect, DIALECT_NATIVE);
	check_str(policy->file, "f");
}

static void
extends_absent_empty_and_named_are_three_things(void)
{
	auto_policy struct policy *absent = policy_of("{\"tmp\": \"private\"}");
	auto_policy struct policy *empty = policy_of("{\"extends\": []}");
	auto_policy struct policy *named = policy_of("{\"extends\": [\"agent\", "
						     "\"./more.json\"]}");

	check(!absent->has_extends);
	check(empty->has_extends);
	check_int(empty->extends.count, 0);
	check_int(named->extends.count, 2);
	check_str(named->extends.items[1].text, "./more.json");
	check_int(named->extends.items[1].srcpos.column, 23);
}

static void
default_rights_are_letters(void)
{
	auto_policy struct policy *some = policy_of("{\"files\": {\"default\": \"xr\"}}");
	auto_policy struct policy *none = policy_of("{\"files\": {\"default\": \"\"}}");

	check(some->has_default && none->has_default);
	check_int(some->default_rights, RIGHT_READ | RIGHT_EXECUTE);
	check_int(none->default_rights, 0);
	check_int(some->default_srcpos.column, 23);
}

static void
every_network_form_is_read(void)
{
	static const struct {
		const char *text;
		enum net_mode mode;
		size_t localhost, domains, ports, ranges;
	} rows[] = {
		{"\"none\"", NET_NONE, 0, 0, 0, 0},
		{"\"localhost\"", NET_LOCALHOST, 0, 0, 0, 0},
		{"\"all\"", NET_ALL, 0, 0, 0, 0},
		{"{}", NET_UNSET, 0, 0, 0, 0},
		{"{\"localhost\": [3000, 1, 65535]}", NET_LOCALHOST, 3, 0, 0, 0},
		{"{\"domains\": []}", NET_DOMAINS, 0, 0, 0, 0},
		{"{\"domains\": [\"a.example\"], \"localhost\": [1, 2]}", NET_DOMAINS, 2, 1, 0, 0},
		{"{\"localhost\": [1, 2], \"domains\": [\"a.example\"]}", NET_DOMAINS, 2, 1, 0, 0},
		{"{\"domains\": [\"a.example\", \"*.b.example\"], \"ports\": [22], \"private\": "
		 "[\"10.0.0.0/8\"]}",
		 NET_DOMAINS, 0, 2, 1, 1},
		{"{\"ports\": [22]}", NET_UNSET, 0, 0, 1, 0},
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		char text[200];

		snprintf(text, sizeof text, "{\"network\": %s}", rows[i].text);
		auto_policy struct policy *policy = policy_of(text);
		check_int(policy->network.mode, rows[i].mode);
		check_int(policy->network.localhost.count, rows[i].localhost);
		check_int(policy->network.domains.count, rows[i].domains);
		check_int(policy->network.ports.count, rows[i].ports);
		check_int(policy->network.private_ranges.count, rows[i].ranges);
		check_int(policy->network.srcpos.column, 13);
	}
}

static void
the_rest_of_the_keys_is_read(void)
{
	auto_policy struct policy *policy = policy_of(
		"{\"$schema\": \"s\", \"sockets\": [\"$SSH_AUTH_SOCK\", \"docker\", \"/run/x\"],\n"
		" \"env\": {\"mode\": \"developer\", \"allow\": [\"CARGO_HOME\", \"LC_*\"], "
		"\"set\": {\"CI\": "
		"\"1\"}},\n"
		" \"limits\": {\"time\": \"10m\", \"output\": \"16M\", \"processes\": 512, "
		"\"memory\": \"4G\","
		" \"file_size\": 1000, \"cpu_time\": 90, \"open_files\": 64},\n"
		" \"tmp\": \"shared\", \"ipc\": \"sysv\", \"accept\": [\"process.listing\"],"
		" \"network\": {\"resolver\": \"[::1]:53\", \"ech\": \"allow\", \"opaque\": [5432],"
		" \"udp\": true}}");
	static const uint64_t limits[LIMIT_COUNT] = {600, 16u << 20, 512, 4ull << 30, 1000, 90, 64};

	check_int(policy->sockets.count, 3);
	check_str(policy->sockets.items[1].text, "docker");
	check_int(policy->env.mode, ENV_DEVELOPER);
	check_int(policy->env.allow.count, 2);
	check_int(policy->env.set_count, 1);
	check_str(policy->env.set[0].name, "CI");
	check_str(policy->env.set[0].value, "1");
	for (int i = 0; i < LIMIT_COUNT; i++)
		check_int(policy->limits[i].value, limits[i]);
	check_int(policy->tmp, TMP_SHARED);
	check_int(policy->ipc, IPC_SYSV);
	check_int(policy->accept.count, 1);
	check_str(policy->network.resolver.text, "[::1]:53");
	check_int(policy->network.ech, ECH_ALLOW);
	check_int(policy->network.udp, UDP_ALLOW);
	check_int(policy->network.opaque.count, 1);
	check_int(policy->network.opaque.items[0].number, 5432);
}

static void
every_env_mode_has_its_word(void)
{
	static const char *const words[] = {"explicit", "scrub", "developer", "inherit"};

	for (size_t i = 0; i < COUNT(words); i++) {
		char text[60];

		snprintf(text, sizeof text, "{\"env\": {\"mode\": \"%s\"}}", words[i]);
		auto_policy struct policy *policy = policy_of(text);
		check_int(policy->env.mode, ENV_EXPLICIT + (int)i);
	}
}

/* ---- wrong values ---- */

static void
wrong_types_are_refused_with_their_position(void)
{
	static const struct row rows[] = {
		{"[]", "f:1:1: the policy must be an object, not a list"},
		{"\"x\"", "f:1:1: the policy must be an object, not a string"},
		{"null", "f:1:1: the policy must be an object, not null"},
		{"{\"$schema\": 1}", "f:1:13: \"$schema\" must be a string, not a number"},
		{"{\"extends\": \"agent\"}", "f:1:13: \"extends\" must be a list, not a string"},
		{"{\"extends\": null}", "f:1:13: \"extends\" must be a list, not null"},
		{"{\"extends\": [1]}", "f:1:14: a string is expected here, not a number"},
		{"{\"extends\": [\"\"]}", "f:1:14: \"\" is empty"},
		{"{\"files\": []}", "f:1:11: \"files\" must be an object, not a list"},
		{"{\"files\": {\"read\": \"/a\"}}",
		 "f:1:20: \"read\" must be a list, not a string"},
		{"{\"files\": {\"read\": null}}", "f:1:20: \"read\" must be a list, not null"},
		{"{\"files\": {\"write\": [7]}}",
		 "f:1:22: a string is expected here, not a number"},
		{"{\"files\": {\"execute\": [[]]}}",
		 "f:1:24: a string is expected here, not a list"},
		{"{\"files\": {\"deny\": {}}}", "f:1:20: \"deny\" must be a list, not an object"},
		{"{\"files\": {\"protect\": true}}",
		 "f:1:23: \"protect\" must be a list, not true or false"},
		{"{\"files\": {\"default\": 7}}",
		 "f:1:23: \"default\" must be a string, not a number"},
		{"{\"files\": {\"rules\": {}}}", "f:1:21: \"rules\" must be a list, not an "
						 "object"},
		{"{\"files\": {\"rules\": [\"/a\"]}}",
		 "f:1:22: a rule must be an object, not a string"},
		{"{\"network\": 1}", "f:1:13: \"network\" must be a string, not a number"},
		{"{\"network\": []}", "f:1:13: \"network\" must be a string, not a list"},
		{"{\"network\": {\"ports\": [\"22\"]}}",
		 "f:1:24: a number is expected here, not a string"},
		{"{\"network\": {\"domains\": \"a.example\"}}",
		 "f:1:25: \"domains\" must be a list, not a string"},
		{"{\"network\": {\"resolver\": 53}}",
		 "f:1:26: \"resolver\" must be a string, not a number"},
		{"{\"network\": {\"udp\": \"yes\"}}",
		 "f:1:21: \"udp\" must be true or false, not a string"},
		{"{\"network\": {\"localhost\": false}}",
		 "f:1:27: \"localhost\" must be a list, not true or false"},
		{"{\"network\": {\"opaque\": 5432}}",
		 "f:1:24: \"opaque\" must be a list, not a number"},
		{"{\"network\": {\"opaque\": [true]}}",
		 "f:1:25: a number is expected here, not true or false"},
		{"{\"network\": {\"ech\": true}}",
		 "f:1:21: \"ech\" must be a string, not true or false"},
		{"{\"sockets\": \"docker\"}", "f:1:13: \"sockets\" must be a list, not a string"},
		{"{\"env\": \"inherit\"}", "f:1:9: \"env\" must be an object, not a string"},
		{"{\"env\": {\"mode\": null}}", "f:1:18: \"mode\" must be a string, not null"},
		{"{\"env\": {\"allow\": {}}}", "f:1:19: \"allow\" must be a list, not an object"},
		{"{\"env\": {\"set\": [\"A=1\"]}}",
		 "f:1:17: \"set\" must be an object of names and values, not a list"},
		{"{\"env\": {\"set\": {\"A\": 1}}}",
		 "f:1:23: \"A\" must be a string, not a number"},
		{"{\"limits\": 5}", "f:1:12: \"limits\" must be an object, not a number"},
		{"{\"limits\": {\"time\": true}}",
		 "f:1:21: \"time\" must be a number, not true or false"},
		{"{\"limits\": {\"processes\": \"5\"}}",
		 "f:1:26: \"processes\" must be a number, not a string"},
		{"{\"tmp\": true}", "f:1:9: \"tmp\" must be a string, not true or false"},
		{"{\"accept\": \"files.read\"}", "f:1:12: \"accept\" must be a list, not a "
						 "string"},
		{"{\"linux\": []}", "f:1:11: \"linux\" must be an object, not a list"},
		{"{\"macos\": 1}", "f:1:11: \"macos\" must be an object, not a number"},
	};

	check_errors(rows, COUNT(rows));
}

static void
wrong_words_name_the_right_ones(void)
{
	static const struct row rows[] = {
		{"{\"network\": \"some\"}",
		 "f:1:13: \"some\" is not one of \"none\", \"localhost\", \"all\""},
		{"{\"network\": \"domains\"}",
		 "f:1:13: \"domains\" needs names: {\"domains\": [\"example.com\"]}"},
		{"{\"network\": \"\"}",
		 "f:1:13: \"\" is not one of \"none\", \"localhost\", \"all\""},
		{"{\"env\": {\"mode\": \"all\"}}",
		 "f:1:18: \"all\" is not one of \"explicit\", \"scrub\", "
		 "\"developer\", \"inherit\""},
		{"{\"ipc\": \"posix\"}", "f:1:9: \"posix\" is not one of \"none\", \"sysv\""},
		{"{\"tmp\": \"none\"}", "f:1:9: \"none\" is not one of \"private\", \"shared\""},
		{"{\"files\": {\"default\": \"rwx!\"}}",
		 "f:1:23: \"rwx!\" is not made of the letters rwcdx, each at most once"},
		{"{\"files\": {\"default\": \"rr\"}}",
		 "f:1:23: \"rr\" is not made of the letters rwcdx, each at most once"},
		{"{\"network\": {\"localhost\": []}}",
		 "f:1:27: an empty list names no port; write \"network\": \"localhost\" for "
		 "every port, "
		 "or \"none\""},
		{"{\"network\": {\"domains\": [], \"localhost\": true}}",
		 "f:1:42: beside \"domains\" the ports of this machine are listed: "
		 "\"localhost\": [5432]"},
	};

	check_errors(rows, COUNT(rows));
}

#define RULE(rest) "{\"files\": {\"rules\": [{" rest "}]}}"

static void
a_rule_must_be_whole(void)
{
	static const struct row rows[] = {
		{RULE(""), "f:1:22: this rule has no \"effect\""},
		{RULE("\"effect\": \"deny\", \"path\": \"/a\""),
		 "f:1:22: this rule has no \"rights\""},
		{RULE("\"effect\": \"deny\", \"rights\": \"r\""),
		 "f:1:22: this rule has no \"path\""},
		{RULE("\"effect\": \"maybe\""),
		 "f:1:33: \"maybe\" is not one of \"deny\", \"allow\""},
		{RULE("\"rights\": \"\""), "f:1:33: a rule without rights does nothing"},
		{RULE("\"rights\": \"read\""),
		 "f:1:33: \"read\" is not made of the letters rwcdx, each at most once"},
		{RULE("\"rights\": 7"), "f:1:33: \"rights\" must be a string, not a number"},
		{RULE("\"match\": \"prefix\""), "f:1:32: \"prefix\" is not one of \"subpath\", "
						"\"literal\", \"child\", \"glob\", \"regex\""},
		{RULE("\"why\": 1"), "f:1:30: \"why\" must be a string, not a number"},
		{RULE("\"worktrees\": 1"),
		 "f:1:36: \"worktrees\" must be true or false, not a number"},
		{RULE("\"optional\": \"yes\""),
		 "f:1:35: \"optional\" must be true or false, not a string"},
		{RULE("\"effect\": \"deny\", \"rights\": \"r\", \"path\": \"a\""),
		 "f:1:64: \"a\" is relative; start it with /, ~ or $PROJECT"},
		{RULE("\"effect\": \"deny\", \"rights\": \"r\", \"path\": \"**/a\""),
		 "f:1:64: \"**/a\" is relative; start it with /, ~ or $PROJECT"},
		{RULE("\"effect\": \"deny\", \"rights\": \"r\", \"path\": \"\", \"match\": "
		      "\"regex\""),
		 "f:1:64: \"\" is empty"},
		{RULE("\"effect\": \"deny\", \"rights\": \"r\", \"path\": \"\\n\", \"match\": "
		      "\"glob\""),
		 "f:1:64: \"?\" has a control character in it"},
	};

	check_errors(rows, COUNT(rows));
}

static void
unknown_keys_are_refused_and_the_nearest_is_suggested(void)
{
	static const struct row rows[] = {
		{"{\"file\": {}}",
		 "f:1:2: unknown key \"file\" in the policy; did you mean \"files\"?"},
		{"{\n \"Network\": 1}",
		 "f:2:2: unknown key \"Network\" in the policy; did you mean \"network\"?"},
		{"{\"zzzzzz\": 1}", "f:1:2: unknown key \"zzzzzz\" in the policy"},
		{"{\"\": 1}", "f:1:2: unknown key \"\" in the policy"},
		{"{\"windows\": {}}", "f:1:2: unknown key \"windows\" in the policy"},
		{"{\"files\": {\"reads\": []}}",
		 "f:1:12: unknown key \"reads\" in \"files\"; did you mean \"read\"?"},
		{RULE("\"efect\": 1"),
		 "f:1:23: unknown key \"efect\" in a rule; did you mean \"effect\"?"},
		{"{\"network\": {\"domain\": []}}",
		 "f:1:14: unknown key \"domain\" in \"network\"; did you mean \"domains\"?"},
		{"{\"env\": {\"alow\": []}}",
		 "f:1:10: unknown key \"alow\" in \"env\"; did you mean \"allow\"?"},
		{"{\"limits\": {\"proceses\": 1}}",
		 "f:1:13: unknown key \"proceses\" in \"limits\"; did you mean \"processes\"?"},
		{"{\"linux\": {\"fles\": {}}}",
		 "f:1:12: unknown key \"fles\" in \"linux\"; did you mean \"files\"?"},
		{"{\"linux\": {\"extends\": []}}", "f:1:12: unknown key \"extends\" in \"linux\""},
		{"{\"macos\": {\"linux\": {}}}", "f:1:12: unknown key \"linux\" in \"macos\""},
	};

	check_errors(rows, COUNT(rows));
}

static void
a_duplicate_key_is_refused(void)
{
	check_str(error_of("{\"tmp\": \"private\",\n \"tmp\": \"shared\"}"),
		  "f:2:2: \"tmp\" is a duplicate key, first in line 1");
	check_str(error_of("{\"env\": {\"set\": {\"A\": \"1\", \"\\u0041\": \"2\"}}}"),
		  "f:1:28: \"A\" is a duplicate key, first in line 1");
}

static void
every_guarantee_can_be_accepted_and_typos_are_corrected(void)
{
	static const struct row rows[] = {
		{"{\"accept\": [\"process.list\"]}",
		 "f:1:13: \"process.list\" is not the name of a "
		 "guarantee; did you mean \"process.listing\"?"},
		{"{\"accept\": [\"files.reed\"]}", "f:1:13: \"files.reed\" is not the name of a "
						   "guarantee; did you mean \"files.read\"?"},
		{"{\"accept\": [\"everything\"]}",
		 "f:1:13: \"everything\" is not the name of a guarantee"},
		{"{\"accept\": [\"\"]}", "f:1:13: \"\" is not the name of a guarantee"},
		{"{\"accept\": [1]}", "f:1:13: a string is expected here, not a number"},
	};

	for (int i = 0; i < G_COUNT; i++) {
		char text[60];

		snprintf(text, sizeof text, "{\"accept\": [\"%s\"]}", guarantee_names[i]);
		check_str(error_of(text), "");
	}
	check_errors(rows, COUNT(rows));
}

/* ---- small values ---- */

/* NULL in `expected` means refused. */
static void
check_domain(const char *text, const char *expected)
{
	char name[VALUE_DOMAIN_SIZE] = "";
	const char *reason = value_domain(text, name);

	if ((reason == NULL) != (expected != NULL))
		printf("# for \"%s\": %s\n", text, reason == NULL ? name : reason);
	check((reason == NULL) == (expected != NULL));
	if (reason == NULL && expected != NULL)
		check_str(name, expected);
}

static void
domains_are_brought_to_one_form(void)
{
	check_domain("example.com", "example.com");
	check_domain("EXAMPLE.Com", "example.com");
	check_domain("example.com.", "example.com");
	check_domain("*.example.org", "*.example.org");
	check_domain("*.Example.org.", "*.example.org");
	check_domain("a_b.example", "a_b.example");
	check_domain("b\xc3\xbc"
		     "cher.example",
		     "xn--bcher-kva.example");
	check_domain("B\xc3\x9c"
		     "CHER.example",
		     "xn--bcher-kva.example");
	check_domain("bu\xcc\x88"
		     "cher.example",
		     "xn--bcher-kva.example");
	check_domain("*.b\xc3\xbc"
		     "cher.example",
		     "*.xn--bcher-kva.example");
	check_domain("xn--bcher-kva.example", "xn--bcher-kva.example");
	/* nontransitional: not the same host as strasse.example */
	check_domain("stra\xc3\x9f"
		     "e.example",
		     "xn--strae-oqa.example");
	check_domain("ex\xe3\x80\x82"
		     "ample",
		     "ex.ample");
	check_domain("1password.com", "1password.com");
	check_domain("4.example", "4.example");
}

static void
what_is_no_domain_is_refused(void)
{
	static const char *const bad[] = {
		"",
		".",
		"..",
		"*",
		"*.",
		"*..a.example",
		"a..example",
		".a.example",
		"a.example..",
		"*a.example",
		"a.*.example",
		"a.*",
		"**.example",
		"*.*.example",
		"-a.example",
		"a-.example",
		"a b.example",
		"a/b.example",
		"a@b.example",
		"http://a.example",
		"a.example:443",
		"a\\b.example",
		"a.example/",
		"a\x01.example",
		"\xef\xbc\x8a.example",
	};

	for (size_t i = 0; i < COUNT(bad); i++)
		check_domain(bad[i], NULL);
}

static void
addresses_and_localhost_are_no_domains_in_any_spelling(void)
{
	static const char *const bad[] = {
		"127.0.0.1",
		"127.1",
		"2130706433",
		"0x7f.1",
		"0x7f000001",
		"0177.0.0.1",
		"127.0.0.0x1",
		"1.2.3.4.",
		"256.1.1.1",
		"a.example.1",
		"::1",
		"[::1]",
		"::ffff:127.0.0.1",
		"fe80::1%eth0",
		"*.1.2.3",
		"*.127.0.0.1",
		"localhost",
		"LOCALHOST",
		"localhost.",
		"a.localhost",
		"a.Localhost.",
		"*.localhost",
		"0",
		"0X7F.1",
		/* full-width digits and dots become the plain ones */
		"\xef\xbc\x91\xef\xbc\x92\xef\xbc\x97.0.0.1",
		"127\xe3\x80\x82"
		"0\xe3\x80\x82"
		"0\xe3\x80\x82"
		"1",
		"\xe2\x91\xa0.2.3.4",
		"\xef\xbd\x8cocalhost",
		"localhost\xe3\x80\x82",
	};

	for (size_t i = 0; i < COUNT(bad); i++)
		check_domain(bad[i], NULL);
}

static void
domains_are_as_long_as_names_can_be(void)
{
	char text[400];

	memset(text, 'a', sizeof text);
	snprintf(text + 63, sizeof text - 63, ".example");
	check(value_domain(text, (char[VALUE_DOMAIN_SIZE]){0}) == NULL);
	memset(text, 'a', 64);
	snprintf(text + 64, sizeof text - 64, ".example");
	check_str(value_domain(text, (char[VALUE_DOMAIN_SIZE]){0}),
		  "has a label longer than 63 bytes");
	for (int i = 0; i < 127; i++)
		memcpy(text + i * 2, "a.", 2);
	text[253] = '\0';
	check(value_domain(text, (char[VALUE_DOMAIN_SIZE]){0}) == NULL);
	memcpy(text + 253, ".bb", 4);
	check_str(value_domain(text, (char[VALUE_DOMAIN_SIZE]){0}),
		  "is longer than a host name can be");
}

static void
a_refused_domain_has_its_position_and_reason(void)
{
	check_str(error_of("{\"network\": {\"domains\": [\"a.example\",\n \"127.1\"]}}"),
		  "f:2:2: \"127.1\" is an address; domains are names only");
	check_str(error_of("{\"network\": {\"domains\": [\"localhost\"]}}"),
		  "f:1:26: \"localhost\" is this machine; use the network mode \"localhost\"");
	check_str(error_of("{\"network\": {\"domains\": [\"*\"]}}"),
		  "f:1:26: \"*\" names every host; say \"network\": \"all\", or --net all, if that "
		  "is meant");
	check_str(error_of("{\"network\": {\"domains\": [\"a.*.example\"]}}"),
		  "f:1:26: \"a.*.example\" has a wildcard that is not a leading \"*.\"");
	check_str(error_of("{\"network\": {\"domains\": [7]}}"),
		  "f:1:26: a string is expected here, not a number");
}

static void
ports_are_from_1_to_65535(void)
{
	static const char *const bad[] = {"0", "65536", "-1", "1.5", "1e3", "99999999999999999999"};

	for (size_t i = 0; i < COUNT(bad); i++) {
		char text[80], said[100];

		snprintf(text, sizeof text, "{\"network\": {\"ports\": [%s]}}", bad[i]);
		snprintf(said, sizeof said, "f:1:24: %s is not a whole number from 1 to 65535",
			 bad[i]);
		check_str(error_of(text), said);
		snprintf(text, sizeof text, "{\"network\": {\"localhost\": [80, %s]}}", bad[i]);
		snprintf(said, sizeof said, "f:1:32: %s is not a whole number from 1 to 65535",
			 bad[i]);
		check_str(error_of(text), said);
	}
}

static void
durations_and_sizes_have_units(void)
{
	static const struct {
		const char *text;
		uint64_t seconds, bytes; /* 0: refused */
	} rows[] = {
		{"90", 90, 90},
		{"1s", 1, 0},
		{"10m", 600, 0},
		{"2h", 7200, 0},
		{"3d", 259200, 0},
		{"64K", 0, 64 << 10},
		{"16M", 0, 16 << 20},
		{"4G", 0, 4ull << 30},
		{"2T", 0, 2ull << 40},
		{"0", 0, 0},
		{"0s", 0, 0},
		{"", 0, 0},
		{"m", 0, 0},
		{"-1", 0, 0},
		{"+1", 0, 0},
		{" 1", 0, 0},
		{"1 ", 0, 0},
		{"1.5h", 0, 0},
		{"1hh", 0, 0},
		{"1h30m", 0, 0},
		{"16m", 960, 0},
		{"16MB", 0, 0},
		{"0x10", 0, 0},
		{"4503599627370495", 4503599627370495, 4503599627370495},
		{"4503599627370496", 0, 0},
		{"99999999999999999999", 0, 0},
		{"99999999999999999d", 0, 0},
		{"99999999999999T", 0, 0},
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		uint64_t seconds = 0, bytes = 0;

		if (value_duration(rows[i].text, &seconds) != NULL)
			seconds = 0;
		if (value_size(rows[i].text, &bytes) != NULL)
			bytes = 0;
		check_int(seconds, rows[i].seconds);
		check_int(bytes, rows[i].bytes);
	}
}

static void
limits_are_positive_and_bounded(void)
{
	static const struct row rows[] = {
		{"{\"limits\": {\"time\": 0}}",
		 "f:1:21: 0 is not a whole number from 1 to 4503599627370495"},
		{"{\"limits\": {\"processes\": -3}}",
		 "f:1:26: -3 is not a whole number from 1 to 4503599627370495"},
		{"{\"limits\": {\"memory\": 1.5}}",
		 "f:1:23: 1.5 is not a whole number from 1 to 4503599627370495"},
		{"{\"limits\": {\"time\": \"10x\"}}",
		 "f:1:21: \"10x\" has an unknown unit; there are s, m, h, d"},
		{"{\"limits\": {\"output\": \"0K\"}}",
		 "f:1:23: \"0K\" is out of range: from 1 to 4503599627370495 bytes"},
		{"{\"limits\": {\"file_size\": \"big\"}}",
		 "f:1:26: \"big\" does not start with a number"},
		{"{\"limits\": {\"memory\": \"99999999999999T\"}}",
		 "f:1:23: \"99999999999999T\" is out of range: from 1 to 4503599627370495 bytes"},
	};

	check_errors(rows, COUNT(rows));
}

static void
address_ranges_are_checked(void)
{
	static const char *const good[] = {"10.0.0.0/8", "192.168.1.1", "127.0.0.0/32",	 "::1",
					   "fd00::/8",	 "fe80::/128",	"::ffff:1.2.3.4"};
	static const char *const bad[] = {
		"",	 "/8",	   "10.0.0.0/",	       "10.0.0.0/33", "fd00::/129",  "10.0.0/8",
		"10/8",	 "0x7f.1", "example.com",      "10.0.0.0/8 ", "10.0.0.0/-1", "10.0.0.0/8/8",
		"[::1]", "::1%lo", "10.0.0.0-10.0.0.9"};

	for (size_t i = 0; i < COUNT(good); i++)
		check_str(value_range(good[i]), NULL);
	for (size_t i = 0; i < COUNT(bad); i++)
		check(value_range(bad[i]) != NULL);
	check_str(error_of("{\"network\": {\"private\": [\"10.0.0.0/33\"]}}"),
		  "f:1:26: \"10.0.0.0/33\" has a prefix length that does not fit");
}

static void
endpoints_are_address_and_port(void)
{
	static const char *const good[] = {"127.0.0.1:53", "[::1]:53", "[fd00::1]:65535",
					   "1.1.1.1:1"};
	static const char *const bad[] = {"",
					  "127.0.0.1",
					  ":53",
					  "127.0.0.1:",
					  "127.0.0.1:0",
					  "127.0.0.1:65536",
					  "::1:53",
					  "[::1]",
					  "[::1:53",
					  "[]:53",
					  "[127.0.0.1]:53",
					  "127.1:53",
					  "localhost:53",
					  "127.0.0.1:5x",
					  "127.0.0.1:-5"};

	for (size_t i = 0; i < COUNT(good); i++)
		check_str(value_endpoint(good[i]), NULL);
	for (size_t i = 0; i < COUNT(bad); i++)
		check(value_endpoint(bad[i]) != NULL);
	check_str(error_of("{\"network\": {\"resolver\": \"dns.example:53\"}}"),
		  "f:1:26: \"dns.example:53\" does not start with an address");
}

static void
variable_names_are_names(void)
{
	static const char *const good[] = {"A", "_", "PATH", "lower", "A1", "_1"};
	static const char *const bad[] = {"",	"1A",  "A=B", "A B",	  "A-B", "A.B", "*",
					  "**", "A*B", "A**", "\xc3\xa9", "A\n", "$A"};

	for (size_t i = 0; i < COUNT(good); i++) {
		check_str(value_env_name(good[i]), NULL);
		check_str(value_env_pattern(good[i]), NULL);
	}
	for (size_t i = 0; i < COUNT(bad); i++) {
		check(value_env_name(bad[i]) != NULL);
		check(value_env_pattern(bad[i]) != NULL);
	}
	check_str(value_env_pattern("LC_*"), NULL);
	check(value_env_name("LC_*") != NULL);
	check_str(error_of("{\"env\": {\"allow\": [\"A=1\"]}}"),
		  "f:1:20: \"A=1\" is not a variable's name");
	check_str(error_of("{\"env\": {\"set\": {\"LC_*\": \"1\"}}}"),
		  "f:1:18: \"LC_*\" is not a variable's name");
}

static void
paths_are_absolute_or_start_with_a_token(void)
{
	static const char *const good[] = {
		"/",
		"/a",
		"~",
		"~/a",
		"$HOME",
		"$HOME/a",
		"$PROJECT",
		"$PROJECT/a/b",
		"$CWD",
		"$TMPDIR/x",
		"$XDG_CACHE_HOME",
		"$XDG_DATA_HOME/a",
		"$GIT_DIR",
		"$GIT_COMMON_DIR",
		"/a b",
		"/a\"b'c",
		"/a\\b",
		"/\xc3\xa9",
		"/a/$HOMEBREW",
		"/a/~b",
		"//a///b/..",
		"/a/",
		"$SSH_AUTH_SOCK",
	};
	static const char *const bad[] = {
		"",	      "a",	   "./a",      "../a",	"~root",       "~root/a",
		"$",	      "$HOMEBREW", "$HOME2/a", "$home", "$PROJECTS/a", "$FOO/a",
		"$XDG_cache", "${HOME}/a", "**/a",     "/a\nb", "/a\tb",       "/a\x1b[2J",
		"/\x7f",      " /a",
	};

	for (size_t i = 0; i < COUNT(good); i++)
		check_str(value_path(good[i], false), NULL);
	for (size_t i = 0; i < COUNT(bad); i++) {
		if (value_path(bad[i], false) == NULL)
			printf("# for %s\n", bad[i]);
		check(value_path(bad[i], false) != NULL);
	}
	check_str(value_path("**/a", true), NULL);
	check_str(value_path("**", true), NULL);
	check(value_path("*/a", true) != NULL);
}

static void
paths_are_no_longer_than_paths_can_be(void)
{
	char text[4097];

	memset(text, 'a', sizeof text);
	text[0] = '/';
	text[4095] = '\0';
	check_str(value_path(text, false), NULL);
	text[4095] = 'a';
	text[4096] = '\0';
	check_str(value_path(text, false), "is longer than a path can be");
}

static void
control_characters_in_paths_are_refused_and_quotes_are_fine(void)
{
	static const struct row rows[] = {
		{"{\"files\": {\"read\": [\"/a\\nb\"]}}",
		 "f:1:21: \"/a?b\" has a control character in it"},
		{"{\"files\": {\"deny\": [\"/a\\u001b[2J\"]}}",
		 "f:1:21: \"/a?[2J\" has a control character in it"},
		{"{\"files\": {\"write\": [\"/a\\u007f\"]}}",
		 "f:1:22: \"/a?\" has a control character in it"},
		{"{\"sockets\": [\"/a\\r\"]}", "f:1:14: \"/a?\" has a control character in it"},
		{"{\"files\": {\"read\": [\"/a\\\"b'c`d;$(e)\\\\\"]}}", ""},
	};

	check_errors(rows, COUNT(rows));
	check_str(rules_of("{\"files\": {\"read\": [\"/a\\\"b'c`d;$(e)\\\\\"]}}"),
		  "allow r subpath /a\"b'c`d;$(e)\\\n");
}

static void
sockets_are_paths_or_presets(void)
{
	for (size_t i = 0; socket_presets[i] != NULL; i++)
		check_str(value_socket(socket_presets[i]), NULL);
	check_str(value_socket("/run/a.sock"), NULL);
	check_str(value_socket("~/a.sock"), NULL);
	check_str(value_socket("$XDG_RUNTIME_DIR/a"), NULL);
	check(value_socket("run/a.sock") != NULL);
	check(value_socket("Docker") != NULL);
	check(value_socket("") != NULL);
	check(value_socket("**/a") != NULL);
	check(value_socket("@abstract") != NULL);
	check(value_socket("$FOO/a") != NULL);
}

/* ---- systems ---- */

static const char two_systems[] =
	"{\"linux\": {\"files\": {\"read\": [\"/l\"]}, \"network\": \"all\", \"tmp\": "
	"\"shared\"},\n"
	" \"macos\": {\"files\": {\"read\": [\"/m\"]}, \"env\": {\"mode\": \"inherit\"}},\n"
	" \"files\": {\"read\": [\"/both\"], \"default\": \"r\"}, \"network\": \"none\", \"tmp\": "
	"\"private\"}";

static void
the_own_block_is_applied_after_what_stands_outside(void)
{
	auto_policy struct policy *policy = policy_of(two_systems);
	auto_str struct str rules = {0};

	rules_to_text(policy, &rules);
	check_str(rules.text, "allow r subpath /both\nallow r subpath /l\n");
	check_int(policy->network.mode, NET_ALL);
	check_int(policy->tmp, TMP_SHARED);
	check_int(policy->env.mode, ENV_UNSET);
	check_int(policy->default_rights, RIGHT_READ);
}

static void
the_block_of_the_other_system_changes_nothing(void)
{
	auto_policy struct policy *policy = policy_as(&on_macos, two_systems);
	auto_str struct str rules = {0};

	rules_to_text(policy, &rules);
	check_str(rules.text, "allow r subpath /both\nallow r subpath /m\n");
	check_int(policy->network.mode, NET_NONE);
	check_int(policy->tmp, TMP_PRIVATE);
	check_int(policy->env.mode, ENV_INHERIT);
}

static void
the_block_of_the_other_system_is_still_checked(void)
{
	static const struct row rows[] = {
		{"{\"macos\": {\"files\": {\"read\": [\"rel\"]}}}",
		 "f:1:31: \"rel\" is relative; start it with /, ~, $PROJECT, or with **/ for any "
		 "folder"},
		{"{\"macos\": {\"netwrk\": 1}}",
		 "f:1:12: unknown key \"netwrk\" in \"macos\"; did you mean \"network\"?"},
		{"{\"macos\": {\"network\": {\"ports\": [0]}}}",
		 "f:1:34: 0 is not a whole number from 1 to 65535"},
	};

	check_errors(rows, COUNT(rows));
}

/* ---- printing ---- */

static void
print_to(const struct policy *policy, struct str *to)
{
	policy_print(policy, to);
	check(!to->failed);
}

static bool
same_words(const struct words *a, const struct words *b)
{
	if (a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++)
		if (strcmp(a->items[i].text, b->items[i].text) != 0)
			return false;
	return true;
}

static bool
same_ports(const struct ports *a, const struct ports *b)
{
	if (a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++)
		if (a->items[i].number != b->items[i].number)
			return false;
	return true;
}

static bool
same_resolver(const char *a, const char *b)
{
	return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static void
check_same_settings(const struct policy *a, const struct policy *b)
{
	check_int(a->has_extends, b->has_extends);
	check(same_words(&a->extends, &b->extends));
	check_int(a->has_default, b->has_default);
	check_int(a->default_rights, b->default_rights);
	check_int(a->network.mode, b->network.mode);
	check(same_words(&a->network.domains, &b->network.domains));
	check(same_words(&a->network.private_ranges, &b->network.private_ranges));
	check(same_ports(&a->network.localhost, &b->network.localhost));
	check(same_ports(&a->network.ports, &b->network.ports));
	check_int(a->network.udp, b->network.udp);
	check(same_ports(&a->network.opaque, &b->network.opaque));
	check(same_resolver(a->network.resolver.text, b->network.resolver.text));
	check_int(a->network.ech, b->network.ech);
	check(same_words(&a->sockets, &b->sockets));
	check_int(a->env.mode, b->env.mode);
	check(same_words(&a->env.allow, &b->env.allow));
	check_int(a->env.set_count, b->env.set_count);
	for (int i = 0; i < LIMIT_COUNT; i++)
		check_int(a->limits[i].value, b->limits[i].value);
	check_int(a->tmp, b->tmp);
	check_int(a->ipc, b->ipc);
	check(same_words(&a->accept, &b->accept));
}

/* Path rules as a set, patterns as a sequence: that is all their order can mean. */
static int
count_like(const struct policy *policy, const struct rule *like)
{
	int count = 0;

	for (size_t i = 0; i < policy->rule_count; i++) {
		const struct rule *rule = &policy->rules[i];

		count += rule->effect == like->effect && rule->rights == like->rights &&
			 rule->match == like->match && strcmp(rule->path, like->path) == 0 &&
			 rule->worktrees == like->worktrees && rule->optional == like->optional;
	}
	return count;
}

static void
check_same_rules(const struct policy *a, const struct policy *b)
{
	check_int(a->rule_count, b->rule_count);
	for (size_t i = 0; i < a->rule_count; i++)
		check_int(count_like(b, &a->rules[i]), count_like(a, &a->rules[i]));
}

static void
check_round_trip(const char *text)
{
	auto_policy struct policy *first = policy_of(text);
	auto_str struct str once = {0}, twice = {0};

	print_to(first, &once);
	auto_policy struct policy *second = policy_of(once.text);
	print_to(second, &twice);
	check_str(twice.text, once.text);
	check_same_settings(first, second);
	check_same_rules(first, second);
}

static void
printing_what_was_read_keeps_its_meaning(void)
{
	static const char *const texts[] = {
		"{}",
		"{\"extends\": []}",
		"{\"extends\": [\"agent\", \"node\"], \"files\": {\"default\": \"\"}}",
		"{\"files\": {\"read\": [\"/a\", \"~/b\"], \"write\": [\"$PROJECT\"], \"deny\": "
		"[\"**/.env\"],"
		" \"protect\": [\"/p\"], \"execute\": [\"/x\"], \"default\": \"rx\"}}",
		"{\"network\": \"none\"}",
		"{\"network\": \"all\"}",
		"{\"network\": \"localhost\"}",
		"{\"network\": {\"localhost\": [1, 2]}}",
		"{\"network\": {\"domains\": [], \"ports\": [22]}}",
		"{\"network\": {\"domains\": [\"*.a.example\"], \"private\": [\"10.0.0.0/8\"], "
		"\"resolver\": "
		"\"[::1]:53\"}}",
		"{\"network\": {\"ports\": [22]}}",
		"{\"network\": {\"private\": [\"::1\"]}}",
		"{\"network\": {\"resolver\": \"127.0.0.1:53\"}}",
		"{\"network\": {\"ech\": \"allow\"}}",
		"{\"network\": {\"udp\": false}}",
		"{\"network\": {\"localhost\": true, \"udp\": true}}",
		"{\"network\": {\"localhost\": [514], \"udp\": true}}",
		"{\"network\": {\"opaque\": [22, 5432]}}",
		"{\"network\": {\"domains\": [], \"ports\": [1, 2], \"opaque\": [2]}}",
		"{\"network\": {\"domains\": [\"a.example\"], \"ech\": \"refuse\"}}",
		"{\"network\": {}}",
		"{\"sockets\": [\"docker\", \"/a\\\"b\"], \"tmp\": \"shared\", \"accept\": "
		"[\"net.udp\"]}",
		"{\"env\": {\"mode\": \"inherit\", \"allow\": [\"A\", \"B_*\"], \"set\": {\"C\": "
		"\"\\u0001\\n\\\"\","
		" \"D\": \"\"}}}",
		"{\"env\": {}, \"limits\": {}}",
		"{\"limits\": {\"time\": 61, \"output\": 1025, \"processes\": 60, \"memory\": "
		"\"1T\","
		" \"file_size\": \"3K\", \"cpu_time\": \"2d\", \"open_files\": 1024}}",
		RULE("\"effect\": \"allow\", \"rights\": \"rc\", \"path\": \"/a\", \"why\": \"b "
		     "\\\"c\\\"\""),
		RULE("\"effect\": \"deny\", \"rights\": \"rwcdx\", \"path\": \"/a\""),
		RULE("\"effect\": \"deny\", \"rights\": \"wcd\", \"path\": \"/a\", \"match\": "
		     "\"literal\""),
		RULE("\"effect\": \"allow\", \"rights\": \"r\", \"path\": \"/a*\", \"match\": "
		     "\"literal\""),
		RULE("\"effect\": \"allow\", \"rights\": \"r\", \"path\": \"/a*\""),
		RULE("\"effect\": \"allow\", \"rights\": \"r\", \"path\": \"/a\", \"match\": "
		     "\"glob\""),
		RULE("\"effect\": \"allow\", \"rights\": \"r\", \"path\": \"/a\", \"worktrees\": "
		     "true"),
		RULE("\"effect\": \"allow\", \"rights\": \"r\", \"path\": \"$TMPDIR\", "
		     "\"optional\": true"),
		RULE("\"effect\": \"allow\", \"rights\": \"r\", \"path\": \"/a/$TMPDIR\", "
		     "\"optional\": true"),
		RULE("\"effect\": \"allow\", \"rights\": \"r\", \"path\": \"~/a\", \"optional\": "
		     "true"),
	};

	for (size_t i = 0; i < COUNT(texts); i++) {
		int before = tap.failed_checks;

		check_round_trip(texts[i]);
		if (tap.failed_checks != before)
			printf("# for %s\n", texts[i]);
	}
	check_round_trip(two_systems);
}

static void
every_profile_keeps_its_meaning_when_printed(void)
{
	for (size_t i = 0; profile_at(i) != NULL; i++)
		check_round_trip(profile_at(i)->text);
	check(profile_at(5) != NULL);
}

static void
mixed_patterns_keep_their_order_when_printed(void)
{
	static const char text[] =
		"{\"files\": {\"deny\": [\"/a/*\", \"/first\"], \"read\": [\"/a/*.txt\", "
		"\"/second\"],"
		" \"rules\": [{\"effect\": \"deny\", \"rights\": \"r\", \"path\": \"/a/b.txt\", "
		"\"match\": "
		"\"regex\"}, {\"effect\": \"allow\", \"rights\": \"rwcd\", \"path\": \"/a/?\", "
		"\"match\": "
		"\"glob\"}], \"write\": [\"/a/**/x\"]}}";
	static const char *const order[] = {"/a/*", "/a/*.txt", "/a/b.txt", "/a/?", "/a/**/x"};
	auto_policy struct policy *first = policy_of(text);
	auto_str struct str once = {0};
	size_t next = 0;

	check_round_trip(text);
	print_to(first, &once);
	auto_policy struct policy *second = policy_of(once.text);
	for (size_t i = 0; i < second->rule_count; i++)
		if (second->rules[i].match == MATCH_GLOB || second->rules[i].match == MATCH_REGEX)
			check_str(second->rules[i].path,
				  next < COUNT(order) ? order[next++] : NULL);
	check_int(next, COUNT(order));
}

static void
the_canonical_text_is_this(void)
{
	auto_policy struct policy *policy = policy_of(
		"{\"tmp\": \"private\", // first\n \"files\": {\"deny\": [\"/d\"], \"read\": "
		"[\"/r\",],},"
		" \"limits\": {\"time\": 3600}, \"extends\": [],}");
	auto_str struct str text = {0};

	print_to(policy, &text);
	check_str(text.text, "{\n"
			     "  \"extends\": [],\n"
			     "  \"files\": {\n"
			     "    \"read\": [\"/r\"],\n"
			     "    \"deny\": [\"/d\"]\n"
			     "  },\n"
			     "  \"limits\": {\n"
			     "    \"time\": \"1h\"\n"
			     "  },\n"
			     "  \"tmp\": \"private\"\n"
			     "}\n");
}

static void
a_limit_is_printed_in_its_largest_exact_unit(void)
{
	static const struct {
		enum limit limit;
		uint64_t value;
		const char *expected;
	} rows[] = {
		{LIMIT_TIME, 86400, "\"1d\""},	 {LIMIT_TIME, 3601, "\"3601s\""},
		{LIMIT_CPU_TIME, 120, "\"2m\""}, {LIMIT_MEMORY, 1ull << 40, "\"1T\""},
		{LIMIT_OUTPUT, 1536, "1536"},	 {LIMIT_FILE_SIZE, 3072, "\"3K\""},
		{LIMIT_PROCESSES, 3600, "3600"}, {LIMIT_OPEN_FILES, 1024, "1024"},
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		auto_str struct str text = {0};

		printer_print_limit(rows[i].limit, rows[i].value, &text);
		check_str(text.text, rows[i].expected);
	}
}

static void
a_failed_read_gives_no_policy(void)
{
	struct policy *policy = NULL;

	check_int(policy_read("f",
			      "{\"tmp\": "
			      "1}",
			      10, &on_linux, &policy, NULL),
		  -CORDON_E_POLICY);
	check(policy == NULL);
	check_int(policy_read("f", "{\"tmp\":", 7, &on_linux, &policy, NULL), -CORDON_E_SYNTAX);
	check(policy == NULL);
}

int
main(void)
{
	run(the_short_lists_become_rules);
	run(a_star_or_question_mark_makes_a_list_entry_a_glob);
	run(the_full_form_has_every_member);
	run(an_empty_text_grants_nothing);
	run(extends_absent_empty_and_named_are_three_things);
	run(default_rights_are_letters);
	run(every_network_form_is_read);
	run(the_rest_of_the_keys_is_read);
	run(every_env_mode_has_its_word);
	run(wrong_types_are_refused_with_their_position);
	run(wrong_words_name_the_right_ones);
	run(a_rule_must_be_whole);
	run(unknown_keys_are_refused_and_the_nearest_is_suggested);
	run(a_duplicate_key_is_refused);
	run(every_guarantee_can_be_accepted_and_typos_are_corrected);
	run(domains_are_brought_to_one_form);
	run(what_is_no_domain_is_refused);
	run(addresses_and_localhost_are_no_domains_in_any_spelling);
	run(domains_are_as_long_as_names_can_be);
	run(a_refused_domain_has_its_position_and_reason);
	run(ports_are_from_1_to_65535);
	run(durations_and_sizes_have_units);
	run(limits_are_positive_and_bounded);
	run(address_ranges_are_checked);
	run(endpoints_are_address_and_port);
	run(variable_names_are_names);
	run(paths_are_absolute_or_start_with_a_token);
	run(paths_are_no_longer_than_paths_can_be);
	run(control_characters_in_paths_are_refused_and_quotes_are_fine);
	run(sockets_are_paths_or_presets);
	run(the_own_block_is_applied_after_what_stands_outside);
	run(the_block_of_the_other_system_changes_nothing);
	run(the_block_of_the_other_system_is_still_checked);
	run(printing_what_was_read_keeps_its_meaning);
	run(every_profile_keeps_its_meaning_when_printed);
	run(mixed_patterns_keep_their_order_when_printed);
	run(the_canonical_text_is_this);
	run(a_limit_is_printed_in_its_largest_exact_unit);
	run(a_failed_read_gives_no_policy);
	return tap_end();
}
