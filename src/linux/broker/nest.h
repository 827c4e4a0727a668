/* SPDX-License-Identifier: MIT */
/*
 * Sandboxes inside this one. The kernel has one listener for a whole tree of processes, so a cordon
 * inside another has no broker of its own: it comes to the door of the outer one, which asks it
 * about every path before it acts for one of its processes. A process that restricts itself without
 * coming to the door is never acted for again.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "git/config/git_config.h"
#include "linux/broker/broker.h"
#include "linux/broker/connect.h"
#include "linux/landlock/handshake.h"

enum nest_kind {
	NEST_DECIDE,   /* what may be done at the first text, a path? */
	NEST_LINK,     /* may a link be at the first text that says the second? */
	NEST_VET,      /* may what is in the descriptor be at the first text? */
	NEST_SOCKET,   /* may the socket at the first text be connected to? */
	NEST_NETWORK,  /* may the Internet's sockets be used at all? */
	NEST_CARRY,    /* may it come there with its folder? */
	NEST_ADDRESS,  /* may this address be connected to, sent to, or bound to? */
	NEST_DATAGRAMS /* may datagrams be used on the Internet's sockets? */
};
struct nest_question {
	uint64_t number;
	uint32_t kind;
	uint32_t vet;		  /* of NEST_VET */
	int64_t born, changed;	  /* of NEST_SOCKET: its file, in nanoseconds */
	struct destination at;	  /* of NEST_ADDRESS */
	uint8_t is_bind, is_far;  /* a server's; by a proxy, wherever that leads */
	uint8_t is_own;		  /* who listens there is one of the asked one's processes */
	uint8_t spare[3];	  /* no gap whose content nobody set */
	char texts[2 * PATH_MAX]; /* one or two, each with its end; the message ends there */
};
struct nest_answer {
	uint64_t number;
	uint32_t rights;    /* of NEST_DECIDE; of the others 0 or RIGHTS_ALL */
	uint32_t vet;	    /* VET_NOTHING: not vetted */
	uint8_t is_held;    /* a folder that must stay where it is */
	uint8_t guards;	    /* its inner layer withholds changes here */
	uint8_t is_by_name; /* only files, nothing else is made here */
	uint8_t is_here;    /* of NEST_ADDRESS: only this very server */
	uint8_t spare[4];   /* no gap whose content nobody set */
};

/* ---- the outer side ---- */

struct nest {
	uint64_t id;	      /* no other nest ever has it; 0: the session itself */
	int parent;	      /* its place */
	int depth;	      /* 1: in the session itself */
	int outermost;	      /* the place of the one of depth 1 that it is in or is */
	int users;	      /* calls that know it */
	int inside;	      /* nests whose parent it is */
	bool is_unregistered; /* it restricted itself, and nobody can be asked */
	int unregistered;     /* such a one inside this; 0: none yet. They are all the same */
	pid_t group;	      /* the process group that it was entered in */
	pid_t expects; /* the thread that came to the door and has not entered its layer yet */
	pthread_mutex_t lock;
	int line;	/* -1: nobody is there any more */
	uint64_t asked; /* the number of the last question */
	bool owes;	/* which it has not answered */
	int64_t since;	/* when it was asked */
	pthread_mutex_t
		queue; /* for what follows: calls of its processes that wait for an answer */
	struct late *waiting;
	int late; /* threads that begin them again */
};

/* Of one call: whom to ask; on the stack of the thread that answers it. */
#define NEST_DEPTH 16
struct nests;
struct nest_call {
	struct nests *nests;
	struct nest *chain[NEST_DEPTH]; /* innermost first */
	int depth;
	bool is_unregistered;	  /* one of them cannot be asked: nothing is done on behalf */
	int number;		  /* of the system call */
	int timeout_ms;		  /* how long an answer may take, in milliseconds */
	bool is_late;		  /* one took longer: the call is begun again without us waiting */
	bool is_incomplete;	  /* one of them does not answer at all */
	struct names_hold *names; /* suspended while a nest is queried; NULL: that is not done */
	bool is_disturbed;	  /* and one of those came in between: likewise begun again */
	int disturbed;		  /* how often that was */
};

/* To be called before the first thread serves; without memory there is no door. */
void nest_make(struct broker *broker);
/* Before and after each call; 0, or an errno for the caller. */
int nest_begin(const struct notif_call *request, struct nest_call *to);
void nest_end(const struct nest_call *call);
/* After a call that is late: nest is known to it no more. */
void nest_drop(const struct broker *broker, struct nest *nest);

/* Lets go of the lines of those that are gone. */
void nest_close_dead(const struct broker *broker);
/* Has anybody come to the door? */
bool nest_is_any(const struct broker *broker);
/*
 * Is a process, held by a pidfd, in the same sandbox as the caller, or further in? One that only
 * restricted itself is none.
 */
bool nest_holds(const struct notif_call *request, int fd, pid_t process);

/* The process group in which the caller's sandbox was started. */
pid_t nest_group(const struct notif_call *request);

/* May this path in procfs be looked into for the caller? Of processes that are not in the same sandbox
 * or further in, as the kernel has it, only what they show to everybody. */
bool nest_may_look(const struct notif_call *request, const char *path);
/* The sandbox that the caller is in, 0: this one; and is another the same, or further in? */
uint64_t nest_innermost(const struct notif_call *request);
bool nest_has_inside(const struct notif_call *request, uint64_t id);

/* nest_query.c */
void nest_close(struct nest *nest);
/* An answer is late: nothing is said about the call, and nothing told. */
bool nest_is_late(const struct notif_call *request);
/* Was every question of this call answered? To be asked before something is done by comparing. */
bool nest_is_complete(const struct notif_call *request);
/* nest_retry.c: begins a call again, in a thread of its own, until its questions are answered. */
#define PATIENCE_MS 25
void nest_retry(const struct notif_call *request, struct nest *nest);
/* How many plans are asked about this call beside our own. */
int nest_depth(const struct notif_call *request);
/* What the one of that number, from 1 on, says about path. */
struct verdict nest_decide(const struct notif_call *request, int number, const char *path);
/* Takes away what one of them refuses. */
void nest_narrow(const struct notif_call *request, const char *path, struct verdict *verdict);
/* Does one of them withhold changes at path? Do all? */
bool nest_any_covers(const struct notif_call *request, const char *path);
bool nest_all_cover(const struct notif_call *request, const char *path);
bool nest_unregistered(const struct notif_call *request);
bool nest_may_link(const struct notif_call *request, const char *path, const char *text);
/* Asks by NEST_VET or NEST_CARRY. */
bool nest_may_hold(const struct notif_call *request, const char *path, enum vet vet,
		   const struct gitconfig_text *text, enum nest_kind kind);

bool nest_may_connect(const struct notif_call *request, const char *path, int64_t born,
		      int64_t changed);
bool nest_may_network(const struct notif_call *request);
bool nest_may_datagrams(const struct notif_call *request);
/* by: whose process listens there; NULL: nobody's. *ret_here: one of them means that server only. */
bool nest_may_reach(const struct notif_call *request, const struct destination *at, bool is_bind,
		    uint64_t by, bool *ret_here);
/* Is one of them, or NULL, in the other, or the same? */
bool nest_is_in(const struct broker *broker, uint64_t id, const struct nest *around);

/* ---- the inner side, nest_serve.c ---- */

/* Answers for a plan until the line ends. The calling thread has its descriptors for itself. */
void nest_serve(struct broker *broker, int line);
