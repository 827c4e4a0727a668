/* SPDX-License-Identifier: MIT */
/*
 * cgroups of the unified hierarchy (v2), by file operations. Cgroup directories are passed as fds; nothing
 * beside or above them is changed. Nothing here allocates: the guard and a child before exec use it.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "enforce/session_group.h"

#define CGROUP2_MAGIC 0x63677270 /* f_type of statfs(2) */

/* ---- cgroup.c: find, create, read ---- */

/* Reads a file line by line; lines longer than the buffer are skipped. */
struct cgroup_lines {
	int fd;
	size_t start, end;
	char text[PATH_MAX + 256];
};
struct cgroup_lines cgroup_lines_open(int folder, const char *file);
/* Returns the next line without its newline; NULL at the end, after closing the file. */
char *cgroup_lines_next(struct cgroup_lines *lines);
void cgroup_lines_close(struct cgroup_lines *lines);

/* The path of a cgroup named as in /proc/self/cgroup ("/user.slice"). */
bool cgroup_locate(const char *name, char ret_path[PATH_MAX]);
/* The path of this process's cgroup. */
bool cgroup_find_own(char ret_path[PATH_MAX]);
/* May cgroups be created below this process's cgroup? */
bool cgroup_is_delegated(void);
/* Is word listed in this file, for example in cgroup.controllers? */
bool cgroup_has_word(int folder, const char *file, const char *word);
/*
 * Reads the number after key in a file such as memory.events; with key "" the file is one number. Returns
 * false without a number, or for "max".
 */
bool cgroup_number(int folder, const char *file, const char *key, uint64_t *ret_number);
/* Returns 0, or -1 with errno. */
int cgroup_write(int folder, const char *file, const char *text);
/* Enables the controllers that the wish needs for child cgroups. They stay enabled: others may use them. */
int cgroup_enable(int folder, const struct group_wish *wish);
/* Sets the limits; -1 with errno if one cannot be set. */
int cgroup_limit(int folder, const struct group_wish *wish);
/*
 * Chooses where to create one: below this process's cgroup; with limits beside it, because a cgroup with
 * processes cannot enable controllers. Returns false with errno if it cannot be created.
 */
bool cgroup_choose_path(const struct group_wish *wish, char ret_path[PATH_MAX]);
/* Creates it with its limits. On failure (-1 with errno) nothing is left behind. */
int cgroup_make(const char *path, const struct group_wish *wish, int *ret_folder);

/* ---- cgroup_kill.c: kill and remove ---- */

bool cgroup_is_empty(int folder);
/* As session_group_kill. */
bool cgroup_kill(int folder, int deadline_ms);
/* Removes every cgroup below, depth first. Returns 0, or -1 with errno. */
int cgroup_clear(int folder);
/* Number of processes in the cgroup and below. */
int cgroup_count(int folder);
