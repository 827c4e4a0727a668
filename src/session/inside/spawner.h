/* SPDX-License-Identifier: MIT */
/*
 * The spawner of a shared session: a process that starts every command of the session inside one
 * sandbox. A client connects to its socket, sends the token of the record, and passes fds 0-2 and
 * an anonymous file with the arguments. From then on the protocol is that of supervisor and guard:
 * session/channel/channel.h.
 */
#pragma once

#include <stdint.h>

#include "session/session.h"

#define SPAWNER_MAGIC 0x706f7274u
enum { SPAWNER_FILE = 3, SPAWNER_EVENTS, SPAWNER_FDS }; /* after 0, 1 and 2 */
/* More than execve takes. */
#define SPAWNER_PAYLOAD_MAX (8u << 20)

/*
 * The first message of a client. Every message is one datagram. The spawner answers with the magic
 * number, or closes the connection.
 */
struct spawner_hello {
	uint32_t magic;
	char token[RECORD_TOKEN_LENGTH];
};

/* The second message: starts a command. The fds come with it. */
struct spawner_start {
	uint32_t magic;
	uint32_t terminal; /* 1: the first terminal of fds 0-2 becomes the controlling terminal */
	uint32_t mask;	   /* umask */
	uint32_t wants_events; /* 1: SPAWNER_EVENTS is a socket for refusals */
	uint64_t ignored;      /* signals that the client ignores, bit N-1 for N */
	uint64_t blocked;      /* signals that it blocks */
	int64_t grace_ms;      /* from SIGTERM to SIGKILL after ORDER_END */
};

/*
 * Contents of that file: this header, then NUL-terminated strings: the program, the working
 * directory, the arguments, the environment.
 */
struct spawner_payload {
	uint32_t arguments, variables;
};
_Static_assert(sizeof(struct spawner_hello) == 4 + RECORD_TOKEN_LENGTH &&
		       sizeof(struct spawner_start) == 40 && sizeof(struct spawner_payload) == 8,
	       "no padding");

/* Created before the fork. */
struct spawner {
	int listener;
	int first;	   /* socket of the first client, which needs no token */
	int line;	   /* channel to the guard; EOF means that the guard died */
	int events;	   /* socket from which refusals are read; -1: none */
	bool free_connect; /* see stdio_check */
	char token[RECORD_TOKEN_LENGTH];
};

/* Called before the sandbox is entered: setsid(), and drops environment and fds 0-2. */
int spawner_settle(struct cordon_error *err);
/* Exits when no process of the session and no client is left. No allocation. */
_Noreturn void spawner_main(const struct spawner *spawner);
/*
 * Sent to the guard: a number. The guard returns it as soon as the spawner is the last process of
 * the session. The spawner cannot know that: a process need not be its descendant, and inside the
 * sandbox it cannot list others.
 */
typedef uint32_t spawner_question;

/* spawner_child.c: a command from the spawner's fork to exec. Sends an error to report. */
struct spawner_child {
	const struct spawner_start *start;
	const int *fds; /* SPAWNER_FDS */
	bool free_connect;
	int report;
};
_Noreturn void spawner_child_main(const struct spawner_child *child);

/*
 * spawner_client.c: the client's side. _connect sends the token and returns a channel to the
 * spawner, or -1 with errno. _start sends a command; its events arrive on the channel.
 */
int spawner_client_connect(int folder, const char *id, const char *token);
struct spawner_caller {
	int line;
	int folder;	 /* of the records, which no sandbox can reach */
	int standard[3]; /* fds 0-2 of the command */
	int events;	 /* socket to which refusals are sent; -1: none */
};
int spawner_client_start(const struct spawner_caller *caller, struct spawner_start *start,
			 const struct command_line *command, struct cordon_error *err);
/* Returns the listening socket beside the record, or an error. */
int spawner_client_listen(int folder, const char *id, struct cordon_error *err);
