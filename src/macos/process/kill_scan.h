/* SPDX-License-Identifier: MIT */
/*
 * Finds and kills the processes of a session by scanning all processes of the user. Orphans on macOS become
 * children of launchd, so there is no tree to walk; the fingerprint finds them. Without a fingerprint
 * (nothing is confined) there are four criteria, each of which can be evaded: descent, membership in
 * process groups and in sessions that descendants lead, and an environment variable. Nothing here
 * allocates.
 */
#pragma once

#include "enforce/process_id.h"
#include "enforce/process_tree.h"
#include "macos/process/fingerprint.h"

/* Criteria of a scan. */
struct scan_criteria {
	const struct fingerprint *fingerprint; /* NULL: none */
	bool descent;			       /* include descendants of this process */
	const char *marker;		       /* value in the variable GROUP_MARKER; NULL: none */
	const struct tree_spare *spare; /* children of this process to leave alone, or NULL */
	struct fingerprint room;
};

/*
 * Fills the criteria from a group's path. Returns false, with criteria that match nothing, if it is not a
 * session's.
 */
bool kill_scan_criteria_of(const char *path, struct scan_criteria *ret_criteria);
/* Has path the form of an environment mark? */
bool kill_scan_is_marker(const char *path);
void kill_scan_marker_name(const char *id, char *to, size_t size);

bool kill_scan_is_empty(const struct scan_criteria *criteria);
/* Sends SIGTERM to all of them, and continues stopped ones. */
void kill_scan_ask(const struct scan_criteria *criteria);
/* Counts them and their memory. Returns false if some could not be examined. */
bool kill_scan_measure(const struct scan_criteria *criteria, struct process_usage *ret_usage);
/*
 * Kills groups that one of them leads, then single processes, until two scans in a row find none. Gives up
 * when none has died for deadline_ms. An incomplete scan never counts as empty. Stopping first would not
 * help: a fork that a stopped process had begun still completes.
 */
bool kill_scan_kill(const struct scan_criteria *criteria, int deadline_ms,
		    struct tree_end *ret_end);
