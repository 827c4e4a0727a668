// SPDX-License-Identifier: MIT
/*
 * Landlock's rules. Each planned grant is opened once, held against its canonical name, and gets
 * what the index decides for that very path (rules_access), or is granted piece by piece
 * (rules_parts).
 */
#include "base/compat.h"

#include "linux/rules.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/path.h"
#include "plan/running.h"
#include "plan/terminals.h"

/* All that was said about one path. */
struct said {
	const char *path;
	const struct rule *named; /* an allow that is not optional: the user's own word */
	bool allowed, child, exists;
	bool is_folder; /* it was one when the plan was made */
	struct reach reach;
	uint64_t withheld;
};

/* What reaches everything in the folder that was granted last. */
struct cover {
	const char *path; /* NULL: none */
	uint64_t access;
};

struct granting {
	const struct making *m;
	struct cover cover;
	/* the folder of the path before: rules of one folder stand together; fd -1: not held */
	const char *beside;
	size_t length;
	int fd;
};

static int
refuse(const struct making *m, const struct said *said, int why)
{
	const struct place *place = &said->named->place;
	const char *missing = said->named->rights & RIGHT_CREATE
				      ? "does not exist; make it, end it with a / or drop the rule"
				      : "does not exist; make it or drop the rule";
	const char *reason = why == ENOENT || why == ENOTDIR ? missing
			     : why == ELOOP ? "leads elsewhere than when it was planned"
					    : strerror(why);

	cordon_fail_at(m->err, CORDON_E_PATH, place->file, place->line, place->column,
		       "cannot grant %.100s: it %s%s", said->path,
		       why == ENOENT || why == ENOTDIR || why == ELOOP ? "" : "cannot be opened: ",
		       reason);
	if (m->err != NULL)
		m->err->sys = why;
	return -CORDON_E_PATH;
}

/* The broker makes it, by the plan, where it will be: no rule is needed for that. */
static bool
is_brokered(const struct making *m, const struct said *said)
{
	char above[PATH_MAX];

	/* itself it cannot make: it is missing */
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

/* Is what is missing going to be made in a folder that has the same rights? */
static bool
is_covered(const struct making *m, const struct said *said)
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
	reach = index_reach(&m->plan->index, above);
	return (said->reach.own & ~(reach.own & reach.below)) == 0;
}

static bool
is_changed_at(const struct index *index, const char *path)
{
	size_t first = 0, last = index->path_count;

	/* they are sorted by path */
	while (first < last) {
		size_t middle = (first + last) / 2;

		if (strcmp(index->paths[middle].path, path) < 0)
			first = middle + 1;
		else
			last = middle;
	}
	for (; first < index->path_count && strcmp(index->paths[first].path, path) == 0; first++)
		if (index->paths[first].effect == EFFECT_ALLOW &&
		    (index->paths[first].rights & RIGHTS_CHANGE))
			return true;
	return false;
}

/* Does a rule let something be changed at path or above it? */
static bool
is_changed_around(const struct making *m, const char *path)
{
	char above[PATH_MAX];
	char *slash;

	strcpy(above, path);
	while (!is_changed_at(&m->plan->index, above)) {
		slash = strrchr(above, '/');
		if (slash == above)
			return (m->plan->index.default_rights & RIGHTS_CHANGE) != 0;
		*slash = '\0';
	}
	return true;
}

/*
 * To Landlock a name is made and removed in its folder. Where a name has that right and its folder
 * has not, the broker must have it there; but never in folders in which nothing is to be changed.
 */
static int
allow_name(const struct making *m, const struct said *said)
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
	if (!is_changed_around(m, above))
		return 0;
	fd = path_pin(above);
	reach = index_reach(&m->plan->index, above);
	rules_note_wider(m, rules_for_broker(rights), access_for_rights(reach.own & reach.below));
	return fd < 0 ? rules_pass_over(m, above)
		      : rules_allow(m, fd, rules_for_broker(rights), true, above);
}

/*
 * Would a rule of its own add anything? Only of profiles: the user's word is looked at. Terminals
 * get more than the plan speaks of.
 */
static bool
is_covered_by(const struct making *m, const struct said *said, const struct cover *cover)
{
	uint64_t most = rules_most_for(m, &said->reach) & ~said->withheld;

	/* what the outer one opened and checked says nothing here */
	if (m->options->kind == RULESET_CHANGES && most == 0)
		return true;
	if (cover->path == NULL || said->named != NULL || said->child ||
	    running_has_inside(m->plan, said->path) || !path_below(said->path, cover->path) ||
	    path_below(said->path, "/dev"))
		return false;
	return (most & ~cover->access) == 0;
}

/*
 * A folder beside the one before, on the same file system: no terminals are there, and nothing has
 * to be asked about it. Whatever is not as expected is looked at like any other.
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
		return -1;
	}
	if (g->fd < 0 && length > 1) {
		memcpy(folder, said->path, length - 1);
		folder[length - 1] = '\0';
		g->fd = path_pin(folder);
	}
	return g->fd < 0 ? -1 : path_pin_folder(g->fd, said->path + length);
}

static int
allow_held(struct granting *g, const struct said *said, const struct held *held)
{
	const struct making *m = g->m;
	bool guard = m->root && said->named == NULL && rules_is_parted(said->path);
	uint64_t access;
	int rc;

	if (held->is_folder && guard)
		return rules_allow_parts(m, held->fd, said->path);
	access = rules_access_for(m, &said->reach, held);
	if (said->named == NULL && rules_is_shared(said->path))
		access &= FILE_BY_NAME;
	/* those of the session come one by one, at the start or by the broker */
	if (path_below(said->path, TERMINALS))
		access &= ~access_for_rights(plan_own_terminals(m->plan, said->path)) |
			  FILE_READ_DIR;
	rc = rules_add(m, held->fd, access & ~said->withheld, held->is_folder, said->path);
	if (rc == 0)
		rc = allow_name(m, said);
	if (rc < 0 || !held->is_folder)
		return rc;
	g->cover = (struct cover){said->path, access & ~said->withheld};
	if (said->child)
		rc = rules_allow_entries(m, held->fd, said->path, false);
	if (rc == 0 && (access & said->withheld & m->handled.files & FILE_EXECUTE))
		rc = rules_list_running(m, held->fd, said->path);
	return rc;
}

static int
allow_path(struct granting *g, const struct said *said)
{
	auto_fd int fd = said->is_folder ? hold_beside(g, said) : -1;
	struct held held = {.fd = fd, .is_folder = true};
	int why;

	if (fd >= 0)
		return allow_held(g, said, &held);
	fd = held.fd = path_pin(said->path);
	why = errno;
	if (fd >= 0)
		return rules_look(&held) < 0 ? rules_not_held(g->m, said->path)
					     : allow_held(g, said, &held);
	if (said->named == NULL)
		return rules_pass_over(g->m, said->path);
	return why == ENOENT && (is_brokered(g->m, said) || is_covered(g->m, said))
		       ? 0
		       : refuse(g->m, said, why);
}

static void
weigh(const struct making *m, struct said *said)
{
	said->reach = index_reach(&m->plan->index, said->path);
	said->withheld = rules_withheld(m, said->path);
}

/* Gathers the rules from first on that have one path; returns how many. */
static size_t
gather(const struct index *index, size_t first, struct said *to)
{
	size_t i = first;

	*to = (struct said){.path = index->paths[first].path};
	for (; i < index->path_count && strcmp(index->paths[i].path, to->path) == 0; i++) {
		const struct planned_rule *rule = &index->paths[i];

		if (rule->effect != EFFECT_ALLOW || rule->rights == 0)
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

/* Also where a wider rule or the default brings them, which carries no ioctls. */
static const char *const terminals[] = {"/dev/tty", "/dev/ptmx", "/dev/pts"};
#define TERMINAL_COUNT (sizeof terminals / sizeof terminals[0])

static int
allow_all(struct granting *g)
{
	const struct index *index = &g->m->plan->index;
	struct said said = {.path = "/"};
	unsigned granted = 0;
	int rc = 0;

	weigh(g->m, &said);
	if (index->default_rights != 0)
		rc = allow_path(g, &said);
	for (size_t i = 0; rc == 0 && i < index->path_count;) {
		i += gather(index, i, &said);
		if (!said.allowed || (said.named == NULL && !said.exists))
			continue;
		weigh(g->m, &said);
		if (is_covered_by(g->m, &said, &g->cover))
			continue;
		rc = allow_path(g, &said);
		for (size_t k = 0; k < TERMINAL_COUNT; k++)
			granted |= (unsigned)(strcmp(said.path, terminals[k]) == 0) << k;
	}
	for (size_t k = 0; rc == 0 && k < TERMINAL_COUNT; k++) {
		said = (struct said){.path = terminals[k]};
		weigh(g->m, &said);
		if (!(granted & 1u << k))
			rc = allow_path(g, &said);
	}
	return rc;
}

static int
allow_paths(const struct making *m)
{
	struct granting g = {.m = m, .fd = -1};
	int rc = allow_all(&g);

	if (g.fd >= 0)
		close(g.fd);
	return rc;
}

/* Where a pattern allows something, the broker must be able to reach. */
static int
allow_patterns(const struct making *m)
{
	const struct index *index = &m->plan->index;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < index->pattern_count; i++) {
		const struct planned_rule *rule = &index->patterns[i];
		auto_fd int fd = -1;

		if (rule->effect != EFFECT_ALLOW)
			continue;
		fd = path_pin(rule->root);
		rules_note_wider(m, rules_for_broker(rule->rights), 0);
		if (fd >= 0)
			rc = rules_allow(m, fd, rules_for_broker(rule->rights), true, rule->root);
	}
	return rc;
}

/* ---- sockets, the private tmp ---- */

/* A word that names a path is the user's own; a preset stands for what may not be there. */
static int
allow_socket(const struct making *m, const struct socket_grant *grant)
{
	const struct place *place = &grant->word->place;
	auto_fd int fd = path_pin(grant->path);
	struct stat at;

	/* a right to a folder would reach every socket below it: only what is named is granted */
	if (fd >= 0 && fstat(fd, &at) == 0 && S_ISDIR(at.st_mode)) {
		close(fd);
		fd = -1;
		errno = EISDIR;
	}
	if (fd < 0 && strchr("/~$", *grant->word->text) != NULL) {
		cordon_fail_at(m->err, CORDON_E_PATH, place->file, place->line, place->column,
			       "cannot grant the socket %.100s: %s", grant->path, strerror(errno));
		return -CORDON_E_PATH;
	}
	/* connecting to sockets of one's own needs no right */
	return fd < 0 ? rules_pass_over(m, grant->path)
		      : rules_allow(m, fd, FILE_RESOLVE_UNIX, false, grant->path);
}

int
rules_tmp(const struct making *m, const char *path)
{
	auto_fd int fd = path_pin(path);

	if (fd < 0)
		return cordon_fail(m->err, CORDON_E_PATH, errno,
				   "cannot grant the private tmp %.120s", path);
	/* sockets that are made there need no right; one that was moved there shall have none */
	return rules_allow(m, fd, access_for_rights(RIGHTS_ALL), true, path);
}

static int
allow_project_sockets(const struct making *m)
{
	unsigned both = RIGHT_READ | RIGHT_WRITE;
	const char *project = m->plan->host == NULL ? NULL : m->plan->host->project;
	auto_fd int fd = -1;

	if (!(m->handled.files & FILE_RESOLVE_UNIX) || project == NULL ||
	    (rules_decide(m, project) & both) != both || !plan_has_project_sockets(m->plan))
		return 0;
	fd = path_pin(project);
	return fd < 0 ? rules_pass_over(m, project)
		      : rules_allow(m, fd, FILE_RESOLVE_UNIX, true, project);
}

int
rules_moves(const struct making *m)
{
	auto_fd int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);

	return root < 0 ? rules_not_held(m, "/") : rules_allow(m, root, FILE_REFER, true, "/");
}

/* Whatever the plan says: a caller's umask, process and terminal are told by procfs alone. */
static int
allow_broker(const struct making *m)
{
	auto_fd int fd = path_pin("/proc");
	struct reach reach = index_reach(&m->plan->index, "/proc");

	rules_note_wider(m, FILE_READ | FILE_READ_DIR, access_for_rights(reach.own & reach.below));
	return fd < 0 ? rules_pass_over(m, "/proc")
		      : rules_allow(m, fd, FILE_READ | FILE_READ_DIR, true, "/proc");
}

int
rules_all(const struct making *m)
{
	int rc = allow_paths(m);

	if (rc == 0 && m->options->kind == RULESET_OUTER)
		rc = allow_patterns(m);
	if (rc == 0 && m->options->kind == RULESET_OUTER)
		rc = allow_broker(m);
	for (size_t i = 0; rc == 0 && i < m->plan->socket_count; i++)
		rc = allow_socket(m, &m->plan->sockets[i]);
	if (rc == 0)
		rc = allow_project_sockets(m);
	if (rc == 0 && m->options->private_tmp != NULL)
		rc = rules_tmp(m, m->options->private_tmp);
	return rc;
}
