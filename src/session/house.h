/* SPDX-License-Identifier: MIT */
/* The porter's clients, for porter.c and house.c. A fixed number: nothing is allocated. */
#pragma once

#include "session/porter.h"
#include "session/session.h"

#define CLIENTS_MAX 64

enum stage {
	STRANGER, /* has to show the token */
	GUEST,	  /* has shown it, and may start a command */
	SERVED	  /* has started it */
};

struct client {
	int socket; /* -1: gone, or an empty place */
	int report; /* of a command that is being started; -1: none */
	int events; /* where it hears of refusals; -1: it does not */
	enum stage stage;
	pid_t pid;	 /* of its command, not yet collected; 0: none */
	int64_t end_at;	 /* then it is sent away, or its command is ended; 0: never */
	int64_t kill_at; /* then its command is killed; 0: not yet asked to end */
	int64_t grace_ms;
	enum session_cause cause; /* of an end that was ordered */
	bool is_ordered;
};

struct house {
	const struct porter *porter;
	pid_t guard;
	int signals;
	int events; /* refusals; -1: none will come */
	struct client clients[CLIENTS_MAX];
};

/* Its command was started, and it is there to hear of it. */
bool client_is_served(const struct client *client);
/* Refusals that have come, to whose command it was. */
void house_pass_on(struct house *house);
/* Those that came while nobody was there, for the log of the next one. */
void house_pass_on_old(struct house *house, const struct client *to);
