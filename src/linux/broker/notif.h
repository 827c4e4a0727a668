/* SPDX-License-Identifier: MIT */
/*
 * One seccomp notification: its arguments, read once from the caller's memory, and the caller's working
 * directory, fds and umask. Nothing is read a second time.
 */
#pragma once

#include <limits.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "linux/broker/affinity.h"

/*
 * Open fds of recent callers, cached by a receiving thread for the next call. All refer to one thread:
 * when it has exited, using them fails, even if its tid is reused.
 */
#define CALLER_FDS 8
#define NOTIF_TRIES 100 /* retries of an operation that hardly ever fails, before giving up */
struct caller_fds {
	pid_t thread; /* 0: unused. Of the rest, -1: not opened yet */
	int folder;   /* /proc/TID */
	int status;   /* status in that directory */
	int table;    /* pidfd, for the caller's fd table */
};

struct broker;
struct long_names;
struct names_use;
struct nest_call;

struct notif_call {
	struct seccomp_notif notif;
	int listener;
	pid_t thread;		     /* tid of the caller */
	struct caller_fds *fd_cache; /* CALLER_FDS entries of the receiving thread; NULL: none */
	struct affinity *affinity;   /* of the receiving thread; NULL: do not pin the caller */
	struct long_names *deep;     /* cache of long paths; NULL: none */
	struct broker *broker;
	struct names_use *names;  /* how this call holds the names lock */
	struct nest_call *nested; /* the nests of its caller (nest.h); NULL: none */
};

/* Returns 0 or an errno. An unterminated path fails with EFAULT or ENAMETOOLONG. */
int notif_path(const struct notif_call *request, uint64_t address, char to[PATH_MAX]);
int notif_bytes(const struct notif_call *request, uint64_t address, void *to, size_t size);
/* Writes to the caller's memory. Check notif_is_valid first. */
void notif_write(const struct notif_call *request, uint64_t address, const void *from, size_t size);
/* The directory that a relative path starts from, as an O_PATH fd; or -1 with *ret_errno. */
int notif_folder(const struct notif_call *request, int folder, int *ret_errno);
/*
 * A duplicate of the caller's fd, or without FACT_PIDFD_GETFD an O_PATH fd of the same file; or -1 with
 * *ret_errno.
 */
int notif_descriptor(const struct notif_call *request, int number, int *ret_errno);
/* The open flags of the caller's fd, of which fd is a notif_descriptor; -1: unknown. */
int notif_flags(const struct notif_call *request, int number, int fd);
/* The process of the caller's pidfd; -1: it has exited, 0: no pidfd. */
pid_t notif_pidfd_process(const struct notif_call *request, int number);
/* The number of the pty of which the caller's fd is an end; -1: none. */
int notif_terminal_number(const struct notif_call *request, int number);
/* The caller's umask; 077 if it cannot be read. */
mode_t notif_umask(const struct notif_call *request);
/* Does the call still wait, so that everything read above was the caller's? */
bool notif_is_valid(const struct notif_call *request);
/* A copy for another thread, without pointers to data of the receiving one. */
struct notif_call notif_copy(const struct notif_call *request);

/* Answers with an errno. ENOENT from the kernel means that the caller has died. */
void notif_fail(const struct notif_call *request, int why);
void notif_return(const struct notif_call *request, int64_t value);
/* Lets the kernel continue: only where the inner layer decides. */
void notif_continue(const struct notif_call *request);
/* Installs fd in the caller's table and returns its number as the result; always closes fd here. */
void notif_give(const struct notif_call *request, int fd, bool close_on_exec);
/* The same with a given number, which must be free in the caller's table. */
void notif_give_as(const struct notif_call *request, int fd, int number, bool close_on_exec);
/* Installs two fds, and closes them here; writes their numbers to int[2] at address. */
void notif_give_pair(const struct notif_call *request, const int pair[2], uint64_t address,
		     bool close_on_exec);
/* The process of the calling thread; 0: unknown. */
pid_t notif_process(const struct notif_call *request);
/*
 * Is there room for another fd in the caller's table? The kernel checks that before it creates or truncates
 * a file.
 */
bool notif_has_room(const struct notif_call *request);
/* Is this number free in the caller's table? */
bool notif_has_free(const struct notif_call *request, int number);
/*
 * Poll it while a call waits. Returns 0, or the errno for a pending signal. NOTIF_RESTART is the kernel's
 * ERESTARTSYS: EINTR, or restart if the handler says so. *looks belongs to one call and starts with 0.
 */
#define NOTIF_RESTART 512
int notif_interruption(const struct notif_call *request, int *looks);
