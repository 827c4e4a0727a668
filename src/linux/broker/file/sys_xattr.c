// SPDX-License-Identifier: MIT
/*
 * Extended attributes, in all forms of the calls. Name and value are read once; the target is found,
 * decided and changed like other metadata.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include "linux/broker/file/metadata.h"

#define XATTR_SIZE 65536

/* Symbolic links have no ACL; the errno depends on the attribute name. */
static int
refuse_link(const struct metadata_change *change)
{
	static const char *const kinds[] = {"user.", "trusted.", "security."};

	errno = EOPNOTSUPP;
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (strncmp(change->name, kinds[i], strlen(kinds[i])) == 0)
			errno = EPERM;
	return -1;
}

static int
change_attribute(int fd, mode_t kind, const struct metadata_change *change)
{
	char name[40];

	if (S_ISLNK(kind))
		return refuse_link(change);
	return setxattr(metadata_own_name(fd, name), change->name, change->value, change->size,
			change->flags);
}

static int
remove_attribute(int fd, mode_t kind, const struct metadata_change *change)
{
	char name[40];

	if (S_ISLNK(kind))
		return refuse_link(change);
	return removexattr(metadata_own_name(fd, name), change->name);
}

/* ---- access lists ---- */

/* linux/posix_acl_xattr.h, which not every libc has. */
struct list_head {
	uint32_t version;
};
struct list_entry {
	uint16_t tag, rights;
	uint32_t id;
};

/*
 * The mode bits where an entry counts. A named user or group counts as others; the mask only restricts and
 * is ignored.
 */
static mode_t
mode_of_entry(const struct list_entry *entry)
{
	mode_t rights = entry->rights & 7;

	switch (entry->tag) {
	case 0x01: /* the owner */
		return rights << 6;
	case 0x04: /* the group */
		return rights << 3;
	case 0x10: /* the mask */
		return 0;
	default:
		return rights;
	}
}

/* A malformed ACL counts as hiding and opening everything. */
static mode_t
mode_of_list(const void *value, size_t size)
{
	struct list_head head;
	struct list_entry entry;
	mode_t mode = 0;

	if (size < sizeof head || (size - sizeof head) % sizeof entry != 0)
		return S_IRWXG | S_IRWXO;
	memcpy(&head, value, sizeof head);
	if (le32toh(head.version) != 2)
		return S_IRWXG | S_IRWXO;
	for (size_t at = sizeof head; at < size; at += sizeof entry) {
		memcpy(&entry, (const char *)value + at, sizeof entry);
		entry.tag = le16toh(entry.tag);
		entry.rights = le16toh(entry.rights);
		mode |= mode_of_entry(&entry);
	}
	return mode;
}

static enum metadata_list
list_of_name(const char *name)
{
	if (strcmp(name, "system.posix_acl_access") == 0)
		return LIST_ACCESS;
	return strcmp(name, "system.posix_acl_default") == 0 ? LIST_DEFAULT : LIST_NONE;
}

/* The kernel treats an ACL without entries as none. */
static void
understand(struct metadata_change *change)
{
	change->list = list_of_name(change->name);
	if (change->list == LIST_NONE)
		return;
	change->is_removal = change->act == remove_attribute || change->size == 0 ||
			     change->size == sizeof(struct list_head);
	if (!change->is_removal)
		change->mode = mode_of_list(change->value, change->size);
}

/* ---- names and values ---- */

/* A name or value over the kernel's limit fails with the kernel's error. */
static int
read_attribute_name(const struct notif_call *request, uint64_t address, struct metadata_change *to)
{
	char name[PATH_MAX];
	int why = notif_path(request, address, name);

	if (why == ENAMETOOLONG || (why == 0 && (*name == '\0' || strlen(name) >= XATTR_NAME)))
		return ERANGE;
	if (why == 0) {
		strcpy(to->name, name);
		understand(to);
	}
	return why;
}

static int
read_attribute(const struct notif_call *request, uint64_t name, uint64_t value, uint64_t size,
	       struct metadata_change *to)
{
	int why = to->flags & ~(XATTR_CREATE | XATTR_REPLACE)
			  ? EINVAL
			  : read_attribute_name(request, name, to);

	to->act = change_attribute;
	if (why != 0)
		return why;
	if (size > XATTR_SIZE)
		return E2BIG;
	to->size = (size_t)size;
	to->value = size == 0 ? NULL : malloc((size_t)size);
	if (size == 0)
		return 0;
	if (to->value == NULL)
		return ENOMEM;
	why = notif_bytes(request, value, to->value, to->size);
	if (why == 0)
		understand(to);
	return why;
}

static void
set_attribute(const struct notif_call *request, enum lookup_follow follow, bool by_descriptor)
{
	const __u64 *a = request->notif.data.args;
	struct metadata_change change = {.flags = (int)a[4]};
	int why = read_attribute(request, a[1], a[2], a[3], &change);

	if (why != 0)
		notif_fail(request, why);
	else if (by_descriptor)
		metadata_change_descriptor(request, (int)a[0], &change);
	else
		metadata_change_path(request, AT_FDCWD, a[0], follow, &change);
	free(change.value);
}

void
sys_setxattr(const struct notif_call *request)
{
	set_attribute(request, LOOKUP_FOLLOW, false);
}

void
sys_lsetxattr(const struct notif_call *request)
{
	set_attribute(request, LOOKUP_KEEP, false);
}

void
sys_fsetxattr(const struct notif_call *request)
{
	set_attribute(request, LOOKUP_FOLLOW, true);
}

static struct metadata_at
attribute_at(const __u64 *a)
{
	return (struct metadata_at){.folder = (int)a[0],
				    .path = a[1],
				    .flags = (int)a[2],
				    .null_is_empty = true,
				    .needed_fd = METADATA_OPEN_FD};
}

/* directory, path, flags, name, struct xattr_args, its size */
void
sys_setxattrat(const struct notif_call *request)
{
	const __u64 *a = request->notif.data.args;
	struct {
		uint64_t value;
		uint32_t size, flags;
	} args = {0};
	const struct metadata_at at = attribute_at(a);
	struct metadata_change change = {0};
	int why = a[5] < sizeof args ? EINVAL : notif_bytes(request, a[4], &args, sizeof args);

	change.flags = (int)args.flags;
	if (why == 0)
		why = read_attribute(request, a[3], args.value, args.size, &change);
	if (why != 0)
		notif_fail(request, why);
	else
		metadata_change_at(request, &at, &change);
	free(change.value);
}

static void
drop_attribute(const struct notif_call *request, enum lookup_follow follow, bool by_descriptor)
{
	const __u64 *a = request->notif.data.args;
	struct metadata_change change = {.act = remove_attribute};
	int why = read_attribute_name(request, a[1], &change);

	if (why != 0)
		notif_fail(request, why);
	else if (by_descriptor)
		metadata_change_descriptor(request, (int)a[0], &change);
	else
		metadata_change_path(request, AT_FDCWD, a[0], follow, &change);
}

void
sys_removexattr(const struct notif_call *request)
{
	drop_attribute(request, LOOKUP_FOLLOW, false);
}

void
sys_lremovexattr(const struct notif_call *request)
{
	drop_attribute(request, LOOKUP_KEEP, false);
}

void
sys_fremovexattr(const struct notif_call *request)
{
	drop_attribute(request, LOOKUP_FOLLOW, true);
}

void
sys_removexattrat(const struct notif_call *request)
{
	const __u64 *a = request->notif.data.args;
	const struct metadata_at at = attribute_at(a);
	struct metadata_change change = {.act = remove_attribute};
	int why = read_attribute_name(request, a[3], &change);

	if (why != 0)
		notif_fail(request, why);
	else
		metadata_change_at(request, &at, &change);
}
