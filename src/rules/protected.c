// SPDX-License-Identifier: MIT
/*
 * The table of protected names. Case is ignored on every system: in a casefold directory
 * .GIT/hooks is .git/hooks, and no program needs the other spelling.
 */
#include "rules/protected.h"

#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/ascii.h"
#include "base/glob.h"
#include "base/path.h"
#include "git/config/git_ref_paths.h"
#include "host/host.h"
#include "host/resolve.h"
#include "rules/protected_rows.h"
#include "sources/layers.h"

#include "protected_globs.inc"

#define POINTED "the project's .git leads git here"

struct protected_build {
	struct arena *arena;
	const struct host *host;
	struct protections *to;
	struct cordon_error *err;
	const char *git; /* the project's .git; NULL: no project */
};

/* Length of a first name that begins with a dot and has no wildcard, after "**"; else 0. */
static size_t
length_of_name(const char *pattern)
{
	size_t length;

	if (strncmp(pattern, "**/.", 4) != 0)
		return 0;
	length = strcspn(pattern + 3, "/*?\\");
	return pattern[3 + length] == '/' || pattern[3 + length] == '\0' ? length : 0;
}

static int
add_compiled(struct protected_build *m, const struct protected_row *row, const char *pattern,
	     const struct glob *glob)
{
	struct protection *slot =
		arena_push(m->arena, &m->to->items, &m->to->count, sizeof *slot, m->err);

	if (slot == NULL)
		return -CORDON_E_MEMORY;
	*slot = (struct protection){
		.kind = m->host->system == SYSTEM_MACOS || row->vet == VET_NOTHING ? PROTECT_NAME
										   : PROTECT_VETTED,
		.vet = row->vet,
		.pattern = pattern,
		.but_samples = row->but_samples,
		.self_only = row->self_only,
		.reason = row->reason,
		.glob = glob,
		.is_dotted = strncmp(pattern, "**/.", 4) == 0 ||
			     strncmp(pattern, "**/*.git/", 9) == 0,
		.name_length = length_of_name(pattern),
	};
	return 0;
}

static int
add(struct protected_build *m, const struct protected_row *row, const char *pattern)
{
	struct glob *glob;
	int rc = pattern == NULL ? -CORDON_E_MEMORY
				 : glob_compile(m->arena, pattern, &glob, NULL, m->err);

	return rc < 0 ? rc : add_compiled(m, row, pattern, glob);
}

/* Is the first name of fixed bytes missing in dir, which is reached without links? So are most. */
static bool
is_missing(const struct protected_build *m, const char *dir, const char *name, size_t fixed)
{
	const struct fs_view *view = m->host->view;
	size_t top = strlen(dir), length = strcspn(name, "/");
	char path[PATH_MAX], link[PATH_MAX];

	if (length > fixed)
		length = fixed;
	if (view->plain == NULL || length == 0 || top + 1 + length >= sizeof path)
		return false;
	memcpy(path, dir, top);
	path[top] = '/';
	memcpy(path + top + 1, name, length);
	path[top + 1 + length] = '\0';
	return view->plain(view->ctx, path) == top &&
	       view->look(view->ctx, path, link) == FS_MISSING;
}

/*
 * A protected name at the top of the project may be a link, or lie behind one: programs that read
 * the name read the target, so the target is protected as well.
 */
static int
add_link_target(struct protected_build *m, const struct protected_row *row, const char *name)
{
	const char *top = row->in_git ? m->git : m->host->project;
	size_t fixed = strcspn(name, "*");
	struct resolved resolved;
	char *lexical, *dir;
	int rc;

	while (fixed > 0 && name[fixed] != '\0' && name[fixed - 1] == '/')
		fixed--;
	if (is_missing(m, top, name, fixed))
		return 0;
	lexical = path_join(m->arena, top, name, m->err);
	if (lexical == NULL)
		return -CORDON_E_MEMORY;
	lexical[strlen(lexical) - strlen(name + fixed)] = '\0';
	rc = resolve_path(m->arena, m->host->view, lexical, &resolved, m->err);
	/* a loop has no target */
	if (rc < 0)
		return rc == -CORDON_E_PATH ? 0 : rc;
	if (resolved.link_count == 0 || strcmp(resolved.path, "/") == 0)
		return 0;
	dir = glob_quoted(m->arena, resolved.path, m->err);
	return dir == NULL ? -CORDON_E_MEMORY
			   : add(m, row, arena_printf(m->arena, m->err, "%s%s", dir, name + fixed));
}

static const struct {
	const char *itself, *above;
} reasons[] = {
	[GIT_REF_HOOKS] = {GIT_REF_WHY_HOOKS, "it leads git to its hooks (core.hooksPath)"},
	[GIT_REF_NAMES] = {GIT_REF_WHY_HOOKS, NULL},
	[GIT_REF_UNKNOWN] = {"it may be a hook: settings of git's cannot be read", NULL},
	[GIT_REF_SETTINGS] = {GIT_REF_WHY_SETTINGS, "it leads git to its settings (include.path)"},
	[GIT_REF_PROGRAM] = {GIT_REF_WHY_PROGRAM, "it leads git to a program"},
	[GIT_REF_FILE] = {GIT_REF_WHY_PROGRAM, "it leads git to a program"},
	[GIT_REF_REMOTE] = {NULL, NULL}, /* rules do not distinguish links */
};

static int
add_names(struct protected_build *m, const struct git_ref_path *in, const char *why)
{
	struct protected_row hook = {VET_NOTHING, false, false, NULL, false, why};
	const char *dir = glob_quoted(m->arena, in->path, m->err);
	int rc;

	if (dir != NULL && in->kind == GIT_REF_UNKNOWN)
		dir = path_join(m->arena, dir, "**", m->err);
	rc = dir == NULL ? -CORDON_E_MEMORY : 0;
	for (size_t i = 0; rc == 0 && git_hook_names[i] != NULL; i++)
		rc = add(m, &hook, path_join(m->arena, dir, git_hook_names[i], m->err));
	return rc;
}

/* Protects the directories above path, up to the project, from being moved or replaced. */
static int
add_above(struct protected_build *m, const char *path, const char *why)
{
	struct protected_row above = {VET_NOTHING, false, true, NULL, false, why};
	size_t top = strlen(m->host->project);
	int rc = 0;

	while (rc == 0 && path_below(path, m->host->project)) {
		path = path_parent(m->arena, path, m->err);
		if (path == NULL)
			return -CORDON_E_MEMORY;
		if (strlen(path) <= top)
			break;
		rc = add(m, &above, glob_quoted(m->arena, path, m->err));
	}
	return rc;
}

/*
 * Protects a path that git settings refer to. A missing path could appear behind a directory that
 * was replaced by a link, so the directories above it are protected as well.
 */
static int
add_ref_path(struct protected_build *m, const struct git_ref_path *dir)
{
	struct protected_row itself = {VET_NOTHING, false, false,
				       NULL,	    false, reasons[dir->kind].itself};
	int rc;

	if (itself.reason == NULL)
		return 0;
	if (reasons[dir->kind].above == NULL)
		return add_names(m, dir, itself.reason);
	rc = add(m, &itself, glob_quoted(m->arena, dir->path, m->err));
	return rc < 0 || dir->is_there ? rc : add_above(m, dir->path, reasons[dir->kind].above);
}

/* Protects the repository that the project's .git file names from being replaced. */
static int
add_inner(struct protected_build *m, const char *path)
{
	static const struct protected_row inner = {VET_NOTHING, false, true, NULL, false, POINTED};
	int rc = add(m, &inner, glob_quoted(m->arena, path, m->err));

	return rc < 0 ? rc : add_above(m, path, POINTED);
}

/* Without vetting (macOS) such directories could not be created, but agents write in them. */
static bool
is_skipped(const struct host *host, const struct protected_row *row)
{
	return host->system == SYSTEM_MACOS && row->vet == VET_FOLDER && !row->in_git;
}

/* git: a repository that the pattern may not match, as a glob, or NULL. */
static int
add_row(struct protected_build *m, size_t i, const char *git)
{
	const struct protected_row *row = &protected_rows[i];
	const char *name = row->pattern + strlen(row->in_git ? IN_GIT : "**/");
	int rc = add_compiled(m, row, row->pattern,
			      glob_of_words(protected_globs + protected_starts[i]));

	if (rc == 0 && row->in_git && git != NULL)
		rc = add(m, row, path_join(m->arena, git, name, m->err));
	if (rc == 0 && m->host->project != NULL && strstr(name, "**") == NULL)
		rc = add_link_target(m, row, name);
	return rc;
}

int
protected_make(struct arena *arena, const struct host *host, struct protections *ret,
	       struct cordon_error *err)
{
	struct protected_build m = {arena, host, ret, err, NULL};
	const char *common = host->git.common_dir;
	const char *dir = common == NULL ? NULL : glob_quoted(arena, common, err);
	int rc = 0;

	*ret = (struct protections){0};
	if (host->project != NULL)
		m.git = path_join(arena, host->project, ".git", err);
	if ((common != NULL && dir == NULL) || (host->project != NULL && m.git == NULL))
		return -CORDON_E_MEMORY;
	for (size_t i = 0; rc == 0 && i < COUNT(protected_rows); i++)
		if (!is_skipped(host, &protected_rows[i]))
			rc = add_row(&m, i, dir);
	for (size_t i = 0; rc == 0 && i < host->hooks.count; i++)
		rc = add_ref_path(&m, &host->hooks.items[i]);
	if (rc == 0 && host->git.inner != NULL)
		rc = add_inner(&m, host->git.inner);
	return rc;
}

bool
protected_is_policy(const char *name)
{
	return ascii_same(name, PROJECT_POLICY_NAME);
}

const struct protection protected_other_case = {.kind = PROTECT_NAME,
						.pattern = "another spelling",
						.reason = "in this folder it is a name of git's"};
const struct protection protected_long_path = {.kind = PROTECT_NAME,
					       .pattern = "a name of git's",
					       .reason = "its path is too long to be checked"};

const char *
protected_reason(const struct protections *protections, const char *pattern)
{
	for (size_t i = 0; i < protections->count; i++)
		if (strcmp(protections->items[i].pattern, pattern) == 0)
			return protections->items[i].reason;
	return NULL;
}

bool
protected_can_match(const char *path)
{
	for (const char *at = path; (at = strchr(at, '.')) != NULL; at++)
		if ((at > path && at[-1] == '/') || ascii_same_n(at, ".git/", 5))
			return true;
	return false;
}

/* Does path contain the first name of the pattern? If not, the glob cannot match. */
static bool
has_name(const struct protection *protection, const char *path)
{
	const char *name = protection->pattern + 3;
	size_t length = protection->name_length;

	for (const char *at = strstr(path, "/."); at != NULL; at = strstr(at + 1, "/."))
		if (ascii_same_n(at + 1, name, length) &&
		    (at[1 + length] == '/' || at[1 + length] == '\0'))
			return true;
	return false;
}

size_t
protected_anchor(const struct protection *protection, const char *path)
{
	/* the innermost match: a rule for a directory does not name a protected name inside */
	size_t anchor = 0;

	if (protection->name_length == 0 || has_name(protection, path))
		anchor = glob_match_longest(protection->glob, path, true);
	if (anchor == 0 || (protection->self_only && path[anchor] != '\0') ||
	    (protection->but_samples && git_ref_paths_is_sample(strrchr(path, '/') + 1)))
		return 0;
	return anchor;
}
