/* SPDX-License-Identifier: MIT */
/* Directory listings that need no memory where the system has such a call. A part of os.h. */
#pragma once

#include "base/os.h"

#if !defined(__linux__)
#include <dirent.h>
#include <unistd.h>
#endif

/*
 * The names in a directory, without "." and "..". The fd is taken over, also on failure; until the
 * listing is closed it serves as the directory's. Allocates nothing on Linux.
 */
#if defined(__linux__)
struct os_listing {
	int fd;
	long size, at; /* of the bytes read, and of the next entry in them */
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
	/* struct linux_dirent64: inode, offset, then the size of the entry, its type and its name */
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
