// SPDX-License-Identifier: MIT
/*
 * The directory of records: creates it for the user alone, lists it, and reaps dead records. What a
 * dead record names is removed only if a check shows that a session of this user created it.
 */
#include "base/os.h"

#include "session/registry/record_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>

#include "base/fd.h"
#include "base/path.h"
#include "enforce/session_group.h"
#include "session/session.h"

#define SWEEP_MAX 32 /* records that a start reads, to keep it fast */

/* ---- the directory ---- */

/* Opens a directory, which must have no permissions for other users. */
static int
step_down(int from, const char *name, bool make)
{
	const int how = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	struct stat st;
	int fd = openat(from, name, how);

	if (fd < 0 && errno == ENOENT && make) {
		if (mkdirat(from, name, 0700) < 0 && errno != EEXIST)
			return -1;
		fd = openat(from, name, how);
	}
	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && st.st_uid == geteuid() && (st.st_mode & 077) == 0)
		return fd;
	close(fd);
	errno = EPERM;
	return -1;
}

/* Does the user own it, and can no other user write to it? */
static bool
is_own(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && st.st_uid == geteuid() && (st.st_mode & 022) == 0;
}

/* In XDG_RUNTIME_DIR, which the system creates: used only if it exists. */
static int
open_runtime(const char *runtime, bool make)
{
	char above[PATH_MAX];
	auto_fd int base = -1, own = -1;

	snprintf(above, sizeof above, "%s", runtime);
	*strrchr(above, '/') = '\0';
	base = open(*above == '\0' ? "/" : above, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (base < 0 || !is_own(base))
		return -1;
	own = step_down(base, path_last(runtime), make);
	return own < 0 ? -1 : step_down(own, "sessions", make);
}

static int
open_state(const char *state, bool make, struct cordon_error *err)
{
	auto_fd int own = -1;
	int fd, rc = make ? fd_make_dir(state, 0700, err) : 0;

	if (rc < 0)
		return rc;
	own = open(state, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (own >= 0 && !is_own(own))
		return cordon_fail(
			err, CORDON_E_TRUST, 0,
			"%s can be changed by other users: sessions are not recorded there", state);
	fd = own < 0 ? -1 : step_down(own, "sessions", make);
	return fd >= 0 ? fd
		       : cordon_fail(err, CORDON_E_PATH, errno, "cannot use %s/sessions", state);
}

int
record_folder(const char *runtime, const char *state, bool make, char *ret_path,
	      struct cordon_error *err)
{
	const char *used = runtime;
	int fd = runtime == NULL ? -1 : open_runtime(runtime, make);

	if (fd < 0 && state == NULL)
		return cordon_fail(err, CORDON_E_PATH, ENOENT,
				   "there is no folder for live sessions");
	if (fd < 0) {
		used = state;
		fd = open_state(state, make, err);
	}
	if (fd >= 0 && ret_path != NULL)
		snprintf(ret_path, PATH_MAX, "%s/sessions", used);
	return fd;
}

/* ---- reaping ---- */

/* Could private_tmp_make have created it? Checks name, owner, and that the path has no link. */
static bool
is_private_tmp(const char *path)
{
	static const char prefix[] = "cordon-";
	const char *name = path_last(path);
	char real[PATH_MAX];
	struct stat st;

	return strncmp(name, prefix, sizeof prefix - 1) == 0 &&
	       strlen(name) == sizeof prefix - 1 + 6 && os_realpath(path, real) != NULL &&
	       strcmp(real, path) == 0 && lstat(path, &st) == 0 && S_ISDIR(st.st_mode) &&
	       st.st_uid == geteuid();
}

/* Does the path contain the session id? session_group_end_dead checks the rest. */
static bool
is_own_cgroup(const struct record *record)
{
	char name[sizeof "/cordon-" + RECORD_ID_LENGTH];

	snprintf(name, sizeof name, "/cordon-%s", record->id);
	return strstr(record->cgroup, "/../") == NULL && strstr(record->cgroup, name) != NULL;
}

/* Called with the lock, so that the session is dead and no other process reaps it. */
static void
reap(struct arena *arena, int folder, int fd, const char *id)
{
	char socket[RECORD_SOCKET_SIZE];
	struct record record;

	if (record_read(arena, fd, id, &record) == 0) {
		if (record.cgroup != NULL && is_own_cgroup(&record) &&
		    session_group_end_dead(record.cgroup) < 0 && errno == EBUSY)
			return;
		if (record.tmp != NULL && is_private_tmp(record.tmp))
			private_tmp_remove(record.tmp);
	}
	record_put_grace(folder, id, 0);
	record_socket(id, socket);
	unlinkat(folder, socket, 0);
	unlinkat(folder, id, 0);
}

static bool
is_record_file(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
	       (st.st_mode & 077) == 0 && st.st_nlink == 1;
}

/* Returns an fd, or -1 if it is no record. */
static int
open_record(int folder, const char *id)
{
	int fd;

	if (!record_is_id(id))
		return -1;
	/* O_NONBLOCK: opening a FIFO of that name must not block */
	fd = openat(folder, id, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd >= 0 && is_record_file(fd))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* Returns true if it is not locked. Then it is reaped, here or by another process at this moment. */
static bool
reap_dead(struct arena *arena, int folder, int fd, const char *id)
{
	/* shared first: of two processes at the same time, both must find it free */
	if (flock(fd, LOCK_SH | LOCK_NB) < 0)
		return false;
	if (flock(fd, LOCK_EX | LOCK_NB) == 0)
		reap(arena, folder, fd, id);
	return true;
}

enum record_state
record_look(struct arena *arena, int folder, const char *id, struct record *ret_record)
{
	auto_fd int fd = open_record(folder, id);

	if (fd < 0)
		return RECORD_GONE;
	if (reap_dead(arena, folder, fd, id))
		return RECORD_REAPED;
	return record_read(arena, fd, id, ret_record) < 0 ? RECORD_ODD : RECORD_LIVE;
}

/* ---- listing ---- */

static DIR *
open_listing(int folder)
{
	int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *listing = copy < 0 ? NULL : fdopendir(copy);

	if (listing == NULL && copy >= 0)
		close(copy);
	return listing;
}

static int
by_age(const void *a, const void *b)
{
	const struct record *x = a, *y = b;

	if (x->since != y->since)
		return x->since < y->since ? -1 : 1;
	return strcmp(x->id, y->id);
}

int
record_list(struct arena *arena, int folder, struct record **ret_records, size_t *ret_count,
	    struct cordon_error *err)
{
	DIR *listing = open_listing(folder);
	struct record *records = NULL, record;
	struct dirent *entry;
	size_t count = 0;

	if (listing == NULL)
		return cordon_fail(err, CORDON_E_PATH, errno, "cannot list the live sessions");
	while ((entry = readdir(listing)) != NULL) {
		struct record *slot;

		if (!record_is_id(entry->d_name) ||
		    record_look(arena, folder, entry->d_name, &record) != RECORD_LIVE)
			continue;
		slot = arena_push(arena, &records, &count, sizeof *slot, err);
		if (slot == NULL) {
			closedir(listing);
			return -CORDON_E_MEMORY;
		}
		*slot = record;
	}
	closedir(listing);
	if (count > 1)
		qsort(records, count, sizeof *records, by_age);
	*ret_records = records;
	*ret_count = count;
	return 0;
}

void
record_sweep(int folder)
{
	auto_arena struct arena arena = {0};
	DIR *listing = open_listing(folder);
	struct dirent *entry;

	for (int left = SWEEP_MAX; left > 0 && listing != NULL;) {
		auto_fd int fd = -1;

		entry = readdir(listing);
		if (entry == NULL)
			break;
		if (!record_is_id(entry->d_name))
			continue;
		left--;
		fd = open_record(folder, entry->d_name);
		if (fd >= 0)
			reap_dead(&arena, folder, fd, entry->d_name);
	}
	if (listing != NULL)
		closedir(listing);
}
