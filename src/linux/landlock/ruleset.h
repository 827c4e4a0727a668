/* SPDX-License-Identifier: MIT */
/*
 * Landlock: from a plan to a ruleset, and into it. The constants are ours, because kernels are
 * newer than the headers we build with.
 */
#pragma once

#include <stdint.h>

#include "base/path_set.h"
#include "enforce/enforce.h"

enum landlock_file_access {
	FILE_EXECUTE = 1 << 0,
	FILE_WRITE = 1 << 1,
	FILE_READ = 1 << 2,
	FILE_READ_DIR = 1 << 3,
	FILE_REMOVE_DIR = 1 << 4,
	FILE_REMOVE = 1 << 5,
	FILE_MAKE_CHAR = 1 << 6,
	FILE_MAKE_DIR = 1 << 7,
	FILE_MAKE_REG = 1 << 8,
	FILE_MAKE_SOCK = 1 << 9,
	FILE_MAKE_FIFO = 1 << 10,
	FILE_MAKE_BLOCK = 1 << 11,
	FILE_MAKE_SYM = 1 << 12,
	FILE_REFER = 1 << 13,	     /* ABI 2 */
	FILE_TRUNCATE = 1 << 14,     /* ABI 3 */
	FILE_IOCTL_DEV = 1 << 15,    /* ABI 5 */
	FILE_RESOLVE_UNIX = 1 << 16, /* ABI 9 */
};
enum landlock_net_access {
	NET_BIND_TCP = 1 << 0, /* ABI 4 */
	NET_CONNECT_TCP = 1 << 1,
	NET_BIND_UDP = 1 << 2, /* ABI 10 */
	NET_CONNECT_SEND_UDP = 1 << 3,
};
enum landlock_scope {
	SCOPE_ABSTRACT_SOCKET = 1 << 0, /* ABI 6 */
	SCOPE_SIGNAL = 1 << 1,
};

/* Laid out as the kernel reads it; a kernel that knows fewer fields wants the rest to be 0. */
struct landlock_access {
	uint64_t files, net, scopes;
};

/* Everything that version of the interface can restrict. */
struct landlock_access ruleset_access_for_abi(int abi);
/* What our rights mean for a tree, whatever the ABI; never device nodes, ioctls or sockets. */
uint64_t ruleset_access_for_rights(unsigned rights);

/*
 * A ruleset's fd, or -1 with errno. The kernel is told of more than it knows, all of it 0: by that
 * size a broker around us that reads for everybody knows us (tools/arguments.h).
 */
#define RULESET_SIZE 1000
int landlock_ruleset(const struct landlock_access *handled);

/* The version this kernel speaks; 0: none, then *ret_why (may be NULL) says why and the way out. */
int landlock_version(const char **ret_why);

/*
 * Holds the file at a canonical path, or returns -1 with errno; ELOOP: a symbolic link stands on
 * the way now. open_verified_checked does it without openat2, by looking at where the open led.
 */
int open_verified(const char *path);
int open_verified_checked(const char *path);
/* A folder by its name in one that is held, if it is one and nothing is mounted there; else -1. */
int open_verified_dir(int folder, const char *name);

/*
 * Trees in which the broker decides what the inner layer withholds. Files of one in which programs
 * are run stay readable to that layer: to execute a file is to read it.
 */
struct brokered_trees {
	struct path_set changes, reads, unread; /* unread: of reads, where nothing is run */
};

enum ruleset_kind {
	RULESET_ALONE,	 /* the only layer: what the plan allows */
	RULESET_OUTER,	 /* the most that the plan allows anywhere, for the broker too */
	RULESET_INNER,	 /* what the command does without asking */
	RULESET_CHANGES, /* the same where all it reads and runs is as the outer one says */
	RULESET_BARE	 /* ports and scopes: files are decided by another layer */
};

struct kept_files;
struct ruleset_options {
	enum ruleset_kind kind;
	const char *private_tmp;	    /* NULL: none */
	const struct brokered_trees *trees; /* for the inner one; NULL: none */
	bool *wider;	 /* of an outer one: set where it lets more be read or run than the plan */
	bool is_brokers; /* also entered by the broker, which signals and connects */
	const struct egress *egress; /* what it connects to with network domains; NULL: none */
	struct kept_files *kept;     /* files for the next layer as well, see rules.h; NULL: none */
};

/* rules_net.c: which of those rights over ports a layer handles, and what it allows of them. */
uint64_t rules_net_handled(const struct plan *plan, const struct ruleset_options *options,
			   uint64_t known);
int rules_net_allow(const struct plan *plan, const struct ruleset_options *options, int ruleset,
		    struct cordon_error *err);

/*
 * The plan's whole file, network and scope part. *ret_fd is -1 where there is no Landlock, or none
 * that knows any of it; the plan's promises have said so. Never grants what the index denies at the very path, except where
 * an accepted gap (files.carveout, files.pattern) is Landlock's own: a tree is granted with all
 * that lies in it, a deny or pattern below it is not seen. A rule for less than a tree is never
 * made wider than a list of names for it: what of it cannot be said is left out.
 */
int ruleset_make(const struct plan *plan, const struct ruleset_options *options, int *ret_fd,
		 struct cordon_error *err);
/*
 * For who has to keep to it without the layer: is it in a folder that a profile grants, and kept back there? Names in one that
 * is shared, and from root what is for root alone. Looks at modes, and opens nothing.
 */
bool rules_entries_withholds(const struct plan *plan, const char *path);
/* One more folder, whole; a ruleset of that kind and version. Async-signal-safe. */
int ruleset_grant_tmp(int ruleset, enum ruleset_kind kind, int abi, const char *path,
		      struct cordon_error *err);
/* One more file, by a descriptor of it: likewise. */
int ruleset_grant_file(int ruleset, enum ruleset_kind kind, int abi, int fd, uint64_t access,
		       struct cordon_error *err);
/* For this thread and what it starts; no_new_privs must be set. Async-signal-safe. */
int ruleset_enter(int ruleset, struct cordon_error *err);
/* What is refused to the caller itself is not told to the kernel's audit: it tries all at once. */
int ruleset_enter_unlogged(int ruleset, int abi, struct cordon_error *err);
