// SPDX-License-Identifier: MIT
/*
 * The private temporary folder. What a command left in it is hostile: names, modes, depth and links
 * are its choice. Removal walks by descriptors, never follows a link, and never leaves the folder.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/path.h"
#include "session/session.h"

/* Deeper folders are moved up to the top and removed from there, so descriptors do not run out. */
#define DEPTH_MAX 64
#define ROUNDS_MAX 10000

int
tmp_name(struct arena *arena, const struct host *host, const char **ret_path,
	 struct cordon_error *err)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
	const char *base = host_getenv(host, "TMPDIR");
	char real[4096], name[] = "cordon-XXXXXX";
	unsigned char random[6];
	char *path;

	if (base == NULL || *base != '/' || access(base, W_OK | X_OK) != 0)
		base = "/tmp";
	if (realpath(base, real) == NULL || getentropy(random, sizeof random) < 0)
		return cordon_fail(err, CORDON_E_PATH, errno, "cannot make a private folder in %s",
				   base);
	for (size_t i = 0; i < sizeof random; i++)
		name[7 + i] = letters[random[i] % (sizeof letters - 1)];
	path = path_join(arena, real, name, err);
	if (path == NULL)
		return -CORDON_E_MEMORY;
	*ret_path = path;
	return 0;
}

int
tmp_make(const char *path, struct cordon_error *err)
{
	/* fails if the name is there, be it a link */
	if (mkdir(path, 0700) < 0)
		return cordon_fail(err, CORDON_E_PATH, errno, "cannot make the private folder %s",
				   path);
	return 0;
}

static int empty(int top, int folder, int depth, int *left);

static int
enter(int folder, const char *name)
{
	int fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd >= 0 || errno != EACCES)
		return fd;
	/* it took its own right to look away; the folder is ours, so give it back */
	if (fchmodat(folder, name, 0700, 0) < 0)
		return -1;
	return openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static int
remove_folder(int top, int folder, const char *name, int depth, int *left)
{
	char moved[32];
	auto_fd int inner = -1;
	struct stat st;

	if (depth >= DEPTH_MAX) {
		snprintf(moved, sizeof moved, "cordon-deep-%d", *left);
		return renameat(folder, name, top, moved) == 0 || errno == ENOENT ? 0 : -1;
	}
	inner = enter(folder, name);
	if (inner < 0)
		return -1;
	/* without write and search a folder cannot be emptied */
	if (fstat(inner, &st) == 0 && (st.st_mode & 0700) != 0700)
		fchmod(inner, 0700);
	if (empty(top, inner, depth + 1, left) < 0)
		return -1;
	return unlinkat(folder, name, AT_REMOVEDIR);
}

static int
remove_entry(int top, int folder, const char *name, int depth, int *left)
{
	if (unlinkat(folder, name, 0) == 0 || errno == ENOENT)
		return 0;
	if (errno != EISDIR && errno != EPERM)
		return -1;
	return remove_folder(top, folder, name, depth, left);
}

static int
empty(int top, int folder, int depth, int *left)
{
	int copy = dup(folder);
	DIR *listing = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *entry;
	int rc = 0;

	if (listing == NULL) {
		if (copy >= 0)
			close(copy);
		return -1;
	}
	rewinddir(listing);
	while ((entry = readdir(listing)) != NULL && --*left > 0) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		if (remove_entry(top, folder, entry->d_name, depth, left) < 0)
			rc = -1;
	}
	closedir(listing);
	return rc;
}

int
tmp_remove(const char *path)
{
	auto_fd int top = -1;

	/* mostly it is empty, and then needs no descriptor, which there may be none of */
	if (rmdir(path) == 0 || errno == ENOENT)
		return 0;
	top = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (top < 0)
		return errno == ENOENT ? 0 : -1;
	fchmod(top, 0700);
	/* again until it is empty: deep folders were moved up, late writers may have added */
	for (int round = 0; round < ROUNDS_MAX; round++) {
		int left = 1 << 30;

		empty(top, top, 0, &left);
		if (rmdir(path) == 0)
			return 0;
		if (errno != ENOTEMPTY && errno != EEXIST)
			return -1;
	}
	return -1;
}
