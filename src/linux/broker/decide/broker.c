// SPDX-License-Identifier: MIT
/* What the plans that apply to a caller say about a path. */
#include "linux/broker/broker.h"

#include <string.h>
#include <time.h>

#include "base/ascii.h"
#include "base/fd.h"
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

/* ---- judging ---- */

bool
broker_is_free(const struct broker *broker, const char *path)
{
	return broker->private_tmp != NULL && path_below(path, broker->private_tmp);
}

struct verdict
broker_judge_by(const struct broker *broker, int number, const char *path)
{
	/* Landlock knows the private tmp by what it is, we by its name: that must stay its name */
	static const struct planned_rule held = {.path = "", .root = ""};
	struct verdict verdict = {.rights = RIGHTS_ALL};

	if (number > 0)
		return nest_judge(broker, number, path);
	if (!broker_is_free(broker, path)) {
		verdict = fold_decide(broker->fold, path);
		if (deep_is(path))
			vet_complete_deep(broker, path, &verdict);
		else
			vet_complete(broker, path, &verdict);
	}
	if (broker->private_tmp != NULL && path_below(broker->private_tmp, path))
		verdict.held = &held;
	return verdict;
}

struct verdict
broker_judge(const struct broker *broker, const char *path)
{
	struct verdict verdict = broker_judge_own(broker, path);

	nest_narrow(broker, path, &verdict);
	return verdict;
}

struct verdict
broker_judge_reading(const struct broker *broker, const char *path)
{
	struct verdict verdict = {.rights = RIGHTS_ALL};

	if (!broker_is_free(broker, path))
		verdict = fold_decide(broker->fold, path);
	nest_narrow(broker, path, &verdict);
	return verdict;
}

/*
 * A directory that becomes a repository brings settings along which other sessions may have read by an
 * include: for a name in it the directory is noted as well.
 */
static void
note_change(struct broker *broker, const char *path)
{
	size_t length = (size_t)(path_last(path) - path);
	auto_free char *folder = length > 1 ? strndup(path, length - 1) : NULL;
	bool is_inside = !ascii_same(path_last(path), ".git") &&
			 !ascii_same(path_last(path), ".gitmodules");

	namelock_changes(&broker->names, path, is_inside ? folder : NULL);
}

void
broker_lock(struct broker *broker, const char *path)
{
	if (!vet_is_delicate(path)) {
		namelock_share(&broker->names);
		return;
	}
	namelock_take(&broker->names);
	note_change(broker, path);
}

bool
broker_guards_own(const struct broker *broker, const char *path, unsigned rights)
{
	if (broker_is_free(broker, path))
		return false;
	return ((rights & RIGHTS_CHANGE) && path_set_covers(&broker->trees.changes, path)) ||
	       ((rights & RIGHT_READ) && path_set_covers(&broker->trees.reads, path));
}

bool
broker_guards(const struct broker *broker, const char *path, unsigned rights)
{
	/* where nobody can be asked, nothing is ours */
	if (nest_is_alone(broker))
		return false;
	return broker_guards_own(broker, path, rights) ||
	       ((rights & RIGHTS_CHANGE) && nest_any_guards(broker, path));
}

bool
broker_has_seen(const struct broker *broker, const char *path)
{
	return broker_guards_own(broker, path, RIGHT_DELETE) && nest_all_guard(broker, path);
}

void
vet_complete(const struct broker *broker, const char *path, struct verdict *verdict)
{
	gitnames_complete(&(struct git_protect){broker->plan, broker->hooks,
						&broker->trees.changes},
			  path, verdict);
}

void
vet_complete_deep(const struct broker *broker, const char *path, struct verdict *verdict)
{
	static const struct protection of_git = {.kind = PROTECT_NAME,
						 .pattern = "a name of git's",
						 .reason = "its path is too long to be looked at"};

	if (verdict->vetted == NULL &&
	    !gitnames_has(path + path_set_top(&broker->trees.changes, path)))
		return;
	verdict->vetted = NULL;
	for (int i = 0; i < RIGHT_KINDS; i++)
		if (verdict->rights & RIGHTS_CHANGE & (1u << i))
			verdict->by[i] = (struct decision){.protection = &of_git};
	verdict->rights &= ~(unsigned)RIGHTS_CHANGE;
}

bool
vet_is_delicate(const char *path)
{
	return gitnames_is_delicate(path);
}
