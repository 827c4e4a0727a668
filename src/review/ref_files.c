// SPDX-License-Identifier: MIT
/* Reads loose refs as git does. The target of a symbolic ref may change while the ref does not. */
#include "base/os.h"

#include "review/ref_files.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/ascii.h"
#include "base/fd.h"
#include "base/str.h"

#define FOLLOWED 6	   /* symbolic refs followed, one more than git does */
#define DEPTH_MAX 16	   /* nested directories below refs/ */
#define REF_MAX (1u << 20) /* bytes of a ref, or of FETCH_HEAD */

int64_t
ref_files_time(const struct stat *at)
{
	return at->COMPAT_CTIME.tv_sec * 1000000000ll + at->COMPAT_CTIME.tv_nsec;
}

struct refs_signature
ref_files_sign(const char *folder, const char *name)
{
	char path[PATH_MAX];
	struct stat at;

	if (snprintf(path, sizeof path, "%s/%s", folder, name) >= PATH_MAX || lstat(path, &at) < 0)
		return (struct refs_signature){0};
	return (struct refs_signature){(uint64_t)at.st_dev, (uint64_t)at.st_ino,
				       (uint64_t)at.st_size, ref_files_time(&at)};
}

const char *
ref_files_object(struct arena *arena, const char *text)
{
	size_t length = strspn(text, "0123456789abcdefABCDEF");
	char *object = length == 40 || length == 64 ? arena_strndup(arena, text, length, NULL)
						    : NULL;

	for (char *at = object; at != NULL && *at != '\0'; at++)
		*at = ascii_lower(*at);
	return object;
}

/* ---- loose refs ---- */

/* Returns the target of "ref: NAME" outside refs/, which is read nowhere else; or NULL. */
static const char *
find_target(struct ref_reading *r, const char *text)
{
	const char *name = str_starts(text, "ref:") ? text + 4 + strspn(text + 4, " \t\r\n") : "";
	size_t length = strcspn(name, " \t\r\n");

	if (length == 0 || str_starts(name, "refs/"))
		return NULL;
	r->has_odd = true;
	return arena_printf(&r->arena, NULL, "%s/%.*s", r->refs->common_dir, (int)length, name);
}

static int
read_loose(struct ref_reading *r, const char *path, const char *name)
{
	char *text;
	size_t length;
	const char *value;

	if (r->left-- <= 0) {
		r->is_cut = true;
		return 0;
	}
	for (int i = 0; i < FOLLOWED && path != NULL; i++) {
		if (fd_read_file(&r->arena, path, REF_MAX, &text, &length, NULL, NULL) < 0) {
			r->is_cut = r->is_cut || i == 0;
			return 0;
		}
		value = ref_files_object(&r->arena, text);
		if (value != NULL)
			return r->met(r->context, name, value);
		path = find_target(r, text);
	}
	return 0;
}

static int read_folder(struct ref_reading *r, char path[PATH_MAX], size_t name, int depth);

/*
 * A file older than the run is unchanged, unless its directory was moved here; then its value was
 * recorded at the start or is new, if all values could be recorded.
 */
static int
read_entry(struct ref_reading *r, char path[PATH_MAX], size_t name, int depth)
{
	struct stat at;
	bool is_old, is_unchanged = r->is_unchanged;
	int rc;

	if (lstat(path, &at) < 0)
		return 0;
	is_old = !S_ISLNK(at.st_mode) && ref_files_time(&at) < r->since;
	if (S_ISLNK(at.st_mode) && stat(path, &at) < 0)
		return 0;
	if (S_ISDIR(at.st_mode)) {
		r->is_unchanged = is_unchanged && is_old;
		rc = read_folder(r, path, name, depth + 1);
		r->is_unchanged = is_unchanged;
		return rc;
	}
	r->is_cut = r->is_cut || (is_old && !is_unchanged && r->refs->is_cut);
	return is_old && (is_unchanged || r->refs->is_cut) ? 0 : read_loose(r, path, path + name);
}

/* name: offset in path where the name of the ref begins. */
static int
read_folder(struct ref_reading *r, char path[PATH_MAX], size_t name, int depth)
{
	size_t length = strlen(path);
	DIR *dir = depth > DEPTH_MAX ? NULL : opendir(path);
	const struct dirent *entry;
	int rc = 0;

	r->is_cut = r->is_cut || (dir == NULL && errno != ENOENT);
	while (rc == 0 && dir != NULL && r->left > 0 && (entry = readdir(dir)) != NULL)
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
		    snprintf(path + length, PATH_MAX - length, "/%s", entry->d_name) <
			    (int)(PATH_MAX - length))
			rc = read_entry(r, path, name, depth);
	r->is_cut = r->is_cut || r->left <= 0;
	if (dir != NULL)
		closedir(dir);
	path[length] = '\0';
	return rc;
}

/* Reads below refs/; a change of that directory counts, too. */
static int
read_below(struct ref_reading *r, const char *folder)
{
	char path[PATH_MAX];
	struct stat at;

	if (snprintf(path, sizeof path, "%s/refs", folder) >= PATH_MAX || lstat(path, &at) < 0)
		return 0;
	r->is_unchanged = ref_files_time(&at) < r->since;
	return read_folder(r, path, strlen(folder) + 1, 0);
}

/* Reads HEAD, ORIG_HEAD and the like; name is the offset of their names in folder/. */
static int
read_heads(struct ref_reading *r, const char *folder, size_t name)
{
	DIR *dir = opendir(folder);
	const struct dirent *entry;
	char path[PATH_MAX];
	int rc = 0;

	while (rc == 0 && dir != NULL && (entry = readdir(dir)) != NULL) {
		size_t length = strlen(entry->d_name);

		if (length >= 4 && strcmp(entry->d_name + length - 4, "HEAD") == 0 &&
		    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) < PATH_MAX)
			rc = read_loose(r, path, path + name);
	}
	if (dir != NULL)
		closedir(dir);
	return rc;
}

int
ref_files_worktrees(const struct refs *refs, worktree_fn *met, void *context)
{
	char path[PATH_MAX];
	const struct dirent *entry;
	DIR *dir = snprintf(path, sizeof path, "%s/worktrees", refs->common_dir) < PATH_MAX
			   ? opendir(path)
			   : NULL;
	int rc = 0;

	while (rc == 0 && dir != NULL && (entry = readdir(dir)) != NULL)
		if (*entry->d_name != '.' && snprintf(path, sizeof path, "%s/worktrees/%s",
						      refs->common_dir, entry->d_name) < PATH_MAX)
			rc = met(context, path);
	if (dir != NULL)
		closedir(dir);
	return rc;
}

static int
read_worktree(void *context, const char *folder)
{
	struct ref_reading *r = context;

	return read_heads(r, folder, strlen(r->refs->common_dir) + 1);
}

int
ref_files_all(struct ref_reading *r)
{
	const struct refs *refs = r->refs;
	int rc = read_heads(r, refs->in.git_dir, strlen(refs->in.git_dir) + 1);

	if (rc == 0)
		rc = ref_files_worktrees(refs, read_worktree, r);
	if (rc == 0)
		rc = read_below(r, refs->common_dir);
	return rc < 0 || strcmp(refs->in.git_dir, refs->common_dir) == 0
		       ? rc
		       : read_below(r, refs->in.git_dir);
}
