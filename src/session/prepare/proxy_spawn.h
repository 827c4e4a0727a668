/* SPDX-License-Identifier: MIT */
/* The proxy of a session, with network "domains": started before the box is made, ended with it. */
#pragma once

#include "ipc/proxy_task.h"
#include "session/record.h"

struct session_request;

struct proxy_hold {
	pid_t pid; /* 0: there is none */
	struct egress egress;
	int sockets[PROXY_SOCKETS]; /* held, so that nobody else gets the numbers */
	char token[PROXY_TOKEN_LENGTH + 1];
};

void proxy_none(struct proxy_hold *ret_hold);
/*
 * Nothing, where the plan needs no proxy. Ready when it returns: confined, and listening. What it
 * refuses it says to events; -1: to nobody.
 */
int proxy_start(const struct session_request *request, int events, struct proxy_hold *ret_hold,
		struct cordon_error *err);
/* Where it listens for programs, and its token, in hexadecimal digits; and back: false, none. */
void proxy_print(const struct proxy_hold *hold, char to[RECORD_PROXY_LENGTH + 1]);
bool proxy_read(const char *text, struct proxy_hold *ret_hold);
/* lives_on: so do processes of the session, and the proxy with them. */
void proxy_end(struct proxy_hold *hold, bool lives_on);

/* command.c: a variable cordon sets for programs that know proxies. NULL after the last. */
struct proxy_variable {
	const char *name;
	const char *value; /* NULL: the proxy's URL */
};
extern const struct proxy_variable proxy_variables[];
