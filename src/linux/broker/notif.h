/* SPDX-License-Identifier: MIT */
/*
 * One routed call: what the caller asked for, read once from its memory, and what of the caller is
 * needed to answer: its folder, its descriptors, its umask. Nothing read here is read again.
 */
#pragma once

#include <limits.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "linux/broker/affinity.h"

/*
 * What a receiving thread keeps open of its callers, for the next call. All are of the very thread:
 * when it is gone they say so, whoever has its number then.
 */
#define CALLER_FDS 8
#define NOTIF_TRIES 100 /* of what can hardly fail, before everything is given up */
struct caller_fds {
	pid_t thread; /* 0: nobody; of the rest, -1: not asked for yet */
	int folder;   /* in /proc */
	int status;   /* in that folder */
	int table;    /* of descriptors: a pidfd */
};

struct broker;
struct long_names;
struct names_hold;
struct nest_call;

struct notif_call {
	struct seccomp_notif notif;
	int listener;
	pid_t thread;		 /* the caller, as the kernel numbers it */
	struct caller_fds *kept; /* CALLER_FDS of them, the receiving thread's own; NULL: none */
	struct affinity
		*affinity;	 /* the receiving thread's own; NULL: the caller may be anywhere */
	struct long_names *deep; /* what is remembered of long names; NULL: nothing */
	struct broker *broker;
	struct names_hold *names; /* how this call holds the names lock */
	struct nest_call *nested; /* the nests of its caller (nest.h); NULL: none */
};

/* 0, or an errno for the caller. A path that is not there whole is EFAULT or ENAMETOOLONG. */
int notif_path(const struct notif_call *request, uint64_t address, char to[PATH_MAX]);
int notif_bytes(const struct notif_call *request, uint64_t address, void *to, size_t size);
/* Into the caller's memory, where it asked for it; the call must be known to wait still. */
void notif_write(const struct notif_call *request, uint64_t address, const void *from, size_t size);
/* The folder a relative path starts from, held by O_PATH; or -1 with *ret_errno. */
int notif_folder(const struct notif_call *request, int folder, int *ret_errno);
/* The caller's own descriptor, shared with it; or -1 with *ret_errno. */
int notif_descriptor(const struct notif_call *request, int number, int *ret_errno);
/* What the caller's new files lack; 077 when it cannot be told. */
mode_t notif_umask(const struct notif_call *request);
/* Is the call still waiting, and was everything above about the very caller? */
bool notif_is_valid(const struct notif_call *request);
/* A copy for another thread: what belongs to the receiving one is left out. */
struct notif_call notif_copy(const struct notif_call *request);

/* Answers. ENOENT from the kernel means that the caller is gone: nothing is left to say. */
void notif_fail(const struct notif_call *request, int why);
void notif_return(const struct notif_call *request, int64_t value);
/* The kernel does it by itself: only where the inner layer decides. */
void notif_continue(const struct notif_call *request);
/* Puts fd, which is closed here in every case, into the caller's table and returns its number. */
void notif_give(const struct notif_call *request, int fd, bool close_on_exec);
/* The same under a number of our choice, which nothing has in the caller's table. */
void notif_give_as(const struct notif_call *request, int fd, int number, bool close_on_exec);
/* Two, which are closed here, with their numbers where the caller wants them: int[2] at address. */
void notif_give_pair(const struct notif_call *request, const int pair[2], uint64_t address,
		     bool close_on_exec);
/* The process that the calling thread belongs to; 0: it cannot be told. */
pid_t notif_process(const struct notif_call *request);
/* Could something be put into the caller's table? The kernel looks before it makes or cuts a file. */
bool notif_has_room(const struct notif_call *request);
/* Has the caller's table this number free? */
bool notif_has_free(const struct notif_call *request, int number);
/*
 * To be asked again and again while a call waits: 0, or what it has to fail with because a signal is
 * due. NOTIF_RESTART is the kernel's ERESTARTSYS: EINTR or once more, as the handler has it. looks
 * belongs to this one call and is 0 in the beginning.
 */
#define NOTIF_RESTART 512
int notif_interruption(const struct notif_call *request, int *looks);
