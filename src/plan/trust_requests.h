/* SPDX-License-Identifier: MIT */
/* Requests of a project, for who narrows it and for who looks whether an approval still holds. */
#pragma once

#include "plan/plan.h"

/* One more, in words: all of them, because that is what is approved. */
int trust_requests_add(struct plan *plan, struct place place, struct cordon_error *err,
		       const char *format, ...) __attribute__((format(printf, 4, 5)));
/* For a rule that leads to path; note is put behind its words. */
int trust_requests_add_rule(struct plan *plan, const struct rule *rule, const char *path,
			    const char *note, struct cordon_error *err);
/* For a socket; path: where it leads, NULL for a preset. */
int trust_requests_add_socket(struct plan *plan, const struct word *word, const char *path,
			      struct cordon_error *err);
/* narrow_net.c: less network, never more. */
int narrow_net(struct plan *plan, const struct policy *project, struct cordon_error *err);
