/* SPDX-License-Identifier: MIT */
/* A whole plan, in words or as JSON. */
#pragma once

#include "plan/plan.h"

extern const char *const keeping_names[];
extern const char *const routing_names[];

void print_text_plan(const struct plan *plan, bool verbose, struct str *to);
/* One line: which calls the broker answers, why, and what that costs. */
void print_text_calls(const struct plan *plan, struct str *to);
/* print_json.c */
void print_json_plan(const struct plan *plan, struct str *to);
/* digest.c: equal texts are equal sandboxes, whoever wrote the policy and where. */
void digest_print(const struct plan *plan, struct str *to);
