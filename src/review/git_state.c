// SPDX-License-Identifier: MIT
/*
 * Reads every changed file of a git directory, whatever its name: which ones git uses depends on
 * its version. Everything that looks like an object name goes into one query.
 */
#include "base/os.h"

#include "review/git_state.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/ascii.h"
#include "base/fd.h"
#include "base/path.h"
#include "base/str.h"
#include "review/ref_files.h"
#include "review/tree_diff.h"

#define LOGS_MAX 512	       /* read at the start */
#define LOGS_ROOM (1u << 20)   /* bytes */
#define FILES_MAX 100000       /* visited at the end */
#define FILES_ROOM (16u << 20) /* bytes read at the end */
#define NAMES_MAX 20000
#define DEPTH_MAX 16
#define SHORTEST 4 /* git accepts no shorter prefix */
#define LONGEST 64

/* Not read: packs, other repositories, large contents, and what new_refs.c reads. */
static const char *const others[] = {"objects", "modules", "lfs",	  "annex",
				     "refs",	"index",   "packed-refs", NULL};

struct state_walk {
	struct refs *refs;
	int64_t since; /* 0: read every file */
	int left;
	size_t room;
	size_t name;		/* offset in a path where names begin */
	bool is_unchanged;	/* no directory above was changed */
	struct gitstate *to;	/* NULL: only record texts */
	struct gitstate *known; /* names to skip; NULL: none */
	bool is_cut;
};

/* ---- names ---- */

static int
compare(const void *a, const void *b)
{
	const struct gitstate_name *one = a, *other = b;

	return strcmp(one->object, other->object);
}

static void
sort(struct gitstate *names)
{
	if (names->count > 0)
		qsort(names->items, names->count, sizeof *names->items, compare);
}

static bool
has_name(const struct gitstate *sorted, const struct gitstate_name *one)
{
	return sorted->count > 0 &&
	       bsearch(one, sorted->items, sorted->count, sizeof *sorted->items, compare) != NULL;
}

static int
add_name(struct state_walk *w, const char *file, const char *at, size_t length)
{
	struct arena *arena = &w->refs->arena;
	struct gitstate_name *slot, one = {file, NULL};
	char object[LONGEST + 1];

	for (size_t i = 0; i < length; i++)
		object[i] = ascii_lower(at[i]);
	object[length] = '\0';
	one.object = object;
	if (w->known != NULL && has_name(w->known, &one))
		return 0;
	if (w->known != NULL && w->to->count >= NAMES_MAX) {
		w->is_cut = true;
		return 0;
	}
	slot = arena_push(arena, &w->to->items, &w->to->count, sizeof *slot, NULL);
	one.object = arena_strdup(arena, object, NULL);
	if (slot == NULL || one.object == NULL)
		return -CORDON_E_MEMORY;
	*slot = one;
	return 0;
}

static int
add_names(struct state_walk *w, const char *file, const char *text, size_t length)
{
	const char *end = text + length;
	int rc = 0;

	for (const char *at = text; rc == 0 && at < end; at++) {
		const char *start = at;

		while (at < end && ascii_hex(*at) >= 0)
			at++;
		if (at - start >= SHORTEST && at - start <= LONGEST)
			rc = add_name(w, file, start, (size_t)(at - start));
	}
	return rc;
}

static void
leave_one_each(struct gitstate *names)
{
	size_t kept = 0;

	sort(names);
	for (size_t i = 0; i < names->count; i++)
		if (kept == 0 || compare(&names->items[kept - 1], &names->items[i]) != 0)
			names->items[kept++] = names->items[i];
	names->count = kept;
}

/* Filled only when a changed file is found: usually there is none. */
static int
find_known(struct state_walk *w)
{
	const struct refs *refs = w->refs;
	struct state_walk old = {.refs = w->refs, .to = w->known};
	int rc = 0;

	if (w->known->count > 0)
		return 0;
	for (size_t i = 0; rc == 0 && i < refs->log_count; i++)
		rc = add_names(&old, "", refs->logs[i].text, refs->logs[i].length);
	for (size_t i = 0; rc == 0 && i < refs->count; i++)
		rc = add_name(&old, "", refs->values[i], strlen(refs->values[i]));
	sort(w->known);
	return rc;
}

/* ---- files ---- */

static int
read_file(struct state_walk *w, const char *path, size_t size)
{
	struct refs *refs = w->refs;
	struct refs_text *slot;
	const char *file;
	size_t length;
	char *text;

	if (w->left-- <= 0 || size > w->room ||
	    fd_read_file(&refs->arena, path, w->room, &text, &length, NULL, NULL) < 0) {
		w->is_cut = true;
		return 0;
	}
	w->room -= length;
	if (w->to == NULL) {
		slot = arena_push(&refs->arena, &refs->logs, &refs->log_count, sizeof *slot, NULL);
		if (slot != NULL)
			*slot = (struct refs_text){text, length};
		return slot == NULL ? -CORDON_E_MEMORY : 0;
	}
	file = arena_strdup(&refs->arena, path + w->name, NULL);
	if (file == NULL || find_known(w) < 0)
		return -CORDON_E_MEMORY;
	return add_names(w, file, text, length);
}

static int walk_folder(struct state_walk *w, char path[PATH_MAX], int depth);

/* A file older than the run is unchanged, unless it moved here with its directory. */
static int
walk_entry(struct state_walk *w, char path[PATH_MAX], int depth)
{
	struct stat at;
	bool is_link, is_old, is_unchanged = w->is_unchanged;
	int rc;

	if (lstat(path, &at) < 0)
		return 0;
	is_link = S_ISLNK(at.st_mode);
	is_old = !is_link && ref_files_time(&at) < w->since;
	if (is_link && stat(path, &at) < 0)
		return 0;
	if (S_ISDIR(at.st_mode)) {
		w->is_unchanged = is_unchanged && is_old;
		rc = walk_folder(w, path, depth + 1);
		w->is_unchanged = is_unchanged;
		return rc;
	}
	if (w->to != NULL && str_starts(path_last(path), "sharedindex.")) {
		w->to->has_index = w->to->has_index || !is_old;
		return 0;
	}
	return !S_ISREG(at.st_mode) || (is_old && is_unchanged)
		       ? 0
		       : read_file(w, path, (size_t)at.st_size);
}

static bool
is_other(const struct state_walk *w, const char *path)
{
	const char *name = path + w->name;

	if (str_starts(name, "worktrees/") && strchr(name + strlen("worktrees/"), '/') != NULL)
		return strcmp(strchr(name + strlen("worktrees/"), '/'), "/index") == 0;
	for (size_t i = 0; others[i] != NULL; i++)
		if (strcmp(others[i], name) == 0)
			return true;
	return false;
}

static int
walk_folder(struct state_walk *w, char path[PATH_MAX], int depth)
{
	size_t length = strlen(path);
	DIR *dir = depth > DEPTH_MAX ? NULL : opendir(path);
	const struct dirent *entry;
	int rc = 0;

	w->is_cut = w->is_cut || (dir == NULL && errno != ENOENT);
	while (rc == 0 && dir != NULL && w->left > 0 && (entry = readdir(dir)) != NULL)
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
		    snprintf(path + length, PATH_MAX - length, "/%s", entry->d_name) <
			    (int)(PATH_MAX - length) &&
		    !is_other(w, path))
			rc = walk_entry(w, path, depth);
	if (dir != NULL)
		closedir(dir);
	path[length] = '\0';
	return rc;
}

static int
walk(struct state_walk *w, const char *folder, const char *below)
{
	char path[PATH_MAX];

	w->name = strlen(folder) + 1;
	w->is_unchanged = true;
	return snprintf(path, sizeof path, "%s%s", folder, below) >= PATH_MAX
		       ? 0
		       : walk_folder(w, path, 0);
}

void
git_state_record(struct refs *refs)
{
	struct state_walk w = {.refs = refs, .left = LOGS_MAX, .room = LOGS_ROOM};

	/* a text that is not recorded counts as new */
	walk(&w, refs->common_dir, "/logs");
	if (strcmp(refs->in.git_dir, refs->common_dir) != 0)
		walk(&w, refs->in.git_dir, "/logs");
}

int
git_state_find(struct refs *refs, struct gitstate *ret)
{
	struct gitstate known = {0};
	struct state_walk w = {.refs = refs,
			       .since = refs->started,
			       .left = FILES_MAX,
			       .room = FILES_ROOM,
			       .to = ret,
			       .known = &known};
	int rc = walk(&w, refs->common_dir, "");

	if (rc == 0 && !path_below(refs->in.git_dir, refs->common_dir))
		rc = walk(&w, refs->in.git_dir, "");
	leave_one_each(ret);
	ret->is_cut = w.is_cut || w.left <= 0;
	return rc;
}

/* ---- contents ---- */

int
git_state_look(const struct refs *refs, const struct git_run *in, const struct gitstate *state,
	       committed_fn *report, void *sink)
{
	auto_arena struct arena arena = {0};
	const char *base =
		arena_printf(&arena, NULL, "%s^{tree}", refs->head == NULL ? "" : refs->head);
	struct compared *pairs =
		state->count == 0 ? NULL : arena_alloc(&arena, state->count * sizeof *pairs, NULL);

	if (pairs == NULL || base == NULL)
		return state->count == 0;
	for (size_t i = 0; i < state->count; i++) {
		const char *tree = arena_printf(&arena, NULL, "%s^{tree}", state->items[i].object);

		if (tree == NULL)
			return 0;
		pairs[i] = (struct compared){base, tree, "", state->items[i].file};
	}
	return tree_diff_check(in, pairs, state->count, report, sink);
}
