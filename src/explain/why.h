/* SPDX-License-Identifier: MIT */
/* Answers: allowed or not, the rule that decided, and the narrowest thing that would change it. */
#pragma once

#include "plan/plan.h"
#include "plan/secret.h"

struct resolved;

/*
 * what: rights in words or letters, or "connect", "socket", "env". Returns 1 allowed, 0 denied, or an
 * error. The explanation is added to `to`.
 */
int why_answer(const struct plan *plan, const char *what, const char *subject, bool json,
	       struct str *to, struct cordon_error *err);
/* why_path.c: the same for rights at a path, */
int why_path(const struct plan *plan, const char *what, const char *subject, bool json,
	     struct str *to, struct cordon_error *err);
/* and where a path that somebody typed leads. */
int why_subject(const struct plan *plan, const char *subject, struct arena *arena,
		struct resolved *ret, struct cordon_error *err);
/* "config.json:4:12" or "profile agent". */
void why_source(const struct planned_rule *rule, struct str *to);
