// SPDX-License-Identifier: MIT
/*
 * Finding core.hooksPath. What git would not read is not read either: then it finds no hooks by it.
 * Most projects have no such key, so a file is understood only where its word stands in it.
 */
#include "plan/hookdir.h"

#include <string.h>
#include <strings.h>

#include "base/fd.h"
#include "base/path.h"
#include "plan/gitconfig.h"
#include "plan/host.h"
#include "plan/resolve.h"

struct search {
	struct arena *arena;
	const struct host *host;
	struct hookdirs *to;
	struct cordon_error *err;
};

static bool
is_huskys(const char *path)
{
	for (const char *at = strchr(path, '/'); at != NULL; at = strchr(at + 1, '/'))
		if (strncasecmp(at, "/.husky", 7) == 0 && (at[7] == '/' || at[7] == '\0'))
			return true;
	return false;
}

static int
add(struct search *s, const char *path)
{
	const char *project = s->host->project, **slot;

	if (!path_below(path, project) || strcmp(path, project) == 0 || is_huskys(path))
		return 0;
	slot = arena_push(s->arena, &s->to->paths, &s->to->count, sizeof *slot, s->err);
	if (slot == NULL)
		return -CORDON_E_MEMORY;
	*slot = path;
	return 0;
}

/* Where the value leads, and the links on the way: who replaces one of them leads git elsewhere. */
static int
add_value(struct search *s, const char *value)
{
	struct cordon_error why = {0};
	struct resolved found;
	const char *path = value;
	int rc;

	if (strncmp(value, "~/", 2) == 0 && s->host->home != NULL)
		path = path_join(s->arena, s->host->home, value + 2, s->err);
	else if (*value != '/')
		path = path_join(s->arena, s->host->project, value, s->err);
	if (path == NULL)
		return -CORDON_E_MEMORY;
	rc = resolve_path(s->arena, &fs_real, path, &found, &why);
	if (rc == -CORDON_E_MEMORY)
		return cordon_no_memory(s->err);
	if (rc < 0)
		return 0;
	rc = add(s, found.path);
	for (size_t i = 0; rc == 0 && i < found.link_count; i++)
		rc = add(s, found.links[i]);
	return rc;
}

static int
read_settings(struct search *s, const char *folder, const char *name)
{
	struct gitconfig config = {0};
	struct cordon_error why = {0};
	const char *path;
	size_t length;
	char *text;
	int rc;

	if (folder == NULL)
		return 0;
	path = path_join(s->arena, folder, name, s->err);
	if (path == NULL)
		return -CORDON_E_MEMORY;
	rc = file_read(s->arena, path, GITCONFIG_MAX, &text, &length, NULL, &why);
	if (rc == -CORDON_E_MEMORY)
		return cordon_no_memory(s->err);
	if (rc < 0 || strcasestr(text, "hookspath") == NULL)
		return 0;
	rc = gitconfig_parse(s->arena, text, length, &config, s->err);
	for (size_t i = 0; rc > 0 && i < config.count; i++)
		if (strcmp(config.items[i].name, "core.hookspath") == 0 &&
		    config.items[i].value != NULL && *config.items[i].value != '\0' &&
		    add_value(s, config.items[i].value) < 0)
			return -CORDON_E_MEMORY;
	return rc < 0 ? rc : 0;
}

int
hookdirs_find(struct arena *arena, const struct host *host, struct hookdirs *ret,
	      struct cordon_error *err)
{
	struct search s = {arena, host, ret, err};
	const char *own = path_join(arena, host->project, ".git", err);
	const char *common = host->git.common_dir == NULL ? own : host->git.common_dir;
	const char *xdg = host_getenv(host, "XDG_CONFIG_HOME");
	int rc;

	*ret = (struct hookdirs){0};
	if (own == NULL)
		return -CORDON_E_MEMORY;
	rc = read_settings(&s, common, "config");
	if (rc == 0)
		rc = read_settings(&s, host->git.git_dir == NULL ? own : host->git.git_dir,
				   "config.worktree");
	if (rc == 0)
		rc = read_settings(&s, host->home, ".gitconfig");
	if (rc == 0)
		rc = xdg != NULL && *xdg == '/'
			     ? read_settings(&s, xdg, "git/config")
			     : read_settings(&s, host->home, ".config/git/config");
	return rc;
}
