/* SPDX-License-Identifier: MIT */
/* Descriptors and whole files. Everything is close-on-exec from birth. */
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

/* Hands over a descriptor, which is not closed at the end of the scope then. */
static inline int
fd_take(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

/*
 * A regular file's whole content, at most max bytes, NUL-terminated, in arena. ret_stat (may be
 * NULL) is of the very descriptor that was read. err->sys is ENOENT when there is no such file.
 */
int fd_read_file(struct arena *arena, const char *path, size_t max, char **ret_text,
		 size_t *ret_length, struct stat *ret_stat, struct cordon_error *err);
/*
 * All that comes from a descriptor (a pipe, a memfd, a file) until its end: at most max bytes, no NUL among
 * them. To be freed.
 */
int fd_read_text(int fd, size_t max, char **ret_text, struct cordon_error *err);
/*
 * Replaces path by text in one step: a reader sees the old or the new content, never a part.
 * A crash leaves at most a .tmp file beside it.
 */
int fd_replace_file(const char *path, const char *text, size_t length, mode_t mode,
		    struct cordon_error *err);
/*
 * Moves these descriptors to 3 and up, in some order, and closes every other but 0 to 2. Those
 * that are -1 stay so. For a process that was forked and has no use for the rest.
 */
void fd_keep_only(int *const *own, size_t count);
/*
 * All of text in one write, or -1. Neither a size limit nor a reader that left ends this process by
 * a signal.
 */
int fd_write_line(int fd, const char *text, size_t length);
/* Would a line be taken at once, and of a pipe no more than the first half? The rest is for the end. */
bool fd_has_room(int fd);
/* mkdir -p with mode for what is missing. */
int fd_make_dir(const char *path, mode_t mode, struct cordon_error *err);

/*
 * Every descriptor from first on closes at exec, or now, also those above a limit that was
 * lowered. Async-signal-safe.
 */
int fd_cloexec_from(int first);
void fd_close_from(int first);
