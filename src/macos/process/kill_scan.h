/* SPDX-License-Identifier: MIT */
/*
 * Finding and ending the processes of a session by looking at every process of the user. Orphans on
 * macOS go to launchd, so there is no tree to walk; the fingerprint finds them all the same. Without
 * one (nothing is confined) there are four ways, each of which can be evaded: descent, the groups and
 * sessions that descendants lead, and a variable of the environment. Nothing here allocates.
 */
#pragma once

#include "enforce/process_id.h"
#include "enforce/process_tree.h"
#include "macos/process/fingerprint.h"

/* What is looked for. */
struct scan_mark {
	const struct fingerprint *fingerprint; /* NULL: none */
	bool descent;			       /* whatever is below us */
	const char *marker;		       /* stands in the variable GROUP_MARKER; NULL: none */
	const struct tree_spare *spare;	       /* of our own children, or NULL */
	struct fingerprint room;
};

/* The mark of a group, from its path; false, and nothing is looked for, when it is none of ours. */
bool kill_scan_mark_of(const char *path, struct scan_mark *ret_mark);
/* Has path the form of a mark in the environment? */
bool kill_scan_is_marker(const char *path);
void kill_scan_marker_name(const char *id, char *to, size_t size);

bool kill_scan_is_empty(const struct scan_mark *mark);
/* SIGTERM to all of them, also to those that are stopped. */
void kill_scan_ask(const struct scan_mark *mark);
/* How many there are, and the memory they have; false when not all could be seen. */
bool kill_scan_measure(const struct scan_mark *mark, struct process_usage *ret_usage);
/*
 * Groups that one of them leads first, then one by one, until two looks in a row found nothing; gives up when
 * nothing has died for deadline_ms. A look that could not see everything never counts as nothing. Stopping them first would
 * not help: what a stopped process had begun to start goes on.
 */
bool kill_scan_kill(const struct scan_mark *mark, int deadline_ms, struct tree_end *ret_end);
