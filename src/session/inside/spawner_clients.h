/* SPDX-License-Identifier: MIT */
/* The spawner's clients, in a fixed array, so that nothing allocates. */
#pragma once

#include "session/inside/spawner.h"
#include "session/session.h"

#define CLIENTS_MAX 64

enum client_phase {
	UNAUTHENTICATED, /* has not sent the token */
	AUTHENTICATED,	 /* has sent it, and may start a command */
	RUNNING		 /* has started one */
};

struct client {
	int socket; /* -1: closed, or a free slot */
	int report; /* pipe of a command before exec; -1: none */
	int events; /* socket to which refusals are sent; -1: none */
	enum client_phase phase;
	pid_t pid;	 /* of its command, not reaped yet; 0: none */
	int64_t end_at;	 /* when to close the connection or end the command; 0: never */
	int64_t kill_at; /* when to send SIGKILL; 0: no SIGTERM or SIGHUP was sent */
	int64_t grace_ms;
	enum session_cause cause; /* from ORDER_END */
	bool is_ordered;
};

struct spawner_state {
	const struct spawner *spawner;
	pid_t guard;
	int signals;
	int events;		   /* socket from which refusals are read; -1: none */
	spawner_question question; /* pending; 0: none */
	spawner_question questions;
	struct client clients[CLIENTS_MAX];
};

/* The slot has neither a client nor a command. */
bool spawner_clients_is_free(const struct client *client);
bool spawner_clients_is_any(const struct spawner_state *state);
/* Is no slot free, and none used by an unauthenticated client? */
bool spawner_clients_is_full(const struct spawner_state *state);
/* Has it started a command, and is it still connected? */
bool spawner_clients_is_running(const struct client *client);
/* Forwards pending refusals to the clients of the refused commands. */
void spawner_clients_pass_on(struct spawner_state *state);
/* Forwards refusals that arrived without a running client to the next one, for its log. */
void spawner_clients_pass_on_old(struct spawner_state *state, const struct client *to);
/* Did the guard die? */
bool spawner_clients_is_orphaned(const struct spawner_state *state);
/* Is the spawner the last process? Sends a question once; true when the guard has answered. */
bool spawner_clients_is_last(struct spawner_state *state);
