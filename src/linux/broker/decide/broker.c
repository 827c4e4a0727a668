// SPDX-License-Identifier: MIT
/* Decides about a path by all plans of a caller. */
#include "linux/broker/broker.h"

#include <string.h>
#include <time.h>

#include "base/ascii.h"
#include "base/path.h"
#include "git/protect/git_protect.h"
#include "linux/broker/nest.h"

int64_t
broker_now(void)
{
	struct timespec now = {0};

	clock_gettime(CLOCK_REALTIME_COARSE, &now);
	return now.tv_sec * 1000000000ll + now.tv_nsec;
}

bool
broker_is_private_tmp(const struct broker *broker, const char *path)
{
	return broker->private_tmp != NULL && path_below(path, broker->private_tmp);
}

struct verdict
broker_decide_own(const struct broker *broker, const char *path)
{
	/* Landlock granted the private tmp by inode, the broker by path: it must not be moved */
	static const struct planned_rule pinned = {.path = "", .root = ""};
	struct verdict verdict = {.rights = RIGHTS_ALL};

	if (!broker_is_private_tmp(broker, path)) {
		verdict = casefold_decide(broker->fold, path);
		if (long_name_is(path))
			broker_complete_deep_verdict(broker, path, &verdict);
		else
			broker_complete_verdict(broker, path, &verdict);
	}
	if (broker->private_tmp != NULL && path_below(broker->private_tmp, path))
		verdict.pinned_by = &pinned;
	return verdict;
}

struct verdict
broker_decide_by(const struct notif_call *request, int number, const char *path)
{
	return number > 0 ? nest_decide(request, number, path)
			  : broker_decide_own(request->broker, path);
}

struct verdict
broker_decide(const struct notif_call *request, const char *path)
{
	struct verdict verdict = broker_decide_own(request->broker, path);

	nest_narrow(request, path, &verdict);
	return verdict;
}

struct verdict
broker_decide_reading(const struct notif_call *request, const char *path)
{
	struct verdict verdict = {.rights = RIGHTS_ALL};

	if (!broker_is_private_tmp(request->broker, path))
		verdict = casefold_decide(request->broker->fold, path);
	nest_narrow(request, path, &verdict);
	return verdict;
}

/*
 * A directory that becomes a repository brings settings that other sessions may have cached as included:
 * note the directory as well.
 */
static void
note_change(struct broker *broker, const char *path)
{
	size_t length = (size_t)(path_last(path) - path);
	auto_free char *folder = length > 1 ? strndup(path, length - 1) : NULL;
	bool is_inside = !ascii_same(path_last(path), ".git") &&
			 !ascii_same(path_last(path), ".gitmodules");

	names_lock_changes(&broker->names, path, is_inside ? folder : NULL);
}

void
broker_lock(const struct notif_call *request, const char *path)
{
	if (!broker_is_repo_marker(path)) {
		names_lock_read(request->names, path);
		return;
	}
	/* settings count for other directories, too */
	names_lock_write(request->names, NAMES_ALL, NULL);
	note_change(request->broker, path);
}

void
broker_lock_two(const struct notif_call *request, const char *path, const char *other)
{
	bool is_marker = broker_is_repo_marker(path) ||
			 (other != NULL && broker_is_repo_marker(other));

	names_lock_write(request->names, is_marker ? NAMES_ALL : path, is_marker ? NULL : other);
}

bool
broker_covers_own(const struct broker *broker, const char *path, unsigned rights)
{
	if (broker_is_private_tmp(broker, path))
		return false;
	return ((rights & RIGHTS_CHANGE) && path_set_covers(&broker->trees.changes, path)) ||
	       ((rights & RIGHT_READ) && path_set_covers(&broker->trees.reads, path));
}

bool
broker_covers(const struct notif_call *request, const char *path, unsigned rights)
{
	/* An unregistered nest has no policy to query: leave every call to Landlock. */
	if (nest_unregistered(request))
		return false;
	return broker_covers_own(request->broker, path, rights) ||
	       ((rights & RIGHTS_CHANGE) && nest_any_covers(request, path));
}

bool
broker_vetted_by_all(const struct notif_call *request, const char *path)
{
	return broker_covers_own(request->broker, path, RIGHT_DELETE) &&
	       nest_all_cover(request, path);
}

void
broker_complete_verdict(const struct broker *broker, const char *path, struct verdict *verdict)
{
	git_protect_complete(&(struct git_protect){broker->plan, broker->hooks,
						   &broker->trees.changes},
			     path, verdict);
}

void
broker_complete_deep_verdict(const struct broker *broker, const char *path, struct verdict *verdict)
{
	if (verdict->vetted == NULL &&
	    !git_protect_has(path + path_set_top(&broker->trees.changes, path)))
		return;
	verdict->vetted = NULL;
	for (int i = 0; i < RIGHT_KINDS; i++)
		if (verdict->rights & RIGHTS_CHANGE & (1u << i))
			verdict->by[i] = (struct decision){.protection = &protected_long_path};
	verdict->rights &= ~(unsigned)RIGHTS_CHANGE;
}

bool
broker_is_repo_marker(const char *path)
{
	return git_protect_is_repo_marker(path);
}
