/* SPDX-License-Identifier: MIT */
/*
 * The state files of an unfinished rebase, cherry-pick or am. `--continue` executes them: exec
 * lines, the name of a strategy, which git runs as a program even by path, and options for such
 * programs.
 */
#pragma once

#include <stdbool.h>

#include "git/config/git_config.h"

/* Is it the last component of such a file? */
bool git_sequencer_is_name(const char *name);
/*
 * Returns CAUSE_NONE if text may be the content of the file called name, or why not. Lines that
 * present (or NULL) has are allowed.
 */
enum cause git_sequencer_refuse(struct arena *arena, const char *name,
				const struct gitconfig_text *text,
				const struct gitconfig_text *present);
