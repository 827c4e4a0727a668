/* SPDX-License-Identifier: MIT */
/* Prints a refusal with the plan that refused it: as text, as JSON, and for `why`. */
#pragma once

#include "ipc/refusal.h"
#include "plan/plan.h"

/* plan may be NULL: then parts that depend on it are left out. */

/* "read PATH is denied by --deny; allow it with --read PATH" */
void refused_print_line(const struct plan *plan, const struct refusal *refusal, struct str *to);
/* Prints members of a JSON object, each with a leading comma. */
void refused_print_json(const struct plan *plan, const struct refusal *refusal, struct str *to);
/* Print the cause: as a clause whose subject is "it", and as a JSON member with a leading comma. */
void refused_print_cause(const struct plan *plan, const struct refusal *refusal, struct str *to);
void refused_print_id(enum cause cause, struct str *to);
