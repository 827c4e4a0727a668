/* SPDX-License-Identifier: MIT */
/* A whole plan, in words or as JSON. */
#pragma once

#include "plan/plan.h"

extern const char *const keeping_names[];
extern const char *const routing_names[];

void plan_print_text(const struct plan *plan, bool verbose, struct str *to);
/* One line: which calls the broker answers, why, and what that costs. */
void plan_print_calls(const struct plan *plan, struct str *to);
/* print_json.c */
void plan_print_json(const struct plan *plan, struct str *to);
/* digest.c: equal texts are equal sandboxes, whoever wrote the policy and where. */
void plan_print_identity(const struct plan *plan, struct str *to);
