// SPDX-License-Identifier: MIT
/* Prints the lines in which two texts differ, in the form of diff -u without line numbers. */
#include <string.h>

#include "base/arena.h"
#include "base/str.h"
#include "cli/cli.h"

#define CONTEXT 2
#define TABLE_MAX \
	4000000 /* pairs of lines to compare; beyond it all between the first and last change */

struct lines {
	const char **items;
	size_t count;
};

static size_t
length_of(const char *line)
{
	return strcspn(line, "\n");
}

static bool
is_same(const char *a, const char *b)
{
	return length_of(a) == length_of(b) && strncmp(a, b, length_of(a)) == 0;
}

static int
split(struct arena *arena, const char *text, struct lines *ret)
{
	while (text != NULL && *text != '\0') {
		const char **slot =
			arena_push(arena, &ret->items, &ret->count, sizeof *ret->items, NULL);

		if (slot == NULL)
			return -1;
		*slot = text;
		text += length_of(text);
		text += *text == '\n';
	}
	return 0;
}

static void
put(char sign, const char *line, struct str *to)
{
	str_printf(to, "%c%.*s\n", sign, (int)length_of(line), line);
}

/* By the longest common subsequence of the lines; table[i][j]: its length from lines i and j on. */
static void
put_middle(const struct lines *a, const struct lines *b, unsigned short *table, struct str *to)
{
	size_t width = b->count + 1, i, j;

	for (i = a->count; table != NULL && i-- > 0;)
		for (j = b->count; j-- > 0;) {
			unsigned short down = table[(i + 1) * width + j],
				       right = table[i * width + j + 1];

			table[i * width + j] =
				is_same(a->items[i], b->items[j])
					? (unsigned short)(table[(i + 1) * width + j + 1] + 1)
				: down > right ? down
					       : right;
		}
	for (i = j = 0; i < a->count || j < b->count;) {
		if (table != NULL && i < a->count && j < b->count &&
		    is_same(a->items[i], b->items[j])) {
			put(' ', a->items[i++], to);
			j++;
		} else if (i < a->count &&
			   (table == NULL || j == b->count ||
			    table[(i + 1) * width + j] >= table[i * width + j + 1])) {
			put('-', a->items[i++], to);
		} else {
			put('+', b->items[j++], to);
		}
	}
}

void
cli_diff(const char *before, const char *after, struct str *to)
{
	auto_arena struct arena arena = {0};
	struct lines a = {0}, b = {0};
	size_t first = 0, last = 0, most, cells;
	unsigned short *table = NULL;

	if (split(&arena, before, &a) < 0 || split(&arena, after, &b) < 0) {
		to->failed = true;
		return;
	}
	most = a.count < b.count ? a.count : b.count;
	while (first < most && is_same(a.items[first], b.items[first]))
		first++;
	while (last < most - first &&
	       is_same(a.items[a.count - 1 - last], b.items[b.count - 1 - last]))
		last++;
	for (size_t i = first > CONTEXT ? first - CONTEXT : 0; i < first; i++)
		put(' ', a.items[i], to);
	a = (struct lines){a.items + first, a.count - first - last};
	b = (struct lines){b.items + first, b.count - first - last};
	cells = (a.count + 1) * (b.count + 1);
	if (cells < TABLE_MAX)
		table = arena_alloc(&arena, cells * sizeof *table, NULL);
	put_middle(&a, &b, table, to);
	for (size_t i = 0; i < last && i < CONTEXT; i++)
		put(' ', a.items[a.count + i], to);
}
