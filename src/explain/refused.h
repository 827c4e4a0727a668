/* SPDX-License-Identifier: MIT */
/* Prints a refusal with the plan that refused it: as text, as JSON, and for `why`. */
#pragma once

#include "audit/event.h"
#include "ipc/refusal.h"
#include "plan/plan.h"

/* plan may be NULL: then parts that depend on it are left out. */

/* "read PATH is denied by --deny; allow it with --read PATH" */
void refused_print_line(const struct plan *plan, const struct refusal *refusal, struct str *to);
/* Texts of an event; free them with refused_text_free. */
struct refused_text {
	struct str cause, rule, reason, option;
};
/* Fills an event; its texts belong to text and refusal. */
void refused_fill(const struct plan *plan, const struct refusal *refusal, struct refused_text *text,
		  struct event_refused *ret_event);
/* How the text of a cause stands behind a subject, by the id of the cause in an event. */
enum cause_form refused_form(const char *id);
void refused_text_free(struct refused_text *text);
/* Print the cause: as a clause whose subject is "it", and as a JSON member with a leading comma. */
void refused_print_cause(const struct plan *plan, const struct refusal *refusal, struct str *to);
void refused_print_id(enum cause cause, struct str *to);
