// SPDX-License-Identifier: MIT
/*
 * The table of copies. A socket is recognised by its inode number, which nothing else has while the copy is
 * open. No process tells when it closes a socket: copies of closed ones are searched for when the table is
 * full, and when an address is in use, possibly by one of them.
 */
#include "linux/broker/socket_copies.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "linux/broker/broker.h"

#define SWEEP_FROM 64 /* copies from which on closed ones are searched for every SWEEP_MS */
#define SWEEP_MS 1000

bool
socket_copies_are_kept(const struct broker *broker)
{
	return !broker->plan->facts.values[FACT_PIDFD_GETFD];
}

/* All below that have no lock of their own require it. */
static struct socket_copy *
find(struct socket_copies *copies, int fd)
{
	struct stat at;

	if (fstat(fd, &at) < 0)
		return NULL;
	for (size_t i = 0; i < SOCKET_COPIES; i++)
		if (copies->all[i].state != SOCKET_UNKNOWN && copies->all[i].inode == at.st_ino)
			return &copies->all[i];
	return NULL;
}

static void
forget(struct socket_copies *copies, struct socket_copy *copy, enum socket_state state)
{
	if (copy->state == SOCKET_IDLE) {
		close(copy->fd);
		copies->count--;
	}
	copy->fd = -1;
	copy->state = state;
}

/* ---- closed sockets ---- */

static void
mark_seen(struct socket_copies *copies, ino_t inode, bool *seen)
{
	for (size_t i = 0; i < SOCKET_COPIES; i++)
		seen[i] = seen[i] ||
			  (copies->all[i].state == SOCKET_IDLE && copies->all[i].inode == inode);
}

/* Only processes of the session can be read; one that has cleared its dumpable flag cannot. */
static void
mark_process(struct socket_copies *copies, int proc, const char *number, bool *seen)
{
	char path[40], link[40];
	const struct dirent *entry;
	DIR *dir;
	int fd;

	snprintf(path, sizeof path, "%.20s/fd", number);
	fd = openat(proc, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (dir == NULL && fd >= 0)
		close(fd);
	while (dir != NULL && (entry = readdir(dir)) != NULL) {
		ssize_t n = readlinkat(dirfd(dir), entry->d_name, link, sizeof link - 1);

		link[n < 0 ? 0 : n] = '\0';
		if (strncmp(link, "socket:[", 8) == 0)
			mark_seen(copies, (ino_t)strtoull(link + 8, NULL, 10), seen);
	}
	if (dir != NULL)
		closedir(dir);
}

static void
sweep(struct socket_copies *copies)
{
	bool seen[SOCKET_COPIES] = {false};
	DIR *proc = opendir("/proc");
	const struct dirent *entry;
	long own = getpid();

	copies->swept = clock_ms();
	while (proc != NULL && (entry = readdir(proc)) != NULL)
		if (*entry->d_name >= '1' && *entry->d_name <= '9' &&
		    strtol(entry->d_name, NULL, 10) != own)
			mark_process(copies, dirfd(proc), entry->d_name, seen);
	for (size_t i = 0; proc != NULL && i < SOCKET_COPIES; i++)
		if (copies->all[i].state == SOCKET_IDLE && copies->all[i].is_given && !seen[i])
			forget(copies, &copies->all[i], SOCKET_UNKNOWN);
	if (proc != NULL)
		closedir(proc);
}

void
socket_copies_sweep(struct broker *broker)
{
	struct socket_copies *copies = &broker->copies;

	pthread_mutex_lock(&copies->lock);
	if (copies->count > 0)
		sweep(copies);
	pthread_mutex_unlock(&copies->lock);
}

/* ---- new sockets ---- */

/* At least one: next_entry() looks for a copy to drop when there are too many. */
static size_t
most(const struct broker *broker)
{
	size_t part = broker->numbers > 0 ? (size_t)broker->numbers / 8 : SOCKET_COPIES / 2;

	return part < 1 ? 1 : part < SOCKET_COPIES / 2 ? part : SOCKET_COPIES / 2;
}

static void
make_room(const struct broker *broker, struct socket_copies *copies)
{
	bool is_full = copies->count >= most(broker);

	if (is_full || (copies->count >= SWEEP_FROM && clock_ms() - copies->swept >= SWEEP_MS))
		sweep(copies);
}

/* The oldest entry without a copy, or if there are too many copies the oldest of all. */
static struct socket_copy *
next_entry(const struct broker *broker, struct socket_copies *copies)
{
	bool is_full = copies->count >= most(broker);
	struct socket_copy *copy;

	do
		copy = &copies->all[copies->next++ % SOCKET_COPIES];
	while (is_full != (copy->state == SOCKET_IDLE));
	return copy;
}

static void
store(struct broker *broker, int fd, ino_t inode)
{
	struct socket_copies *copies = &broker->copies;
	struct socket_copy *copy;

	make_room(broker, copies);
	copy = next_entry(broker, copies);
	forget(copies, copy, SOCKET_UNKNOWN);
	*copy = (struct socket_copy){.inode = inode, .fd = fd, .state = SOCKET_IDLE};
	copies->count++;
}

static void
note_given(struct socket_copies *copies, ino_t inode)
{
	pthread_mutex_lock(&copies->lock);
	for (size_t i = 0; i < SOCKET_COPIES; i++)
		if (copies->all[i].inode == inode)
			copies->all[i].is_given = true;
	pthread_mutex_unlock(&copies->lock);
}

void
socket_copies_give(const struct notif_call *request, int fd, bool close_on_exec)
{
	struct socket_copies *copies = &request->broker->copies;
	int copy = -1;
	struct stat at;

	if (socket_copies_are_kept(request->broker) && fstat(fd, &at) == 0)
		copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (copy >= 0) {
		pthread_mutex_lock(&copies->lock);
		store(request->broker, copy, at.st_ino);
		pthread_mutex_unlock(&copies->lock);
	}
	notif_give(request, fd, close_on_exec);
	if (copy >= 0)
		note_given(copies, at.st_ino);
}

/* ---- use ---- */

int
socket_copies_take(struct broker *broker, int fd, bool connects, enum socket_state *ret_state)
{
	struct socket_copies *copies = &broker->copies;
	struct socket_copy *copy;
	int found = -1;

	pthread_mutex_lock(&copies->lock);
	copy = find(copies, fd);
	*ret_state = copy == NULL ? SOCKET_UNKNOWN : copy->state;
	if (*ret_state == SOCKET_IDLE) {
		found = fcntl(copy->fd, F_DUPFD_CLOEXEC, 0);
		copy->is_given = true;
	}
	if (*ret_state == SOCKET_ARRIVED && connects)
		copy->state = SOCKET_CONNECTED;
	pthread_mutex_unlock(&copies->lock);
	return found;
}

void
socket_copies_drop(struct broker *broker, int fd, enum socket_state state)
{
	struct socket_copies *copies = &broker->copies;
	struct socket_copy *copy;

	pthread_mutex_lock(&copies->lock);
	copy = find(copies, fd);
	if (copy != NULL)
		forget(copies, copy, state);
	pthread_mutex_unlock(&copies->lock);
}

bool
socket_copies_settle(struct broker *broker, int fd, enum socket_state state)
{
	struct sockaddr_storage peer;
	socklen_t size = sizeof peer, type_size = sizeof(int);
	int type = 0;

	/* a datagram socket may be connected again */
	if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &type_size) < 0 || type == SOCK_DGRAM)
		return true;
	if (getpeername(fd, (struct sockaddr *)&peer, &size) < 0 && errno == ENOTCONN)
		return false;
	socket_copies_drop(broker, fd, state);
	return true;
}
