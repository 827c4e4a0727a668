// SPDX-License-Identifier: MIT
/*
 * Notes autorun files that the broker is about to change. The note precedes the change, so that the states
 * before and after can be compared.
 */
#include <fcntl.h>
#include <sys/stat.h>

#include "audit/autorun_changes.h"
#include "audit/autorun_names.h"
#include "linux/broker/broker.h"

void
autorun_note_path(struct broker *broker, const char *path, const struct stat *at)
{
	bool is_exact;

	if (broker->changed == NULL || autorun_find(path, &is_exact) == NULL)
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
	bool is_exact, is_there;
	struct stat at;

	if (broker->changed == NULL || autorun_find(path, &is_exact) == NULL)
		return;
	is_there = fstatat(folder, name, &at, AT_SYMLINK_NOFOLLOW) == 0;
	autorun_note_path(broker, path, is_there ? &at : NULL);
}

/* With names locked exclusively no change is in progress; other sessions have their own notes. */
void
autorun_compact(struct broker *broker)
{
	if (!__atomic_exchange_n(&broker->is_untidy, false, __ATOMIC_RELAXED))
		return;
	pthread_rwlock_wrlock(&broker->names.lock);
	pthread_mutex_lock(&broker->small);
	autorun_changes_tidy(broker->changed);
	pthread_mutex_unlock(&broker->small);
	pthread_rwlock_unlock(&broker->names.lock);
}
