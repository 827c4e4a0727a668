// SPDX-License-Identifier: MIT
/*
 * Which names are git's, beyond those that the plan knows by pattern: a bare repository can have any
 * name, and git obeys it as soon as somebody goes there. Whatever has HEAD and objects (or HEAD and
 * commondir) is one. So a folder becomes one only with settings that were vetted and without hooks,
 * and from then on these names in it are not free any more.
 */
#include "linux/vet.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/fd.h"
#include "base/path.h"
#include "base/str.h"
#include "plan/gitsteps.h"

#define SAMPLE ".sample"

#define REMOTE "it leads git to another repository"

#define VETTED(vetting, name, why)                                                          \
	{                                                                                   \
		.kind = PROTECT_VETTED, .vet = vetting, .pattern = name, .self_only = true, \
		.reason = why                                                               \
	}
#define PROTECTED(name, but, why)                                                   \
	{                                                                           \
		.kind = PROTECT_NAME, .pattern = name, .except = but, .reason = why \
	}
static const struct protection of_config =
	VETTED(VET_CONFIG, "config", "its keys can start programs");
static const struct protection of_common =
	VETTED(VET_COMMONDIR, "commondir", "it leads git elsewhere");
static const struct protection of_folder = VETTED(VET_FOLDER, "hooks", "git runs what lies in it");
static const struct protection of_head =
	VETTED(VET_HEAD, "HEAD", "it makes a repository of its folder");
static const struct protection of_hook = PROTECTED("hooks/*", SAMPLE, "git runs it");
static const struct protection of_remote = PROTECTED("remotes/*", NULL, REMOTE);
static const struct protection of_steps_folder =
	VETTED(VET_FOLDER, "rebase-merge", "git carries out what lies in it");
static const struct protection of_steps =
	VETTED(VET_STEPS, "git-rebase-todo", "git carries it out when a rebase goes on");
static const struct protection of_attributes =
	PROTECTED("info/attributes", NULL, "it can make git run filters");

/* Directly in a repository. */
static const struct {
	const char *name;
	const struct protection *protection;
} names[] = {
	{"config", &of_config},
	{"config.worktree", &of_config},
	{"commondir", &of_common},
	{"hooks", &of_folder},
	{"info", &of_folder},
	{"rebase-merge", &of_steps_folder},
	{"sequencer", &of_steps_folder},
	{"rebase-apply", &of_steps_folder},
};

/* ---- looking ---- */

static bool
is_there(const char *folder, const char *name)
{
	char path[PATH_MAX];
	struct stat at;

	return snprintf(path, sizeof path, "%s/%s", folder, name) < PATH_MAX &&
	       fstatat(AT_FDCWD, path, &at, AT_SYMLINK_NOFOLLOW) == 0;
}

bool
vet_is_repository(const char *folder)
{
	return is_there(folder, "HEAD") &&
	       (is_there(folder, "objects") || is_there(folder, "commondir"));
}

static bool
is_head(const char *name)
{
	return ascii_same(name, "HEAD") || ascii_same(name, "objects");
}

bool
vet_is_delicate(const char *path)
{
	static const char *const more[] = {".git", ".gitmodules", "gitdir"};
	const char *name = path_last(path);

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (ascii_same(name, names[i].name))
			return true;
	for (size_t i = 0; i < sizeof more / sizeof more[0]; i++)
		if (ascii_same(name, more[i]))
			return true;
	return is_head(name);
}

/* Does the rule speak about path, and by a path that is at least that long? */
static bool
is_by_name_of(const struct planned_rule *rule, const char *path, size_t anchor)
{
	return strcmp(rule->path, path) == 0 ||
	       (rule->match == MATCH_SUBPATH && strlen(rule->path) >= anchor &&
		path_below(path, rule->path));
}

/* Who names the very part of the path that is closed gets it. */
static bool
is_named(const struct broker *broker, const char *path, size_t anchor)
{
	const struct index *index = &broker->plan->index;

	for (size_t i = 0; i < index->path_count; i++)
		if (index->paths[i].effect == EFFECT_ALLOW &&
		    (index->paths[i].rights & RIGHT_WRITE) &&
		    index->paths[i].layer != LAYER_PROFILE &&
		    index->paths[i].layer != LAYER_PROJECT &&
		    is_by_name_of(&index->paths[i], path, anchor))
			return true;
	return false;
}

static bool
is_sample(const char *name)
{
	size_t length = strlen(name), end = strlen(SAMPLE);

	return length > end && strcmp(name + length - end, SAMPLE) == 0;
}

/* The first length bytes of path as a folder: is it a repository? */
static bool
is_repository_part(const char *path, size_t length)
{
	char folder[PATH_MAX];

	memcpy(folder, path, length);
	folder[length] = '\0';
	return length > 0 && vet_is_repository(folder);
}

/* Does a component of this name stand in a repository? Sets the rest of the path after it. */
static bool
lies_in(const char *path, const char *component, const char **ret_rest)
{
	size_t length = strlen(component);

	for (const char *at = strchr(path, '/'); at != NULL; at = strchr(at + 1, '/'))
		if (ascii_same_n(at + 1, component, length) && at[1 + length] == '/' &&
		    is_repository_part(path, (size_t)(at - path))) {
			*ret_rest = at + length + 2;
			return true;
		}
	return false;
}

static void
take_away(struct verdict *verdict, const struct protection *protection)
{
	for (int i = 0; i < RIGHT_KINDS; i++)
		if (verdict->rights & RIGHTS_CHANGE & (1u << i))
			verdict->by[i] = (struct decision){.protection = protection};
	verdict->rights &= ~(unsigned)RIGHTS_CHANGE;
}

static const struct protection *
find_below(const char *path)
{
	const char *rest;

	if (lies_in(path, "hooks", &rest) && !(strchr(rest, '/') == NULL && is_sample(rest)))
		return &of_hook;
	if (lies_in(path, "remotes", &rest) || lies_in(path, "branches", &rest))
		return &of_remote;
	if (lies_in(path, "info", &rest) && ascii_same(rest, "attributes"))
		return &of_attributes;
	if ((lies_in(path, "rebase-merge", &rest) || lies_in(path, "sequencer", &rest)) &&
	    gitsteps_is_name(rest))
		return &of_steps;
	return NULL;
}

/*
 * Below modules a pattern cannot tell a repository's settings from a branch of that name: there it
 * is decided by what is there.
 */
static bool
is_by_name(const struct protection *vetted)
{
	return vetted != NULL && strstr(vetted->pattern, "modules/**") == NULL;
}

/* HEAD or objects, where the other is and this one is not yet. */
static const struct protection *
find_head(const struct broker *broker, const char *folder, const char *name)
{
	bool head = ascii_same(name, "HEAD");
	char config[PATH_MAX];

	/* where settings are vetted by their name, it is a repository already */
	if (!is_head(name) || is_there(folder, name) ||
	    (snprintf(config, sizeof config, "%s/config", folder) < PATH_MAX &&
	     is_by_name(index_decide(&broker->plan->index, config).vetted)))
		return NULL;
	if (head ? is_there(folder, "objects") || is_there(folder, "commondir")
		 : is_there(folder, "HEAD"))
		return &of_head;
	return NULL;
}

static const struct protection *
find_name(const struct broker *broker, const char *path)
{
	const char *name = path_last(path);
	char folder[PATH_MAX];
	size_t length = (size_t)(name - path) - 1;

	if (length == 0 || !vet_is_delicate(path))
		return NULL;
	memcpy(folder, path, length);
	folder[length] = '\0';
	/* beside HEAD it is what makes a repository */
	if (ascii_same(name, "commondir"))
		return is_there(folder, "HEAD") ? &of_common : NULL;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (ascii_same(name, names[i].name))
			return vet_is_repository(folder) ? names[i].protection : NULL;
	return find_head(broker, folder, name);
}

void
vet_complete(const struct broker *broker, const char *path, struct verdict *verdict)
{
	const struct protection *protection;
	size_t anchor = strlen(path);

	/* below a name that is vetted, which is a folder then, nothing is git's */
	if (verdict->vetted != NULL && (!is_by_name(verdict->vetted) ||
					protection_anchor(verdict->vetted, path) != strlen(path)))
		verdict->vetted = NULL;
	if (!(verdict->rights & RIGHTS_CHANGE))
		return;
	protection = verdict->vetted == NULL ? find_below(path) : NULL;
	if (protection == NULL)
		protection = vet_hooks(broker, path, &anchor);
	if (protection == NULL && verdict->vetted == NULL) {
		anchor = strlen(path);
		protection = find_name(broker, path);
	}
	if (protection == NULL || is_named(broker, path, anchor))
		return;
	if (protection->kind == PROTECT_NAME)
		take_away(verdict, protection);
	else
		verdict->vetted = protection;
}

/* ---- refusing ---- */

void
vet_refused(struct broker *broker, const char *what, const char *path, const char *why)
{
	auto_str struct str allow = {0};

	str_add(&allow, "--write ");
	str_shell(&allow, path);
	broker_refused_but(broker, what, path, why, allow.failed ? NULL : allow.text);
}

/* ---- becoming a repository ---- */

static bool
refuse(struct broker *broker, const char *path, const char *why)
{
	broker_refused(broker, "create", path, why);
	errno = EACCES;
	return false;
}

/* A real folder with nothing in it but what passes. */
static bool
holds_only(const char *folder, const char *name, bool (*passes)(const char *name))
{
	char path[PATH_MAX];
	const struct dirent *entry;
	bool fine = true;
	DIR *dir;
	int fd;

	if (!is_there(folder, name))
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

/* What was free until now may still be open for writing somewhere: it is replaced by our copy. */
static bool
settle_config(struct broker *broker, const char *folder, const char *name)
{
	char path[PATH_MAX];
	struct vet_file file = {NULL, 0, 0};
	auto_fd int fd = -1;
	int rc;

	if (!is_there(folder, name))
		return true;
	snprintf(path, sizeof path, "%s/%s", folder, name);
	fd = open(folder, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	rc = fd < 0 ? errno : vet_read(fd, name, &file);
	if (rc != 0)
		return refuse(broker, path, "cannot be read whole");
	/* nothing of it counts as there before: it was nobody's settings until now */
	rc = vet_content(broker, path, VET_CONFIG, &(struct gitconfig_text){file.text, file.length},
			 NULL);
	if (rc == 0 && !broker->is_asked)
		rc = vet_install(broker, &(struct vet_target){fd, name, path, VET_CONFIG, false},
				 &file) < 0
			     ? errno
			     : 0;
	free(file.text);
	errno = rc;
	return rc == 0;
}

bool
vet_repository(struct broker *broker, const char *folder)
{
	if (strlen(folder) + sizeof "/config.worktree" > PATH_MAX)
		return refuse(broker, folder, "has too long a name for a repository");
	if (is_there(folder, "commondir"))
		return refuse(broker, folder, "would be a repository with its settings elsewhere");
	if (!holds_only(folder, "hooks", is_sample))
		return refuse(broker, folder, "would be a repository with hooks");
	if (!holds_only(folder, "info", is_no_attributes))
		return refuse(broker, folder, "would be a repository with attributes");
	if (!holds_only(folder, "rebase-merge", is_nothing) ||
	    !holds_only(folder, "rebase-apply", is_nothing) ||
	    !holds_only(folder, "sequencer", is_nothing))
		return refuse(broker, folder, "would be a repository in the middle of a rebase");
	if (!vet_may_begin(broker, folder, folder))
		return refuse(broker, folder, "would be a repository with hooks");
	if (!holds_only(folder, "remotes", is_nothing) ||
	    !holds_only(folder, "branches", is_nothing))
		return refuse(broker, folder, "would be a repository with remotes of its own");
	if (!vet_links_stay(folder))
		return refuse(broker, folder, "would be a repository with links out of it");
	return settle_config(broker, folder, "config") &&
	       settle_config(broker, folder, "config.worktree");
}

bool
vet_may_make(struct broker *broker, const char *path, const struct protection *protection,
	     bool is_folder)
{
	char folder[PATH_MAX];

	snprintf(folder, sizeof folder, "%.*s", (int)(path_last(path) - path) - 1, path);
	if (protection->vet == VET_HEAD)
		return vet_repository(broker, folder);
	if (is_folder && protection->vet == VET_POINTER && !vet_may_begin(broker, folder, path))
		return refuse(broker, path, "would be a repository with hooks");
	if (is_folder)
		return true;
	return refuse(broker, path, protection->reason);
}
