/* SPDX-License-Identifier: MIT */
/*
 * Ptys of a session: those on which it was started, those that its processes have open, and those they
 * create. Other ptys, and their input, belong to other processes.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define PTYS_MADE 256
#define PTYS_KNOWN 4
#define TERMINALS_SPARE 2 /* number of places in enforce_fds */

struct ptys {
	pthread_mutex_t lock;
	struct {
		int fd_path;   /* O_PATH fd: loses its path when the pty no longer exists */
		uint64_t nest; /* nest of its creator */
	} made[PTYS_MADE];
	size_t made_count;
	/*
	 * granted by the layers; numbers only, because the layers refuse a later pty with the same number
	 */
	dev_t known[PTYS_KNOWN];
	size_t known_count;
	/* masters opened before the layers, which grant their slaves, were entered; -1: none */
	int spare[TERMINALS_SPARE];
};

struct sandbox;
struct broker;
struct enforce_main;
struct open_call;
struct stat;
struct notif_call;

/*
 * Before the layers are entered: grants the ptys that the command starts on, and the first ones that it
 * will create. Returns -1 with errno.
 */
int pty_grant(struct sandbox *box, const struct enforce_main *main);

/* Is it a pty or /dev/ptmx, and must the broker decide about it? */
bool pty_is_brokered(const struct open_call *o);
/* Do the layers grant it? */
bool pty_is_granted(const struct open_call *o);
/* Returns an fd if it is the session's, or -1 with errno after a report. */
int pty_open(const struct open_call *o);
/* Opens the caller's own terminal under any path, without further checks. */
int pty_open_object(const struct open_call *o, int object);
/* Was this pty made in the session, and can the caller's nest use it? */
bool pty_is_made(const struct notif_call *request, const struct stat *at);
/* Is an open pty at path the session's, for this access mode? */
bool pty_is_sessions(const struct notif_call *request, int object, const char *path, int mode);

#define MAKER "/dev/ptmx"
#define IOCTL_OTHER_END 0x5441 /* TIOCGPTPEER */
bool pty_is_slave(const struct stat *at);
