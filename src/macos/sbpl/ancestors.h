/* SPDX-License-Identifier: MIT */
/* Directories that a profile must mention although no rule does. */
#pragma once

#include "macos/sbpl/rules.h"

/*
 * Directories and symbolic links on the way to what the lines allow, except those that may be read anyway
 * and those that a rule forbids to read.
 */
int ancestors_on_path(struct filters *in, const struct plan *plan, const struct sbpl_rules *lines,
		      const struct filter **ret, struct cordon_error *err);
/*
 * Directories that may be emptied but not moved or removed, because files in them would leave the scope of
 * a deny.
 */
int ancestors_unmovable(struct filters *in, const struct plan *plan, const struct filter **ret,
			struct cordon_error *err);
