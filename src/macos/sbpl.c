// SPDX-License-Identifier: MIT
/*
 * The order of a profile: a default of deny and what that does not reach; what programs need of the
 * system; folders on the way to what is granted, by their metadata only; the plan's rules, shallow
 * ones first; names that must stay where they are; devices, network; the fingerprint last. Within one
 * operation a later line wins, and no line names an operation that is wider than another line's.
 */
#include "macos/sbpl.h"

#include <stdio.h>
#include <string.h>

#include "base/path.h"
#include "macos/lines.h"
#include "macos/pattern.h"
#include "macos/tables.h"
#include "plan/hold.h"
#include "plan/resolve.h"

struct paths {
	const char **items;
	size_t count;
};

struct writer {
	const struct plan *plan;
	const struct sbpl_options *options;
	struct filters in;
	struct parameters parameters;
	struct lines lines;
	unsigned granted; /* rights that some line allows: what none does needs no deny */
	struct str text;
	struct cordon_error *err;
};

/* ---- single lines ---- */

/* Closes a line; of a deny with the session's tag, so that its reports can be told from others. */
static void
end_line(struct writer *w, bool deny)
{
	if (deny && w->options->tag != NULL) {
		str_add(&w->text, " (with message ");
		sbpl_word(w->options->tag, &w->text);
		str_add(&w->text, ")");
	}
	str_add(&w->text, ")\n");
}

static void
add_filters(struct writer *w, const struct filter *filter)
{
	if (filter == NULL || filter->kind != FILTER_ANY) {
		str_add(&w->text, " ");
		filter_print(filter, &w->parameters, &w->text);
		return;
	}
	/* several filters of one line are alternatives */
	for (size_t i = 0; i < filter->count; i++) {
		str_add(&w->text, "\n  ");
		filter_print(filter->parts[i], &w->parameters, &w->text);
	}
}

/* operations: separated by spaces. Nothing for a filter that matches nothing. */
static void
add_line(struct writer *w, enum effect effect, const char *operations, const struct filter *filter)
{
	if (filter != NULL && filter->kind == FILTER_NEVER)
		return;
	str_printf(&w->text, "(%s %s", effect == EFFECT_ALLOW ? "allow" : "deny", operations);
	add_filters(w, filter);
	end_line(w, effect == EFFECT_DENY);
}

static void
add_comment(struct writer *w, const char *text)
{
	str_printf(&w->text, "\n; %s\n", text);
}

/* ---- what does not depend on paths ---- */

static unsigned
rights_at(const struct writer *w, const char *path)
{
	return index_decide(&w->plan->index, path).rights;
}

static bool
has_device(const struct writer *w, const char *path)
{
	unsigned both = RIGHT_READ | RIGHT_WRITE;

	return (rights_at(w, path) & both) == both;
}

static bool
applies(const struct writer *w, enum table_when when)
{
	enum net_mode mode = w->plan->settings.network.mode;
	bool none = mode == NET_NONE || mode == NET_UNSET;

	switch (when) {
	case WHEN_NETWORK:
		return !none;
	case WHEN_ALL:
		return mode == NET_ALL;
	case WHEN_NO_NETWORK:
		return none;
	case WHEN_TERMINAL:
		return has_device(w, "/dev/ptmx");
	default:
		return true;
	}
}

static void
add_row(struct writer *w, const struct table_row *row)
{
	str_printf(&w->text, "(%s", row->action);
	if (row->filter != NULL && row->word == NULL)
		str_printf(&w->text, " %s", row->filter);
	if (row->word != NULL) {
		str_printf(&w->text, " (%s ", row->filter);
		sbpl_word(row->word, &w->text);
		str_add(&w->text, ")");
	}
	str_printf(&w->text, ") ; %s\n", row->reason);
}

static void
add_table(struct writer *w, const struct table_row *rows)
{
	for (; rows->action != NULL; rows++)
		if (applies(w, rows->when))
			add_row(w, rows);
}

static void
add_head(struct writer *w)
{
	str_add(&w->text, "(version 1)\n(deny default");
	end_line(w, true);
	add_comment(w, "what the default does not reach");
	add_table(w, table_unreached);
	add_comment(w, "what programs need of the system");
	add_table(w, table_system);
}

/* ---- folders on the way ---- */

static int
push_path(struct writer *w, struct paths *to, const char *path)
{
	const char **slot;

	slot = arena_push(w->in.arena, &to->items, &to->count, sizeof *slot, w->err);
	if (slot == NULL || path == NULL)
		return -CORDON_E_MEMORY;
	*slot = path;
	return 0;
}

/* Every folder above path. */
static int
push_ancestors(struct writer *w, struct paths *to, const char *path)
{
	int rc = 0;

	while (rc == 0 && strcmp(path, "/") != 0) {
		path = path_parent(w->in.arena, path, w->err);
		rc = path == NULL ? -CORDON_E_MEMORY : push_path(w, to, path);
	}
	return rc;
}

static int
push_filter(struct writer *w, struct paths *to, const struct filter *filter)
{
	int rc = 0;

	if (filter->kind == FILTER_SUBPATH || filter->kind == FILTER_LITERAL)
		return push_ancestors(w, to, filter->value);
	if (filter->kind == FILTER_REGEX) {
		rc = push_path(w, to, filter->root);
		return rc < 0 ? rc : push_ancestors(w, to, filter->root);
	}
	if (filter->kind == FILTER_ANY || filter->kind == FILTER_ALL)
		for (size_t i = 0; rc == 0 && i < filter->count; i++)
			rc = push_filter(w, to, filter->parts[i]);
	return rc;
}

/* A link can only be walked through by whoever may look at it. */
static int
push_links(struct writer *w, struct paths *to, const struct planned_rule *rules, size_t count)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < count; i++) {
		struct resolved resolved = {0};

		if (rules[i].written == NULL || rules[i].effect != EFFECT_ALLOW ||
		    rules[i].rights == 0)
			continue;
		rc = resolve_path(w->in.arena, w->plan->host->view, rules[i].written, &resolved,
				  w->err);
		for (size_t k = 0; rc == 0 && k < resolved.link_count; k++) {
			rc = push_path(w, to, resolved.links[k]);
			if (rc == 0)
				rc = push_ancestors(w, to, resolved.links[k]);
		}
	}
	return rc;
}

static int
by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void
sort_paths(struct paths *paths)
{
	size_t kept = 0;

	if (paths->count > 1)
		qsort(paths->items, paths->count, sizeof paths->items[0], by_text);
	for (size_t i = 0; i < paths->count; i++)
		if (kept == 0 || strcmp(paths->items[kept - 1], paths->items[i]) != 0)
			paths->items[kept++] = paths->items[i];
	paths->count = kept;
}

/* Filters that are alternatives of one line. */
struct parts {
	const struct filter **items;
	size_t count;
};

static void
push_part(struct writer *w, struct parts *to, const struct filter *part)
{
	const struct filter **slot;

	slot = arena_push(w->in.arena, &to->items, &to->count, sizeof *slot, NULL);
	if (slot != NULL)
		*slot = part;
	w->in.failed = w->in.failed || slot == NULL;
}

static void
push_literals(struct writer *w, struct parts *to, const struct paths *paths)
{
	for (size_t i = 0; i < paths->count; i++)
		push_part(w, to, filter_literal(&w->in, paths->items[i]));
}

static const struct filter *
any_part(struct writer *w, const struct parts *parts)
{
	return filter_any_of(&w->in, parts->items, parts->count);
}

/* Not needed where reading is allowed, not granted where a rule forbids it. */
static bool
wants_metadata(const struct writer *w, const char *path)
{
	struct verdict verdict = index_decide(&w->plan->index, path);
	const struct planned_rule *rule = verdict.by[0].rule;

	return !(verdict.rights & RIGHT_READ) && !path_is_dead(path) &&
	       (rule == NULL || rule->effect == EFFECT_ALLOW);
}

static int
collect_ancestors(struct writer *w, struct paths *to)
{
	const struct index *index = &w->plan->index;
	int rc = 0;

	for (size_t i = 0; rc == 0 && table_links[i] != NULL; i++)
		rc = push_path(w, to, table_links[i]);
	for (size_t i = 0; rc == 0 && i < w->lines.count; i++)
		if (w->lines.items[i].effect == EFFECT_ALLOW)
			rc = push_filter(w, to, w->lines.items[i].filter);
	for (size_t i = 0; rc == 0 && i < w->plan->socket_count; i++)
		rc = push_ancestors(w, to, w->plan->sockets[i].path);
	if (rc == 0)
		rc = push_links(w, to, index->paths, index->path_count);
	return rc < 0 ? rc : push_links(w, to, index->patterns, index->pattern_count);
}

/* Before every rule, so that a deny has the last word. */
static int
add_ancestors(struct writer *w)
{
	struct paths all = {0}, wanted = {0};
	struct parts parts = {0};
	auto_str struct str operations = {0};
	int rc = collect_ancestors(w, &all);

	if (rc < 0)
		return rc;
	sort_paths(&all);
	for (size_t i = 0; rc == 0 && i < all.count; i++)
		if (wants_metadata(w, all.items[i]))
			rc = push_path(w, &wanted, all.items[i]);
	if (rc < 0)
		return rc;
	for (size_t i = 0; ancestor_operations[i] != NULL; i++)
		str_printf(&operations, "%s%s", i == 0 ? "" : " ", ancestor_operations[i]);
	if (operations.failed)
		return cordon_no_memory(w->err);
	add_comment(w, "folders on the way to what is granted: that they are there, no more");
	push_literals(w, &parts, &wanted);
	add_line(w, EFFECT_ALLOW, operations.text, any_part(w, &parts));
	return 0;
}

/* ---- the rules ---- */

static void
add_rule(struct writer *w, const struct line *line)
{
	unsigned rights = line->rights & w->granted;
	auto_str struct str operations = {0};

	for (int i = 0; i < RIGHT_KINDS; i++)
		for (size_t k = 0; (rights & (1u << i)) && right_operations[i][k] != NULL; k++)
			str_printf(&operations, "%s%s", operations.length == 0 ? "" : " ",
				   right_operations[i][k]);
	w->text.failed = w->text.failed || operations.failed;
	if (operations.text != NULL)
		add_line(w, line->effect, operations.text, line->filter);
}

static void
add_rules(struct writer *w)
{
	add_comment(w, "the rules, shallow ones first; then patterns and protected names");
	for (size_t i = 0; i < w->lines.count; i++)
		add_rule(w, &w->lines.items[i]);
}

/* Folders above a deny: it would be left behind if they moved. */
static int
collect_held(struct writer *w, struct paths *to)
{
	const struct index *index = &w->plan->index;
	struct paths above = {0};
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < index->path_count; i++)
		if (index->paths[i].effect == EFFECT_DENY && index->paths[i].rights != 0)
			rc = push_ancestors(w, &above, index->paths[i].path);
	sort_paths(&above);
	for (size_t i = 0; rc == 0 && i < above.count; i++)
		if (rights_at(w, above.items[i]) & RIGHT_DELETE)
			rc = push_path(w, to, above.items[i]);
	return rc;
}

static int
add_held(struct writer *w)
{
	struct parts parts = {0};
	struct paths paths = {0};
	struct holds holds = {0};
	int rc = collect_held(w, &paths);

	if (rc == 0)
		rc = holds_make(w->in.arena, w->plan, &holds, w->err);
	if (rc < 0 || !(w->granted & RIGHT_DELETE))
		return rc;
	push_literals(w, &parts, &paths);
	for (size_t i = 0; i < holds.count; i++) {
		const struct hold *hold = &holds.items[i];
		enum pattern_end end = hold->below ? PATTERN_BELOW : PATTERN_HERE;

		push_part(w, &parts, pattern_glob(&w->in, hold->glob, end, hold->nocase));
	}
	add_comment(w, "folders that hold such names stay where they are");
	add_line(w, EFFECT_DENY, "file-write-unlink",
		 filter_all(&w->in, &filter_folder, any_part(w, &parts)));
	return 0;
}

/* ---- devices, network ---- */

static void
add_devices(struct writer *w)
{
	struct parts parts = {0};

	for (const struct table_device *d = table_devices; d->path != NULL; d++)
		if (has_device(w, d->path))
			push_part(w, &parts,
				  d->regex == NULL ? filter_literal(&w->in, d->path)
						   : filter_regex(&w->in, d->regex, "/dev"));
	add_comment(w, "control of terminals, but for typing into them");
	add_line(w, EFFECT_ALLOW, "file-ioctl", any_part(w, &parts));
	str_add(&w->text, "(deny file-ioctl (ioctl-command TIOCSTI)");
	end_line(w, true);
}

static void
add_endpoint(struct writer *w, const char *operations, const char *end, const char *port)
{
	str_printf(&w->text, "(allow %s (%s \"%s\"))\n", operations, end, port);
}

static void
add_localhost(struct writer *w, unsigned port)
{
	char text[32] = "localhost:*";

	if (port != 0)
		snprintf(text, sizeof text, "localhost:%u", port);
	add_endpoint(w, "network-outbound", "remote ip", text);
	add_endpoint(w, "network-bind network-inbound", "local ip", text);
}

static void
add_network(struct writer *w)
{
	const struct network *network = &w->plan->settings.network;
	char proxy[32];

	add_comment(w, "network");
	str_add(&w->text, "(deny network*");
	end_line(w, true);
	if (network->mode == NET_ALL) {
		add_endpoint(w, "network-outbound", "remote ip", "*:*");
		add_endpoint(w, "network-bind network-inbound", "local ip", "*:*");
		add_line(w, EFFECT_ALLOW, "network-outbound",
			 filter_literal(&w->in, RESOLVER_SOCKET));
	} else if (network->mode == NET_LOCALHOST && network->localhost.count == 0) {
		add_localhost(w, 0);
	} else if (network->mode == NET_LOCALHOST) {
		for (size_t i = 0; i < network->localhost.count; i++)
			add_localhost(w, network->localhost.items[i].number);
	} else if (network->mode == NET_DOMAINS && w->options->proxy_port != 0) {
		snprintf(proxy, sizeof proxy, "localhost:%u", w->options->proxy_port);
		add_endpoint(w, "network-outbound", "remote tcp", proxy);
	}
}

/* What the session makes in the project it may use, where it may read and write; and what is named. */
static void
add_sockets(struct writer *w)
{
	const char *project = w->plan->host->project;
	struct parts parts = {0};
	const struct filter *own;

	if (project != NULL && !path_is_dead(project)) {
		own = filter_all(&w->in, filter_subpath(&w->in, project),
				 lines_where(&w->in, &w->lines, RIGHT_READ, project));
		own = filter_all(&w->in, own, lines_where(&w->in, &w->lines, RIGHT_WRITE, project));
		push_part(w, &parts, own);
	}
	if (w->options->private_tmp != NULL)
		push_part(w, &parts, filter_subpath(&w->in, w->options->private_tmp));
	for (size_t i = 0; i < w->plan->socket_count; i++)
		push_part(w, &parts, filter_literal(&w->in, w->plan->sockets[i].path));
	add_comment(w, "unix sockets");
	add_line(w, EFFECT_ALLOW, "network-outbound", any_part(w, &parts));
}

static void
add_fingerprint(struct writer *w, const struct sbpl_fingerprint *fingerprint)
{
	if (fingerprint->allowed == NULL || fingerprint->denied == NULL)
		return;
	add_comment(w, "by which the processes of this session are known");
	add_line(w, EFFECT_ALLOW, "file-read-data", filter_literal(&w->in, fingerprint->allowed));
	add_line(w, EFFECT_DENY, "file-read-data", filter_literal(&w->in, fingerprint->denied));
}

/* ---- all of it ---- */

static int
check_tag(const char *tag, struct cordon_error *err)
{
	static const char good[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-";

	if (tag == NULL || tag[strspn(tag, good)] == '\0')
		return 0;
	return cordon_fail(err, CORDON_E_USAGE, 0, "the tag of a profile is letters and digits");
}

static int
write_plan(struct writer *w)
{
	int rc = check_tag(w->options->tag, w->err);

	if (rc == 0)
		rc = lines_make(&w->in, w->plan, w->options->private_tmp, &w->lines, w->err);
	for (size_t i = 0; rc == 0 && i < w->lines.count; i++)
		if (w->lines.items[i].effect == EFFECT_ALLOW)
			w->granted |= w->lines.items[i].rights;
	if (rc == 0)
		add_head(w);
	if (rc == 0)
		rc = add_ancestors(w);
	if (rc == 0)
		add_network(w);
	if (rc == 0)
		add_rules(w);
	if (rc == 0)
		rc = add_held(w);
	if (rc < 0)
		return rc;
	add_devices(w);
	add_sockets(w);
	add_fingerprint(w, &w->options->fingerprint);
	return 0;
}

static void
write_fingerprint(struct writer *w)
{
	str_add(&w->text, "(version 1)\n(allow default)\n");
	add_fingerprint(w, &w->options->fingerprint);
}

static int
finish(struct writer *w, struct sbpl *sbpl, struct cordon_error *err)
{
	if (w->in.failed || w->parameters.failed)
		return cordon_no_memory(err);
	sbpl->parameters = w->parameters.items;
	sbpl->parameter_count = w->parameters.count;
	return str_finish(&w->text, &sbpl->text, err);
}

struct sbpl *
sbpl_free(struct sbpl *sbpl)
{
	if (sbpl == NULL)
		return NULL;
	arena_free(&sbpl->arena);
	free(sbpl->text);
	free(sbpl);
	return NULL;
}

static int
make(const struct plan *plan, const struct sbpl_options *options, struct sbpl **ret_sbpl,
     struct cordon_error *err)
{
	auto_sbpl struct sbpl *sbpl = calloc(1, sizeof *sbpl);
	struct writer w = {.plan = plan, .options = options, .err = err};
	int rc = 0;

	if (sbpl == NULL)
		return cordon_no_memory(err);
	w.in.arena = w.parameters.arena = &sbpl->arena;
	if (plan == NULL)
		write_fingerprint(&w);
	else
		rc = write_plan(&w);
	if (rc == 0)
		rc = finish(&w, sbpl, err);
	str_free(&w.text);
	if (rc == 0)
		*ret_sbpl = take(&sbpl);
	return rc;
}

int
sbpl_make(const struct plan *plan, const struct sbpl_options *options, struct sbpl **ret_sbpl,
	  struct cordon_error *err)
{
	return make(plan, options, ret_sbpl, err);
}

int
sbpl_fingerprint_only(const struct sbpl_fingerprint *fingerprint, struct sbpl **ret_sbpl,
		      struct cordon_error *err)
{
	struct sbpl_options options = {.fingerprint = *fingerprint};

	return make(NULL, &options, ret_sbpl, err);
}
