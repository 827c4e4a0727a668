/* SPDX-License-Identifier: MIT */
/*
 * cgroups of the unified hierarchy (v2) by hand. Folders are given as descriptors; what happens in
 * one never reaches what is beside or above it. Nothing here allocates, so that the guard can use it
 * and a child before exec.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "enforce/session_group.h"

#define CGROUP2_MAGIC 0x63677270 /* what statfs says */

/* ---- cgroup.c: finding, making, reading ---- */

/* A file of lines, read piece by piece; one that is too long is left out. */
struct cgroup_lines {
	int fd;
	size_t start, end;
	char text[PATH_MAX + 256];
};
struct cgroup_lines cgroup_lines_open(int folder, const char *file);
/* Without its newline; NULL at the end, which also closes. */
char *cgroup_lines_next(struct cgroup_lines *lines);
void cgroup_lines_close(struct cgroup_lines *lines);

/* The folder of a name in the hierarchy, such as "/user.slice", wherever that is mounted. */
bool cgroup_locate(const char *name, char ret_path[PATH_MAX]);
/* The folder of the cgroup this process is in. */
bool cgroup_find_own(char ret_path[PATH_MAX]);
/* May we make cgroups in ours? */
bool cgroup_is_delegated(void);
/* Is the name a word of this file, such as a controller of cgroup.controllers? */
bool cgroup_has_word(int folder, const char *file, const char *word);
/* The number after a key of a file such as memory.events, or of a file that is one number ("");
 * false: none, or "max". */
bool cgroup_number(int folder, const char *file, const char *key, uint64_t *ret_number);
/* 0, or -1 with errno. */
int cgroup_write(int folder, const char *file, const char *text);
/* Switches on what the wish needs for the cgroups below; they stay on, others may rely on them. */
int cgroup_enable(int folder, const struct group_wish *wish);
/* Sets the wished limits; -1 with errno when one cannot be had. */
int cgroup_limit(int folder, const struct group_wish *wish);
/*
 * Where one can be made: in ours, or, when there are limits, which ours cannot give because it has
 * processes, beside ours. False with errno when nowhere.
 */
bool cgroup_place(const struct group_wish *wish, char ret_path[PATH_MAX]);
/* There, with its limits. -1 with errno: then nothing was left behind. */
int cgroup_make(const char *path, const struct group_wish *wish, int *ret_folder);

/* ---- cgroup_kill.c: ending and removing ---- */

bool cgroup_is_empty(int folder);
/* As session_group_kill. */
bool cgroup_kill(int folder, int deadline_ms);
/* Every cgroup below, depth first. 0 or -1 with errno. */
int cgroup_clear(int folder);
/* How many processes are in it and below. */
int cgroup_count(int folder);
