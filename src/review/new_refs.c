// SPDX-License-Identifier: MIT
/* Finds new refs, and lets git read what they lead to. */
#include "base/os.h"

#include "review/new_refs.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/fd.h"
#include "base/path.h"
#include "base/str.h"
#include "review/git_state.h"
#include "review/index_trees.h"
#include "review/new_objects.h"
#include "review/ref_files.h"

#define AT_START 512	    /* loose refs read at the start */
#define AT_END 100000	    /* and at the end */
#define LOOKED_AT 32	    /* new values examined one by one */
#define COMPARED 10000	    /* and together */
#define CLOCK_STEP 20000000 /* nanoseconds by which file times may lag */
#define EVENTS_MAX 1000	    /* paths */
#define TABLES "reftable/tables.list"
#define PACKED_AT_START (256u << 10)
#define PACKED_MAX (8u << 20)

static bool
is_signed(const struct refs_signature *a, const struct refs_signature *b)
{
	return a->device == b->device && a->inode == b->inode && a->size == b->size &&
	       a->time == b->time;
}

/* ---- the start ---- */

static int
note_value(void *context, const char *name, const char *value)
{
	struct refs *refs = context;
	const char **slot =
		arena_push(&refs->arena, &refs->values, &refs->count, sizeof *slot, NULL);

	(void)name;
	if (slot == NULL)
		return -CORDON_E_MEMORY;
	*slot = arena_strdup(&refs->arena, value, NULL);
	return *slot == NULL ? -CORDON_E_MEMORY : 0;
}

static char *
read_packed(struct refs *refs, size_t max)
{
	const char *path = path_join(&refs->arena, refs->common_dir, "packed-refs", NULL);
	size_t length;
	char *text;

	return path != NULL && fd_read_file(&refs->arena, path, max, &text, &length, NULL, NULL) ==
				       0
		       ? text
		       : NULL;
}

/* The git directory that linked worktrees share. */
static const char *
find_common(struct refs *refs, const struct plan *plan)
{
	const struct git_dirs *git = &plan->host->git;

	return git->git_dir != NULL && git->common_dir != NULL && refs->in.git_dir == git->git_dir
		       ? git->common_dir
		       : refs->in.git_dir;
}

/* Returns the commit of HEAD, or NULL. */
static const char *
find_head(struct refs *refs)
{
	const char *path = path_join(&refs->arena, refs->in.git_dir, "HEAD", NULL), *at;
	char *text, *name;
	size_t length;

	if (path == NULL ||
	    fd_read_file(&refs->arena, path, PATH_MAX, &text, &length, NULL, NULL) < 0)
		return NULL;
	if (!str_starts(text, "ref: "))
		return ref_files_object(&refs->arena, text);
	text[strcspn(text, "\n")] = '\0';
	path = path_join(&refs->arena, refs->common_dir, text + strlen("ref: "), NULL);
	name = arena_printf(&refs->arena, NULL, " %s\n", text + strlen("ref: "));
	if (path != NULL &&
	    fd_read_file(&refs->arena, path, PATH_MAX, &text, &length, NULL, NULL) == 0)
		return ref_files_object(&refs->arena, text);
	at = name == NULL || refs->packed == NULL ? NULL : strstr(refs->packed, name);
	while (at != NULL && at > refs->packed && at[-1] != '\n')
		at--;
	return at == NULL ? NULL : ref_files_object(&refs->arena, at);
}

void
new_refs_record(struct refs *refs, const struct plan *plan)
{
	struct ref_reading r = {.refs = refs, .left = AT_START, .met = note_value, .context = refs};
	struct timespec now = {0};

	*refs = (struct refs){0};
	if (git_run_open(&refs->arena, plan, &refs->in, NULL) < 0 || refs->in.git_dir == NULL) {
		refs->in.git_dir = NULL;
		return;
	}
	clock_gettime(CLOCK_REALTIME, &now);
	refs->started = now.tv_sec * 1000000000ll + now.tv_nsec - CLOCK_STEP;
	refs->common_dir = find_common(refs, plan);
	refs->index = ref_files_sign(refs->in.git_dir, "index");
	refs->packed_refs = ref_files_sign(refs->common_dir, "packed-refs");
	refs->tables = ref_files_sign(refs->common_dir, TABLES);
	refs->packed = read_packed(refs, PACKED_AT_START);
	refs->head = find_head(refs);
	git_state_record(refs);
	new_objects_record(refs);
	/* a value that is not recorded counts as new */
	refs->is_cut = ref_files_all(&r) < 0 || r.is_cut;
	refs->has_odd = r.has_odd;
	arena_free(&r.arena);
}

/* ---- the end ---- */

struct new_ref {
	const char *name, *value;
};

struct refs_report {
	struct refs *refs;
	struct new_ref *items;
	size_t count;
	struct gitstate state;
	unsigned more; /* values beyond LOOKED_AT */
	unsigned unread;
	changed_fn *report;
	void *sink;
	bool has_replacements;
	bool is_cached;	       /* found in a cached tree, not among the entries */
	bool has_index;	       /* the index of a linked worktree changed */
	const char *name;      /* name of the ref being examined */
	const char **reported; /* reported paths, without duplicates */
	size_t reported_count;
};

static bool
is_known(const struct refs *refs, const char *value)
{
	for (size_t i = 0; i < refs->count; i++)
		if (strcmp(refs->values[i], value) == 0)
			return true;
	return refs->packed != NULL && strstr(refs->packed, value) != NULL;
}

/* Queues a value beyond the limit for one comparison with the tree at the start. */
static int
queue_value(struct refs_report *e, const char *name, const char *value)
{
	struct arena *arena = &e->refs->arena;
	struct gitstate_name *slot =
		arena_push(arena, &e->state.items, &e->state.count, sizeof *slot, NULL);

	if (slot == NULL)
		return -CORDON_E_MEMORY;
	*slot = (struct gitstate_name){arena_strdup(arena, name, NULL),
				       arena_strdup(arena, value, NULL)};
	return slot->file == NULL || slot->object == NULL ? -CORDON_E_MEMORY : 0;
}

static int
add_new_ref(void *context, const char *name, const char *value)
{
	struct refs_report *e = context;
	struct new_ref *slot;

	if (is_known(e->refs, value))
		return 0;
	for (size_t i = 0; i < e->count; i++)
		if (strcmp(e->items[i].value, value) == 0)
			return 0;
	if (e->count >= LOOKED_AT) {
		e->more++;
		return e->more > COMPARED ? 0 : queue_value(e, name, value);
	}
	slot = arena_push(&e->refs->arena, &e->items, &e->count, sizeof *slot, NULL);
	if (slot == NULL)
		return -CORDON_E_MEMORY;
	*slot = (struct new_ref){arena_strdup(&e->refs->arena, name, NULL),
				 arena_strdup(&e->refs->arena, value, NULL)};
	return slot->name == NULL || slot->value == NULL ? -CORDON_E_MEMORY : 0;
}

/* Lines are "OBJECT NAME", and "^OBJECT" for the target of a tag. */
static int
add_new_packed(struct refs_report *e)
{
	struct refs_signature now = ref_files_sign(e->refs->common_dir, "packed-refs");
	const char *text;
	int rc = 0;

	if (is_signed(&now, &e->refs->packed_refs))
		return 0;
	text = read_packed(e->refs, PACKED_MAX);
	e->unread += text == NULL && now.size > 0;
	for (; rc == 0 && text != NULL && *text != '\0';
	     text += strcspn(text, "\n"), text += *text == '\n') {
		const char *value = ref_files_object(&e->refs->arena, text);

		if (value != NULL)
			rc = add_new_ref(e,
					 arena_strndup(&e->refs->arena, text + strlen(value) + 1,
						       strcspn(text + strlen(value) + 1, "\n"),
						       NULL),
					 value);
	}
	return rc;
}

static bool
is_reported(struct refs_report *e, const char *path)
{
	const char **slot;

	for (size_t i = 0; i < e->reported_count; i++)
		if (strcmp(e->reported[i], path) == 0)
			return true;
	slot = arena_push(&e->refs->arena, &e->reported, &e->reported_count, sizeof *slot, NULL);
	if (slot == NULL)
		return false;
	*slot = arena_strdup(&e->refs->arena, path, NULL);
	e->reported_count -= *slot == NULL;
	return false;
}

static void
report_committed(void *sink, const struct committed *one)
{
	struct refs_report *e = sink;
	auto_str struct str reason = {0};

	const char *name = one->from != NULL ? one->from : e->name;

	if (e->is_cached)
		str_printf(&reason, "%s; a commit of the index brings it, by its cached trees",
			   one->reason);
	else
		str_printf(&reason, "%s; a checkout of %s brings it", one->reason,
			   name == NULL ? "the index" : name);
	if (!one->is_same && !reason.failed && e->reported_count < EVENTS_MAX &&
	    !is_reported(e, one->path))
		e->report(e->sink, &(struct autorun_change){name == NULL ? "staged" : "committed",
							    one->path, reason.text, true});
}

/* name NULL: the index, with its entries and cached trees. */
static void
look_once(struct refs_report *e, const struct git_run *in, const char *name, const char *value)
{
	e->name = name;
	e->unread += tree_check(in, value, report_committed, e, NULL) != 1;
	if (name != NULL)
		return;
	e->is_cached = true;
	e->unread += index_trees_check(in, e->refs->head, report_committed, e) != 1;
	e->is_cached = false;
}

/* Replacements apply to the user's git, but not to every command of git: examine both. */
static void
look(struct refs_report *e, const struct git_run *at, const char *name, const char *value)
{
	struct git_run in = *at;

	look_once(e, &in, name, value);
	in.with_replacements = e->has_replacements;
	if (e->has_replacements)
		look_once(e, &in, name, value);
}

static void
look_state(struct refs_report *e)
{
	struct git_run in = e->refs->in;

	e->unread += git_state_look(e->refs, &in, &e->state, report_committed, e) != 1;
	in.with_replacements = e->has_replacements;
	if (e->has_replacements)
		e->unread += git_state_look(e->refs, &in, &e->state, report_committed, e) != 1;
}

/* A new replacement affects unchanged refs, too; HEAD is checked out next. */
static void
look_all(struct refs_report *e)
{
	const struct git_run *in = &e->refs->in;
	bool is_replaced = false;

	e->has_replacements = git_run_has_replacements(in);
	for (size_t i = 0; i < e->count; i++) {
		look(e, in, e->items[i].name, e->items[i].value);
		is_replaced = is_replaced || str_starts(e->items[i].name, "refs/replace/");
	}
	if (is_replaced)
		look(e, in, "HEAD", "HEAD");
	look_state(e);
}

/* Examines the index of a linked worktree if it changed during the run. */
static int
look_worktree(void *context, const char *folder)
{
	struct refs_report *e = context;
	struct refs_signature index = ref_files_sign(folder, "index");
	struct git_run in = e->refs->in;

	in.git_dir = folder;
	if (index.size > 0 && index.time >= e->refs->started)
		look(e, &in, NULL, NULL);
	return 0;
}

static int
note_worktree_index(void *context, const char *folder)
{
	struct refs_report *e = context;
	struct refs_signature index = ref_files_sign(folder, "index");

	e->has_index = e->has_index || (index.size > 0 && index.time >= e->refs->started);
	return 0;
}

/* A text too long to read at the start can be read now if the file is unchanged. */
static void
find_packed(struct refs *refs)
{
	struct refs_signature now = ref_files_sign(refs->common_dir, "packed-refs");

	if (refs->packed == NULL && is_signed(&now, &refs->packed_refs))
		refs->packed = read_packed(refs, PACKED_MAX);
}

static const char *
report_refs(struct refs *refs, changed_fn *report, void *sink)
{
	struct refs_report e = {.refs = refs, .report = report, .sink = sink};
	struct ref_reading r = {.refs = refs,
				.left = AT_END,
				.since = refs->has_odd ? 0 : refs->started,
				.met = add_new_ref,
				.context = &e};
	struct refs_signature index, tables;
	int rc;

	index = ref_files_sign(refs->in.git_dir, "index");
	tables = ref_files_sign(refs->common_dir, TABLES);
	/* changes of the reftable format are not parsed here */
	e.unread = !is_signed(&tables, &refs->tables);
	find_packed(refs);
	rc = ref_files_all(&r);
	arena_free(&r.arena);
	if (rc == 0)
		rc = add_new_packed(&e);
	if (rc == 0)
		rc = git_state_find(refs, &e.state);
	e.has_index = e.state.has_index;
	ref_files_worktrees(refs, note_worktree_index, &e);
	r.is_cut = r.is_cut || e.state.is_cut;
	if (rc == 0 && e.count == 0 && e.state.count == 0 && e.unread == 0 && !r.is_cut &&
	    !e.has_index && is_signed(&index, &refs->index))
		return NULL;
	if (refs->in.program == NULL)
		return "git is not installed, so what changed refs would bring was not checked";
	git_run_limit(&refs->in);
	look_all(&e);
	if ((!is_signed(&index, &refs->index) || e.state.has_index) && index.size > 0)
		look(&e, &refs->in, NULL, NULL);
	ref_files_worktrees(refs, look_worktree, &e);
	if (rc == 0 && e.more == 0 && e.unread == 0 && !r.is_cut)
		return NULL;
	return "not all changed refs could be checked; `cordon check --ref REF` does";
}

const char *
new_refs_report(struct refs *refs, bool has_objects, changed_fn *report, void *sink)
{
	const char *missed;

	if (refs->in.git_dir == NULL)
		return NULL;
	missed = report_refs(refs, report, sink);
	git_run_limit(&refs->in);
	if (has_objects && !new_objects_report(refs, report, sink) && missed == NULL)
		missed = "not all changed objects could be looked at; `git fsck` does";
	return missed;
}

void
new_refs_free(struct refs *refs)
{
	arena_free(&refs->arena);
	*refs = (struct refs){0};
}
