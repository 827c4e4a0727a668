/* SPDX-License-Identifier: MIT */
/* Reports events of a session to the log, to the status fd, and in struct cordon_run. */
#pragma once

#include "audit/autorun_changes.h"
#include "discover/context.h"
#include "explain/denials.h"
#include "session/session.h"

struct report {
	const struct cordon_plan *context;
	const struct cordon_command *command;
	struct cordon_run *run;
	struct denials denials;	   /* for the lines of run; report_end frees them */
	struct denials *collected; /* gets the refusals as well; NULL: none */
	struct str uses;	   /* lines for the log that are written together */
	unsigned lost;		   /* events that could not be logged */
	char id[17];
};

void report_start(struct report *report);
/* failed: why the command was not started; NULL: it ended with result. */
void report_end(struct report *report, const struct session_result *result,
		const struct cordon_error *failed);
/* run.c: cordon_run, which also adds the refusals to `to`. */
int report_collect(struct cordon_plan *context, const struct cordon_command *command,
		   struct cordon_run *ret_run, struct denials *to, struct cordon_error *err);
/* sink is a struct report. */
void report_refusal(void *sink, const struct refusal *refusal);
void report_change(void *sink, const struct autorun_change *change);
/* Did opening the log fail because of an outer cordon? It denies cordon's directories, and logs. */
bool report_is_out_of_reach(const struct cordon_plan *context, const struct cordon_error *why);
/* Would opening the log fail for that reason? */
bool report_is_kept_outside(const struct cordon_plan *context);
