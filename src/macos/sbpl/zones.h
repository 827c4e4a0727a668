/* SPDX-License-Identifier: MIT */
/*
 * Path rules as lines, shallow paths first. A rule's path, its direct children and everything deeper are
 * three zones; the decision is constant in each.
 */
#pragma once

#include "macos/sbpl/rules.h"

/* Lines for all path rules together, without patterns and protected names. */
int zones_of_plan(struct filters *in, const struct index *index, struct sbpl_rules *ret,
		  struct cordon_error *err);
/* Lines for where the last path rule of one source denies; EFFECT_ALLOW marks those paths. */
int zones_of_layer(struct filters *in, const struct index *index, enum layer layer,
		   struct sbpl_rules *ret, struct cordon_error *err);
