// SPDX-License-Identifier: MIT
/*
 * Resolves the paths that git's settings refer to, and reads whose settings apply. Errs towards too
 * many: every value counts, not only the last, relative to every directory it may start from.
 */
#include "git/config/git_ref_paths.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/ascii.h"
#include "base/path.h"
#include "git/config/git_scan.h"
#include "host/host.h"
#include "host/resolve.h"

const char *const git_hook_names[] = {"applypatch-msg",
				      "commit-msg",
				      "fsmonitor-watchman",
				      "p4-changelist",
				      "p4-post-changelist",
				      "p4-pre-submit",
				      "p4-prepare-changelist",
				      "post-applypatch",
				      "post-checkout",
				      "post-commit",
				      "post-index-change",
				      "post-merge",
				      "post-receive",
				      "post-rewrite",
				      "post-update",
				      "pre-applypatch",
				      "pre-auto-gc",
				      "pre-commit",
				      "pre-merge-commit",
				      "pre-push",
				      "pre-rebase",
				      "pre-receive",
				      "prepare-commit-msg",
				      "proc-receive",
				      "push-to-checkout",
				      "reference-transaction",
				      "sendemail-validate",
				      "update",
				      NULL};

int
git_scan_add_text(struct git_scan *s, struct git_ref_texts *to, const char *text)
{
	const char **slot =
		text == NULL ? NULL
			     : arena_push(s->arena, &to->items, &to->count, sizeof *slot, s->err);

	if (slot == NULL)
		return -CORDON_E_MEMORY;
	*slot = text;
	return 0;
}

int
git_scan_fail(struct git_scan *s, const struct cordon_error *why)
{
	if (why->code == CORDON_E_MEMORY)
		return cordon_no_memory(s->err);
	return cordon_fail(s->err, CORDON_E_SYSTEM, 0, "cannot determine what git runs: %.160s",
			   why->text);
}

/* ---- results ---- */

static bool
is_huskys(const char *path)
{
	for (const char *at = strchr(path, '/'); at != NULL; at = strchr(at + 1, '/'))
		if (ascii_same_n(at, "/.husky", 7) && (at[7] == '/' || at[7] == '\0'))
			return true;
	return false;
}

/* Protected or vetted by name; git itself must change it. */
static bool
is_usual(const char *path)
{
	static const char *const ends[] = {"/.git/hooks", "/.git/config", "/.git/config.worktree"};
	size_t length = strlen(path);

	for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
		if (length > strlen(ends[i]) &&
		    strcmp(path + length - strlen(ends[i]), ends[i]) == 0)
			return true;
	return false;
}

/* Is a working tree or repository, and so everything in it, below the directory? */
static bool
is_wide(const struct git_scan *s, const char *path)
{
	for (size_t i = 0; i < s->roots.count; i++)
		if (path_below(s->roots.items[i], path))
			return true;
	return strcmp(path_last(path), ".git") == 0 ||
	       (s->host->project != NULL && path_below(s->host->project, path));
}

/* Hooks count anywhere; other paths only in the project. */
static bool
counts(const struct git_scan *s, enum git_ref_kind kind, const char *path)
{
	return !is_usual(path) &&
	       (kind < GIT_REF_SETTINGS ? !is_huskys(path) : !is_wide(s, path)) &&
	       (s->inside == NULL || kind == GIT_REF_HOOKS || path_below(path, s->inside));
}

static int
add(struct git_scan *s, enum git_ref_kind kind, const char *path, bool is_there)
{
	struct git_ref_path *slot;

	if (kind == GIT_REF_HOOKS && is_wide(s, path))
		kind = GIT_REF_NAMES;
	if (!counts(s, kind, path))
		return 0;
	slot = arena_push(s->arena, &s->to->items, &s->to->count, sizeof *slot, s->err);
	if (slot == NULL)
		return -CORDON_E_MEMORY;
	*slot = (struct git_ref_path){kind, path, is_there};
	return 0;
}

static int add_linked(struct git_scan *s, const char *folder);

int
git_scan_record(struct git_scan *s, const struct resolved *found)
{
	int rc = git_scan_add_text(s, &s->to->places, found->path);

	for (size_t i = 0; rc == 0 && i < found->link_count; i++)
		rc = git_scan_add_text(s, &s->to->places, found->links[i]);
	return rc;
}

int
git_scan_add(struct git_scan *s, enum git_ref_kind kind, const char *path)
{
	struct cordon_error why = {0};
	struct resolved found;
	int rc = resolve_path(s->arena, &fs_real, path, &found, &why);

	/* git finds nothing in a loop, unless someone resolves it, at one of many paths */
	if (rc == -CORDON_E_PATH) {
		s->is_unread = s->is_unread || kind == GIT_REF_HOOKS;
		if (git_scan_add_text(s, &s->to->places, "/") < 0)
			return -CORDON_E_MEMORY;
		return kind == GIT_REF_FILE ? 0 : add(s, kind, path, false);
	}
	if (rc < 0)
		return git_scan_fail(s, &why);
	rc = git_scan_record(s, &found);
	if (rc < 0)
		return rc;
	/* /dev/null means: no hooks */
	if ((found.kind == FS_OTHER && path_below(found.path, "/dev")) ||
	    (kind == GIT_REF_FILE && found.kind != FS_FILE && found.kind != FS_HIDDEN))
		return 0;
	rc = add(s, kind, found.path, found.kind != FS_MISSING);
	for (size_t i = 0; rc == 0 && i < found.link_count; i++)
		rc = add(s, kind, found.links[i], true);
	return rc == 0 && kind == GIT_REF_HOOKS && found.kind == FS_DIR ? add_linked(s, found.path)
									: rc;
}

/*
 * Adds the targets of hooks that are links. All entries are read: a command could make any number
 * of examples to hide one.
 */
static int
add_linked(struct git_scan *s, const char *folder)
{
	DIR *dir = opendir(folder);
	const struct dirent *entry;
	int rc = 0;

	if (dir == NULL && git_scan_is_temporary(errno))
		return cordon_fail(s->err, CORDON_E_SYSTEM, errno, "cannot read %s", folder);
	while (rc == 0 && dir != NULL && (entry = readdir(dir)) != NULL) {
		const char *path;

		if (*entry->d_name == '.' || git_ref_paths_is_sample(entry->d_name) ||
		    (entry->d_type != DT_LNK && entry->d_type != DT_UNKNOWN))
			continue;
		path = path_join(s->arena, folder, entry->d_name, s->err);
		rc = path == NULL ? -CORDON_E_MEMORY : git_scan_add(s, GIT_REF_PROGRAM, path);
	}
	if (dir != NULL)
		closedir(dir);
	return rc;
}

/* Adds a path in the repository if it is a link. On failure git_scan_add tries again. */
static int
add_if_link(struct git_scan *s, enum git_ref_kind kind, const char *path)
{
	char link[PATH_MAX];
	enum fs_kind is = path == NULL ? FS_MISSING : fs_real.look(fs_real.ctx, path, link);

	if (path == NULL)
		return -CORDON_E_MEMORY;
	return is == FS_LINK || is == FS_FAILED ? git_scan_add(s, kind, path) : 0;
}

/* Records where a link of this name leads, because settings are read through it. */
static int
pass_if_link(struct git_scan *s, const char *path)
{
	char link[PATH_MAX];
	struct resolved found;

	if (fs_real.look(fs_real.ctx, path, link) != FS_LINK)
		return 0;
	return resolve_path(s->arena, &fs_real, path, &found, NULL) < 0
		       ? git_scan_add_text(s, &s->to->places, "/")
		       : git_scan_record(s, &found);
}

/* ---- sources ---- */

/* Adds a value; a relative one once for each root. */
static int
add_from_roots(struct git_scan *s, enum git_ref_kind kind, const char *value)
{
	int rc = 0;

	if (*value == '/')
		return git_scan_add(s, kind, value);
	for (size_t i = 0; rc == 0 && i < s->roots.count; i++) {
		const char *path = path_join(s->arena, s->roots.items[i], value, s->err);

		rc = path == NULL ? -CORDON_E_MEMORY : git_scan_add(s, kind, path);
	}
	return rc;
}

static int
add_values(struct git_scan *s)
{
	const struct {
		const struct git_ref_texts *texts;
		enum git_ref_kind kind;
	} all[] = {{&s->words.hooks, GIT_REF_HOOKS},
		   {&s->words.programs, GIT_REF_PROGRAM},
		   {&s->words.files, GIT_REF_FILE},
		   {&s->remotes, GIT_REF_REMOTE}};
	int rc = 0;

	for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
		for (size_t i = 0; rc == 0 && i < all[k].texts->count; i++)
			rc = add_from_roots(s, all[k].kind, all[k].texts->items[i]);
	return rc;
}

int
git_scan_repository(struct git_scan *s, const struct git_repo_dirs *repo)
{
	const char *config = path_join(s->arena, repo->common_dir, "config", s->err),
		   *own = path_join(s->arena, repo->git_dir, "config.worktree", s->err),
		   *hooks = path_join(s->arena, repo->common_dir, "hooks", s->err);
	int rc = git_scan_add_text(s, &s->roots, repo->root);

	if (rc == 0)
		rc = git_scan_read(s, config, 0);
	if (rc == 0)
		rc = add_if_link(s, GIT_REF_SETTINGS, config);
	if (rc == 0)
		rc = git_scan_read(s, own, 0);
	if (rc == 0)
		rc = pass_if_link(s, own);
	if (rc == 0)
		rc = add_if_link(s, GIT_REF_HOOKS, hooks);
	return rc < 0 ? rc : add_linked(s, hooks);
}

/*
 * A file of the user can be in the project, by a link or because the environment names it there.
 * There it may also be missing.
 */
int
git_scan_own(struct git_scan *s, const char *folder, const char *name)
{
	const char *path = folder == NULL ? name : path_join(s->arena, folder, name, s->err);
	int rc = path == NULL ? -CORDON_E_MEMORY : git_scan_read(s, path, 0);

	return rc < 0 ? rc : git_scan_add(s, GIT_REF_SETTINGS, path);
}

/* The user's git directory: its attributes select filters that the settings define. */
static int
read_folder(struct git_scan *s, const char *folder)
{
	const char *attributes = path_join(s->arena, folder, "git/attributes", s->err);
	int rc = attributes == NULL ? -CORDON_E_MEMORY : git_scan_own(s, folder, "git/config");

	return rc < 0 ? rc : git_scan_add(s, GIT_REF_SETTINGS, attributes);
}

static int
read_users(struct git_scan *s)
{
	const char *xdg = host_getenv(s->host, "XDG_CONFIG_HOME");
	int rc = git_scan_read(s, "/etc/gitconfig", 0);

	if (rc == 0)
		rc = git_env_scan(s);
	if (rc == 0 && s->host->home != NULL)
		rc = git_scan_own(s, s->host->home, ".gitconfig");
	if (rc == 0 && xdg != NULL && *xdg == '/')
		return read_folder(s, xdg);
	if (rc < 0 || s->host->home == NULL)
		return rc;
	xdg = path_join(s->arena, s->host->home, ".config", s->err);
	return xdg == NULL ? -CORDON_E_MEMORY : read_folder(s, xdg);
}

/* Relative values of the user apply to every repository. */
static int
keep_relative(struct git_scan *s, const struct git_ref_texts *from, struct git_ref_texts *to)
{
	for (size_t i = 0; i < from->count; i++)
		if (*from->items[i] != '/' && git_scan_add_text(s, to, from->items[i]) < 0)
			return -CORDON_E_MEMORY;
	return 0;
}

static int
keep_words(struct git_scan *s, const struct git_ref_words *from, struct git_ref_words *to)
{
	int rc = keep_relative(s, &from->hooks, &to->hooks);

	if (rc == 0)
		rc = keep_relative(s, &from->programs, &to->programs);
	return rc < 0 ? rc : keep_relative(s, &from->files, &to->files);
}

int
git_ref_paths_find(struct arena *arena, const struct host *host, struct git_ref_paths *ret,
		   struct cordon_error *err)
{
	struct git_scan s = {.arena = arena,
			     .host = host,
			     .inside = host->project,
			     .to = ret,
			     .err = err};
	const char *own = path_join(arena, host->project, ".git", err);
	const char *inner = host->git.inner == NULL ? own : host->git.inner;
	struct git_repo_dirs repo = {host->project,
				     host->git.git_dir == NULL ? inner : host->git.git_dir,
				     host->git.common_dir == NULL ? inner : host->git.common_dir};
	int rc;

	*ret = (struct git_ref_paths){0};
	if (own == NULL)
		return -CORDON_E_MEMORY;
	rc = read_users(&s);
	if (rc == 0)
		rc = keep_words(&s, &s.words, &ret->words);
	if (rc == 0)
		rc = git_scan_repository(&s, &repo);
	if (rc == 0)
		rc = add_values(&s);
	return rc == 0 && s.is_unread ? add(&s, GIT_REF_UNKNOWN, host->project, true) : rc;
}

int
git_ref_paths_read(struct arena *arena, const struct host *host, const struct git_repo_dirs *repo,
		   struct git_ref_paths *ret, struct cordon_error *err)
{
	struct git_scan s = {.arena = arena, .host = host, .to = ret, .err = err};
	int rc;

	*ret = (struct git_ref_paths){0};
	rc = keep_words(&s, &host->hooks.words, &s.words);
	if (rc == 0)
		rc = git_scan_repository(&s, repo);
	if (rc == 0)
		rc = add_values(&s);
	if (rc == 0 && s.is_unread)
		rc = add(&s, GIT_REF_UNKNOWN, repo->root, true);
	/* settings of this repository may concern any part of the project */
	if (rc == 0 && s.is_unread && host->project != NULL &&
	    path_below(repo->root, host->project))
		rc = add(&s, GIT_REF_UNKNOWN, host->project, true);
	return rc;
}

static bool
ends_in_sample(const char *name, size_t length)
{
	static const char sample[] = ".sample";
	size_t end = strlen(sample);

	return length >= end && strncmp(name + length - end, sample, end) == 0;
}

bool
git_ref_paths_is_sample(const char *name)
{
	static const char random[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
	const char *last = strrchr(name, '.');

	if (ends_in_sample(name, strlen(name)))
		return true;
	return *name == '.' && strlen(last) == strlen(".XXXXXX") && strspn(last + 1, random) == 6 &&
	       ends_in_sample(name, (size_t)(last - name));
}
