/* SPDX-License-Identifier: MIT */
/* A change of metadata: what is done, and to what it is done. Nothing of it is left to the kernel. */
#pragma once

#include <time.h>

#include "linux/broker/broker.h"

#define XATTR_NAME 256

/* Which access list an attribute is: it says more exactly what a mode says. */
enum metadata_list { LIST_NONE, LIST_ACCESS, LIST_DEFAULT };

/* What is changed, on a held object: an O_PATH descriptor, or one of the caller's. */
struct metadata_change {
	int (*act)(int fd, mode_t kind, const struct metadata_change *change);
	mode_t mode; /* of a list: what it comes to, whoever it names */
	enum metadata_list list;
	bool is_removal; /* of that list */
	uid_t uid;
	gid_t gid;
	bool is_now; /* times: no times given */
	struct timespec times[2];
	char name[XATTR_NAME];
	void *value;
	size_t size;
	int flags;
};

/*
 * What a descriptor has to be: fchmod(2) and its like take none that was opened with O_PATH. One that a path
 * names is missing as a path is.
 */
enum metadata_holding { HOLDING_ANY, HOLDING_OPEN, HOLDING_NAMED };

/* What a call with flags names: by a path, or with AT_EMPTY_PATH and an empty one the folder itself. */
struct metadata_at {
	int folder;
	uint64_t path;
	int flags;
	bool null_is_empty;
	enum metadata_holding holding; /* of the folder itself */
};

/* What a change does, as its act. */
int metadata_set_mode(int fd, mode_t kind, const struct metadata_change *change);
int metadata_set_owner(int fd, mode_t kind, const struct metadata_change *change);
int metadata_set_times(int fd, mode_t kind, const struct metadata_change *change);
/* Each answers the request. A descriptor of the caller's that is open; what a path names. */
void metadata_change_descriptor(const struct notif_call *request, int number,
				const struct metadata_change *change);
void metadata_change_path(const struct notif_call *request, int folder, uint64_t address,
			  enum lookup_follow follow, const struct metadata_change *change);
void metadata_change_at(const struct notif_call *request, const struct metadata_at *at,
			const struct metadata_change *change);
/* Our own name for what a descriptor holds. */
const char *metadata_own_name(int fd, char to[40]);
