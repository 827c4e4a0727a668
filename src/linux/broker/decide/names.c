// SPDX-License-Identifier: MIT
/* Refuses to create or remove a name, with the errno that the kernel would return. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "linux/broker/decide/names.h"

bool
names_is_there(const struct lookup *entry, struct stat *ret_stat)
{
	char name[NAME_MAX + 1];

	/* trailing slashes would follow a link */
	snprintf(name, sizeof name, "%.*s", (int)strcspn(entry->name, "/"), entry->name);
	return fstatat(entry->folder, *name == '\0' ? "." : name, ret_stat, AT_SYMLINK_NOFOLLOW) ==
	       0;
}

void
names_finish(const struct notif_call *request, int rc)
{
	if (rc < 0)
		notif_fail(request, errno);
	else
		notif_return(request, rc);
}

int
names_refuse(const struct notif_call *request, const struct lookup *entry,
	     const struct verdict *verdict, unsigned right)
{
	struct stat at;
	bool there = names_is_there(entry, &at);

	/* not reported if the kernel would fail, too: programs create directories that exist */
	if (verdict != NULL && there != (right == RIGHT_CREATE))
		refuse_rights(request, entry->path, verdict, right);
	errno = right == RIGHT_CREATE ? (there ? EEXIST : EACCES) : (there ? EACCES : ENOENT);
	return -1;
}
