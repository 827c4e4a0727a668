// SPDX-License-Identifier: MIT
/*
 * The table of names that were touched. A command that touches many of them must not hide the one
 * that counts: when all places are taken, a name near the root takes that of one further down, a
 * name that is one of a kind that of one of many, and a file that was there that of one that was not.
 */
#include "base/compat.h"

#include "audit/changed.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "audit/later.h"
#include "base/hash.h"

int
changed_new(struct changed **ret_changed, struct cordon_error *err)
{
	struct changed *changed = mmap(NULL, sizeof *changed, PROT_READ | PROT_WRITE,
				       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (changed == MAP_FAILED)
		return cordon_no_memory(err);
	*ret_changed = changed;
	return 0;
}

struct changed *
changed_free(struct changed *changed)
{
	if (changed != NULL)
		munmap(changed, sizeof *changed);
	return NULL;
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
is_known(const struct changed *changed, const char *path)
{
	for (unsigned i = 0; i < changed->count; i++)
		if (strcmp(changed->files[i].path, path) == 0)
			return true;
	return false;
}

static unsigned
bit_of(const char *path)
{
	return (unsigned)(hash_text(path) % CHANGED_BITS);
}

static bool
is_counted(const struct changed *changed, const char *path)
{
	return changed->counted[bit_of(path) / 8] & 1u << bit_of(path) % 8;
}

/* Two of one hash count once. */
static void
count_more(struct changed *changed, const char *path)
{
	changed->more += !is_counted(changed, path);
	changed->counted[bit_of(path) / 8] |= (uint8_t)(1u << bit_of(path) % 8);
}

/* A free place, or the last of all, if its name is further down; NULL: there is none. */
static struct changed_file *
find_place(struct changed *changed, unsigned rank)
{
	struct changed_file *last = &changed->files[0];

	if (changed->count < CHANGED_MAX)
		return &changed->files[changed->count++];
	for (unsigned i = 1; i < CHANGED_MAX; i++)
		if (changed->files[i].rank > last->rank)
			last = &changed->files[i];
	if (last->rank <= rank)
		return NULL;
	count_more(changed, last->path);
	return last;
}

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

void
changed_note(struct changed *changed, const char *path, const struct stat *at)
{
	struct changed_file *to;
	unsigned rank;
	bool is_exact;

	if (later_find(path, &is_exact) == NULL || is_known(changed, path))
		return;
	rank = rank_of(path, is_exact, at != NULL);
	to = find_place(changed, rank);
	if (to == NULL) {
		count_more(changed, path);
		return;
	}
	*to = (struct changed_file){.was = kind_of(at), .rank = rank};
	snprintf(to->path, sizeof to->path, "%s", path);
	/* who was counted before may be another by now: what it is in the end is a change */
	if (at != NULL && !is_counted(changed, path)) {
		to->device = (uint64_t)at->st_dev;
		to->inode = (uint64_t)at->st_ino;
		to->time = time_of(at);
	}
}

/* ---- what became of them ---- */

/* Folders are not told: what is in them is. */
static const char *
compare(const struct changed_file *file)
{
	struct stat at;
	bool is_there = lstat(file->path, &at) == 0;

	if (kind_of(is_there ? &at : NULL) != CHANGED_FILE)
		return file->was == CHANGED_FILE ? "removed" : NULL;
	if (file->was != CHANGED_FILE)
		return "added";
	return (uint64_t)at.st_dev == file->device && (uint64_t)at.st_ino == file->inode &&
			       time_of(&at) == file->time
		       ? NULL
		       : "changed";
}

/* By rank, and those of one rank in the order in which they were noted. */
static const struct changed_file *
find_next(const struct changed *changed, unsigned *at)
{
	const struct changed_file *next = NULL;
	unsigned least = UINT_MAX;

	for (unsigned i = 0; i < changed->count && i < CHANGED_MAX; i++) {
		unsigned key = changed->files[i].rank * CHANGED_MAX + i;

		if (key < *at || key >= least)
			continue;
		least = key;
		next = &changed->files[i];
	}
	*at = least + 1;
	return next;
}

bool
changed_next(const struct changed *changed, unsigned *at, struct change *ret_change)
{
	const struct changed_file *file;
	const struct later *later;
	bool is_exact;

	while ((file = find_next(changed, at)) != NULL) {
		const char *what = compare(file);

		later = later_find(file->path, &is_exact);
		if (what == NULL || later == NULL)
			continue;
		*ret_change = (struct change){what, file->path, later->reason};
		return true;
	}
	return false;
}
