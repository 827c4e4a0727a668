/* SPDX-License-Identifier: MIT */
/* Prints a plan as text, as JSON, or as a digest. */
#pragma once

#include "plan/plan.h"

extern const char *const keeping_names[];
extern const char *const routing_names[];

void print_text_plan(const struct plan *plan, bool verbose, struct str *to);
/* Prints one line: which system calls are supervised, why, and what that costs. */
void print_text_calls(const struct plan *plan, struct str *to);
/* print_json.c */
void print_json_plan(const struct plan *plan, struct str *to);
/* digest.c: two plans with equal texts make equal sandboxes, whatever the sources of the policy. */
void digest_print(const struct plan *plan, struct str *to);
