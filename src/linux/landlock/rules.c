// SPDX-License-Identifier: MIT
/*
 * Adds all Landlock rules of a plan: paths (rules_paths.c), patterns, sockets, the private tmp, and what
 * the broker needs.
 */
#include "base/os.h"

#include "linux/landlock/rules.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/worker.h"

/* A second thread does not pay for fewer rules. */
#define REAR_MIN 1000

/* The second half of many rules, added by another thread: most of the time is spent in the kernel. */
struct rear {
	struct worker worker;
	struct ruleset_build m;
	struct ruleset_options options;
	struct cordon_error err;
	bool wider;
	size_t first, last;
	unsigned seen; /* ptys seen */
	int rc;
};

static void
allow_rear(void *arg)
{
	struct rear *rear = arg;

	rear->rc = rules_add_range(&rear->m, rear->first, rear->last, &rear->seen);
}

/* Report the error of the first half before that of the second, as if there were one thread. */
static int
join_rear(const struct ruleset_build *m, struct rear *rear, int rc, unsigned *seen)
{
	worker_end(&rear->worker);
	*seen |= rear->seen;
	if (rear->wider)
		*m->options->wider = true;
	if (rc == 0 && rear->rc < 0 && m->err != NULL)
		*m->err = rear->err;
	return rc < 0 ? rc : rear->rc;
}

static bool
start_rear(const struct ruleset_build *m, struct rear *rear)
{
	const struct index *index = &m->plan->index;
	const char *middle;

	if (index->path_count < REAR_MIN)
		return false;
	*rear = (struct rear){.m = *m, .options = *m->options, .last = index->path_count};
	rear->m.options = &rear->options;
	rear->m.err = &rear->err;
	rear->options.wider = m->options->wider == NULL ? NULL : &rear->wider;
	rear->options.shared = NULL;
	/* the rules of one path stay in one half */
	middle = index->paths[index->path_count / 2].path;
	rear->first = index_first(index, middle, strlen(middle));
	return worker_start(&rear->worker, allow_rear, rear);
}

static int
allow_paths(const struct ruleset_build *m)
{
	struct rear rear;
	unsigned seen = 0;
	bool apart = start_rear(m, &rear);
	int rc = rules_add_range(m, 0, apart ? rear.first : m->plan->index.path_count, &seen);

	if (apart)
		rc = join_rear(m, &rear, rc, &seen);
	return rc < 0 ? rc : rules_terminals(m, seen);
}

/* Where a pattern allows something, the outer layer must allow it to the broker. */
static int
allow_patterns(const struct ruleset_build *m)
{
	const struct index *index = &m->plan->index;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < index->pattern_count; i++) {
		const struct planned_rule *rule = &index->patterns[i];
		auto_fd int fd = -1;
		struct stat at;

		if (rule->effect != EFFECT_ALLOW)
			continue;
		fd = open_verified(rule->root);
		rules_note_wider(m, rules_for_broker(rule->rights), 0);
		/* the root of a pattern without wildcards may be a file */
		if (fd >= 0 && fstat(fd, &at) == 0)
			rc = rules_allow(m, fd, rules_for_broker(rule->rights), S_ISDIR(at.st_mode),
					 rule->root);
	}
	return rc;
}

/* ---- sockets, private tmp ---- */

/* A missing path is an error if the user named it; a preset may list paths that do not exist. */
static int
allow_socket(const struct ruleset_build *m, const struct socket_grant *grant)
{
	const struct srcpos *srcpos = &grant->word->srcpos;
	auto_fd int fd = open_verified(grant->path);
	struct stat at;

	/* a rule on a directory would reach every socket below it: grant only the named socket */
	if (fd >= 0 && fstat(fd, &at) == 0 && S_ISDIR(at.st_mode)) {
		close(fd);
		fd = -1;
		errno = EISDIR;
	}
	if (fd < 0 && strchr("/~$", *grant->word->text) != NULL) {
		cordon_fail_at(m->err, CORDON_E_PATH, srcpos->file, srcpos->line, srcpos->column,
			       "cannot grant the socket %.100s: %s", grant->path,
			       error_errno_text(errno));
		return -CORDON_E_PATH;
	}
	/* connecting to the session's own sockets needs no right */
	return fd < 0 ? rules_pass_over(m, grant->path)
		      : rules_allow(m, fd, FILE_RESOLVE_UNIX, false, grant->path);
}

int
rules_tmp(const struct ruleset_build *m, const char *path)
{
	auto_fd int fd = open_verified(path);

	if (fd < 0)
		return cordon_fail(m->err, CORDON_E_PATH, errno,
				   "cannot grant the private tmp %.120s", path);
	/*
	 * no FILE_RESOLVE_UNIX: sockets created there need none, and one moved there must not be reachable
	 */
	return rules_allow(m, fd, ruleset_access_for_rights(RIGHTS_ALL), true, path);
}

static int
allow_project_sockets(const struct ruleset_build *m)
{
	unsigned both = RIGHT_READ | RIGHT_WRITE;
	const char *project = m->plan->host == NULL ? NULL : m->plan->host->project;
	auto_fd int fd = -1;

	if (!(m->handled.files & FILE_RESOLVE_UNIX) || project == NULL ||
	    (rules_decide(m, project) & both) != both || !plan_has_project_sockets(m->plan))
		return 0;
	fd = open_verified(project);
	return fd < 0 ? rules_pass_over(m, project)
		      : rules_allow(m, fd, FILE_RESOLVE_UNIX, true, project);
}

int
rules_moves(const struct ruleset_build *m)
{
	auto_fd int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);

	return root < 0 ? rules_fail_open(m, "/") : rules_allow(m, root, FILE_REFER, true, "/");
}

/* The broker reads a caller's umask, process state and terminal from procfs, whatever the plan allows. */
static int
allow_broker(const struct ruleset_build *m)
{
	auto_fd int fd = open_verified("/proc");
	struct tree_rights tree_rights = index_tree_rights(&m->plan->index, "/proc");

	rules_note_wider(m, FILE_READ | FILE_READ_DIR,
			 ruleset_access_for_rights(tree_rights.self & tree_rights.child));
	return fd < 0 ? rules_pass_over(m, "/proc")
		      : rules_allow(m, fd, FILE_READ | FILE_READ_DIR, true, "/proc");
}

int
rules_all(const struct ruleset_build *m)
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
