// SPDX-License-Identifier: MIT
/*
 * Staged files: vetted files written without a lock file, such as pointers, files of a checkout, and
 * copies. The caller writes to an unnamed file, under one of a few fd numbers whose close the filter
 * supervises. At that close the content is inspected and installed before the call returns: later readers
 * see the new content, and a refusal is the result of close(2).
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "linux/broker/git/git_check.h"
#include "linux/broker/nest.h"

/* As in tools/arguments.h. */
#define FIRST_NUMBER 1008

/* ---- the table ---- */

static void
clear(struct staged_file *slot)
{
	close(slot->fd);
	close(slot->folder);
	*slot = (struct staged_file){.fd = -1};
}

static bool
is_live(const struct staged_file *slot)
{
	return slot->process != 0 && slot->fd >= 0;
}

/* Frees files of processes that have exited, before closing them. */
static void
clear_left(struct broker *broker)
{
	for (int i = 0; i < STAGED_MAX; i++) {
		struct staged_file *slot = &broker->staged[i];

		if (is_live(slot) && kill(slot->process, 0) < 0 && errno == ESRCH)
			clear(slot);
	}
}

void
git_staging_drop_dead(struct broker *broker)
{
	pthread_mutex_lock(&broker->small);
	clear_left(broker);
	pthread_mutex_unlock(&broker->small);
}

/*
 * Finds an entry for a number that the caller does not use: free in its table, or of a staged file refused
 * at close, which the caller considers closed. NULL: none.
 */
static struct staged_file *
find_free(const struct notif_call *request, pid_t process, int *ret_number)
{
	struct staged_file *of_number[STAGED_MAX] = {NULL}, *found = NULL;

	clear_left(request->broker);
	for (int i = 0; i < STAGED_MAX; i++) {
		struct staged_file *slot = &request->broker->staged[i];

		if (!is_live(slot))
			found = slot;
		if (slot->process == process)
			of_number[slot->number - FIRST_NUMBER] = slot;
	}
	for (int i = 0; found != NULL && i < STAGED_MAX; i++) {
		*ret_number = FIRST_NUMBER + i;
		if (of_number[i] != NULL && !is_live(of_number[i]))
			return of_number[i];
		if (of_number[i] == NULL && notif_has_free(request, *ret_number))
			return found;
	}
	return NULL;
}

/* Takes the caller's staged file of that number from the table, or marks it as duplicated. */
static bool
staged_take(const struct notif_call *request, int number, struct staged_file *ret)
{
	pid_t process = 0;
	bool found = false;

	pthread_mutex_lock(&request->broker->small);
	for (int i = 0; !found && i < STAGED_MAX; i++) {
		struct staged_file *slot = &request->broker->staged[i];

		if (!is_live(slot) || slot->number != number)
			continue;
		if (process == 0)
			process = notif_process(request);
		found = slot->process == process && notif_is_valid(request);
		if (found && ret == NULL)
			slot->is_duplicated = true;
		if (found && ret != NULL) {
			*ret = *slot;
			slot->fd = slot->folder = -1;
		}
	}
	pthread_mutex_unlock(&request->broker->small);
	return found;
}

/* The reserved entry of a taken file, unless it was given out again. */
static struct staged_file *
find_staged(struct broker *broker, const struct staged_file *slot)
{
	for (int i = 0; i < STAGED_MAX; i++) {
		struct staged_file *kept = &broker->staged[i];

		if (!is_live(kept) && kept->process == slot->process &&
		    kept->number == slot->number)
			return kept;
	}
	return NULL;
}

/* Its close will be retried. */
static void
put_back(struct broker *broker, struct staged_file *slot)
{
	struct staged_file *to;

	pthread_mutex_lock(&broker->small);
	to = find_staged(broker, slot);
	if (to != NULL) {
		*to = *slot;
		slot->fd = -1;
	}
	pthread_mutex_unlock(&broker->small);
	if (slot->fd >= 0)
		clear(slot);
}

/* Releases the number to the caller. */
static void
give_up_number(struct broker *broker, const struct staged_file *slot)
{
	struct staged_file *kept;

	pthread_mutex_lock(&broker->small);
	kept = find_staged(broker, slot);
	if (kept != NULL)
		kept->process = 0;
	pthread_mutex_unlock(&broker->small);
}

/* ---- open ---- */

static enum git_staging_result
refuse(const struct notif_call *request, const char *path, int why, enum cause cause)
{
	refuse_report(request, REFUSED_WRITE, path, cause);
	errno = why;
	return VET_REFUSED;
}

static enum git_staging_result
open_staged(const struct notif_call *request, struct git_staging_call *o)
{
	pid_t process = notif_process(o->request);
	struct staged_file *slot,
		made = {.process = process, .exclusive = (o->flags & O_EXCL) != 0};

	if (process == 0 || strlen(o->entry->name) > NAME_MAX)
		return refuse(request, o->entry->path, EACCES, CAUSE_UNKNOWN_CALLER);
	strcpy(made.name, o->entry->name);
	made.fd = memfd_create("git", MFD_CLOEXEC);
	made.folder = fcntl(o->entry->folder, F_DUPFD_CLOEXEC, 0);
	o->fd = made.fd < 0 ? -1 : fcntl(made.fd, F_DUPFD_CLOEXEC, 0);
	pthread_mutex_lock(&request->broker->small);
	slot = o->fd < 0 || made.folder < 0 || fchmod(made.fd, o->mode) < 0
		       ? NULL
		       : find_free(request, process, &made.number);
	if (slot != NULL)
		*slot = made;
	pthread_mutex_unlock(&request->broker->small);
	o->number = made.number;
	if (slot != NULL)
		return VET_STAGED;
	close(made.fd);
	close(made.folder);
	close(o->fd);
	return refuse(request, o->entry->path, EMFILE, CAUSE_GIT_MANY_OPEN);
}

enum git_staging_result
git_staging_open(const struct notif_call *request, const struct protection *protection,
		 struct git_staging_call *o)
{
	uint64_t flags = o->flags;
	struct stat at;
	bool there = fstatat(o->entry->folder, o->entry->name, &at, AT_SYMLINK_NOFOLLOW) == 0;

	/* reading changes nothing, and invalid opens fail anyway */
	if (o->entry->is_folder_itself || (there && !S_ISREG(at.st_mode)) ||
	    ((flags & O_ACCMODE) == O_RDONLY && !(flags & O_TRUNC) &&
	     (there || !(flags & O_CREAT))) ||
	    (there ? (flags & O_CREAT) && (flags & O_EXCL) : !(flags & O_CREAT)) ||
	    strchr(o->entry->name, '/') != NULL || protection->vet == VET_FOLDER)
		return VET_GO_ON;
	if (protection->vet == VET_HEAD)
		return git_check_may_make(request, o->entry->path, protection, false) ? VET_GO_ON
										      : VET_REFUSED;
	/* an existing file keeps its mode when truncated */
	if (there)
		o->mode = at.st_mode & 0777;
	if (!there || (flags & O_TRUNC))
		return open_staged(request, o);
	refuse_report(request, REFUSED_WRITE, o->entry->path, CAUSE_GIT_IN_PLACE);
	errno = EACCES;
	return VET_REFUSED;
}

/* ---- close ---- */

/* Decides again, because the directory may have been moved. */
static int
finish(const struct notif_call *request, const struct staged_file *slot)
{
	auto_free char *folder = slot->is_duplicated ? NULL : lookup_fd_name(slot->folder),
		       *path = NULL;
	struct git_file file = {0};
	struct verdict verdict;
	int rc, why;

	if (slot->is_duplicated)
		return EACCES;
	path = folder == NULL ? NULL : lookup_join(folder, slot->name);
	if (path == NULL)
		return ENOENT;
	verdict = broker_decide(request, path);
	names_lock_changes(&request->broker->names, path, NULL);
	if (strlen(path) >= PATH_MAX || verdict.vetted == NULL || !(verdict.rights & RIGHT_CREATE))
		return EACCES;
	why = git_install_read_fd(slot->fd, &file);
	if (why != 0)
		return why;
	rc = git_install(request,
			 &(struct git_target){slot->folder, slot->name, path, verdict.vetted->vet,
					      slot->exclusive},
			 &file);
	why = errno;
	free(file.text);
	return rc < 0 ? why : 0;
}

void
sys_close(const struct notif_call *request)
{
	struct staged_file slot;
	int why;

	if (!staged_take(request, (int)request->notif.data.args[0], &slot)) {
		notif_continue(request);
		return;
	}
	/* settings count for other directories, too */
	names_lock_write(request->names, NAMES_ALL, NULL);
	why = finish(request, &slot);
	names_lock_release(request->names);
	if (why == 0)
		give_up_number(request->broker, &slot);
	if (nest_is_late(request))
		put_back(request->broker, &slot);
	else
		clear(&slot);
	if (why == 0)
		notif_continue(request);
	else
		notif_fail(request, why);
}

/* The close of a duplicate would not be noticed. */
void
sys_dup(const struct notif_call *request)
{
	if (staged_take(request, (int)request->notif.data.args[0], NULL)) {
		refuse_report(request, REFUSED_WRITE, "a git file", CAUSE_GIT_DUPLICATED);
		notif_fail(request, EACCES);
	} else {
		notif_continue(request);
	}
}
