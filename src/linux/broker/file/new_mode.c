// SPDX-License-Identifier: MIT
/* Applies a caller's umask. Without threads that have their own, the process's umask is 0. */
#include "linux/broker/file/new_mode.h"

#include <sys/stat.h>
#include <sys/xattr.h>

#include "linux/broker/file/metadata.h"

/* folder may be AT_FDCWD for an absolute path that is not looked at: the private tmp has no ACL. */
static bool
has_default_acl(int folder)
{
	char name[40];

	return folder >= 0 &&
	       getxattr(metadata_own_name(folder, name), "system.posix_acl_default", NULL, 0) > 0;
}

mode_t
new_mode(const struct broker *broker, int folder, mode_t mode, mode_t mask)
{
	if (broker->has_own_fs)
		umask(mask);
	else if ((mode & mask) != 0 && !has_default_acl(folder))
		mode &= ~mask;
	return mode;
}
