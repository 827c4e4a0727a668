// SPDX-License-Identifier: MIT
/*
 * Decides profile grants of a shared directory: only regular files directly in it. The rule matches
 * children, so the index refuses deeper paths; the file type is checked here. Pure apart from that
 * lookup.
 */
#include "plan/shared_dirs.h"

#include <limits.h>
#include <string.h>

#include "base/path.h"
#include "host/fs_view.h"

static const char *const folders[] = {"/dev/shm", "/run/shm"};
#define FOLDER_COUNT (sizeof folders / sizeof folders[0])

bool
shared_dirs_is_one(const char *path)
{
	for (size_t i = 0; i < FOLDER_COUNT; i++)
		if (strcmp(folders[i], path) == 0)
			return true;
	return false;
}

bool
shared_dirs_cover(const char *path)
{
	for (size_t i = 0; i < FOLDER_COUNT; i++)
		if (path_below(path, folders[i]))
			return true;
	return false;
}

bool
shared_dirs_have_entry(const char *path)
{
	for (size_t i = 0; i < FOLDER_COUNT; i++) {
		size_t length = strlen(folders[i]);

		if (strncmp(path, folders[i], length) == 0 && path[length] == '/' &&
		    path[length + 1] != '\0' && strchr(path + length + 1, '/') == NULL)
			return true;
	}
	return false;
}

bool
plan_is_by_name(const struct plan *plan, const char *path)
{
	const struct index *index = &plan->index;

	if (!shared_dirs_cover(path) || (index->default_rights & RIGHTS_CHANGE))
		return false;
	for (size_t i = 0; i < index->path_count; i++)
		if (index->paths[i].effect == EFFECT_ALLOW && !index->paths[i].rule->optional &&
		    (index->paths[i].rights & RIGHTS_CHANGE) &&
		    path_below(path, index->paths[i].path))
			return false;
	return true;
}

static bool
grants_by_name(const struct planned_rule *rule)
{
	return rule != NULL && rule->effect == EFFECT_ALLOW && rule->match == MATCH_CHILD &&
	       rule->rule->optional && shared_dirs_is_one(rule->path);
}

/* Returns the rights that only such a rule grants. */
static unsigned
rights_by_name(const struct verdict *verdict)
{
	unsigned rights = 0;

	for (int i = 0; i < RIGHT_KINDS; i++)
		if (grants_by_name(verdict->by[i].rule))
			rights |= verdict->rights & 1u << i;
	return rights;
}

unsigned
plan_unshared(const struct plan *plan, const char *path, const struct verdict *verdict)
{
	unsigned rights = shared_dirs_have_entry(path) ? rights_by_name(verdict) : 0;

	if (rights == 0)
		return 0;
	switch (fs_kind_of(plan->host->view, path)) {
	case FS_MISSING:
	case FS_FILE:
		return 0;
	case FS_DIR:
		return rights;
	default:
		/* its name can be removed */
		return rights & (RIGHT_READ | RIGHT_WRITE);
	}
}

const char *
plan_shared_only(const struct plan *plan, const char *path, const struct verdict *verdict,
		 unsigned asked)
{
	unsigned rights = shared_dirs_have_entry(path) ? asked & rights_by_name(verdict) : 0;

	if ((rights & RIGHT_READ) && plan->routing != ROUTE_READS)
		return "only for opens that write as well, and as shm_open(3) opens for reading: "
		       "a plain open for reading is refused";
	return rights & RIGHT_CREATE ? "only as a regular file" : NULL;
}

void
plan_mark_absent_shared(struct plan *plan)
{
	struct index *index = &plan->index;

	if (plan->host->system != SYSTEM_LINUX || plan->routing != ROUTE_NOTHING)
		return;
	for (size_t i = 0; i < index->path_count; i++)
		if (grants_by_name(&index->paths[i]))
			index->paths[i].is_absent = true;
}
