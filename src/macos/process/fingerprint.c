// SPDX-License-Identifier: MIT
/*
 * Creates, tests and removes a fingerprint. Its directory is new and readable by the user alone: no other
 * process can have created it, and its name tells nothing.
 */
#include "macos/process/fingerprint.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "macos/process/libsystem.h"

/* Below the user's state directory; the session id follows. */
#define PLACE "/fingerprints"
#define NAME "/cordon-"
#define EDITOR_FOLDER "/private/tmp/.zed-sandbox-"

static int
cannot(const char *folder, struct cordon_error *err)
{
	return cordon_fail(err, CORDON_E_PATH, errno, "cannot make the fingerprint in %.120s",
			   folder);
}

static bool
make_file(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	return fd >= 0 && close(fd) == 0;
}

bool
fingerprint_at(const char *folder, struct fingerprint *ret_fingerprint)
{
	struct fingerprint *to = ret_fingerprint;
	int room = (int)sizeof to->folder;

	if (snprintf(to->folder, sizeof to->folder, "%s", folder) < room &&
	    snprintf(to->allowed, sizeof to->allowed, "%s/allow", folder) < room &&
	    snprintf(to->denied, sizeof to->denied, "%s/deny", folder) < room)
		return true;
	*to->folder = '\0';
	errno = ENAMETOOLONG;
	return false;
}

bool
fingerprint_of_editor(const char *uuid, struct fingerprint *ret_fingerprint)
{
	char folder[sizeof EDITOR_FOLDER + 40];

	snprintf(folder, sizeof folder, EDITOR_FOLDER "%.36s", uuid);
	return fingerprint_at(folder, ret_fingerprint);
}

bool
fingerprint_is_one(const char *path)
{
	static const char middle[] = PLACE NAME;
	size_t length = strlen(path), tail = sizeof middle - 1 + 16;
	const char *id = path + length - 16;

	return *path == '/' && length > tail &&
	       strncmp(path + length - tail, middle, sizeof middle - 1) == 0 &&
	       id[strspn(id, "0123456789abcdef")] == '\0';
}

/* Canonical paths: a profile's path with a symbolic link matches nothing. */
static bool
name_pair(struct fingerprint *to, const char *folder)
{
	char real[PATH_MAX];

	return realpath(folder, real) != NULL && fingerprint_at(real, to);
}

int
fingerprint_make(const char *state_dir, const char *id, struct fingerprint *ret_fingerprint,
		 struct cordon_error *err)
{
	struct fingerprint made = {.folder = ""};
	char folder[PATH_MAX];
	int rc;

	if (snprintf(folder, sizeof folder, "%s" PLACE, state_dir) >= (int)sizeof folder ||
	    strlen(folder) + sizeof NAME + strlen(id) > sizeof folder) {
		errno = ENAMETOOLONG;
		return cannot(state_dir, err);
	}
	rc = fd_make_dir(folder, 0700, err);
	if (rc < 0)
		return rc;
	strcat(strcat(folder, NAME), id);
	/* an existing directory is not ours */
	if (mkdir(folder, 0700) < 0)
		return cannot(folder, err);
	if (!name_pair(&made, folder) || !make_file(made.allowed) || !make_file(made.denied)) {
		rc = cannot(folder, err);
		fingerprint_remove(&made);
		rmdir(folder);
		return rc;
	}
	*ret_fingerprint = made;
	return 0;
}

static int
ask(pid_t pid, const char *path)
{
	return sandbox_check(pid, "file-read-data", LIBSYSTEM_FILTER_PATH | SANDBOX_CHECK_NO_REPORT,
			     path);
}

bool
fingerprint_matches(const struct fingerprint *fingerprint, pid_t pid)
{
	/* the denied path first: it excludes every process without a sandbox */
	return *fingerprint->folder != '\0' && ask(pid, fingerprint->denied) > 0 &&
	       ask(pid, fingerprint->allowed) == 0;
}

void
fingerprint_remove(struct fingerprint *fingerprint)
{
	if (*fingerprint->folder == '\0')
		return;
	unlink(fingerprint->allowed);
	unlink(fingerprint->denied);
	rmdir(fingerprint->folder);
	*fingerprint->folder = '\0';
}
