/* SPDX-License-Identifier: MIT */
/*
 * The broker: answers calls that the filter routes to it, by the plan. It acts on behalf inside
 * guarded trees and for everything that Landlock does not see; elsewhere the kernel goes on under
 * the inner layer. Its threads are under the outer layer, the most that the plan allows at all.
 */
#pragma once

#include <pthread.h>

#include "enforce/egress.h"
#include "linux/landlock.h"
#include "linux/request.h"
#include "linux/walk.h"
#include "plan/plan.h"

#define OWN_SOCKETS 256

/* A socket with a name that the session made. */
struct own_socket {
	uint64_t device, inode;
	int64_t born; /* in nanoseconds: numbers are given again */
};

struct broker {
	const struct plan *plan;
	const char *private_tmp; /* free; NULL: none */
	const struct guarded *trees;
	size_t tree_count;
	int listener;
	pthread_rwlock_t names;	 /* held while deciding and acting; for moves exclusively */
	int parked;		 /* calls that wait in threads of their own */
	int connecting;		 /* likewise, for who they connect to */
	struct egress egress;	 /* line -1: no proxy */
	pthread_mutex_t sockets; /* for what follows */
	pthread_cond_t answered; /* one of these was */
	struct asking *asking;
	uint64_t last_asked;
	int64_t started;		    /* like born; before the command was */
	struct own_socket own[OWN_SOCKETS]; /* the last ones */
	size_t own_count;
};

/* Nanoseconds by the clock that files get their times from. */
int64_t broker_now(void);
/* Serves the listener until the process ends. The calling thread has entered the outer layer. */
_Noreturn void broker_serve(struct broker *broker);

/* ---- for the handlers ---- */

typedef void broker_fn(struct broker *broker, const struct call *request);

/* What the plan says about a canonical path; the private tmp is free. */
struct verdict broker_judge(const struct broker *broker, const char *path);
/* Does the inner layer leave this to us? Otherwise it decides, and the kernel may go on. */
bool broker_guards(const struct broker *broker, const char *path, unsigned rights);

/* Where argument `folder` (or the working folder) and the path at `address` lead. */
enum walk_end broker_walk(const struct call *request, int folder, uint64_t address,
			  enum walk_follow follow, struct spot *ret_place);
/* The caller's descriptor that "/proc/self/fd/N" and its like name; -1: no such text. */
int broker_descriptor_name(const struct call *request, uint64_t address);

/* act_open.c, act_names.c, act_metadata.c, act_socket.c */
broker_fn act_open, act_openat, act_creat, act_openat2, act_truncate;
broker_fn act_mkdir, act_mkdirat, act_mknod, act_mknodat, act_symlink, act_symlinkat, act_unlink,
	act_unlinkat, act_rmdir, act_link, act_linkat, act_rename, act_renameat, act_renameat2;
broker_fn act_chmod, act_fchmod, act_fchmodat, act_fchmodat2, act_chown, act_lchown, act_fchown,
	act_fchownat, act_utime, act_utimes, act_futimesat, act_utimensat, act_setxattr,
	act_lsetxattr, act_fsetxattr, act_removexattr, act_lremovexattr, act_fremovexattr,
	act_setxattrat, act_removexattrat;
broker_fn act_socket, act_bind, act_listen, act_connect;
