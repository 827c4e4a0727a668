/* SPDX-License-Identifier: MIT */
/*
 * Terminals of a session: those it was started on, those its processes hold, and those they make. All
 * others are somebody else's, and what is typed there is, too.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define PTYS_MADE 256
#define PTYS_KNOWN 4
#define TERMINALS_SPARE 2 /* as enforce_fds has places */

struct ptys {
	pthread_mutex_t lock;
	struct {
		int held;      /* by O_PATH: when it is gone its file has no name any more */
		uint64_t nest; /* whose it is */
	} made[PTYS_MADE];
	size_t made_count;
	/* the layers grant these; only numbers: a later one of the same is refused by them */
	dev_t known[PTYS_KNOWN];
	size_t known_count;
	/* masters opened before the layers were entered, which grant their other ends; -1: none */
	int spare[TERMINALS_SPARE];
};

struct sandbox;
struct broker;
struct enforce_main;
struct open_call;
struct stat;
struct notif_call;

/*
 * Before the layers are entered: grants the terminals that the command starts with, and the first few that
 * it will make. -1 with errno.
 */
int pty_grant(struct sandbox *box, const struct enforce_main *main);

/* Is it a terminal, or what makes one, and are they for the broker to tell apart? */
bool pty_is_brokered(const struct open_call *o);
/* One that the layers grant by themselves. */
bool pty_is_granted(const struct open_call *o);
/* The descriptor for it if it is the session's own, or -1 with errno; refusals are told. */
int pty_open(const struct open_call *o);
/* The caller's own, whatever its name: no questions asked. */
int pty_open_object(const struct open_call *o, int object);
/* Of a held terminal at path: is it the session's, to be used like this? */
bool pty_is_sessions(const struct notif_call *request, int object, const char *path, int mode);

#define MAKER "/dev/ptmx"
#define IOCTL_OTHER_END 0x5441 /* TIOCGPTPEER */
bool pty_is_slave(const struct stat *at);
