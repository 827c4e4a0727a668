// SPDX-License-Identifier: MIT
/*
 * Locks ranges of the file, with locks that belong to an fd, and reads its content by memory that all
 * sessions share. The kernel grants a lock as soon as it conflicts with no other, so a stream of shared
 * holders would keep an exclusive one waiting for ever. Such a one locks a second set of ranges while it
 * waits, and those that come meanwhile wait there.
 */
#include "linux/broker/call/names_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/hash.h"
#include "linux/broker/names_lock.h"

/* How long others look for an exclusive holder that waits, in case it dies. */
#define WAITING_MS 10000

#ifndef F_OFD_SETLK
#define F_OFD_SETLK 37
#define F_OFD_SETLKW 38
#endif

#define LENT_MAX 64
#define NOTES_START 4096

/* At the start of the file. Times are on the machine's monotonic clock; 0: none. */
struct names_state {
	uint64_t generation;   /* incremented by each change */
	int64_t waiting_until; /* an exclusive holder waits */
	int64_t lent_until;    /* the latest of all loans */
	struct lent {
		int64_t until, start, end; /* 0: free; its ranges */
		/* incremented by shared and by exclusive holders of them */
		uint64_t motions, changes;
	} lent[LENT_MAX];
};

struct note {
	uint64_t generation, check;
	char paths[2 * PATH_MAX]; /* both, each with its end */
};
_Static_assert(sizeof(struct names_state) <= NOTES_START &&
		       sizeof(struct note) == 16 + 2 * PATH_MAX,
	       "sessions of one build share the file");

#define look(field) __atomic_load_n(field, __ATOMIC_SEQ_CST)
#define set(field, value) __atomic_store_n(field, value, __ATOMIC_SEQ_CST)

int
names_file_open(int file, int *ret_fds, int count)
{
	char name[40];
	int opened = 0;

	if (file < 0)
		return 0;
	snprintf(name, sizeof name, "/proc/self/fd/%d", file);
	ret_fds[opened++] = file;
	while (opened < count && (ret_fds[opened] = open(name, O_RDWR | O_CLOEXEC)) >= 0)
		opened++;
	return opened;
}

/* Storage is reserved, because a write to memory without it would end the process. */
struct names_state *
names_file_map(int file)
{
	void *at;

	if (file < 0 || posix_fallocate(file, 0, NOTES_START) != 0)
		return NULL;
	at = mmap(NULL, NOTES_START, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	return at == MAP_FAILED ? NULL : at;
}

void
names_file_unmap(struct names_state *state)
{
	if (state != NULL)
		munmap(state, NOTES_START);
}

/* ---- locks ---- */

static bool
set_lock(int fd, int command, short type, const struct names_range *range, int64_t shift)
{
	struct flock lock = {.l_type = type == F_WRLCK && range->is_point ? F_RDLCK : type,
			     .l_whence = SEEK_SET,
			     .l_start = (off_t)(range->start + shift),
			     .l_len = (off_t)range->length};
	int rc;

	do
		rc = fcntl(fd, command, &lock);
	while (rc < 0 && errno == EINTR);
	return rc == 0;
}

/* In the order of ranges, so no two sessions wait for each other. */
static void
wait_for(int fd, short type, const struct names_ranges *ranges, int64_t shift)
{
	for (size_t i = 0; i < ranges->count; i++)
		set_lock(fd, F_OFD_SETLKW, type, &ranges->at[i], shift);
}

static void
release(int fd, const struct names_ranges *ranges, int64_t shift)
{
	for (size_t i = 0; i < ranges->count; i++)
		set_lock(fd, F_OFD_SETLK, F_UNLCK, &ranges->at[i], shift);
}

static bool
try_exclusive(int fd, const struct names_ranges *ranges)
{
	size_t i = 0;

	while (i < ranges->count && set_lock(fd, F_OFD_SETLK, F_WRLCK, &ranges->at[i], 0))
		i++;
	if (i == ranges->count)
		return true;
	while (i-- > 0)
		set_lock(fd, F_OFD_SETLK, F_UNLCK, &ranges->at[i], 0);
	return false;
}

static void
raise_to(int64_t *field, int64_t value)
{
	int64_t now = look(field);

	while (now < value && !__atomic_compare_exchange_n(field, &now, value, false,
							   __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		;
}

static void
lock_exclusive(int fd, struct names_state *state, const struct names_ranges *ranges)
{
	if (try_exclusive(fd, ranges))
		return;
	wait_for(fd, F_WRLCK, ranges, NAMES_RANGE_END);
	if (state != NULL)
		raise_to(&state->waiting_until, clock_ms() + WAITING_MS);
	wait_for(fd, F_WRLCK, ranges, 0);
	release(fd, ranges, NAMES_RANGE_END);
}

static void
lock_shared(int fd, const struct names_state *state, const struct names_ranges *ranges)
{
	if (state != NULL && look(&state->waiting_until) >= clock_ms()) {
		wait_for(fd, F_RDLCK, ranges, NAMES_RANGE_END);
		release(fd, ranges, NAMES_RANGE_END);
	}
	wait_for(fd, F_RDLCK, ranges, 0);
}

void
names_file_lock(int fd, struct names_state *state, const struct names_ranges *ranges,
		bool is_exclusive)
{
	if (is_exclusive)
		lock_exclusive(fd, state, ranges);
	else
		lock_shared(fd, state, ranges);
}

void
names_file_unlock(int fd, const struct names_ranges *ranges)
{
	release(fd, ranges, 0);
}

/* ---- generations ---- */

uint64_t
names_file_generation(const struct names_state *state)
{
	return state == NULL ? 0 : look(&state->generation);
}

static off_t
note_offset(uint64_t generation)
{
	return (off_t)(NOTES_START + generation % NAMES_NOTES * sizeof(struct note));
}

/* Another session may write a later note over it at the same time. */
static uint64_t
check_of(const struct note *note)
{
	const char *second = note->paths + strlen(note->paths) + 1;

	return hash_text(note->paths) ^ 31 * hash_text(second) ^
	       hash_bytes((const char *)&note->generation, sizeof note->generation);
}

/* A note that cannot be written counts as a change of everything. */
uint64_t
names_file_publish(int fd, struct names_state *state, const char paths[2][PATH_MAX])
{
	uint64_t own = __atomic_add_fetch(&state->generation, 1, __ATOMIC_SEQ_CST);
	size_t first = strlen(paths[0]) + 1, second = strlen(paths[1]) + 1;
	struct note note = {.generation = own};

	if (first == 1)
		return own;
	memcpy(note.paths, paths[0], first);
	memcpy(note.paths + first, paths[1], second);
	note.check = check_of(&note);
	if (pwrite(fd, &note, offsetof(struct note, paths) + first + second, note_offset(own)) < 0)
		return own;
	return own;
}

bool
names_file_read_note(int fd, uint64_t generation, char ret_paths[2][PATH_MAX])
{
	struct note note;
	ssize_t n = pread(fd, &note, sizeof note - 2, note_offset(generation));
	const char *second;

	if (n < (ssize_t)offsetof(struct note, paths) || note.generation != generation)
		return false;
	/* both end within what was read */
	memset((char *)&note + n, 0, sizeof note - (size_t)n);
	second = note.paths + strlen(note.paths) + 1;
	if (second - note.paths > PATH_MAX || strlen(second) >= PATH_MAX ||
	    note.check != check_of(&note))
		return false;
	strcpy(ret_paths[0], note.paths);
	strcpy(ret_paths[1], second);
	return true;
}

/* ---- suspension ---- */

/* The parts between the ranges count, too. */
static int64_t
end_of(const struct names_ranges *ranges)
{
	const struct names_range *last = &ranges->at[ranges->count - 1];

	return last->start + last->length;
}

bool
names_file_lend(struct names_state *state, const struct names_ranges *ranges,
		struct names_lock_loan *loan)
{
	int64_t now = clock_ms();

	for (int i = 0; state != NULL && ranges->count > 0 && i < LENT_MAX; i++) {
		struct lent *lent = &state->lent[i];
		int64_t until = look(&lent->until);

		if (until >= now ||
		    !__atomic_compare_exchange_n(&lent->until, &until, loan->until, false,
						 __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
			continue;
		set(&lent->start, ranges->at[0].start);
		set(&lent->end, end_of(ranges));
		loan->slot = i;
		loan->motions = look(&lent->motions);
		loan->changes = look(&lent->changes);
		raise_to(&state->lent_until, loan->until);
		return true;
	}
	return false;
}

/* The holder locked before it looks here, and who lends writes here before it unlocks. */
void
names_file_note_motion(struct names_state *state, const struct names_ranges *ranges,
		       bool is_exclusive)
{
	int64_t now;

	if (state == NULL || look(&state->lent_until) < (now = clock_ms()))
		return;
	for (int i = 0; i < LENT_MAX; i++) {
		struct lent *lent = &state->lent[i];

		if (look(&lent->until) >= now && look(&lent->start) < end_of(ranges) &&
		    ranges->at[0].start < look(&lent->end))
			__atomic_add_fetch(is_exclusive ? &lent->changes : &lent->motions, 1,
					   __ATOMIC_SEQ_CST);
	}
}

bool
names_file_end_loan(struct names_state *state, const struct names_lock_loan *loan,
		    bool is_exclusive)
{
	struct lent *lent = &state->lent[loan->slot];
	bool is_own = look(&lent->until) == loan->until,
	     is_same = look(&lent->changes) == loan->changes &&
		       (!is_exclusive || look(&lent->motions) == loan->motions);

	/* too late: another holder may have the slot */
	if (is_own)
		set(&lent->until, 0);
	return is_own && is_same;
}
