/* SPDX-License-Identifier: MIT */
/*
 * The rules in claude's settings that refuse shell commands by their text, or ask about them. Claude compares them
 * with the command that a hook returns, which is the wrapped one: so the hook itself has to apply them.
 */
#pragma once

#include "base/arena.h"

enum hook_rule { HOOK_RULE_NONE, HOOK_RULE_ASK, HOOK_RULE_DENY };

/* *ret_rule: the rule as written. An error if settings cannot be read. */
int hook_rules_find(struct arena *arena, const char *command, enum hook_rule *ret_kind,
		    const char **ret_rule, struct cordon_error *err);
