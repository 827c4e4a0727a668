/* SPDX-License-Identifier: MIT */
/* A change of metadata and its target. The kernel never continues such a call. */
#pragma once

#include <time.h>

#include "linux/broker/broker.h"

#define XATTR_NAME 256

/* The kind of ACL in an attribute; its entries imply a mode. */
enum metadata_list { LIST_NONE, LIST_ACCESS, LIST_DEFAULT };

/* The change, applied to an O_PATH fd or to an fd of the caller. */
struct metadata_change {
	int (*act)(int fd, mode_t kind, const struct metadata_change *change);
	mode_t mode; /* of an ACL: the bits that it implies for owner, group and others */
	enum metadata_list list;
	bool is_removal; /* removes the ACL */
	uid_t uid;
	gid_t gid;
	bool is_now; /* times: set to now */
	struct timespec times[2];
	char name[XATTR_NAME];
	void *value;
	size_t size;
	int flags;
};

/*
 * Required kind of fd: fchmod(2) and others refuse an O_PATH fd; for one that a path names, the error is
 * that of a missing path.
 */
enum metadata_fd { METADATA_ANY_FD, METADATA_OPEN_FD, METADATA_PATH_FD };

/* Target of a call with flags: a path, or with AT_EMPTY_PATH and an empty path the fd itself. */
struct metadata_at {
	int folder;
	uint64_t path;
	int flags;
	bool null_is_empty;
	enum metadata_fd needed_fd; /* required of the fd itself */
};

/* The changes, for the member act. */
int metadata_set_mode(int fd, mode_t kind, const struct metadata_change *change);
int metadata_set_owner(int fd, mode_t kind, const struct metadata_change *change);
int metadata_set_times(int fd, mode_t kind, const struct metadata_change *change);
/* Each answers the call: for an fd of the caller, or for a path. */
void metadata_change_descriptor(const struct notif_call *request, int number,
				const struct metadata_change *change);
void metadata_change_path(const struct notif_call *request, int folder, uint64_t address,
			  enum lookup_follow follow, const struct metadata_change *change);
void metadata_change_at(const struct notif_call *request, const struct metadata_at *at,
			const struct metadata_change *change);
/* The path of an fd in /proc/self/fd. */
const char *metadata_own_name(int fd, char to[40]);
