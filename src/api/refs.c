// SPDX-License-Identifier: MIT
/* Refs as files: HEAD and its like, those below refs/, and packed-refs. Reads; git is asked about new ones. */
#include "base/compat.h"

#include "api/refs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/path.h"
#include "base/str.h"

#define AT_START 512	    /* loose refs that are read at the start */
#define AT_END 100000	    /* and in the end */
#define LOOKED_AT 32	    /* new values that git is asked about */
#define DEPTH_MAX 16	    /* folders in folders below refs/ */
#define REF_MAX 4096	    /* bytes of one */
#define CLOCK_STEP 20000000 /* nanoseconds by which times of files may be behind */
#define TOLD_MAX 1000	    /* paths */
#define TABLES "reftable/tables.list"
#define PACKED_AT_START (256u << 10)
#define PACKED_MAX (8u << 20)

/* A ref that was met. */
typedef int ref_fn(void *context, const char *name, const char *value);

struct reading {
	struct arena arena; /* of what is read, and not kept */
	const struct refs *refs;
	int left;
	int64_t since; /* what did not change after that is known; 0: nothing is */
	bool is_still; /* so are the folders up to refs/ */
	bool is_cut;   /* there are more, or deeper ones */
	ref_fn *met;
	void *context;
};

static int64_t
time_of(const struct stat *at)
{
	return at->COMPAT_CTIME.tv_sec * 1000000000ll + at->COMPAT_CTIME.tv_nsec;
}

static struct refs_signature
sign(const char *folder, const char *name)
{
	char path[PATH_MAX];
	struct stat at;

	if (snprintf(path, sizeof path, "%s/%s", folder, name) >= PATH_MAX || lstat(path, &at) < 0)
		return (struct refs_signature){0};
	return (struct refs_signature){(uint64_t)at.st_dev, (uint64_t)at.st_ino,
				       (uint64_t)at.st_size, time_of(&at)};
}

static bool
is_signed(const struct refs_signature *a, const struct refs_signature *b)
{
	return a->device == b->device && a->inode == b->inode && a->size == b->size &&
	       a->time == b->time;
}

/* The name of an object that text begins with, or NULL. */
static const char *
object_in(struct arena *arena, const char *text)
{
	size_t length = strspn(text, "0123456789abcdef");

	return length == 40 || length == 64 ? arena_strndup(arena, text, length, NULL) : NULL;
}

/* ---- loose ones ---- */

static int
read_loose(struct reading *r, const char *path, const char *name)
{
	char *text;
	size_t length;
	const char *value;

	if (r->left-- <= 0) {
		r->is_cut = true;
		return 0;
	}
	if (file_read(&r->arena, path, REF_MAX, &text, &length, NULL, NULL) < 0)
		return 0;
	value = object_in(&r->arena, text);
	return value == NULL ? 0 : r->met(r->context, name, value);
}

static int read_folder(struct reading *r, char path[PATH_MAX], size_t name, int depth);

/*
 * What is older than the run is as it was, unless it came with a folder that was moved here; then its value was
 * noted at the start or is new, as far as there was room for all.
 */
static int
read_entry(struct reading *r, char path[PATH_MAX], size_t name, int depth)
{
	struct stat at;
	bool is_old, is_still = r->is_still;
	int rc;

	if (lstat(path, &at) < 0)
		return 0;
	is_old = time_of(&at) < r->since;
	if (S_ISDIR(at.st_mode)) {
		r->is_still = is_still && is_old;
		rc = read_folder(r, path, name, depth + 1);
		r->is_still = is_still;
		return rc;
	}
	r->is_cut = r->is_cut || (is_old && !is_still && r->refs->is_cut);
	return is_old && (is_still || r->refs->is_cut) ? 0 : read_loose(r, path, path + name);
}

/* path is a folder; name is where the name of a ref begins in it. */
static int
read_folder(struct reading *r, char path[PATH_MAX], size_t name, int depth)
{
	size_t length = strlen(path);
	DIR *dir = depth > DEPTH_MAX ? NULL : opendir(path);
	const struct dirent *entry;
	int rc = 0;

	r->is_cut = r->is_cut || (dir == NULL && errno != ENOENT);
	while (rc == 0 && dir != NULL && r->left > 0 && (entry = readdir(dir)) != NULL)
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
		    snprintf(path + length, PATH_MAX - length, "/%s", entry->d_name) <
			    (int)(PATH_MAX - length))
			rc = read_entry(r, path, name, depth);
	r->is_cut = r->is_cut || r->left <= 0;
	if (dir != NULL)
		closedir(dir);
	path[length] = '\0';
	return rc;
}

/* From refs/ on; the folder itself counts, too. */
static int
read_below(struct reading *r, const char *folder)
{
	char path[PATH_MAX];
	struct stat at;

	if (snprintf(path, sizeof path, "%s/refs", folder) >= PATH_MAX || lstat(path, &at) < 0)
		return 0;
	r->is_still = time_of(&at) < r->since;
	return read_folder(r, path, strlen(folder) + 1, 0);
}

/* HEAD, ORIG_HEAD and whatever else git notes a commit in; name is where their names begin in folder/. */
static int
read_heads(struct reading *r, const char *folder, size_t name)
{
	DIR *dir = opendir(folder);
	const struct dirent *entry;
	char path[PATH_MAX];
	int rc = 0;

	while (rc == 0 && dir != NULL && (entry = readdir(dir)) != NULL) {
		size_t length = strlen(entry->d_name);

		if (length >= 4 && strcmp(entry->d_name + length - 4, "HEAD") == 0 &&
		    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) < PATH_MAX)
			rc = read_loose(r, path, path + name);
	}
	if (dir != NULL)
		closedir(dir);
	return rc;
}

/* Git directories of linked worktrees, each with a HEAD and an index of its own. */
typedef int worktree_fn(void *context, const char *folder);

static int
each_worktree(const struct refs *refs, worktree_fn *met, void *context)
{
	char path[PATH_MAX];
	const struct dirent *entry;
	DIR *dir = snprintf(path, sizeof path, "%s/worktrees", refs->common_dir) < PATH_MAX
			   ? opendir(path)
			   : NULL;
	int rc = 0;

	while (rc == 0 && dir != NULL && (entry = readdir(dir)) != NULL)
		if (*entry->d_name != '.' && snprintf(path, sizeof path, "%s/worktrees/%s",
						      refs->common_dir, entry->d_name) < PATH_MAX)
			rc = met(context, path);
	if (dir != NULL)
		closedir(dir);
	return rc;
}

static int
read_worktree(void *context, const char *folder)
{
	struct reading *r = context;

	return read_heads(r, folder, strlen(r->refs->common_dir) + 1);
}

/* Every value but those that are packed; HEAD first. */
static int
read_refs(struct reading *r)
{
	const struct refs *refs = r->refs;
	int rc = read_heads(r, refs->in.git_dir, strlen(refs->in.git_dir) + 1);

	if (rc == 0)
		rc = each_worktree(refs, read_worktree, r);
	if (rc == 0)
		rc = read_below(r, refs->common_dir);
	return rc < 0 || strcmp(refs->in.git_dir, refs->common_dir) == 0
		       ? rc
		       : read_below(r, refs->in.git_dir);
}

/* ---- the start ---- */

static int
note_value(void *context, const char *name, const char *value)
{
	struct refs *refs = context;
	const char **slot =
		arena_push(&refs->arena, &refs->values, &refs->count, sizeof *slot, NULL);

	(void)name;
	if (slot == NULL)
		return -CORDON_E_MEMORY;
	*slot = arena_strdup(&refs->arena, value, NULL);
	return *slot == NULL ? -CORDON_E_MEMORY : 0;
}

static char *
read_packed(struct refs *refs, size_t max)
{
	const char *path = path_join(&refs->arena, refs->common_dir, "packed-refs", NULL);
	size_t length;
	char *text;

	return path != NULL && file_read(&refs->arena, path, max, &text, &length, NULL, NULL) == 0
		       ? text
		       : NULL;
}

/* The folder that a linked worktree shares with others. */
static const char *
find_common(struct refs *refs, const struct plan *plan)
{
	const struct gitdirs *git = &plan->host->git;

	return git->git_dir != NULL && git->common_dir != NULL && refs->in.git_dir == git->git_dir
		       ? git->common_dir
		       : refs->in.git_dir;
}

void
refs_note(struct refs *refs, const struct plan *plan)
{
	struct reading r = {.refs = refs, .left = AT_START, .met = note_value, .context = refs};
	struct timespec now = {0};

	*refs = (struct refs){0};
	if (gitread_open(&refs->arena, plan, &refs->in, NULL) < 0 || refs->in.git_dir == NULL) {
		refs->in.git_dir = NULL;
		return;
	}
	clock_gettime(CLOCK_REALTIME, &now);
	refs->started = now.tv_sec * 1000000000ll + now.tv_nsec - CLOCK_STEP;
	refs->common_dir = find_common(refs, plan);
	refs->index = sign(refs->in.git_dir, "index");
	refs->packed_refs = sign(refs->common_dir, "packed-refs");
	refs->tables = sign(refs->common_dir, TABLES);
	refs->packed = read_packed(refs, PACKED_AT_START);
	/* a value that is not noted counts as new */
	refs->is_cut = read_refs(&r) < 0 || r.is_cut;
	arena_free(&r.arena);
}

/* ---- the end ---- */

struct fresh {
	const char *name, *value;
};

struct ending {
	struct refs *refs;
	struct fresh *items;
	size_t count;
	unsigned more; /* that are not looked at */
	unsigned unread;
	changed_fn *tell;
	void *teller;
	bool has_index;	   /* one of a linked worktree changed */
	const char *name;  /* of the one that is being told */
	const char **told; /* paths, each once: by how many refs it comes does not matter */
	size_t told_count;
};

static bool
is_known(const struct refs *refs, const char *value)
{
	for (size_t i = 0; i < refs->count; i++)
		if (strcmp(refs->values[i], value) == 0)
			return true;
	return refs->packed != NULL && strstr(refs->packed, value) != NULL;
}

static int
meet(void *context, const char *name, const char *value)
{
	struct ending *e = context;
	struct fresh *slot;

	if (is_known(e->refs, value))
		return 0;
	for (size_t i = 0; i < e->count; i++)
		if (strcmp(e->items[i].value, value) == 0)
			return 0;
	if (e->count >= LOOKED_AT) {
		e->more++;
		return 0;
	}
	slot = arena_push(&e->refs->arena, &e->items, &e->count, sizeof *slot, NULL);
	if (slot == NULL)
		return -CORDON_E_MEMORY;
	*slot = (struct fresh){arena_strdup(&e->refs->arena, name, NULL),
			       arena_strdup(&e->refs->arena, value, NULL)};
	return slot->name == NULL || slot->value == NULL ? -CORDON_E_MEMORY : 0;
}

/* "OBJECT NAME", and "^OBJECT" for what a tag leads to. */
static int
meet_packed(struct ending *e)
{
	struct refs_signature now = sign(e->refs->common_dir, "packed-refs");
	const char *text;
	int rc = 0;

	if (is_signed(&now, &e->refs->packed_refs))
		return 0;
	text = read_packed(e->refs, PACKED_MAX);
	e->unread += text == NULL && now.size > 0;
	for (; rc == 0 && text != NULL && *text != '\0';
	     text += strcspn(text, "\n"), text += *text == '\n') {
		const char *value = object_in(&e->refs->arena, text);

		if (value != NULL)
			rc = meet(e,
				  arena_strndup(&e->refs->arena, text + strlen(value) + 1,
						strcspn(text + strlen(value) + 1, "\n"), NULL),
				  value);
	}
	return rc;
}

static bool
is_told(struct ending *e, const char *path)
{
	const char **slot;

	for (size_t i = 0; i < e->told_count; i++)
		if (strcmp(e->told[i], path) == 0)
			return true;
	slot = arena_push(&e->refs->arena, &e->told, &e->told_count, sizeof *slot, NULL);
	if (slot == NULL)
		return false;
	*slot = arena_strdup(&e->refs->arena, path, NULL);
	e->told_count -= *slot == NULL;
	return false;
}

static void
pass_on(void *teller, const struct committed *one)
{
	struct ending *e = teller;
	auto_str struct str reason = {0};

	str_printf(&reason, "%s; a checkout of %s brings it", one->reason,
		   e->name == NULL ? "the index" : e->name);
	if (!one->is_same && !reason.failed && e->told_count < TOLD_MAX && !is_told(e, one->path))
		e->tell(e->teller, &(struct change){e->name == NULL ? "staged" : "committed",
						    one->path, reason.text});
}

static void
look(struct ending *e, const char *name, const char *value)
{
	e->name = name;
	e->unread += committed_find(&e->refs->in, value, pass_on, e, NULL) != 1;
}

/* The index of a linked worktree, if it is younger than the run. */
static int
look_worktree(void *context, const char *folder)
{
	struct ending *e = context;
	struct refs_signature index = sign(folder, "index");
	struct gitread in = e->refs->in;

	in.git_dir = folder;
	e->name = NULL;
	if (index.size > 0 && index.time >= e->refs->started)
		e->unread += committed_find(&in, NULL, pass_on, e, NULL) != 1;
	return 0;
}

static int
meet_worktree(void *context, const char *folder)
{
	struct ending *e = context;
	struct refs_signature index = sign(folder, "index");

	e->has_index = e->has_index || (index.size > 0 && index.time >= e->refs->started);
	return 0;
}

/* What was too long for the start is the same if it was not changed. */
static void
find_packed(struct refs *refs)
{
	struct refs_signature now = sign(refs->common_dir, "packed-refs");

	if (refs->packed == NULL && is_signed(&now, &refs->packed_refs))
		refs->packed = read_packed(refs, PACKED_MAX);
}

const char *
refs_tell(struct refs *refs, changed_fn *tell, void *teller)
{
	struct ending e = {.refs = refs, .tell = tell, .teller = teller};
	struct reading r = {.refs = refs,
			    .left = AT_END,
			    .since = refs->started,
			    .met = meet,
			    .context = &e};
	struct refs_signature index, tables;
	int rc;

	if (refs->in.git_dir == NULL)
		return NULL;
	index = sign(refs->in.git_dir, "index");
	tables = sign(refs->common_dir, TABLES);
	/* this storage is not read here */
	e.unread = !is_signed(&tables, &refs->tables);
	find_packed(refs);
	rc = read_refs(&r);
	arena_free(&r.arena);
	if (rc == 0)
		rc = meet_packed(&e);
	each_worktree(refs, meet_worktree, &e);
	if (rc == 0 && e.count == 0 && e.unread == 0 && !r.is_cut && !e.has_index &&
	    is_signed(&index, &refs->index))
		return NULL;
	if (refs->in.program == NULL)
		return "there is no git to tell what changed refs would bring";
	gitread_limit(&refs->in);
	for (size_t i = 0; i < e.count; i++)
		look(&e, e.items[i].name, e.items[i].value);
	if (!is_signed(&index, &refs->index) && index.size > 0)
		look(&e, NULL, NULL);
	each_worktree(refs, look_worktree, &e);
	if (rc == 0 && e.more == 0 && e.unread == 0 && !r.is_cut)
		return NULL;
	return "not all changed refs could be looked at; `cordon check --ref REF` does";
}

void
refs_forget(struct refs *refs)
{
	arena_free(&refs->arena);
	*refs = (struct refs){0};
}
