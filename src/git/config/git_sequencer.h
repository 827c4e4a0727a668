/* SPDX-License-Identifier: MIT */
/*
 * What git keeps of a rebase, a cherry-pick or a row of patches that is not finished. Whoever says
 * --continue later has it carried out: lines that run programs, the name of a strategy, which git runs
 * as a program of that name, even by a path, and options for such programs.
 */
#pragma once

#include <stdbool.h>

#include "git/config/git_config.h"

/* Is this the last name of such a file? */
bool git_sequencer_is_name(const char *name);
/*
 * NULL: text may be the content of the file of that name. Otherwise why not. What stands in present,
 * which may be NULL, may stay.
 */
const char *git_sequencer_refuse(struct arena *arena, const char *name,
				 const struct gitconfig_text *text,
				 const struct gitconfig_text *present);
