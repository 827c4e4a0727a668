/* SPDX-License-Identifier: MIT */
/*
 * Finding and ending the processes of a session by looking at every process of the user. Orphans on
 * macOS go to launchd, so there is no tree to walk; the fingerprint finds them all the same. Without
 * one (nothing is confined) only descendants and the command's group are found: best effort, and said
 * to be that. Nothing here allocates.
 */
#pragma once

#include "enforce/tree.h"
#include "macos/fingerprint.h"

/* What is looked for. */
struct scan_mark {
	const struct fingerprint *fingerprint; /* NULL: by descent and group */
	pid_t group;			       /* the command's own, or 0 */
	const struct tree_spare *spare;	       /* of our own children, or NULL */
};

bool scan_is_empty(const struct scan_mark *mark);
/* SIGTERM to all of them, also to those that are stopped. */
void scan_ask(const struct scan_mark *mark);
/*
 * The group first, then one by one, until two looks in a row found nothing; gives up after
 * deadline_ms. A look that could not see everything never counts as nothing. Stopping them first would
 * not help: what a stopped process had begun to start goes on.
 */
bool scan_kill(const struct scan_mark *mark, int deadline_ms, struct tree_end *ret_end);
