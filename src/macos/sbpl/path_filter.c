// SPDX-License-Identifier: MIT
/*
 * Builds, restricts and prints filters. "Never" and "always" are simplified away inside a tree, so a
 * printed filter always contains a positive path: a bare negation would match operations without a path.
 */
#include "macos/sbpl/path_filter.h"

#include <stdint.h>
#include <string.h>

#include "base/path.h"

const struct filter filter_never = {.kind = FILTER_NEVER};
const struct filter filter_always = {.kind = FILTER_ALWAYS};
const struct filter filter_folder = {.kind = FILTER_FOLDER};

/* ---- building ---- */

static struct filter *
filter_new(struct filters *in, enum path_filter_kind kind, const char *value, const char *root)
{
	struct filter *filter = arena_alloc(in->arena, sizeof *filter, NULL);

	if (filter == NULL || value == NULL) {
		in->failed = true;
		return NULL;
	}
	*filter = (struct filter){.kind = kind, .value = value, .root = root};
	return filter;
}

const struct filter *
path_filter_subpath(struct filters *in, const char *path)
{
	return filter_new(in, FILTER_SUBPATH, path, path);
}

const struct filter *
path_filter_literal(struct filters *in, const char *path)
{
	return filter_new(in, FILTER_LITERAL, path, path);
}

const struct filter *
path_filter_regex(struct filters *in, const char *regex, const char *root)
{
	return filter_new(in, FILTER_REGEX, regex, root);
}

const struct filter *
path_filter_name_regex(struct filters *in, const char *regex, const char *root, size_t leaf,
		       size_t leaf_end)
{
	struct filter *filter = filter_new(in, FILTER_REGEX, regex, root);

	if (filter != NULL) {
		filter->leaf = leaf;
		filter->leaf_end = leaf_end;
	}
	return filter;
}

static bool
add_part(struct filters *in, struct filter *to, const struct filter *part)
{
	const struct filter **slot;

	/* merge the parts of a part of the same kind */
	for (size_t i = 0; part->kind == to->kind && i < part->count; i++)
		if (!add_part(in, to, part->parts[i]))
			return false;
	if (part->kind == to->kind)
		return true;
	slot = arena_push(in->arena, &to->parts, &to->count, sizeof *slot, NULL);
	if (slot != NULL)
		*slot = part;
	in->failed = in->failed || slot == NULL;
	return slot != NULL;
}

/* neutral leaves the other operand, absorbing is the result. */
static const struct filter *
filter_join(struct filters *in, enum path_filter_kind kind, const struct filter *a,
	    const struct filter *b)
{
	enum path_filter_kind neutral = kind == FILTER_ANY ? FILTER_NEVER : FILTER_ALWAYS;
	enum path_filter_kind absorbing = kind == FILTER_ANY ? FILTER_ALWAYS : FILTER_NEVER;
	struct filter *joined;

	if (a == NULL || b == NULL)
		return NULL;
	if (a->kind == absorbing || b->kind == neutral || a == b)
		return a;
	if (b->kind == absorbing || a->kind == neutral)
		return b;
	joined = filter_new(in, kind, "", "/");
	if (joined == NULL || !add_part(in, joined, a) || !add_part(in, joined, b))
		return NULL;
	return joined;
}

const struct filter *
path_filter_any(struct filters *in, const struct filter *a, const struct filter *b)
{
	return filter_join(in, FILTER_ANY, a, b);
}

const struct filter *
path_filter_all(struct filters *in, const struct filter *a, const struct filter *b)
{
	return filter_join(in, FILTER_ALL, a, b);
}

const struct filter *
path_filter_any_of(struct filters *in, const struct filter *const *parts, size_t count)
{
	struct filter *joined = filter_new(in, FILTER_ANY, "", "/");

	for (size_t i = 0; joined != NULL && i < count; i++) {
		if (parts[i] == NULL || parts[i]->kind == FILTER_ALWAYS)
			return parts[i];
		if (parts[i]->kind != FILTER_NEVER && !add_part(in, joined, parts[i]))
			return NULL;
	}
	if (joined == NULL || joined->count > 1)
		return joined;
	return joined->count == 0 ? &filter_never : joined->parts[0];
}

void
path_filter_push(struct filters *in, struct filter_list *to, const struct filter *part)
{
	const struct filter **slot;

	slot = arena_push(in->arena, &to->items, &to->count, sizeof *slot, NULL);
	if (slot != NULL)
		*slot = part;
	in->failed = in->failed || slot == NULL;
}

const struct filter *
path_filter_not(struct filters *in, const struct filter *filter)
{
	struct filter *negated;

	if (filter == NULL)
		return NULL;
	if (filter->kind == FILTER_NEVER)
		return &filter_always;
	if (filter->kind == FILTER_ALWAYS)
		return &filter_never;
	if (filter->kind == FILTER_NOT)
		return filter->parts[0];
	negated = filter_new(in, FILTER_NOT, "", "/");
	return negated == NULL || !add_part(in, negated, filter) ? NULL : negated;
}

/* ---- restricting to a root ---- */

static const struct filter *
within_parts(struct filters *in, const struct filter *filter, const char *root)
{
	const struct filter **parts = arena_alloc(in->arena, filter->count * sizeof *parts, NULL);
	const struct filter *joined = &filter_always;

	if (parts == NULL) {
		in->failed = true;
		return NULL;
	}
	for (size_t i = 0; i < filter->count; i++)
		parts[i] = path_filter_within(in, filter->parts[i], root);
	if (filter->kind == FILTER_ANY)
		return path_filter_any_of(in, parts, filter->count);
	for (size_t i = 0; i < filter->count; i++)
		joined = path_filter_all(in, joined, parts[i]);
	return joined;
}

const struct filter *
path_filter_within(struct filters *in, const struct filter *filter, const char *root)
{
	if (filter == NULL)
		return NULL;
	switch (filter->kind) {
	case FILTER_SUBPATH:
		if (path_below(root, filter->value))
			return &filter_always;
		return path_below(filter->value, root) ? filter : &filter_never;
	case FILTER_LITERAL:
		return path_below(filter->value, root) ? filter : &filter_never;
	case FILTER_REGEX:
		return path_below(filter->root, root) || path_below(root, filter->root)
			       ? filter
			       : &filter_never;
	case FILTER_ANY:
	case FILTER_ALL:
		return within_parts(in, filter, root);
	case FILTER_NOT:
		return path_filter_not(in, path_filter_within(in, filter->parts[0], root));
	default:
		return filter;
	}
}

/* ---- parameters ---- */

static size_t
hash(const char *text)
{
	uint64_t h = 14695981039346656037u;

	for (; *text != '\0'; text++)
		h = (h ^ (unsigned char)*text) * 1099511628211u;
	return (size_t)(h ^ h >> 32);
}

/* Finds the slot with value, or the empty one where it belongs. */
static size_t *
find_slot(const struct parameters *in, const char *value)
{
	size_t at = hash(value) & (in->slot_count - 1);

	while (in->slots[at] != 0 && strcmp(in->items[in->slots[at] - 1].value, value) != 0)
		at = (at + 1) & (in->slot_count - 1);
	return &in->slots[at];
}

static bool
grow_slots(struct parameters *in)
{
	if (in->count * 2 < in->slot_count)
		return true;
	in->slot_count = in->slot_count == 0 ? 64 : in->slot_count * 2;
	in->slots = arena_alloc(in->arena, in->slot_count * sizeof *in->slots, NULL);
	for (size_t i = 0; in->slots != NULL && i < in->count; i++)
		*find_slot(in, in->items[i].value) = i + 1;
	return in->slots != NULL;
}

static struct parameter *
parameter_add(struct parameters *in, const char *value)
{
	struct parameter *item;

	item = arena_push(in->arena, &in->items, &in->count, sizeof *item, NULL);
	if (item == NULL)
		return NULL;
	item->value = arena_strdup(in->arena, value, NULL);
	item->name = arena_printf(in->arena, NULL, "P%zu", in->count - 1);
	if (item->value == NULL || item->name == NULL) {
		in->count--;
		return NULL;
	}
	return item;
}

const char *
path_filter_parameter(struct parameters *in, const char *value)
{
	struct parameter *item = NULL;
	size_t *slot;

	in->failed = in->failed || !grow_slots(in);
	if (in->failed)
		return "";
	slot = find_slot(in, value);
	if (*slot != 0)
		return in->items[*slot - 1].name;
	item = parameter_add(in, value);
	in->failed = item == NULL;
	if (item == NULL)
		return "";
	*slot = in->count;
	return item->name;
}

/* ---- printing ---- */

static void
print_parts(const struct filter *filter, struct parameters *parameters, struct str *to)
{
	for (size_t i = 0; i < filter->count; i++) {
		str_add(to, " ");
		path_filter_print(filter->parts[i], parameters, to);
	}
}

static void
print_inner(const struct filter *filter, struct parameters *parameters, struct str *to)
{
	static const char *const names[] = {
		[FILTER_SUBPATH] = "subpath",	[FILTER_LITERAL] = "literal",
		[FILTER_REGEX] = "regex",	[FILTER_ANY] = "require-any",
		[FILTER_ALL] = "require-all",	[FILTER_NOT] = "require-not",
		[FILTER_FOLDER] = "vnode-type",
	};

	str_printf(to, "(%s", names[filter->kind]);
	if (filter->kind == FILTER_FOLDER)
		str_add(to, " DIRECTORY");
	else if (filter->count > 0)
		print_parts(filter, parameters, to);
	else
		str_printf(to, " (param \"%s\")", path_filter_parameter(parameters, filter->value));
	str_add(to, ")");
}

void
path_filter_print(const struct filter *filter, struct parameters *parameters, struct str *to)
{
	/* these should have been simplified away: printing nothing would match everything */
	if (filter == NULL || filter->kind == FILTER_NEVER || filter->kind == FILTER_ALWAYS)
		to->failed = true;
	else
		print_inner(filter, parameters, to);
}

void
sbpl_word(const char *word, struct str *to)
{
	str_add(to, "\"");
	for (; *word != '\0'; word++) {
		if (*word == '"' || *word == '\\')
			str_add(to, "\\");
		/* never occurs in our words; fail, or it might be read differently */
		if (*word < 0x20 || *word > 0x7e)
			to->failed = true;
		str_add_n(to, word, 1);
	}
	str_add(to, "\"");
}
