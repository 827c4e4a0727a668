// SPDX-License-Identifier: MIT
/*
 * Turns planned paths into Landlock rules. Each path is opened once, compared with its canonical path, and
 * gets what the index decides for it (rules_access.c), or is granted entry by entry (rules_entries.c).
 */
#include "base/os.h"

#include "linux/landlock/rules.h"

#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/path.h"
#include "plan/exec_rules.h"
#include "plan/pty.h"
#include "plan/shared_dirs.h"

/* With fewer entries it is not worth keeping the parent open. */
#define BESIDE_MIN 4

/* All planned rules of one path. */
struct said {
	const char *path;
	const struct rule *named; /* a required allow: written by the user */
	bool allowed, child, exists;
	bool is_folder; /* was a directory when the plan was made */
	struct reach reach;
	uint64_t withheld;
};

/* The access that the last granted directory passes to everything in it. */
struct cover {
	const char *path; /* NULL: none */
	uint64_t access;
};

struct granting {
	const struct ruleset_build *m;
	struct cover cover;
	/* the parent of the previous path, its entries so far, and its fd if open */
	const char *beside;
	size_t length, count;
	int fd;
	unsigned terminals; /* pty paths granted, as bits */
	struct reach_memo memo;
};

static int
refuse(const struct ruleset_build *m, const struct said *said, int why)
{
	const struct place *place = &said->named->place;
	const char *written = said->named->path;
	const char *missing =
		!(said->named->rights & RIGHT_CREATE) ? "does not exist; make it or drop the rule"
		: written[strlen(written) - 1] == '/'
			? "does not exist, and is not made outside of your own folders; "
			  "make it or drop the rule"
			: "does not exist; make it, end it with a / or drop the rule";
	const char *reason = why == ENOENT || why == ENOTDIR ? missing
			     : why == ELOOP ? "leads elsewhere than when it was planned"
					    : error_errno_text(why);

	cordon_fail_at(m->err, CORDON_E_PATH, place->file, place->line, place->column,
		       "cannot grant %.100s: it %s%s", said->path,
		       why == ENOENT || why == ENOTDIR || why == ELOOP ? "" : "cannot be opened: ",
		       reason);
	if (m->err != NULL)
		m->err->sys = why;
	return -CORDON_E_PATH;
}

/* The broker creates the path according to the plan: no rule is needed. */
static bool
is_brokered(const struct ruleset_build *m, const struct said *said)
{
	char above[PATH_MAX];

	/* its parents exist; the path itself is missing */
	strcpy(above, said->path);
	while (strcmp(above, "/") != 0) {
		char *slash = strrchr(above, '/');

		slash[slash == above] = '\0';
		if (m->options->trees != NULL && path_set_has(&m->options->trees->changes, above) &&
		    (said->reach.own & ~rules_decide(m, above)) == 0)
			return true;
	}
	return false;
}

/* Will the missing path be created in a directory that has the same rights? */
static bool
is_covered(const struct ruleset_build *m, const struct said *said)
{
	char above[PATH_MAX];
	struct reach reach;
	struct stat at;
	char *slash;

	strcpy(above, said->path);
	do {
		slash = strrchr(above, '/');
		slash[slash == above] = '\0';
	} while (lstat(above, &at) < 0 && strcmp(above, "/") != 0);
	reach = index_tree_rights(&m->plan->index, above);
	return (said->reach.own & ~(reach.own & reach.below)) == 0;
}

/*
 * For Landlock a name is created and removed in its directory. If a name has that right and its directory
 * has not, the broker needs the right on the directory, except where nothing may be changed.
 */
static int
allow_name(const struct ruleset_build *m, const struct said *said)
{
	unsigned rights = said->reach.own & (RIGHT_CREATE | RIGHT_DELETE);
	char above[PATH_MAX], *slash;
	struct reach reach;
	auto_fd int fd = -1;

	if (m->options->kind != RULESET_OUTER || rights == 0 || strcmp(said->path, "/") == 0)
		return 0;
	strcpy(above, said->path);
	slash = strrchr(above, '/');
	slash[slash == above] = '\0';
	if (!plan_changes_around(m->plan, above))
		return 0;
	fd = open_verified(above);
	reach = index_tree_rights(&m->plan->index, above);
	rules_note_wider(m, rules_for_broker(rights),
			 ruleset_access_for_rights(reach.own & reach.below));
	return fd < 0 ? rules_pass_over(m, above)
		      : rules_allow(m, fd, rules_for_broker(rights), true, above);
}

/*
 * Would a rule for this path add nothing? Only asked for profiles; paths of the user are always opened.
 * Ptys get more than the plan lists.
 */
static bool
is_covered_by(const struct ruleset_build *m, const struct said *said, const struct cover *cover)
{
	uint64_t most = rules_most_for(m, &said->reach) & ~said->withheld;

	/* opened and checked for the outer layer; nothing to add in this one */
	if (m->options->kind == RULESET_CHANGES && most == 0)
		return true;
	if (cover->path == NULL || said->named != NULL || said->child ||
	    exec_rules_has_inside(m->plan, said->path) || !path_below(said->path, cover->path) ||
	    path_below(said->path, "/dev"))
		return false;
	return (most & ~cover->access) == 0;
}

/*
 * Opens a directory next to the previous one on the same file system: it has no ptys and needs no further
 * checks. If anything differs it is opened the usual way.
 */
static int
hold_beside(struct granting *g, const struct said *said)
{
	size_t length = (size_t)(path_last(said->path) - said->path);
	bool same = g->beside != NULL && length == g->length &&
		    memcmp(g->beside, said->path, length) == 0;
	char folder[PATH_MAX];

	if (!same) {
		if (g->fd >= 0)
			close(g->fd);
		g->fd = -1;
		g->beside = said->path;
		g->length = length;
		g->count = 0;
	}
	if (++g->count < BESIDE_MIN)
		return -1;
	if (g->fd < 0 && length > 1) {
		memcpy(folder, said->path, length - 1);
		folder[length - 1] = '\0';
		g->fd = open_verified(folder);
	}
	return g->fd < 0 ? -1 : open_verified_dir(g->fd, said->path + length);
}

/*
 * Landlock would grant reading with all subdirectories, so nothing is granted where a profile means only
 * the files in a shared directory: the broker opens those outside the layers (opener.h).
 */
static uint64_t
access_for_shared(const struct ruleset_build *m, const struct reach *reach, const struct held *held)
{
	if (reach->deep & RIGHT_READ)
		return rules_access_for(m, reach, held) & FILE_BY_NAME;
	return m->options->kind == RULESET_OUTER
		       ? rules_for_broker(reach->below) & FILE_BY_NAME & ~(uint64_t)FILE_READ
		       : 0;
}

static int
allow_held(struct granting *g, const struct said *said, const struct held *held)
{
	const struct ruleset_build *m = g->m;
	bool guard = m->root && said->named == NULL && rules_is_parted(said->path);
	uint64_t access;
	int rc;

	if (held->is_folder && guard)
		return rules_allow_parts(m, held->fd, said->path);
	access = said->named == NULL && shared_is_folder(said->path)
			 ? access_for_shared(m, &said->reach, held)
			 : rules_access_for(m, &said->reach, held);
	rc = rules_add(m, held->fd, access & ~said->withheld, held->is_folder, said->path);
	if (rc == 0)
		rc = allow_name(m, said);
	if (rc < 0 || !held->is_folder)
		return rc;
	g->cover = (struct cover){said->path, access & ~said->withheld};
	if (said->child && !shared_is_folder(said->path))
		rc = rules_allow_entries(m, held->fd, said->path, false);
	if (rc == 0 && (access & said->withheld & m->handled.files & FILE_EXECUTE))
		rc = rules_exec_list(m, held->fd, said->path);
	return rc;
}

static const struct held *
find_kept(const struct kept_files *kept, const char *path)
{
	for (size_t i = 0; kept != NULL && i < kept->count; i++)
		if (kept->items[i].path == path)
			return &kept->items[i].held;
	return NULL;
}

/* Stores the file for the next layer and takes *fd, if there is room. Directories are not stored. */
static void
keep(struct kept_files *kept, const char *path, const struct held *held, int *fd)
{
	if (kept == NULL || held->is_folder || kept->count == KEPT_MAX)
		return;
	kept->items[kept->count].path = path;
	kept->items[kept->count++].held = *held;
	*fd = -1;
}

void
rules_close_shared(struct kept_files *kept)
{
	while (kept->count > 0)
		close(kept->items[--kept->count].held.fd);
}

static int
allow_path(struct granting *g, const struct said *said)
{
	const struct held *known = find_kept(g->m->options->kept, said->path);
	auto_fd int fd = said->is_folder ? hold_beside(g, said) : -1;
	struct held held = {.fd = fd, .is_folder = true};
	int why, rc;

	if (fd >= 0 || known != NULL)
		return allow_held(g, said, known != NULL ? known : &held);
	fd = held.fd = open_verified(said->path);
	why = errno;
	if (fd >= 0) {
		if (rules_look(&held) < 0)
			return rules_not_held(g->m, said->path);
		rc = allow_held(g, said, &held);
		keep(g->m->options->kept, said->path, &held, &fd);
		return rc;
	}
	if (said->named == NULL)
		return rules_pass_over(g->m, said->path);
	return why == ENOENT && (is_brokered(g->m, said) || is_covered(g->m, said))
		       ? 0
		       : refuse(g->m, said, why);
}

/* Collects the rules for the path of rule first; returns their number. */
static size_t
gather(const struct index *index, size_t first, struct said *to)
{
	size_t i = first;

	*to = (struct said){.path = index->paths[first].path};
	for (; index_has(index, i, first); i++) {
		const struct planned_rule *rule = &index->paths[i];

		if (rule->effect != EFFECT_ALLOW || rule->rights == 0 || rule->is_left_out)
			continue;
		to->allowed = true;
		to->exists = to->exists || rule->exists;
		to->is_folder = to->is_folder || rule->is_folder;
		to->child = to->child || rule->match == MATCH_CHILD;
		if (!rule->rule->optional)
			to->named = rule->rule;
	}
	return i - first;
}

/* Also granted where a wider rule or the default allows them, because those carry no ioctls. */
static const char *const terminals[] = {"/dev/tty", "/dev/ptmx", "/dev/pts"};
#define TERMINAL_COUNT (sizeof terminals / sizeof terminals[0])

/* Ptys of the session are granted one by one, at the start or by the broker. */
static uint64_t
withhold_terminals(const struct ruleset_build *m, const char *path)
{
	if (!path_below(path, TERMINALS))
		return 0;
	return ruleset_access_for_rights(plan_own_terminals(m->plan, path)) &
	       ~(uint64_t)FILE_READ_DIR;
}

static int
allow_said(struct granting *g, struct said *said)
{
	said->reach = index_tree_rights_cached(&g->m->plan->index, said->path, &g->memo);
	said->withheld = rules_withheld(g->m, said->path) | withhold_terminals(g->m, said->path);
	if (is_covered_by(g->m, said, &g->cover))
		return 0;
	for (size_t i = 0; path_below(said->path, "/dev") && i < TERMINAL_COUNT; i++)
		g->terminals |= (unsigned)(strcmp(said->path, terminals[i]) == 0) << i;
	return allow_path(g, said);
}

int
rules_add_range(const struct ruleset_build *m, size_t first, size_t last, unsigned *seen)
{
	const struct index *index = &m->plan->index;
	struct granting g = {.m = m, .fd = -1};
	struct said said = {.path = "/"};
	int rc = first == 0 && index->default_rights != 0 ? allow_said(&g, &said) : 0;

	while (rc == 0 && first < last) {
		first += gather(index, first, &said);
		if (said.allowed && (said.named != NULL || said.exists))
			rc = allow_said(&g, &said);
	}
	if (g.fd >= 0)
		close(g.fd);
	*seen |= g.terminals;
	return rc;
}

int
rules_terminals(const struct ruleset_build *m, unsigned seen)
{
	struct granting g = {.m = m, .fd = -1};
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < TERMINAL_COUNT; i++) {
		struct said said = {.path = terminals[i]};

		if (!(seen & 1u << i))
			rc = allow_said(&g, &said);
	}
	return rc;
}
