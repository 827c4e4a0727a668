/* SPDX-License-Identifier: MIT */
/* What happens in a session, for the log, the status descriptor, and the end of the run. */
#pragma once

#include "audit/autorun_changes.h"
#include "discover/context.h"
#include "session/session.h"

struct report {
	const struct cordon_plan *context;
	const struct cordon_command *command;
	struct cordon_run *run;
	bool has_network; /* a line about the network is kept */
	char id[17];
};

void report_start(struct report *report);
/* failed: the command was not started; NULL: it ended as result says. */
void report_end(struct report *report, const struct session_result *result,
		const struct cordon_error *failed);
/* sink is a report. */
void report_refusal(void *sink, const struct refusal *refusal);
void report_change(void *sink, const struct autorun_change *change);
/* Inside another cordon our own folders are closed, as they have to be: that one keeps the log. */
bool report_is_out_of_reach(const struct cordon_plan *context, const struct cordon_error *why);
/* The same, found out beforehand by reading. */
bool report_is_kept_outside(const struct cordon_plan *context);
