/* SPDX-License-Identifier: MIT */
/*
 * A file system in a table, for tests: each row is a path and what is there; folders above a row
 * exist by themselves. The row with a NULL path ends the table.
 */
#pragma once

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "host/fs_view.h"

struct fake_entry {
	const char *path;
	enum fs_kind kind;
	const char *link; /* of FS_LINK */
};

static inline enum fs_kind
fake_look(const void *ctx, const char *path, char *link)
{
	enum fs_kind above = strcmp(path, "/") == 0 ? FS_DIR : FS_MISSING;
	size_t length = strlen(path);

	for (const struct fake_entry *entry = ctx; entry->path != NULL; entry++) {
		if (strcmp(path, entry->path) == 0) {
			if (entry->kind == FS_LINK)
				snprintf(link, PATH_MAX, "%s", entry->link);
			return entry->kind;
		}
		if (strncmp(entry->path, path, length) == 0 && entry->path[length] == '/')
			above = FS_DIR;
	}
	return above;
}

static inline struct fs_view
fake_fs(const struct fake_entry *entries)
{
	return (struct fs_view){.ctx = entries, .look = fake_look};
}
