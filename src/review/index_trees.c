// SPDX-License-Identifier: MIT
/*
 * Parser for the TREE extension: directories, each before those in it, as "NAME\\0ENTRIES
 * DIRECTORIES\\n" and a tree unless ENTRIES is negative. Parses numbers as git does, by strtol.
 */
#include "base/os.h"

#include "review/index_trees.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/fd.h"
#include "base/path.h"
#include "git/config/git_config.h"
#include "review/tree_diff.h"

#define TREES_MAX 100000
#define DEPTH_MAX 256
#define NAMES_ROOM ((size_t)16 << 20)
#define INDEX_MAX ((size_t)256 << 20)

struct indextree {
	const char *folder; /* "", or with a trailing slash */
	const char *tree;
};

struct indextrees {
	struct indextree *items;
	size_t count;
	size_t room; /* bytes left for names of directories */
	bool is_cut; /* there are more */
};

struct index_level {
	const char *folder;
	long left; /* subdirectories still to read */
};

struct parsing {
	struct arena *arena;
	const char *at, *end;
	size_t size;
	struct index_level levels[DEPTH_MAX];
	size_t depth;
	struct indextrees *to;
};

/* Reads the two numbers of a line; false if git would stop here. */
static bool
read_numbers(struct parsing *p, long *ret_entries, long *ret_folders)
{
	const char *start = p->at;
	char *rest, *last;

	/* the whole text ends with a NUL */
	*ret_entries = strtol(start, &rest, 10);
	*ret_folders = strtol(rest, &last, 10);
	while (p->at < p->end && *p->at != '\0' && *p->at != '\n')
		p->at++;
	p->at++;
	return p->at <= p->end && rest != start && last != rest;
}

static int
keep_tree(struct parsing *p, const char *folder)
{
	static const char digits[] = "0123456789abcdef";
	struct indextree *slot =
		arena_push(p->arena, &p->to->items, &p->to->count, sizeof *slot, NULL);
	char *tree = arena_alloc(p->arena, 2 * p->size + 1, NULL);

	if (slot == NULL || tree == NULL)
		return -CORDON_E_MEMORY;
	for (size_t i = 0; i < p->size; i++) {
		tree[2 * i] = digits[(unsigned char)p->at[i] >> 4];
		tree[2 * i + 1] = digits[(unsigned char)p->at[i] & 15];
	}
	*slot = (struct indextree){folder, tree};
	return 0;
}

/* Returns 1 if a directory was read, 0 at the end, or an error. */
static int
read_folder(struct parsing *p)
{
	size_t length = strnlen(p->at, (size_t)(p->end - p->at));
	const char *above = p->depth == 0 ? "" : p->levels[p->depth - 1].folder;
	size_t used = strlen(above) + length + 2;
	const char *folder;
	long entries, folders;

	if (used > PATH_MAX || used > p->to->room) {
		p->to->is_cut = true;
		return 0;
	}
	p->to->room -= used;
	folder = arena_printf(p->arena, NULL, "%s%.*s%s", above, (int)length, p->at,
			      length == 0 ? "" : "/");
	if (folder == NULL)
		return -CORDON_E_MEMORY;
	p->at += length;
	if (p->at >= p->end || (p->at++, !read_numbers(p, &entries, &folders)))
		return 0;
	if (entries >= 0) {
		if ((size_t)(p->end - p->at) < p->size)
			return 0;
		if (keep_tree(p, folder) < 0)
			return -CORDON_E_MEMORY;
		p->at += p->size;
	}
	if (p->depth == DEPTH_MAX || p->to->count >= TREES_MAX) {
		p->to->is_cut = true;
		return 0;
	}
	p->levels[p->depth++] = (struct index_level){folder, folders};
	while (p->depth > 0 && p->levels[p->depth - 1].left-- <= 0)
		p->depth--;
	return p->depth > 0;
}

/*
 * Parses everything in the text that could be a TREE extension, with object names of size bytes.
 * Anything else names no existing objects.
 */
static int
parse(struct arena *arena, const struct gitconfig_text *index, size_t size, struct indextrees *ret)
{
	const char *end = index->text + index->length;
	int rc = 0;

	for (const char *at = index->text; rc >= 0 && end - at > 8; at++) {
		struct parsing p = {.arena = arena,
				    .at = at + 8,
				    .end = end,
				    .size = size,
				    .to = ret};

		at = memchr(at, 'T', (size_t)(end - at) - 8);
		if (at == NULL)
			return 0;
		if (memcmp(at, "TREE", 4) != 0)
			continue;
		p.at = at + 8;
		/* the root has an empty name */
		if (*p.at != '\0')
			continue;
		while ((rc = read_folder(&p)) == 1)
			;
	}
	return rc < 0 ? rc : 0;
}

/* Compares each tree with the same directory of the commit. */
static int
look(const struct git_run *in, const char *head, const struct indextrees *trees,
     const struct tree_check_sink *to)
{
	auto_arena struct arena arena = {0};
	struct compared *pairs =
		trees->count == 0 ? NULL : arena_alloc(&arena, trees->count * sizeof *pairs, NULL);

	if (pairs == NULL)
		return trees->count == 0;
	for (size_t i = 0; i < trees->count; i++) {
		const struct indextree *one = &trees->items[i];
		size_t length = strlen(one->folder);
		const char *base = arena_printf(&arena, NULL, "%s:%.*s", head == NULL ? "" : head,
						(int)(length == 0 ? 0 : length - 1), one->folder);

		if (base == NULL)
			return 0;
		/* a name that starts with a colon would be an index entry */
		pairs[i] =
			(struct compared){head == NULL ? "" : base, one->tree, one->folder, NULL};
	}
	return tree_diff_check(in, pairs, trees->count, to->report, to->sink);
}

int
index_trees_check(const struct git_run *in, const char *head, committed_fn *report, void *sink)
{
	auto_arena struct arena arena = {0};
	const char *path = path_join(&arena, in->git_dir, "index", NULL);
	struct gitconfig_text index;
	struct indextrees trees = {.room = NAMES_ROOM};
	char *text;

	if (path == NULL ||
	    fd_read_file(&arena, path, INDEX_MAX, &text, &index.length, NULL, NULL) < 0)
		return 0;
	index.text = text;
	if (parse(&arena, &index, head == NULL ? 20 : strlen(head) / 2, &trees) < 0 ||
	    (head == NULL && parse(&arena, &index, 32, &trees) < 0))
		return 0;
	return look(in, head, &trees, &(struct tree_check_sink){report, sink, NULL}) == 1 &&
	       !trees.is_cut;
}
