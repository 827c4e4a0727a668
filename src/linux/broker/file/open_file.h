/* SPDX-License-Identifier: MIT */
/*
 * One open on behalf: arguments, object and verdict. sys_open.c has the order of the steps; operations on
 * the file are here.
 */
#pragma once

#include <sys/stat.h>

#include "linux/broker/broker.h"
#include "linux/broker/lookup.h"

#define OPEN_TMPFILE 020000000 /* O_TMPFILE without its O_DIRECTORY bit */
/* Mode bits of a new file: no setuid and setgid. */
#define OPENING_MODE 01777

/* struct open_how of openat2(2). */
struct opening_how {
	uint64_t flags, mode, resolve;
};

/*
 * Decides which side does an open. One that has to wait is the broker's: a lease is noticed only by
 * opening.
 */
enum open_actor {
	OPEN_KERNEL, /* under the inner layer, which decides here */
	OPEN_REFUSE, /* neither the kernel nor the broker could do it safely */
	OPEN_STAGE,  /* git_staging.c, if it writes a vetted file */
	OPEN_BROKER  /* on behalf, or refused for missing rights */
};

struct open_call {
	const struct notif_call *request;
	struct opening_how how;
	mode_t umask;
	int base; /* not owned: directory where the path starts */
	const char *way;
	struct lookup found;
	struct stat at;		/* of object */
	char *path;		/* of the object or new name; empty: none; NULL: not decided yet */
	struct verdict verdict; /* for path */
	enum open_actor actor;	/* by that verdict */
	int number;		/* fd number to install; -1: the next free one */
};

unsigned open_file_rights(uint64_t flags);
/* Do the flags neither change nor create anything? */
bool open_file_only_reads(uint64_t flags);
/* Opens a regular file in a shared directory for reading: no layer grants that. */
bool open_file_is_shared(const struct open_call *o);
/* An unnamed file may be created in the private tmp instead. */
bool open_file_is_anywhere(const struct open_call *o);
/* open_actor.c: for an open that is decided. */
enum open_actor open_actor(const struct open_call *o);
/* Sets path and verdict. Returns 0 or an errno. */
int open_file_decide(struct open_call *o);
/*
 * Opens or creates by the verdict. Returns -1 with errno. EINPROGRESS: another thread answers. ESTALE: the
 * path leads elsewhere by now. EEXIST: a missing file was created meanwhile.
 */
int open_file_execute(struct open_call *o);
/* Reopens an object. Never makes a terminal the controlling one, never blocks. */
int open_file_reopen(const struct open_call *o, int object);
/* OPEN_STAGE: the fd that the caller gets is not the file's. -1: refused; 0: open the file. */
int open_file_stage(struct open_call *o);
