// SPDX-License-Identifier: MIT
/*
 * Finds two sets of directories that no rule names: parents of granted paths, which programs stat on the
 * way, and directories that must not be moved, or a deny below them would lose its effect.
 */
#include "macos/sbpl/ancestors.h"

#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "host/resolve.h"
#include "macos/sbpl/glob_regex.h"
#include "macos/sbpl/tables.h"
#include "plan/pattern_dirs.h"

struct paths {
	const char **items;
	size_t count;
};

struct ancestors_build {
	struct filters *in;
	const struct plan *plan;
	const struct sbpl_rules *lines;
	struct cordon_error *err;
};

/* ---- lists of paths ---- */

static int
push_path(struct ancestors_build *m, struct paths *to, const char *path)
{
	const char **slot;

	slot = arena_push(m->in->arena, &to->items, &to->count, sizeof *slot, m->err);
	if (slot == NULL || path == NULL)
		return -CORDON_E_MEMORY;
	*slot = path;
	return 0;
}

/* Adds every directory above path. */
static int
push_ancestors(struct ancestors_build *m, struct paths *to, const char *path)
{
	int rc = 0;

	while (rc == 0 && strcmp(path, "/") != 0) {
		path = path_parent(m->in->arena, path, m->err);
		rc = path == NULL ? -CORDON_E_MEMORY : push_path(m, to, path);
	}
	return rc;
}

static int
push_filter(struct ancestors_build *m, struct paths *to, const struct filter *filter)
{
	int rc = 0;

	if (filter->kind == FILTER_SUBPATH || filter->kind == FILTER_LITERAL)
		return push_ancestors(m, to, filter->value);
	if (filter->kind == FILTER_REGEX) {
		rc = push_path(m, to, filter->root);
		return rc < 0 ? rc : push_ancestors(m, to, filter->root);
	}
	if (filter->kind == FILTER_ANY || filter->kind == FILTER_ALL)
		for (size_t i = 0; rc == 0 && i < filter->count; i++)
			rc = push_filter(m, to, filter->parts[i]);
	return rc;
}

/* A process follows a symbolic link only if it may stat it. */
static int
push_links(struct ancestors_build *m, struct paths *to, const struct planned_rule *rules,
	   size_t count)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < count; i++) {
		struct resolved resolved = {0};

		if (rules[i].written == NULL || rules[i].effect != EFFECT_ALLOW ||
		    rules[i].rights == 0)
			continue;
		rc = resolve_path(m->in->arena, m->plan->host->view, rules[i].written, &resolved,
				  m->err);
		for (size_t k = 0; rc == 0 && k < resolved.link_count; k++) {
			rc = push_path(m, to, resolved.links[k]);
			if (rc == 0)
				rc = push_ancestors(m, to, resolved.links[k]);
		}
	}
	return rc;
}

static int
by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void
sort_paths(struct paths *paths)
{
	size_t kept = 0;

	if (paths->count > 1)
		qsort(paths->items, paths->count, sizeof paths->items[0], by_text);
	for (size_t i = 0; i < paths->count; i++)
		if (kept == 0 || strcmp(paths->items[kept - 1], paths->items[i]) != 0)
			paths->items[kept++] = paths->items[i];
	paths->count = kept;
}

/* Not where reading is allowed anyway, nor where a rule forbids it. */
static bool
wants_metadata(const struct ancestors_build *m, const char *path)
{
	struct verdict verdict = index_decide(&m->plan->index, path);
	const struct planned_rule *rule = verdict.by[0].rule;

	return !(verdict.rights & RIGHT_READ) && !sbpl_rules_is_dead_path(path) &&
	       (rule == NULL || rule->effect == EFFECT_ALLOW);
}

static int
collect_ancestors(struct ancestors_build *m, struct paths *to)
{
	const struct index *index = &m->plan->index;
	int rc = 0;

	for (size_t i = 0; rc == 0 && table_links[i] != NULL; i++)
		rc = push_path(m, to, table_links[i]);
	for (size_t i = 0; rc == 0 && i < m->lines->count; i++)
		if (m->lines->items[i].effect == EFFECT_ALLOW)
			rc = push_filter(m, to, m->lines->items[i].filter);
	for (size_t i = 0; rc == 0 && i < m->plan->socket_count; i++)
		rc = push_ancestors(m, to, m->plan->sockets[i].path);
	if (rc == 0)
		rc = push_links(m, to, index->paths, index->path_count);
	return rc < 0 ? rc : push_links(m, to, index->patterns, index->pattern_count);
}

/* Selects paths by a test, as literal filters. */
static int
pick(struct ancestors_build *m, const struct paths *from,
     bool (*test)(const struct ancestors_build *, const char *), struct filter_list *to)
{
	for (size_t i = 0; i < from->count; i++)
		if (test(m, from->items[i]))
			path_filter_push(m->in, to, path_filter_literal(m->in, from->items[i]));
	return m->in->failed ? cordon_no_memory(m->err) : 0;
}

int
ancestors_on_path(struct filters *in, const struct plan *plan, const struct sbpl_rules *lines,
		  const struct filter **ret, struct cordon_error *err)
{
	struct ancestors_build m = {in, plan, lines, err};
	struct filter_list parts = {0};
	struct paths all = {0};
	int rc = collect_ancestors(&m, &all);

	sort_paths(&all);
	if (rc == 0)
		rc = pick(&m, &all, wants_metadata, &parts);
	if (rc == 0)
		*ret = path_filter_any_of(in, parts.items, parts.count);
	return rc;
}

/* ---- directories that must stay ---- */

static bool
can_be_deleted(const struct ancestors_build *m, const char *path)
{
	return (index_decide(&m->plan->index, path).rights & RIGHT_DELETE) != 0;
}

/* Directories above a deny: the deny would stay behind if they moved. */
static int
collect_held(struct ancestors_build *m, struct paths *to)
{
	const struct index *index = &m->plan->index;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < index->path_count; i++)
		if (index->paths[i].effect == EFFECT_DENY && index->paths[i].rights != 0)
			rc = push_ancestors(m, to, index->paths[i].path);
	sort_paths(to);
	return rc;
}

int
ancestors_unmovable(struct filters *in, const struct plan *plan, const struct filter **ret,
		    struct cordon_error *err)
{
	struct ancestors_build m = {in, plan, NULL, err};
	struct filter_list parts = {0};
	struct paths above = {0};
	struct pattern_dirs dirs = {0};
	int rc = collect_held(&m, &above);

	if (rc == 0)
		rc = pick(&m, &above, can_be_deleted, &parts);
	if (rc == 0)
		rc = pattern_dirs_make(in->arena, plan, &dirs, err);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < dirs.count; i++) {
		const struct pattern_dir *dir = &dirs.items[i];
		enum pattern_end end = dir->below ? PATTERN_BELOW : PATTERN_HERE;

		path_filter_push(in, &parts, glob_regex_glob(in, dir->glob, end, dir->nocase));
	}
	*ret = path_filter_all(in, &filter_folder,
			       path_filter_any_of(in, parts.items, parts.count));
	return 0;
}
