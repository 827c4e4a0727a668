// SPDX-License-Identifier: MIT
/* Lets git compare all pairs at once; tree_check_listing examines the differences. */
#include "base/os.h"

#include "review/tree_diff.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"

struct diff_state {
	const struct git_run *in;
	const struct compared *pairs;
	size_t count;
	committed_fn *report;
	void *sink;
};

/* Converts ":MODE MODE OBJECT OBJECT STATUS\0PATH\0" to an index entry. Returns the next one. */
static const char *
take_entry(const char *at, const char *end, const char *prefix, struct str *to)
{
	const char *path = at + strlen(at) + 1, *object = at;

	if (path >= end)
		return end;
	for (int i = 0; i < 3 && object != NULL; i++)
		object = strchr(object + 1, ' ');
	/* mode 0: removed */
	if (object != NULL && !str_starts(at + 8, "000000")) {
		str_printf(to, "%.6s%.*s 0\t%s%s", at + 8, (int)(strcspn(object + 1, " ") + 1),
			   object, prefix, path);
		str_add_n(to, "", 1);
	}
	return path + strlen(path) + 1;
}

/* Output has one block per pair, after a line with its two names. */
static int
check_blocks(const struct diff_state *l, const struct compared *pairs, size_t count,
	     const struct git_run_text *output)
{
	const char *at = output->text, *end = at + output->length;
	int rc = 1;

	for (size_t i = 0; i < count && at < end; i++) {
		const char *line = memchr(at, '\n', (size_t)(end - at));
		auto_str struct str listing = {0};
		struct tree_check_sink to = {l->report, l->sink, pairs[i].from};

		for (at = line == NULL ? end : line + 1; at < end && *at == ':';)
			at = take_entry(at, end, pairs[i].prefix, &listing);
		if (listing.failed ||
		    (listing.length > 0 &&
		     tree_check_listing(l->in, &(struct git_run_text){listing.text, listing.length},
					&to, NULL) != 1))
			rc = 0;
	}
	return rc;
}

static int
compare(const struct diff_state *l, const struct compared *pairs, size_t count)
{
	static const char *const diff[] = {"diff-tree", "--stdin",	"-r",	       "--raw",
					   "-z",	"--no-renames", "--no-abbrev", NULL};
	auto_str struct str input = {0};
	struct git_run_text output = {NULL, 0};
	int rc, first;

	for (size_t i = 0; i < count; i++)
		str_printf(&input, "%s %s\n", pairs[i].base, pairs[i].tree);
	if (count == 0 || input.failed)
		return !input.failed;
	rc = git_run_query(l->in, diff, &(struct git_run_text){input.text, input.length}, &output,
			   NULL);
	if (rc == 1) {
		rc = check_blocks(l, pairs, count, &output);
		free(output.text);
		return rc;
	}
	/* git stops at the first tree that it cannot read */
	if (count < 2 || git_run_is_late(l->in))
		return 0;
	first = compare(l, pairs, count / 2);
	return compare(l, pairs + count / 2, count - count / 2) == 1 && first == 1;
}

/* ---- names of trees ---- */

/* The name of the empty tree depends on the repository's hash. */
static const char *
find_empty(struct arena *arena, const struct git_run *in)
{
	static const char *const hash[] = {"hash-object", "-t", "tree", "--stdin", NULL};
	struct git_run_text output = {NULL, 0};
	const char *tree = NULL;

	if (git_run_query(in, hash, NULL, &output, NULL) == 1)
		tree = arena_strndup(arena, output.text, strcspn(output.text, "\n"), NULL);
	free(output.text);
	return tree;
}

/* Parses "OBJECT TYPE" or "NAME missing" and moves to the next line. NULL: not a tree. */
static const char *
take_tree(struct arena *arena, const char **line)
{
	const char *at = *line;
	size_t length = strcspn(at, " \n");

	*line += strcspn(at, "\n");
	*line += **line == '\n';
	return str_starts(at + length, " tree\n") ? arena_strndup(arena, at, length, NULL) : NULL;
}

static void
add_line(struct str *to, const char *name)
{
	str_printf(to, "%s\n", strchr(name, '\n') != NULL ? "" : name);
}

/* Parses two answers for each pair. */
static int
find_pairs(struct arena *arena, struct diff_state *l, const char *answers, struct compared *pairs)
{
	const char *empty = NULL;
	size_t kept = 0;

	for (size_t i = 0; i < l->count; i++) {
		const char *base = take_tree(arena, &answers), *tree = take_tree(arena, &answers);

		if (tree == NULL || (base != NULL && strcmp(base, tree) == 0))
			continue;
		if (base == NULL && empty == NULL)
			empty = find_empty(arena, l->in);
		if (base == NULL && empty == NULL)
			return 0;
		pairs[kept] = l->pairs[i];
		pairs[kept].tree = tree;
		pairs[kept++].base = base == NULL ? empty : base;
	}
	l->count = kept;
	return 1;
}

int
tree_diff_check(const struct git_run *in, const struct compared *pairs, size_t count,
		committed_fn *report, void *sink)
{
	static const char *const check[] = {"cat-file", "--batch-check=%(objectname) %(objecttype)",
					    "--buffer", NULL};
	auto_arena struct arena arena = {0};
	auto_str struct str input = {0};
	struct git_run_text output = {NULL, 0};
	struct diff_state l = {in, pairs, count, report, sink};
	struct compared *found = count == 0 ? NULL
					    : arena_alloc(&arena, count * sizeof *found, NULL);
	int rc;

	if (found == NULL)
		return count == 0;
	for (size_t i = 0; i < count; i++) {
		add_line(&input, pairs[i].base);
		add_line(&input, pairs[i].tree);
	}
	if (input.failed)
		return 0;
	rc = git_run_query(in, check, &(struct git_run_text){input.text, input.length}, &output,
			   NULL);
	if (rc == 1)
		rc = find_pairs(&arena, &l, output.text, found);
	if (rc == 1)
		rc = compare(&l, found, l.count);
	free(output.text);
	return rc == 1;
}
