// SPDX-License-Identifier: MIT
/*
 * The decision engine: which rule wins, whose deny is final, what is protected and who may lift it.
 * The last case holds it against a slow reference that is written from the definition alone.
 */
#include <fnmatch.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "base/glob.h"
#include "base/path.h"
#include "host/host.h"
#include "rules/index.h"
#include "tap.h"

/* One rule as it is written in a test. */
struct says {
	enum layer layer;
	const char *effect, *rights, *path;
	enum match match;
};

static const struct rule written = {.path = "written", .srcpos = {"f", 1, 2}};

static struct planned_rule
planned_of(const struct says *says)
{
	return (struct planned_rule){.path = says->path,
				     .root = says->path,
				     .effect = *says->effect == 'a' ? EFFECT_ALLOW : EFFECT_DENY,
				     .rights = (unsigned)policy_rights_from_letters(says->rights),
				     .match = says->match,
				     .layer = says->layer,
				     .rule = &written};
}

static void
index_fill(struct index *index, const struct says *says, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct planned_rule planned = planned_of(&says[i]);
		struct cordon_error err = {0};

		check_int(index_add(index, &planned, &err), 0);
	}
	check_int(index_finish(index, NULL), 0);
}

static void
index_protect(struct index *index, enum system system, const char *common_dir)
{
	struct cordon_error err = {0};

	const struct host host = {.system = system,
				  .git.common_dir = common_dir,
				  .view = &fs_macos_minimal};

	check_int(protected_make(&index->arena, &host, &index->protections, &err), 0);
}

/* What remains of a path's rights, as letters. Valid until the next call. */
static const char *
rights_at(const struct index *index, const char *path)
{
	static char letters[RIGHT_KINDS + 1];

	policy_rights_to_letters(index_decide(index, path).rights, letters);
	return letters;
}

struct expected {
	const char *path, *rights;
};

static void
check_rights(const struct index *index, const struct expected *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(rights_at(index, rows[i].path), rows[i].rights) != 0)
			printf("# for %s\n", rows[i].path);
		check_str(rights_at(index, rows[i].path), rows[i].rights);
	}
}

/* The rules in the given order and in the opposite one: the order of path rules means nothing. */
#define CHECK_BOTH_ORDERS(rules, rows)                                \
	do {                                                          \
		struct says turned_[COUNT(rules)];                    \
		struct index a_ = {0}, b_ = {0};                      \
		for (size_t i_ = 0; i_ < COUNT(rules); i_++)          \
			turned_[i_] = (rules)[COUNT(rules) - 1 - i_]; \
		index_fill(&a_, rules, COUNT(rules));                 \
		index_fill(&b_, turned_, COUNT(rules));               \
		check_rights(&a_, rows, COUNT(rows));                 \
		check_rights(&b_, rows, COUNT(rows));                 \
		index_free(&a_);                                      \
		index_free(&b_);                                      \
	} while (0)

/* ---- one layer ---- */

static void
without_a_rule_the_default_decides(void)
{
	struct index index = {0};
	static const struct expected none[] = {{"/", ""}, {"/a/b", ""}};
	static const struct expected some[] = {{"/", "rx"}, {"/a/b", "rx"}};

	check_int(index_finish(&index, NULL), 0);
	check_rights(&index, none, COUNT(none));
	index.default_rights = RIGHT_READ | RIGHT_EXECUTE;
	check_rights(&index, some, COUNT(some));
	check(index_decide(&index, "/a").by[0].rule == NULL);
	index_free(&index);
}

static void
specific_allow_wins_over_broad_deny_whatever_the_order(void)
{
	static const struct says rules[] = {{LAYER_USER, "deny", "rwcdx", "/home", MATCH_SUBPATH},
					    {LAYER_USER, "allow", "r", "/home/me/src",
					     MATCH_SUBPATH}};
	static const struct expected rows[] = {{"/home", ""},
					       {"/home/me", ""},
					       {"/home/me/src", "r"},
					       {"/home/me/src/a/b", "r"},
					       {"/home/me/src2", ""}};

	CHECK_BOTH_ORDERS(rules, rows);
}

static void
specific_deny_wins_over_broad_allow_whatever_the_order(void)
{
	static const struct says rules[] = {{LAYER_USER, "allow", "rwcd", "/p", MATCH_SUBPATH},
					    {LAYER_USER, "deny", "wcd", "/p/deploy",
					     MATCH_SUBPATH}};
	static const struct expected rows[] = {{"/p", "rwcd"},
					       {"/p/x", "rwcd"},
					       {"/p/deploy", "r"},
					       {"/p/deploy/x", "r"}};

	CHECK_BOTH_ORDERS(rules, rows);
}

static void
three_levels_each_win_below_themselves(void)
{
	static const struct says rules[] = {
		{LAYER_COMMAND, "deny", "rwcdx", "/a/b/c/d", MATCH_SUBPATH},
		{LAYER_COMMAND, "allow", "rx", "/a/b", MATCH_SUBPATH},
		{LAYER_COMMAND, "deny", "rwcdx", "/a", MATCH_SUBPATH},
		{LAYER_COMMAND, "allow", "rwcdx", "/", MATCH_SUBPATH},
	};
	static const struct expected rows[] = {{"/", "rwcdx"},	  {"/x", "rwcdx"},
					       {"/a", ""},	  {"/a/x", ""},
					       {"/a/b", "rx"},	  {"/a/b/c", "rx"},
					       {"/a/b/c/d", ""},  {"/a/b/c/d/e", ""},
					       {"/a/b/c/e", "rx"}};

	CHECK_BOTH_ORDERS(rules, rows);
}

static void
allow_wins_over_deny_at_the_same_path_in_one_layer(void)
{
	static const struct says rules[] = {{LAYER_USER, "allow", "r", "/a", MATCH_SUBPATH},
					    {LAYER_USER, "deny", "rwcdx", "/a", MATCH_SUBPATH}};
	static const struct expected rows[] = {{"/a", "r"}, {"/a/b", "r"}};

	CHECK_BOTH_ORDERS(rules, rows);
}

static void
rights_are_decided_one_by_one(void)
{
	static const struct says rules[] = {{LAYER_USER, "allow", "rwcdx", "/a", MATCH_SUBPATH},
					    {LAYER_USER, "deny", "w", "/a/b", MATCH_SUBPATH},
					    {LAYER_USER, "deny", "x", "/a/b/c", MATCH_SUBPATH},
					    {LAYER_USER, "allow", "w", "/a/b/c/d", MATCH_SUBPATH}};
	static const struct expected rows[] = {{"/a", "rwcdx"},
					       {"/a/b", "rcdx"},
					       {"/a/b/c", "rcd"},
					       {"/a/b/c/d", "rwcd"}};

	CHECK_BOTH_ORDERS(rules, rows);
}

static void
literal_child_and_subpath_match_their_paths(void)
{
	static const struct says rules[] = {{LAYER_USER, "allow", "r", "/a/l", MATCH_LITERAL},
					    {LAYER_USER, "allow", "r", "/a/c", MATCH_CHILD},
					    {LAYER_USER, "allow", "r", "/a/s", MATCH_SUBPATH}};
	static const struct expected rows[] = {{"/a", ""},    {"/a/l", "r"},   {"/a/l/x", ""},
					       {"/a/c", ""},  {"/a/c/x", "r"}, {"/a/c/x/y", ""},
					       {"/a/s", "r"}, {"/a/s/x", "r"}, {"/a/s/x/y/z", "r"}};

	CHECK_BOTH_ORDERS(rules, rows);
}

static void
paths_match_by_whole_names_only(void)
{
	static const struct says rules[] = {
		{LAYER_USER, "allow", "rwcd", "/project", MATCH_SUBPATH},
		{LAYER_USER, "deny", "rwcdx", "/project/a", MATCH_SUBPATH}};
	static const struct expected rows[] = {
		{"/project", "rwcd"},	 {"/project/b", "rwcd"}, {"/project2", ""},
		{"/project-x/b", ""},	 {"/proj", ""},		 {"/project/a", ""},
		{"/project/ab", "rwcd"}, {"/project/a/b", ""},	 {"/project/a-b", "rwcd"},
		{"/project/A", "rwcd"}};

	CHECK_BOTH_ORDERS(rules, rows);
}

/* Bytes that sort before "/" must not hide a folder's rules from a search. */
static void
names_that_sort_between_do_not_disturb_the_search(void)
{
	static const struct says rules[] = {{LAYER_USER, "allow", "r", "/a", MATCH_SUBPATH},
					    {LAYER_USER, "allow", "w", "/a!b", MATCH_SUBPATH},
					    {LAYER_USER, "allow", "c", "/a-", MATCH_SUBPATH},
					    {LAYER_USER, "allow", "d", "/a/b", MATCH_SUBPATH},
					    {LAYER_USER, "allow", "x", "/a\xc3\xa9", MATCH_SUBPATH},
					    {LAYER_USER, "allow", "w", "/a b", MATCH_SUBPATH}};
	static const struct expected rows[] = {{"/a", "r"},	      {"/a/b/c", "rd"},
					       {"/a!b", "w"},	      {"/a!b/c", "w"},
					       {"/a-/x", "c"},	      {"/a b/x", "w"},
					       {"/a\xc3\xa9/x", "x"}, {"/a\xc3", ""}};

	CHECK_BOTH_ORDERS(rules, rows);
}

static void
the_root_is_a_path_like_any_other(void)
{
	static const struct says literal[] = {{LAYER_USER, "allow", "r", "/", MATCH_LITERAL}};
	static const struct says child[] = {{LAYER_USER, "allow", "r", "/", MATCH_CHILD}};
	static const struct says subpath[] = {{LAYER_USER, "allow", "r", "/", MATCH_SUBPATH},
					      {LAYER_USER, "deny", "r", "/a", MATCH_SUBPATH}};
	static const struct expected of_literal[] = {{"/", "r"}, {"/a", ""}, {"/a/b", ""}};
	static const struct expected of_child[] = {{"/", ""}, {"/a", "r"}, {"/a/b", ""}};
	static const struct expected of_subpath[] = {{"/", "r"},
						     {"/b/c", "r"},
						     {"/a", ""},
						     {"/a/b", ""}};

	CHECK_BOTH_ORDERS(literal, of_literal);
	CHECK_BOTH_ORDERS(child, of_child);
	CHECK_BOTH_ORDERS(subpath, of_subpath);
}

/* ---- patterns ---- */

static void
patterns_are_applied_after_all_paths(void)
{
	static const struct says rules[] = {{LAYER_USER, "deny", "rwcdx", "**/.env", MATCH_GLOB},
					    {LAYER_USER, "allow", "rw", "/p", MATCH_SUBPATH},
					    {LAYER_USER, "allow", "rw", "/p/a/.env",
					     MATCH_LITERAL}};
	static const struct expected rows[] = {{"/p/x", "rw"},
					       {"/p/.env", ""},
					       {"/p/a/.env", ""},
					       {"/p/.env/x", ""},
					       {"/p/.envx", "rw"}};

	CHECK_BOTH_ORDERS(rules, rows);
}

static void
patterns_are_applied_in_their_order(void)
{
	static const struct says deny_last[] = {{LAYER_USER, "allow", "r", "/p/*.txt", MATCH_GLOB},
						{LAYER_USER, "deny", "r", "/p/a*", MATCH_GLOB}};
	static const struct says allow_last[] = {{LAYER_USER, "deny", "r", "/p/a*", MATCH_GLOB},
						 {LAYER_USER, "allow", "r", "/p/*.txt",
						  MATCH_GLOB}};
	struct index index = {0};

	index_fill(&index, deny_last, 2);
	check_str(rights_at(&index, "/p/a.txt"), "");
	check_str(rights_at(&index, "/p/b.txt"), "r");
	index_free(&index);
	index_fill(&index, allow_last, 2);
	check_str(rights_at(&index, "/p/a.txt"), "r");
	check_str(rights_at(&index, "/p/a.c"), "");
	index_free(&index);
}

static void
a_regular_expression_matches_the_whole_path(void)
{
	static const struct says rules[] = {
		{LAYER_USER, "allow", "r", "/p/[a-c]+|/q", MATCH_REGEX}};
	static const struct expected rows[] = {{"/p/abc", "r"},	 {"/p/abcd", ""}, {"/p/abc/x", ""},
					       {"/x/p/abc", ""}, {"/q", "r"},	  {"/qq", ""},
					       {"/p/abc\n", ""}, {"/p/", ""}};

	CHECK_BOTH_ORDERS(rules, rows);
}

static void
a_dot_in_a_regular_expression_matches_newlines_too(void)
{
	static const struct says rules[] = {{LAYER_USER, "deny", "r", "/p/.*", MATCH_REGEX},
					    {LAYER_USER, "allow", "r", "/p", MATCH_SUBPATH}};
	static const struct expected rows[] = {{"/p", "r"},
					       {"/p/a", ""},
					       {"/p/a\nb", ""},
					       {"/p/\xff", ""}};

	CHECK_BOTH_ORDERS(rules, rows);
}

static void
a_pattern_over_its_limit_denies_and_never_allows(void)
{
	static const struct says evil_allow[] = {
		{LAYER_USER, "allow", "r", "/(a|a)*[bc]", MATCH_REGEX}};
	static const struct says evil_deny[] = {{LAYER_USER, "allow", "rw", "/", MATCH_SUBPATH},
						{LAYER_USER, "deny", "r", "/(a|a)*[bc]",
						 MATCH_REGEX}};
	static const char evil[] = "/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!";
	struct index index = {0};

	index_fill(&index, evil_allow, 1);
	check_str(rights_at(&index, "/aab"), "r");
	check(!index_decide(&index, "/aab").limit_hit);
	/* some 2^18 steps: few enough for the library's own limit, too many for ours */
	check(index_decide(&index, "/aaaaaaaaaaaaaaaaaa!").limit_hit);
	check(!index_decide(&index, "/aaaaaaaa!").limit_hit);
	check_str(rights_at(&index, evil), "");
	check(index_decide(&index, evil).limit_hit);
	index_free(&index);
	index_fill(&index, evil_deny, 2);
	check_str(rights_at(&index, "/aad"), "rw");
	check(!index_decide(&index, "/aad").limit_hit);
	check_str(rights_at(&index, evil), "w");
	check(index_decide(&index, evil).limit_hit);
	index_free(&index);
}

static void
a_pattern_cannot_raise_its_own_limits(void)
{
	static const struct says rules[] = {
		{LAYER_USER, "allow", "r",
		 "(*LIMIT_MATCH=4000000000)(*LIMIT_HEAP=4000000)/(a|a)*[bc]", MATCH_REGEX}};
	struct index index = {0};

	index_fill(&index, rules, 1);
	check(index_decide(&index, "/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!")
		      .limit_hit);
	index_free(&index);
}

static void
a_pattern_that_cannot_be_compiled_names_its_position(void)
{
	static const struct says glob = {LAYER_USER, "deny", "r", "/a/**b", MATCH_GLOB};
	static const struct says regex = {LAYER_USER, "deny", "r", "/a(", MATCH_REGEX};
	struct planned_rule rules[2] = {planned_of(&glob), planned_of(&regex)};
	struct index index = {0};

	for (int i = 0; i < 2; i++) {
		struct cordon_error err = {0};

		check_int(index_add(&index, &rules[i], &err), -CORDON_E_POLICY);
		check(strncmp(err.text, "f:1:2: \"written\" ", 17) == 0);
		check_int(index.pattern_count, 0);
	}
	index_free(&index);
}

/* ---- layers ---- */

static void
a_deny_of_the_user_is_final_for_project_and_command_line(void)
{
	static const enum layer less[] = {LAYER_COMMAND, LAYER_PROJECT};

	for (size_t i = 0; i < COUNT(less); i++) {
		struct says rules[] = {{LAYER_USER, "deny", "rw", "/s", MATCH_SUBPATH},
				       {less[i], "allow", "rwx", "/s/deep/er", MATCH_SUBPATH}};
		static const struct expected rows[] = {{"/s", ""},
						       {"/s/deep/er", "x"},
						       {"/s/deep/er/f", "x"}};

		CHECK_BOTH_ORDERS(rules, rows);
	}
}

static void
every_more_trusted_layer_is_final_and_no_other(void)
{
	for (int deny = LAYER_BUILTIN; deny < LAYER_COUNT; deny++) {
		for (int allow = LAYER_BUILTIN; allow < LAYER_COUNT; allow++) {
			struct says rules[] = {{(enum layer)deny, "deny", "r", "/s", MATCH_SUBPATH},
					       {(enum layer)allow, "allow", "r", "/s/a",
						MATCH_SUBPATH}};
			bool final = deny < allow && deny != LAYER_PROFILE;
			struct expected rows[] = {{"/s", ""}, {"/s/a", final ? "" : "r"}};

			CHECK_BOTH_ORDERS(rules, rows);
		}
	}
}

static void
a_less_trusted_deny_at_the_same_path_beats_a_more_trusted_allow(void)
{
	for (int more = LAYER_PROFILE; more < LAYER_COUNT; more++) {
		for (int less = more + 1; less < LAYER_COUNT; less++) {
			struct says rules[] = {
				{(enum layer)more, "allow", "r", "/a", MATCH_SUBPATH},
				{(enum layer)less, "deny", "r", "/a", MATCH_SUBPATH}};
			static const struct expected rows[] = {{"/a", ""}, {"/a/b", ""}};

			CHECK_BOTH_ORDERS(rules, rows);
		}
	}
}

static void
a_profiles_deny_is_not_final(void)
{
	static const struct says rules[] = {
		{LAYER_PROFILE, "deny", "rwcdx", "/h/.aws", MATCH_SUBPATH},
		{LAYER_PROFILE, "deny", "rwcdx", "**/*.pem", MATCH_GLOB},
		{LAYER_COMMAND, "allow", "r", "/h/.aws", MATCH_SUBPATH},
		{LAYER_COMMAND, "allow", "r", "/h/*.pem", MATCH_GLOB}};
	struct index index = {0};

	index_fill(&index, rules, COUNT(rules));
	check_str(rights_at(&index, "/h/.aws/config"), "r");
	check_str(rights_at(&index, "/h/a.pem"), "r");
	check_str(rights_at(&index, "/x/a.pem"), "");
	index_free(&index);
}

static void
a_source_can_allow_below_its_own_deny(void)
{
	static const struct says rules[] = {{LAYER_USER, "deny", "r", "/a", MATCH_SUBPATH},
					    {LAYER_USER, "allow", "r", "/a/b", MATCH_SUBPATH},
					    {LAYER_PROJECT, "allow", "r", "/a/b/c", MATCH_SUBPATH},
					    {LAYER_PROJECT, "allow", "r", "/a/c", MATCH_SUBPATH}};
	static const struct expected rows[] = {{"/a", ""},
					       {"/a/b", "r"},
					       {"/a/b/c", "r"},
					       {"/a/c", ""}};

	CHECK_BOTH_ORDERS(rules, rows);
}

static void
a_silenced_allow_removes_no_right_of_others(void)
{
	static const struct says rules[] = {{LAYER_USER, "deny", "rw", "/a", MATCH_SUBPATH},
					    {LAYER_PROFILE, "allow", "r", "/a/b", MATCH_SUBPATH},
					    {LAYER_COMMAND, "allow", "rw", "/a/b", MATCH_SUBPATH},
					    {LAYER_PROJECT, "allow", "rw", "/a/b/c",
					     MATCH_SUBPATH}};
	static const struct expected rows[] = {{"/a", ""}, {"/a/b", "r"}, {"/a/b/c", "r"}};

	CHECK_BOTH_ORDERS(rules, rows);
}

static void
a_silenced_allow_lifts_no_protection(void)
{
	static const struct says rules[] = {
		{LAYER_USER, "deny", "wcd", "/p", MATCH_SUBPATH},
		{LAYER_PROFILE, "allow", "rwcd", "/p/.vscode", MATCH_SUBPATH},
		{LAYER_COMMAND, "allow", "rwcd", "/p/.vscode", MATCH_SUBPATH}};
	struct index index = {0};

	index_fill(&index, rules, COUNT(rules));
	check_str(rights_at(&index, "/p/.vscode"), "rwcd");
	index_protect(&index, SYSTEM_LINUX, NULL);
	check_str(rights_at(&index, "/p/.vscode"), "r");
	index_free(&index);
}

static void
a_pattern_deny_of_the_user_is_final_too(void)
{
	static const struct says rules[] = {{LAYER_USER, "deny", "rwcdx", "**/.env", MATCH_GLOB},
					    {LAYER_PROJECT, "allow", "r", "**/.env", MATCH_GLOB},
					    {LAYER_PROJECT, "allow", "r", "/p/.env",
					     MATCH_LITERAL}};
	struct index index = {0};

	index_fill(&index, rules, COUNT(rules));
	check_str(rights_at(&index, "/p/.env"), "");
	check(index_decide(&index, "/p/.env").by[0].overridden);
	check_int(index_decide(&index, "/p/.env").by[0].rule->layer, LAYER_USER);
	index_free(&index);
}

static void
the_verdict_names_the_rule_that_decided(void)
{
	static const struct says rules[] = {{LAYER_PROFILE, "allow", "rx", "/a", MATCH_SUBPATH},
					    {LAYER_USER, "deny", "x", "/a/b", MATCH_SUBPATH},
					    {LAYER_COMMAND, "allow", "x", "/a/b/c", MATCH_SUBPATH}};
	struct index index = {0};
	struct verdict verdict;

	index_fill(&index, rules, COUNT(rules));
	verdict = index_decide(&index, "/a/b/c");
	check_str(verdict.by[0].rule->path, "/a");
	check(!verdict.by[0].overridden);
	check(verdict.by[1].rule == NULL);
	check_str(verdict.by[4].rule->path, "/a/b");
	check(verdict.by[4].overridden);
	verdict = index_decide(&index, "/a/b");
	check_str(verdict.by[4].rule->path, "/a/b");
	check(!verdict.by[4].overridden);
	index_free(&index);
}

/* ---- protections ---- */

/* Everything below /p may be changed, by a profile: as in a run without any configuration. */
#define OPEN_PROJECT                                                 \
	{                                                            \
		LAYER_PROFILE, "allow", "rwcdx", "/p", MATCH_SUBPATH \
	}
static const struct says open_project[] = {OPEN_PROJECT};

enum guard { FREE, PROTECTED, VETTED };

static void
check_guard(const struct index *index, const char *path, enum guard guard)
{
	struct verdict verdict = index_decide(index, path);
	enum guard found = !(verdict.rights & RIGHTS_CHANGE) ? PROTECTED
			   : verdict.vetted != NULL	     ? VETTED
							     : FREE;

	if (found != guard)
		printf("# for %s\n", path);
	check_int(found, guard);
	/* reading is never taken away */
	check_int(verdict.rights & ~(unsigned)RIGHTS_CHANGE, RIGHT_READ | RIGHT_EXECUTE);
}

static const struct brokered_trees {
	const char *name;
	enum guard guard;
} guarded[] = {
	{".git/hooks/pre-commit", PROTECTED},
	{".git/hooks/new/x", PROTECTED},
	{".git/hooks/pre-commit.sample", FREE},
	{".git/hooks/pre-commit.sample.x", PROTECTED},
	{".git/hooks/.sample", FREE},
	{".git/hooks/.pre-commit.sample.aB3xYz", FREE},
	{".git/hooks/pre-commit.sample.aB3xYz", PROTECTED},
	{".git/hooks/.pre-commit.sample.aB3xYz1", PROTECTED},
	{".git/hooks/.pre-commit.sample.aB3xY", PROTECTED},
	{".git/hooks/.pre-commit.sample.aB3.Yz", PROTECTED},
	{".git/hooks/.pre-commit.aB3xYz", PROTECTED},
	{".git/hooks/.x.sample.abcdef/y", PROTECTED},
	{".git/hooks", VETTED},
	{".git/info/attributes", PROTECTED},
	{".git/info/exclude", FREE},
	{".git/config", VETTED},
	{".git/config.worktree", VETTED},
	{".git/config.lock", FREE},
	{".git/commondir", VETTED},
	{".git", VETTED},
	{".git/.git", VETTED},
	{".git/sub/.git", VETTED},
	{".git/HEAD", FREE},
	{".git/index", FREE},
	{".git/objects/ab/cd", FREE},
	{".git/refs/heads/config", FREE},
	{".git/modules/sub/hooks/post-checkout", PROTECTED},
	{".git/modules/a/modules/b/hooks/x", PROTECTED},
	{".git/modules/sub/hooks/x.sample", FREE},
	{".git/modules/sub/info/attributes", PROTECTED},
	{".git/modules/sub/config", VETTED},
	{".git/modules/a/b/c/config", VETTED},
	{".git/worktrees/w/gitdir", VETTED},
	{".git/worktrees/w/commondir", VETTED},
	{".git/worktrees/w/config.worktree", VETTED},
	{".git/worktrees/w/HEAD", FREE},
	{"bare.git/hooks/update", PROTECTED},
	{"bare.git/config", VETTED},
	{".gitmodules", VETTED},
	{".gitmodule", FREE},
	{".gitignore", FREE},
	{".envrc", PROTECTED},
	{".envrc.example", FREE},
	{".env", FREE},
	{".vscode", PROTECTED},
	{".vscode/tasks.json", PROTECTED},
	{".vscode2", FREE},
	{"x.vscode", FREE},
	{".idea/workspace.xml", PROTECTED},
	{".zed/tasks.json", PROTECTED},
	{".claude/settings.json", PROTECTED},
	{".codex/config.toml", PROTECTED},
	{".cursor/rules/a", PROTECTED},
	{".mcp.json", PROTECTED},
	{"mcp.json", FREE},
	{".gemini/settings.json", PROTECTED},
	{".gemini", PROTECTED},
	{".amp/plugins/a.ts", PROTECTED},
	{".helix/languages.toml", PROTECTED},
	{".aider.conf.yml", PROTECTED},
	{".aider.chat.history.md", FREE},
	{"crush.json", PROTECTED},
	{".crush.json", PROTECTED},
	{".crush/crush.db", FREE},
	{"opencode.json", PROTECTED},
	{"opencode.jsonc", PROTECTED},
	{".opencode.json", PROTECTED},
	{"my-opencode.json", FREE},
	{".opencode/opencode.json", PROTECTED},
	{".opencode/plugin/a.ts", PROTECTED},
	{".opencode/plugins/a.ts", PROTECTED},
	{".opencode/tool/a.ts", PROTECTED},
	{".opencode/command/a.md", PROTECTED},
	{".opencode/agents/a.md", PROTECTED},
	{".opencode/plans/a.md", FREE},
	{".opencode/node_modules/a/index.js", FREE},
	{".kiro/settings/mcp.json", PROTECTED},
	{".kiro/hooks/a.kiro.hook", PROTECTED},
	{".kiro/agents/a.json", PROTECTED},
	{".kiro/specs/a/tasks.md", FREE},
	{".kiro/steering/a.md", FREE},
	{".roo/mcp.json", PROTECTED},
	{".roo/rules/a.md", FREE},
	{".windsurf/hooks.json", PROTECTED},
	{".windsurf/mcp_config.json", PROTECTED},
	{".windsurf/rules/a.md", FREE},
	{".qwen/settings.json", PROTECTED},
	{".qwen/extensions/a/qwen-extension.json", PROTECTED},
	{".qwen/hooks/a", PROTECTED},
	{".qwen/commands/a.md", PROTECTED},
	{".qwen/agents/a.md", PROTECTED},
	{".qwen/PROJECT_SUMMARY.md", FREE},
	{".continue/mcpServers/a.yaml", PROTECTED},
	{".continuerc.json", PROTECTED},
	{".continue/rules/a.md", FREE},
	{".factory/hooks.json", PROTECTED},
	{".factory/hooks/hooks.json", PROTECTED},
	{".factory/settings.local.json", PROTECTED},
	{".factory/mcp.json", PROTECTED},
	{".factory/commands/a", PROTECTED},
	{".factory/droids/a.md", PROTECTED},
	{".factory/plugins/a", PROTECTED},
	{".factory/docs/a.md", FREE},
	{".github/hooks/a.json", PROTECTED},
	{".github/workflows/a.yml", FREE},
	{".clinerules/hooks/PreToolUse", PROTECTED},
	{".clinerules/a.md", FREE},
	{".kilocode/mcp.json", PROTECTED},
	{".trae/mcp.json", PROTECTED},
	{".junie/mcp/mcp.json", PROTECTED},
	{".junie/guidelines.md", FREE},
	{".pi/extensions/a.ts", PROTECTED},
	{".pi/settings.json", PROTECTED},
	{".cordon-x/y", FREE},
	{".cordon-x", PROTECTED},
	{".cordon.json", PROTECTED},
	{".cordon.json.bak", FREE},
	{"hooks/pre-commit", FREE},
	{"config", FREE},
	{"Makefile", FREE},
};

static void
protected_names_apply_at_every_depth(void)
{
	struct index index = {0};
	char path[300];

	index_fill(&index, open_project, 1);
	index_protect(&index, SYSTEM_LINUX, NULL);
	for (size_t i = 0; i < COUNT(guarded); i++) {
		char below[80] = "";

		for (int depth = 0; depth <= 6; depth++) {
			snprintf(path, sizeof path, "/p%s/%s", below, guarded[i].name);
			check_guard(&index, path, guarded[i].guard);
			strcat(below, "/sub");
		}
	}
	index_free(&index);
}

static void
patterns_compiled_at_build_time_are_those_of_the_reader(void)
{
	struct index index = {0};
	const struct protections *all = &index.protections;

	index_protect(&index, SYSTEM_LINUX, NULL);
	check(all->count > 100);
	for (size_t i = 0; i < all->count; i++) {
		struct glob *glob;

		check_int(glob_compile(&index.arena, all->items[i].pattern, &glob, NULL, NULL), 0);
		check(memcmp(all->items[i].glob, glob, glob_words(glob) * sizeof(uint32_t)) == 0);
	}
	index_free(&index);
}

static void
what_is_vetted_on_linux_is_protected_on_macos(void)
{
	struct index index = {0};
	char path[100];

	index_fill(&index, open_project, 1);
	index_protect(&index, SYSTEM_MACOS, NULL);
	for (size_t i = 0; i < COUNT(guarded); i++) {
		snprintf(path, sizeof path, "/p/%s", guarded[i].name);
		check_guard(&index, path, guarded[i].guard == FREE ? FREE : PROTECTED);
	}
	index_free(&index);
}

static void
names_in_another_case_are_protected(void)
{
	static const char *const names[] = {".GIT/hooks/pre-commit",
					    ".git/HOOKS/pre-commit",
					    ".Git/Info/Attributes",
					    ".VSCode/tasks.json",
					    ".ENVRC",
					    ".Cordon.JSON",
					    ".git/MODULES/a/Hooks/x",
					    ".Mcp.Json",
					    ".Gemini/Settings.JSON",
					    ".KIRO/Hooks/a",
					    ".GitHub/HOOKS/a.json",
					    "Crush.JSON",
					    ".Aider.Conf.YML"};
	struct index index = {0};
	char path[100];

	index_fill(&index, open_project, 1);
	index_protect(&index, SYSTEM_LINUX, NULL);
	for (size_t i = 0; i < COUNT(names); i++) {
		snprintf(path, sizeof path, "/p/%s", names[i]);
		check_guard(&index, path, PROTECTED);
	}
	check_guard(&index, "/p/.GIT/CONFIG", VETTED);
	check_guard(&index, "/p/.Git", VETTED);
	index_free(&index);
}

static void
a_git_directory_outside_the_project_is_protected_too(void)
{
	static const struct says rules[] = {
		{LAYER_PROFILE, "allow", "rwcdx", "/store/[a]*?", MATCH_SUBPATH}};
	struct index index = {0};

	index_fill(&index, rules, 1);
	index_protect(&index, SYSTEM_LINUX, "/store/[a]*?");
	check_guard(&index, "/store/[a]*?/hooks/x", PROTECTED);
	check_guard(&index, "/store/[a]*?/config", VETTED);
	check_guard(&index, "/store/[a]*?/modules/m/hooks/x", PROTECTED);
	check_guard(&index, "/store/[a]*?/HEAD", FREE);
	index_free(&index);
	/* its name is taken literally */
	index_fill(&index, open_project, 1);
	index_protect(&index, SYSTEM_LINUX, "/p/*");
	check_guard(&index, "/p/x/hooks/y", FREE);
	check_guard(&index, "/p/*/hooks/y", PROTECTED);
	index_free(&index);
}

/* One rule besides the open project: does it open the path? */
static enum guard
with_rule(struct says says, enum system system, const char *path)
{
	struct says rules[2] = {OPEN_PROJECT, says};
	struct index index = {0};
	struct verdict verdict;

	index_fill(&index, rules, 2);
	index_protect(&index, system, NULL);
	verdict = index_decide(&index, path);
	index_free(&index);
	return !(verdict.rights & RIGHTS_CHANGE) ? PROTECTED
	       : verdict.vetted != NULL		 ? VETTED
						 : FREE;
}

static void
naming_the_protected_path_itself_lifts_it_for_the_users_own_texts(void)
{
	static const struct {
		enum layer layer;
		bool opens;
	} layers[] = {{LAYER_PROFILE, false},
		      {LAYER_SYSTEM, true},
		      {LAYER_USER, true},
		      {LAYER_COMMAND, true},
		      {LAYER_PROJECT, false}};

	for (size_t i = 0; i < COUNT(layers); i++) {
		enum layer layer = layers[i].layer;
		struct says hook = {layer, "allow", "rwcd", "/p/.git/hooks/pre-commit",
				    MATCH_SUBPATH};
		struct says folder = {layer, "allow", "rwcd", "/p/.vscode", MATCH_SUBPATH};
		struct says inside = {layer, "allow", "rwcd", "/p/.vscode/a.json", MATCH_LITERAL};
		struct says config = {layer, "allow", "rwcd", "/p/.git/config", MATCH_LITERAL};
		enum guard opened = layers[i].opens ? FREE : PROTECTED;

		check_int(with_rule(hook, SYSTEM_LINUX, "/p/.git/hooks/pre-commit"), opened);
		check_int(with_rule(hook, SYSTEM_LINUX, "/p/.git/hooks/pre-push"), PROTECTED);
		check_int(with_rule(folder, SYSTEM_LINUX, "/p/.vscode"), opened);
		check_int(with_rule(folder, SYSTEM_LINUX, "/p/.vscode/x/y"), opened);
		check_int(with_rule(folder, SYSTEM_LINUX, "/p/sub/.vscode"), PROTECTED);
		check_int(with_rule(inside, SYSTEM_LINUX, "/p/.vscode/a.json"), opened);
		check_int(with_rule(inside, SYSTEM_LINUX, "/p/.vscode/b.json"), PROTECTED);
		check_int(with_rule(config, SYSTEM_LINUX, "/p/.git/config"),
			  layers[i].opens ? FREE : VETTED);
		check_int(with_rule(config, SYSTEM_MACOS, "/p/.git/config"), opened);
	}
}

/* The state of an agent: ~/.claude, but never what a project brings. */
static void
a_profile_lifts_what_it_names_below_the_home_only(void)
{
	static const struct rule home = {.path = "~/.claude/"}, project = {.path = "$PROJECT"};
	struct says says = {LAYER_PROFILE, "allow", "rwcd", "/home/me/.claude", MATCH_SUBPATH};
	const struct {
		const struct rule *rule;
		const char *path, *rights;
	} rows[] = {{&home, "/home/me/.claude/projects/x", "rwcd"},
		    {&home, "/home/me/.claude/x/.claude/y", "r"},
		    {&project, "/home/me/.claude/projects/x", "r"}};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct planned_rule planned = planned_of(&says);
		struct index index = {0};

		planned.rule = rows[i].rule;
		check_int(index_add(&index, &planned, NULL), 0);
		index_protect(&index, SYSTEM_LINUX, NULL);
		check_int(index_finish(&index, NULL), 0);
		check_str(rights_at(&index, rows[i].path), rows[i].rights);
		index_free(&index);
	}
}

static void
a_wider_grant_never_lifts_a_protection(void)
{
	static const struct {
		const char *grant, *path;
		enum match match;
	} rows[] = {
		{"/", "/p/.vscode", MATCH_SUBPATH},
		{"/p", "/p/.vscode", MATCH_SUBPATH},
		{"/p", "/p/.vscode", MATCH_CHILD},
		{"/p/sub", "/p/sub/.envrc", MATCH_SUBPATH},
		{"/p/.git", "/p/.git/hooks/pre-commit", MATCH_SUBPATH},
		{"/p/.git/hooks", "/p/.git/hooks/pre-commit", MATCH_SUBPATH},
		{"/p/.git/hooks", "/p/.git/hooks/pre-commit", MATCH_CHILD},
		{"/p/.git/modules", "/p/.git/modules/m/hooks/x", MATCH_SUBPATH},
		{"/p/.git/info", "/p/.git/info/attributes", MATCH_SUBPATH},
		{"/p/.vscode", "/p/.vscode/x/.vscode", MATCH_SUBPATH},
		{"/p/.git/hooks/x", "/p/.git/hooks/x/y.git/hooks/z", MATCH_SUBPATH},
		{"**/.vscode", "/p/.vscode", MATCH_GLOB},
		{"/p/.vscod?", "/p/.vscode", MATCH_GLOB},
		{"/p/\\.vscode", "/p/.vscode", MATCH_REGEX},
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct says says = {LAYER_COMMAND, "allow", "rwcd", rows[i].grant, rows[i].match};

		if (with_rule(says, SYSTEM_LINUX, rows[i].path) != PROTECTED)
			printf("# for %s\n", rows[i].grant);
		check_int(with_rule(says, SYSTEM_LINUX, rows[i].path), PROTECTED);
	}
}

static void
only_the_named_rights_are_lifted(void)
{
	static const struct says rules[] = {OPEN_PROJECT,
					    {LAYER_USER, "allow", "w", "/p/.vscode",
					     MATCH_SUBPATH}};
	struct index index = {0};

	index_fill(&index, rules, 2);
	index_protect(&index, SYSTEM_LINUX, NULL);
	check_str(rights_at(&index, "/p/.vscode/x"), "rwx");
	check(index_decide(&index, "/p/.vscode/x").by[2].protection != NULL);
	check(index_decide(&index, "/p/.vscode/x").by[1].protection == NULL);
	index_free(&index);
}

static void
lifting_a_protection_does_not_lift_a_more_trusted_deny(void)
{
	static const struct says rules[] = {OPEN_PROJECT,
					    {LAYER_USER, "deny", "wcd", "/p", MATCH_SUBPATH},
					    {LAYER_COMMAND, "allow", "rwcd", "/p/.envrc",
					     MATCH_LITERAL}};
	struct index index = {0};

	index_fill(&index, rules, COUNT(rules));
	index_protect(&index, SYSTEM_LINUX, NULL);
	check_str(rights_at(&index, "/p/.envrc"), "rx");
	index_free(&index);
}

/* ---- the reference ---- */

#define RULES_MAX 12
#define TEXT_MAX 120

struct drawn {
	struct planned_rule rules[RULES_MAX];
	char paths[RULES_MAX][TEXT_MAX];
	size_t count;
	unsigned default_rights;
	enum system system;
};

struct reference {
	unsigned rights;
	const struct planned_rule *by[RIGHT_KINDS]; /* compared by what it says */
	bool overridden[RIGHT_KINDS], protected[RIGHT_KINDS];
	bool vetted, any_name;
	bool held; /* something is denied below it */
};

static unsigned
pick(unsigned below)
{
	static unsigned long long seed = 77;

	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (unsigned)((seed >> 33) % below);
}

static void
draw_path(char *to, unsigned most)
{
	static const char *const names[] = {"a",       "b",	     "c",	   "ab",
					    ".git",    "hooks",	     "config",	   "x.git",
					    ".vscode", "modules",    "y.sample",   "A",
					    ".GIT",    "info",	     "attributes", "worktrees",
					    "gitdir",  ".gitmodules"};
	unsigned count = pick(most + 1);

	strcpy(to, count == 0 ? "/" : "");
	for (unsigned i = 0; i < count; i++) {
		strcat(to, "/");
		strcat(to, names[pick(3) == 0 ? pick(COUNT(names)) : pick(4)]);
	}
}

static void
draw_rule(struct drawn *drawn)
{
	static const char *const globs[] = {"**/a",    "/a/*",	 "/*/b",     "/a/**/c", "/a*",
					    "**/.git", "/?/b/c", "**/b/*/a", "/a/**",	"/**/ab/c"};
	static const char *const regexes[] = {"/a/.*", "/(a|b)", ".*/c", "/[ab]+(/c)?",
					      "(/[^/]*){3}"};
	struct planned_rule *rule = &drawn->rules[drawn->count];
	char *path = drawn->paths[drawn->count];

	*rule = (struct planned_rule){
		.path = path,
		.effect = pick(2) ? EFFECT_ALLOW : EFFECT_DENY,
		.rights = 1 + pick(RIGHTS_ALL),
		.match = pick(5) == 0 ? (pick(3) ? MATCH_GLOB : MATCH_REGEX) : (enum match)pick(3),
		.layer = (enum layer)pick(LAYER_COUNT),
		.rule = &written,
	};
	if (rule->match == MATCH_GLOB)
		strcpy(path, globs[pick(COUNT(globs))]);
	else if (rule->match == MATCH_REGEX)
		strcpy(path, regexes[pick(COUNT(regexes))]);
	else
		draw_path(path, 4);
	drawn->count++;
}

/* Name by name, and all of them. "**" is any number of names, at the end at least one. */
static bool
slow_glob_names(const char *pattern, const char *path)
{
	char one[TEXT_MAX], name[TEXT_MAX];
	size_t length, name_length;

	while (*pattern == '/')
		pattern++;
	while (*path == '/')
		path++;
	if (*pattern == '\0')
		return *path == '\0';
	length = strcspn(pattern, "/");
	name_length = strcspn(path, "/");
	snprintf(one, sizeof one, "%.*s", (int)length, pattern);
	snprintf(name, sizeof name, "%.*s", (int)name_length, path);
	if (strcmp(one, "**") == 0) {
		if (pattern[length] == '\0')
			return *path != '\0';
		return slow_glob_names(pattern + length, path) ||
		       (*path != '\0' && slow_glob_names(pattern, path + name_length));
	}
	return *path != '\0' && fnmatch(one, name, 0) == 0 &&
	       slow_glob_names(pattern + length, path + name_length);
}

/* A glob covers what is below its matches, so each folder above the path may be the match. */
static bool
slow_glob(const char *pattern, const char *path)
{
	char part[TEXT_MAX];

	snprintf(part, sizeof part, "%s", path);
	while (*part != '\0') {
		if (slow_glob_names(pattern, part))
			return true;
		*strrchr(part, '/') = '\0';
	}
	return false;
}

static bool
slow_regex(const char *pattern, const char *path)
{
	char text[TEXT_MAX * 2];
	regex_t regex;
	bool found;

	snprintf(text, sizeof text, "^(%s)$", pattern);
	if (regcomp(&regex, text, REG_EXTENDED | REG_NOSUB) != 0)
		return false;
	found = regexec(&regex, path, 0, NULL, 0) == 0;
	regfree(&regex);
	return found;
}

static bool
slow_matches(const struct planned_rule *rule, const char *path)
{
	size_t root = strcmp(rule->path, "/") == 0 ? 0 : strlen(rule->path);
	bool below = strncmp(path, rule->path, root) == 0 && path[root] == '/' &&
		     path[root + 1] != '\0';
	bool same = strcmp(path, rule->path) == 0;

	switch (rule->match) {
	case MATCH_SUBPATH:
		return same || below;
	case MATCH_LITERAL:
		return same;
	case MATCH_CHILD:
		return !same && below && strchr(path + root + 1, '/') == NULL;
	case MATCH_GLOB:
		return slow_glob(rule->path, path);
	case MATCH_REGEX:
		break;
	}
	return slow_regex(rule->path, path);
}

static bool
is_pattern(const struct planned_rule *rule)
{
	return rule->match == MATCH_GLOB || rule->match == MATCH_REGEX;
}

/* Shallow first, then the more trusted, then deny; patterns last and as they come. */
static bool
comes_before(const struct planned_rule *a, const struct planned_rule *b)
{
	if (is_pattern(a) || is_pattern(b))
		return !is_pattern(a) && is_pattern(b);
	if (path_depth(a->path) != path_depth(b->path))
		return path_depth(a->path) < path_depth(b->path);
	return a->layer != b->layer ? a->layer < b->layer : a->effect < b->effect;
}

static size_t
slow_order(const struct drawn *drawn, const char *path, const struct planned_rule **order)
{
	size_t count = 0;

	for (size_t i = 0; i < drawn->count; i++) {
		size_t at = count;

		if (!slow_matches(&drawn->rules[i], path))
			continue;
		for (; at > 0 && comes_before(&drawn->rules[i], order[at - 1]); at--)
			order[at] = order[at - 1];
		order[at] = &drawn->rules[i];
		count++;
	}
	return count;
}

static const struct planned_rule *
slow_final_deny(const struct planned_rule **order, size_t count, unsigned right, enum layer than)
{
	for (int layer = LAYER_BUILTIN; layer < (int)than; layer++) {
		const struct planned_rule *last = NULL;

		for (size_t i = 0; i < count; i++)
			if ((int)order[i]->layer == layer && (order[i]->rights & right))
				last = order[i];
		if (layer != LAYER_PROFILE && last != NULL && last->effect == EFFECT_DENY)
			return last;
	}
	return NULL;
}

/* An allow that a more trusted layer's deny silences is as if it were not there. */
static void
slow_right(const struct planned_rule **order, size_t count, int i, struct reference *ref)
{
	const struct planned_rule *silencer = NULL, *word = NULL;
	unsigned right = 1u << i, lowest = 0;

	for (size_t k = 0; k < count; k++) {
		const struct planned_rule *final = NULL;

		if (!(order[k]->rights & right))
			continue;
		if (order[k]->effect == EFFECT_ALLOW)
			final = slow_final_deny(order, count, right, order[k]->layer);
		if (final == NULL)
			word = order[k];
		else if (order[k]->layer >= lowest)
			silencer = final;
		if (final != NULL && order[k]->layer >= lowest)
			lowest = order[k]->layer;
	}
	if (word != NULL)
		ref->rights = word->effect == EFFECT_ALLOW ? ref->rights | right
							   : ref->rights & ~right;
	ref->overridden[i] = silencer != NULL && !(ref->rights & right);
	ref->by[i] = ref->overridden[i] ? silencer : word;
}

static void
slow_rules(const struct drawn *drawn, const struct planned_rule **order, size_t count,
	   struct reference *ref)
{
	ref->rights = drawn->default_rights;
	for (int i = 0; i < RIGHT_KINDS; i++)
		slow_right(order, count, i, ref);
}

static bool
is_name(const char *name, const char *expected)
{
	return name != NULL && strcasecmp(name, expected) == 0;
}

/* names[i...] below a git directory: index of the last name of what is guarded, or 0. */
static size_t
slow_git(const char **names, size_t i, size_t count, bool sample, bool *vetted)
{
	*vetted = false;
	if (i >= count)
		return 0;
	if (is_name(names[i], "hooks") && i + 1 < count && !sample)
		return i + 1;
	if (is_name(names[i], "info") && i + 1 < count && is_name(names[i + 1], "attributes"))
		return i + 1;
	*vetted = true;
	if (is_name(names[i], "config"))
		return i;
	/* the folders themselves */
	if (i + 1 == count && (is_name(names[i], "hooks") || is_name(names[i], "info")))
		return i;
	return 0;
}

struct slow_anchor {
	size_t last; /* index of the name */
	bool vetted;
};

/* Every guard on the path whose names end at one of its folders; as many as there are. */
static size_t
slow_anchors(const char **names, size_t count, bool sample, struct slow_anchor *to)
{
	size_t found = 0;

	for (size_t i = 0; i < count; i++) {
		size_t length = strlen(names[i]), last;
		bool vetted;

		if (is_name(names[i], ".vscode"))
			to[found++] = (struct slow_anchor){i, false};
		if (is_name(names[i], ".gitmodules") ||
		    (is_name(names[i], ".git") && i + 1 == count))
			to[found++] = (struct slow_anchor){i, true};
		if (length < 4 || strcasecmp(names[i] + length - 4, ".git") != 0)
			continue;
		last = slow_git(names, i + 1, count, sample, &vetted);
		if (last != 0)
			to[found++] = (struct slow_anchor){last, vetted};
		for (size_t k = i + 2;
		     is_name(i + 1 < count ? names[i + 1] : NULL, "modules") && k < count; k++) {
			last = slow_git(names, k, count, sample, &vetted);
			if (last != 0)
				to[found++] = (struct slow_anchor){last, vetted};
		}
		if (i + 3 < count && is_name(names[i + 1], "worktrees") &&
		    is_name(names[i + 3], "gitdir"))
			to[found++] = (struct slow_anchor){i + 3, true};
	}
	return found;
}

/* The longest path by which one of the user's own texts allows the right, and is heard. */
static size_t
slow_named(const struct planned_rule **order, size_t count, unsigned right)
{
	size_t longest = 0;

	for (size_t i = 0; i < count; i++) {
		const struct planned_rule *rule = order[i];

		if (rule->effect == EFFECT_ALLOW && (rule->rights & right) && !is_pattern(rule) &&
		    (rule->layer == LAYER_SYSTEM || rule->layer == LAYER_USER ||
		     rule->layer == LAYER_COMMAND) &&
		    slow_final_deny(order, count, right, rule->layer) == NULL &&
		    strlen(rule->path) > longest)
			longest = strlen(rule->path);
	}
	return longest;
}

static void
slow_guard(const struct planned_rule **order, size_t count, size_t anchor, bool vetted,
	   struct reference *ref)
{
	for (int i = 0; i < RIGHT_KINDS; i++) {
		unsigned right = 1u << i;

		if (!(ref->rights & RIGHTS_CHANGE & right) ||
		    slow_named(order, count, right) >= anchor)
			continue;
		if (vetted) {
			ref->vetted = true;
			continue;
		}
		ref->rights &= ~right;
		ref->protected[i] = true;
	}
	ref->any_name = ref->any_name || !vetted;
}

static void
slow_protections(const struct drawn *drawn, const char *path, const struct planned_rule **order,
		 size_t count, struct reference *ref)
{
	struct slow_anchor anchors[100];
	char copy[TEXT_MAX], *names[TEXT_MAX / 2], *rest = copy + 1, *name;
	size_t ends[TEXT_MAX / 2], found, n = 0, length = strlen(path);
	bool sample = length > 7 && strcmp(path + length - 7, ".sample") == 0;

	snprintf(copy, sizeof copy, "%s", path);
	while (copy[1] != '\0' && (name = strsep(&rest, "/")) != NULL) {
		names[n] = name;
		ends[n++] = (size_t)(name - copy) + strlen(name);
	}
	found = slow_anchors((const char **)names, n, sample, anchors);
	for (int vetted = 0; vetted < 2; vetted++)
		for (size_t i = 0; i < found; i++)
			if (anchors[i].vetted == vetted)
				slow_guard(order, count, ends[anchors[i].last],
					   vetted && drawn->system == SYSTEM_LINUX, ref);
}

static bool
slow_held(const struct drawn *drawn, const char *path)
{
	for (size_t i = 0; i < drawn->count; i++) {
		const struct planned_rule *rule = &drawn->rules[i];

		if (rule->effect == EFFECT_DENY && !is_pattern(rule) &&
		    path_below(rule->path, path) && strcmp(rule->path, path) != 0)
			return true;
	}
	return false;
}

static struct reference
slow_decide(const struct drawn *drawn, const char *path)
{
	const struct planned_rule *order[RULES_MAX];
	struct reference ref = {0};
	size_t count = slow_order(drawn, path, order);

	slow_rules(drawn, order, count, &ref);
	ref.held = (ref.rights & (RIGHT_CREATE | RIGHT_DELETE)) && slow_held(drawn, path);
	slow_protections(drawn, path, order, count, &ref);
	return ref;
}

/* Two rules that say the same of one path are equally right answers. */
static bool
same_decider(const struct planned_rule *a, const struct planned_rule *b)
{
	if (a == NULL || b == NULL)
		return a == b;
	return a->layer == b->layer && a->effect == b->effect && strcmp(a->path, b->path) == 0;
}

static bool
agree(const struct verdict *verdict, const struct reference *ref)
{
	if (verdict->rights != ref->rights || verdict->limit_hit ||
	    (verdict->pinned_by != NULL) != ref->held)
		return false;
	for (int i = 0; i < RIGHT_KINDS; i++) {
		if (ref->protected[i] != (verdict->by[i].protection != NULL))
			return false;
		if (ref->protected[i])
			continue;
		if (!same_decider(verdict->by[i].rule, ref->by[i]) ||
		    verdict->by[i].overridden != ref->overridden[i])
			return false;
	}
	return ref->any_name ? !ref->vetted || verdict->vetted != NULL
			     : ref->vetted == (verdict->vetted != NULL);
}

static void
print_drawn(const struct drawn *drawn, const char *path, const struct verdict *verdict,
	    const struct reference *ref)
{
	char have[RIGHT_KINDS + 1], want[RIGHT_KINDS + 1];

	policy_rights_to_letters(verdict->rights, have);
	policy_rights_to_letters(ref->rights, want);
	printf("# %s: engine \"%s\"%s, reference \"%s\"%s\n", path, have,
	       verdict->vetted ? " vetted" : "", want, ref->vetted ? " vetted" : "");
	for (size_t i = 0; i < drawn->count; i++) {
		const struct planned_rule *rule = &drawn->rules[i];

		policy_rights_to_letters(rule->rights, have);
		printf("#   %s %s %s %s %s\n", layer_names[rule->layer],
		       rule->effect == EFFECT_ALLOW ? "allow" : "deny", have,
		       match_names[rule->match], rule->path);
	}
}

static unsigned
rights_below(const struct index *index, const char *path, const char *names)
{
	char text[TEXT_MAX + 8];

	snprintf(text, sizeof text, "%s%s", strcmp(path, "/") == 0 ? "" : path, names);
	return index_decide(index, text).rights;
}

/* The short way to the rights, for a path and what is new below it, holds them against the long one. */
static bool
reach_agrees(const struct index *index, const char *path)
{
	unsigned rights = index_decide(index, path).rights;
	struct tree_rights_cache memo = {0};
	struct tree_rights tree_rights = index_tree_rights(index, path), beside;
	char near[TEXT_MAX + 8];

	/* asked after another of the same folder */
	snprintf(near, sizeof near, "%.*s\002", (int)(strrchr(path, '/') + 1 - path), path);
	index_tree_rights_cached(index, near, &memo);
	beside = index_tree_rights_cached(index, path, &memo);
	return memcmp(&beside, &tree_rights, sizeof tree_rights) == 0 &&
	       index_rights(index, path) == rights && tree_rights.self == rights &&
	       tree_rights.child == rights_below(index, path, "/\001") &&
	       tree_rights.descendant == rights_below(index, path, "/\001/\001");
}

static void
try_drawn(const struct drawn *drawn, size_t questions, size_t *wrong)
{
	struct index index = {.default_rights = drawn->default_rights};

	for (size_t i = 0; i < drawn->count; i++)
		check_int(index_add(&index, &drawn->rules[i], NULL), 0);
	check_int(index_finish(&index, NULL), 0);
	index_protect(&index, drawn->system, NULL);
	for (size_t i = 0; i < questions; i++) {
		char path[TEXT_MAX];
		struct verdict verdict;
		struct reference ref;

		draw_path(path, 6);
		verdict = index_decide(&index, path);
		ref = slow_decide(drawn, path);
		if (agree(&verdict, &ref) && reach_agrees(&index, path))
			continue;
		if ((*wrong)++ < 3)
			print_drawn(drawn, path, &verdict, &ref);
	}
	index_free(&index);
}

static void
engine_and_reference_agree_on_20000_random_policies(void)
{
	size_t wrong = 0;

	for (int i = 0; i < 20000; i++) {
		struct drawn drawn = {.default_rights = pick(3) ? 0 : pick(RIGHTS_ALL + 1),
				      .system = (enum system)pick(2)};
		unsigned rules = pick(RULES_MAX + 1);

		while (drawn.count < rules)
			draw_rule(&drawn);
		try_drawn(&drawn, 6, &wrong);
	}
	check_int(wrong, 0);
}

int
main(void)
{
	run(without_a_rule_the_default_decides);
	run(specific_allow_wins_over_broad_deny_whatever_the_order);
	run(specific_deny_wins_over_broad_allow_whatever_the_order);
	run(three_levels_each_win_below_themselves);
	run(allow_wins_over_deny_at_the_same_path_in_one_layer);
	run(rights_are_decided_one_by_one);
	run(literal_child_and_subpath_match_their_paths);
	run(paths_match_by_whole_names_only);
	run(names_that_sort_between_do_not_disturb_the_search);
	run(the_root_is_a_path_like_any_other);
	run(patterns_are_applied_after_all_paths);
	run(patterns_are_applied_in_their_order);
	run(a_regular_expression_matches_the_whole_path);
	run(a_dot_in_a_regular_expression_matches_newlines_too);
	run(a_pattern_over_its_limit_denies_and_never_allows);
	run(a_pattern_cannot_raise_its_own_limits);
	run(a_pattern_that_cannot_be_compiled_names_its_position);
	run(a_deny_of_the_user_is_final_for_project_and_command_line);
	run(every_more_trusted_layer_is_final_and_no_other);
	run(a_less_trusted_deny_at_the_same_path_beats_a_more_trusted_allow);
	run(a_profiles_deny_is_not_final);
	run(a_source_can_allow_below_its_own_deny);
	run(a_silenced_allow_removes_no_right_of_others);
	run(a_silenced_allow_lifts_no_protection);
	run(a_pattern_deny_of_the_user_is_final_too);
	run(the_verdict_names_the_rule_that_decided);
	run(protected_names_apply_at_every_depth);
	run(patterns_compiled_at_build_time_are_those_of_the_reader);
	run(what_is_vetted_on_linux_is_protected_on_macos);
	run(names_in_another_case_are_protected);
	run(a_git_directory_outside_the_project_is_protected_too);
	run(naming_the_protected_path_itself_lifts_it_for_the_users_own_texts);
	run(a_profile_lifts_what_it_names_below_the_home_only);
	run(a_wider_grant_never_lifts_a_protection);
	run(only_the_named_rights_are_lifted);
	run(lifting_a_protection_does_not_lift_a_more_trusted_deny);
	run(engine_and_reference_agree_on_20000_random_policies);
	return tap_end();
}
