// SPDX-License-Identifier: MIT
/*
 * The names lock. Each thread locks ranges of the file by an fd of its own (names_file.c): the kernel
 * releases them with the last fd, so a session that dies blocks no other.
 */
#include "linux/broker/names_lock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/path.h"
#include "base/path_set.h"
#include "git/protect/git_repo_cache.h"
#include "linux/broker/call/names_file.h"
#include "linux/landlock/ruleset.h"

/* Longer than any wait for an answer. */
#define LENT_MS 2000
#define FDS_MIN 256

void
names_lock_start(struct names_lock *names)
{
	pthread_rwlock_init(&names->lock, NULL);
	pthread_mutex_init(&names->gate, NULL);
	pthread_cond_init(&names->freed, NULL);
	names->mounts.fd = -1;
}

/* With few fds, one thread locks at a time, and always everything. */
static bool
has_fds(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_max >= FDS_MIN;
}

void
names_lock_join(struct names_lock *names, int file)
{
	names->mounts.is_hidden = !has_fds();
	names->line_count =
		names_file_open(file, names->lines, names->mounts.is_hidden ? 1 : NAMES_LINES);
	names->state = names_file_map(file);
	names->last = names_range_whole();
	names->generation = 0;
}

void
names_lock_leave(struct names_lock *names)
{
	for (int i = 0; i < names->line_count; i++)
		close(names->lines[i]);
	names->line_count = 0;
	names_file_unmap(names->state);
	names->state = NULL;
	names_range_end(&names->mounts);
	free(names->even);
	names->even = NULL;
}

/* ---- which ranges ---- */

/* Length of the directory that stands for path: a longer one would let more sessions in at a time. */
static size_t
choose_folder(const struct names_lock *names, const char *path)
{
	const struct brokered_trees *trees = names->trees;
	size_t changes, reads;

	if (names->private_tmp != NULL && path_below(path, names->private_tmp))
		return strlen(names->private_tmp);
	changes = trees == NULL ? 0 : path_set_top(&trees->changes, path);
	reads = trees == NULL ? 0 : path_set_top(&trees->reads, path);
	if (changes == 0 || (reads > 0 && reads < changes))
		changes = reads;
	/* nothing is done there on behalf */
	if (changes == 0)
		changes = (size_t)(path_last(path) - path);
	return changes;
}

/* Requires the gate. */
static void
remember_even(struct names_lock *names, const char *path, size_t length,
	      const struct names_ranges *ranges)
{
	if (!names_range_is_even(&names->mounts, path, length))
		return;
	free(names->even);
	names->even = strndup(path, length);
	names->even_ranges = *ranges;
}

/* Requires the gate. */
static struct names_ranges
find_ranges(struct names_lock *names, const char *path)
{
	struct names_ranges ranges = {.count = 0};
	size_t length;

	if (*path != '/')
		return names_range_whole();
	if (names->even != NULL && path_below(path, names->even))
		return names->even_ranges;
	length = choose_folder(names, path);
	names_range_add(&names->mounts, path, length, &ranges);
	remember_even(names, path, length, &ranges);
	return ranges;
}

/* Requires the gate. */
static void
refresh(struct names_lock *names)
{
	if (!names_range_refresh(&names->mounts))
		return;
	free(names->even);
	names->even = NULL;
	names->last = names_range_whole();
}

bool
names_lock_covers(const struct names_use *use, const char *path)
{
	struct names_lock *names = use->names;
	struct names_ranges ranges;

	/* what has no path has no name that could change */
	if (names->line_count == 0 || *path != '/')
		return true;
	pthread_mutex_lock(&names->gate);
	ranges = names->last = find_ranges(names, path);
	pthread_mutex_unlock(&names->gate);
	return names_range_contains(&use->ranges, &ranges);
}

/* Requires the gate. */
static void
choose_ranges(struct names_use *use, const char *path, const char *other)
{
	struct names_lock *names = use->names;
	struct names_ranges more;

	refresh(names);
	use->ranges = path == NULL ? names->last : find_ranges(names, path);
	if (other != NULL) {
		more = find_ranges(names, other);
		names_range_join(&use->ranges, &more);
	}
}

/* ---- lines ---- */

/* Requires the gate. */
static void
take_line(struct names_use *use)
{
	struct names_lock *names = use->names;

	for (;;) {
		for (int i = 0; i < names->line_count; i++) {
			if (!names->is_busy[i]) {
				names->is_busy[i] = true;
				use->line = i;
				return;
			}
		}
		pthread_cond_wait(&names->freed, &names->gate);
	}
}

/* Requires the gate. */
static void
free_line(struct names_use *use)
{
	use->names->is_busy[use->line] = false;
	use->line = -1;
	pthread_cond_signal(&use->names->freed);
}

static void
lock_file(struct names_use *use)
{
	const struct names_lock *names = use->names;

	names_file_lock(names->lines[use->line], names->state, &use->ranges,
			use->how == NAMES_EXCLUSIVE);
}

static void
unlock_file(const struct names_use *use)
{
	names_file_unlock(use->names->lines[use->line], &use->ranges);
}

/* ---- what others changed ---- */

/* Invalidates the cache for two paths; first "": for all. */
static void
forget(struct names_lock *names, const char paths[2][PATH_MAX], bool has_settings)
{
	git_repo_cache_changed(names->memory, *paths[0] == '\0' ? NULL : paths[0], has_settings);
	if (*paths[1] != '\0')
		git_repo_cache_changed(names->memory, paths[1], has_settings);
}

/*
 * Another session may have turned cached directories into repositories. Done before any thread of this
 * broker decides: later ones find the generation unchanged. Requires the gate.
 */
static void
catch_up(struct names_lock *names)
{
	uint64_t now = names_file_generation(names->state);
	char(*paths)[PATH_MAX] = NULL;

	if (names->state == NULL || now - names->generation > NAMES_NOTES) {
		git_repo_cache_changed(names->memory, NULL, true);
		names->generation = now;
	}
	if (names->generation != now)
		paths = calloc(2, PATH_MAX);
	while (names->generation != now) {
		names->generation++;
		if (paths != NULL &&
		    names_file_read_note(names->lines[0], names->generation, paths))
			forget(names, (const char(*)[PATH_MAX])paths, true);
		else
			git_repo_cache_changed(names->memory, NULL, true);
	}
	free(paths);
}

/* Requires the lock, exclusively. */
static void
publish(struct names_lock *names)
{
	uint64_t own;

	if (names->state == NULL)
		return;
	own = names_file_publish(names->lines[0], names->state,
				 (const char(*)[PATH_MAX])names->changing);
	pthread_mutex_lock(&names->gate);
	if (names->generation + 1 == own)
		names->generation = own;
	pthread_mutex_unlock(&names->gate);
}

/* ---- lock and unlock ---- */

static void
begin(struct names_use *use, const char *path, const char *other)
{
	struct names_lock *names = use->names;

	use->line = -1;
	if (names->line_count == 0)
		return;
	pthread_mutex_lock(&names->gate);
	choose_ranges(use, path, other);
	take_line(use);
	pthread_mutex_unlock(&names->gate);
	lock_file(use);
	pthread_mutex_lock(&names->gate);
	catch_up(names);
	pthread_mutex_unlock(&names->gate);
	names_file_note_motion(names->state, &use->ranges, use->how == NAMES_EXCLUSIVE);
}

void
names_lock_read(struct names_use *use, const char *path)
{
	pthread_rwlock_rdlock(&use->names->lock);
	use->how = NAMES_SHARED;
	begin(use, path, NULL);
}

void
names_lock_write(struct names_use *use, const char *path, const char *other)
{
	struct names_lock *names = use->names;

	pthread_rwlock_wrlock(&names->lock);
	use->how = NAMES_EXCLUSIVE;
	begin(use, path, other);
	names->is_taken = true;
	names->keeps_cache = false;
	*names->changing[0] = *names->changing[1] = '\0';
}

/*
 * Published before the change, in case this session dies, and again after it: a session that locks another
 * part may have read in between.
 */
void
names_lock_changes(struct names_lock *names, const char *path, const char *other)
{
	snprintf(names->changing[0], PATH_MAX, "%s", path);
	snprintf(names->changing[1], PATH_MAX, "%s", other == NULL ? "" : other);
	publish(names);
}

void
names_lock_keep_cache(struct names_lock *names)
{
	names->keeps_cache = true;
}

static void
end_changes(struct names_lock *names)
{
	publish(names);
	if (!names->keeps_cache)
		forget(names, (const char(*)[PATH_MAX])names->changing, false);
	names->is_taken = false;
}

void
names_lock_release(struct names_use *use)
{
	struct names_lock *names = use->names;

	if (use->how == NAMES_EXCLUSIVE)
		end_changes(names);
	if (use->line >= 0) {
		unlock_file(use);
		pthread_mutex_lock(&names->gate);
		free_line(use);
		pthread_mutex_unlock(&names->gate);
	}
	use->how = NAMES_FREE;
	pthread_rwlock_unlock(&names->lock);
}

/* ---- suspension ---- */

bool
names_lock_suspend(struct names_use *use, struct names_lock_loan *ret_loan)
{
	struct names_lock *names = use->names;

	if (use->how == NAMES_FREE || use->line < 0)
		return false;
	*ret_loan = (struct names_lock_loan){.until = clock_ms() + LENT_MS};
	if (!names_file_lend(names->state, &use->ranges, ret_loan))
		return false;
	pthread_mutex_lock(&names->gate);
	unlock_file(use);
	free_line(use);
	pthread_mutex_unlock(&names->gate);
	return true;
}

bool
names_lock_resume(struct names_use *use, const struct names_lock_loan *loan)
{
	struct names_lock *names = use->names;
	bool is_same;

	pthread_mutex_lock(&names->gate);
	take_line(use);
	pthread_mutex_unlock(&names->gate);
	lock_file(use);
	is_same = names_file_end_loan(names->state, loan, use->how == NAMES_EXCLUSIVE) &&
		  clock_ms() < loan->until;
	pthread_mutex_lock(&names->gate);
	catch_up(names);
	pthread_mutex_unlock(&names->gate);
	return is_same;
}
