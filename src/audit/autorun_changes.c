// SPDX-License-Identifier: MIT
/*
 * The table of autorun files that a session touched. A flood of names must not hide the important ones.
 * Entries that were created and removed again are dropped first, then removed ones. In a full table a name
 * near the root replaces a deeper one, a rare name a frequent one, and an existing file a new one; every
 * dropped entry is counted.
 */
#include "base/os.h"

#include "audit/autorun_changes.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "audit/autorun_names.h"
#include "base/arena.h"
#include "base/hash.h"

int
autorun_changes_new(struct autorun_changes **ret_changed, struct cordon_error *err)
{
	struct autorun_changes *changed = mmap(NULL, sizeof *changed, PROT_READ | PROT_WRITE,
					       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (changed == MAP_FAILED)
		return cordon_no_memory(err);
	*ret_changed = changed;
	return 0;
}

struct autorun_changes *
autorun_changes_free(struct autorun_changes *changed)
{
	if (changed != NULL)
		munmap(changed, sizeof *changed);
	return NULL;
}

/* ---- what happened to a file ---- */

static enum changed_kind
kind_of(const struct stat *at)
{
	if (at == NULL)
		return CHANGED_NOTHING;
	return S_ISDIR(at->st_mode) ? CHANGED_FOLDER : CHANGED_FILE;
}

static int64_t
time_of(const struct stat *at)
{
	return at->COMPAT_CTIME.tv_sec * 1000000000ll + at->COMPAT_CTIME.tv_nsec;
}

enum result { IS_GONE, IS_SAME, IS_REMOVED, IS_ADDED, IS_CHANGED };
static const char *const result_names[] = {
	[IS_GONE] = NULL,     [IS_SAME] = NULL,		[IS_REMOVED] = "removed",
	[IS_ADDED] = "added", [IS_CHANGED] = "changed",
};

/* Directories are not reported, only files in them. */
static enum result
compare(const struct changed_file *file, const char *path)
{
	struct stat at;
	bool is_there = lstat(path, &at) == 0;

	if (kind_of(is_there ? &at : NULL) != CHANGED_FILE)
		return file->was == CHANGED_FILE ? IS_REMOVED : is_there ? IS_SAME : IS_GONE;
	if (file->was != CHANGED_FILE)
		return IS_ADDED;
	return (uint64_t)at.st_dev == file->device && (uint64_t)at.st_ino == file->inode &&
			       time_of(&at) == file->time
		       ? IS_SAME
		       : IS_CHANGED;
}

/* ---- finding ---- */

static unsigned
bit_of(const char *path)
{
	uint64_t hash = hash_text(path);

	return (unsigned)((hash ^ hash >> 32) % CHANGED_BITS);
}

static bool
is_counted(const struct autorun_changes *changed, const char *path)
{
	return changed->counted[bit_of(path) / 8] & 1u << bit_of(path) % 8;
}

/* Two paths with one hash count once. */
static void
count_more(struct autorun_changes *changed, const char *path)
{
	changed->more += !is_counted(changed, path);
	changed->counted[bit_of(path) / 8] |= (uint8_t)(1u << bit_of(path) % 8);
}

static const char *
path_of(const struct autorun_changes *changed, unsigned file)
{
	return changed->texts + changed->files[file].text;
}

/* Returns the slot where a path is or would be listed; half of the slots stay free. */
static uint16_t *
find_slot(struct autorun_changes *changed, const char *path)
{
	size_t at = hash_text(path) % CHANGED_SLOTS;

	while (changed->slots[at] != 0 &&
	       strcmp(path_of(changed, changed->slots[at] - 1u), path) != 0)
		at = (at + 1) % CHANGED_SLOTS;
	return &changed->slots[at];
}

static void
list_all(struct autorun_changes *changed)
{
	memset(changed->slots, 0, sizeof changed->slots);
	for (unsigned i = 0; i < changed->count; i++)
		*find_slot(changed, path_of(changed, i)) = (uint16_t)(i + 1);
}

/* ---- making room ---- */

/* Drops entries and keeps the texts in the order of the entries. */
static void
drop(struct autorun_changes *changed, const bool is_dropped[CHANGED_MAX])
{
	unsigned count = 0, used = 0;

	for (unsigned i = 0; i < changed->count; i++) {
		size_t size = strlen(path_of(changed, i)) + 1;

		if (is_dropped[i])
			continue;
		memmove(changed->texts + used, path_of(changed, i), size);
		changed->files[count] = changed->files[i];
		changed->files[count++].text = used;
		used += (unsigned)size;
	}
	changed->count = count;
	changed->used = used;
	list_all(changed);
}

static bool
is_crowded(unsigned count, size_t used)
{
	return count >= CHANGED_MAX / 4 * 3 || used >= CHANGED_TEXT / 4 * 3;
}

/* Removed files are reported if there is room, but give way to existing ones. */
static void
drop_removed(struct autorun_changes *changed)
{
	bool is_dropped[CHANGED_MAX] = {false};

	for (unsigned i = 0; i < changed->count; i++) {
		is_dropped[i] = compare(&changed->files[i], path_of(changed, i)) == IS_REMOVED;
		if (is_dropped[i])
			count_more(changed, path_of(changed, i));
	}
	drop(changed, is_dropped);
}

void
autorun_changes_tidy(struct autorun_changes *changed)
{
	bool is_dropped[CHANGED_MAX] = {false};

	for (unsigned i = 0; i < changed->count; i++)
		is_dropped[i] = compare(&changed->files[i], path_of(changed, i)) == IS_GONE;
	drop(changed, is_dropped);
	if (is_crowded(changed->count, changed->used))
		drop_removed(changed);
	changed->fresh = 0;
	changed->is_crowded = false;
}

/* Drops the first of the deepest entries; false if none is deeper than rank. */
static bool
drop_last(struct autorun_changes *changed, unsigned rank)
{
	bool is_dropped[CHANGED_MAX] = {false};
	unsigned last = 0;

	if (changed->count == 0 || changed->highest <= rank)
		return false;
	for (unsigned i = 1; i < changed->count; i++)
		if (changed->files[i].rank > changed->files[last].rank)
			last = i;
	changed->highest = changed->files[last].rank;
	if (changed->highest <= rank)
		return false;
	count_more(changed, path_of(changed, last));
	is_dropped[last] = true;
	drop(changed, is_dropped);
	return true;
}

/* ---- noting ---- */

static unsigned
rank_of(const char *path, bool is_exact, bool was_there)
{
	unsigned depth = 0;

	for (const char *at = path; *at != '\0'; at++)
		depth += *at == '/';
	return depth * 4 + (is_exact ? 0 : 2) + (was_there ? 0 : 1);
}

static bool
has_room(const struct autorun_changes *changed, size_t size)
{
	return changed->count < CHANGED_MAX && changed->used + size <= CHANGED_TEXT;
}

static void
add(struct autorun_changes *changed, const char *path, const struct stat *at, unsigned rank)
{
	struct changed_file *to = &changed->files[changed->count];
	size_t size = strlen(path) + 1;

	*to = (struct changed_file){.text = changed->used,
				    .rank = (uint16_t)rank,
				    .was = (uint8_t)kind_of(at)};
	memcpy(changed->texts + changed->used, path, size);
	changed->used += (unsigned)size;
	changed->highest = rank > changed->highest ? rank : changed->highest;
	*find_slot(changed, path) = (uint16_t)++changed->count;
	/* a path that was counted and not listed may have changed since: then no previous state is known */
	if (at != NULL && !is_counted(changed, path)) {
		to->device = (uint64_t)at->st_dev;
		to->inode = (uint64_t)at->st_ino;
		to->time = time_of(at);
	}
}

void
autorun_changes_note(struct autorun_changes *changed, const char *path, const struct stat *at)
{
	size_t size = strlen(path) + 1;
	unsigned rank;
	bool is_exact;

	if (autorun_names_find(path, &is_exact) == NULL || *find_slot(changed, path) != 0)
		return;
	rank = rank_of(path, is_exact, at != NULL);
	while (!has_room(changed, size) && drop_last(changed, rank))
		;
	if (has_room(changed, size))
		add(changed, path, at, rank);
	else
		count_more(changed, path);
	/* scan all entries only once in so many notes */
	if (++changed->fresh >= CHANGED_MAX / 4)
		changed->is_crowded = is_crowded(changed->count, changed->used);
}

/* ---- result ---- */

struct outcome {
	unsigned file;
	unsigned key; /* sorted in ascending order */
	enum result result;
};

static int
by_key(const void *a, const void *b)
{
	const struct outcome *left = a, *right = b;

	if (left->key != right->key)
		return left->key < right->key ? -1 : 1;
	return left->file < right->file ? -1 : left->file > right->file;
}

static unsigned
find_outcomes(const struct autorun_changes *changed, struct outcome *to)
{
	unsigned count = 0;

	for (unsigned i = 0; i < changed->count && i < CHANGED_MAX; i++) {
		enum result result = compare(&changed->files[i], path_of(changed, i));

		if (result_names[result] != NULL)
			to[count++] = (struct outcome){
				i, changed->files[i].rank + (result == IS_REMOVED ? 1u << 16 : 0),
				result};
	}
	qsort(to, count, sizeof *to, by_key);
	return count;
}

unsigned
autorun_changes_tell(const struct autorun_changes *changed, unsigned max, changed_fn *tell,
		     void *sink)
{
	auto_free struct outcome *outcomes = NULL;
	unsigned count;
	bool is_exact;

	if (changed->count == 0)
		return changed->more;
	outcomes = malloc(CHANGED_MAX * sizeof *outcomes);
	if (outcomes == NULL)
		return changed->count + changed->more;
	count = find_outcomes(changed, outcomes);
	for (unsigned i = 0; i < count && i < max; i++) {
		const char *path = path_of(changed, outcomes[i].file);
		const struct later *later = autorun_names_find(path, &is_exact);

		tell(sink, &(struct autorun_change){result_names[outcomes[i].result], path,
						    later == NULL ? "" : later->reason, false});
	}
	return changed->more + (count > max ? count - max : 0);
}
