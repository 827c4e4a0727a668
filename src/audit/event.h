/* SPDX-License-Identifier: MIT */
/*
 * The events of sessions: a closed list. Each is one line of JSON, on the status fd and in the log, as
 * schema/cordon.events.schema.json describes it. Texts may come from the command: they are escaped.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/* Version of the lines. A member may be added to a version, never removed or given another meaning. */
#define EVENT_VERSION 1

enum event_kind {
	EVENT_START,
	EVENT_REFUSED,
	EVENT_USED, /* what the policy allows was used: by a traced session, or a connection by name */
	EVENT_CHANGED, /* an autorun file */
	EVENT_PLANTED, /* a protected name in a ref or an index */
	EVENT_LIMIT,
	EVENT_TRUST,
	EVENT_END,
	EVENT_KINDS
};

/* How a refusal is known. */
enum event_known {
	KNOWN_DECIDED,	 /* the broker or the proxy refused it, or the kernel reported it */
	KNOWN_OBSERVED,	 /* the call was seen, and the errno that it returned */
	KNOWN_PREDICTED, /* the call was seen, and the policy denies it */
	KNOWN_GUESSED,	 /* nothing was seen; the command's output suggests it */
	KNOWN_KINDS
};

struct event_guarantee {
	const char *name, *how;
};

/* Of a long command the beginning is logged. */
struct event_start {
	char *const *argv;
	const char *name; /* of a shared session; NULL: none */
	const char *const *sources;
	size_t source_count;
	const struct event_guarantee *guarantees;
	size_t guarantee_count;
	const char *const *layers; /* that enforce the policy; none: the session is only tracked */
	size_t layer_count;
	const char *agent_session, *tool_use; /* ids that the caller's agent has; NULL: unknown */
	const char *const *notices; /* what a policy asks for and the session does not have */
	size_t notice_count;
};

struct event_refused {
	const char *what, *subject;
	const char *cause; /* word of the closed list of policy/model/cause.h */
	const char *guarantee;
	const char *rule;   /* NULL: none decided */
	const char *reason; /* a clause */
	const char *allow;  /* option or line of a policy; NULL: none */
	enum event_known known;
	int nest;	   /* 0: this session */
	bool fails_anyway; /* it would fail without cordon, too: by its mode, or because it is missing */
};

struct event_used {
	const char *what, *subject;
	enum event_known known;
};

/* For EVENT_CHANGED and EVENT_PLANTED. */
struct event_change {
	const char *what, *subject, *reason;
};

struct event_limit {
	const char *name; /* as in a policy */
};

struct event_trust {
	const char *what; /* "approved" or "revoked" */
	const char *file; /* policy of the project */
	const char *const *requests;
	size_t request_count;
};

struct event_survivor {
	int pid;
	const char *name;
};

struct event_end {
	const char *cause;
	const char *error; /* why nothing was started; NULL: it was, and the rest applies */
	bool is_signal;
	int status; /* or number of the signal */
	int64_t ms;
	int ended;   /* processes killed after the command ended */
	int refused; /* refusals, reported or not */
	int changed;
	bool hit_processes;
	bool lives_on;
	const struct event_survivor *survivors;
	size_t survivor_count;
};

struct event {
	enum event_kind kind;
	const char *session; /* NULL: none */
	const char *project; /* NULL: unknown */
	union {
		struct event_start start;
		struct event_refused refused;
		struct event_used used;
		struct event_change change;
		struct event_limit limit;
		struct event_trust trust;
		struct event_end end;
	} is;
};

extern const char *const event_names[EVENT_KINDS];
extern const char *const event_known_names[KNOWN_KINDS];
/* Prints the line, without a newline. */
void event_print(const struct event *event, struct str *to);
