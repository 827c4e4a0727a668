/* SPDX-License-Identifier: MIT */
/* The spawner's clients, for spawner.c and spawner_clients.c. A fixed number: nothing is allocated. */
#pragma once

#include "session/inside/spawner.h"
#include "session/session.h"

#define CLIENTS_MAX 64

enum client_phase {
	UNAUTHENTICATED, /* has to show the token */
	AUTHENTICATED,	 /* has shown it, and may start a command */
	RUNNING		 /* has started it */
};

struct client {
	int socket; /* -1: gone, or an empty place */
	int report; /* of a command that is being started; -1: none */
	int events; /* where it hears of refusals; -1: it does not */
	enum client_phase phase;
	pid_t pid;	 /* of its command, not yet collected; 0: none */
	int64_t end_at;	 /* then it is sent away, or its command is ended; 0: never */
	int64_t kill_at; /* then its command is killed; 0: not yet asked to end */
	int64_t grace_ms;
	enum session_cause cause; /* of an end that was ordered */
	bool is_ordered;
};

struct spawner_state {
	const struct spawner *spawner;
	pid_t guard;
	int signals;
	int events;		   /* refusals; -1: none will come */
	spawner_question question; /* that waits for its answer; 0: none does */
	spawner_question questions;
	struct client clients[CLIENTS_MAX];
};

/* The slot has neither a client nor a command. */
bool spawner_clients_is_free(const struct client *client);
bool spawner_clients_is_any(const struct spawner_state *state);
/* No slot is free, or could be taken from an unauthenticated client. */
bool spawner_clients_is_full(const struct spawner_state *state);
/* Its command was started, and it is there to hear of it. */
bool spawner_clients_is_running(const struct client *client);
/* Refusals that have come, to whose command it was. */
void spawner_clients_pass_on(struct spawner_state *state);
/* Those that came while nobody was there, for the log of the next one. */
void spawner_clients_pass_on_old(struct spawner_state *state, const struct client *to);
/* The guard is gone. */
bool spawner_clients_is_orphaned(const struct spawner_state *state);
/* Nobody but us: who was left behind may be nobody's child. Asked once, heard when it is so. */
bool spawner_clients_is_last(struct spawner_state *state);
