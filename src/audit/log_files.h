/* SPDX-License-Identifier: MIT */
/*
 * The files of the audit log. Events of a day (UTC) are appended to shell-YYYY-MM-DD.log. A full file is
 * renamed to shell-YYYY-MM-DD.N.log, N from 1, and the oldest files are deleted.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

/* A file is renamed at this size: it exceeds it by the lines that are written at the same time. */
#define LOG_FILE_MAX (8ll << 20)
/* The oldest files are deleted beyond this size of all, and this number of days. */
#define LOG_TOTAL_MAX (128ll << 20)
#define LOG_DAYS_MAX 90
#define LOG_CURRENT UINT32_MAX /* number of the file that is appended to */

struct log_file {
	char name[40];
	char day[11];	 /* "2026-01-31" */
	uint32_t number; /* of a full file; or LOG_CURRENT */
	int64_t size;
	uint64_t device, inode;
};

/* Lists the files, oldest first. A missing directory is an empty log. */
int log_files_list(struct arena *arena, const char *folder, struct log_file **ret_files,
		   size_t *ret_count, struct cordon_error *err);
/*
 * Renames the current file at path, open as fd, if it is full. True if the path must be opened again. One
 * process renames; others append to the full file until it has.
 */
bool log_files_rotate(const char *path, int fd);
/* Deletes files that are too old or too many; seconds: now. Failure is ignored: the next day tries again. */
void log_files_prune(const char *folder, uint64_t seconds);
