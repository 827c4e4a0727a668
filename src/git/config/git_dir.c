// SPDX-License-Identifier: MIT
/*
 * Confirms a .git pointer file. A sandboxed program can rewrite the pointer but not its target, so
 * the pointer only names a candidate and files outside the project decide. Reads small files; runs
 * no git and changes nothing.
 */
#include "git/config/git_dir.h"

#include <limits.h>
#include <string.h>

#include "base/array.h"
#include "base/ascii.h"
#include "base/fd.h"
#include "base/path.h"
#include "base/str.h"
#include "host/resolve.h"

#define CONFIG_MAX (256u << 10)

/* State of one search. Its steps return 1 for yes, 0 for no (refused says why), or an error. */
struct gitdir_search {
	struct arena *arena;
	const char *refused;
	struct cordon_error *err;
};

/* Sets the reason and returns 0. Control characters of a path are replaced. */
static int
refuse(struct gitdir_search *search, const char *what, const char *why)
{
	char *text = arena_printf(search->arena, search->err, "%s %s", what, why);

	search->refused = text;
	for (; text != NULL && *text != '\0'; text++)
		if ((unsigned char)*text < 0x20 || *text == 0x7f)
			*text = '?';
	return search->refused == NULL ? -CORDON_E_MEMORY : 0;
}

static char *
join(struct gitdir_search *search, const char *dir, const char *name)
{
	return path_join(search->arena, dir, name, search->err);
}

static enum fs_kind
kind_of(const char *path)
{
	char link[PATH_MAX];

	return fs_real.look(fs_real.ctx, path, link);
}

/* Reads a small regular file that is not a link and has no NUL. */
static int
read_text(struct gitdir_search *search, const char *path, size_t max, char **ret_text)
{
	struct cordon_error why = {0};
	size_t length;
	char *text;
	int rc;

	if (kind_of(path) != FS_FILE)
		return refuse(search, path, "is not a regular file");
	rc = fd_read_file(search->arena, path, max, &text, &length, NULL, &why);
	if (rc == -CORDON_E_MEMORY)
		return cordon_no_memory(search->err);
	if (rc < 0)
		return refuse(search, path, "cannot be read whole");
	if (strlen(text) != length)
		return refuse(search, path, "has a NUL byte in it");
	*ret_text = text;
	return 1;
}

/* Reads a file with exactly one line, a path, as git writes it. */
static int
read_line(struct gitdir_search *search, const char *path, char **ret_line)
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
			return refuse(search, path,
				      "has more than one line, or a control character");
	if (length == 0)
		return refuse(search, path, "is empty");
	*ret_line = text;
	return 1;
}

/* Resolves text, as written in a file of directory dir. */
static int
lead(struct gitdir_search *search, const char *dir, const char *text, struct resolved *ret)
{
	const char *path = *text == '/' ? text : join(search, dir, text);
	struct cordon_error why = {0};
	int rc;

	if (path == NULL)
		return -CORDON_E_MEMORY;
	rc = resolve_path(search->arena, &fs_real, path, ret, &why);
	if (rc == -CORDON_E_MEMORY)
		return cordon_no_memory(search->err);
	if (rc == -CORDON_E_SYSTEM)
		return cordon_fail(search->err, CORDON_E_SYSTEM, 0, "%s", why.text);
	return rc < 0 ? refuse(search, path, "cannot be resolved") : 1;
}

/*
 * Does text, as written in file, lead to exactly wanted? Links are refused: git writes real paths,
 * and a link could be planted where another project was.
 */
static int
leads_to(struct gitdir_search *search, const char *file, const char *text, const char *wanted)
{
	const char *dir = path_parent(search->arena, file, search->err);
	struct resolved found;
	int rc = dir == NULL ? -CORDON_E_MEMORY : lead(search, dir, text, &found);

	if (rc <= 0)
		return rc;
	if (found.link_count != 0)
		return refuse(search, file, "points through a symbolic link");
	if (strcmp(found.path, wanted) != 0)
		return refuse(search, file, "does not point back");
	return 1;
}

static int
file_leads_to(struct gitdir_search *search, const char *dir, const char *name, const char *wanted)
{
	const char *file = join(search, dir, name);
	char *line;
	int rc = file == NULL ? -CORDON_E_MEMORY : read_line(search, file, &line);

	return rc <= 0 ? rc : leads_to(search, file, line, wanted);
}

static int
is_repository(struct gitdir_search *search, const char *dir)
{
	static const struct {
		const char *name;
		enum fs_kind kind;
	} parts[] = {{"HEAD", FS_FILE}, {"objects", FS_DIR}, {"refs", FS_DIR}};

	for (size_t i = 0; i < COUNT(parts); i++) {
		const char *path = join(search, dir, parts[i].name);

		if (path == NULL)
			return -CORDON_E_MEMORY;
		if (kind_of(path) != parts[i].kind)
			return refuse(search, dir, "is not a git repository");
	}
	return 1;
}

/* Like git, requires that the directory and the pointer have the same owner. */
static int
same_owner(struct gitdir_search *search, const char *pointer, const char *dir)
{
	struct stat one, other;

	if (lstat(pointer, &one) < 0 || lstat(dir, &other) < 0 || one.st_uid != other.st_uid)
		return refuse(search, dir, "belongs to another user than the project");
	return 1;
}

/* Returns the directory that the project's pointer file names. */
static int
read_pointer(struct gitdir_search *search, const char *project, const char *pointer,
	     const char **ret_git_dir)
{
	static const char word[] = "gitdir: ";
	struct resolved found;
	char *line;
	int rc = read_line(search, pointer, &line);

	if (rc <= 0)
		return rc;
	if (!str_starts(line, word) || line[strlen(word)] == '\0')
		return refuse(search, pointer, "is not a git pointer");
	rc = lead(search, project, line + strlen(word), &found);
	if (rc <= 0)
		return rc;
	if (found.kind != FS_DIR)
		return refuse(search, pointer, "points to something that is not a folder");
	*ret_git_dir = found.path;
	return 1;
}

/* Is git_dir the worktree directory of a repository, made for this pointer? */
static int
is_worktree(struct gitdir_search *search, const char *pointer, const char *git_dir,
	    const char **ret_common)
{
	const char *list = path_parent(search->arena, git_dir, search->err);
	const char *common = list == NULL ? NULL : path_parent(search->arena, list, search->err);
	int rc;

	if (common == NULL)
		return -CORDON_E_MEMORY;
	if (strcmp(path_last(list), "worktrees") != 0)
		return refuse(search, git_dir, "is not a worktree of a repository");
	if ((rc = file_leads_to(search, git_dir, "commondir", common)) <= 0 ||
	    (rc = file_leads_to(search, git_dir, "gitdir", pointer)) <= 0 ||
	    (rc = is_repository(search, common)) <= 0 ||
	    (rc = same_owner(search, pointer, git_dir)) <= 0 ||
	    (rc = same_owner(search, pointer, common)) <= 0)
		return rc;
	*ret_common = common;
	return 1;
}

/* Removes quotes and comments from a value, in place. False for syntax that git never writes. */
static bool
unquote(char *text)
{
	bool quoted = false;
	char *to = text, *end = text;

	for (; *text != '\0' && (quoted || (*text != '#' && *text != ';')); text++) {
		if (*text == '"') {
			quoted = !quoted;
			end = to;
			continue;
		}
		if (*text == '\\' && *++text != '\\' && *text != '"')
			return false;
		*to++ = *text;
		if (quoted || (*text != ' ' && *text != '\t'))
			end = to;
	}
	*end = '\0';
	return !quoted;
}

static char *
skip_space(char *text)
{
	return text + strspn(text, " \t");
}

/* Reads one line of a config. *core: inside [core]. Sets *ret_value for core.worktree. */
static bool
config_line(char *line, bool *core, char **ret_value)
{
	size_t length = strlen(line);

	if (length > 0 && line[length - 1] == '\r')
		line[--length] = '\0';
	/* a continued line could hide or fake a section */
	if (length > 0 && line[length - 1] == '\\')
		return false;
	line = skip_space(line);
	if (*line == '[') {
		char *end = strchr(line, ']');

		if (end == NULL)
			return false;
		*core = end - line == 5 && ascii_same_n(line, "[core", 5);
		line = skip_space(end + 1);
	}
	if (!*core || !ascii_same_n(line, "worktree", 8))
		return true;
	line = skip_space(line + 8);
	if (*line != '=')
		return true;
	*ret_value = skip_space(line + 1);
	return unquote(*ret_value);
}

/* Reads core.worktree of a file; *ret_value is unchanged if it is not set. */
static int
config_worktree(struct gitdir_search *search, const char *file, char **ret_value)
{
	bool core = false;
	char *text, *end;
	int rc = read_text(search, file, CONFIG_MAX, &text);

	for (; rc > 0 && text != NULL; text = end) {
		end = strchr(text, '\n');
		if (end != NULL)
			*end++ = '\0';
		if (!config_line(text, &core, ret_value))
			return refuse(search, file,
				      "is written in a way that is not understood here");
	}
	return rc;
}

/* Does the configuration in git_dir name project as its working tree? */
static int
config_leads_to(struct gitdir_search *search, const char *git_dir, const char *project)
{
	const char *file = join(search, git_dir, "config");
	const char *extra = join(search, git_dir, "config.worktree");
	char *value = NULL;
	int rc;

	if (file == NULL || extra == NULL)
		return -CORDON_E_MEMORY;
	rc = config_worktree(search, file, &value);
	/* git moves the value there if a submodule has settings per worktree */
	if (rc > 0 && kind_of(extra) != FS_MISSING)
		rc = config_worktree(search, extra, &value);
	if (rc <= 0)
		return rc;
	if (value == NULL || *value == '\0')
		return refuse(search, file, "names no working tree");
	return leads_to(search, file, value, project);
}

/* The git directory of a directory above the project: its .git, or the confirmed target. */
static int
git_dir_above(struct gitdir_search *search, const char *folder, const char **ret_git_dir)
{
	const char *pointer = join(search, folder, ".git"), *git_dir, *common;
	int rc;

	if (pointer == NULL)
		return -CORDON_E_MEMORY;
	*ret_git_dir = pointer;
	if (kind_of(pointer) == FS_DIR)
		return 1;
	if (kind_of(pointer) != FS_FILE)
		return 0;
	if ((rc = read_pointer(search, folder, pointer, &git_dir)) <= 0 ||
	    (rc = is_worktree(search, pointer, git_dir, &common)) <= 0)
		return rc;
	*ret_git_dir = git_dir;
	return 1;
}

/* Is git_dir below modules/ of a repository that contains the project? */
static int
is_module(struct gitdir_search *search, const char *project, const char *git_dir)
{
	const char *folder = project, *above, *modules;

	while (strcmp(folder, "/") != 0) {
		int rc;

		folder = path_parent(search->arena, folder, search->err);
		rc = folder == NULL ? -CORDON_E_MEMORY : git_dir_above(search, folder, &above);
		if (rc < 0)
			return rc;
		modules = rc == 0 ? NULL : join(search, above, "modules");
		if (rc > 0 && modules == NULL)
			return -CORDON_E_MEMORY;
		if (rc > 0 && path_below(git_dir, modules) && strcmp(git_dir, modules) != 0)
			return 1;
	}
	return refuse(search, git_dir,
		      "is neither a worktree nor a submodule of a repository here");
}

static int
is_submodule(struct gitdir_search *search, const char *project, const char *pointer,
	     const char *git_dir)
{
	int rc;

	if ((rc = is_module(search, project, git_dir)) <= 0 ||
	    (rc = is_repository(search, git_dir)) <= 0 ||
	    (rc = config_leads_to(search, git_dir, project)) <= 0 ||
	    (rc = same_owner(search, pointer, git_dir)) <= 0)
		return rc;
	return 1;
}

/* Examines the pointer file of project, which is canonical. */
static int
judge(struct gitdir_search *search, const char *project, const char *pointer,
      struct git_dirs *found)
{
	const char *git_dir, *common_file;
	int rc;

	if (kind_of(pointer) != FS_FILE)
		return refuse(search, pointer, "is neither a folder nor a pointer file");
	rc = read_pointer(search, project, pointer, &git_dir);
	if (rc > 0 && path_below(git_dir, project))
		found->inner = git_dir;
	if (rc <= 0 || path_below(git_dir, project))
		return rc;
	common_file = join(search, git_dir, "commondir");
	if (common_file == NULL)
		return -CORDON_E_MEMORY;
	found->common_dir = git_dir;
	if (kind_of(common_file) != FS_MISSING)
		rc = is_worktree(search, pointer, git_dir, &found->common_dir);
	else
		rc = is_submodule(search, project, pointer, git_dir);
	found->git_dir = git_dir;
	return rc;
}

int
git_dir_find(struct arena *arena, const char *project, struct git_dirs *ret,
	     struct cordon_error *err)
{
	struct gitdir_search search = {.arena = arena, .err = err};
	struct git_dirs found = {0};
	struct resolved root;
	const char *pointer;
	int rc = resolve_path(arena, &fs_real, project, &root, err);

	if (rc < 0)
		return rc;
	pointer = join(&search, root.path, ".git");
	if (pointer == NULL)
		return -CORDON_E_MEMORY;
	if (kind_of(pointer) != FS_DIR && kind_of(pointer) != FS_MISSING)
		rc = judge(&search, root.path, pointer, &found);
	if (rc < 0)
		return rc;
	*ret = rc > 0 ? found : (struct git_dirs){.refused = search.refused};
	return 0;
}
