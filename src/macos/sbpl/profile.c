// SPDX-License-Identifier: MIT
/*
 * Writes a profile in this order: deny default and denies that it does not cover; what programs need of the
 * system; metadata of parent directories; the plan's rules, shallow paths first; names that must stay;
 * devices and network; the fingerprint last. Within one operation the last matching line wins, and no line
 * names an operation that contains one of another line.
 */
#include "macos/sbpl/profile.h"

#include <stdio.h>
#include <string.h>

#include "base/path.h"
#include "macos/sbpl/ancestors.h"
#include "macos/sbpl/rows.h"
#include "macos/sbpl/tables.h"

struct writer {
	const struct plan *plan;
	const struct sbpl_options *options;
	struct filters in;
	struct parameters parameters;
	struct sbpl_rules lines;
	struct sbpl_row *rows;
	size_t row_count;
	unsigned granted; /* rights that some line allows: others need no deny */
	struct str text;
	struct cordon_error *err;
};

/* ---- single lines ---- */

/* Added to every deny, to recognise its reports. */
static void
add_tag(struct writer *w)
{
	if (w->options->tag == NULL)
		return;
	str_add(&w->text, " (with message ");
	sbpl_word(w->options->tag, &w->text);
	str_add(&w->text, ")");
}

/* Begins a line whose text follows; guarantee: what is lost without it, G_COUNT for an allow. */
static void
begin_line(struct writer *w, enum guarantee guarantee)
{
	struct sbpl_row *row;

	row = arena_push(w->in.arena, &w->rows, &w->row_count, sizeof *row, NULL);
	w->in.failed = w->in.failed || row == NULL;
	if (row != NULL)
		*row = (struct sbpl_row){w->text.length, 0, guarantee};
}

static void
end_line(struct writer *w, bool deny)
{
	struct sbpl_row *row = w->row_count == 0 ? NULL : &w->rows[w->row_count - 1];

	if (deny)
		add_tag(w);
	str_add(&w->text, ")\n");
	if (row != NULL)
		row->length = w->text.length - row->from;
}

static void
add_filters(struct writer *w, const struct filter *filter)
{
	if (filter == NULL || filter->kind != FILTER_ANY) {
		str_add(&w->text, " ");
		path_filter_print(filter, &w->parameters, &w->text);
		return;
	}
	/* several filters in one line are alternatives */
	for (size_t i = 0; i < filter->count; i++) {
		str_add(&w->text, "\n  ");
		path_filter_print(filter->parts[i], &w->parameters, &w->text);
	}
}

/*
 * operations: separated by spaces. A filter that matches nothing writes nothing. guarantee: as for
 * begin_line; G_COUNT for an allow.
 */
static void
add_line(struct writer *w, enum guarantee guarantee, const char *operations,
	 const struct filter *filter)
{
	enum effect effect = guarantee == G_COUNT ? EFFECT_ALLOW : EFFECT_DENY;

	if (filter != NULL && filter->kind == FILTER_NEVER)
		return;
	begin_line(w, guarantee);
	str_printf(&w->text, "(%s %s", effect == EFFECT_ALLOW ? "allow" : "deny", operations);
	add_filters(w, path_filter_merge(&w->in, filter));
	end_line(w, effect == EFFECT_DENY);
}

static void
add_comment(struct writer *w, const char *text)
{
	str_printf(&w->text, "\n; %s\n", text);
}

/* ---- lines without plan paths ---- */

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
	case WHEN_SYSTEM_V:
		return w->plan->settings.ipc == IPC_SYSV;
	default:
		return true;
	}
}

static void
add_row(struct writer *w, const struct table_row *row)
{
	begin_line(w, row->guarantee);
	str_printf(&w->text, "(%s", row->action);
	if (row->filter != NULL && row->word == NULL)
		str_printf(&w->text, " %s", row->filter);
	if (row->word != NULL) {
		str_printf(&w->text, " (%s ", row->filter);
		sbpl_word(row->word, &w->text);
		str_add(&w->text, ")");
	}
	if (str_starts(row->action, "deny "))
		add_tag(w);
	str_printf(&w->text, ") ; %s\n", row->reason);
	w->rows[w->row_count - 1].length = w->text.length - w->rows[w->row_count - 1].from;
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

/* ---- the rules ---- */

/* Before the rules, so that a deny among them wins. */
static int
add_ancestors(struct writer *w)
{
	auto_str struct str operations = {0};
	const struct filter *folders;
	int rc = ancestors_on_path(&w->in, w->plan, &w->lines, &folders, w->err);

	if (rc < 0)
		return rc;
	for (size_t i = 0; ancestor_operations[i] != NULL; i++)
		str_printf(&operations, "%s%s", i == 0 ? "" : " ", ancestor_operations[i]);
	if (operations.failed)
		return cordon_no_memory(w->err);
	add_comment(w, "folders on the way to what is granted: that they are there, no more");
	add_line(w, G_COUNT, operations.text, folders);
	return 0;
}

static void
add_rule(struct writer *w, const struct sbpl_rule *line)
{
	unsigned rights = line->rights & w->granted;
	auto_str struct str operations = {0};

	for (int i = 0; i < RIGHT_KINDS; i++)
		for (size_t k = 0; (rights & (1u << i)) && right_operations[i][k] != NULL; k++)
			str_printf(&operations, "%s%s", operations.length == 0 ? "" : " ",
				   right_operations[i][k]);
	w->text.failed = w->text.failed || operations.failed;
	if (operations.text != NULL)
		add_line(w, line->effect == EFFECT_ALLOW ? G_COUNT : G_FILES_CARVEOUT,
			 operations.text, line->filter);
}

static void
add_rules(struct writer *w)
{
	add_comment(w, "the rules, shallow ones first; then patterns and protected names");
	for (size_t i = 0; i < w->lines.count; i++)
		add_rule(w, &w->lines.items[i]);
}

static int
add_held(struct writer *w)
{
	const struct filter *unmovable;
	int rc = ancestors_unmovable(&w->in, w->plan, &unmovable, w->err);

	if (rc < 0 || !(w->granted & RIGHT_DELETE))
		return rc;
	add_comment(w, "folders that hold such names stay where they are");
	add_line(w, G_FILES_FUTURE, "file-write-unlink", unmovable);
	return 0;
}

/* ---- devices, network ---- */

static void
add_devices(struct writer *w)
{
	struct filter_list parts = {0};

	for (const struct table_device *d = table_devices; d->path != NULL; d++)
		if (has_device(w, d->path))
			path_filter_push(&w->in, &parts,
					 d->regex == NULL
						 ? path_filter_literal(&w->in, d->path)
						 : path_filter_regex(&w->in, d->regex, "/dev"));
	if (parts.count == 0)
		return;
	add_comment(w, "control of terminals, but for typing into them");
	add_line(w, G_COUNT, "file-ioctl", path_filter_any_of(&w->in, parts.items, parts.count));
	begin_line(w, G_TERMINAL_INJECT);
	str_add(&w->text, "(deny file-ioctl (ioctl-command " TABLE_TIOCSTI ")");
	end_line(w, true);
}

static void
add_endpoint(struct writer *w, const char *operations, const char *end, const char *port)
{
	begin_line(w, G_COUNT);
	str_printf(&w->text, "(allow %s (%s \"%s\")", operations, end, port);
	end_line(w, false);
}

static void
add_localhost(struct writer *w, unsigned port)
{
	bool udp = w->plan->has_datagrams;
	const char *local = udp ? "local ip" : "local tcp"; /* "ip" is TCP and UDP */
	char here[32] = "localhost:*", any[32] = "*:*";

	if (port != 0) {
		snprintf(here, sizeof here, "localhost:%u", port);
		snprintf(any, sizeof any, "*:%u", port);
	}
	add_endpoint(w, "network-outbound", udp ? "remote ip" : "remote tcp", here);
	/* most servers bind to 0.0.0.0 or ::; connections from other machines stay denied */
	add_endpoint(w, "network-bind", local, any);
	add_endpoint(w, "network-inbound", local, here);
	if (port == 0) {
		begin_line(w, G_NET_UDP);
		str_add(&w->text, "(deny network-outbound (remote ip \"localhost:53\")");
		end_line(w, true);
	}
}

static void
add_local_ports(struct writer *w, const struct ports *ports)
{
	for (size_t i = 0; i < ports->count; i++)
		add_localhost(w, ports->items[i].number);
}

static void
add_network(struct writer *w)
{
	const struct network *network = &w->plan->settings.network;
	char proxy[32];

	add_comment(w, "network");
	begin_line(w, G_NET_TCP);
	str_add(&w->text, "(deny network*");
	end_line(w, true);
	if (network->mode == NET_ALL) {
		add_endpoint(w, "network-outbound", "remote ip", "*:*");
		add_endpoint(w, "network-bind network-inbound", "local ip", "*:*");
		add_line(w, G_COUNT, "network-outbound",
			 path_filter_literal(&w->in, RESOLVER_SOCKET));
	} else if (network->mode == NET_LOCALHOST && network->localhost.count == 0) {
		add_localhost(w, 0);
	} else if (network->mode == NET_LOCALHOST) {
		add_local_ports(w, &network->localhost);
	} else if (network->mode == NET_DOMAINS && w->options->proxy_port != 0) {
		snprintf(proxy, sizeof proxy, "localhost:%u", w->options->proxy_port);
		add_endpoint(w, "network-outbound", "remote tcp", proxy);
	}
	if (network->mode == NET_DOMAINS)
		add_local_ports(w, &network->localhost);
}

/* Unix sockets: in the project where it may read and write, and the ones that are named. */
static void
add_sockets(struct writer *w)
{
	const char *project = w->plan->host->project;
	struct filter_list parts = {0};
	const struct filter *own;

	if (project != NULL && !sbpl_rules_is_dead_path(project)) {
		own = path_filter_all(&w->in, path_filter_subpath(&w->in, project),
				      sbpl_rules_where(&w->in, &w->lines, RIGHT_READ, project));
		own = path_filter_all(&w->in, own,
				      sbpl_rules_where(&w->in, &w->lines, RIGHT_WRITE, project));
		path_filter_push(&w->in, &parts, own);
	}
	if (w->options->private_tmp != NULL)
		path_filter_push(&w->in, &parts,
				 path_filter_subpath(&w->in, w->options->private_tmp));
	for (size_t i = 0; i < w->plan->socket_count; i++)
		path_filter_push(&w->in, &parts,
				 path_filter_literal(&w->in, w->plan->sockets[i].path));
	add_comment(w, "unix sockets");
	add_line(w, G_COUNT, "network-outbound",
		 path_filter_any_of(&w->in, parts.items, parts.count));
}

/* The socket of a shared session: processes inside accept on it and cannot create one. */
static void
add_session_socket(struct writer *w)
{
	const char *socket_path = w->options->socket_path;

	if (socket_path == NULL)
		return;
	add_comment(w, "where commands of this session come in");
	add_line(w, G_COUNT, "network-inbound", path_filter_literal(&w->in, socket_path));
	add_line(w, G_SOCKETS_PATH, "network-bind", path_filter_literal(&w->in, socket_path));
}

static void
add_fingerprint(struct writer *w, const struct sbpl_fingerprint *fingerprint)
{
	if (fingerprint->allowed == NULL || fingerprint->denied == NULL)
		return;
	add_comment(w, "by which the processes of this session are known");
	add_line(w, G_COUNT, "file-read-data", path_filter_literal(&w->in, fingerprint->allowed));
	add_line(w, G_PROCESS_TREE, "file-read-data",
		 path_filter_literal(&w->in, fingerprint->denied));
}

/* ---- whole profile ---- */

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
		rc = sbpl_rules_make(&w->in, w->plan, w->options->private_tmp, &w->lines, w->err);
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
	add_session_socket(w);
	add_fingerprint(w, &w->options->fingerprint);
	add_fingerprint(w, &w->options->editor);
	return 0;
}

static void
write_fingerprint(struct writer *w)
{
	str_add(&w->text, "(version 1)\n(allow default)\n");
	add_fingerprint(w, &w->options->fingerprint);
	add_fingerprint(w, &w->options->editor);
}

static int
finish(struct writer *w, struct sbpl *sbpl, struct cordon_error *err)
{
	if (w->in.failed || w->parameters.failed)
		return cordon_no_memory(err);
	sbpl->parameters = w->parameters.items;
	sbpl->parameter_count = w->parameters.count;
	sbpl->rows = w->rows;
	sbpl->row_count = w->row_count;
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
sbpl_fingerprint_only(const struct sbpl_options *options, struct sbpl **ret_sbpl,
		      struct cordon_error *err)
{
	const struct sbpl_options marks = {.fingerprint = options->fingerprint,
					   .editor = options->editor};

	return make(NULL, &marks, ret_sbpl, err);
}
