// SPDX-License-Identifier: MIT
/*
 * Creation of repositories: a bare one can have any name, and git uses it when it is started there. So a
 * directory becomes one only with inspected settings and without hooks, and from then on its git files are
 * protected (git_protect.c).
 */
#include "linux/broker/git/git_check.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/fd.h"
#include "base/path.h"
#include "git/config/git_repo.h"

/* ---- new repositories ---- */

bool
git_check_refuse(const struct notif_call *request, const char *path, enum cause why)
{
	refuse_report(request, REFUSED_CREATE, path, why);
	errno = EACCES;
	return false;
}

/* An existing directory whose entries all pass. */
static bool
holds_only(const char *folder, const char *name, bool (*passes)(const char *name))
{
	char path[PATH_MAX];
	const struct dirent *entry;
	bool fine = true;
	DIR *dir;
	int fd;

	if (!git_repo_has(folder, name))
		return true;
	snprintf(path, sizeof path, "%s/%s", folder, name);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (dir == NULL) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	while (fine && (entry = readdir(dir)) != NULL)
		fine = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
		       passes(entry->d_name);
	closedir(dir);
	return fine;
}

static bool
is_no_attributes(const char *name)
{
	return !ascii_same(name, "attributes");
}

static bool
is_nothing(const char *name)
{
	(void)name;
	return false;
}

/* The file was unprotected until now and may still be open for writing elsewhere: replace it by a copy. */
static bool
settle(const struct notif_call *request, const char *folder, const char *name, enum vet vet)
{
	char path[PATH_MAX];
	struct git_file file = {0};
	auto_fd int fd = -1;
	int rc;

	if (!git_repo_has(folder, name))
		return true;
	snprintf(path, sizeof path, "%s/%s", folder, name);
	fd = open(folder, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	rc = fd < 0 ? errno : git_install_read(fd, name, &file);
	if (rc != 0)
		return git_check_refuse(request, path, CAUSE_GIT_UNREADABLE);
	/* no content counts as already present: the file was no settings file until now */
	rc = git_content_check(request, path, vet, &(struct gitconfig_text){file.text, file.length},
			       NULL);
	if (rc == 0 && !request->broker->is_asked)
		rc = git_install(request, &(struct git_target){fd, name, path, vet, false}, &file) <
				     0
			     ? errno
			     : 0;
	free(file.text);
	errno = rc;
	return rc == 0;
}

/* git since 2.44 writes the pointers of a linked worktree before its HEAD. */
static bool
may_get_head(const struct notif_call *request, const char *folder)
{
	if (strlen(folder) + sizeof "/config.worktree" > PATH_MAX)
		return git_check_refuse(request, folder, CAUSE_GIT_LONG_NAME);
	if (!holds_only(folder, "hooks", git_ref_paths_is_sample))
		return git_check_refuse(request, folder, CAUSE_GIT_HOOKS);
	if (!holds_only(folder, "info", is_no_attributes))
		return git_check_refuse(request, folder, CAUSE_GIT_ATTRIBUTES);
	if (!holds_only(folder, "rebase-merge", is_nothing) ||
	    !holds_only(folder, "rebase-apply", is_nothing) ||
	    !holds_only(folder, "sequencer", is_nothing))
		return git_check_refuse(request, folder, CAUSE_GIT_REBASING);
	if (!git_refs_may_init(request, folder, folder))
		return git_check_refuse(request, folder, CAUSE_GIT_HOOKS);
	if (!holds_only(folder, "remotes", is_nothing) ||
	    !holds_only(folder, "branches", is_nothing))
		return git_check_refuse(request, folder, CAUSE_GIT_REMOTES);
	if (!git_modes_are_closed(request->broker, folder))
		return git_check_refuse(request, folder, CAUSE_GIT_SHARED);
	if (!git_symlink_all_inside(folder))
		return git_check_refuse(request, folder, CAUSE_GIT_LINKS);
	return settle(request, folder, "commondir", VET_COMMONDIR) &&
	       settle(request, folder, "gitdir", VET_GITDIR) &&
	       settle(request, folder, "config", VET_CONFIG) &&
	       settle(request, folder, "config.worktree", VET_CONFIG);
}

bool
git_check_new_repo(const struct notif_call *request, const char *folder)
{
	if (git_repo_has(folder, "commondir"))
		return git_check_refuse(request, folder, CAUSE_GIT_SETTINGS_OUT);
	return may_get_head(request, folder);
}

bool
git_check_may_make(const struct notif_call *request, const char *path,
		   const struct protection *protection, bool is_folder)
{
	char folder[PATH_MAX];

	snprintf(folder, sizeof folder, "%.*s", (int)(path_last(path) - path) - 1, path);
	if (protection->vet == VET_HEAD)
		return may_get_head(request, folder);
	if (is_folder && protection->vet == VET_POINTER &&
	    !git_refs_may_init(request, folder, path))
		return git_check_refuse(request, path, CAUSE_GIT_HOOKS);
	if (is_folder)
		return true;
	refuse_protected(request, REFUSED_CREATE, path, protection);
	errno = EACCES;
	return false;
}
