// SPDX-License-Identifier: MIT
/* Is a path one that git's settings refer to, below it, or on the way to it? */
#include "git/protect/git_repo_query.h"

#include <string.h>

#include "base/array.h"
#include "base/ascii.h"
#include "rules/protected.h"

#define CLOSED(name, why)                                            \
	{                                                            \
		.kind = PROTECT_NAME, .pattern = name, .reason = why \
	}
static const struct protection of_kind[] = {
	[GIT_REF_HOOKS] = CLOSED("core.hooksPath", GIT_REF_WHY_HOOKS),
	[GIT_REF_NAMES] = CLOSED("core.hooksPath", GIT_REF_WHY_HOOKS),
	[GIT_REF_UNKNOWN] = CLOSED("core.hooksPath", GIT_REF_WHY_HOOKS),
	[GIT_REF_SETTINGS] = CLOSED("include.path", GIT_REF_WHY_SETTINGS),
	[GIT_REF_PROGRAM] = CLOSED("git's settings", GIT_REF_WHY_PROGRAM),
	[GIT_REF_FILE] = CLOSED("git's settings", GIT_REF_WHY_PROGRAM),
	[GIT_REF_REMOTE] = CLOSED("remotes", "it leads git to another repository"),
};

bool
git_repo_query_is_remote(const struct protection *protection)
{
	return protection == &of_kind[GIT_REF_REMOTE];
}

const char *
git_repo_query_reason(const char *pattern)
{
	for (size_t i = 0; i < COUNT(of_kind); i++)
		if (of_kind[i].pattern != NULL && strcmp(of_kind[i].pattern, pattern) == 0)
			return of_kind[i].reason;
	return strcmp(git_repo_unreadable.pattern, pattern) == 0 ? git_repo_unreadable.reason
								 : NULL;
}

const struct protection git_repo_unreadable =
	CLOSED("unreadable settings of git", "what git runs cannot be read at the moment");

size_t
git_repo_query_below(const char *path, const char *root)
{
	size_t length = strlen(root);

	return ascii_same_n(path, root, length) && (path[length] == '\0' || path[length] == '/')
		       ? length
		       : 0;
}

bool
git_repo_query_is_hook(const char *name, size_t length)
{
	for (size_t i = 0; git_hook_names[i] != NULL; i++)
		if (strlen(git_hook_names[i]) == length &&
		    ascii_same_n(git_hook_names[i], name, length))
			return true;
	return false;
}

/* The protected part of path; or all of it if dir is missing and could appear behind a link. */
static size_t
closed_at(const struct git_ref_path *dir, const struct git_repo_query *q, size_t root)
{
	size_t length = q->below(q->path, dir->path);

	if (length > 0)
		return length;
	return !dir->is_there && strlen(q->path) > root && q->below(dir->path, q->path) > 0
		       ? strlen(q->path)
		       : 0;
}

/* A name of a hook, directly in the directory or anywhere below it. */
static size_t
closed_by_name(const struct git_ref_path *dir, const struct git_repo_query *q)
{
	const char *path = q->path;
	size_t length = q->below(path, dir->path);

	if (length == 0 || path[length] == '\0')
		return 0;
	for (const char *name = path + length + 1;; name += strcspn(name, "/") + 1) {
		size_t end = strcspn(name, "/");

		if (git_repo_query_is_hook(name, end))
			return (size_t)(name - path) + end;
		if (name[end] == '\0' || dir->kind == GIT_REF_NAMES)
			return 0;
	}
}

/*
 * The path to a remote: no link and nothing new may appear on it, and no directory above it may
 * become a working tree, whose checkout could bring another repository.
 */
static size_t
closed_on_way(const struct git_ref_path *dir, const struct git_repo_query *q)
{
	size_t length = strlen(q->path), above = length < 5 ? 0 : length - 5;

	if (q->below(dir->path, q->path) > 0)
		return q->is_link || q->below(q->path, dir->path) > 0 ? length : 0;
	/* a checkout writes nothing into a git directory */
	return above > 0 && ascii_same(q->path + above, "/.git") && strlen(dir->path) > above &&
			       dir->path[above] == '/' && ascii_same_n(dir->path, q->path, above)
		       ? length
		       : 0;
}

static size_t
closed_by(const struct git_ref_path *dir, const struct git_repo_query *q, size_t root)
{
	switch (dir->kind) {
	case GIT_REF_NAMES:
	case GIT_REF_UNKNOWN:
		return closed_by_name(dir, q);
	case GIT_REF_REMOTE:
		return closed_on_way(dir, q);
	default:
		return closed_at(dir, q, root);
	}
}

const struct protection *
git_repo_query_find(const struct git_repo *one, struct git_repo_query *q, size_t root)
{
	for (size_t i = 0; i < one->count; i++) {
		q->anchor = closed_by(&one->dirs[i], q, root);
		if (q->anchor > 0)
			return &of_kind[one->dirs[i].kind];
	}
	q->anchor = strlen(q->path);
	return one->is_failed ? &git_repo_unreadable : NULL;
}
