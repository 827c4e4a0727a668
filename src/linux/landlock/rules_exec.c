// SPDX-License-Identifier: MIT
/*
 * Grants execute entry by entry in directories with a denied program. Files created later are not granted.
 * Landlock rules are on inodes: a hard link to a denied program in such a directory is not granted; one in
 * another directory is not looked for.
 */
#include "base/os.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/path.h"
#include "linux/landlock/rules.h"
#include "plan/exec_rules.h"

/* Limit on entries: more would delay the start too much. */
#define ENTRIES_MAX 20000

static int list_folder(const struct ruleset_build *m, int folder, const char *path, void *left);

static bool
is_denied_file(const struct ruleset_build *m, const struct stat *at)
{
	struct stat denied;

	for (size_t i = 0; at->st_nlink > 1 && i < m->plan->listed_count; i++)
		if (lstat(m->plan->listed[i]->path, &denied) == 0 && denied.st_ino == at->st_ino &&
		    denied.st_dev == at->st_dev)
			return true;
	return false;
}

static int
list_entry(const struct ruleset_build *m, const struct rules_entry *entry, void *left)
{
	const char *path = entry->path;
	auto_fd int fd = openat(entry->folder, path_last(path), O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat at;
	bool is_folder;

	if ((*(int *)left)-- <= 0)
		return cordon_fail(
			m->err, CORDON_E_GAP, 0,
			"cannot enforce files.execute: too many entries beside those denied in "
			"%.*s",
			(int)(path_last(path) - path), path);
	/* a file that is gone or not accessible cannot be executed */
	if (fd < 0)
		return error_errno_is_fault(errno) ? rules_fail_open(m, path) : 0;
	if (fstat(fd, &at) < 0 || S_ISLNK(at.st_mode))
		return 0;
	is_folder = S_ISDIR(at.st_mode);
	if (is_folder && exec_rules_has_inside(m->plan, path))
		return list_folder(m, fd, path, left);
	if (is_folder ? !rules_run_below(m, path)
		      : !rules_run(m, path) || !S_ISREG(at.st_mode) || is_denied_file(m, &at))
		return 0;
	return rules_allow(m, fd, FILE_EXECUTE, is_folder, path);
}

/* Grants nothing in a directory that cannot be listed. */
static int
list_folder(const struct ruleset_build *m, int folder, const char *path, void *left)
{
	int rc = rules_each(m, folder, path, list_entry, left);

	return rc > 0 ? 0 : rc;
}

int
rules_exec_list(const struct ruleset_build *m, int folder, const char *path)
{
	int left = ENTRIES_MAX;

	return list_folder(m, folder, path, &left);
}
