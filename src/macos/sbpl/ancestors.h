/* SPDX-License-Identifier: MIT */
/* Folders that a profile has to mention although no rule does. */
#pragma once

#include "macos/sbpl/rules.h"

/*
 * Every folder and link on the way to what the lines allow, apart from those that may be read anyway
 * and those that a rule forbids to read.
 */
int ancestors_on_path(struct filters *in, const struct plan *plan, const struct sbpl_rules *lines,
		      const struct filter **ret, struct cordon_error *err);
/* Folders that may be emptied and not moved or removed: what is in them would leave its rule. */
int ancestors_held(struct filters *in, const struct plan *plan, const struct filter **ret,
		   struct cordon_error *err);
