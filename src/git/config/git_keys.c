// SPDX-License-Identifier: MIT
/*
 * Table of the keys of git's config that are harmless. Any other key is refused: every release of
 * git adds keys that start programs, so a list of those would never be complete.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/ascii.h"
#include "git/config/git_config.h"
#include "git/config/git_url.h"

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS "0123456789"

enum key_check {
	ANY,	  /* any value: numbers, colours, names */
	WORD,	  /* must not look like a program's option */
	URL,	  /* address of a repository */
	REMOTE,	  /* name of a remote, or address of a repository */
	WORKTREE, /* path of a working tree */
	BARE,	  /* whether there is a working tree */
	SHARED,	  /* permissions of a repository: never writable by everyone */
	NAME,	  /* letters and digits only: a built-in name, not a path */
	UPDATE	  /* a built-in strategy, never a command */
};

static const struct key_row {
	const char *section;
	bool is_named;	       /* [section "name"] */
	const char *variables; /* separated by spaces; * for all */
	enum key_check check;
} repository_rows[] = {
	{"core", false,
	 "repositoryformatversion filemode logallrefupdates ignorecase precomposeunicode "
	 "symlinks autocrlf eol safecrlf quotepath abbrev compression loosecompression "
	 "bigfilethreshold packedgitlimit packedgitwindowsize deltabasecachelimit commentchar "
	 "whitespace checkstat trustctime fsyncobjectfiles fsync fsyncmethod preloadindex "
	 "untrackedcache splitindex sparsecheckout sparsecheckoutcone multipackindex commitgraph "
	 "usereplacerefs hidedotfiles longpaths fscache warnambiguousrefs createobject "
	 "checkroundtripencoding",
	 ANY},
	{"core", false, "worktree", WORKTREE},
	{"core", false, "bare", BARE},
	{"core", false, "sharedrepository", SHARED},
	{"extensions", false, "worktreeconfig preciousobjects noop noop-v1 relativeworktrees", ANY},
	{"extensions", false, "objectformat compatobjectformat refstorage", NAME},
	/* becomes an argument of the git fetch that runs for each missing object */
	{"extensions", false, "partialclone", REMOTE},
	{"remote", true, "url pushurl", URL},
	{"remote", true,
	 "fetch push mirror prune prunetags tagopt skipdefaultupdate skipfetchall promisor "
	 "partialclonefilter followremotehead gh-resolved",
	 ANY},
	{"remote", false, "pushdefault", REMOTE},
	/* a remote without a name is written as its address */
	{"branch", true, "remote pushremote", REMOTE},
	{"branch", true, "description", ANY},
	{"branch", true,
	 "merge rebase vscode-merge-base gh-merge-base github-pr-owner-number gk-last-accessed "
	 "gk-last-modified gk-merge-base gk-merge-target",
	 WORD},
	{"branch", false, "autosetupmerge autosetuprebase sort", ANY},
	{"user", false, "name email signingkey", WORD},
	{"user", false, "useconfigonly", ANY},
	{"author", false, "name email", WORD},
	{"committer", false, "name email", WORD},
	{"submodule", true, "url", URL},
	{"submodule", true, "path branch", WORD},
	{"submodule", true, "active ignore shallow fetchrecursesubmodules", ANY},
	{"submodule", true, "update", UPDATE},
	{"submodule", false,
	 "active recurse fetchjobs propagatebranches alternatelocation alternateerrorstrategy",
	 ANY},
	{"init", false, "defaultbranch", WORD},
	{"init", false, "defaultrefformat defaultobjectformat", NAME},
	{"clone", false, "defaultremotename rejectshallow filtersubmodules", WORD},
	{"checkout", false, "defaultremote guess workers thresholdforparallelism", ANY},
	{"worktree", false, "guessremote userelativepaths", ANY},
	{"pull", false, "rebase ff", ANY},
	{"push", false, "default autosetupremote followtags recursesubmodules negotiate", ANY},
	{"fetch", false,
	 "prune prunetags recursesubmodules parallel writecommitgraph negotiationalgorithm "
	 "showforcedupdates unpacklimit fsckobjects output all",
	 ANY},
	{"transfer", false, "fsckobjects hiderefs unpacklimit", ANY},
	{"receive", false,
	 "denycurrentbranch denynonfastforwards denydeletes denydeletecurrent autogc fsckobjects "
	 "unpacklimit hiderefs updateserverinfo shallowupdate",
	 ANY},
	{"uploadpack", false,
	 "allowfilter allowanysha1inwant allowreachablesha1inwant allowtipsha1inwant hiderefs "
	 "allowrefinwant keepalive",
	 ANY},
	{"merge", false,
	 "ff conflictstyle renames renamelimit directoryrenames stat log branchdesc suppressdest "
	 "autostash verbosity autoedit",
	 ANY},
	{"rebase", false,
	 "autosquash autostash updaterefs stat missingcommitscheck abbreviatecommands backend "
	 "rebasemerges forkpoint",
	 ANY},
	{"rerere", false, "enabled autoupdate", ANY},
	{"stash", false, "showpatch showstat showincludeuntracked", ANY},
	{"commit", false, "gpgsign verbose cleanup status", ANY},
	{"tag", false, "gpgsign forcesignannotated sort", ANY},
	{"diff", false,
	 "renames renamelimit algorithm context interhunkcontext mnemonicprefix noprefix submodule "
	 "ignoresubmodules indentheuristic colormoved colormovedws wserrorhighlight wordregex "
	 "statgraphwidth dirstat suppressblankempty autorefreshindex relative",
	 ANY},
	{"log", false,
	 "date decorate abbrevcommit follow showroot showsignature mailmap graphcolors "
	 "initialdecorationset excludedecoration",
	 ANY},
	{"status", false,
	 "showuntrackedfiles submodulesummary short branch relativepaths aheadbehind renames "
	 "renamelimit showstash displaycommentprefix",
	 ANY},
	/* colours, under their old name */
	{"status", true, "*", ANY},
	{"apply", false, "whitespace ignorewhitespace", ANY},
	{"am", false, "keepcr threeway", ANY},
	{"blame", false, "ignorerevsfile markignoredlines markunblamablelines date coloring", ANY},
	{"gc", false,
	 "auto autodetach autopacklimit aggressivedepth aggressivewindow bigpackthreshold "
	 "cruftpacks maxcruftsize logexpiry packrefs pruneexpire worktreepruneexpire reflogexpire "
	 "reflogexpireunreachable rerereresolved rerereunresolved writecommitgraph",
	 ANY},
	{"maintenance", false, "auto autodetach strategy", ANY},
	{"maintenance", true, "enabled schedule auto", ANY},
	{"pack", false,
	 "window depth threads windowmemory compression deltacachesize deltacachelimit "
	 "packsizelimit indexversion writebitmaphashcache writereverseindex usesparse "
	 "usebitmaps allowpackreuse",
	 ANY},
	{"repack", false, "usedeltabaseoffset usedeltaislands writebitmaps packkeptobjects", ANY},
	{"index", false, "version threads skiphash sparse recordendofindexentries", ANY},
	{"feature", false, "manyfiles experimental", ANY},
	{"commitgraph", false, "generationversion maxnewfilters readchangedpaths", ANY},
	{"i18n", false, "commitencoding logoutputencoding", ANY},
	{"http", false, "postbuffer lowspeedlimit lowspeedtime version", ANY},
	{"lfs", false, "repositoryformatversion", ANY},
	{"lfs", true, "access locksverify", ANY},
	{"clean", false, "requireforce", ANY},
	{"notes", false, "mergestrategy displayref rewritemode rewriteref", ANY},
	{"notes", true, "mergestrategy amend rebase", ANY},
	{"format", false, "useautobase numbered signoff thread from coverletter noprefix mboxrd",
	 ANY},
	{"grep", false, "linenumber patterntype extendedregexp threads column", ANY},
	{"color", false, "*", ANY},
	{"color", true, "*", ANY},
	{"column", false, "*", ANY},
	{"advice", false, "*", ANY},
};

/* git uses only these; other programs store their own keys here. */
static const struct key_row module_rows[] = {
	{"submodule", true, "url", URL},
	{"submodule", true, "update", UPDATE},
	{"submodule", true, "path branch", WORD},
	{"submodule", true, "*", ANY},
};

static const struct {
	const struct key_row *rows;
	size_t count;
} tables[] = {
	[GITCONFIG_REPOSITORY] = {repository_rows, COUNT(repository_rows)},
	[GITCONFIG_MODULES] = {module_rows, COUNT(module_rows)},
};

struct keys_check {
	enum gitconfig_kind kind;
	const struct gitconfig *config, *present;
	const struct gitconfig_path_check *path_check;
};

/* ---- addresses ---- */

/* In .gitmodules "./x" and "../x" are relative to the remote's address and are no paths. */
static bool
is_from_remote(const struct keys_check *v, const char *url)
{
	return v->kind == GITCONFIG_MODULES &&
	       (strncmp(url, "./", 2) == 0 || strncmp(url, "../", 3) == 0);
}

static enum cause
check_url(const struct keys_check *v, const char *url)
{
	const char *path;
	enum cause why = git_url_refuse(url, &path);

	return why != CAUSE_NONE || path == NULL || is_from_remote(v, url)
		       ? why
		       : v->path_check->refuse(v->path_check->context, GITCONFIG_REMOTE, path);
}

static enum cause
check_remote(const struct keys_check *v, const char *value)
{
	return git_remotes_has(v->config, value, strlen(value)) ? CAUSE_NONE : check_url(v, value);
}

/* ---- keys ---- */

static bool
is_word_of(const char *words, const char *word, size_t length)
{
	if (strcmp(words, "*") == 0)
		return true;
	for (; *words != '\0'; words += strcspn(words, " "), words += *words == ' ')
		if (strcspn(words, " ") == length && strncmp(words, word, length) == 0)
			return true;
	return false;
}

static bool
is_about(const struct key_row *row, const char *name)
{
	const char *section_end = strchr(name, '.'), *variable = strrchr(name, '.');

	if (section_end == NULL || (section_end != variable) != row->is_named ||
	    strlen(row->section) != (size_t)(section_end - name) ||
	    strncmp(row->section, name, (size_t)(section_end - name)) != 0)
		return false;
	return is_word_of(row->variables, variable + 1, strlen(variable + 1));
}

static bool
is_update(const char *value)
{
	static const char *const ways[] = {"checkout", "rebase", "merge", "none"};

	for (size_t i = 0; i < COUNT(ways); i++)
		if (strcmp(value, ways[i]) == 0)
			return true;
	return false;
}

static bool
is_no(const char *value)
{
	static const char *const words[] = {"false", "no", "off", "0"};

	for (size_t i = 0; i < COUNT(words); i++)
		if (ascii_same(value, words[i]))
			return true;
	return false;
}

/* Returns the mode that git derives (git_config_perm). An invalid value counts as 0666. */
static mode_t
shared_mode(const char *value)
{
	static const char *const words[] = {"umask", "group", "all", "world", "everybody", "true",
					    "yes",   "on",    "1",   "2",     ""};
	size_t octal = strspn(value, "01234567");

	for (size_t i = 0; i < COUNT(words); i++)
		if (strcmp(value, words[i]) == 0 || (i > 4 && ascii_same(value, words[i])))
			return i == 0 ? 0600 : 0660;
	if (is_no(value))
		return 0600;
	if (value[octal] != '\0' || octal > 4 || (octal == 4 && *value != '0'))
		return 0666;
	return (mode_t)strtoul(value, NULL, 8);
}

static enum cause
check_shared(const struct keys_check *v, const char *value)
{
	mode_t mode = shared_mode(value);

	if (mode & S_IWOTH)
		return CAUSE_KEY_SHARED;
	return mode & S_IWGRP
		       ? v->path_check->refuse(v->path_check->context, GITCONFIG_SHARED, value)
		       : CAUSE_NONE;
}

/* Returns CAUSE_NONE, or why the value is refused. */
static enum cause
check_value(const struct keys_check *v, enum key_check check, const char *value)
{
	switch (check) {
	case WORD:
		return *value == '-' || git_url_has_control(value) ? CAUSE_KEY_VALUE : CAUSE_NONE;
	case URL:
		return check_url(v, value);
	case REMOTE:
		return check_remote(v, value);
	case WORKTREE:
		return v->path_check->refuse(v->path_check->context, GITCONFIG_WORKTREE, value);
	case BARE:
		return is_no(value) ? CAUSE_NONE
				    : v->path_check->refuse(v->path_check->context, GITCONFIG_BARE,
							    value);
	case SHARED:
		return check_shared(v, value);
	case NAME:
		return value[strspn(value, LETTERS DIGITS)] == '\0' ? CAUSE_NONE
								    : CAUSE_GIT_ELSEWHERE;
	case UPDATE:
		return is_update(value) ? CAUSE_NONE : CAUSE_KEY_PROGRAM;
	default:
		return CAUSE_NONE;
	}
}

/* Accepts only names that `git remote` accepts: the name can become an argument, or an address. */
static bool
is_remote_name(const char *at, const char *end)
{
	for (bool starts = true; at < end; starts = *at++ == '/')
		if ((unsigned char)*at <= 0x20 || strchr("~^:?*[\\\x7f", *at) != NULL ||
		    (starts && (*at == '/' || *at == '.' || *at == '-')))
			return false;
	return true;
}

/* A submodule's name is a path below .git/modules and must stay there. */
static bool
is_submodule_name(const char *at, const char *end)
{
	while (at < end) {
		size_t length = strcspn(at, "/\\");

		if (length >= (size_t)(end - at))
			length = (size_t)(end - at);
		if (length == 0 || (length == 2 && strncmp(at, "..", 2) == 0) ||
		    (length == 1 && *at == '.'))
			return false;
		at += length + 1;
	}
	return at == end + 1;
}

static bool
is_plain_name(const struct key_row *row, const char *name)
{
	const char *at = strchr(name, '.') + 1, *end = strrchr(name, '.');

	if (!row->is_named)
		return true;
	if (strcmp(row->section, "remote") == 0)
		return is_remote_name(at, end);
	return *at != '-' && (strcmp(row->section, "submodule") != 0 || is_submodule_name(at, end));
}

/* Returns the name of the remote that a key belongs to and its length, or NULL. */
static const char *
remote_of(const char *key, size_t *ret_length)
{
	static const char section[] = "remote.";
	const char *name = key + sizeof section - 1, *end = strrchr(key, '.');

	if (strncmp(key, section, sizeof section - 1) != 0 || end < name)
		return NULL;
	*ret_length = (size_t)(end - name);
	return name;
}

/* `git fetch --all` treats a remote without address as a path, too. */
static enum cause
check_section(const struct keys_check *v, const char *key)
{
	char name[PATH_MAX];
	size_t length;
	const char *start = remote_of(key, &length);

	if (v->kind != GITCONFIG_REPOSITORY || start == NULL ||
	    git_remotes_has(v->config, start, length))
		return CAUSE_NONE;
	if (length >= sizeof name)
		return CAUSE_KEY_NAME;
	snprintf(name, sizeof name, "%.*s", (int)length, start);
	return check_url(v, name) == CAUSE_NONE ? CAUSE_NONE : CAUSE_KEY_NO_URL;
}

static enum cause
check_item(const struct keys_check *v, const struct gitconfig_item *item)
{
	enum cause why = check_section(v, item->name);

	if (why != CAUSE_NONE)
		return why;
	for (size_t i = 0; i < tables[v->kind].count; i++) {
		const struct key_row *row = &tables[v->kind].rows[i];

		if (is_about(row, item->name) && !is_plain_name(row, item->name))
			return CAUSE_KEY_NAME;
		if (is_about(row, item->name))
			return check_value(v, row->check, item->value == NULL ? "" : item->value);
	}
	return v->kind == GITCONFIG_MODULES ? CAUSE_KEY_SUBMODULE : CAUSE_KEY_UNKNOWN;
}

/* Is the setting in the present text? Not if it names a remote that is removed now. */
static bool
is_present(const struct keys_check *v, const struct gitconfig_item *item)
{
	size_t length;
	const char *name = remote_of(item->name, &length);

	if (item->value != NULL && git_remotes_has(v->present, item->value, strlen(item->value)) &&
	    !git_remotes_has(v->config, item->value, strlen(item->value)))
		return false;
	if (name != NULL && git_remotes_has(v->present, name, length) &&
	    !git_remotes_has(v->config, name, length))
		return false;
	for (size_t i = 0; i < v->present->count; i++) {
		const struct gitconfig_item *old = &v->present->items[i];

		if (strcmp(old->name, item->name) == 0 &&
		    (old->value == NULL
			     ? item->value == NULL
			     : item->value != NULL && strcmp(old->value, item->value) == 0))
			return true;
	}
	return false;
}

/* For people: one line, whatever the subsection contains. */
static void
name_refused(struct gitconfig_refusal *to, const char *name)
{
	size_t n = 0;

	for (; *name != '\0' && n < sizeof to->what - 1; name++)
		to->what[n++] = (unsigned char)*name < 0x20 || *name == 0x7f ? '?' : *name;
	to->what[n] = '\0';
}

static int
check_all(const struct keys_check *v, const struct gitconfig *config, struct gitconfig_refusal *ret)
{
	for (size_t i = 0; i < config->count; i++) {
		enum cause why = check_item(v, &config->items[i]);

		if (why == CAUSE_NONE || is_present(v, &config->items[i]))
			continue;
		name_refused(ret, config->items[i].name);
		ret->why = why;
		return 0;
	}
	return 1;
}

bool
git_keys_has_relative_remote(const struct gitconfig *config)
{
	for (size_t i = 0; i < config->count; i++) {
		const struct gitconfig_item *item = &config->items[i];

		for (size_t r = 0; item->value != NULL && r < COUNT(repository_rows); r++) {
			const struct key_row *row = &repository_rows[r];

			if ((row->check == URL || row->check == REMOTE) &&
			    is_about(row, item->name) && git_url_is_relative(item->value) &&
			    (row->check == URL ||
			     !git_remotes_has(config, item->value, strlen(item->value))))
				return true;
		}
	}
	return false;
}

int
git_keys_check(struct arena *arena, enum gitconfig_kind kind, const struct gitconfig_text *text,
	       const struct gitconfig_text *present, const struct gitconfig_path_check *path_check,
	       struct gitconfig_refusal *ret, struct cordon_error *err)
{
	struct gitconfig config, old = {0};
	struct keys_check v = {kind, &config, &old, path_check};
	int rc = git_config_parse(arena, text->text, text->length, &config, err);

	if (rc < 0)
		return rc;
	if (rc == 0) {
		snprintf(ret->what, sizeof ret->what, "line %d", config.line);
		ret->why = config.bad;
		return 0;
	}
	if (present != NULL)
		rc = git_config_parse(arena, present->text, present->length, &old, err);
	return rc < 0 ? rc : check_all(&v, &config, ret);
}
