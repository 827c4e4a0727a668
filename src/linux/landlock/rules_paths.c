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
struct path_rules {
	const char *path;
	const struct rule *named; /* a required allow: written by the user */
	bool allowed, child, exists;
	bool is_folder; /* was a directory when the plan was made */
	struct tree_rights tree_rights;
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
	struct tree_rights_cache memo;
};

static int
refuse(const struct ruleset_build *m, const struct path_rules *rules, int why)
{
	const struct srcpos *srcpos = &rules->named->srcpos;
	const char *written = rules->named->path;
	const char *missing =
		!(rules->named->rights & RIGHT_CREATE)
			? "does not exist; create it or drop the rule"
		: written[strlen(written) - 1] == '/'
			? "does not exist, and is not created outside of your own folders; "
			  "create it or drop the rule"
			: "does not exist; create it, end it with a / or drop the rule";
	const char *reason = why == ENOENT || why == ENOTDIR ? missing
			     : why == ELOOP ? "does not lead where it led when it was planned"
					    : error_errno_text(why);

	cordon_fail_at(m->err, CORDON_E_PATH, srcpos->file, srcpos->line, srcpos->column,
		       "cannot grant %.100s: it %s%s", rules->path,
		       why == ENOENT || why == ENOTDIR || why == ELOOP ? "" : "cannot be opened: ",
		       reason);
	if (m->err != NULL)
		m->err->sys = why;
	return -CORDON_E_PATH;
}

/* The broker creates the path according to the plan: no rule is needed. */
static bool
is_brokered(const struct ruleset_build *m, const struct path_rules *rules)
{
	char above[PATH_MAX];

	/* its parents exist; the path itself is missing */
	strcpy(above, rules->path);
	while (strcmp(above, "/") != 0) {
		char *slash = strrchr(above, '/');

		slash[slash == above] = '\0';
		if (m->options->trees != NULL && path_set_has(&m->options->trees->changes, above) &&
		    (rules->tree_rights.self & ~rules_decide(m, above)) == 0)
			return true;
	}
	return false;
}

/* Will the missing path be created in a directory that has the same rights? */
static bool
is_covered(const struct ruleset_build *m, const struct path_rules *rules)
{
	char above[PATH_MAX];
	struct tree_rights tree_rights;
	struct stat at;
	char *slash;

	strcpy(above, rules->path);
	do {
		slash = strrchr(above, '/');
		slash[slash == above] = '\0';
	} while (lstat(above, &at) < 0 && strcmp(above, "/") != 0);
	tree_rights = index_tree_rights(&m->plan->index, above);
	return (rules->tree_rights.self & ~(tree_rights.self & tree_rights.child)) == 0;
}

/*
 * For Landlock a name is created and removed in its directory. If a name has that right and its directory
 * has not, the broker needs the right on the directory, except where nothing may be changed.
 */
static int
allow_name(const struct ruleset_build *m, const struct path_rules *rules)
{
	unsigned rights = rules->tree_rights.self & (RIGHT_CREATE | RIGHT_DELETE);
	char above[PATH_MAX], *slash;
	struct tree_rights tree_rights;
	auto_fd int fd = -1;

	if (m->options->kind != RULESET_OUTER || rights == 0 || strcmp(rules->path, "/") == 0)
		return 0;
	strcpy(above, rules->path);
	slash = strrchr(above, '/');
	slash[slash == above] = '\0';
	if (!plan_changes_around(m->plan, above))
		return 0;
	fd = open_verified(above);
	tree_rights = index_tree_rights(&m->plan->index, above);
	rules_note_wider(m, rules_for_broker(rights),
			 ruleset_access_for_rights(tree_rights.self & tree_rights.child));
	return fd < 0 ? rules_pass_over(m, above)
		      : rules_allow(m, fd, rules_for_broker(rights), true, above);
}

/*
 * Would a rule for this path add nothing? Only asked for profiles; paths of the user are always opened.
 * Ptys get more than the plan lists.
 */
static bool
is_covered_by(const struct ruleset_build *m, const struct path_rules *rules,
	      const struct cover *cover)
{
	uint64_t most = rules_most_for(m, &rules->tree_rights) & ~rules->withheld;

	/* opened and checked for the outer layer; nothing to add in this one */
	if (m->options->kind == RULESET_CHANGES && most == 0)
		return true;
	if (cover->path == NULL || rules->named != NULL || rules->child ||
	    exec_rules_has_inside(m->plan, rules->path) || !path_below(rules->path, cover->path) ||
	    path_below(rules->path, "/dev"))
		return false;
	return (most & ~cover->access) == 0;
}

/*
 * Opens a directory next to the previous one on the same file system: it has no ptys and needs no further
 * checks. If anything differs it is opened the usual way.
 */
static int
open_beside(struct granting *g, const struct path_rules *rules)
{
	size_t length = (size_t)(path_last(rules->path) - rules->path);
	bool same = g->beside != NULL && length == g->length &&
		    memcmp(g->beside, rules->path, length) == 0;
	char folder[PATH_MAX];

	if (!same) {
		if (g->fd >= 0)
			close(g->fd);
		g->fd = -1;
		g->beside = rules->path;
		g->length = length;
		g->count = 0;
	}
	if (++g->count < BESIDE_MIN)
		return -1;
	if (g->fd < 0 && length > 1) {
		memcpy(folder, rules->path, length - 1);
		folder[length - 1] = '\0';
		g->fd = open_verified(folder);
	}
	return g->fd < 0 ? -1 : open_verified_dir(g->fd, rules->path + length);
}

/*
 * Landlock would grant reading with all subdirectories, so nothing is granted where a profile means only
 * the files in a shared directory: the broker opens those outside the layers (opener.h).
 */
static uint64_t
access_for_shared(const struct ruleset_build *m, const struct tree_rights *tree_rights,
		  const struct opened_path *opened)
{
	if (tree_rights->descendant & RIGHT_READ)
		return rules_access_for(m, tree_rights, opened) & FILE_BY_NAME;
	return m->options->kind == RULESET_OUTER
		       ? rules_for_broker(tree_rights->child) & FILE_BY_NAME & ~(uint64_t)FILE_READ
		       : 0;
}

static int
allow_opened(struct granting *g, const struct path_rules *rules, const struct opened_path *opened)
{
	const struct ruleset_build *m = g->m;
	bool guard = m->root && rules->named == NULL && rules_is_parted(rules->path);
	uint64_t access;
	int rc;

	if (opened->is_folder && guard)
		return rules_allow_parts(m, opened->fd, rules->path);
	access = rules->named == NULL && shared_dirs_is_one(rules->path)
			 ? access_for_shared(m, &rules->tree_rights, opened)
			 : rules_access_for(m, &rules->tree_rights, opened);
	rc = rules_add(m, opened->fd, access & ~rules->withheld, opened->is_folder, rules->path);
	if (rc == 0)
		rc = allow_name(m, rules);
	if (rc < 0 || !opened->is_folder)
		return rc;
	g->cover = (struct cover){rules->path, access & ~rules->withheld};
	if (rules->child && !shared_dirs_is_one(rules->path))
		rc = rules_allow_entries(m, opened->fd, rules->path, false);
	if (rc == 0 && (access & rules->withheld & m->handled.files & FILE_EXECUTE))
		rc = rules_exec_list(m, opened->fd, rules->path);
	return rc;
}

static const struct opened_path *
find_shared(const struct shared_files *shared, const char *path)
{
	for (size_t i = 0; shared != NULL && i < shared->count; i++)
		if (shared->items[i].path == path)
			return &shared->items[i].opened;
	return NULL;
}

/* Stores the file for the next layer and takes *fd, if there is room. Directories are not stored. */
static void
share_file(struct shared_files *shared, const char *path, const struct opened_path *opened, int *fd)
{
	if (shared == NULL || opened->is_folder || shared->count == SHARED_FILES_MAX)
		return;
	shared->items[shared->count].path = path;
	shared->items[shared->count++].opened = *opened;
	*fd = -1;
}

void
rules_close_shared(struct shared_files *shared)
{
	while (shared->count > 0)
		close(shared->items[--shared->count].opened.fd);
}

static int
allow_path(struct granting *g, const struct path_rules *rules)
{
	const struct opened_path *known = find_shared(g->m->options->shared, rules->path);
	auto_fd int fd = rules->is_folder ? open_beside(g, rules) : -1;
	struct opened_path opened = {.fd = fd, .is_folder = true};
	int why, rc;

	if (fd >= 0 || known != NULL)
		return allow_opened(g, rules, known != NULL ? known : &opened);
	fd = opened.fd = open_verified(rules->path);
	why = errno;
	if (fd >= 0) {
		if (rules_look(&opened) < 0)
			return rules_fail_open(g->m, rules->path);
		rc = allow_opened(g, rules, &opened);
		share_file(g->m->options->shared, rules->path, &opened, &fd);
		return rc;
	}
	if (rules->named == NULL)
		return rules_pass_over(g->m, rules->path);
	return why == ENOENT && (is_brokered(g->m, rules) || is_covered(g->m, rules))
		       ? 0
		       : refuse(g->m, rules, why);
}

/* Collects the rules for the path of rule first; returns their number. */
static size_t
gather(const struct index *index, size_t first, struct path_rules *to)
{
	size_t i = first;

	*to = (struct path_rules){.path = index->paths[first].path};
	for (; index_has(index, i, first); i++) {
		const struct planned_rule *rule = &index->paths[i];

		if (rule->effect != EFFECT_ALLOW || rule->rights == 0 || rule->is_absent)
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
allow_rules(struct granting *g, struct path_rules *rules)
{
	rules->tree_rights = index_tree_rights_cached(&g->m->plan->index, rules->path, &g->memo);
	rules->withheld = rules_withheld(g->m, rules->path) | withhold_terminals(g->m, rules->path);
	if (is_covered_by(g->m, rules, &g->cover))
		return 0;
	for (size_t i = 0; path_below(rules->path, "/dev") && i < TERMINAL_COUNT; i++)
		g->terminals |= (unsigned)(strcmp(rules->path, terminals[i]) == 0) << i;
	return allow_path(g, rules);
}

int
rules_add_range(const struct ruleset_build *m, size_t first, size_t last, unsigned *seen)
{
	const struct index *index = &m->plan->index;
	struct granting g = {.m = m, .fd = -1};
	struct path_rules rules = {.path = "/"};
	int rc = first == 0 && index->default_rights != 0 ? allow_rules(&g, &rules) : 0;

	while (rc == 0 && first < last) {
		first += gather(index, first, &rules);
		if (rules.allowed && (rules.named != NULL || rules.exists))
			rc = allow_rules(&g, &rules);
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
		struct path_rules rules = {.path = terminals[i]};

		if (!(seen & 1u << i))
			rc = allow_rules(&g, &rules);
	}
	return rc;
}
