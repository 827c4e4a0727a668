// SPDX-License-Identifier: MIT
/* chmod, chown and their forms. */
#include <fcntl.h>
#include <sys/stat.h>

#include "linux/broker/file/metadata.h"

static struct metadata_change
mode_of(uint64_t mode)
{
	return (struct metadata_change){.act = metadata_set_mode, .mode = (mode_t)mode & 07777};
}

static struct metadata_change
owner_of(uint64_t uid, uint64_t gid)
{
	return (struct metadata_change){.act = metadata_set_owner,
					.uid = (uid_t)uid,
					.gid = (gid_t)gid};
}

void
sys_chmod(const struct notif_call *request)
{
	const __u64 *a = request->notif.data.args;
	struct metadata_change change = mode_of(a[1]);

	metadata_change_path(request, AT_FDCWD, a[0], LOOKUP_FOLLOW, &change);
}

void
sys_fchmod(const struct notif_call *request)
{
	const __u64 *a = request->notif.data.args;
	struct metadata_change change = mode_of(a[1]);

	metadata_change_descriptor(request, (int)a[0], &change);
}

void
sys_fchmodat(const struct notif_call *request)
{
	const __u64 *a = request->notif.data.args;
	struct metadata_change change = mode_of(a[2]);

	metadata_change_path(request, (int)a[0], a[1], LOOKUP_FOLLOW, &change);
}

void
sys_fchmodat2(const struct notif_call *request)
{
	const __u64 *a = request->notif.data.args;
	struct metadata_change change = mode_of(a[2]);
	struct metadata_at at = {.folder = (int)a[0], .path = a[1], .flags = (int)a[3]};

	metadata_change_at(request, &at, &change);
}

void
sys_chown(const struct notif_call *request)
{
	const __u64 *a = request->notif.data.args;
	struct metadata_change change = owner_of(a[1], a[2]);

	metadata_change_path(request, AT_FDCWD, a[0], LOOKUP_FOLLOW, &change);
}

void
sys_lchown(const struct notif_call *request)
{
	const __u64 *a = request->notif.data.args;
	struct metadata_change change = owner_of(a[1], a[2]);

	metadata_change_path(request, AT_FDCWD, a[0], LOOKUP_KEEP, &change);
}

void
sys_fchown(const struct notif_call *request)
{
	const __u64 *a = request->notif.data.args;
	struct metadata_change change = owner_of(a[1], a[2]);

	metadata_change_descriptor(request, (int)a[0], &change);
}

void
sys_fchownat(const struct notif_call *request)
{
	const __u64 *a = request->notif.data.args;
	struct metadata_change change = owner_of(a[2], a[3]);
	struct metadata_at at = {.folder = (int)a[0], .path = a[1], .flags = (int)a[4]};

	metadata_change_at(request, &at, &change);
}
