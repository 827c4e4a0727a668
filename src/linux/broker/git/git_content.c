// SPDX-License-Identifier: MIT
/*
 * Inspects new content of git files. Settings key by key; pointers by their target, which must be in the
 * project or its own git directory, where every repository is brokered.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/path.h"
#include "git/config/git_repo.h"
#include "git/config/git_sequencer.h"
#include "host/resolve.h"
#include "linux/broker/git/git_check.h"
#include "linux/broker/nest.h"

#define MODULES "/.git/modules/"

/* State of one inspection. */
struct content_query {
	const struct notif_call *request;
	struct arena *arena;
	const char *path;   /* of the file */
	const char *folder; /* parent directory */
};

/* ---- pointers ---- */

/* Where text leads, relative to folder; NULL: unknown, or through a link, which may change later. */
static const char *
lead(const struct content_query *q, const char *folder, const char *text)
{
	const char *path = *text == '/' ? text : path_join(q->arena, folder, text, NULL);
	struct resolved found;

	if (path == NULL || *text == '\0' ||
	    resolve_path(q->arena, &fs_real, path, &found, NULL) < 0)
		return NULL;
	return found.link_count == 0 ? found.path : NULL;
}

static bool
is_below(const char *path, const char *root)
{
	return root != NULL && path_below(path, root);
}

/* In the project, or in another brokered tree. */
static bool
is_inside(const struct content_query *q, const char *path)
{
	const struct host *host = q->request->broker->plan->host;

	return is_below(path, host->project) || is_below(path, host->git.git_dir) ||
	       is_below(path, host->git.common_dir) ||
	       (!is_below(path, "/dev") &&
		(broker_decide_own(q->request->broker, path).rights & RIGHT_CREATE) &&
		broker_covers_own(q->request->broker, path, RIGHT_CREATE));
}

/* git never checks out a file below this name: its content is the user's or was inspected. */
static bool
is_in_dot_git(const char *path)
{
	size_t length = strlen(path);

	return strstr(path, "/.git/") != NULL ||
	       (length >= 5 && strcmp(path + length - 5, "/.git") == 0);
}

/* A relative path leads elsewhere from another directory. */
static bool
is_led_from(const char *folder)
{
	char git_dir[PATH_MAX];

	return snprintf(git_dir, sizeof git_dir, "%s/.git", folder) >= PATH_MAX ||
	       git_local_remote_is_relative(git_dir);
}

bool
git_content_may_move(const struct notif_call *request, const char *folder)
{
	if (is_in_dot_git(folder))
		return true;
	return git_refs_inside(request->broker, folder) && !is_led_from(folder) &&
	       (!git_repo_is_repository(folder) || git_check_new_repo(request, folder));
}

/*
 * A git directory's worktree: its parent directory, as for .git; a submodule's: a directory of the project
 * that contains it. Hook paths are resolved relative to these only.
 */
static bool
is_fit_worktree(const struct content_query *q, const char *text)
{
	const char *path = lead(q, q->folder, text), *kept = strstr(q->folder, MODULES);
	size_t above = kept != NULL ? (size_t)(kept - q->folder)
				    : (size_t)(path_last(q->folder) - q->folder) - 1;

	if (path == NULL || !is_inside(q, path) || strncmp(path, q->folder, above) != 0)
		return false;
	if (kept == NULL)
		return strcmp(path_last(q->folder), ".git") == 0 && path[above] == '\0';
	return path[above] == '/' && git_refs_may_init(q->request, path, q->folder);
}

static enum cause
refuse_use(void *context, enum gitconfig_use use, const char *text)
{
	const struct content_query *q = context;

	switch (use) {
	case GITCONFIG_REMOTE:
		return git_local_remote_refuse(q->request, q->arena, q->path, text);
	case GITCONFIG_WORKTREE:
		return is_fit_worktree(q, text) ? CAUSE_NONE : CAUSE_KEY_WORKTREE;
	case GITCONFIG_BARE:
		/* without core.worktree git resolves hook paths relative to its working directory */
		return is_in_dot_git(q->folder) ? CAUSE_KEY_BARE : CAUSE_NONE;
	default:
		return q->request->broker->umask & S_IWGRP ? CAUSE_KEY_GROUP : CAUSE_NONE;
	}
}

/* ---- contents ---- */

static int
refuse(const struct content_query *q, enum cause why)
{
	refuse_report(q->request, REFUSED_CHANGE, q->path, why);
	return EACCES;
}

static int
refuse_key(const struct content_query *q, const struct gitconfig_refusal *key)
{
	struct refusal refusal = {.what = REFUSED_CHANGE,
				  .cause = CAUSE_GIT_KEY,
				  .detail = (uint16_t)key->why};

	snprintf(refusal.name, sizeof refusal.name, "%s", key->what);
	refuse_event(q->request, &refusal, q->path);
	return EACCES;
}

/* Below refs, a git name in a repository stored in another must contain an object id. */
static bool
is_object_name(const struct content_query *q, const struct gitconfig_text *text)
{
	size_t length = text->length;

	if (length > 0 && text->text[length - 1] == '\n')
		length--;
	if (strstr(q->path, "/refs/") == NULL || (length != 40 && length != 64))
		return false;
	for (size_t i = 0; i < length; i++)
		if (strchr("0123456789abcdef", text->text[i]) == NULL || text->text[i] == '\0')
			return false;
	return true;
}

static int
vet_config(struct content_query *q, enum gitconfig_kind kind, const struct gitconfig_text *text,
	   const struct gitconfig_text *present)
{
	struct gitconfig_path_check path_check = {refuse_use, q};
	struct gitconfig_refusal refusal;
	int rc;

	if (kind == GITCONFIG_REPOSITORY && is_object_name(q, text))
		return 0;
	rc = git_keys_check(q->arena, kind, text, present, &path_check, &refusal, NULL);
	return rc < 0 ? ENOMEM : rc == 1 ? 0 : refuse_key(q, &refusal);
}

static int
vet_pointer(const struct content_query *q, const struct gitconfig_text *text)
{
	const char *line = git_config_pointer(q->arena, "gitdir: ", text, NULL);
	const char *path = line == NULL ? NULL : lead(q, q->folder, line);

	if (line == NULL)
		return refuse(q, CAUSE_GIT_POINTER);
	if (path == NULL || !is_inside(q, path))
		return refuse(q, CAUSE_GIT_OUTSIDE);
	/* under another name a link to files of the project could replace it */
	if (!is_in_dot_git(path) && !is_below(path, q->request->broker->plan->host->git.common_dir))
		return refuse(q, CAUSE_GIT_UNNAMED);
	if (!git_refs_may_init(q->request, q->folder, path))
		return refuse(q, CAUSE_GIT_HOOKS);
	return 0;
}

/* Do the settings two directories up have a remote relative to the working tree? */
static bool
has_relative_remote(const struct content_query *q)
{
	const char *list = path_parent(q->arena, q->folder, NULL);
	const char *common = list == NULL ? NULL : path_parent(q->arena, list, NULL);

	return common == NULL || git_local_remote_is_relative(common);
}

/*
 * gitdir of a worktree: its .git file. A worktree may be in the private tmp; it is removed with the
 * session.
 */
static int
vet_gitdir(const struct content_query *q, const struct gitconfig_text *text)
{
	const char *line = git_config_pointer(q->arena, "", text, NULL);
	const char *path = line == NULL ? NULL : lead(q, q->folder, line);

	if (path == NULL || strcmp(path_last(path), ".git") != 0)
		return refuse(q, CAUSE_GIT_POINTER);
	if (!is_inside(q, path) && !is_below(path, q->request->broker->private_tmp))
		return refuse(q, CAUSE_GIT_OUTSIDE);
	if (has_relative_remote(q))
		return refuse(q, CAUSE_GIT_MOVED_REMOTE);
	return 0;
}

/* commondir: always the repository two directories up, whose names are inspected in any case. */
static int
vet_commondir(const struct content_query *q, const struct gitconfig_text *text)
{
	const char *line = git_config_pointer(q->arena, "", text, NULL);
	const char *list = path_parent(q->arena, q->folder, NULL);
	const char *common = list == NULL ? NULL : path_parent(q->arena, list, NULL);
	const char *config = common == NULL ? NULL : path_join(q->arena, common, "config", NULL);
	struct verdict verdict;

	if (line == NULL || config == NULL || strcmp(line, "../..") != 0 ||
	    strcmp(path_last(list), "worktrees") != 0)
		return refuse(q, CAUSE_GIT_ELSEWHERE);
	verdict = index_decide(&q->request->broker->plan->index, config);
	if (verdict.vetted == NULL && (verdict.rights & RIGHTS_CHANGE))
		return refuse(q, CAUSE_GIT_OWNER);
	return 0;
}

static int
vet_steps(const struct content_query *q, const struct gitconfig_text *text,
	  const struct gitconfig_text *present)
{
	enum cause why = git_sequencer_refuse(q->arena, path_last(q->path), text, present);

	return why == CAUSE_NONE ? 0 : refuse(q, why);
}

static int
vet_own(const struct notif_call *request, const char *path, enum vet vet,
	const struct gitconfig_text *text, const struct gitconfig_text *present)
{
	auto_arena struct arena arena = {0};
	struct content_query q = {request, &arena, path, path_parent(&arena, path, NULL)};

	if (q.folder == NULL)
		return ENOMEM;
	switch (vet) {
	case VET_CONFIG:
		return vet_config(&q, GITCONFIG_REPOSITORY, text, present);
	case VET_MODULES:
		return vet_config(&q, GITCONFIG_MODULES, text, present);
	case VET_POINTER:
		return vet_pointer(&q, text);
	case VET_GITDIR:
		return vet_gitdir(&q, text);
	case VET_COMMONDIR:
		return vet_commondir(&q, text);
	case VET_STEPS:
		return vet_steps(&q, text, present);
	default:
		return refuse(&q, CAUSE_GIT_NOT_ITS);
	}
}

/* The path does not exist, and the command cannot create it. */
static bool
is_nowhere(const struct content_query *q, const char *folder, const char *text)
{
	const char *path = lead(q, folder, text);
	struct stat at;

	return path != NULL && fstatat(AT_FDCWD, path, &at, AT_SYMLINK_NOFOLLOW) < 0 &&
	       errno == ENOENT &&
	       !(broker_decide_own(q->request->broker, path).rights & RIGHTS_CHANGE);
}

static int
carry_own(const struct notif_call *request, const char *path, enum vet vet,
	  const struct gitconfig_text *text)
{
	auto_arena struct arena arena = {0};
	struct content_query q = {request, &arena, path, path_parent(&arena, path, NULL)};
	const char *word = vet == VET_POINTER ? "gitdir: " : "";
	const char *line = git_config_pointer(&arena, word, text, NULL);

	if (q.folder != NULL && line != NULL && is_nowhere(&q, q.folder, line))
		return 0;
	return vet_own(request, path, vet, text, NULL);
}

bool
git_content_may_move_pointer(const struct notif_call *request, const char *path, enum vet vet,
			     const struct gitconfig_text *text)
{
	return (broker_is_private_tmp(request->broker, path) ||
		carry_own(request, path, vet, text) == 0) &&
	       nest_allows_content(request, path, vet, text, NEST_CARRY);
}

/* Every nested policy inspects the content itself, unless the path is unrestricted there. */
int
git_content_check(const struct notif_call *request, const char *path, enum vet vet,
		  const struct gitconfig_text *text, const struct gitconfig_text *present)
{
	int why = broker_is_private_tmp(request->broker, path)
			  ? 0
			  : vet_own(request, path, vet, text, present);

	if (why == 0 && !nest_allows_content(request, path, vet, text, NEST_VET)) {
		refuse_report(request, REFUSED_CHANGE, path, CAUSE_NEST_CONTENT);
		why = EACCES;
	}
	return why;
}
