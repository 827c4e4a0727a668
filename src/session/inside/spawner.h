/* SPDX-License-Identifier: MIT */
/*
 * The spawner of a shared session: a process that entered the box once and starts every command of
 * the session from inside it, so that all of them share one sandbox. Whoever wants a command
 * started connects to its socket, shows the token of the session's record, and hands over
 * descriptors 0 to 2 and a file in memory with the rest. From then on both speak as supervisor and
 * guard do: session/channel/channel.h.
 */
#pragma once

#include <stdint.h>

#include "session/session.h"

#define SPAWNER_MAGIC 0x706f7274u
enum { SPAWNER_FILE = 3, SPAWNER_EVENTS, SPAWNER_FDS }; /* after 0, 1 and 2 */
/* What execve takes at most, and some. */
#define SPAWNER_PAYLOAD_MAX (8u << 20)

/*
 * The first words of a client, in one piece as all others. The spawner answers with the number, or
 * closes.
 */
struct spawner_hello {
	uint32_t magic;
	char token[RECORD_TOKEN_LENGTH];
};

/* The second: what to start. The descriptors come with it. */
struct spawner_start {
	uint32_t magic;
	uint32_t terminal; /* 1: descriptor 0 becomes the controlling terminal */
	uint32_t mask;	   /* umask */
	uint32_t hears;	   /* 1: SPAWNER_EVENTS is a line for what is refused to it */
	uint64_t ignored;  /* signals that the caller ignores, bit N-1 for N */
	uint64_t blocked;  /* and those it blocks */
	int64_t grace_ms;  /* from SIGTERM to SIGKILL when its end is ordered */
};

/*
 * In the file: this, then strings, each with its NUL: the program, the working directory, the
 * arguments, the environment.
 */
struct spawner_payload {
	uint32_t arguments, variables;
};
_Static_assert(sizeof(struct spawner_hello) == 4 + RECORD_TOKEN_LENGTH &&
		       sizeof(struct spawner_start) == 40 && sizeof(struct spawner_payload) == 8,
	       "no padding");

/* What a spawner needs; all of it is made before the fork. */
struct spawner {
	int listener;
	int first;	   /* the first client, who needs no token */
	int line;	   /* to the guard; its end is the guard's */
	int events;	   /* where refusals arrive; -1: nothing refuses */
	bool free_connect; /* see stdio_check */
	char token[RECORD_TOKEN_LENGTH];
};

/* In the child, before the box: a session of its own, and nothing left of the caller's. */
int spawner_settle(struct cordon_error *err);
/* In the box. Ends when nothing runs any more and no client is there. No allocation. */
_Noreturn void spawner_main(const struct spawner *spawner);
/*
 * On that line: a number, with which the spawner asks whether nobody of the session is left but itself,
 * and the same number back as soon as that is so. What a command left behind may be nobody's child, and
 * from inside others cannot be seen.
 */
typedef uint32_t spawner_question;

/* spawner_child.c: a command, from the spawner's fork to exec. A failure goes to report. */
struct spawner_child {
	const struct spawner_start *start;
	const int *fds; /* SPAWNER_FDS */
	bool free_connect;
	int report;
};
_Noreturn void spawner_child_main(const struct spawner_child *child);

/*
 * spawner_client.c: the client's side. call connects and shows the token: a line to the spawner, or -1
 * with errno. start hands over a command; what follows is heard on the line.
 */
int spawner_client_connect(int folder, const char *id, const char *token);
struct spawner_caller {
	int line;
	int folder;	 /* of the records: no sandbox reaches into it */
	int standard[3]; /* 0, 1, 2 of the command */
	int events;	 /* where it hears of refusals; -1: nowhere */
};
int spawner_client_start(const struct spawner_caller *caller, struct spawner_start *start,
			 const struct command_line *command, struct cordon_error *err);
/* The listening socket beside the record. */
int spawner_client_listen(int folder, const char *id, struct cordon_error *err);
