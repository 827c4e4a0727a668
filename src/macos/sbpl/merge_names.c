// SPDX-License-Identifier: MIT
/*
 * Joins expressions for names in one folder. Without this a policy with a hundred names has a hundred
 * expressions, and each write tries all of them.
 */
#include <string.h>

#include "macos/sbpl/path_filter.h"

/* The limits of Seatbelt's compiler are not documented; a longer expression begins another one. */
#define MERGED_MAX 2048

struct names {
	struct filters *in;
	const struct filter **items;
	size_t count;
};

/* The end is compared from the leaf on, so it includes the anchors. */
static bool
is_same_folder(const struct filter *a, const struct filter *b)
{
	return a->leaf == b->leaf && memcmp(a->value, b->value, a->leaf) == 0 &&
	       strcmp(a->value + a->leaf_end, b->value + b->leaf_end) == 0 &&
	       strcmp(a->root, b->root) == 0;
}

/* Takes the names in the folder of the first one, which is not NULL, out of the list. */
static const struct filter *
join_names(struct names *names, size_t first)
{
	const struct filter *pattern = names->items[first];
	auto_str struct str text = {0};
	const char *copy;
	size_t joined = 0, end;

	str_add_n(&text, pattern->value, pattern->leaf);
	str_add(&text, "(");
	for (size_t i = first; i < names->count; i++) {
		const struct filter *one = names->items[i];

		if (one == NULL || (joined > 0 && text.length > MERGED_MAX) ||
		    !is_same_folder(pattern, one))
			continue;
		str_add(&text, joined == 0 ? "" : "|");
		str_add_n(&text, one->value + one->leaf, one->leaf_end - one->leaf);
		names->items[i] = NULL;
		joined++;
	}
	if (joined == 1)
		return pattern;
	str_add(&text, ")");
	end = text.length;
	str_add(&text, pattern->value + pattern->leaf_end);
	copy = text.failed ? NULL : arena_strdup(names->in->arena, text.text, NULL);
	return path_filter_name_regex(names->in, copy, pattern->root, pattern->leaf, end);
}

static const struct filter *
merge_alternatives(struct filters *in, const struct filter *filter)
{
	const struct filter **items = arena_alloc(in->arena, filter->count * sizeof *items, NULL);
	struct names names = {in, items, 0};
	struct filter_list parts = {0};

	if (items == NULL) {
		in->failed = true;
		return NULL;
	}
	for (size_t i = 0; i < filter->count; i++)
		if (filter->parts[i]->leaf != 0)
			items[names.count++] = filter->parts[i];
		else
			path_filter_push(in, &parts, path_filter_merge(in, filter->parts[i]));
	for (size_t i = 0; i < names.count; i++)
		if (items[i] != NULL)
			path_filter_push(in, &parts, join_names(&names, i));
	return path_filter_any_of(in, parts.items, parts.count);
}

static const struct filter *
merge_all(struct filters *in, const struct filter *filter)
{
	const struct filter *joined = &filter_always;

	for (size_t i = 0; i < filter->count; i++)
		joined = path_filter_all(in, joined, path_filter_merge(in, filter->parts[i]));
	return joined;
}

const struct filter *
path_filter_merge(struct filters *in, const struct filter *filter)
{
	if (filter == NULL)
		return NULL;
	switch (filter->kind) {
	case FILTER_ANY:
		return merge_alternatives(in, filter);
	case FILTER_ALL:
		return merge_all(in, filter);
	case FILTER_NOT:
		return path_filter_not(in, path_filter_merge(in, filter->parts[0]));
	default:
		return filter;
	}
}
