/* SPDX-License-Identifier: MIT */
/*
 * What a stack adds up to, apart from the path rules. Single values: the innermost source wins.
 * Lists: they add up. An unapproved project is not part of this; it can only narrow the result.
 */
#pragma once

#include "policy/model/guarantee.h"
#include "sources/layers.h"

struct settings {
	unsigned default_rights;
	struct network network; /* mode is never NET_UNSET, ports never empty in mode domains */
	struct words sockets;
	struct environment env; /* mode is never ENV_UNSET */
	struct limit_value limits[LIMIT_COUNT];
	enum tmp tmp; /* never TMP_UNSET */
	enum ipc ipc; /* never IPC_UNSET */
	bool accept[G_COUNT];
};

int merge_settings(struct arena *arena, const struct stack *stack, struct settings *ret,
		   struct cordon_error *err);
/* Is the guarantee called name accepted by this list of words? */
int merge_guarantee_by_name(const char *name);
/* Does pattern (exact name, or "*.parent") cover domain, itself a name or such a pattern? */
bool merge_domain_covers(const char *pattern, const char *domain);
/* Exact name, or PREFIX*. */
bool merge_env_name_matches(const char *pattern, const char *name);
