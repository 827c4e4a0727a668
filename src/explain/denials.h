/* SPDX-License-Identifier: MIT */
/*
 * What a session was refused, folded for people and agents: many refusals below one folder become one line,
 * with the option and the policy that would allow them.
 */
#pragma once

#include "audit/event.h"
#include "plan/plan.h"

#define DENIALS_SHOWN 3

/* One refusal, or several that were folded. Texts are in the arena, none is NULL. */
struct denial {
	const char *what, *subject;
	const char *cause; /* its id */
	const char *rule, *reason;
	const char *allow; /* an option, or a line of a policy; "": none */
	enum event_known known;
	bool had_allow; /* each of them had an option: a folder's may have none */
	unsigned count; /* of different refusals */
	size_t first;	/* position of the first of them in the session */
};

struct denials {
	struct arena arena;
	struct denial *items;
	size_t count;
	size_t added; /* different refusals, whatever was folded */
};

/* Adds a refusal unless an equal one is there, or it would have failed without cordon, too. */
int denials_add(struct denials *denials, const struct event_refused *refused);
/*
 * Folds until at most DENIALS_SHOWN are left, or nothing can be folded, and puts those to be shown first.
 * plan may be NULL: then no folder is suggested.
 */
void denials_fold(struct denials *denials, const struct plan *plan);
/* Prints one without the folder's newline: "read PATH is denied by --deny; allow it with --read PATH". */
void denials_print_line(const struct denial *denial, struct str *to);
/* The base profile in use, which "extends" must name as well; plan may be NULL. */
const char *denials_base(const struct plan *plan);
/* Prints the members of a policy that would allow those that are shown; nothing if an option has none. */
void denials_print_policy(const struct denials *denials, const struct plan *plan, struct str *to);
/*
 * Prints an object of JSON for agents, of at most max bytes: {"v": 1, "session": ID, "refused": N, "hints":
 * [...], "more": N}.
 */
void denials_print_json(const struct denials *denials, const struct plan *plan, const char *session,
			size_t max, struct str *to);
/* Prints an array of all: [{"line": TEXT, "allow": OPTION, "policy": MEMBERS}]. */
void denials_print_list(const struct denials *denials, const struct plan *plan, struct str *to);
void denials_free(struct denials *denials);
#define auto_denials __attribute__((cleanup(denials_free)))
/* What the policy says to do after a refusal ("on_refusal"); NULL: nothing. */
const char *denials_advice(const struct plan *plan);
