// SPDX-License-Identifier: MIT
/*
 * Selects denies of execution that are enforced entry by entry, and computes what the layers grant.
 * Their number is limited: to deny hundreds of programs, grant the others instead.
 */
#include "plan/exec_rules.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/path.h"

#define BOTH (RIGHT_EXECUTE | RIGHT_CREATE)
/* execve opens the file for reading, which Landlock checks, too */
#define RUN (RIGHT_READ | RIGHT_EXECUTE)

static unsigned
run_of(unsigned rights)
{
	return (rights & RUN) == RUN ? RIGHT_EXECUTE : 0u;
}

/* Rights of a new entry of this directory. */
static unsigned
decide_new(const struct plan *plan, const char *folder)
{
	char new[PATH_MAX + 4];

	snprintf(new, sizeof new, "%s/\001", folder);
	return index_rights(&plan->index, new);
}

/* Is something beside it executable, and can nothing executable be created in its directories? */
static bool
can_be_listed(const struct plan *plan, const struct planned_rule *rule)
{
	char above[PATH_MAX];
	bool is_run = false;
	unsigned rights;

	if ((rule->match != MATCH_SUBPATH && rule->match != MATCH_LITERAL) ||
	    snprintf(above, sizeof above, "%s", rule->path) >= (int)sizeof above ||
	    strcmp(above, "/") == 0)
		return false;
	do {
		*strrchr(above, '/') = '\0';
		rights = decide_new(plan, above);
		if ((rights & BOTH) == BOTH)
			return false;
		is_run = is_run || (rights & RIGHT_EXECUTE);
	} while (*above != '\0');
	return is_run;
}

void
exec_rules_list(struct plan *plan)
{
	const struct index *index = &plan->index;

	plan->listed_count = 0;
	for (size_t i = 0; i < index->path_count && plan->listed_count < LISTED_MAX; i++) {
		const struct planned_rule *rule = &index->paths[i];

		if (rule->effect == EFFECT_DENY && (rule->rights & RUN) &&
		    (index_rights(index, rule->path) & RUN) != RUN && can_be_listed(plan, rule))
			plan->listed[plan->listed_count++] = rule;
	}
}

bool
exec_rules_is_listed(const struct plan *plan, const struct planned_rule *rule)
{
	for (size_t i = 0; i < plan->listed_count; i++)
		if (plan->listed[i] == rule)
			return true;
	return false;
}

bool
exec_rules_has_inside(const struct plan *plan, const char *folder)
{
	for (size_t i = 0; i < plan->listed_count; i++)
		if (path_below(plan->listed[i]->path, folder) &&
		    strcmp(plan->listed[i]->path, folder) != 0)
			return true;
	return false;
}

/* ---- grants of the layers ---- */

/* A rule on a directory grants only the rights that every new entry below it has, too. */
static unsigned
granted_at(const struct plan *plan, const char *path, bool is_folder)
{
	struct tree_rights tree_rights = index_tree_rights(&plan->index, path);

	return is_folder ? tree_rights.self & tree_rights.child & tree_rights.descendant
			 : tree_rights.self;
}

/* The entry of folder that is path or contains it. */
static void
entry_on_way(const char *folder, const char *path, char entry[PATH_MAX])
{
	size_t length = strcmp(folder, "/") == 0 ? 0 : strlen(folder);

	length += 1 + strcspn(path + length + 1, "/");
	snprintf(entry, PATH_MAX, "%.*s", (int)length, path);
}

/* Is it a second name of a denied file? In listed directories that is not granted either. */
static bool
is_denied_file(const struct plan *plan, const char *path)
{
	const struct fs_view *view = plan->host->view;

	for (size_t i = 0; view->same != NULL && i < plan->listed_count; i++)
		if (view->same(view->ctx, path, plan->listed[i]->path))
			return true;
	return false;
}

/* Like linux/landlock/rules_exec.c for a directory with a denied program in it. */
static unsigned
granted_listed(const struct plan *plan, const char *folder, const char *path)
{
	char at[PATH_MAX], entry[PATH_MAX];
	enum fs_kind kind;

	snprintf(at, sizeof at, "%s", folder);
	while (strcmp(at, path) != 0) {
		entry_on_way(at, path, entry);
		kind = fs_kind_of(plan->host->view, entry);
		if (kind == FS_FILE)
			return is_denied_file(plan, entry) ? 0
							   : run_of(granted_at(plan, entry, false));
		if (kind != FS_DIR)
			return 0;
		if (!exec_rules_has_inside(plan, entry)) {
			struct tree_rights tree_rights = index_tree_rights(&plan->index, entry);

			return run_of(tree_rights.child & tree_rights.descendant);
		}
		strcpy(at, entry);
	}
	return 0;
}

static unsigned
granted_by_folder(const struct plan *plan, const char *folder, const char *path)
{
	unsigned tree = granted_at(plan, folder, true);

	if (!(tree & RIGHT_EXECUTE) || !exec_rules_has_inside(plan, folder))
		return tree;
	return (tree & ~(unsigned)RIGHT_EXECUTE) | granted_listed(plan, folder, path);
}

/* A rule about the entries of a directory grants each existing entry separately. */
static unsigned
granted_by_entry(const struct plan *plan, const struct planned_rule *rule, const char *path)
{
	char entry[PATH_MAX];
	enum fs_kind kind;

	if (rule->match != MATCH_CHILD || strcmp(path, rule->path) == 0)
		return 0;
	entry_on_way(rule->path, path, entry);
	kind = fs_kind_of(plan->host->view, entry);
	if (kind != FS_DIR && (kind != FS_FILE || strcmp(entry, path) != 0))
		return 0;
	return granted_at(plan, entry, kind == FS_DIR);
}

static unsigned
granted_by(const struct plan *plan, const struct planned_rule *rule, const char *path)
{
	if (rule->effect != EFFECT_ALLOW || rule->rights == 0 || rule->is_absent || !rule->exists ||
	    !path_below(path, rule->path))
		return 0;
	if (!rule->is_folder)
		return strcmp(path, rule->path) == 0 ? granted_at(plan, path, false) : 0;
	return granted_by_folder(plan, rule->path, path) | granted_by_entry(plan, rule, path);
}

bool
exec_rules_is_granted(const struct plan *plan, const char *path)
{
	const struct index *index = &plan->index;
	unsigned granted = index->default_rights == 0 ? 0 : granted_by_folder(plan, "/", path);

	for (size_t i = 0; (granted & RUN) != RUN && i < index->path_count; i++)
		granted |= granted_by(plan, &index->paths[i], path);
	return (granted & RUN) == RUN;
}
