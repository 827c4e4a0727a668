// SPDX-License-Identifier: MIT
/*
 * The lock of names. Its file is held by flock: the kernel drops that with the last descriptor, and a
 * session has one of its own, so who dies with it keeps nobody waiting. That lock is the whole session's:
 * the first thread that shares gets it, and the last one lets it go.
 */
#include "linux/namelock.h"

#include <errno.h>
#include <sys/file.h>
#include <unistd.h>

#include "plan/hookmemory.h"

void
namelock_start(struct namelock *names)
{
	pthread_rwlock_init(&names->lock, NULL);
	pthread_mutex_init(&names->gate, NULL);
	names->others = -1;
}

static void
lock_file(const struct namelock *names, int how)
{
	while (names->others >= 0 && flock(names->others, how) < 0 && errno == EINTR)
		;
}

/*
 * Another session may have made repositories of folders that we remember as none. Before anybody of ours
 * decides: whoever comes next finds the turn as it is.
 */
static void
catch_up(struct namelock *names)
{
	uint64_t turn = 0, before = names->turn;

	if (names->others < 0)
		return;
	if (pread(names->others, &turn, sizeof turn, 0) < 0)
		turn = before + 1;
	names->turn = turn;
	if (turn != before)
		hookmemory_changed(names->memory, true);
}

void
namelock_share(struct namelock *names)
{
	pthread_rwlock_rdlock(&names->lock);
	pthread_mutex_lock(&names->gate);
	if (names->sharing++ == 0)
		lock_file(names, LOCK_SH);
	catch_up(names);
	pthread_mutex_unlock(&names->gate);
}

/* Said before anything is done: nobody looks before we are ready. */
static void
turn_on(struct namelock *names)
{
	uint64_t next = names->turn + 1;

	if (names->others >= 0 && pwrite(names->others, &next, sizeof next, 0) == sizeof next)
		names->turn = next;
}

void
namelock_take(struct namelock *names)
{
	pthread_rwlock_wrlock(&names->lock);
	lock_file(names, LOCK_EX);
	catch_up(names);
	turn_on(names);
	names->is_taken = true;
}

void
namelock_leave(struct namelock *names)
{
	bool is_last = names->is_taken;

	pthread_mutex_lock(&names->gate);
	if (!names->is_taken)
		is_last = --names->sharing == 0;
	if (is_last)
		lock_file(names, LOCK_UN);
	names->is_taken = false;
	pthread_mutex_unlock(&names->gate);
	pthread_rwlock_unlock(&names->lock);
}
