/* SPDX-License-Identifier: MIT */
/*
 * Nests: sandboxes inside this one. The kernel allows one listener for a tree of processes, so a nested
 * cordon has no broker. It registers with the outer cordon by a handshake, and the outer broker queries
 * its policy about every path before it acts for one of its processes. For a process that added a layer
 * without the handshake the broker never acts again.
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
	NEST_DECIDE,   /* rights at the first text, a path */
	NEST_LINK,     /* may a link at the first text have the second as its text? */
	NEST_VET,      /* may the content of the fd be installed at the first text? */
	NEST_SOCKET,   /* may the socket at the first text be connected to? */
	NEST_NETWORK,  /* may Internet sockets be used at all? */
	NEST_CARRY,    /* may it get this path by a move of its directory? */
	NEST_ADDRESS,  /* may this address be connected to, sent to, or bound? */
	NEST_DATAGRAMS /* may Internet datagram sockets be used? */
};
struct nest_question {
	uint64_t number;
	uint32_t kind;
	uint32_t vet;		  /* for NEST_VET */
	int64_t born, changed;	  /* for NEST_SOCKET: birth and ctime of its file, in ns */
	struct destination at;	  /* for NEST_ADDRESS */
	uint8_t is_bind, is_far;  /* bind and not connect; reached through a proxy */
	uint8_t is_own;		  /* a process of the queried nest listens there */
	uint8_t spare[3];	  /* explicit padding */
	char texts[2 * PATH_MAX]; /* one or two strings with NUL; the message ends after them */
};
struct nest_answer {
	uint64_t number;
	uint32_t rights;    /* of NEST_DECIDE; other kinds: 0 or RIGHTS_ALL */
	uint32_t vet;	    /* VET_NOTHING: no inspection */
	uint8_t is_pinned;  /* a directory that must not be moved */
	uint8_t guards;	    /* its inner layer withholds changes here */
	uint8_t is_by_name; /* only regular files may be created here */
	uint8_t is_here;    /* NEST_ADDRESS: only this very server */
	uint8_t spare[4];   /* explicit padding */
};
_Static_assert(sizeof(struct nest_question) == 56 + 2 * PATH_MAX &&
		       sizeof(struct nest_answer) == 24,
	       "no padding");

/* ---- outer side ---- */

struct nest {
	uint64_t id;	      /* never reused; 0: the session itself */
	int parent;	      /* index of the parent */
	int depth;	      /* 1: directly in the session */
	int outermost;	      /* index of its ancestor of depth 1, or its own */
	int users;	      /* calls that refer to it */
	int inside;	      /* nests whose parent it is */
	bool is_unregistered; /* added a layer without the handshake: cannot be queried */
	/* one entry for all unregistered processes in this nest; 0: none yet */
	int unregistered;
	pid_t group;   /* the process group in which it registered */
	pid_t expects; /* the thread that registered and has not added its layer yet */
	pthread_mutex_t lock;
	int line;	       /* query socket; -1: closed */
	uint64_t asked;	       /* sequence number of the last query */
	bool is_pending;       /* a query is unanswered */
	int64_t since;	       /* when the last query was sent */
	pthread_mutex_t queue; /* protects the members below: calls that wait for an answer */
	struct late *waiting;
	int late; /* threads that retry them */
};

/* Nests to query for one call; on the stack of the thread that answers it. */
#define NEST_DEPTH 16
struct nests;
struct nest_call {
	struct nests *nests;
	struct nest *chain[NEST_DEPTH]; /* innermost first */
	int depth;
	bool is_unregistered;	 /* one of them is unregistered: do not act on behalf */
	int number;		 /* system call number */
	int timeout_ms;		 /* limit for an answer, in ms */
	bool is_late;		 /* an answer was late: retry the call in another thread */
	bool is_incomplete;	 /* one of them gave no answer */
	struct names_use *names; /* suspended while a nest is queried; NULL: not suspended */
	bool is_disturbed;	 /* another session changed names meanwhile: retry, too */
	int disturbed;		 /* how often names were changed */
};

/* Called before the first thread serves. Without memory there is no handshake. */
void nest_make(struct broker *broker);
/* Called before and after each call. nest_begin returns 0, or an errno for the caller. */
int nest_begin(const struct notif_call *request, struct nest_call *to);
void nest_end(const struct nest_call *call);
/* After a late call: ends its reference to the nest. */
void nest_drop(const struct broker *broker, struct nest *nest);

/* Closes query sockets of nests that have ended. */
void nest_close_dead(const struct broker *broker);
/* Has any nest registered? */
bool nest_is_any(const struct broker *broker);
/* Is a process, given by pidfd, in the caller's nest or deeper? False for an unregistered one. */
bool nest_holds(const struct notif_call *request, int fd, pid_t process);

/* The process group in which the caller's nest was started. */
pid_t nest_group(const struct notif_call *request);

/*
 * May the caller open this path in procfs? Of processes outside its nest only world-readable files, as in
 * the kernel.
 */
bool nest_may_look(const struct notif_call *request, const char *path);
/*
 * nest_innermost: id of the caller's nest, 0: the session. nest_is_in: is another nest the same, or deeper?
 */
uint64_t nest_innermost(const struct notif_call *request);
bool nest_has_inside(const struct notif_call *request, uint64_t id);

/* nest_query.c */
void nest_close(struct nest *nest);
/* A query is late: send no answer, report nothing. */
bool nest_is_late(const struct notif_call *request);
/* Were all queries of this call answered? Ask before acting on a comparison. */
bool nest_is_complete(const struct notif_call *request);
/* nest_retry.c: retries a call in its own thread until its queries are answered. */
#define PATIENCE_MS 25
void nest_retry(const struct notif_call *request, struct nest *nest);
/* Number of plans, besides the session's, that decide about this call. */
int nest_depth(const struct notif_call *request);
/* The decision of plan number (from 1) about path. */
struct verdict nest_decide(const struct notif_call *request, int number, const char *path);
/* Removes the rights that one of them refuses. */
void nest_narrow(const struct notif_call *request, const char *path, struct verdict *verdict);
/* Does any of them withhold changes at path? Do all? */
bool nest_any_covers(const struct notif_call *request, const char *path);
bool nest_all_cover(const struct notif_call *request, const char *path);
bool nest_unregistered(const struct notif_call *request);
bool nest_may_link(const struct notif_call *request, const char *path, const char *text);
/* Sends NEST_VET or NEST_CARRY. */
bool nest_allows_content(const struct notif_call *request, const char *path, enum vet vet,
			 const struct gitconfig_text *text, enum nest_kind kind);

bool nest_may_connect(const struct notif_call *request, const char *path, int64_t born,
		      int64_t changed);
bool nest_may_network(const struct notif_call *request);
bool nest_may_datagrams(const struct notif_call *request);
/* by: the nest whose process listens there; NULL: none. *ret_here: one of them allows this server only. */
bool nest_may_reach(const struct notif_call *request, const struct destination *at, bool is_bind,
		    uint64_t by, bool *ret_here);
/* Is the nest (by id, or NULL) the other one, or inside it? */
bool nest_is_in(const struct broker *broker, uint64_t id, const struct nest *around);

/* ---- nest side, nest_serve.c ---- */

/* Answers queries until the socket closes. The calling thread has its own fd table. */
void nest_serve(struct broker *broker, int line);
