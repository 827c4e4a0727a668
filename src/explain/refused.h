/* SPDX-License-Identifier: MIT */
/* The words for a refusal, by the plan that refused: for people, for programs and for `why`. */
#pragma once

#include "ipc/refusal.h"
#include "plan/plan.h"

/* plan may be NULL: then what depends on it is left out. */

/* "read PATH is denied by --deny; allow it with --read PATH" */
void refused_print_line(const struct plan *plan, const struct refusal *refusal, struct str *to);
/* Members of a JSON object, each with a comma in front. */
void refused_print_json(const struct plan *plan, const struct refusal *refusal, struct str *to);
/* The cause in a sentence about "it", and as a member of a JSON object with a comma in front. */
void refused_print_cause(const struct plan *plan, const struct refusal *refusal, struct str *to);
void refused_print_id(enum cause cause, struct str *to);
