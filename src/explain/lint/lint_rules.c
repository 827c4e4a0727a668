// SPDX-License-Identifier: MIT
/*
 * Checks single rules: missing paths, access to secrets, programs and protected files. A grant that
 * another rule overrides is not reported: every check looks up the deciding rule in the index.
 */
#include <limits.h>
#include <string.h>

#include "base/array.h"
#include "base/path.h"
#include "explain/lint/lint_checks.h"
#include "explain/why.h"
#include "policy/read/dialect_defaults.h"

static const char *
words_of(unsigned rights, char to[RIGHTS_WORDS])
{
	policy_rights_to_words(rights, to);
	return to;
}

/* Does the rule still decide at its own path? */
static bool
is_alive(const struct linter *l, const struct planned_rule *rule)
{
	struct verdict verdict;

	if (match_is_pattern(rule->match))
		return true;
	verdict = index_decide(&l->plan->index, rule->path);
	return lint_decides(&verdict, rule, rule->rights);
}

/* Returns the directory whose whole tree a rule covers, or NULL. */
static const char *
whole_of(const struct planned_rule *rule)
{
	const char *wild = strpbrk(rule->path, "*?\\");
	const char *tail = wild;

	if (rule->match == MATCH_SUBPATH)
		return rule->path;
	if (rule->match != MATCH_GLOB || wild == NULL)
		return NULL;
	while (tail > rule->path && *tail != '/')
		tail--;
	return strchr(tail, '*') != NULL && tail[strspn(tail, "/*")] == '\0' ? rule->root : NULL;
}

/* ---- paths that do not exist ---- */

struct guess {
	const struct fs_view *view;
	char path[PATH_MAX];
	size_t dir; /* length of the directory with its slash */
};

/* Is there a file called name with skip bytes at `at` replaced by put? Leaves it in path. */
static bool
exists_as(struct guess *guess, const char *name, size_t at, size_t skip, const char *put)
{
	char *to = guess->path + guess->dir;
	enum fs_kind kind;

	memcpy(to, name, at);
	strcpy(to + at, put);
	strcat(to, name + at + skip);
	if (strcmp(to, ".") == 0 || strcmp(to, "..") == 0 || *to == '\0')
		return false;
	kind = fs_kind_of(guess->view, guess->path);
	return kind != FS_MISSING && kind != FS_HIDDEN;
}

/*
 * A view cannot list a directory, so all names with one typing error are tried. Names shorter than
 * three bytes would match too much.
 */
static bool
guess_name(struct guess *guess, const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789._-"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	size_t length = strlen(name);

	if (length < 3 || length > 64 || guess->dir + length + 2 > sizeof guess->path)
		return false;
	for (size_t i = 0; i < length; i++) {
		const char swapped[] = {name[i + 1], name[i], '\0'};

		if (exists_as(guess, name, i, 1, "") ||
		    (i + 1 < length && exists_as(guess, name, i, 2, swapped)))
			return true;
	}
	for (const char *letter = letters; *letter != '\0'; letter++) {
		const char put[] = {*letter, '\0'};

		for (size_t i = 0; i <= length; i++)
			if (exists_as(guess, name, i, 0, put) ||
			    (i < length && exists_as(guess, name, i, 1, put)))
				return true;
	}
	return false;
}

/* Returns the length of the shortest part of path that does not exist; 0 if unknown. */
static size_t
missing_length(const struct fs_view *view, const char *path)
{
	char part[PATH_MAX];
	size_t length = strlen(path);

	if (length >= sizeof part)
		return 0;
	memcpy(part, path, length + 1);
	for (size_t end = 1; end <= length; end++) {
		enum fs_kind kind;

		if (path[end] != '/' && path[end] != '\0')
			continue;
		part[end] = '\0';
		kind = fs_kind_of(view, part);
		if (kind == FS_MISSING)
			return end;
		if (kind == FS_HIDDEN)
			return 0;
		part[end] = path[end];
	}
	return 0;
}

int
lint_missing(struct linter *l, struct planned_rule *rule)
{
	struct guess guess = {.view = l->plan->host->view};
	const char *missing, *name;
	size_t length;

	if (rule->exists || rule->rule->optional || rule->match == MATCH_REGEX ||
	    guess.view == &fs_macos_minimal || plan_rule_creates_dir(l->plan, rule))
		return 0;
	length = missing_length(guess.view, rule->root);
	if (length == 0)
		return 0;
	missing = arena_strndup(&l->scratch, rule->root, length, l->err);
	if (missing == NULL)
		return -CORDON_E_MEMORY;
	name = path_last(missing);
	guess.dir = (size_t)(name - missing);
	memcpy(guess.path, missing, guess.dir);
	if (l->guesses-- > 0 && guess_name(&guess, name))
		return lint_add(l, LINT_NOTE, rule->rule->srcpos,
				"there is no %s; did you mean %s?", missing, guess.path);
	return lint_add(l, LINT_NOTE, rule->rule->srcpos, "there is no %s", missing);
}

/* ---- secrets ---- */

static bool
is_public_key(const char *path)
{
	size_t length = strlen(path);

	return length > 4 && strcmp(path + length - 4, ".pub") == 0;
}

/* Is it in baseline_never: tools and caches that all projects share? */
static bool
is_shared(const struct linter *l, const char *path)
{
	size_t home = l->home == NULL ? 0 : strlen(l->home);

	if (l->home == NULL || !path_below(path, l->home) || path[home] == '\0')
		return false;
	for (size_t i = 0; baseline_never[i] != NULL; i++)
		if (strcmp(path + home, baseline_never[i] + 1) == 0)
			return true;
	return false;
}

int
lint_secret(struct linter *l, struct planned_rule *rule)
{
	const char *path = match_is_pattern(rule->match) ? rule->root : rule->path;
	char words[RIGHTS_WORDS];

	if (rule->effect != EFFECT_ALLOW || !is_alive(l, rule))
		return 0;
	if (secret_is_path(l->plan, path) && !is_public_key(rule->path))
		return lint_add(l, LINT_WARNING, rule->rule->srcpos,
				"grants %s of %s, where secrets are kept",
				words_of(rule->rights, words), rule->rule->path);
	if (match_is_pattern(rule->match) || !is_shared(l, path))
		return 0;
	if (rule->rights & RIGHTS_CHANGE)
		return lint_add(l, LINT_WARNING, rule->rule->srcpos,
				"lets %s be changed, which every project and the user rely on",
				rule->rule->path);
	return lint_add(
		l, LINT_NOTE, rule->rule->srcpos,
		"%s is shared by all projects; the profile of its tool grants what that needs",
		rule->rule->path);
}

int
lint_wide(struct linter *l, struct planned_rule *rule)
{
	const char *opened;

	if (rule->effect != EFFECT_ALLOW || !(rule->rights & RIGHT_READ) ||
	    secret_is_path(l->plan, rule->root))
		return 0;
	/* a path that the rule itself names is intended */
	for (size_t i = 0; i < l->secret_count; i++)
		if (strcmp(l->secrets[i].path, rule->path) == 0)
			return 0;
	opened = lint_opened(l, rule);
	if (opened == NULL)
		return 0;
	return lint_add(l, LINT_WARNING, rule->rule->srcpos,
			"%s opens %s, where secrets are kept; deny them, or grant less",
			rule->rule->path, opened);
}

/* ---- changes ---- */

static int
warn_program(struct linter *l, const struct planned_rule *rule, const char *dir)
{
	return lint_add(l, LINT_WARNING, rule->rule->srcpos,
			"lets programs be changed in %s, a folder on PATH", dir);
}

int
lint_programs(struct linter *l, struct planned_rule *rule)
{
	if (rule->effect != EFFECT_ALLOW || !(rule->rights & RIGHTS_CHANGE))
		return 0;
	for (size_t i = 0; i < l->dir_count; i++) {
		const struct program_dir *dir = &l->dirs[i];
		struct verdict verdict;

		if (lint_decides(&dir->verdict, rule, RIGHTS_CHANGE))
			return warn_program(l, rule, dir->path);
		if (match_is_pattern(rule->match) || !path_below(rule->path, dir->path))
			continue;
		verdict = index_decide(&l->plan->index, rule->path);
		if (lint_decides(&verdict, rule, RIGHTS_CHANGE))
			return warn_program(l, rule, dir->path);
	}
	return 0;
}

static bool
is_project_policy(const struct linter *l, const char *path)
{
	const char *project = l->plan->host->project;

	return project != NULL && path_below(path, project) &&
	       strcmp(path_last(path), PROJECT_POLICY_NAME) == 0;
}

/* There are few built-in denies: for cordon's directories and the policy files of this call. */
int
lint_builtin(struct linter *l, struct planned_rule *rule)
{
	const struct index *index = &l->plan->index;
	const struct planned_rule *covered = NULL;

	if (rule->effect != EFFECT_ALLOW || match_is_pattern(rule->match))
		return 0;
	for (size_t i = 0; i < index->path_count; i++) {
		const struct planned_rule *ours = &index->paths[i];

		if (ours->layer != LAYER_BUILTIN || !(ours->rights & rule->rights))
			continue;
		if (path_below(rule->path, ours->path))
			return lint_add(l, LINT_WARNING, rule->rule->srcpos,
					"has no effect: %s is %s, closed from inside", ours->path,
					ours->rule->why);
		if ((rule->rights & RIGHTS_CHANGE) && rule->match == MATCH_SUBPATH &&
		    path_below(ours->path, rule->path) && !is_project_policy(l, ours->path))
			covered = ours;
	}
	return covered == NULL ? 0
			       : lint_add(l, LINT_NOTE, rule->rule->srcpos,
					  "%s below it stays closed: it is %s", covered->path,
					  covered->rule->why);
}

/* Only naming a protected path lifts its protection, if the source may. */
int
lint_protected(struct linter *l, struct planned_rule *rule)
{
	const struct protections *all = &l->plan->index.protections;
	struct verdict verdict;
	bool lifted;

	if (rule->effect != EFFECT_ALLOW || match_is_pattern(rule->match) ||
	    !(rule->rights & RIGHTS_CHANGE))
		return 0;
	verdict = index_decide(&l->plan->index, rule->path);
	lifted = lint_decides(&verdict, rule, RIGHTS_CHANGE);
	for (size_t i = 0; i < all->count; i++) {
		const struct protection *one = &all->items[i];

		if (protected_anchor(one, rule->path) == 0)
			continue;
		if (lifted && rule->layer != LAYER_PROJECT && rule->layer != LAYER_PROFILE)
			return lint_add(l, LINT_WARNING, rule->rule->srcpos,
					"lifts the protection of %s: %s", one->pattern,
					one->reason);
		if (one->kind == PROTECT_NAME && rule->layer == LAYER_PROJECT)
			return lint_add(l, LINT_WARNING, rule->rule->srcpos,
					"has no effect: no project can change %s: %s", one->pattern,
					one->reason);
	}
	return 0;
}

/* ---- wide grants ---- */

/* Is it a directory of home directories, or one of the home directories? */
static bool
is_home_folder(const char *path)
{
	static const char *const folders[] = {"/home", "/Users", NULL};
	static const char *const homes[] = {"/root", "/var/root", "/private/var/root", NULL};

	for (size_t i = 0; folders[i] != NULL; i++)
		if (path_below(path, folders[i]) && path_depth(path) <= 2)
			return true;
	for (size_t i = 0; homes[i] != NULL; i++)
		if (strcmp(path, homes[i]) == 0)
			return true;
	return false;
}

int
lint_whole(struct linter *l, struct planned_rule *rule)
{
	const char *whole = whole_of(rule);
	char words[RIGHTS_WORDS];

	if (rule->effect != EFFECT_ALLOW || whole == NULL || !is_alive(l, rule))
		return 0;
	words_of(rule->rights, words);
	if (strcmp(whole, "/") == 0)
		return match_is_pattern(rule->match)
			       ? 0
			       : lint_add(l, LINT_WARNING, rule->rule->srcpos,
					  "grants %s of the whole file system", words);
	if ((l->home != NULL && path_below(l->home, whole)) || is_home_folder(whole))
		return lint_add(l, LINT_WARNING, rule->rule->srcpos,
				"grants %s of a whole home directory (%s)", words, whole);
	return 0;
}

/* Applies the rule alone to paths that have nothing in common. */
static bool
matches_everything(const struct planned_rule *rule)
{
	static const char *const probes[] = {"/a", "/zq7/.x_y", "/usr/lib/x.so.1",
					     "/home/u/.ssh/id"};
	struct planned_rule alone = *rule;
	const struct index index = {.patterns = &alone, .pattern_count = 1};
	bool all = true;

	alone.effect = EFFECT_ALLOW;
	for (size_t i = 0; all && i < COUNT(probes); i++)
		all = index_decide(&index, probes[i]).rights != 0;
	return all;
}

int
lint_everything(struct linter *l, struct planned_rule *rule)
{
	char words[RIGHTS_WORDS];

	if (!match_is_pattern(rule->match) || !matches_everything(rule))
		return 0;
	words_of(rule->rights, words);
	if (rule->effect == EFFECT_ALLOW)
		return lint_add(
			l, LINT_WARNING, rule->rule->srcpos,
			"the pattern matches nearly everything and grants %s whatever paths deny",
			words);
	return lint_add(l, LINT_NOTE, rule->rule->srcpos,
			"the pattern matches nearly everything and denies %s whatever paths allow",
			words);
}
