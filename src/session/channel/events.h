/* SPDX-License-Identifier: MIT */
/*
 * Refusals of a running session and its changes of autorun files, from broker and proxy to the
 * supervisor, which reports them.
 */
#pragma once

#include "audit/autorun_changes.h"
#include "ipc/refusal.h"

struct session_request;

/* At most that many of a session are reported. */
#define EVENTS_MAX 1000
#define USES_MAX 200000

struct event_source {
	int ours;   /* socket from which refusals are read; -1: none, or at EOF */
	int theirs; /* the other end, which broker and proxy inherit; then closed here */
	unsigned count, uses;
	struct autorun_changes *changed; /* NULL: nothing was opened */
};

/* Opens nothing if there is neither broker nor proxy. */
int events_open(const struct session_request *request, struct event_source *ret_source,
		struct cordon_error *err);
void events_handed_over(struct event_source *event_source);
/* Reports pending refusals. Call it when `ours` is readable, and once at the end. */
void events_drain(struct event_source *event_source, const struct session_request *request);
/* Reports the changes, after the session; returns how many more there are. */
unsigned events_changes(const struct event_source *event_source,
			const struct session_request *request);
void events_close(struct event_source *event_source);
