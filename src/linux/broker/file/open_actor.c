// SPDX-License-Identifier: MIT
/* Decides whether the kernel, the broker or neither does an open. Reads nothing; queries only nests. */
#include <fcntl.h>

#include "linux/broker/file/open_file.h"
#include "linux/broker/nest.h"
#include "linux/broker/pty.h"

/*
 * O_TRUNC without write access truncates, and the inner layer does not check it: when the kernel opens the
 * file the path may lead elsewhere. With write access the layer refuses before it is truncated.
 */
static bool
truncates_unseen(const struct open_call *o)
{
	uint64_t mode = o->how.flags & O_ACCMODE;

	return o->request->broker->cuts_blindly && (o->how.flags & O_TRUNC) && mode != O_WRONLY &&
	       mode != O_RDWR;
}

/* Also where nothing is done on behalf. */
static bool
truncates_what_is_not_ours(const struct open_call *o)
{
	return truncates_unseen(o) &&
	       (*o->path == '\0' || o->found.is_proc || nest_unregistered(o->request));
}

/*
 * Does the inner layer withhold nothing of it there? Never where reading is brokered: the layer grants
 * reading so that programs start, and the path may lead elsewhere by then.
 */
static bool
kernel_decides(const struct open_call *o)
{
	unsigned rights = open_file_rights(o->how.flags);

	if (o->request->broker->reads)
		return false;
	if (pty_is_brokered(o))
		return pty_is_granted(o);
	if (*o->path == '\0' || o->found.is_proc)
		return true;
	if (open_file_is_shared(o))
		return nest_unregistered(o->request);
	if (open_file_is_anywhere(o))
		return false;
	if (o->how.flags & (O_CREAT | OPEN_TMPFILE))
		rights |= RIGHT_CREATE;
	return !broker_covers(o->request, o->path, rights) && !truncates_unseen(o);
}

/* The kernel would create the file with these bits. */
static bool
asks_setuid_mode(const struct open_call *o)
{
	return (o->how.flags & (O_CREAT | OPEN_TMPFILE)) &&
	       (o->how.mode & 07777 & ~(uint64_t)OPENING_MODE);
}

static bool
changes_vetted(const struct open_call *o)
{
	return o->verdict.vetted != NULL && (o->verdict.rights & RIGHTS_CHANGE) &&
	       !open_file_only_reads(o->how.flags);
}

enum open_actor
open_actor(const struct open_call *o)
{
	if (truncates_what_is_not_ours(o))
		return OPEN_REFUSE;
	if (kernel_decides(o))
		return asks_setuid_mode(o) ? OPEN_REFUSE : OPEN_KERNEL;
	return changes_vetted(o) ? OPEN_STAGE : OPEN_BROKER;
}
