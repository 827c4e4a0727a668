// SPDX-License-Identifier: MIT
/*
 * Finds the project, the working directory, and what git uses of them. A directory that would make
 * a home or the whole system writable is never chosen as project.
 */
#include "base/os.h"

#include "discover/context.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/path.h"
#include "git/config/git_dir.h"
#include "git/config/git_ref_paths.h"
#include "git/config/git_repo.h"

static char *
real_path(struct arena *arena, const char *path, struct cordon_error *err)
{
	char real[PATH_MAX];

	if (os_realpath(path, real) == NULL) {
		cordon_fail(err, CORDON_E_PATH, errno, "cannot use %s", path);
		return NULL;
	}
	return arena_strdup(arena, real, err);
}

/* "/", a home, or a directory that contains one: only by explicit request. */
static bool
is_too_wide(const struct cordon_plan *context, const char *path)
{
	if (strcmp(path, "/") == 0)
		return true;
	for (size_t i = 0; i < context->home_count; i++)
		if (path_below(context->homes[i], path))
			return true;
	return false;
}

/* A failed lookup of a policy must not pass for "no policy". */
static int
not_seen(const char *path, struct cordon_error *err)
{
	if (errno == ENOENT || errno == ENOTDIR || errno == ENAMETOOLONG)
		return 0;
	return cordon_fail(err, CORDON_E_SYSTEM, errno, "cannot examine %s", path);
}

/* Returns 1, 0 or an error. */
static int
has_marker(const char *folder, const char *marker, struct cordon_error *err)
{
	char path[PATH_MAX];
	struct stat st;

	if (snprintf(path, sizeof path, "%s/%s", folder, marker) >= (int)sizeof path)
		return 0;
	return lstat(path, &st) < 0 ? not_seen(path, err) : 1;
}

/* Result of the search upwards. */
struct markers {
	const char *policy, *git; /* the nearest directory with each, or NULL */
	bool is_over;		  /* .git files further up do not count */
	struct cordon_error
		why; /* error of the nearest .git that could not be examined, if nearer than git */
};

/* Does it exist, and not made by others in a sticky directory? Returns 1, 0 or an error. */
static int
is_owners(const char *folder, const struct stat *at, const char *marker, struct cordon_error *err)
{
	char path[PATH_MAX];
	struct stat st;

	if (at->st_uid != geteuid() ||
	    snprintf(path, sizeof path, "%s/%s", folder, marker) >= (int)sizeof path)
		return 0;
	if (lstat(path, &st) < 0)
		return not_seen(path, err);
	return !(at->st_mode & S_ISVTX) || st.st_uid == at->st_uid;
}

/*
 * In a directory writable by everyone no marker counts. But a command may have opened its own
 * project directory, to get rid of the policy or to make the directory above the project. So a
 * policy there is an error, and after a .git no .git further up counts.
 */
static int
look_where_all_write(const char *folder, const struct stat *at, struct markers *to,
		     struct cordon_error *err)
{
	int rc = is_owners(folder, at, PROJECT_POLICY_NAME, err);

	if (rc > 0)
		return cordon_fail(err, CORDON_E_TRUST, 0,
				   "%s/%s lies in a folder that is writable by everyone", folder,
				   PROJECT_POLICY_NAME);
	if (rc == 0 && has_marker(folder, ".git", NULL) != 0)
		to->is_over = true;
	return rc;
}

static int
look_for_markers(struct arena *arena, const char *folder, struct markers *to,
		 struct cordon_error *err)
{
	struct stat at;
	int rc;

	if (stat(folder, &at) < 0)
		return not_seen(folder, err);
	if (at.st_mode & S_IWOTH)
		return look_where_all_write(folder, &at, to, err);
	rc = has_marker(folder, PROJECT_POLICY_NAME, err);
	if (rc > 0)
		to->policy = arena_strdup(arena, folder, err);
	if (rc != 0)
		return rc > 0 && to->policy == NULL ? -CORDON_E_MEMORY : rc;
	if (to->git == NULL && !to->is_over && to->why.code == 0 &&
	    has_marker(folder, ".git", &to->why) > 0) {
		to->git = arena_strdup(arena, folder, err);
		return to->git == NULL ? -CORDON_E_MEMORY : 0;
	}
	return 0;
}

/* Searches upwards from a directory; one that is too wide ends the search. */
static int
find_markers(struct cordon_plan *context, const char *from, struct markers *to,
	     struct cordon_error *err)
{
	char folder[PATH_MAX];
	int rc = 0;

	snprintf(folder, sizeof folder, "%s", from);
	while (rc == 0 && *folder != '\0' && !is_too_wide(context, folder)) {
		rc = look_for_markers(&context->arena, folder, to, err);
		*strrchr(folder, '/') = '\0';
	}
	return rc < 0 ? rc : 0;
}

/* Directories never chosen as project: the system's, and hidden ones of the home. */
static bool
is_no_workplace(const struct cordon_plan *context, const char *path)
{
	static const char *const trees[] = {"/etc", "/boot",  "/dev",	      "/proc",
					    "/sys", "/run",   "/bin",	      "/sbin",
					    "/lib", "/lib64", "/private/etc", "/System"};
	static const char *const folders[] = {"/usr",	      "/var",	     "/opt",
					      "/srv",	      "/tmp",	     "/var/tmp",
					      "/home",	      "/Users",	     "/mnt",
					      "/media",	      "/usr/local",  "/Library",
					      "/private/tmp", "/private/var"};
	const char *home = context_env_path(&context->host, "HOME");

	for (size_t i = 0; i < COUNT(trees); i++)
		if (path_below(path, trees[i]))
			return true;
	for (size_t i = 0; i < COUNT(folders); i++)
		if (strcmp(path, folders[i]) == 0)
			return true;
	return home != NULL && strcmp(home, "/") != 0 && path_below(path, home) &&
	       path[strlen(home)] == '/' && path[strlen(home) + 1] == '.';
}

/*
 * A policy file takes precedence over a nearer .git: a sandbox could make a .git further down to
 * lose the policy above.
 */
static int
find_project(struct cordon_plan *context, enum context_use use, struct cordon_error *err)
{
	struct host *host = &context->host;
	struct markers markers = {0};
	int rc = find_markers(context, host->cwd, &markers, err);

	if (rc < 0)
		return rc;
	if (markers.policy == NULL && markers.why.code != 0) {
		if (err != NULL)
			*err = markers.why;
		return -markers.why.code;
	}
	host->project = markers.policy != NULL ? markers.policy : markers.git;
	if (host->project != NULL)
		return 0;
	host->project = host->cwd;
	if (use == CONTEXT_LOOK ||
	    (!is_too_wide(context, host->cwd) && !is_no_workplace(context, host->cwd)))
		return 0;
	host->has_no_project = true;
	return 0;
}

int
project_fail(const struct cordon_plan *context, struct cordon_error *err)
{
	return cordon_fail(
		err, CORDON_E_USAGE, 0,
		"%s cannot be the project: it is a home folder, hidden in one, the system's, or "
		"holds several; "
		"go into a project or name a folder with -C",
		context->host.cwd);
}

bool
project_is_home(const struct cordon_plan *context)
{
	return is_too_wide(context, context->host.project);
}

static int
named_project(struct cordon_plan *context, const char *named, struct cordon_error *err)
{
	struct stat st;
	char *path;

	/* a directory of another machine is not checked */
	if (context_plans_other_os(context) && *named == '/') {
		int rc = context_foreign_path(context, named, &context->host.project, err);

		context->host.cwd = context->host.project;
		return rc;
	}
	path = real_path(&context->arena, named, err);
	if (path == NULL)
		return err == NULL ? -CORDON_E_PATH : -err->code;
	if (stat(path, &st) < 0 || !S_ISDIR(st.st_mode))
		return cordon_fail(err, CORDON_E_PATH, 0, "%s is not a folder", path);
	context->host.project = path;
	return 0;
}

/* Sets host->project_marker if another directory would be the project without this .git. */
static int
set_marker(struct cordon_plan *context, struct cordon_error *err)
{
	struct host *host = &context->host;
	struct markers markers = {0};
	char around[PATH_MAX];

	snprintf(around, sizeof around, "%s", host->project);
	*strrchr(around, '/') = '\0';
	if (has_marker(host->project, ".git", NULL) <= 0 ||
	    has_marker(host->project, PROJECT_POLICY_NAME, NULL) != 0 ||
	    find_markers(context, around, &markers, NULL) < 0 || markers.policy != NULL ||
	    markers.git == NULL)
		return 0;
	host->project_marker = path_join(&context->arena, host->project, ".git", err);
	return host->project_marker == NULL ? -CORDON_E_MEMORY : 0;
}

int
project_find(struct cordon_plan *context, const struct cordon_setup *setup, enum context_use use,
	     struct cordon_error *err)
{
	char cwd[PATH_MAX];
	int rc;

	if (getcwd(cwd, sizeof cwd) == NULL || *cwd != '/')
		return cordon_fail(err, CORDON_E_PATH, errno, "cannot find the working directory");
	context->host.cwd = real_path(&context->arena, cwd, err);
	if (context->host.cwd == NULL)
		return err == NULL ? -CORDON_E_PATH : -err->code;
	rc = setup->project != NULL ? named_project(context, setup->project, err)
				    : find_project(context, use, err);
	if (rc < 0)
		return rc;
	/* a home must not become writable because the command was started there */
	if (!context->host.has_no_project &&
	    (strcmp(context->host.cwd, context->host.project) == 0 ||
	     !is_too_wide(context, context->host.cwd)))
		context->host.cwd_token = context->host.cwd;
	if (context_plans_other_os(context))
		return 0;
	rc = set_marker(context, err);
	if (rc < 0)
		return rc;
	rc = git_dir_find(&context->arena, context->host.project, &context->host.git, err);
	if (rc < 0)
		return rc;
	rc = git_ref_paths_find(&context->arena, &context->host, &context->host.hooks, err);
	return rc < 0 ? rc
		      : git_repo_read_parents(&context->arena, &context->host, &context->host.hooks,
					      err);
}
