// SPDX-License-Identifier: MIT
/*
 * Finds the zones, asks the decision engine about each, and writes only what changes from one to the next.
 * A query uses a name that occurs in no rule, so the answer holds for the whole zone.
 */
#include "macos/sbpl/zones.h"

#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "macos/sbpl/glob_regex.h"

struct zone {
	const char *path;
	size_t depth;
	unsigned self, child, deep; /* rights there */
};

/* A line under construction: lines of one depth with the same content are joined. */
struct piece {
	size_t depth;
	int kind; /* order of lines: below, children, itself */
	enum effect effect;
	unsigned rights;
	const char *path;
};
enum { PIECE_BELOW, PIECE_CHILDREN, PIECE_ITSELF };

struct survey {
	struct filters *in;
	struct index index;  /* a copy with path rules only */
	bool denials;	     /* query where the last rule denies, instead of what is allowed */
	const char *unnamed; /* a name that occurs in no rule */
	struct zone *zones;
	size_t count;
	struct piece *pieces;
	size_t piece_count;
	struct cordon_error *err;
};

/* ---- finding zones ---- */

/* Orders a directory before its contents, and those before its siblings. */
static int
by_tree(const void *a, const void *b)
{
	const unsigned char *x = (const unsigned char *)((const struct zone *)a)->path;
	const unsigned char *y = (const unsigned char *)((const struct zone *)b)->path;

	while (*x != '\0' && *x == *y)
		x++, y++;
	if (*x == *y)
		return 0;
	if (*x == '\0' || *y == '\0')
		return *x == '\0' ? -1 : 1;
	if (*x == '/' || *y == '/')
		return *x == '/' ? -1 : 1;
	return *x < *y ? -1 : 1;
}

static int
add_zone(struct survey *s, const char *path)
{
	struct zone *zone = arena_push(s->in->arena, &s->zones, &s->count, sizeof *zone, s->err);

	if (zone == NULL)
		return -CORDON_E_MEMORY;
	*zone = (struct zone){.path = path, .depth = path_depth(path)};
	return 0;
}

/* An allow that matches no path is harmless; a deny would have no effect and must be an error. */
static int
check_dead(const struct survey *s, const struct planned_rule *rule)
{
	const struct srcpos *srcpos = &rule->rule->srcpos;

	if (rule->effect == EFFECT_ALLOW || rule->rule->optional || rule->layer == LAYER_BUILTIN)
		return 0;
	return cordon_fail_at(
		s->err, CORDON_E_PATH, srcpos->file, srcpos->line, srcpos->column,
		"\"%.80s\" is a name for which macOS has no rules; use its other name",
		rule->rule->path);
}

static int
find_zones(struct survey *s)
{
	size_t kept = 0;
	int rc = add_zone(s, "/");

	for (size_t i = 0; rc == 0 && i < s->index.path_count; i++) {
		const struct planned_rule *rule = &s->index.paths[i];

		if (rule->rights == 0)
			continue;
		rc = sbpl_rules_is_dead_path(rule->path) ? check_dead(s, rule)
							 : add_zone(s, rule->path);
	}
	if (rc < 0)
		return rc;
	qsort(s->zones, s->count, sizeof s->zones[0], by_tree);
	for (size_t i = 0; i < s->count; i++)
		if (kept == 0 || strcmp(s->zones[kept - 1].path, s->zones[i].path) != 0)
			s->zones[kept++] = s->zones[i];
	s->count = kept;
	return 0;
}

/* Makes a name longer than any run of the same byte in a rule. */
static int
find_unnamed(struct survey *s)
{
	size_t longest = 0;
	char *name;

	for (size_t i = 0; i < s->index.path_count; i++) {
		const char *at = s->index.paths[i].path;

		for (size_t run; *at != '\0'; at += run == 0 ? 1 : run) {
			run = strspn(at, "\x01");
			longest = run > longest ? run : longest;
		}
	}
	name = arena_alloc(s->in->arena, longest + 2, s->err);
	if (name == NULL)
		return -CORDON_E_MEMORY;
	memset(name, '\x01', longest + 1);
	s->unnamed = name;
	return 0;
}

/* ---- queries ---- */

static unsigned
ask(const struct survey *s, const char *path)
{
	struct verdict verdict = index_decide(&s->index, path);
	unsigned denied = 0;

	if (!s->denials)
		return verdict.rights;
	for (int i = 0; i < RIGHT_KINDS; i++)
		if (verdict.by[i].rule != NULL && verdict.by[i].rule->effect == EFFECT_DENY)
			denied |= 1u << i;
	return denied;
}

static int
ask_zone(struct survey *s, struct zone *zone)
{
	const char *root = strcmp(zone->path, "/") == 0 ? "" : zone->path;
	auto_str struct str below = {0};

	zone->self = ask(s, zone->path);
	str_printf(&below, "%s/%s", root, s->unnamed);
	if (!below.failed)
		zone->child = ask(s, below.text);
	str_printf(&below, "/%s", s->unnamed);
	if (below.failed)
		return cordon_no_memory(s->err);
	zone->deep = ask(s, below.text);
	return 0;
}

/* ---- lines ---- */

static int
add_piece(struct survey *s, const struct zone *zone, int kind, unsigned is, unsigned shall)
{
	for (int effect = EFFECT_DENY; effect <= EFFECT_ALLOW; effect++) {
		unsigned rights = effect == EFFECT_ALLOW ? shall & ~is : is & ~shall;
		struct piece *piece;

		if (rights == 0)
			continue;
		piece = arena_push(s->in->arena, &s->pieces, &s->piece_count, sizeof *piece,
				   s->err);
		if (piece == NULL)
			return -CORDON_E_MEMORY;
		*piece = (struct piece){zone->depth, kind, (enum effect)effect, rights, zone->path};
	}
	return 0;
}

/* Writes what differs between a zone and the zone around it. */
static int
write_zone(struct survey *s, const struct zone *zone, const struct zone *around)
{
	unsigned changed = zone->deep ^ around->deep;
	unsigned self = zone->depth == around->depth + 1 ? around->child : around->deep;
	int rc = add_piece(s, zone, PIECE_BELOW, around->deep, zone->deep);

	if (rc == 0)
		rc = add_piece(s, zone, PIECE_CHILDREN, zone->deep, zone->child);
	if (rc == 0)
		rc = add_piece(s, zone, PIECE_ITSELF, (zone->deep & changed) | (self & ~changed),
			       zone->self);
	return rc;
}

static int
write_zones(struct survey *s)
{
	static const struct zone nothing = {.path = ""};
	const struct zone **around;
	size_t depth = 0;
	int rc = 0;

	around = arena_alloc(s->in->arena, (s->count + 1) * sizeof *around, s->err);
	if (around == NULL)
		return -CORDON_E_MEMORY;
	around[0] = &nothing;
	for (size_t i = 0; rc == 0 && i < s->count; i++) {
		const struct zone *zone = &s->zones[i];

		while (depth > 0 && !path_below(zone->path, around[depth]->path))
			depth--;
		rc = write_zone(s, zone, around[depth]);
		around[++depth] = zone;
	}
	return rc;
}

static int
by_order(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	if (x->depth != y->depth)
		return x->depth < y->depth ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind - y->kind;
	if (x->effect != y->effect)
		return (int)x->effect - (int)y->effect;
	if (x->rights != y->rights)
		return x->rights < y->rights ? -1 : 1;
	return strcmp(x->path, y->path);
}

static const struct filter *
piece_filter(struct filters *in, const struct piece *piece)
{
	if (piece->kind == PIECE_CHILDREN)
		return glob_regex_children(in, piece->path);
	return piece->kind == PIECE_BELOW ? path_filter_subpath(in, piece->path)
					  : path_filter_literal(in, piece->path);
}

static bool
same_line(const struct piece *a, const struct piece *b)
{
	return a->depth == b->depth && a->kind == b->kind && a->effect == b->effect &&
	       a->rights == b->rights;
}

static int
join_pieces(struct survey *s, struct sbpl_rules *to)
{
	const struct filter **filters;
	size_t first, next;

	filters = arena_alloc(s->in->arena, (s->piece_count + 1) * sizeof *filters, s->err);
	if (filters == NULL)
		return -CORDON_E_MEMORY;
	for (first = 0; first < s->piece_count; first = next) {
		const struct piece *piece = &s->pieces[first];
		struct sbpl_rule *line =
			arena_push(s->in->arena, &to->items, &to->count, sizeof *line, s->err);

		for (next = first; next < s->piece_count && same_line(piece, &s->pieces[next]);
		     next++)
			filters[next - first] = piece_filter(s->in, &s->pieces[next]);
		if (line == NULL)
			return -CORDON_E_MEMORY;
		*line = (struct sbpl_rule){piece->effect, piece->rights,
					   path_filter_any_of(s->in, filters, next - first)};
	}
	return 0;
}

static int
survey_make(struct survey *s, struct sbpl_rules *to)
{
	int rc;

	s->index.pattern_count = 0;
	s->index.protections.count = 0;
	rc = find_zones(s);
	if (rc == 0)
		rc = find_unnamed(s);
	for (size_t i = 0; rc == 0 && i < s->count; i++)
		rc = ask_zone(s, &s->zones[i]);
	if (rc == 0)
		rc = write_zones(s);
	if (rc < 0)
		return rc;
	if (s->piece_count > 1)
		qsort(s->pieces, s->piece_count, sizeof s->pieces[0], by_order);
	return join_pieces(s, to);
}

int
zones_of_plan(struct filters *in, const struct index *index, struct sbpl_rules *ret,
	      struct cordon_error *err)
{
	struct survey s = {.in = in, .index = *index, .err = err};

	return survey_make(&s, ret);
}

int
zones_of_layer(struct filters *in, const struct index *index, enum layer layer,
	       struct sbpl_rules *ret, struct cordon_error *err)
{
	struct survey s = {.in = in, .index = {.default_rights = 0}, .denials = true, .err = err};
	struct index *own = &s.index;
	int rc;

	for (size_t i = 0; i < index->path_count; i++) {
		struct planned_rule *slot;

		if (index->paths[i].layer != layer)
			continue;
		slot = arena_push(in->arena, &own->paths, &own->path_count, sizeof *slot, err);
		if (slot == NULL)
			return -CORDON_E_MEMORY;
		*slot = index->paths[i];
	}
	rc = index_finish(own, err);
	if (rc == 0)
		rc = survey_make(&s, ret);
	index_free(own);
	return rc;
}
