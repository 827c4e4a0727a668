// SPDX-License-Identifier: MIT
/*
 * Reads git's settings for the paths they refer to. A file that git would not read is skipped.
 * Includes are followed whatever their condition.
 */
#include "git/config/git_scan.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/path.h"
#include "base/str.h"
#include "git/config/git_config.h"
#include "host/host.h"
#include "host/resolve.h"

/* git follows ten nested includes; no real settings have more files. */
#define DEPTH_MAX 10
#define FILES_MAX 64

/* ---- paths in settings ---- */

static bool
is_own_name(const struct git_scan *s, const char *name, size_t length)
{
	const char *own = host_getenv(s->host, "USER");

	return length == 0 ||
	       (own != NULL && strlen(own) == length && strncmp(own, name, length) == 0);
}

/* Expands "~", "%(prefix)" and the like. NULL: no memory. */
static const char *
expand(struct git_scan *s, const char *value)
{
	static const char optional[] = ":(optional)", prefix[] = "%(prefix)/";

	if (str_starts(value, optional))
		value += sizeof optional - 1;
	if (str_starts(value, prefix))
		return path_join(s->arena, "/usr", value + sizeof prefix - 1, s->err);
	if (str_starts(value, "$HOME/") && s->host->home != NULL)
		return path_join(s->arena, s->host->home, value + strlen("$HOME/"), s->err);
	if (*value == '~' && s->host->home != NULL) {
		size_t name = strcspn(value, "/");

		if (is_own_name(s, value + 1, name - 1))
			return path_join(s->arena, s->host->home,
					 value + name + (value[name] == '/'), s->err);
	}
	return value;
}

/* ---- settings ---- */

static const char *
beside(struct git_scan *s, const char *file, const char *value)
{
	const char *path = expand(s, value), *folder;

	if (path == NULL || *path == '/')
		return path;
	folder = path_parent(s->arena, file, s->err);
	return folder == NULL ? NULL : path_join(s->arena, folder, path, s->err);
}

static int
take_hooks(struct git_scan *s, const char *file, const char *value, int depth)
{
	(void)file, (void)depth;
	return git_scan_add_text(s, &s->words.hooks, expand(s, value));
}

static int
take_include(struct git_scan *s, const char *file, const char *value, int depth)
{
	const char *path = beside(s, file, value);
	int rc = path == NULL ? -CORDON_E_MEMORY : git_scan_add(s, GIT_REF_SETTINGS, path);

	return rc < 0 ? rc : git_scan_read(s, path, depth + 1);
}

/*
 * The shell runs a command's first word, after variable assignments; any other word may be a file
 * that this program runs.
 */
static int
take_program(struct git_scan *s, const char *file, const char *value, int depth)
{
	static const char between[] = " \t\n'\"=;&|()<>`";
	bool is_first = true, is_set = false;
	int rc = 0;

	(void)file, (void)depth;
	value += *value == '!';
	while (rc == 0 && *(value += strspn(value, between)) != '\0') {
		size_t length = strcspn(value, between);
		const char *word = arena_strndup(s->arena, value, length, s->err);
		bool is_run = is_first && !is_set;

		if (word == NULL)
			return -CORDON_E_MEMORY;
		value += length;
		if (!is_run || strchr(word, '/') != NULL)
			rc = git_scan_add_text(s, is_run ? &s->words.programs : &s->words.files,
					       expand(s, word));
		is_first = is_first && (is_set || *value == '=');
		is_set = is_first && *value == '=';
	}
	return rc;
}

/* Without "!" the value is one of git's own commands. */
static int
take_if_program(struct git_scan *s, const char *file, const char *value, int depth)
{
	return *value == '!' ? take_program(s, file, value, depth) : 0;
}

/* A local repository, which git also looks for as X.git. Other addresses contain a colon. */
static int
take_remote(struct git_scan *s, const char *file, const char *value, int depth)
{
	int rc;

	(void)file, (void)depth;
	if (str_starts(value, "file://"))
		value += strlen("file://");
	if (strchr(value, ':') != NULL || strchr(value, '/') == NULL)
		return 0;
	rc = git_scan_add_text(s, &s->remotes, value);
	return rc < 0 ? rc
		      : git_scan_add_text(s, &s->remotes,
					  arena_printf(s->arena, s->err, "%s.git", value));
}

/* Relative hooks start from there. */
static int
take_worktree(struct git_scan *s, const char *file, const char *value, int depth)
{
	struct cordon_error why = {0};
	const char *path = beside(s, file, value);
	struct resolved found;
	int rc;

	(void)depth;
	if (path == NULL)
		return -CORDON_E_MEMORY;
	rc = resolve_path(s->arena, &fs_real, path, &found, &why);
	if (rc < 0 && rc != -CORDON_E_PATH)
		return git_scan_fail(s, &why);
	if ((rc < 0 ? git_scan_add_text(s, &s->to->places, "/") : git_scan_record(s, &found)) < 0)
		return -CORDON_E_MEMORY;
	return git_scan_add_text(s, &s->roots, rc < 0 ? path : found.path);
}

static const struct scan_key {
	const char *start, *end; /* suffix of the name; "*": any */
	int (*use)(struct git_scan *s, const char *file, const char *value, int depth);
} keys[] = {
	{"core.hookspath", "", take_hooks},
	{"init.templatedir", "", take_hooks},
	{"include.path", "", take_include},
	{"includeif.", ".path", take_include},
	{"core.worktree", "", take_worktree},
	{"remote.", "url", take_remote},
	{"remote.pushdefault", "", take_remote},
	{"branch.", "remote", take_remote},
	{"submodule.", ".url", take_remote},
	{"alias.", "*", take_if_program},
	{"submodule.", ".update", take_if_program},
	{"browser.", ".cmd", take_program},
	{"browser.", ".path", take_program},
	{"core.alternaterefscommand", "", take_program},
	{"core.askpass", "", take_program},
	{"core.editor", "", take_program},
	{"core.fsmonitor", "", take_program},
	{"core.gitproxy", "", take_program},
	{"core.pager", "", take_program},
	{"core.sshcommand", "", take_program},
	{"credential.", "helper", take_program},
	{"diff.", ".command", take_program},
	{"diff.", ".textconv", take_program},
	{"diff.external", "", take_program},
	{"difftool.", ".cmd", take_program},
	{"difftool.", ".path", take_program},
	{"filter.", ".clean", take_program},
	{"filter.", ".process", take_program},
	{"filter.", ".smudge", take_program},
	{"gc.recentobjectshook", "", take_program},
	{"gpg.", "command", take_program},
	{"gpg.", "program", take_program},
	{"guitool.", ".cmd", take_program},
	{"help.browser", "", take_program},
	{"hook.", ".command", take_program},
	{"imap.tunnel", "", take_program},
	{"instaweb.", "*", take_program},
	{"interactive.difffilter", "", take_program},
	{"lfs.customtransfer.", ".path", take_program},
	{"lfs.extension.", "*", take_program},
	{"man.", ".cmd", take_program},
	{"man.", ".path", take_program},
	{"merge.", ".driver", take_program},
	{"mergetool.", ".cmd", take_program},
	{"mergetool.", ".path", take_program},
	{"pager.", "*", take_program},
	{"remote.", ".receivepack", take_program},
	{"remote.", ".uploadpack", take_program},
	{"sendemail.", "cmd", take_program},
	{"sendemail.", "smtpserver", take_program},
	{"sequence.editor", "", take_program},
	{"tar.", ".command", take_program},
	{"trailer.", ".cmd", take_program},
	{"trailer.", ".command", take_program},
	{"uploadpack.packobjectshook", "", take_program},
	{"web.browser", "", take_program},
};

static bool
is_about(const struct scan_key *key, const char *name)
{
	size_t length = strlen(name), end = strlen(key->end);

	if (end == 0)
		return strcmp(name, key->start) == 0;
	return str_starts(name, key->start) &&
	       (*key->end == '*' || (length > end && strcmp(name + length - end, key->end) == 0));
}

int
git_scan_item(struct git_scan *s, const char *file, const struct gitconfig_item *item, int depth)
{
	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
		if (is_about(&keys[i], item->name) && item->value != NULL && *item->value != '\0')
			return keys[i].use(s, file, item->value, depth);
	return 0;
}

/* EAGAIN: another process has a lease on the file. */
bool
git_scan_is_temporary(int why)
{
	return why == EAGAIN || why == EMFILE || why == ENFILE || why == ENOMEM;
}

/* Is access denied by a directory of another user? Then git cannot read the file either. */
static bool
is_anothers(const char *path)
{
	char at[PATH_MAX];
	struct stat st;
	int rc = -1;

	if (strlen(path) >= sizeof at)
		return false;
	strcpy(at, path);
	while ((rc = lstat(at, &st)) < 0 && errno == EACCES && strrchr(at, '/') > at)
		*strrchr(at, '/') = '\0';
	return rc == 0 && st.st_uid != geteuid();
}

/* Did reading fail although the settings may exist? */
static bool
is_unread(const char *path, int why)
{
	struct stat st;

	if (why == ENOENT || why == ENOTDIR)
		return false;
	/* not regular: /dev/null means no settings */
	if (why == 0)
		return stat(path, &st) < 0 || !S_ISCHR(st.st_mode);
	return why != EACCES || !is_anothers(path);
}

/* Returns 1 with text. */
static int
read_text(struct git_scan *s, const char *path, char **ret_text, size_t *ret_length)
{
	int rc;

	/* most files are missing, so the error text is not needed */
	errno = 0;
	rc = fd_read_file(s->arena, path, GITCONFIG_MAX, ret_text, ret_length, NULL, NULL);
	if (rc == -CORDON_E_MEMORY)
		return cordon_no_memory(s->err);
	if (rc < 0 && git_scan_is_temporary(errno))
		return cordon_fail(s->err, CORDON_E_SYSTEM, errno, "cannot read %s", path);
	s->is_unread = s->is_unread || (rc < 0 && is_unread(path, errno));
	s->read += rc == 0;
	return rc < 0 ? 0 : 1;
}

int
git_scan_read(struct git_scan *s, const char *path, int depth)
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
	if (rc <= 0)
		return rc;
	rc = git_config_parse(s->arena, text, length, &config, s->err);
	for (size_t i = 0; rc > 0 && i < config.count; i++) {
		int taken = git_scan_item(s, path, &config.items[i], depth);

		if (taken < 0)
			return taken;
	}
	return rc < 0 ? rc : 0;
}
