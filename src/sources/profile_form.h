/* SPDX-License-Identifier: MIT */
/*
 * A built-in profile as tools/make-profiles.c writes it when cordon is built: what the reader makes of its text on
 * one system, in tables of small numbers, so that a start parses no profile. A text is an offset in one pool; 0
 * is no text.
 */
#pragma once

#include "policy/model/model.h"

struct form_place {
	uint16_t line, column;
};
struct form_word {
	uint16_t text;
	struct form_place srcpos;
};
/* Items of one list in the table of all rules or of all words. */
struct form_span {
	uint16_t first, count;
};
struct form_rule {
	uint16_t path, why;
	struct form_place srcpos;
	uint8_t effect, rights, match, list;
	bool worktrees, optional, implied, skips_missing;
};
struct profile_form {
	bool has_extends, has_default;
	uint8_t default_rights, net, env, tmp;
	struct form_place default_srcpos, net_place, env_place, tmp_srcpos;
	struct form_span rules, extends, domains, sockets, env_allow, accept;
	struct form_span ports;	  /* words whose text is a number */
	struct form_span env_set; /* a word for each name, with its place, and one for its value */
};

/* The tables, as they are in the program. */
struct profile_forms {
	const char *texts;
	const struct form_rule *rules;
	const struct form_word *words;
};

/* Makes the policy that the reader would make. file is its name for messages. */
int profile_form_expand(const struct profile_forms *forms, const struct profile_form *form,
			const char *file, enum system system, struct policy **ret_policy,
			struct cordon_error *err);
