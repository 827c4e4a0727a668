// SPDX-License-Identifier: MIT
/* Grants the terminals on which the command is started, before the layers are entered. */
#include "linux/broker/pty.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/fd.h"
#include "linux/sandbox.h"
#include "plan/pty.h"

#define IOCTL_NUMBER 0x80045432 /* TIOCGDEV */

static uint64_t
access_by_mode(int mode)
{
	return (mode == O_WRONLY ? 0u : (uint64_t)FILE_READ) |
	       (mode == O_RDONLY ? 0u : (uint64_t)FILE_WRITE | FILE_TRUNCATE) | FILE_IOCTL_DEV;
}

static int
grant(struct sandbox *sandbox, int fd, const struct stat *at, int mode)
{
	struct cordon_error err = {0};
	char path[40];
	uint64_t access = access_by_mode(mode);
	int rc = 0;

	snprintf(path, sizeof path, TERMINALS "/%u", minor(at->st_rdev));
	if (plan_own_terminals(sandbox->broker.plan, path) == 0)
		return 0;
	access &=
		ruleset_access_for_rights(index_decide(&sandbox->broker.plan->index, path).rights) |
		FILE_IOCTL_DEV;
	if (sandbox->outer >= 0)
		rc = ruleset_grant_file(sandbox->outer, RULESET_OUTER, sandbox->abi, fd, access,
					&err);
	if (rc == 0 && sandbox->ruleset >= 0)
		rc = ruleset_grant_file(sandbox->ruleset, sandbox->kind, sandbox->abi, fd, access,
					&err);
	errno = err.sys;
	return rc;
}

static int
grant_known(struct sandbox *sandbox, int fd, const struct stat *at, int mode)
{
	struct ptys *terminals = &sandbox->broker.terminals;
	int rc = grant(sandbox, fd, at, mode);

	if (rc == 0 && terminals->known_count < PTYS_KNOWN)
		terminals->known[terminals->known_count++] = at->st_rdev;
	return rc;
}

static int
grant_descriptor(struct sandbox *sandbox, int fd)
{
	struct stat at;
	int flags;

	if (fstat(fd, &at) < 0 || !pty_is_slave(&at))
		return 0;
	flags = fcntl(fd, F_GETFL);
	return flags < 0 || (flags & O_PATH) ? 0 : grant_known(sandbox, fd, &at, flags & O_ACCMODE);
}

/* By device number: what /dev/tty opens is reported as /dev/tty. */
static int
grant_controlling(struct sandbox *sandbox)
{
	auto_fd int own = open("/dev/tty", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC), fd = -1;
	unsigned number;
	char path[40];
	struct stat at;

	if (own < 0 || ioctl(own, IOCTL_NUMBER, &number) < 0)
		return 0;
	snprintf(path, sizeof path, TERMINALS "/%u", (number & 0xff) | ((number >> 12) & 0xfff00));
	fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &at) < 0 || !pty_is_slave(&at) ||
	    major(at.st_rdev) != ((number >> 8) & 0xfff))
		return 0;
	return grant_known(sandbox, fd, &at, O_RDWR);
}

/*
 * A Landlock rule is on an inode, and each pty has a new one. Opening a pty only for reading, by name or as
 * /dev/stdin, is decided by the layers alone. So the first few ptys of the command are created before it
 * starts. If that fails, these opens fail later; the start goes on.
 */
static int
grant_spare(struct sandbox *sandbox, int *ret_spare)
{
	auto_fd int master = open(MAKER, O_RDWR | O_NOCTTY | O_CLOEXEC), other = -1;
	struct stat at;
	int rc;

	if (master >= 0)
		other = ioctl(master, IOCTL_OTHER_END, O_PATH | O_CLOEXEC);
	if (other < 0 || fstat(other, &at) < 0 || !pty_is_slave(&at))
		return 0;
	rc = grant(sandbox, other, &at, O_RDWR);
	if (rc == 0) {
		*ret_spare = master;
		master = -1;
	}
	return rc;
}

static bool
makes_terminals(const struct plan *plan)
{
	unsigned rights = RIGHT_READ | RIGHT_WRITE;

	return (index_decide(&plan->index, MAKER).rights & rights) == rights;
}

int
pty_grant(struct sandbox *sandbox, const struct enforce_main *main)
{
	int rc = 0;

	if (main->standard == NULL || plan_own_terminals(sandbox->broker.plan, TERMINALS) == 0)
		return 0;
	for (int i = 0; rc == 0 && i < 3; i++)
		rc = grant_descriptor(sandbox, main->standard[i]);
	if (rc == 0)
		rc = grant_controlling(sandbox);
	for (int i = 0; rc == 0 && i < TERMINALS_SPARE && makes_terminals(sandbox->broker.plan);
	     i++)
		rc = grant_spare(sandbox, &sandbox->broker.terminals.spare[i]);
	return rc;
}
