/* SPDX-License-Identifier: MIT */
/*
 * What of procfs depends on who looks. For the caller "self" is the caller, and what belongs to the
 * broker's own process is closed: the kernel would take the broker for its owner.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

/* The process that a thread belongs to; 0 when it is gone. */
pid_t procfs_process(pid_t thread);
/* What "self" and "thread-self" mean to a thread; false: the name is neither, or the thread gone. */
bool procfs_self(pid_t thread, const char *name, char *to, size_t size);
/* Is it the root of a procfs, where these names are? */
bool procfs_is_root(int fd);
/* The same of an inode in procfs. */
bool procfs_is_root_inode(ino_t inode);
/* May this path in procfs be looked into? Of our own process only what anybody may read. */
bool procfs_is_open(const char *path);
/* The process to which it belongs, where not everybody may look; 0: all may, -1: no telling whose. */
pid_t procfs_keeper(const char *path);
/* The memory of a process by a file: only its own, and only for the process itself. */
bool procfs_is_others_memory(const char *path, pid_t thread);
/* The path of a thread's terminal; false: it has none, or it has no name here. */
bool procfs_terminal(pid_t thread, char to[PATH_MAX]);
