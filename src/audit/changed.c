// SPDX-License-Identifier: MIT
/*
 * The table of names that were touched. A command that touches many of them must not hide the one
 * that counts: when all places are taken, a name near the root takes that of one further down, and
 * a name that is one of a kind that of one of many.
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
rank_of(const char *path, bool is_exact)
{
	unsigned depth = 0;

	for (const char *at = path; *at != '\0'; at++)
		depth += *at == '/';
	return depth * 2 + !is_exact;
}

static bool
is_known(const struct changed *changed, const char *path)
{
	for (unsigned i = 0; i < changed->count; i++)
		if (strcmp(changed->files[i].path, path) == 0)
			return true;
	return false;
}

/* Two of one hash count once. */
static void
count_more(struct changed *changed, const char *path)
{
	unsigned bit = (unsigned)(hash_text(path) % CHANGED_BITS);
	uint8_t mask = (uint8_t)(1u << bit % 8);

	if (!(changed->counted[bit / 8] & mask))
		changed->more++;
	changed->counted[bit / 8] |= mask;
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
	rank = rank_of(path, is_exact);
	to = find_place(changed, rank);
	if (to == NULL) {
		count_more(changed, path);
		return;
	}
	to->rank = rank;
	to->was = kind_of(at);
	to->device = at == NULL ? 0 : (uint64_t)at->st_dev;
	to->inode = at == NULL ? 0 : (uint64_t)at->st_ino;
	to->time = at == NULL ? 0 : time_of(at);
	snprintf(to->path, sizeof to->path, "%s", path);
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
