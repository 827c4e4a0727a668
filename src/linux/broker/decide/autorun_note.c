// SPDX-License-Identifier: MIT
/*
 * Notes autorun files that the broker is about to change. The note precedes the change, so that the states
 * before and after can be compared.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "audit/autorun_changes.h"
#include "audit/autorun_names.h"
#include "linux/broker/broker.h"

/*
 * A repository has so many objects that they are examined at the end, and not noted one by one. A file with
 * several names may be one.
 */
static bool
is_noted(struct broker *broker, const char *path, const struct stat *at)
{
	bool is_exact;

	if (broker->changed == NULL)
		return false;
	if (strstr(path, "/objects") != NULL ||
	    (at != NULL && S_ISREG(at->st_mode) && at->st_nlink > 1))
		__atomic_store_n(&broker->changed->has_objects, true, __ATOMIC_RELAXED);
	return autorun_names_find(path, &is_exact) != NULL;
}

void
autorun_note_path(struct broker *broker, const char *path, const struct stat *at)
{
	if (!is_noted(broker, path, at))
		return;
	pthread_mutex_lock(&broker->small);
	autorun_changes_note(broker->changed, path, at);
	if (broker->changed->is_crowded)
		__atomic_store_n(&broker->is_untidy, true, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&broker->small);
}

void
autorun_note_at(struct broker *broker, int folder, const char *name, const char *path)
{
	bool is_there;
	struct stat at;

	if (!is_noted(broker, path, NULL))
		return;
	is_there = fstatat(folder, name, &at, AT_SYMLINK_NOFOLLOW) == 0;
	autorun_note_path(broker, path, is_there ? &at : NULL);
}

/* With names locked exclusively no change is in progress; other sessions have their own notes. */
void
autorun_note_compact(struct broker *broker)
{
	if (!__atomic_exchange_n(&broker->is_untidy, false, __ATOMIC_RELAXED))
		return;
	pthread_rwlock_wrlock(&broker->names.lock);
	pthread_mutex_lock(&broker->small);
	autorun_changes_tidy(broker->changed);
	pthread_mutex_unlock(&broker->small);
	pthread_rwlock_unlock(&broker->names.lock);
}
