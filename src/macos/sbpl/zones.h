/* SPDX-License-Identifier: MIT */
/*
 * Path rules as lines, shallow ones first. Between the paths that rules name nothing changes, so a
 * path, its direct children and what is deeper are three zones, each with one answer.
 */
#pragma once

#include "macos/sbpl/rules.h"

/* What all path rules together decide, without patterns and protected names. */
int zones_of_plan(struct filters *in, const struct index *index, struct sbpl_rules *ret,
		  struct cordon_error *err);
/* Where the last word of one layer's path rules is deny: EFFECT_ALLOW lines are those places. */
int zones_of_layer(struct filters *in, const struct index *index, enum layer layer,
		   struct sbpl_rules *ret, struct cordon_error *err);
