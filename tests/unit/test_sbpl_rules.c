// SPDX-License-Identifier: MIT
/*
 * From rules to the lines of a Seatbelt profile: the last line that matches must say what the engine
 * decides, for random policies of all layers. Globs and regular expressions must match what they
 * matched before they were translated, and what a folder holds must not be carried out of its rule.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/glob.h"
#include "base/path.h"
#include "macos/sbpl/glob_regex.h"
#include "macos/sbpl/rules.h"
#include "plan/pattern_dirs.h"
#include "tap.h"

#define RULES_MAX 10
#define TEXT_MAX 160

static unsigned
pick(unsigned below)
{
	static unsigned long long seed = 4711;

	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (unsigned)((seed >> 33) % below);
}

/* ---- what a filter matches ---- */

/* Expressions, compiled once each: protected names are in every policy. */
static struct {
	char *text;
	pcre2_code_8 *code;
} known[1 << 16];

static pcre2_code_8 *
expression(const char *text)
{
	size_t at = 0;
	PCRE2_SIZE where;
	int code;

	for (const char *p = text; *p != '\0'; p++)
		at = at * 31 + (unsigned char)*p;
	for (at %= COUNT(known); known[at].text != NULL; at = (at + 1) % COUNT(known))
		if (strcmp(known[at].text, text) == 0)
			return known[at].code;
	known[at].text = strdup(text);
	known[at].code = pcre2_compile_8((PCRE2_SPTR8)text, PCRE2_ZERO_TERMINATED,
					 PCRE2_DOTALL | PCRE2_DOLLAR_ENDONLY, &code, &where, NULL);
	if (known[at].code == NULL) {
		printf("Bail out! not an expression: %s\n", text);
		exit(1);
	}
	return known[at].code;
}

static bool
expression_matches(const char *text, const char *path)
{
	pcre2_match_data_8 *data = pcre2_match_data_create_8(1, NULL);
	int rc = pcre2_match_8(expression(text), (PCRE2_SPTR8)path, strlen(path), 0, 0, data, NULL);

	pcre2_match_data_free_8(data);
	return rc >= 0;
}

static bool
filter_matches(const struct filter *filter, const char *path)
{
	switch (filter->kind) {
	case FILTER_NEVER:
	case FILTER_FOLDER:
		return false;
	case FILTER_ALWAYS:
		return true;
	case FILTER_SUBPATH:
		return path_below(path, filter->value);
	case FILTER_LITERAL:
		return strcmp(path, filter->value) == 0;
	case FILTER_REGEX:
		/* what is outside of its root it must not match */
		if (expression_matches(filter->value, path)) {
			check(path_below(path, filter->root));
			return true;
		}
		return false;
	case FILTER_ANY:
		for (size_t i = 0; i < filter->count; i++)
			if (filter_matches(filter->parts[i], path))
				return true;
		return false;
	case FILTER_ALL:
		for (size_t i = 0; i < filter->count; i++)
			if (!filter_matches(filter->parts[i], path))
				return false;
		return true;
	case FILTER_NOT:
		return !filter_matches(filter->parts[0], path);
	}
	return false;
}

static unsigned
lines_rights(const struct sbpl_rules *lines, const char *path)
{
	unsigned rights = 0;

	for (size_t i = 0; i < lines->count; i++) {
		if (!filter_matches(lines->items[i].filter, path))
			continue;
		if (lines->items[i].effect == EFFECT_ALLOW)
			rights |= lines->items[i].rights;
		else
			rights &= ~lines->items[i].rights;
	}
	return rights;
}

/* ---- random policies ---- */

static const struct rule written = {.path = "written", .srcpos = {"f", 1, 2}};

static void
draw_path(char *to, unsigned most)
{
	static const char *const names[] = {
		"a",	  "b",	      "c",	    "ab",	 ".git",     "hooks",
		"config", "x.git",    ".vscode",    "modules",	 "y.sample", "A",
		".GIT",	  "info",     "attributes", "worktrees", "gitdir",   ".envrc",
		"a.b",	  "(*)[x]",   "\xc3\xa9",   "a\nb",	 "\\",	     "\"q\"",
		"\x01",	  "\x01\x01", ".Envrc",	    "$^|",	 "{2}+?",    "-"};
	static const char *const starts[] = {"/a/.git",
					     "/a/.git/hooks",
					     "/a/.git/hooks/b",
					     "/a/.git/hooks/y.sample",
					     "/a/.vscode",
					     "/a/.Git/config",
					     "/a/.git/modules/b/hooks/c",
					     "/a/b/hooks/b"};
	unsigned count = pick(most + 1);

	strcpy(to, count == 0 ? "/" : "");
	/* often something protected, and then rarely more: rules and questions have to meet there */
	if (most > 3 && pick(3) == 0) {
		strcpy(to, starts[pick(COUNT(starts))]);
		count = pick(3) == 0 ? 1 : 0;
	}
	for (unsigned i = 0; i < count; i++) {
		strcat(to, "/");
		strcat(to, names[pick(3) == 0 ? pick(COUNT(names)) : pick(4)]);
	}
}

static const char *const globs[] = {
	"**/a",		 "/a/*",     "/*/b",	     "/a/**/c",	    "/a*",    "**/.git",
	"/?/b/c",	 "**/b/*/a", "/a/**",	     "/**/ab/c",    "**",     "/a/b/**/a/?",
	"/\\(\\*)[x]",	 "**/*.b",   "/**/a?b",	     "**/.envrc/*", "/a//b/", "/**/**/b",
	"/a/b*/**/c/**", "**/\\\\",  "/\xc3\xa9/**", "/?/a",	    "/",      "/*",
	"**/*"};
static const char *const regexes[] = {"/a/.*",
				      "/(a|b)",
				      ".*/c",
				      "/[ab]+(/c)?",
				      "(/[^/]*){3}",
				      "^/a/(?:b|c/.*)$",
				      "/a/?b",
				      "^.*/\\.envrc$",
				      "/a$|^/b/\\w+",
				      "/[^a]/[]a^-]*",
				      "/a/b{0,2}",
				      "/\\(\\*\\)\\[x\\]",
				      "/.{1,3}/(a|b){2,}",
				      "/a(/\\S+?)*",
				      "/[\\w.]+/\xc3\xa9",
				      "/\"[^\"]*\"",
				      "/[A-c]b?",
				      "/\\x61/[\\x62-\\x63]",
				      "/[^\\]/]+"};

struct drawn {
	char paths[RULES_MAX][TEXT_MAX];
	struct planned_rule rules[RULES_MAX];
	size_t count;
	unsigned default_rights;
};

static void
draw_rule(struct drawn *drawn)
{
	struct planned_rule *rule = &drawn->rules[drawn->count];
	char *path = drawn->paths[drawn->count];

	*rule = (struct planned_rule){
		.path = path,
		.root = "/",
		.effect = pick(2) ? EFFECT_ALLOW : EFFECT_DENY,
		.rights = pick(3) ? RIGHTS_ALL : 1 + pick(RIGHTS_ALL),
		.match = pick(4) == 0 ? (pick(3) ? MATCH_GLOB : MATCH_REGEX) : (enum match)pick(3),
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

static int
by_layer(const void *a, const void *b)
{
	const struct planned_rule *x = a, *y = b;

	if (x->layer != y->layer)
		return (int)x->layer - (int)y->layer;
	return x->path < y->path ? -1 : 1;
}

static struct drawn
draw(void)
{
	struct drawn drawn = {.default_rights = pick(3) ? 0 : pick(RIGHTS_ALL + 1)};
	unsigned rules = pick(RULES_MAX + 1);

	while (drawn.count < rules)
		draw_rule(&drawn);
	return drawn;
}

/* As a plan adds them: patterns by layer, most trusted first. The rules point into drawn. */
static void
index_make(struct index *index, struct drawn *drawn, const char *common_dir)
{
	const struct host host = {.system = SYSTEM_MACOS,
				  .git.common_dir = common_dir,
				  .view = &fs_macos_minimal};

	for (size_t i = 0; i < drawn->count; i++)
		drawn->rules[i].path = drawn->paths[i];
	qsort(drawn->rules, drawn->count, sizeof drawn->rules[0], by_layer);
	*index = (struct index){.default_rights = drawn->default_rights};
	for (size_t i = 0; i < drawn->count; i++)
		check_int(index_add(index, &drawn->rules[i], NULL), 0);
	check_int(index_finish(index, NULL), 0);
	check_int(protected_make(&index->arena, &host, &index->protections, NULL), 0);
}

static void
print_drawn(const struct drawn *drawn, const char *path, unsigned engine, unsigned lines)
{
	char have[RIGHT_KINDS + 1], want[RIGHT_KINDS + 1];

	policy_rights_to_letters(engine, want);
	policy_rights_to_letters(lines, have);
	printf("# %s: the engine says \"%s\", the lines say \"%s\"; default %u\n", path, want, have,
	       drawn->default_rights);
	for (size_t i = 0; i < drawn->count; i++) {
		const struct planned_rule *rule = &drawn->rules[i];

		policy_rights_to_letters(rule->rights, have);
		printf("#   %s %s %s %s %s\n", layer_names[rule->layer],
		       rule->effect == EFFECT_ALLOW ? "allow" : "deny", have,
		       match_names[rule->match], rule->path);
	}
}

/* Where each right holds, asked of a filter for what is below root. */
static unsigned
where_rights(struct filters *in, const struct sbpl_rules *lines, const char *root, const char *path)
{
	unsigned rights = 0;

	for (int i = 0; i < RIGHT_KINDS; i++)
		if (filter_matches(sbpl_rules_where(in, lines, 1u << i, root), path))
			rights |= 1u << i;
	return rights;
}

static void
try_drawn(struct drawn *drawn, size_t questions, size_t *wrong)
{
	auto_arena struct arena arena = {0};
	struct filters in = {.arena = &arena};
	struct plan plan = {0};
	struct sbpl_rules lines;

	index_make(&plan.index, drawn, pick(4) == 0 ? "/a/b" : NULL);
	check_int(sbpl_rules_make(&in, &plan, NULL, &lines, NULL), 0);
	for (size_t i = 0; i < questions; i++) {
		char path[TEXT_MAX * 2], root[TEXT_MAX];
		unsigned engine, rights;

		draw_path(root, 3);
		draw_path(path, 6);
		engine = index_decide(&plan.index, path).rights;
		rights = lines_rights(&lines, path);
		if (engine == rights && path_below(path, root))
			rights = where_rights(&in, &lines, root, path);
		if (engine != rights && (*wrong)++ < 3)
			print_drawn(drawn, path, engine, rights);
	}
	index_free(&plan.index);
}

static void
profiles_agree_with_the_engine_for_10000_random_policies(void)
{
	size_t wrong = 0;

	for (int i = 0; i < 10000; i++) {
		struct drawn drawn = draw();

		try_drawn(&drawn, 10, &wrong);
	}
	check_int(wrong, 0);
}

/* ---- what random policies rarely meet ---- */

struct says {
	enum layer layer;
	enum effect effect;
	enum match match;
	const char *path;
};

/* Lines and engine agree about path, and it has (or has not) the right to be written. */
static void
check_case(const struct says *says, size_t count, const char *path, bool writable)
{
	auto_arena struct arena arena = {0};
	struct filters in = {.arena = &arena};
	struct drawn drawn = {.count = count};
	struct plan plan = {0};
	struct sbpl_rules lines;

	for (size_t i = 0; i < count; i++) {
		strcpy(drawn.paths[i], says[i].path);
		drawn.rules[i] = (struct planned_rule){.path = drawn.paths[i],
						       .root = "/",
						       .effect = says[i].effect,
						       .rights = RIGHTS_ALL,
						       .match = says[i].match,
						       .layer = says[i].layer,
						       .rule = &written};
	}
	index_make(&plan.index, &drawn, NULL);
	check_int(sbpl_rules_make(&in, &plan, NULL, &lines, NULL), 0);
	check_int(lines_rights(&lines, path), index_decide(&plan.index, path).rights);
	check_int((lines_rights(&lines, path) & RIGHT_WRITE) != 0, writable);
	index_free(&plan.index);
}

static void
naming_a_protected_name_lifts_it_and_nothing_further_down(void)
{
	static const struct says says[] = {
		{LAYER_PROFILE, EFFECT_ALLOW, MATCH_SUBPATH, "/p"},
		{LAYER_COMMAND, EFFECT_ALLOW, MATCH_SUBPATH, "/p/.vscode"},
		{LAYER_USER, EFFECT_ALLOW, MATCH_LITERAL, "/p/.git/config"},
		{LAYER_PROJECT, EFFECT_ALLOW, MATCH_SUBPATH, "/p/.idea"}};

	check_case(says, COUNT(says), "/p/.vscode", true);
	check_case(says, COUNT(says), "/p/.vscode/a/b", true);
	check_case(says, COUNT(says), "/p/.vscode/.envrc", false);
	check_case(says, COUNT(says), "/p/.vscode/a/.VSCODE/b", false);
	check_case(says, COUNT(says), "/p/.vscode/a/.git/hooks/b", false);
	check_case(says, COUNT(says), "/p/.vscode/a/.git/hooks/b.sample", true);
	check_case(says, COUNT(says), "/q/.vscode/a", false);
	check_case(says, COUNT(says), "/p/.git/config", true);
	check_case(says, COUNT(says), "/p/.git/config.worktree", false);
	check_case(says, COUNT(says), "/p/.idea/a", false);
}

/* The profile's own grant is deeper than the deny, so writing is allowed; lifting is not. */
static void
a_silenced_rule_lifts_nothing(void)
{
	static const struct says says[] = {
		{LAYER_PROFILE, EFFECT_ALLOW, MATCH_SUBPATH, "/p/.vscode/x"},
		{LAYER_PROFILE, EFFECT_ALLOW, MATCH_SUBPATH, "/p/plain/x"},
		{LAYER_SYSTEM, EFFECT_DENY, MATCH_SUBPATH, "/p"},
		{LAYER_USER, EFFECT_ALLOW, MATCH_SUBPATH, "/p/.vscode/x"}};
	static const struct says heard[] = {{LAYER_PROFILE, EFFECT_ALLOW, MATCH_SUBPATH, "/p"},
					    {LAYER_USER, EFFECT_ALLOW, MATCH_SUBPATH,
					     "/p/.vscode/x"}};

	check_case(says, COUNT(says), "/p/plain/x/y", true);
	check_case(says, COUNT(says), "/p/.vscode/x/y", false);
	check_case(heard, COUNT(heard), "/p/.vscode/x/y", true);
}

/* ---- patterns ---- */

static void
globs_and_their_expressions_match_the_same(void)
{
	auto_arena struct arena arena = {0};
	struct filters in = {.arena = &arena};

	for (size_t i = 0; i < COUNT(globs); i++) {
		const struct filter *filter = glob_regex_glob(&in, globs[i], PATTERN_BELOW, false);
		const struct filter *nocase = glob_regex_glob(&in, globs[i], PATTERN_BELOW, true);
		const struct filter *here = glob_regex_glob(&in, globs[i], PATTERN_HERE, false);
		struct glob *glob;

		check_int(glob_compile(&arena, globs[i], &glob, NULL, NULL), 0);
		for (int k = 0; k < 2000; k++) {
			char path[TEXT_MAX * 2];

			draw_path(path, 6);
			check_int(filter_matches(filter, path), glob_match(glob, path));
			check_int(filter_matches(nocase, path),
				  glob_match_prefix(glob, path, true) != 0);
			check_int(filter_matches(here, path),
				  glob_match_longest(glob, path, false) == strlen(path));
		}
	}
}

static bool
regex_matches(const char *regex, const char *path)
{
	pcre2_match_data_8 *data = pcre2_match_data_create_8(1, NULL);
	PCRE2_SIZE where;
	int code, rc;
	pcre2_code_8 *compiled = pcre2_compile_8((PCRE2_SPTR8)regex, PCRE2_ZERO_TERMINATED,
						 PCRE2_ANCHORED | PCRE2_ENDANCHORED | PCRE2_DOTALL |
							 PCRE2_DOLLAR_ENDONLY,
						 &code, &where, NULL);

	rc = compiled == NULL
		     ? -1
		     : pcre2_match_8(compiled, (PCRE2_SPTR8)path, strlen(path), 0, 0, data, NULL);
	check(compiled != NULL);
	pcre2_match_data_free_8(data);
	pcre2_code_free_8(compiled);
	return rc >= 0;
}

static void
converted_regular_expressions_match_the_same(void)
{
	auto_arena struct arena arena = {0};
	struct filters in = {.arena = &arena};

	for (size_t i = 0; i < COUNT(regexes); i++) {
		const char *reason = NULL;
		const struct filter *filter = pcre_regex(&in, regexes[i], &reason);
		size_t hits = 0;

		check_str(reason, NULL);
		for (int k = 0; filter != NULL && k < 4000; k++) {
			char path[TEXT_MAX * 2];
			bool found;

			draw_path(path, 4);
			found = regex_matches(regexes[i], path);
			check_int(filter_matches(filter, path), found);
			hits += found;
		}
		/* one that never matches proves nothing */
		if (hits == 0)
			printf("# never matched: %s\n", regexes[i]);
		check(hits > 0);
	}
}

static void
expressions_that_seatbelt_lacks_are_refused(void)
{
	static const char *const bad[] = {"/a(?=b)",	  "/(?i)a",	 "/(a)\\1",    "/a\\b",
					  "/[[:alpha:]]", "/a*+",	 "/\\p{L}",    "/a^b",
					  "/a$b",	  "/\\Qa\\E",	 "/(?<n>a)",   "(*UTF)/a",
					  "/a{1,100}",	  "/a{65}",	 "/(?#note)a", "/\\N",
					  "/\\Aa",	  "/(a(b(?!c)))"};
	auto_arena struct arena arena = {0};
	struct filters in = {.arena = &arena};

	for (size_t i = 0; i < COUNT(bad); i++) {
		const char *reason = NULL;
		const struct filter *filter = pcre_regex(&in, bad[i], &reason);

		if (reason == NULL)
			printf("# accepted: %s\n", bad[i]);
		check(filter == NULL && reason != NULL);
	}
	check(!in.failed);
}

/* No class that is written has a backslash in it: what that means differs from engine to engine. */
static void
a_class_is_written_without_backslashes(void)
{
	static const char *const classes[] = {"/[\\w\\\\]", "/[^\\\\]", "/[]\\[^-]",	 "/[\\]a-]",
					      "/[^\\^-]",   "/[+--]",	"/[\\x5b-\\x5d]"};
	auto_arena struct arena arena = {0};
	struct filters in = {.arena = &arena};

	for (size_t i = 0; i < COUNT(classes); i++) {
		const char *reason = NULL;
		const struct filter *filter = pcre_regex(&in, classes[i], &reason);
		bool inside = false;

		check_str(reason, NULL);
		for (const char *p = filter == NULL ? "" : filter->value; *p != '\0'; p++) {
			check(!(inside && *p == '\\'));
			if (!inside && *p == '\\')
				p++;
			else if (*p == '[' || *p == ']')
				inside = *p == '[';
		}
		for (int c = 1; filter != NULL && c < 256; c++) {
			char path[3] = {'/', (char)c, '\0'};

			check_int(filter_matches(filter, path), regex_matches(classes[i], path));
		}
	}
}

/* ---- folders that have to stay ---- */

static bool
pattern_matches(const struct planned_rule *rule, const char *path)
{
	auto_arena struct arena arena = {0};
	struct glob *glob;

	if (rule->match == MATCH_REGEX)
		return regex_matches(rule->path, path);
	return glob_compile(&arena, rule->path, &glob, NULL, NULL) == 0 && glob_match(glob, path);
}

/*
 * A folder that may be moved: whatever in it is denied by a pattern is denied at its new place too,
 * or the folder itself is denied by it and could not be moved at all.
 */
static void
a_folder_with_a_denied_pattern_below_it_cannot_be_moved(void)
{
	size_t tried = 0;

	for (int i = 0; i < 100000; i++) {
		auto_arena struct arena arena = {0};
		struct drawn drawn = {0};
		struct plan plan = {0};
		struct pattern_dirs holds;
		char from[TEXT_MAX], to[TEXT_MAX], below[TEXT_MAX], path[TEXT_MAX * 2 + 2];

		draw_rule(&drawn);
		drawn.rules[0].effect = EFFECT_DENY;
		if (drawn.rules[0].match != MATCH_GLOB && drawn.rules[0].match != MATCH_REGEX)
			continue;
		index_make(&plan.index, &drawn, NULL);
		check_int(pattern_dirs_make(&arena, &plan, &holds, NULL), 0);
		draw_path(from, 3);
		draw_path(to, 3);
		draw_path(below, 3);
		snprintf(path, sizeof path, "%s%s", from, below);
		if (from[1] != '\0' && to[1] != '\0' && below[1] != '\0' &&
		    pattern_dirs_find(&holds, from) == NULL &&
		    pattern_matches(&drawn.rules[0], path) &&
		    !pattern_matches(&drawn.rules[0], from)) {
			tried++;
			snprintf(path, sizeof path, "%s%s", to, below);
			if (!pattern_matches(&drawn.rules[0], path))
				printf("# %s: %s to %s frees %s\n", drawn.rules[0].path, from, to,
				       below);
			check(pattern_matches(&drawn.rules[0], path));
		}
		index_free(&plan.index);
	}
	check(tried > 100);
}

/* For the few words that stand in the text: everything else is a parameter. */
static void
words_are_quoted_as_seatbelt_reads_them(void)
{
	static const struct {
		const char *word, *text;
	} cases[] = {
		{"", "\"\""},
		{"plain", "\"plain\""},
		{"a\"b", "\"a\\\"b\""},
		{"a\\b", "\"a\\\\b\""},
		{"\\\"", "\"\\\\\\\"\""},
		{"\") (allow default) (\"", "\"\\\") (allow default) (\\\"\""},
	};
	static const char *const bad[] = {"a\nb", "\t", "caf\xc3\xa9", "\x7f", "\x01"};

	for (size_t i = 0; i < COUNT(cases); i++) {
		auto_str struct str text = {0};

		sbpl_word(cases[i].word, &text);
		check(!text.failed);
		check_str(text.text, cases[i].text);
	}
	for (size_t i = 0; i < COUNT(bad); i++) {
		auto_str struct str text = {0};

		sbpl_word(bad[i], &text);
		check(text.failed);
	}
}

/* What was not simplified would match everything if nothing were written. */
static void
never_and_always_are_not_written(void)
{
	auto_arena struct arena arena = {0};
	struct parameters parameters = {.arena = &arena};
	const struct filter *const bad[] = {NULL, &filter_never, &filter_always};

	for (size_t i = 0; i < COUNT(bad); i++) {
		auto_str struct str text = {0};

		path_filter_print(bad[i], &parameters, &text);
		check(text.failed);
	}
}

/* One name for one value, whatever it is, and another for another. */
static void
each_value_has_one_parameter(void)
{
	auto_arena struct arena arena = {0};
	struct parameters parameters = {.arena = &arena};
	char value[32], name[32];

	for (int round = 0; round < 2; round++)
		for (int i = 0; i < 3000; i++) {
			snprintf(value, sizeof value, "/v/%d", i * 7919 % 3000);
			snprintf(name, sizeof name, "P%d", i);
			check_str(path_filter_parameter(&parameters, value), name);
		}
	check_int(parameters.count, 3000);
	check(!parameters.failed);
}

int
main(void)
{
	run(words_are_quoted_as_seatbelt_reads_them);
	run(never_and_always_are_not_written);
	run(each_value_has_one_parameter);
	run(profiles_agree_with_the_engine_for_10000_random_policies);
	run(naming_a_protected_name_lifts_it_and_nothing_further_down);
	run(a_silenced_rule_lifts_nothing);
	run(globs_and_their_expressions_match_the_same);
	run(converted_regular_expressions_match_the_same);
	run(expressions_that_seatbelt_lacks_are_refused);
	run(a_class_is_written_without_backslashes);
	run(a_folder_with_a_denied_pattern_below_it_cannot_be_moved);
	return tap_end();
}
