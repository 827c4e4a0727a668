// SPDX-License-Identifier: MIT
/*
 * Checks entries of trees against the plan: a checkout may not bring what the command may not
 * write. git itself reads the contents, through the path that a checkout uses: in a repository that
 * a command can write, an object's name proves nothing.
 */
#include "base/os.h"

#include "review/tree_check.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/fd.h"
#include "base/path.h"
#include "base/str.h"
#include "git/config/git_config.h"
#include "git/config/git_ref_paths.h"
#include "host/host.h"

#define CANDIDATES_MAX 4096
#define CONTENT_MAX ((size_t)16 << 20)

/* KIND_REPOSITORY: what git obeys if the folder that it is in is a repository. */
enum tree_kind { KIND_NAME, KIND_MODULES, KIND_SUBMODULE, KIND_LINK, KIND_REPOSITORY };

struct candidate {
	enum tree_kind kind;
	bool is_link;
	const char *path, *reason;
	const char *object;
};

struct tree_finding {
	const struct git_run *in;
	struct arena arena;
	const char *listing, *end;
	struct candidate *items;
	size_t count;
	bool is_cut; /* more candidates than the limit, or content is missing */
	const char *from;
	committed_fn *report;
	void *sink;
};

/* ---- names ---- */

/* Returns why the command may not write this path, or NULL. */
static const char *
reason_for(const struct tree_finding *f, const char *path, bool is_link, enum tree_kind *ret_kind)
{
	struct verdict verdict = index_decide(&f->in->plan->index, path);
	const struct protection *by = verdict.vetted;
	size_t own = strlen(f->in->plan->host->project);

	*ret_kind = KIND_NAME;
	for (int i = 0; i < RIGHT_KINDS; i++)
		if ((RIGHTS_CHANGE & (1u << i)) && !(verdict.rights & (1u << i)))
			return verdict.by[i].protection != NULL
				       ? verdict.by[i].protection->reason
				       : "the policy lets no command change it";
	if (by == NULL || protected_anchor(by, path) <= own)
		return NULL;
	if (by->vet == VET_MODULES)
		*ret_kind = KIND_MODULES;
	return by->vet == VET_FOLDER && !is_link ? NULL : by->reason;
}

static bool
is_hook(const char *path)
{
	const char *name = path_last(path);

	if (name - path < 7 || !ascii_same_n(name - 7, "/hooks/", 7))
		return false;
	for (size_t i = 0; git_hook_names[i] != NULL; i++)
		if (strcmp(git_hook_names[i], name) == 0)
			return true;
	return false;
}

static bool
is_settings(const char *path)
{
	const char *name = path_last(path);

	return ascii_same(name, "config") || ascii_same(name, "config.worktree");
}

/* Would git obey this if the folder that it is in had a HEAD? */
static bool
is_of_repository(const char *path)
{
	return is_hook(path) || is_settings(path) || ascii_same(path_last(path), "commondir");
}

static int
store(struct tree_finding *f, const struct candidate *one, struct cordon_error *err)
{
	struct candidate *slot = arena_push(&f->arena, &f->items, &f->count, sizeof *slot, err);

	if (slot == NULL || one->path == NULL || one->object == NULL)
		return -CORDON_E_MEMORY;
	*slot = *one;
	return 0;
}

/* Checks "MODE TYPE OBJECT\tPATH" or "MODE OBJECT STAGE\tPATH". */
static int
check_entry(struct tree_finding *f, const char *entry, struct cordon_error *err)
{
	const char *tab = strchr(entry, '\t'), *object = strchr(entry, ' ');
	struct candidate one = {.is_link = str_starts(entry, "120000 ")};

	if (tab == NULL || object == NULL)
		return 0;
	if (str_starts(object + 1, "blob ") || str_starts(object + 1, "commit "))
		object = strchr(object + 1, ' ');
	object++;
	one.path = path_join(&f->arena, f->in->plan->host->project, tab + 1, err);
	if (one.path == NULL)
		return -CORDON_E_MEMORY;
	one.reason = reason_for(f, one.path, one.is_link, &one.kind);
	if (one.reason == NULL && !one.is_link && !is_of_repository(one.path))
		return 0;
	if (one.reason == NULL)
		one.kind = one.is_link ? KIND_LINK : KIND_REPOSITORY;
	else if (str_starts(entry, "160000 "))
		one.kind = KIND_SUBMODULE;
	if (f->count >= CANDIDATES_MAX) {
		f->is_cut = true;
		return 0;
	}
	one.object = arena_strndup(&f->arena, object, strcspn(object, " \t"), err);
	return store(f, &one, err);
}

/* ---- contents ---- */

/* Resolves "." and ".." as text, whether or not the path exists. NULL: no memory. */
static const char *
lead(struct tree_finding *f, const char *link, const char *text)
{
	char *path = *text == '/' ? arena_strdup(&f->arena, text, NULL)
				  : arena_printf(&f->arena, NULL, "%.*s%s",
						 (int)(path_last(link) - link), link, text);
	char *to = path;

	for (const char *at = path; at != NULL && *at != '\0';) {
		size_t length = strcspn(at += strspn(at, "/"), "/");

		if (length == 2 && strncmp(at, "..", 2) == 0) {
			while (to > path && *--to != '/')
				;
		} else if (length > 0 && !(length == 1 && *at == '.')) {
			*to++ = '/';
			memmove(to, at, length);
			to += length;
		}
		at += length;
	}
	if (path != NULL)
		*to = '\0';
	return path;
}

/* Does a link lead into a repository, or to another protected name? */
static const char *
check_link(struct tree_finding *f, const struct candidate *one, const char *text)
{
	const char *path = lead(f, one->path, text), *mark, *why;
	enum tree_kind kind;

	if (path == NULL || *path == '\0')
		return NULL;
	for (mark = path; (mark = strchr(mark, '/')) != NULL; mark++)
		if (ascii_same_n(mark, "/.git", 5) && (mark[5] == '/' || mark[5] == '\0'))
			return "it is a link into a repository";
	if (!path_below(path, f->in->plan->host->project))
		return NULL;
	why = reason_for(f, path, true, &kind);
	return why == NULL
		       ? NULL
		       : arena_printf(&f->arena, NULL, "it leads to what is protected: %s", why);
}

/* A repository that comes by a commit may not have its working tree elsewhere. */
static enum cause
check_use(void *context, enum gitconfig_use use, const char *path)
{
	(void)context, (void)path;
	return use == GITCONFIG_WORKTREE ? CAUSE_KEY_WORKTREE : CAUSE_NONE;
}

static const char *
check_settings(struct tree_finding *f, enum gitconfig_kind kind, const struct gitconfig_text *text)
{
	static const struct gitconfig_path_check path_check = {check_use, NULL};
	struct gitconfig_refusal refusal;

	if (git_keys_check(&f->arena, kind, text, NULL, &path_check, &refusal, NULL) == 1)
		return NULL;
	return arena_printf(&f->arena, NULL, "%s %s", refusal.what, cause_text(refusal.why));
}

/* Is a submodule checked out at this path? No command can make one at a protected name. */
static bool
is_checked_out(struct tree_finding *f, const char *path)
{
	const char *git = path_join(&f->arena, path, ".git", NULL);
	struct stat at;

	return git != NULL && lstat(git, &at) == 0;
}

/* Returns why a path in .gitmodules is refused, or NULL. */
static const char *
check_paths(struct tree_finding *f, const struct candidate *one, const struct gitconfig_text *text)
{
	struct gitconfig config;
	enum tree_kind kind;

	if (git_config_parse(&f->arena, text->text, text->length, &config, NULL) != 1)
		return NULL;
	for (size_t i = 0; i < config.count; i++) {
		const struct gitconfig_item *item = &config.items[i];
		size_t length = strlen(item->name);
		const char *path, *why = NULL;

		if (item->value == NULL || length < 5 ||
		    strcmp(item->name + length - 5, ".path") != 0)
			continue;
		path = lead(f, one->path, item->value);
		if (path != NULL && *path != '\0' && !is_checked_out(f, path))
			why = reason_for(f, path, false, &kind);
		if (why != NULL)
			return arena_printf(&f->arena, NULL, "%s leads to what is protected: %s",
					    item->name, why);
	}
	return NULL;
}

/* The submodule's own HEAD tells which commit is checked out. */
static bool
is_same_submodule(struct tree_finding *f, const struct candidate *one)
{
	static const char *const head[] = {"rev-parse", "--verify", "--quiet", "HEAD", NULL};
	struct git_run in = *f->in;
	struct git_run_text output = {NULL, 0};
	bool is_same;

	in.git_dir = path_join(&f->arena, one->path, ".git", NULL);
	is_same = in.git_dir != NULL && is_checked_out(f, one->path) &&
		  git_run_query(&in, head, NULL, &output, NULL) == 1 &&
		  strcspn(output.text, "\n") == strlen(one->object) &&
		  str_starts(output.text, one->object);
	free(output.text);
	return is_same;
}

/* Is the HEAD beside it in the working tree, or among the entries? */
static bool
is_repository(struct tree_finding *f, const struct candidate *one, bool *ret_there)
{
	const char *path = one->path + strlen(f->in->plan->host->project) + 1;
	size_t length =
		(size_t)(path_last(path) - path) - (is_hook(one->path) ? strlen("hooks/") : 0);
	const char *head = arena_printf(&f->arena, NULL, "%s/%.*sHEAD", f->in->plan->host->project,
					(int)length, path);

	*ret_there = head != NULL && access(head, F_OK) == 0;
	if (*ret_there)
		return true;
	for (const char *at = f->listing; at < f->end; at += strlen(at) + 1) {
		const char *name = strchr(at, '\t');

		if (name != NULL && strncmp(name + 1, path, length) == 0 &&
		    ascii_same(name + 1 + length, "HEAD"))
			return true;
	}
	return false;
}

static bool
is_same(const struct candidate *one, const struct gitconfig_text *text)
{
	auto_arena struct arena arena = {0};
	char link[PATH_MAX], *there;
	size_t length;
	ssize_t n;

	if (one->is_link) {
		n = readlink(one->path, link, sizeof link);
		return n >= 0 && (size_t)n == text->length &&
		       memcmp(link, text->text, text->length) == 0;
	}
	return readlink(one->path, link, sizeof link) < 0 &&
	       fd_read_file(&arena, one->path, CONTENT_MAX, &there, &length, NULL, NULL) == 0 &&
	       length == text->length && memcmp(there, text->text, length) == 0;
}

/* A command changes no such file of a repository that is in the working tree. */
static const char *
check_repository(struct tree_finding *f, const struct candidate *one,
		 const struct gitconfig_text *text, bool *ret_same)
{
	bool is_there;

	if (!is_repository(f, one, &is_there))
		return NULL;
	*ret_same = is_there && text != NULL && is_same(one, text);
	if (is_hook(one->path))
		return "git runs it, for its folder is a repository";
	if (text == NULL || !is_settings(one->path))
		return "git obeys it, for its folder is a repository";
	return check_settings(f, GITCONFIG_REPOSITORY, text);
}

/* For a file that a command may write, such as .gitmodules, equality proves nothing. */
static const char *
check_content(struct tree_finding *f, const struct candidate *one,
	      const struct gitconfig_text *text, bool *ret_same)
{
	const char *why;

	*ret_same = one->kind < KIND_SUBMODULE && is_same(one, text);
	if (one->kind == KIND_LINK)
		return check_link(f, one, arena_strndup(&f->arena, text->text, text->length, NULL));
	if (one->kind != KIND_MODULES || one->is_link)
		return one->reason;
	why = check_settings(f, GITCONFIG_MODULES, text);
	if (why != NULL)
		return why;
	*ret_same = false;
	return check_paths(f, one, text);
}

/* text NULL: the object does not exist yet, but may arrive later. */
static void
report_one(struct tree_finding *f, const struct candidate *one, const struct gitconfig_text *text)
{
	struct committed reported = {.path = one->path, .reason = one->reason, .from = f->from};

	if (one->kind == KIND_SUBMODULE)
		reported.is_same = is_same_submodule(f, one);
	else if (one->kind == KIND_REPOSITORY)
		reported.reason = check_repository(f, one, text, &reported.is_same);
	else if (text != NULL)
		reported.reason = check_content(f, one, text, &reported.is_same);
	else if (one->kind != KIND_NAME)
		f->is_cut = true;
	if (reported.reason != NULL)
		f->report(f->sink, &reported);
}

/* Parses "OBJECT TYPE SIZE\nCONTENT\n" or "OBJECT missing\n", one per candidate. */
static int
report_all(struct tree_finding *f, const struct git_run_text *contents)
{
	const char *at = contents->text, *end = at + contents->length;

	for (size_t i = 0; i < f->count; i++) {
		const char *line = memchr(at, '\n', (size_t)(end - at));
		struct gitconfig_text text = {NULL, 0};
		const char *size;

		if (line == NULL)
			return 0;
		for (size = line; size > at && size[-1] != ' ';)
			size--;
		text.text = line + 1;
		if (*size >= '0' && *size <= '9')
			text.length = (size_t)strtoull(size, NULL, 10);
		if (text.length >= (size_t)(end - line))
			return 0;
		report_one(f, &f->items[i], *size == 'm' ? NULL : &text);
		at = *size == 'm' ? line + 1 : text.text + text.length + 1;
	}
	return 1;
}

static int
read_contents(struct tree_finding *f, struct cordon_error *err)
{
	static const char *const batch[] = {"cat-file", "--batch", NULL};
	auto_str struct str objects = {0};
	struct git_run_text contents = {NULL, 0};
	int rc;

	for (size_t i = 0; i < f->count; i++)
		str_printf(&objects, "%s\n", f->items[i].object);
	if (objects.failed)
		return cordon_no_memory(err);
	if (f->count == 0)
		return 1;
	rc = git_run_query(f->in, batch, &(struct git_run_text){objects.text, objects.length},
			   &contents, err);
	if (rc == 1)
		rc = report_all(f, &contents);
	free(contents.text);
	return rc == 1 ? !f->is_cut : rc;
}

int
tree_check_listing(const struct git_run *in, const struct git_run_text *listing,
		   const struct tree_check_sink *to, struct cordon_error *err)
{
	struct tree_finding f = {.in = in,
				 .listing = listing->text,
				 .end = listing->text + listing->length,
				 .from = to->from,
				 .report = to->report,
				 .sink = to->sink};
	int rc = 0;

	for (const char *at = f.listing; rc == 0 && at < f.end; at += strlen(at) + 1)
		rc = check_entry(&f, at, err);
	if (rc == 0)
		rc = read_contents(&f, err);
	arena_free(&f.arena);
	return rc;
}

int
tree_check(const struct git_run *in, const char *name, committed_fn *report, void *sink,
	   struct cordon_error *err)
{
	const char *tree[] = {"ls-tree", "-r", "-z", "--full-tree", name, NULL};
	static const char *const index[] = {"ls-files", "-s", "--resolve-undo", "-z", NULL};
	struct git_run_text listing = {NULL, 0};
	const struct tree_check_sink to = {report, sink, NULL};
	int rc = git_run_query(in, name == NULL ? index : tree, NULL, &listing, err);

	if (rc <= 0)
		return rc;
	rc = tree_check_listing(in, &listing, &to, err);
	free(listing.text);
	return rc;
}
