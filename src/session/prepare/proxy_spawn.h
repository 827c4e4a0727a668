/* SPDX-License-Identifier: MIT */
/* Starts and ends the proxy of a session whose network is "domains". */
#pragma once

#include "ipc/proxy_task.h"
#include "session/record.h"

struct session_request;

struct proxy_process {
	pid_t pid; /* 0: none */
	struct egress egress;
	int sockets[PROXY_SOCKETS]; /* kept open, so that the ports stay in use */
	char token[PROXY_TOKEN_LENGTH + 1];
};

void proxy_spawn_none(struct proxy_process *ret_process);
/*
 * Returns 0 with a proxy that is confined and listening, or without one if the plan needs none. The
 * proxy sends its refusals to events; -1: it does not report them.
 */
int proxy_spawn_start(const struct session_request *request, int events,
		      struct proxy_process *ret_process, struct cordon_error *err);
/* Port and token of the explicit proxy, in hexadecimal. proxy_spawn_read: false if text has none. */
void proxy_spawn_print(const struct proxy_process *process, char to[RECORD_PROXY_LENGTH + 1]);
bool proxy_spawn_read(const char *text, struct proxy_process *ret_process);
/* lives_on: do not kill the proxy, because processes of the session live on. */
void proxy_spawn_end(struct proxy_process *process, bool lives_on);

/* command.c: variables that cordon sets for programs that support proxies. Ends with a NULL name. */
struct proxy_variable {
	const char *name;
	const char *value; /* NULL: the proxy's URL */
};
extern const struct proxy_variable proxy_variables[];
