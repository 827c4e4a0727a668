/* SPDX-License-Identifier: MIT */
/*
 * Records of live sessions: one file each, in a folder that only the user can enter and no sandbox can
 * reach. Supervisor and guard hold its lock. A record without a lock is of a session that is over: the next
 * process that reads it reaps it, with its cgroup, its private tmp and its socket.
 */
#pragma once

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "enforce/process_id.h"

#define RECORD_ID_LENGTH 16
#define RECORD_NAME_MAX 64
#define RECORD_HASH_LENGTH 64
#define RECORD_TOKEN_LENGTH 64
#define RECORD_PROXY_LENGTH 36

/* Queued to the guard with a grace in milliseconds as its value, it ends the session. */
#define RECORD_END_SIGNAL SIGTERM

struct record_words {
	const char **items;
	size_t count;
};

struct record {
	const char *id;	  /* as in the audit log */
	const char *name; /* of a named session; else NULL */
	int64_t since;	  /* seconds since 1970 */
	struct process supervisor, guard;
	struct record_words command; /* the beginning of a long one */
	const char *project;	     /* NULL: none */
	struct record_words gaps;    /* guarantees that were given up by name */
	const char *cgroup;	     /* NULL: none */
	const char *tmp;	     /* the private folder; NULL: none */
	const char *policy;	     /* a hash of what is enforced */
	const char *token;	     /* what lets a command join; NULL: none can */
	const char *proxy;	     /* port and token of a named session's; NULL: none */
};

/* A record of our own. Plain data: the guard has it by fork, and the lock by the descriptor. */
struct record_hold {
	int fd; /* -1: none; close-on-exec */
	char path[PATH_MAX];
	off_t guard_at; /* where the guard's numbers stand in the file */
};

/* Letters, digits, "._-", not starting with one of these, and nothing that looks like an id. */
bool record_is_name(const char *text);

/*
 * The folder, as a descriptor; ret_path (PATH_MAX bytes, may be NULL) is its name. In runtime
 * (".../cordon") if what holds that is the user's alone, else in state. With make it is made where
 * it is missing, without it a missing folder is CORDON_E_PATH with ENOENT.
 */
int record_folder(const char *runtime, const char *state, bool make, char *ret_path,
		  struct cordon_error *err);
/* Writes the record of a new session and takes its lock. */
int record_make(int folder, const char *folder_path, const struct record *record,
		struct record_hold *ret_hold, struct cordon_error *err);
/* The guard is known only after it was started. */
int record_set_guard(const struct record_hold *hold, const struct process *guard);
/*
 * A grace for whoever is ordered to end the session, where a signal carries no value: beside the record,
 * before the signal. What it says, in milliseconds; 0: nothing. No allocation.
 */
int record_put_grace(int folder, const char *id, int grace_ms);
int record_grace(const struct record_hold *hold);
/*
 * The file beside the records that every session locks while it changes names, opened once more: its lock is
 * this descriptor's. -1: none. No allocation.
 */
int record_names(const struct record_hold *hold);
/* The session is over. No allocation; of two who hold it either may do it, or both. */
void record_remove(struct record_hold *hold);

enum record_state {
	RECORD_LIVE,
	RECORD_ODD,   /* someone holds it, and it cannot be read, or not yet */
	RECORD_GONE,  /* there is none, or none any more */
	RECORD_REAPED /* there was one, of a session that had ended; now there is none */
};
/*
 * Looks at one record; nothing in it is believed without a check. Only a live one fills
 * ret_record.
 */
enum record_state record_look(struct arena *arena, int folder, const char *id,
			      struct record *ret_record);
/* Every live session; dead records are reaped. */
int record_list(struct arena *arena, int folder, struct record **ret_records, size_t *ret_count,
		struct cordon_error *err);
/* At every start: reads a few records and reaps the dead ones. */
void record_sweep(int folder);

/* What lies beside a record, with these behind its name: the socket of a named session, a grace. */
#define RECORD_NAMES ".names" /* by itself, for all */
#define RECORD_SOCKET ".sock"
#define RECORD_GRACE ".end"
#define RECORD_SOCKET_SIZE (RECORD_ID_LENGTH + 6)
void record_beside(const char *id, const char *what, char to[RECORD_SOCKET_SIZE]);
void record_socket(const char *id, char to[RECORD_SOCKET_SIZE]);
