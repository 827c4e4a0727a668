/* SPDX-License-Identifier: MIT */
/*
 * Records of live sessions: one file each, in a directory that only the user can enter and no
 * sandbox can reach. Supervisor and guard keep it locked. A record without a lock belongs to a dead
 * session: the next process that reads it removes it, with its cgroup, private tmp and socket.
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

/* sigqueue() to the guard ends the session; the value is the grace in milliseconds. */
#define RECORD_END_SIGNAL SIGTERM

struct record_words {
	const char **items;
	size_t count;
};

struct record {
	const char *id;	  /* as in the audit log */
	const char *name; /* of a shared session; else NULL */
	int64_t since;	  /* seconds since 1970 */
	struct process supervisor, guard;
	struct record_words command; /* may be cut off */
	const char *project;	     /* NULL: none */
	struct record_words gaps;    /* names of accepted gaps */
	const char *cgroup;	     /* NULL: none */
	const char *tmp;	     /* the private tmp; NULL: none */
	const char *policy;	     /* hash of the enforced policy */
	const char *token;	     /* a client sends it to join; NULL: not shared */
	const char *proxy; /* port and token of the proxy of a shared session; NULL: none */
};

/* This session's record. Plain data: the guard inherits it by fork, and the lock with the fd. */
struct record_file {
	int fd; /* -1: none; close-on-exec */
	char path[PATH_MAX];
	off_t guard_at; /* file offset of the guard's pid and start time */
};

/* Letters, digits and "._-", not starting with one of these three, and not the form of an id. */
bool record_is_name(const char *text);

/*
 * Opens the directory of records; ret_path (PATH_MAX bytes, or NULL) receives its path. It is in
 * runtime (".../cordon") if only the user can access the parent directory, else in state. Creates a
 * missing one if make is set, else fails with CORDON_E_PATH and ENOENT.
 */
int record_folder(const char *runtime, const char *state, bool make, char *ret_path,
		  struct cordon_error *err);
/* Writes the record of a new session and locks it. */
int record_make(int folder, const char *folder_path, const struct record *record,
		struct record_file *ret_file, struct cordon_error *err);
/* Adds the guard, which starts after the record is written. */
int record_set_guard(const struct record_file *file, const struct process *guard);
/*
 * The grace for the guard in a file beside the record, where a signal cannot carry a value. Must be
 * written before the signal is sent. record_grace returns milliseconds, or 0 if there is none. No
 * allocation.
 */
int record_put_grace(int folder, const char *id, int grace_ms);
int record_grace(const struct record_file *file);
/*
 * Opens the file that every session locks while it changes names. The new fd has its own lock.
 * Returns -1 if there is none. No allocation.
 */
int record_names(const struct record_file *file);
/* Removes the record at the end; supervisor and guard may both do it. No allocation. */
void record_remove(struct record_file *file);

enum record_state {
	RECORD_LIVE,
	RECORD_ODD,   /* locked, but unreadable or not complete yet */
	RECORD_GONE,  /* does not exist */
	RECORD_REAPED /* of a dead session; it was removed */
};
/* Reads one record and checks all of it. Only for a live one is ret_record filled. */
enum record_state record_look(struct arena *arena, int folder, const char *id,
			      struct record *ret_record);
/* Lists the live sessions, in arena, and reaps dead records. */
int record_list(struct arena *arena, int folder, struct record **ret_records, size_t *ret_count,
		struct cordon_error *err);
/* Called at every start: reads a few records and reaps the dead ones. */
void record_sweep(int folder);

/* Files beside the records. The suffixes .sock and .end follow an id. */
#define RECORD_NAMES ".ranges" /* one file for all sessions */
#define RECORD_SOCKET ".sock"
#define RECORD_GRACE ".end"
#define RECORD_SOCKET_SIZE (RECORD_ID_LENGTH + 6)
void record_beside(const char *id, const char *what, char to[RECORD_SOCKET_SIZE]);
void record_socket(const char *id, char to[RECORD_SOCKET_SIZE]);
