/* SPDX-License-Identifier: MIT */
/*
 * The parts of procfs that depend on the reading process. For the caller "self" is the caller, and files of
 * the broker's own process are closed: the kernel would treat the broker as their owner.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

/* The process of a thread; 0 if the thread has exited. */
pid_t procfs_process(pid_t thread);
/*
 * The target of "self" or "thread-self" for a thread. Returns false for other names, or if the thread has
 * exited.
 */
bool procfs_self(pid_t thread, const char *name, char *to, size_t size);
/* Is it the root of a procfs? */
bool procfs_is_root(int fd);
/* The same by inode number. */
bool procfs_is_root_inode(ino_t inode);
/* May this path in procfs be opened? Of the broker's process only world-readable files. */
bool procfs_is_open(const char *path);
/* The process whose files these are, if they are not for everyone; 0: for everyone, -1: unknown process. */
pid_t procfs_keeper(const char *path);
/* Is it a memory file of a process other than the thread's own? */
bool procfs_is_others_memory(const char *path, pid_t thread);
/* The path of a thread's terminal. Returns false if it has none, or one without a path here. */
bool procfs_terminal(pid_t thread, char to[PATH_MAX]);
