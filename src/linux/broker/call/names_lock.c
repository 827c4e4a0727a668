// SPDX-License-Identifier: MIT
/*
 * The names lock. Its file is locked by flock(2): the kernel releases it with the last fd, so a session
 * that dies blocks no other. The lock belongs to the whole session: the first thread that shares takes it,
 * the last one releases it.
 */
#include "linux/broker/names_lock.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "git/protect/git_repo_cache.h"

/* Longer than any wait for an answer. */
#define LENT_MS 2000

/* The content of the lock file. */
struct lock_state {
	uint64_t generation; /* incremented by each exclusive holder */
	uint64_t motions;    /* incremented by shared holders while an exclusive one is suspended */
	int64_t suspended_until; /* on the machine's monotonic clock; 0: not suspended */
};

/* Notes follow the state: the changes of the last generations. */
#define NOTES 16
struct note {
	uint64_t generation;
	char paths[2][PATH_MAX];
};
_Static_assert(sizeof(struct lock_state) == 24 && sizeof(struct note) == 8 + 2 * PATH_MAX,
	       "sessions of one build share the file");

void
names_lock_start(struct names_lock *names)
{
	pthread_rwlock_init(&names->lock, NULL);
	pthread_mutex_init(&names->gate, NULL);
	names->others = -1;
}

static void
lock_file(const struct names_lock *names, int how)
{
	while (names->others >= 0 && flock(names->others, how) < 0 && errno == EINTR)
		;
}

static off_t
note_offset(uint64_t generation)
{
	return (off_t)(sizeof(struct lock_state) + generation % NOTES * sizeof(struct note));
}

/* Invalidates the cache for two paths; first "": for all. */
static void
forget(struct names_lock *names, const char *first, const char *second, bool has_settings)
{
	git_repo_cache_changed(names->memory, *first == '\0' ? NULL : first, has_settings);
	if (*second != '\0')
		git_repo_cache_changed(names->memory, second, has_settings);
}

/* Invalidates the changes of one generation; without a complete note, everything. */
static void
forget_generation(struct names_lock *names, uint64_t generation)
{
	auto_free struct note *note = calloc(1, sizeof *note);
	bool is_whole =
		note != NULL &&
		pread(names->others, note, sizeof *note, note_offset(generation)) == sizeof *note &&
		note->generation == generation && memchr(note->paths[0], '\0', PATH_MAX) != NULL &&
		memchr(note->paths[1], '\0', PATH_MAX) != NULL;

	if (is_whole)
		forget(names, note->paths[0], note->paths[1], true);
	else
		git_repo_cache_changed(names->memory, NULL, true);
}

static void
forget_generations(struct names_lock *names, uint64_t generation)
{
	uint64_t behind = generation - names->generation;

	if (behind > NOTES)
		git_repo_cache_changed(names->memory, NULL, true);
	for (uint64_t at = names->generation + 1; behind <= NOTES && at <= generation; at++)
		forget_generation(names, at);
}

/*
 * Another session may have turned cached directories into repositories. Done before any thread of this
 * broker decides: later ones find the generation unchanged.
 */
static struct lock_state
catch_up(struct names_lock *names)
{
	struct lock_state state = {0};

	if (names->others < 0)
		return state;
	if (pread(names->others, &state, sizeof state, 0) < 0) {
		state.generation = names->generation + 1;
		git_repo_cache_changed(names->memory, NULL, true);
	} else if (state.generation != names->generation) {
		forget_generations(names, state.generation);
	}
	names->generation = state.generation;
	return state;
}

static bool
say(const struct names_lock *names, size_t where, uint64_t value)
{
	return names->others >= 0 &&
	       pwrite(names->others, &value, sizeof value, (off_t)where) == sizeof value;
}

/*
 * Makes a suspended holder decide again. Two threads may write the same number, but it differs from the
 * old one.
 */
static void
note_motion(const struct names_lock *names, const struct lock_state *state)
{
	if (state->suspended_until != 0 && state->suspended_until >= clock_ms())
		say(names, offsetof(struct lock_state, motions), state->motions + 1);
}

void
names_rdlock(struct names_hold *hold)
{
	struct names_lock *names = hold->names;
	struct lock_state state;

	pthread_rwlock_rdlock(&names->lock);
	pthread_mutex_lock(&names->gate);
	if (names->sharing++ == 0)
		lock_file(names, LOCK_SH);
	state = catch_up(names);
	note_motion(names, &state);
	pthread_mutex_unlock(&names->gate);
	hold->how = NAMES_SHARED;
}

/* Written before any change: no other session reads it until the lock is released. */
static void
begin_generation(struct names_lock *names)
{
	if (say(names, offsetof(struct lock_state, generation), names->generation + 1))
		names->generation++;
}

void
names_wrlock(struct names_hold *hold)
{
	struct names_lock *names = hold->names;

	pthread_rwlock_wrlock(&names->lock);
	lock_file(names, LOCK_EX);
	catch_up(names);
	begin_generation(names);
	names->is_taken = true;
	names->keeps_memory = false;
	*names->changing[0] = *names->changing[1] = '\0';
	hold->how = NAMES_EXCLUSIVE;
}

void
names_lock_changes(struct names_lock *names, const char *path, const char *other)
{
	auto_free struct note *note = names->others < 0 ? NULL : calloc(1, sizeof *note);

	snprintf(names->changing[0], PATH_MAX, "%s", path);
	snprintf(names->changing[1], PATH_MAX, "%s", other == NULL ? "" : other);
	if (note == NULL)
		return;
	note->generation = names->generation;
	memcpy(note->paths, names->changing, sizeof note->paths);
	/* a note that cannot be written counts as a change of everything */
	if (pwrite(names->others, note, sizeof *note, note_offset(names->generation)) < 0)
		return;
}

void
names_lock_keep_memory(struct names_lock *names)
{
	names->keeps_memory = true;
}

void
names_unlock(struct names_hold *hold)
{
	struct names_lock *names = hold->names;

	hold->how = NAMES_FREE;
	pthread_mutex_lock(&names->gate);
	if (names->is_taken && !names->keeps_memory)
		forget(names, names->changing[0], names->changing[1], false);
	if (names->is_taken || --names->sharing == 0)
		lock_file(names, LOCK_UN);
	names->is_taken = false;
	pthread_mutex_unlock(&names->gate);
	pthread_rwlock_unlock(&names->lock);
}

bool
names_suspend(const struct names_hold *hold, struct names_lock_loan *ret_loan)
{
	struct names_lock *names = hold->names;
	bool is_taken = hold->how == NAMES_EXCLUSIVE;
	struct lock_state state;

	if (names->others < 0 || hold->how == NAMES_FREE)
		return false;
	pthread_mutex_lock(&names->gate);
	state = catch_up(names);
	*ret_loan = (struct names_lock_loan){is_taken, state.generation, state.motions,
					     clock_ms() + LENT_MS};
	/* keep the lock if the state cannot be written */
	if (is_taken ? say(names, offsetof(struct lock_state, suspended_until),
			   (uint64_t)ret_loan->until)
		     : --names->sharing == 0)
		lock_file(names, LOCK_UN);
	pthread_mutex_unlock(&names->gate);
	return true;
}

bool
names_resume(const struct names_hold *hold, const struct names_lock_loan *loan)
{
	struct names_lock *names = hold->names;
	struct lock_state state;

	pthread_mutex_lock(&names->gate);
	if (loan->is_taken)
		lock_file(names, LOCK_EX);
	else if (names->sharing++ == 0)
		lock_file(names, LOCK_SH);
	state = catch_up(names);
	pthread_mutex_unlock(&names->gate);
	return state.generation == loan->generation &&
	       (!loan->is_taken || (state.motions == loan->motions && clock_ms() < loan->until));
}
