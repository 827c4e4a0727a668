// SPDX-License-Identifier: MIT
/*
 * Kills the processes that scans find. A process is signalled only if its start time is the same before and
 * after it was recognised, so a reused pid is never hit. Processes forked between a scan and the signal are
 * found by the next scan; that is why two more scans must find none.
 */
#include "macos/process/kill_scan.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/standstill.h"
#include "macos/process/libsystem.h"
#include "macos/process/process_scan.h"

#define PAUSE_US 5000
/* Scans without any progress before giving up. */
#define IDLE_LOOKS 20

/* ---- marks ---- */

/* Stands for a fingerprint directory where nothing is confined; the session id follows. */
#define ENVIRONMENT "/environment/cordon-"

bool
kill_scan_is_marker(const char *path)
{
	size_t length = sizeof ENVIRONMENT - 1;

	return strncmp(path, ENVIRONMENT, length) == 0 && strlen(path + length) == 16 &&
	       path[length + strspn(path + length, "0123456789abcdef")] == '\0';
}

void
kill_scan_marker_name(const char *id, char *to, size_t size)
{
	snprintf(to, size, ENVIRONMENT "%s", id);
}

bool
kill_scan_criteria_of(const char *path, struct scan_criteria *ret_criteria)
{
	*ret_criteria = (struct scan_criteria){0};
	if (kill_scan_is_marker(path)) {
		ret_criteria->marker = path + sizeof ENVIRONMENT - 1;
		return true;
	}
	if (!fingerprint_is_one(path) || !fingerprint_at(path, &ret_criteria->room))
		return false;
	ret_criteria->fingerprint = &ret_criteria->room;
	return true;
}

/* ---- signalling ---- */

/* Is it still the same process? */
static bool
is_still(const struct process_scan *scan, int at)
{
	struct scan_seen process;

	return process_scan_one(scan->found[at], &process) && process.started == scan->started[at];
}

static bool
leads_group(pid_t pid)
{
	struct scan_seen process;

	return pid != getpgrp() && process_scan_one(pid, &process) && process.group == pid;
}

/* Returns false if it is gone. */
static bool
signal_one(struct process_scan *scan, int at, int signal)
{
	if (!is_still(scan, at))
		return false;
	if (kill(scan->found[at], signal) == 0)
		scan->sent++;
	else if (errno == EPERM)
		scan->refused++;
	else
		return false;
	return true;
}

/* Signals every process found. Those already gone are not counted. */
static void
signal_found(struct process_scan *scan, int signal)
{
	int kept = 0;

	for (int i = 0; i < scan->count; i++) {
		if (!signal_one(scan, i, signal)) {
			scan->complete = false;
			continue;
		}
		scan->started[kept] = scan->started[i];
		scan->found[kept++] = scan->found[i];
	}
	scan->count = kept;
}

static void
signal_all(const struct scan_criteria *criteria, int signal, const struct process_scan *last,
	   struct process_scan *scan)
{
	process_scan_all(criteria, last, scan);
	signal_found(scan, signal);
}

/* Waits for listed processes only: other children belong to the caller. */
static void
reap(const struct process_scan *scan)
{
	for (int i = 0; i < scan->count; i++)
		waitpid(scan->found[i], NULL, WNOHANG);
}

bool
kill_scan_is_empty(const struct scan_criteria *criteria)
{
	struct process_scan scan;

	process_scan_all(criteria, NULL, &scan);
	return scan.count == 0 && scan.complete;
}

bool
kill_scan_measure(const struct scan_criteria *criteria, struct process_usage *ret_usage)
{
	struct process_usage usage = {0};
	struct process_scan scan;

	process_scan_all(criteria, NULL, &scan);
	usage.processes = scan.count;
	for (int i = 0; i < scan.count; i++) {
		struct proc_taskinfo info;

		if (proc_pidinfo(scan.found[i], PROC_PIDTASKINFO, 0, &info, sizeof info) ==
		    (int)sizeof info)
			usage.memory += info.pti_resident_size;
	}
	*ret_usage = usage;
	return scan.complete;
}

void
kill_scan_ask(const struct scan_criteria *criteria)
{
	struct process_scan scan;

	signal_all(criteria, SIGTERM, NULL, &scan);
	/* a stopped process would not handle SIGTERM */
	signal_found(&scan, SIGCONT);
}

/*
 * Kills process groups led by one of ours: those were made by the session. EPERM means that a member could
 * not be signalled or is a zombie; the next scan shows. The rest of this scan is signalled one by one,
 * because without its parent a process may not be recognised again. Returns how many were killed.
 */
static int
kill_groups(const struct scan_criteria *criteria, struct process_scan *scan)
{
	int kept = 0;

	process_scan_all(criteria, NULL, scan);
	for (int i = 0; i < scan->count; i++) {
		if (!is_still(scan, i))
			continue;
		scan->started[kept] = scan->started[i];
		scan->found[kept++] = scan->found[i];
	}
	scan->count = kept;
	for (int i = 0; i < scan->count; i++)
		if (is_still(scan, i) && leads_group(scan->found[i]))
			killpg(scan->found[i], SIGKILL);
	for (int i = 0; i < scan->count; i++)
		signal_one(scan, i, SIGKILL);
	return kept;
}

static void
name_survivors(const struct process_scan *scan, struct tree_end *to)
{
	for (int i = 0; i < scan->count; i++) {
		struct scan_seen process;

		if (!process_scan_one(scan->found[i], &process) ||
		    process.started != scan->started[i])
			continue;
		if (to->left < TREE_SURVIVORS) {
			struct tree_survivor *survivor = &to->survivors[to->left];

			survivor->pid = process.pid;
			memcpy(survivor->name, process.name, sizeof survivor->name);
		}
		to->left++;
	}
}

/* Counts processes of this scan that were not in the last one. Both are sorted. */
static int
count_new(const struct process_scan *scan, const struct process_scan *last)
{
	int fresh = 0, k = 0;

	for (int i = 0; i < scan->count; i++) {
		while (k < last->count && last->found[k] < scan->found[i])
			k++;
		fresh += k == last->count || last->found[k] != scan->found[i];
	}
	return fresh;
}

/* Checks the processes themselves, because the next scan may have no room for all of them. */
static bool
has_any_died(const struct process_scan *last)
{
	for (int i = 0; i < last->count; i++)
		if (!is_still(last, i))
			return true;
	return false;
}

/*
 * Continue while anything dies: giving up would leave all others alive. Processes that may not be signalled
 * do not go away by waiting.
 */
static bool
is_hopeless(struct standstill *still, const struct process_scan *scan,
	    const struct process_scan *last, int deadline_ms)
{
	standstill_note(still, has_any_died(last));
	return (scan->complete && scan->refused == scan->count) ||
	       standstill_lasts(still, IDLE_LOOKS, deadline_ms);
}

bool
kill_scan_kill(const struct scan_criteria *criteria, int deadline_ms, struct tree_end *ret_end)
{
	struct standstill still = {0};
	struct process_scan scan, last = {.count = 0};
	int quiet = 0;

	*ret_end = (struct tree_end){0};
	ret_end->ended = kill_groups(criteria, &last);
	reap(&last);
	while (quiet < 2) {
		signal_all(criteria, SIGKILL, &last, &scan);
		ret_end->ended += count_new(&scan, &last);
		reap(&scan);
		quiet = scan.count == 0 && scan.complete ? quiet + 1 : 0;
		if (quiet == 0 && is_hopeless(&still, &scan, &last, deadline_ms)) {
			name_survivors(&scan, ret_end);
			ret_end->ended -= ret_end->left;
			return ret_end->left == 0 && scan.complete;
		}
		memcpy(&last, &scan, sizeof last);
		if (quiet == 0)
			clock_sleep_us(PAUSE_US);
	}
	return true;
}
