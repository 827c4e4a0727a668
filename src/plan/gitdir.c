// SPDX-License-Identifier: MIT
/*
 * Believing a .git pointer file. A program in a sandbox can rewrite the pointer, but not what it
 * points to; so the pointer only names a candidate, and files outside the project decide. Reads
 * small files and resolves paths; runs no git and changes nothing.
 */
#include "plan/gitdir.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <strings.h>

#include "base/fd.h"
#include "base/path.h"
#include "base/str.h"
#include "plan/resolve.h"

#define CONFIG_MAX (256u << 10)

/*
 * One question. refused keeps the first reason; every step after it is skipped by its caller. Steps
 * return 1 for yes, 0 for no (refused is set), or an error.
 */
struct search {
	struct arena *arena;
	const char *project; /* canonical */
	const char *refused;
	struct cordon_error *err;
};

static int
refuse(struct search *search, const char *what, const char *why)
{
	search->refused = arena_printf(search->arena, search->err, "%s %s", what, why);
	return search->refused == NULL ? -CORDON_E_MEMORY : 0;
}

static char *
join(struct search *search, const char *dir, const char *name)
{
	return path_join(search->arena, dir, name, search->err);
}

static enum fs_kind
kind_of(const char *path)
{
	char link[PATH_MAX];

	return fs_real.look(fs_real.ctx, path, link);
}

/* The whole of a small regular file that is no link; text without NUL inside. */
static int
read_text(struct search *search, const char *path, size_t max, char **ret_text)
{
	struct cordon_error why = {0};
	size_t length;
	char *text;
	int rc;

	if (kind_of(path) != FS_FILE)
		return refuse(search, path, "is not a regular file");
	rc = file_read(search->arena, path, max, &text, &length, NULL, &why);
	if (rc == -CORDON_E_MEMORY)
		return cordon_no_memory(search->err);
	if (rc < 0)
		return refuse(search, path, "cannot be read whole");
	if (strlen(text) != length)
		return refuse(search, path, "has a NUL byte in it");
	*ret_text = text;
	return 1;
}

/* A file that holds one path and nothing else, as git writes it: one line. */
static int
read_line(struct search *search, const char *path, char **ret_line)
{
	char *text;
	int rc = read_text(search, path, PATH_MAX + 16, &text);
	size_t length;

	if (rc <= 0)
		return rc;
	length = strlen(text);
	if (length > 0 && text[length - 1] == '\n')
		text[--length] = '\0';
	if (length > 0 && text[length - 1] == '\r')
		text[--length] = '\0';
	for (size_t i = 0; i < length; i++)
		if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
			return refuse(search, path, "has more than one line, or a control character");
	if (length == 0)
		return refuse(search, path, "is empty");
	*ret_line = text;
	return 1;
}

/* Where text, written in a file of the folder dir, leads. */
static int
lead(struct search *search, const char *dir, const char *text, struct resolved *ret)
{
	const char *path = *text == '/' ? text : join(search, dir, text);
	struct cordon_error why = {0};
	int rc;

	if (path == NULL)
		return -CORDON_E_MEMORY;
	rc = resolve_path(search->arena, &fs_real, path, ret, &why);
	if (rc == -CORDON_E_MEMORY)
		return cordon_no_memory(search->err);
	return rc < 0 ? refuse(search, path, "cannot be resolved") : 1;
}

/*
 * Does the text of a back-pointer lead to exactly wanted? Not through a link: git writes real
 * paths, and a link on the way can be planted where another project used to be.
 */
static int
leads_back(struct search *search, const char *file, const char *text, const char *wanted)
{
	struct resolved found;
	const char *dir = path_parent(search->arena, file, search->err);
	int rc = dir == NULL ? -CORDON_E_MEMORY : lead(search, dir, text, &found);

	if (rc <= 0)
		return rc;
	if (found.link_count != 0)
		return refuse(search, file, "points back through a symbolic link");
	if (strcmp(found.path, wanted) != 0)
		return refuse(search, file, "does not point back to this project");
	return 1;
}

static int
file_leads_back(struct search *search, const char *dir, const char *name, const char *wanted)
{
	const char *file = join(search, dir, name);
	char *line;
	int rc = file == NULL ? -CORDON_E_MEMORY : read_line(search, file, &line);

	return rc <= 0 ? rc : leads_back(search, file, line, wanted);
}

static int
is_repository(struct search *search, const char *dir)
{
	static const struct {
		const char *name;
		enum fs_kind kind;
	} parts[] = {{"HEAD", FS_FILE}, {"objects", FS_DIR}, {"refs", FS_DIR}};

	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
		const char *path = join(search, dir, parts[i].name);

		if (path == NULL)
			return -CORDON_E_MEMORY;
		if (kind_of(path) != parts[i].kind)
			return refuse(search, dir, "is not a git repository");
	}
	return 1;
}

/* As git itself demands: the directory belongs to whoever owns the pointer. */
static int
same_owner(struct search *search, const char *pointer, const char *dir)
{
	struct stat one, other;

	if (lstat(pointer, &one) < 0 || lstat(dir, &other) < 0 || one.st_uid != other.st_uid)
		return refuse(search, dir, "belongs to another user than the project");
	return 1;
}

/* The folder a pointer file names. */
static int
read_pointer(struct search *search, const char *pointer, const char *project,
	     const char **ret_git_dir)
{
	static const char word[] = "gitdir: ";
	struct resolved found;
	char *line;
	int rc = read_line(search, pointer, &line);

	if (rc <= 0)
		return rc;
	if (!str_starts(line, word))
		return refuse(search, pointer, "is not a git pointer");
	rc = lead(search, project, line + strlen(word), &found);
	if (rc <= 0)
		return rc;
	if (found.kind != FS_DIR)
		return refuse(search, pointer, "points to something that is not a folder");
	*ret_git_dir = found.path;
	return 1;
}
