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
is_brokered(const struct making *m, const char *path)
{
	unsigned rights = rules_decide(m, path);

	for (size_t i = 0; i < m->options->tree_count; i++) {
		const struct guarded *tree = &m->options->trees[i];

		/* itself it cannot make: it is missing */
		if (tree->changes && path_below(path, tree->path) &&
		    strcmp(path, tree->path) != 0 && (rights & ~rules_decide(m, tree->path)) == 0)
			return true;
	}
	return false;
}

/* Is what is missing going to be made in a folder that has the same rights? */
static bool
is_covered(const struct making *m, const char *path)
{
	unsigned rights = rules_decide(m, path);
	char above[PATH_MAX];
	struct stat at;
	char *slash;

	if (snprintf(above, sizeof above, "%s", path) >= (int)sizeof above)
		return false;
	do {
		slash = strrchr(above, '/');
		slash[slash == above] = '\0';
	} while (lstat(above, &at) < 0 && strcmp(above, "/") != 0);
	return (rights & ~(rules_decide(m, above) & rules_decide_below(m, above, 1))) == 0;
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
allow_name(const struct making *m, const char *path)
{
	unsigned rights = rules_decide(m, path) & (RIGHT_CREATE | RIGHT_DELETE);
	char above[PATH_MAX], *slash;
	auto_fd int fd = -1;

	if (m->options->kind != RULESET_OUTER || rights == 0 || strcmp(path, "/") == 0 ||
	    snprintf(above, sizeof above, "%s", path) >= (int)sizeof above)
		return 0;
	slash = strrchr(above, '/');
	slash[slash == above] = '\0';
	if (!is_changed_around(m, above))
		return 0;
	fd = path_pin(above);
	rules_note_wider(m, rules_for_broker(rights),
			 access_for_rights(rules_decide(m, above) &
					   rules_decide_below(m, above, 1)));
	return fd < 0 ? rules_pass_over(m, above)
		      : rules_allow(m, fd, rules_for_broker(rights), true, above);
}

/* The folder that was granted last, and what reaches everything in it. */
struct cover {
	const char *path; /* NULL: none */
	uint64_t access;
};

/*
 * Would a rule of its own add anything? Only of profiles: the user's word is looked at. Terminals
 * get more than the plan speaks of.
 */
static bool
is_covered_by(const struct making *m, const struct said *said, const struct cover *cover)
{
	/* what the outer one opened and checked says nothing here */
	if (m->options->kind == RULESET_CHANGES && rules_most_at(m, said->path) == 0)
		return true;
	if (cover->path == NULL || said->named != NULL || said->child ||
	    running_has_inside(m->plan, said->path) || !path_below(said->path, cover->path) ||
	    path_below(said->path, "/dev"))
		return false;
	return (rules_most_at(m, said->path) & ~cover->access) == 0;
}

static int
allow_path(const struct making *m, const struct said *said, struct cover *cover)
{
	auto_fd int fd = path_pin(said->path);
	bool folder, guard = m->root && said->named == NULL && rules_is_parted(said->path);
	struct stat at;
	uint64_t access;
	int rc;

	if (fd < 0) {
		int why = errno;

		if (said->named == NULL)
			return rules_pass_over(m, said->path);
		return why == ENOENT && (is_brokered(m, said->path) || is_covered(m, said->path))
			       ? 0
			       : refuse(m, said, why);
	}
	if (fstat(fd, &at) < 0)
		return rules_not_held(m, said->path);
	folder = S_ISDIR(at.st_mode);
	if (folder && guard)
		return rules_allow_parts(m, fd, said->path);
	access = rules_access_at(m, said->path, fd, &at);
	if (said->named == NULL && rules_is_shared(said->path))
		access &= FILE_BY_NAME;
	/* those of the session come one by one, at the start or by the broker */
	if (path_below(said->path, TERMINALS))
		access &= ~access_for_rights(plan_own_terminals(m->plan, said->path)) |
			  FILE_READ_DIR;
	rc = rules_allow(m, fd, access, folder, said->path);
	if (rc == 0)
		rc = allow_name(m, said->path);
	if (folder)
		*cover = (struct cover){said->path, access & ~rules_withheld(m, said->path)};
	if (rc == 0 && folder && said->child)
		rc = rules_allow_entries(m, fd, said->path, false);
	if (rc == 0 && folder &&
	    (access & rules_withheld(m, said->path) & m->handled.files & FILE_EXECUTE))
		rc = rules_list_running(m, fd, said->path);
	return rc;
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
		to->child = to->child || rule->match == MATCH_CHILD;
		if (!rule->rule->optional)
			to->named = rule->rule;
	}
	return i - first;
}

static int
allow_paths(const struct making *m)
{
	/* also where a wider rule or the default brings them, which carries no ioctls */
	static const struct said terminals[] = {{.path = "/dev/tty"},
						{.path = "/dev/ptmx"},
						{.path = "/dev/pts"}};
	const struct index *index = &m->plan->index;
	struct said said = {.path = "/"};
	struct cover cover = {0};
	unsigned granted = 0;
	int rc = index->default_rights == 0 ? 0 : allow_path(m, &said, &cover);

	for (size_t i = 0; rc == 0 && i < index->path_count;) {
		i += gather(index, i, &said);
		if (!said.allowed || (said.named == NULL && !said.exists) ||
		    is_covered_by(m, &said, &cover))
			continue;
		rc = allow_path(m, &said, &cover);
		for (size_t k = 0; k < sizeof terminals / sizeof terminals[0]; k++)
			granted |= (unsigned)(strcmp(said.path, terminals[k].path) == 0) << k;
	}
	for (size_t i = 0; rc == 0 && i < sizeof terminals / sizeof terminals[0]; i++)
		if (!(granted & 1u << i))
			rc = allow_path(m, &terminals[i], &cover);
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
	unsigned rights = rules_decide(m, "/proc") & rules_decide_below(m, "/proc", 1);

	rules_note_wider(m, FILE_READ | FILE_READ_DIR, access_for_rights(rights));
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
