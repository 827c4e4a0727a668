// SPDX-License-Identifier: MIT
/*
 * Modes in repositories. A user who can write to a repository can make its owner run code, so a command
 * cannot open one to other users by a mode, nor by a umask wider than the user's own.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/ascii.h"
#include "base/path.h"
#include "git/config/git_repo.h"
#include "linux/broker/git/git_check.h"
#include "linux/broker/long_name.h"

#define OTHERS (S_IWGRP | S_IWOTH)
#define LOCK ".lock"

/* In a git directory of any name, or the directory itself. */
static bool
is_gits(const char *path)
{
	char folder[PATH_MAX];

	if (long_name_is(path) || strstr(path, "/.git/") != NULL ||
	    ascii_same(path_last(path), ".git"))
		return true;
	snprintf(folder, sizeof folder, "%s", path);
	for (char *end = folder + strlen(folder); end != NULL && end > folder;
	     end = strrchr(folder, '/')) {
		*end = '\0';
		if (*folder != '\0' && git_repo_is_repository(folder))
			return true;
	}
	return false;
}

/* git gives a new file the mode of the file it replaces. */
static mode_t
mode_of_locked(const char *path)
{
	char locked[PATH_MAX];
	size_t length = strlen(path), end = strlen(LOCK);
	struct stat at;

	if (length <= end || strcmp(path + length - end, LOCK) != 0)
		return 0;
	snprintf(locked, sizeof locked, "%.*s", (int)(length - end), path);
	return fstatat(AT_FDCWD, locked, &at, AT_SYMLINK_NOFOLLOW) == 0 ? at.st_mode : 0;
}

mode_t
git_modes_closed_bits(const struct broker *broker, const char *path, mode_t mode)
{
	mode_t bits = mode & OTHERS & broker->umask;

	if (bits == 0 || broker_is_private_tmp(broker, path) || !is_gits(path))
		return 0;
	return bits & ~mode_of_locked(path);
}

bool
git_modes_are_closed(const struct broker *broker, const char *folder)
{
	static const char *const names[] = {
		"",	   "/hooks",	       "/info",	   "/objects",	"/refs",
		"/config", "/config.worktree", "/modules", "/worktrees"};
	char path[PATH_MAX + 32];
	struct stat at;

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		snprintf(path, sizeof path, "%s%s", folder, names[i]);
		if (fstatat(AT_FDCWD, path, &at, AT_SYMLINK_NOFOLLOW) == 0 &&
		    (at.st_mode & OTHERS & broker->umask) != 0)
			return false;
	}
	return true;
}
