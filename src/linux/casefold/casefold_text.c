// SPDX-License-Identifier: MIT
/*
 * Folds texts. File systems differ, so the folded form joins all spellings that any of them treats as
 * equal: decomposed and in lower case, without ignorable characters, and as on Windows without trailing
 * dots and blanks and without a stream name after a colon.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unicase.h>
#include <unictype.h>
#include <unistr.h>

#include "base/ascii.h"
#include "git/config/git_ref_paths.h"
#include "git/config/git_sequencer.h"
#include "linux/casefold/casefold.h"
#include "linux/casefold/casefold_parts.h"

#define DOTLESS_I 0x131

/* May the name have other spellings here, or be a short name (GIT~1)? */
static bool
is_odd(const char *at)
{
	bool is_last = at[1] == '/' || at[1] == '\0';

	switch (*at) {
	case ':':
		return true;
	case '~':
		return !is_last;
	case '.':
	case ' ':
		return is_last;
	default:
		return (*at >= 'A' && *at <= 'Z') || (unsigned char)*at >= 0x80;
	}
}

bool
casefold_is_plain(const char *text)
{
	for (; *text != '\0'; text++)
		if (is_odd(text))
			return false;
	return true;
}

/* Drops ignorable characters and maps dotless i to i. Returns the new length. */
static size_t
drop_unseen(uint8_t *text, size_t length)
{
	size_t to = 0, size;
	ucs4_t code;

	for (size_t from = 0; from < length; from += size) {
		size = (size_t)u8_mbtouc(&code, text + from, length - from);
		if (uc_is_property_default_ignorable_code_point(code))
			continue;
		memmove(text + to, text + from, size);
		if (code == DOTLESS_I)
			text[to] = 'i';
		to += code == DOTLESS_I ? 1 : size;
	}
	return to;
}

/* FAT and NTFS ignore trailing dots and blanks; a colon begins the name of a stream. */
static size_t
find_end(const char *name, size_t length)
{
	const char *colon = memchr(name, ':', length);
	size_t all = colon == NULL || colon == name ? length : (size_t)(colon - name), end = all;

	while (end > 0 && (name[end - 1] == '.' || name[end - 1] == ' '))
		end--;
	return end == 0 ? all : end;
}

/* Folds one component. Invalid UTF-8 stays as it is, as in the kernel. Returns 0 if there is no room. */
static size_t
fold_name(const char *name, size_t length, char *to, size_t room)
{
	size_t size = room;
	const uint8_t *from = (const uint8_t *)name;
	uint8_t *folded = u8_casefold(from, length, NULL, UNINORM_NFD, (uint8_t *)to, &size);

	if (folded == NULL && errno == EILSEQ && length <= room) {
		memcpy(to, name, length);
		return length;
	}
	if (folded != NULL && folded != (uint8_t *)to) {
		free(folded);
		folded = NULL;
	}
	return folded == NULL ? 0 : drop_unseen(folded, size);
}

/* Component by component, so that invalid UTF-8 in one does not keep the others from being folded. */
bool
casefold_text(const char *text, bool is_pattern, char *to, size_t room)
{
	size_t used = 0;

	while (*text != '\0') {
		size_t length = strcspn(text, "/"), size = 0;

		if (length > 0)
			size = fold_name(text, is_pattern ? length : find_end(text, length),
					 to + used, room - 2 - used);
		used += size;
		if ((length > 0 && size == 0) || used > room - 2)
			return false;
		text += length;
		if (*text == '/')
			to[used++] = *text++;
	}
	to[used] = '\0';
	return used < room - 2;
}

/* ---- git names ---- */

static bool
is_gits(const char *name)
{
	static const char *const names[] = {".git",	    "attributes", "branches",
					    "commondir",    "config",	  "config.worktree",
					    "gitdir",	    "head",	  "hooks",
					    "info",	    "modules",	  "objects",
					    "refs",	    "remotes",	  "rebase-apply",
					    "rebase-merge", "sequencer",  "worktrees"};
	bool found = git_sequencer_is_name(name);

	for (size_t i = 0; !found && i < sizeof names / sizeof names[0]; i++)
		found = strcmp(name, names[i]) == 0;
	for (size_t i = 0; !found && git_hook_names[i] != NULL; i++)
		found = strcmp(name, git_hook_names[i]) == 0;
	return found;
}

bool
casefold_is_disguise(const char *path, const char *folded)
{
	char name[NAME_MAX + 1];

	while (*path == '/' && *folded == '/') {
		size_t length = strcspn(++path, "/"), size = strcspn(++folded, "/");

		if (size <= NAME_MAX && (length != size || !ascii_same_n(path, folded, size))) {
			memcpy(name, folded, size);
			name[size] = '\0';
			if (is_gits(name))
				return true;
		}
		path += length;
		folded += size;
	}
	return false;
}

/* ---- prefixes ---- */

/* Does the text differ from its folded form by capital letters at most? */
static bool
has_only_letters(const char *text)
{
	for (; *text != '\0'; text++)
		if (is_odd(text) && !(*text >= 'A' && *text <= 'Z'))
			return false;
	return true;
}

static bool
is_prefix(const char *path, const char *root)
{
	size_t length = strlen(root);

	return ascii_same_n(path, root, length) && (path[length] == '\0' || path[length] == '/');
}

/* Returns the prefix of path with as many components as root. */
static size_t
same_names(const char *path, const char *root)
{
	size_t length = 0;

	for (; *root != '\0'; root++)
		if (*root == '/')
			length += 1 + strcspn(path + length + 1, "/");
	return length;
}

size_t
casefold_below(const char *path, const char *root)
{
	char folded_path[PATH_MAX], folded_root[PATH_MAX];

	if (is_prefix(path, root))
		return strlen(root);
	if (has_only_letters(path) && has_only_letters(root))
		return 0;
	if (!casefold_text(path, false, folded_path, sizeof folded_path) ||
	    !casefold_text(root, false, folded_root, sizeof folded_root) ||
	    !is_prefix(folded_path, folded_root))
		return 0;
	return same_names(path, root);
}
