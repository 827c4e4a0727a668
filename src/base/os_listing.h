/* SPDX-License-Identifier: MIT */
/* Directory listings, without allocation on Linux. Part of os.h. */
#pragma once

#include "base/os.h"

#if !defined(__linux__)
#include <dirent.h>
#include <unistd.h>
#endif

/*
 * The names in a directory, without "." and "..". os_listing_open takes ownership of fd, also on
 * failure. fd can be used as the directory's until the listing is closed.
 */
#if defined(__linux__)
struct os_listing {
	int fd;
	long size, at; /* bytes read, and offset of the next entry */
	_Alignas(8) char bytes[2048];
};

static inline int
os_listing_open(struct os_listing *ret_listing, int fd)
{
	ret_listing->fd = fd;
	ret_listing->size = ret_listing->at = 0;
	return fd < 0 ? -1 : 0;
}

static inline const char *
os_listing_next(struct os_listing *listing)
{
	/* struct linux_dirent64: inode, offset, then record length, type and name */
	enum { SIZE_AT = 16, NAME_AT = 19 };
	unsigned short size;
	const char *name;

	do {
		if (listing->at >= listing->size) {
			listing->size = syscall(SYS_getdents64, listing->fd, listing->bytes,
						sizeof listing->bytes);
			listing->at = 0;
		}
		if (listing->size <= 0)
			return NULL;
		memcpy(&size, listing->bytes + listing->at + SIZE_AT, sizeof size);
		name = listing->bytes + listing->at + NAME_AT;
		listing->at += size;
	} while (strcmp(name, ".") == 0 || strcmp(name, "..") == 0);
	return name;
}

static inline void
os_listing_close(struct os_listing *listing)
{
	close(listing->fd);
}
#else
struct os_listing {
	DIR *directory;
};

static inline int
os_listing_open(struct os_listing *ret_listing, int fd)
{
	ret_listing->directory = fd < 0 ? NULL : fdopendir(fd);
	if (ret_listing->directory == NULL && fd >= 0)
		close(fd);
	return ret_listing->directory == NULL ? -1 : 0;
}

static inline const char *
os_listing_next(struct os_listing *listing)
{
	const struct dirent *entry;

	do
		entry = readdir(listing->directory);
	while (entry != NULL &&
	       (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0));
	return entry == NULL ? NULL : entry->d_name;
}

static inline void
os_listing_close(struct os_listing *listing)
{
	closedir(listing->directory);
}
#endif
