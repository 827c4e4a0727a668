/* SPDX-License-Identifier: MIT */
/*
 * Refusals on their way from broker or proxy to the supervisor, which writes them to the log and the status
 * fd. Each socket is one end of a SOCK_SEQPACKET pair between processes of the same build.
 */
#pragma once

#include <stdint.h>

#include "base/str.h"

/* The reason if no rule matches a path: an add-on profile may grant it. */
#define REFUSAL_NOT_GRANTED "is not granted"
/* Refused while the network is off; the subject is the program. */
#define REFUSAL_NETWORK "network"
/* Likewise for System V IPC and datagrams. */
#define REFUSAL_SYSV "ipc.sysv"
#define REFUSAL_DATAGRAMS "network.udp"
/* The one remedy that is part of a policy and not an option. */
#define EVENT_ALLOW_ECH "\"network\": {\"ech\": \"allow\"}"

struct refusal {
	char what[16];		/* "connect", "resolve", "network", or a right on a file */
	char subject[280];	/* HOST:PORT, name, path or program; truncated if longer */
	char reason[200];	/* one clause for the user */
	char allow[300];	/* the narrowest option that would allow it, or "" */
	int32_t group, session; /* process group and session of the caller; 0: unknown */
	bool is_nobodys;	/* the caller is unknown, so the refusal is only logged */
};

/* Never blocks and ignores errors: the refusal holds also if nobody reads it. */
void refusal_send(int line, const struct refusal *refusal);
/* Receives the next refusal; false if none is pending. *ret_ended: the other end is closed. */
bool refusal_receive(int line, struct refusal *ret_refusal, bool *ret_ended);
/* Prints members of a JSON object, each preceded by a comma. */
void refusal_print(const struct refusal *refusal, struct str *to);
