/* SPDX-License-Identifier: MIT */
/*
 * Landlock: builds a ruleset from a plan and enters it. Constants are defined here because kernels are
 * newer than the oldest supported headers.
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

/* Layout of struct landlock_ruleset_attr. An older kernel requires fields that it does not know to be 0. */
struct landlock_access {
	uint64_t files, net, scopes;
};

/* All rights that this ABI version can handle. */
struct landlock_access ruleset_access_for_abi(int abi);
/* The access to a tree that the rights stand for, in any ABI; never device nodes, ioctls or sockets. */
uint64_t ruleset_access_for_rights(unsigned rights);

/*
 * Returns a ruleset fd, or -1 with errno. Passes RULESET_SIZE bytes, zero-padded: the kernel ignores zero
 * padding, and an outer broker that supervises reads recognises a cordon by this size (tools/arguments.h).
 */
#define RULESET_SIZE 1000
int landlock_ruleset(const struct landlock_access *handled);

/* The kernel's Landlock ABI; 0: none, with the reason and remedy in *ret_why (may be NULL). */
int landlock_version(const char **ret_why);

/*
 * Opens a canonical path with O_PATH. Returns -1 with errno; ELOOP: the path now has a symbolic link.
 * open_verified_checked works without openat2: it compares the path that the kernel reports for the fd.
 */
int open_verified(const char *path);
int open_verified_checked(const char *path);
/* Opens a directory by its name in another one. Returns -1 if it is none, or a mount point. */
int open_verified_dir(int folder, const char *name);

/*
 * Trees where the broker decides what the inner layer withholds. Trees with executable files stay readable
 * to that layer, because execve reads the file.
 */
struct brokered_trees {
	/* unread: members of reads without executable files */
	struct path_set changes, reads, unread;
};

enum ruleset_kind {
	RULESET_ALONE, /* the only layer: grants what the plan allows */
	RULESET_OUTER, /* outer layer, also of the broker: the most that the plan allows anywhere */
	RULESET_INNER, /* inner layer: what the command may do without the broker */
	/* inner layer that restricts changes only; reads are as in the outer one */
	RULESET_CHANGES,
	RULESET_BARE /* ports and scopes only: another layer restricts files */
};

struct shared_files;
struct ruleset_options {
	enum ruleset_kind kind;
	const char *private_tmp;	    /* NULL: none */
	const struct brokered_trees *trees; /* for the inner layer; NULL: none */
	bool *wider;	 /* outer layer: set if it lets more be read or executed than the plan */
	bool is_brokers; /* also entered by the broker, which signals and connects */
	/* destination of its connects with network domains; NULL: none */
	const struct egress *egress;
	struct shared_files *shared; /* files for the next layer, see rules.h; NULL: none */
};

/* rules_net.c: which rights over ports a layer handles, and which ports it allows. */
uint64_t rules_net_handled(const struct plan *plan, const struct ruleset_options *options,
			   uint64_t known);
int rules_net_allow(const struct plan *plan, const struct ruleset_options *options, int ruleset,
		    struct cordon_error *err);

/*
 * Builds the ruleset of a plan: files, ports, scopes. *ret_fd is -1 without Landlock, or if nothing of it
 * is handled; the plan's guarantees account for that. Never grants what the index denies at the path
 * itself. An accepted gap (files.carveout, files.pattern) is a limit of Landlock: a rule grants a whole
 * tree and ignores a deny or pattern below. A rule for less than a tree grants at most the listing of
 * names; the rest is left out.
 */
int ruleset_make(const struct plan *plan, const struct ruleset_options *options, int *ret_fd,
		 struct cordon_error *err);
/*
 * For the broker, which must withhold the same without a layer: is path in a directory granted by a
 * profile, and withheld there? That is: files of a shared directory, and from root files readable by root
 * alone. Looks at modes and opens nothing.
 */
bool rules_entries_withholds(const struct plan *plan, const char *path);
/* Grants one more directory, whole, in a ruleset of that kind and ABI. Async-signal-safe. */
int ruleset_grant_tmp(int ruleset, enum ruleset_kind kind, int abi, const char *path,
		      struct cordon_error *err);
/* Likewise for one file by fd. */
int ruleset_grant_file(int ruleset, enum ruleset_kind kind, int abi, int fd, uint64_t access,
		       struct cordon_error *err);
/*
 * Restricts this thread and its children; no_new_privs must be set. Async-signal-safe. logs_commands: there are
 * audit records of what programs are denied that are executed later; needs ABI 7.
 */
int ruleset_enter(int ruleset, bool logs_commands, struct cordon_error *err);
/* The same without audit records of the caller's own denials: the broker tries calls that may be denied. */
int ruleset_enter_unlogged(int ruleset, int abi, bool logs_commands, struct cordon_error *err);
