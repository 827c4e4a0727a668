/* SPDX-License-Identifier: MIT */
/* Answers: allowed or not, the rule that decided, and the narrowest thing that would change it. */
#pragma once

#include "plan/plan.h"

/*
 * what: rights in words or letters, or "connect", "socket", "env". Returns 1 allowed, 0 denied, or an
 * error. The explanation is added to `to`.
 */
int why_answer(const struct plan *plan, const char *what, const char *subject, bool json,
	       struct str *to, struct cordon_error *err);
/* "config.json:4:12" or "profile agent"; the layer in front where that says more. */
void why_source(const struct planned_rule *rule, struct str *to);
/* Folders and files whose whole point is to be secret. */
bool why_is_secret(const struct plan *plan, const char *path);
