// SPDX-License-Identifier: MIT
/*
 * Turns written rules into planned ones: expands tokens, then resolves links. Of a glob the plain
 * leading directories are resolved; a regular expression stays as written and matches resolved
 * paths.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/glob.h"
#include "base/path.h"
#include "base/str.h"
#include "host/resolve.h"
#include "plan/plan.h"

static int
rule_error(const struct rule *rule, const char *text, struct cordon_error *err)
{
	return cordon_fail_at(err, CORDON_E_PATH, rule->srcpos.file, rule->srcpos.line,
			      rule->srcpos.column, "\"%.80s\" %s", rule->path, text);
}

static int
resolve_rule(struct plan *plan, const struct rule *rule, const char *path, struct resolved *ret,
	     struct cordon_error *err)
{
	struct cordon_error why = {0};
	char text[120];
	int rc = resolve_path(&plan->index.arena, plan->host->view, path, ret, &why);

	if (rc == -CORDON_E_MEMORY)
		return cordon_no_memory(err);
	if (rc < 0) {
		snprintf(text, sizeof text, "cannot be resolved: %s",
			 why.sys != 0 ? error_errno_text(why.sys) : "not absolute");
		return rule_error(rule, text, err);
	}
	return 0;
}

static int
expand_rule(struct plan *plan, const struct rule *rule, const char **ret_path,
	    struct cordon_error *err)
{
	const struct token_text text = {rule->path, rule->srcpos, rule->optional,
					rule->match == MATCH_GLOB};

	return host_expand_token(&plan->index.arena, plan->host, &text, ret_path, err);
}

int
plan_rule_path(struct plan *plan, const struct rule *rule, const char **ret_path,
	       struct cordon_error *err)
{
	struct resolved resolved;
	int rc = expand_rule(plan, rule, ret_path, err);

	if (rc < 0 || *ret_path == NULL)
		return rc;
	rc = resolve_rule(plan, rule, *ret_path, &resolved, err);
	if (rc == 0)
		*ret_path = resolved.path;
	return rc;
}

/* Length of a glob's leading directories without wildcards; 0 for "**...". */
static size_t
plain_length(const char *glob)
{
	size_t plain = 0;

	for (size_t i = 0; glob[i] != '\0'; i++) {
		if (glob[i] == '/')
			plain = i;
		if (glob[i] == '*' || glob[i] == '?')
			return plain;
		if (glob[i] == '\\' && glob[i + 1] != '\0')
			i++;
	}
	return strlen(glob);
}

static char *
unquoted(struct arena *arena, const char *glob, size_t length, struct cordon_error *err)
{
	char *path = arena_alloc(arena, length + 2, err);
	char *to = path;

	for (size_t i = 0; path != NULL && i < length; i++) {
		if (glob[i] == '\\' && i + 1 < length)
			i++;
		*to++ = glob[i];
	}
	return path;
}

/*
 * "/a/\*" names a file literally. A grant of it is a path rule; a deny keeps its order among
 * patterns.
 */
static bool
is_quoted_name(const struct planned_rule *rule)
{
	return rule->effect == EFFECT_ALLOW && strchr(rule->path, '\\') != NULL &&
	       plain_length(rule->path) == strlen(rule->path);
}

static int
quote_root(struct plan *plan, const char *root, const char *rest, const char **ret_glob,
	   struct cordon_error *err)
{
	auto_str struct str text = {0};

	glob_quote(strcmp(root, "/") == 0 ? "" : root, &text);
	str_add(&text, rest);
	*ret_glob = text.failed ? NULL : arena_strdup(&plan->index.arena, text.text, err);
	return *ret_glob == NULL ? cordon_no_memory(err) : 0;
}

/* Resolves the root of a rule; sets `written` only if it differs. */
static int
resolve_root(struct plan *plan, struct planned_rule *planned, const char *root,
	     struct cordon_error *err)
{
	struct resolved resolved;
	int rc = resolve_rule(plan, planned->rule, root, &resolved, err);

	if (rc < 0)
		return rc;
	planned->root = resolved.path;
	planned->written = strcmp(root, resolved.path) == 0 ? NULL : root;
	planned->exists = resolved.exists;
	planned->is_folder = resolved.kind == FS_DIR;
	return 0;
}

/*
 * A deny applies to the file and so to every name that mounts give it. If a part of a denied tree
 * is mounted elsewhere, a rule that names the mount point is deliberate: there the deny is only as
 * strong as a profile's.
 */
static int
add_other_names(struct plan *plan, const struct planned_rule *like, struct cordon_error *err)
{
	const struct mount *from =
		like->effect == EFFECT_DENY ? mounts_of(&plan->mounts, like->root) : NULL;
	bool is_glob = like->match == MATCH_GLOB, is_above;
	int rc = 0;

	for (size_t i = 0; rc == 0 && from != NULL && i < plan->mounts.count; i++) {
		struct planned_rule planned = *like;

		rc = mounts_other_name(&plan->index.arena, &plan->mounts, from,
				       &plan->mounts.list[i], like->root, &planned.root, &is_above,
				       err);
		if (rc < 0 || planned.root == NULL || (is_above && like->match != MATCH_SUBPATH))
			continue;
		if (is_above && planned.layer > LAYER_PROFILE)
			planned.layer = LAYER_PROFILE;
		planned.path = planned.root;
		planned.written = NULL;
		planned.is_alias = true;
		if (is_glob)
			rc = quote_root(plan, planned.root, like->path + plain_length(like->path),
					&planned.path, err);
		if (rc == 0)
			rc = index_add(&plan->index, &planned, err);
	}
	return rc;
}

/*
 * Adds a pattern for a path with a second name. If the pattern matches that name itself, and so
 * everything there, the deny becomes a path rule, which a rule naming the path can override.
 */
static int
add_twin(struct plan *plan, const struct planned_rule *like, const struct mount_twin *twin,
	 bool is_whole, struct cordon_error *err)
{
	struct planned_rule planned = *like;

	planned.root = twin->at;
	planned.is_alias = true;
	if (is_whole) {
		planned.path = twin->at;
		planned.match = MATCH_SUBPATH;
		if (planned.layer > LAYER_PROFILE)
			planned.layer = LAYER_PROFILE;
	} else {
		planned.alias_of = twin->behind;
	}
	return index_add(&plan->index, &planned, err);
}

/*
 * A deny by pattern also applies to second names: each path below its root that has one is matched
 * by it, too. A root with a second name has its own copy already.
 */
static int
add_pattern(struct plan *plan, const struct planned_rule *like, bool is_copied,
	    struct cordon_error *err)
{
	size_t own = plan->index.pattern_count;
	int rc = index_add(&plan->index, like, err);

	if (rc == 0 && like->effect == EFFECT_DENY && plan->mounts.count > 0)
		rc = mounts_find_twins(&plan->arena, &plan->mounts, err);
	for (size_t i = 0; rc == 0 && like->effect == EFFECT_DENY && i < plan->mounts.twin_count;
	     i++) {
		const struct mount_twin *twin = &plan->mounts.twins[i];

		if (path_below(twin->behind, like->root) &&
		    !(is_copied && strcmp(twin->behind, like->root) == 0))
			rc = add_twin(plan, like, twin,
				      like->match == MATCH_GLOB &&
					      index_matches(&plan->index.patterns[own],
							    twin->behind) > 0,
				      err);
	}
	return rc;
}

static int
add_glob(struct plan *plan, struct planned_rule *planned, struct cordon_error *err)
{
	size_t length = plain_length(planned->path);
	const char *plain;
	int rc;

	planned->root = "/";
	if (length > 0) {
		plain = unquoted(&plan->index.arena, planned->path, length, err);
		rc = plain == NULL ? -CORDON_E_MEMORY : resolve_root(plan, planned, plain, err);
		if (rc == 0 && planned->written != NULL)
			rc = quote_root(plan, planned->root, planned->path + length, &planned->path,
					err);
		if (rc == 0)
			rc = add_other_names(plan, planned, err);
		if (rc < 0)
			return rc;
	}
	rc = add_pattern(plan, planned, length > 0, err);
	return rc < 0 ? rc
		      : plan_add_matches(plan, &plan->index.patterns[plan->index.pattern_count - 1],
					 err);
}

static int
add_path(struct plan *plan, struct planned_rule *planned, struct cordon_error *err)
{
	int rc = resolve_root(plan, planned, planned->path, err);

	if (rc < 0)
		return rc;
	planned->path = planned->root;
	rc = add_other_names(plan, planned, err);
	return rc < 0 ? rc : index_add(&plan->index, planned, err);
}

/*
 * Denies each symbolic link in the path of a file of cordon's own: replacing a link replaces the
 * file at the next start.
 */
static int
add_way(struct plan *plan, const struct planned_rule *like, struct cordon_error *err)
{
	struct resolved way;
	int rc = resolve_rule(plan, like->rule, like->path, &way, err);

	for (size_t i = 0; rc == 0 && i < way.link_count; i++) {
		struct planned_rule planned = *like;

		planned.path = planned.root = way.links[i];
		planned.match = MATCH_SUBPATH;
		planned.rights = RIGHTS_CHANGE;
		planned.exists = true;
		rc = add_other_names(plan, &planned, err);
		if (rc == 0)
			rc = index_add(&plan->index, &planned, err);
	}
	return rc;
}

/* Adds the rule for the repository's git directories outside the project. */
static int
add_worktrees(struct plan *plan, const struct planned_rule *like, struct cordon_error *err)
{
	const struct git_dirs *git = &plan->host->git;
	const char *dirs[2] = {git->git_dir, git->common_dir};

	for (int i = 0; i < 2; i++) {
		struct planned_rule planned = *like;
		int rc;

		if (dirs[i] == NULL || (i == 1 && dirs[0] != NULL && strcmp(dirs[0], dirs[1]) == 0))
			continue;
		planned.path = dirs[i];
		planned.match = MATCH_SUBPATH;
		rc = add_path(plan, &planned, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

int
plan_add_rule(struct plan *plan, const struct rule *rule, enum layer layer,
	      struct cordon_error *err)
{
	struct planned_rule planned = {.effect = rule->effect,
				       .rights = rule->rights,
				       .match = rule->match,
				       .layer = layer,
				       .rule = rule,
				       .path = rule->path};
	int rc;

	if (rule->match == MATCH_REGEX) {
		planned.root = "/";
		return add_pattern(plan, &planned, false, err);
	}
	rc = expand_rule(plan, rule, &planned.path, err);
	if (rc < 0 || planned.path == NULL)
		return rc;
	if (rule->match == MATCH_GLOB && !is_quoted_name(&planned))
		return add_glob(plan, &planned, err);
	if (rule->match == MATCH_GLOB) {
		planned.match = MATCH_SUBPATH;
		planned.path =
			unquoted(&plan->index.arena, planned.path, strlen(planned.path), err);
		return planned.path == NULL ? -CORDON_E_MEMORY : add_path(plan, &planned, err);
	}
	rc = rule->worktrees ? add_worktrees(plan, &planned, err) : 0;
	if (rc == 0 && layer == LAYER_BUILTIN)
		rc = add_way(plan, &planned, err);
	return rc < 0 ? rc : add_path(plan, &planned, err);
}

bool
plan_rule_stands_out(const struct plan *plan, const char *path)
{
	size_t length = (size_t)(path_last(path) - path);
	char above[PATH_MAX];

	if (length < 2 || length > sizeof above)
		return false;
	memcpy(above, path, length);
	above[length - 1] = '\0';
	return (index_rights(&plan->index, path) & ~index_rights(&plan->index, above)) != 0;
}

bool
plan_rule_creates_dir(const struct plan *plan, const struct planned_rule *rule)
{
	size_t length = strlen(rule->rule->path);

	return rule->effect == EFFECT_ALLOW && rule->match == MATCH_SUBPATH && !rule->exists &&
	       rule->layer != LAYER_PROJECT && length > 0 && rule->rule->path[length - 1] == '/' &&
	       (index_rights(&plan->index, rule->path) & RIGHT_CREATE) &&
	       plan_rule_stands_out(plan, rule->path);
}

/* What an approved project names need not be on the machine of everyone who works on it. */
static bool
may_be_missing(const struct plan *plan, const struct planned_rule *rule)
{
	return rule->rule->optional || rule->rule->skips_missing ||
	       (rule->layer == LAYER_PROJECT && !path_below(rule->path, plan->host->project));
}

bool
plan_rule_is_absent(const struct plan *plan, const struct planned_rule *rule)
{
	return rule->effect == EFFECT_ALLOW && may_be_missing(plan, rule) && !rule->exists &&
	       rule->match != MATCH_GLOB && rule->match != MATCH_REGEX &&
	       plan_rule_stands_out(plan, rule->path) && !plan_rule_creates_dir(plan, rule);
}

/* ---- planted links ---- */

const char *
plan_planted_link(const struct plan *plan, const char *const *links, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (index_rights(&plan->index, links[i]) & (RIGHT_CREATE | RIGHT_DELETE))
			return links[i];
	return NULL;
}

/* A grant of a profile is dropped; a deny of a profile stays. */
static int
refuse_link(struct plan *plan, struct planned_rule *planned, const char *link,
	    struct cordon_error *err)
{
	char text[160];

	if (!planned->rule->optional) {
		snprintf(
			text, sizeof text,
			"leads through %.60s, a link in a folder the sandbox can change; name its target",
			link);
		return rule_error(planned->rule, text, err);
	}
	if (planned->effect == EFFECT_DENY)
		return 0;
	planned->rights = 0;
	return plan_notice(
		plan, err,
		"not granted: %s, because %s is a link in a folder the sandbox can change",
		planned->written, link);
}

/* A refused rule keeps its entry but loses its rights, since the index is in use. */
static int
check_links(struct plan *plan, struct planned_rule *rules, size_t count, struct cordon_error *err)
{
	for (size_t i = 0; i < count; i++) {
		struct planned_rule *planned = &rules[i];
		struct resolved resolved = {0};
		const char *link;
		int rc = 0;

		if (planned->written != NULL && planned->layer != LAYER_BUILTIN)
			rc = resolve_rule(plan, planned->rule, planned->written, &resolved, err);
		link = plan_planted_link(plan, resolved.links, resolved.link_count);
		if (rc == 0 && link != NULL)
			rc = refuse_link(plan, planned, link, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/*
 * A link inside a writable directory may have been planted by an earlier run: it would turn a grant
 * to another file, or a deny away from its own.
 */
int
plan_check_links(struct plan *plan, struct cordon_error *err)
{
	int rc = check_links(plan, plan->index.paths, plan->index.path_count, err);

	return rc < 0 ? rc
		      : check_links(plan, plan->index.patterns, plan->index.pattern_count, err);
}
