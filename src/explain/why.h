/* SPDX-License-Identifier: MIT */
/* cordon why: whether an access is allowed, the rule that decided, and the narrowest remedy. */
#pragma once

#include "plan/plan.h"
#include "plan/secret.h"
#include "policy/model/cause.h"

struct resolved;

/*
 * what: rights as words or letters, or "connect", "socket", "env". Returns 1 if allowed, 0 if
 * denied, or an error. Adds the explanation to `to`.
 */
int why_answer(const struct plan *plan, const char *what, const char *subject, bool json,
	       struct str *to, struct cordon_error *err);
/* why_path.c: the same for rights at a path. */
int why_path(const struct plan *plan, const char *what, const char *subject, bool json,
	     struct str *to, struct cordon_error *err);
/* The members with which every answer in JSON begins: schema/cordon.why.schema.json. source may be NULL. */
struct why_head {
	const char *what, *subject;
	bool allowed;
	enum cause cause; /* if it is denied */
	const char *reason, *source;
};
void why_print_head(const struct why_head *head, struct str *to);
/* Resolves a path as typed by the user; *ret is in arena. */
int why_subject(const struct plan *plan, const char *subject, struct arena *arena,
		struct resolved *ret, struct cordon_error *err);
/* Prints "config.json:4:12" or "profile agent". */
void why_source(const struct planned_rule *rule, struct str *to);
