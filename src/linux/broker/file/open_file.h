/* SPDX-License-Identifier: MIT */
/*
 * One open on behalf: what was asked for, what its path names, and what the plan says about that.
 * sys_open.c says in which order; what is done to the file itself is here.
 */
#pragma once

#include <sys/stat.h>

#include "linux/broker/broker.h"
#include "linux/broker/lookup.h"

#define OPEN_TMPFILE 020000000 /* O_TMPFILE without the O_DIRECTORY that belongs to it */
/* Of a new file's mode: nothing that lends its owner's rights to whoever runs it. */
#define OPENING_MODE 01777

/* As openat2 has it. */
struct opening_how {
	uint64_t flags, mode, resolve;
};

/*
 * By which an open is done. One that has to wait is the broker's as well: of a lease that is found out only
 * by opening.
 */
enum open_actor {
	OPEN_KERNEL, /* under the inner layer, which decides here */
	OPEN_REFUSE, /* neither could the kernel do it safely nor the broker */
	OPEN_STAGE,  /* git_staging.c, if it writes a file that is checked */
	OPEN_BROKER  /* on behalf, or refused by the rights that are missing */
};

struct open_call {
	const struct notif_call *request;
	struct opening_how how;
	mode_t umask;
	int base; /* borrowed: where the way starts */
	const char *way;
	struct lookup found;
	struct stat at; /* of the object */
	char *path; /* of the object or the place; empty: it has none. NULL before it is judged */
	struct verdict verdict; /* by that path */
	enum open_actor actor;	/* by that verdict */
	int number;		/* the descriptor's, where it is not the next that is free */
};

unsigned open_rights(uint64_t flags);
/* Nothing is changed and nothing made. */
bool open_only_reads(uint64_t flags);
/* A regular file to be read in a folder that all share: no layer grants that. */
bool open_is_shared(const struct open_call *o);
/* Where it is asked for does not matter: it may be made in the private tmp. */
bool open_is_anywhere(const struct open_call *o);
/* open_actor.c: of one that is decided. */
enum open_actor open_actor(const struct open_call *o);
/* Fills path and verdict of what was found; 0, or an errno. */
int open_decide(struct open_call *o);
/*
 * Opens or makes it, by that verdict; -1 with errno. EINPROGRESS: somebody else answers. ESTALE: the
 * name leads elsewhere by now; EEXIST, where nothing was: something is there now.
 */
int open_execute(struct open_call *o);
/* What is there, as it is, once it may be. Never our terminal, never waiting. */
int open_reopen_fd(const struct open_call *o, int object);
/* OPEN_STAGE: the fd that is handed out is not of the file itself. -1: refused; 0: open it. */
int open_vetted(struct open_call *o);
