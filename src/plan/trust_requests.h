/* SPDX-License-Identifier: MIT */
/* The list of requests of a project. */
#pragma once

#include "plan/plan.h"

/* Adds a request. The text must be complete, because the user approves the text. */
int trust_requests_add(struct plan *plan, struct srcpos srcpos, struct cordon_error *err,
		       const char *format, ...) __attribute__((format(printf, 4, 5)));
/* Adds a request for a rule that leads to path; note is appended. */
int trust_requests_add_rule(struct plan *plan, const struct rule *rule, const char *path,
			    const char *note, struct cordon_error *err);
/* Adds a request for a socket; path is NULL for a preset. */
int trust_requests_add_socket(struct plan *plan, const struct word *word, const char *path,
			      struct cordon_error *err);
/* narrow_net.c: narrows the network. */
int narrow_net(struct plan *plan, const struct policy *project, struct cordon_error *err);
