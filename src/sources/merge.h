/* SPDX-License-Identifier: MIT */
/*
 * Combines the sources of a stack into settings, apart from path rules. The innermost source of a
 * value wins; lists are joined. An unapproved project is not included: it can only narrow.
 */
#pragma once

#include "policy/model/guarantee.h"
#include "sources/layers.h"

struct settings {
	unsigned default_rights;
	struct network
		network; /* mode is never NET_UNSET; with mode domains ports is never empty */
	struct words sockets;
	struct environment env; /* mode is never ENV_UNSET */
	struct limit_value limits[LIMIT_COUNT];
	enum tmp tmp; /* never TMP_UNSET */
	enum ipc ipc; /* never IPC_UNSET */
	enum on_refusal on_refusal;
	enum event_log log; /* never EVENT_LOG_UNSET */
	bool accept[G_COUNT];
};

int merge_settings(struct arena *arena, const struct stack *stack, struct settings *ret,
		   struct cordon_error *err);
/* Returns the guarantee called name, or -1. */
int merge_guarantee_by_name(const char *name);
/* Does pattern (an exact name or "*.parent") cover domain, which is a name or such a pattern? */
bool merge_domain_covers(const char *pattern, const char *domain);
/* Does pattern, an exact name or PREFIX*, match name? */
bool merge_env_name_matches(const char *pattern, const char *name);
