/* SPDX-License-Identifier: MIT */
/*
 * Things that were refused, on their way from whoever refused them to the supervisor, which tells
 * the log and the status descriptor. A line is one end of a pair of SOCK_SEQPACKET sockets; both
 * ends are of the same build.
 */
#pragma once

#include <stdint.h>

#include "base/str.h"

/* The reason where no rule speaks about a path: a profile may grant it. */
#define REFUSAL_NOT_GRANTED "is not granted"
/* What is refused where there is no network; the subject is the program that asked. */
#define REFUSAL_NETWORK "network"
/* Likewise what others could be met by. */
#define REFUSAL_SYSV "ipc.sysv"
#define REFUSAL_DATAGRAMS "network.udp"
/* What may stand in allow beside options: a part of a policy. */
#define EVENT_ALLOW_ECH "\"network\": {\"ech\": \"allow\"}"

struct refusal {
	char what[16];		/* "connect", "resolve", "network", or a right on a file */
	char subject[280];	/* HOST:PORT, a name, a path, a program; cut when longer */
	char reason[200];	/* one clause for people */
	char allow[300];	/* the narrowest option that would allow it; empty: none would */
	int32_t group, session; /* of the process that tried; 0: not known */
	bool is_nobodys;	/* whose command it was is not known: it is for the log alone */
};

/* Never waits and never fails: a refusal that nobody reads is still a refusal. */
void refusal_send(int line, const struct refusal *refusal);
/* The next one; false: there is none now. *ret_ended: and there will be none. */
bool refusal_receive(int line, struct refusal *ret_refusal, bool *ret_ended);
/* Members of a JSON object, each with a comma in front. */
void refusal_print(const struct refusal *refusal, struct str *to);
