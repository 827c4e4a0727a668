/* SPDX-License-Identifier: MIT */
/*
 * What was refused while a session runs, and what it changed that runs later: from broker and proxy
 * to whoever tells it.
 */
#pragma once

#include "audit/autorun_changes.h"
#include "ipc/refusal.h"

struct session_request;

/* At most that many of a session are told: the rest would say the same. */
#define EVENTS_MAX 1000

struct event_source {
	int ours;   /* refusals arrive here; -1: none, or no more */
	int theirs; /* for those who refuse; closed when they have it */
	unsigned count;
	struct autorun_changes *changed; /* NULL: nobody could note anything */
};

/* Nothing, where nobody could refuse anything but the kernel. */
int events_open(const struct session_request *request, struct event_source *ret_source,
		struct cordon_error *err);
void events_handed_over(struct event_source *event_source);
/* Tells what has come; to be called when ours can be read, and once at the end. */
void events_drain(struct event_source *event_source, const struct session_request *request);
/* Tells what was changed, when all is over; returns how many more there are. */
unsigned events_changes(const struct event_source *event_source,
			const struct session_request *request);
void events_close(struct event_source *event_source);
