/* SPDX-License-Identifier: MIT */
/* Helpers for fds and whole files. Every fd opened here is close-on-exec. */
#pragma once

#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"

static inline void
auto_fd_fn(const int *fd)
{
	if (*fd >= 0)
		close(*fd);
}
#define auto_fd __attribute__((cleanup(auto_fd_fn)))

/* Returns *fd and sets it to -1, so that the end of the scope does not close it. */
static inline int
fd_take(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

/*
 * Reads a regular file of at most max bytes into arena and terminates it with NUL. ret_stat (may be
 * NULL) describes the fd that was read. err->sys is ENOENT if the file does not exist.
 */
int fd_read_file(struct arena *arena, const char *path, size_t max, char **ret_text,
		 size_t *ret_length, struct stat *ret_stat, struct cordon_error *err);
/*
 * Reads fd (a pipe, a memfd, a file) to its end: at most max bytes, no NUL. The caller frees
 * *ret_text.
 */
int fd_read_text(int fd, size_t max, char **ret_text, struct cordon_error *err);
/*
 * Replaces path atomically: a reader sees the old or the new content. A crash leaves at most a .tmp
 * file beside it.
 */
int fd_replace_file(const char *path, const char *text, size_t length, mode_t mode,
		    struct cordon_error *err);
/*
 * Moves the fds in own to 3 and up, in any order, and closes every other except 0 to 2. An fd of -1
 * stays -1. For a forked process that needs no other fds.
 */
void fd_keep_only(int *const *own, size_t count);
/* The same, and keeps fixed where it is; another thread may use it meanwhile. -1: none. */
void fd_keep_beside(int *const *own, size_t count, int fixed);
/*
 * Writes all of text in one write(), or returns -1. Neither SIGPIPE nor SIGXFSZ ends the process.
 */
int fd_write_line(int fd, const char *text, size_t length);
/* Can a line be written without blocking? Half of a pipe is reserved for the last message. */
bool fd_has_room(int fd);
struct dirent;
/* Is an entry of dir a directory, and no link to one? */
bool fd_is_dir_entry(int dir, const struct dirent *entry);
/* mkdir -p; mode is for the directories that are missing. */
int fd_make_dir(const char *path, mode_t mode, struct cordon_error *err);

/*
 * Sets close-on-exec on, or closes, every fd from first on, also those above a lowered
 * RLIMIT_NOFILE. Async-signal-safe.
 */
int fd_cloexec_from(int first);
void fd_close_from(int first);
