// SPDX-License-Identifier: MIT
/*
 * Finding what git's settings name. What git would not read is not read either: then it finds nothing
 * by it. Most settings have no such key, so a file is understood only where one of their words stands
 * in it. Rather too much is found than too little: every value counts, not only the last one, and every
 * include, whatever its condition.
 */
#include "plan/hookdir.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/fd.h"
#include "base/path.h"
#include "base/str.h"
#include "plan/gitconfig.h"
#include "plan/host.h"
#include "plan/resolve.h"

/* git follows ten includes in a row; more files in all than this are nobody's settings. */
#define DEPTH_MAX 10
#define FILES_MAX 64

const char *const hookdir_names[] = {"applypatch-msg",
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

struct texts {
	const char **items;
	size_t count;
};

struct search {
	struct arena *arena;
	const struct host *host;
	const char *inside;	      /* only what lies below it counts; NULL: all */
	struct texts values;	      /* as written, of folders with hooks */
	struct texts programs, files; /* likewise; files: words of a command that may be some */
	struct texts roots;	      /* what relative ones start from */
	int looked, read;
	bool is_unread; /* there are settings that cannot be read */
	struct hookdirs *to;
	struct cordon_error *err;
};

static int
keep(struct search *s, struct texts *to, const char *text)
{
	const char **slot =
		text == NULL ? NULL
			     : arena_push(s->arena, &to->items, &to->count, sizeof *slot, s->err);

	if (slot == NULL)
		return -CORDON_E_MEMORY;
	*slot = text;
	return 0;
}

/* ---- what was found ---- */

static bool
is_huskys(const char *path)
{
	for (const char *at = strchr(path, '/'); at != NULL; at = strchr(at + 1, '/'))
		if (strncasecmp(at, "/.husky", 7) == 0 && (at[7] == '/' || at[7] == '\0'))
			return true;
	return false;
}

/* Closed or vetted anyway, and git itself has to change it. */
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

/* Does the folder hold a working tree or a repository, and so everything in it? */
static bool
is_wide(const struct search *s, const char *path)
{
	for (size_t i = 0; i < s->roots.count; i++)
		if (path_below(s->roots.items[i], path))
			return true;
	return strcmp(path_last(path), ".git") == 0 ||
	       (s->host->project != NULL && path_below(s->host->project, path));
}

/* Hooks may lie anywhere; of the rest only what is in the project is not the user's own business. */
static bool
counts(const struct search *s, enum hookdir_kind kind, const char *path)
{
	return !is_huskys(path) && !is_usual(path) &&
	       (kind < HOOKDIR_SETTINGS || !is_wide(s, path)) &&
	       (s->inside == NULL || kind == HOOKDIR_HOOKS || path_below(path, s->inside));
}

static int
add(struct search *s, enum hookdir_kind kind, const char *path, bool is_there)
{
	struct hookdir *slot;

	if (kind == HOOKDIR_HOOKS && is_wide(s, path))
		kind = HOOKDIR_NAMES;
	if (!counts(s, kind, path))
		return 0;
	slot = arena_push(s->arena, &s->to->items, &s->to->count, sizeof *slot, s->err);
	if (slot == NULL)
		return -CORDON_E_MEMORY;
	*slot = (struct hookdir){kind, path, is_there};
	return 0;
}

/* Where it leads, and the links on the way: who replaces one of them leads git elsewhere. */
static int
add_way(struct search *s, enum hookdir_kind kind, const char *path)
{
	struct cordon_error why = {0};
	struct resolved found;
	int rc = resolve_path(s->arena, &fs_real, path, &found, &why);

	if (rc == -CORDON_E_MEMORY)
		return cordon_no_memory(s->err);
	if (rc < 0 || (kind == HOOKDIR_FILE && found.kind != FS_FILE))
		return 0;
	rc = add(s, kind, found.path, found.kind != FS_MISSING);
	for (size_t i = 0; rc == 0 && i < found.link_count; i++)
		rc = add(s, kind, found.links[i], true);
	return rc;
}

/* ---- paths as git has them ---- */

static bool
is_own_name(const struct search *s, const char *name, size_t length)
{
	const char *own = host_getenv(s->host, "USER");

	return length == 0 ||
	       (own != NULL && strlen(own) == length && strncmp(own, name, length) == 0);
}

/* A value as a path: from home, from where git is installed, or as it is. NULL: no memory. */
static const char *
expand(struct search *s, const char *value)
{
	static const char optional[] = ":(optional)", prefix[] = "%(prefix)/";

	if (str_starts(value, optional))
		value += sizeof optional - 1;
	if (str_starts(value, prefix))
		return path_join(s->arena, "/usr", value + sizeof prefix - 1, s->err);
	if (*value == '~' && s->host->home != NULL) {
		size_t name = strcspn(value, "/");

		if (is_own_name(s, value + 1, name - 1))
			return path_join(s->arena, s->host->home,
					 value + name + (value[name] == '/'), s->err);
	}
	return value;
}

/* ---- settings ---- */

static int read_settings(struct search *s, const char *path, int depth);

static const char *
beside(struct search *s, const char *file, const char *value)
{
	const char *path = expand(s, value), *folder;

	if (path == NULL || *path == '/')
		return path;
	folder = path_parent(s->arena, file, s->err);
	return folder == NULL ? NULL : path_join(s->arena, folder, path, s->err);
}

static int
take_hooks(struct search *s, const char *file, const char *value, int depth)
{
	(void)file, (void)depth;
	return keep(s, &s->values, expand(s, value));
}

static int
take_include(struct search *s, const char *file, const char *value, int depth)
{
	const char *path = beside(s, file, value);
	int rc = path == NULL ? -CORDON_E_MEMORY : add_way(s, HOOKDIR_SETTINGS, path);

	return rc < 0 ? rc : read_settings(s, path, depth + 1);
}

/* Commands are for the shell: its first word is run, and any other may be what is run by that. */
static int
take_program(struct search *s, const char *file, const char *value, int depth)
{
	bool is_first = true;
	int rc = 0;

	(void)file, (void)depth;
	value += *value == '!';
	while (rc == 0 && *(value += strspn(value, " \t'\"")) != '\0') {
		size_t length = strcspn(value, " \t'\"");
		const char *word = arena_strndup(s->arena, value, length, s->err);

		if (word == NULL)
			return -CORDON_E_MEMORY;
		if (!is_first || strchr(word, '/') != NULL)
			rc = keep(s, is_first ? &s->programs : &s->files, expand(s, word));
		is_first = false;
		value += length;
	}
	return rc;
}

/* Relative hooks start from there. */
static int
take_worktree(struct search *s, const char *file, const char *value, int depth)
{
	struct cordon_error why = {0};
	const char *path = beside(s, file, value);
	struct resolved found;
	int rc;

	(void)depth;
	if (path == NULL)
		return -CORDON_E_MEMORY;
	rc = resolve_path(s->arena, &fs_real, path, &found, &why);
	if (rc < 0)
		return rc == -CORDON_E_MEMORY ? cordon_no_memory(s->err) : 0;
	return keep(s, &s->roots, found.path);
}

static const struct key {
	const char *start, *end; /* of its name */
	int (*use)(struct search *s, const char *file, const char *value, int depth);
} keys[] = {
	{"core.hookspath", "", take_hooks},
	{"init.templatedir", "", take_hooks},
	{"include.path", "", take_include},
	{"includeif.", ".path", take_include},
	{"core.worktree", "", take_worktree},
	{"core.fsmonitor", "", take_program},
	{"core.sshcommand", "", take_program},
	{"core.editor", "", take_program},
	{"core.pager", "", take_program},
	{"core.askpass", "", take_program},
	{"core.alternaterefscommand", "", take_program},
	{"sequence.editor", "", take_program},
	{"hook.", ".command", take_program},
	{"filter.", ".clean", take_program},
	{"filter.", ".smudge", take_program},
	{"filter.", ".process", take_program},
	{"diff.external", "", take_program},
	{"diff.", ".command", take_program},
	{"diff.", ".textconv", take_program},
	{"merge.", ".driver", take_program},
	{"interactive.difffilter", "", take_program},
	{"credential.", "helper", take_program},
	{"gpg.", "program", take_program},
	{"trailer.", ".cmd", take_program},
	{"trailer.", ".command", take_program},
};

static bool
is_about(const struct key *key, const char *name)
{
	size_t length = strlen(name), end = strlen(key->end);

	if (end == 0)
		return strcmp(name, key->start) == 0;
	return str_starts(name, key->start) && length > end &&
	       strcmp(name + length - end, key->end) == 0;
}

static int
take_item(struct search *s, const char *file, const struct gitconfig_item *item, int depth)
{
	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
		if (is_about(&keys[i], item->name) && item->value != NULL && *item->value != '\0')
			return keys[i].use(s, file, item->value, depth);
	return 0;
}

/* Does a word of one of the keys stand in it? That is cheaper to see than what it means. */
static bool
has_word(const char *text)
{
	static const char *const words[] = {"hookspath", "include", "templatedir", "worktree",
					    "fsmonitor", "command", "editor",	   "pager",
					    "askpass",	 "filter",  "external",	   "textconv",
					    "driver",	 "helper",  "program",	   "trailer"};

	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (strcasestr(text, words[i]) != NULL)
			return true;
	return false;
}

/* 1: text is there to be understood. */
static int
read_text(struct search *s, const char *path, char **ret_text, size_t *ret_length)
{
	struct cordon_error why = {0};
	int rc = file_read(s->arena, path, GITCONFIG_MAX, ret_text, ret_length, NULL, &why);

	if (rc == -CORDON_E_MEMORY)
		return cordon_no_memory(s->err);
	if (rc < 0 && why.sys != ENOENT && why.sys != ENOTDIR)
		s->is_unread = true;
	s->read += rc == 0;
	return rc < 0 ? 0 : 1;
}

static int
read_settings(struct search *s, const char *path, int depth)
{
	struct gitconfig config = {0};
	size_t length;
	char *text;
	int rc;

	if (path == NULL)
		return -CORDON_E_MEMORY;
	if (depth > DEPTH_MAX || s->looked++ >= FILES_MAX) {
		s->is_unread = true;
		return 0;
	}
	rc = read_text(s, path, &text, &length);
	if (rc <= 0 || !has_word(text))
		return rc < 0 ? rc : 0;
	rc = gitconfig_parse(s->arena, text, length, &config, s->err);
	for (size_t i = 0; rc > 0 && i < config.count; i++)
		if (take_item(s, path, &config.items[i], depth) < 0)
			return -CORDON_E_MEMORY;
	return rc < 0 ? rc : 0;
}

/* ---- whose ---- */

/* Of a value: from each root, if it is relative. */
static int
add_from_roots(struct search *s, enum hookdir_kind kind, const char *value)
{
	int rc = 0;

	if (*value == '/')
		return add_way(s, kind, value);
	for (size_t i = 0; rc == 0 && i < s->roots.count; i++) {
		const char *path = path_join(s->arena, s->roots.items[i], value, s->err);

		rc = path == NULL ? -CORDON_E_MEMORY : add_way(s, kind, path);
	}
	return rc;
}

static int
add_values(struct search *s)
{
	const struct {
		const struct texts *texts;
		enum hookdir_kind kind;
	} all[] = {{&s->values, HOOKDIR_HOOKS},
		   {&s->programs, HOOKDIR_PROGRAM},
		   {&s->files, HOOKDIR_FILE}};
	int rc = 0;

	for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
		for (size_t i = 0; rc == 0 && i < all[k].texts->count; i++)
			rc = add_from_roots(s, all[k].kind, all[k].texts->items[i]);
	return rc;
}

static int
read_repository(struct search *s, const struct hookrepo *repo)
{
	int rc = keep(s, &s->roots, repo->root);

	if (rc == 0)
		rc = read_settings(s, path_join(s->arena, repo->common_dir, "config", s->err), 0);
	if (rc == 0)
		rc = read_settings(s, path_join(s->arena, repo->git_dir, "config.worktree", s->err),
				   0);
	return rc;
}

/* Also where one of these is a link into the project. */
static int
read_own(struct search *s, const char *folder, const char *name)
{
	const char *path = folder == NULL ? name : path_join(s->arena, folder, name, s->err);
	int before = s->read, rc = read_settings(s, path, 0);

	return rc < 0 || s->read == before ? rc : add_way(s, HOOKDIR_SETTINGS, path);
}

static int
read_users(struct search *s)
{
	const char *global = host_getenv(s->host, "GIT_CONFIG_GLOBAL");
	const char *xdg = host_getenv(s->host, "XDG_CONFIG_HOME");
	int rc = read_settings(s, "/etc/gitconfig", 0);

	if (rc == 0 && global != NULL && *global == '/')
		rc = read_own(s, NULL, global);
	if (rc == 0 && s->host->home != NULL)
		rc = read_own(s, s->host->home, ".gitconfig");
	if (rc == 0 && xdg != NULL && *xdg == '/')
		return read_own(s, xdg, "git/config");
	return rc < 0 || s->host->home == NULL ? rc
					       : read_own(s, s->host->home, ".config/git/config");
}

int
hookdirs_find(struct arena *arena, const struct host *host, struct hookdirs *ret,
	      struct cordon_error *err)
{
	struct search s = {.arena = arena,
			   .host = host,
			   .inside = host->project,
			   .to = ret,
			   .err = err};
	const char *own = path_join(arena, host->project, ".git", err);
	const char *inner = host->git.inner == NULL ? own : host->git.inner;
	struct hookrepo repo = {host->project,
				host->git.git_dir == NULL ? inner : host->git.git_dir,
				host->git.common_dir == NULL ? inner : host->git.common_dir};
	struct texts users = {0};
	int rc;

	*ret = (struct hookdirs){0};
	if (own == NULL)
		return -CORDON_E_MEMORY;
	rc = read_users(&s);
	for (size_t i = 0; rc == 0 && i < s.values.count; i++)
		if (*s.values.items[i] != '/')
			rc = keep(&s, &users, s.values.items[i]);
	ret->values = users.items;
	ret->value_count = users.count;
	if (rc == 0)
		rc = read_repository(&s, &repo);
	return rc < 0 ? rc : add_values(&s);
}

int
hookdirs_read(struct arena *arena, const struct host *host, const struct hookrepo *repo,
	      struct hookdirs *ret, struct cordon_error *err)
{
	struct search s = {.arena = arena, .host = host, .to = ret, .err = err};
	int rc;

	*ret = (struct hookdirs){0};
	for (size_t i = 0; i < host->hooks.value_count; i++)
		if (keep(&s, &s.values, host->hooks.values[i]) < 0)
			return -CORDON_E_MEMORY;
	rc = read_repository(&s, repo);
	if (rc == 0)
		rc = add_values(&s);
	return rc < 0 || !s.is_unread ? rc : add(&s, HOOKDIR_UNKNOWN, repo->root, true);
}
