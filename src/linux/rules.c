// SPDX-License-Identifier: MIT
/*
 * Landlock's rules. Each planned grant is opened once, held against its canonical name, and gets
 * what the index decides for that very path. Landlock knows only trees: a folder gets what holds
 * for it and for everything new below it. Nothing here decides by itself, with two exceptions, both
 * to the narrower side: root is not given what an ordinary user could not read, and a profile's
 * grant of a folder shared by everybody is for files by name.
 */
#include "base/compat.h"

#include "linux/rules.h"

#include <dirent.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/path.h"
#include "linux/syscalls.h"
#include "plan/running.h"
#include "plan/terminals.h"

#define RULE_PATH_BENEATH 1
#define DEVPTS_MAGIC 0x1cd1
/* Of everything else add_rule says EINVAL for what is no folder. */
#define FILE_NOT_DIR \
	(FILE_EXECUTE | FILE_WRITE | FILE_READ | FILE_TRUNCATE | FILE_IOCTL_DEV | FILE_RESOLVE_UNIX)

struct beneath_rule {
	uint64_t access;
	int32_t fd;
} __attribute__((packed));

/*
 * What is kept back at path: by the inner layer what the broker decides about there; and the right
 * to run all that is in a folder, where some of it must not be.
 */
static uint64_t
withheld(const struct making *m, const char *path)
{
	uint64_t access = 0;

	if (m->plan != NULL && running_has_inside(m->plan, path))
		access |= FILE_EXECUTE;
	if (m->options->kind != RULESET_INNER && m->options->kind != RULESET_CHANGES)
		return access;
	for (size_t i = 0; i < m->options->tree_count; i++) {
		const struct guarded *tree = &m->options->trees[i];

		if (!path_below(path, tree->path))
			continue;
		access |= tree->changes ? access_for_rights(RIGHTS_CHANGE) : 0;
		access |= tree->reads ? (uint64_t)FILE_READ_DIR : 0;
		access |= tree->reads && !tree->runs ? (uint64_t)FILE_READ : 0;
	}
	return access;
}

int
rules_allow(const struct making *m, int fd, uint64_t access, bool folder, const char *path)
{
	struct beneath_rule rule = {access & ~withheld(m, path) & m->handled.files &
					    (folder ? ~0ull : FILE_NOT_DIR),
				    fd};

	if (rule.access == 0 ||
	    syscall(SYS_landlock_add_rule, m->ruleset, RULE_PATH_BENEATH, &rule, 0) == 0)
		return 0;
	return cordon_fail(m->err, CORDON_E_SYSTEM, errno, "Landlock does not take %.120s", path);
}

/* Terminals, the only devices whose own ioctls programs cannot do without. */
static bool
is_terminal(int fd, const struct stat *at)
{
	struct statfs fs;

	/* the root of every devpts is number 1; of other file systems it rarely is */
	if (S_ISDIR(at->st_mode))
		return at->st_ino == 1 && fstatfs(fd, &fs) == 0 && fs.f_type == DEVPTS_MAGIC;
	if (!S_ISCHR(at->st_mode))
		return false;
	/* /dev/tty, /dev/ptmx, /dev/pts/N */
	return (major(at->st_rdev) == 5 && (minor(at->st_rdev) == 0 || minor(at->st_rdev) == 2)) ||
	       (major(at->st_rdev) >= 136 && major(at->st_rdev) <= 143);
}

static unsigned
decide(const struct making *m, const char *path)
{
	return index_decide(&m->plan->index, path).rights;
}

/* The rights of a name below path that no rule speaks of, names components deep. */
static unsigned
decide_below(const struct making *m, const char *path, int names)
{
	char below[PATH_MAX + 8];

	snprintf(below, sizeof below, "%s%s", strcmp(path, "/") == 0 ? "" : path,
		 names == 1 ? "/\001" : "/\001/\001");
	return decide(m, below);
}

bool
rules_run(const struct making *m, const char *path)
{
	return (decide(m, path) & RIGHT_EXECUTE) != 0;
}

bool
rules_run_below(const struct making *m, const char *folder)
{
	return (decide_below(m, folder, 1) & decide_below(m, folder, 2) & RIGHT_EXECUTE) != 0;
}

/* What is made is filled through the descriptor that made it. */
static uint64_t
access_for_broker(unsigned rights)
{
	return access_for_rights(rights) |
	       (rights & RIGHT_CREATE ? (uint64_t)(FILE_READ | FILE_WRITE | FILE_TRUNCATE) : 0u);
}

/* Of what is granted to the broker: does the command get to read or run more by it? */
static void
note_wider(const struct making *m, uint64_t granted, uint64_t planned)
{
	if (m->options->wider != NULL &&
	    (granted & ~planned & (FILE_READ | FILE_READ_DIR | FILE_EXECUTE)) != 0)
		*m->options->wider = true;
}

/*
 * What can be granted at path. A rule on a folder reaches everything in it, so a folder gets only
 * what its future entries have too (a literal rule ends at the folder, a child rule one below).
 * Listing is the exception: names alone are given where the folder itself may be read.
 */
static uint64_t
access_at(const struct making *m, const char *path, int fd, const struct stat *at)
{
	unsigned own = decide(m, path);
	uint64_t access = access_for_rights(own);

	if (S_ISDIR(at->st_mode)) {
		unsigned below = decide_below(m, path, 1), deep = decide_below(m, path, 2);
		unsigned tree = own & below & deep;

		uint64_t names = own & RIGHT_READ ? (uint64_t)FILE_READ_DIR : 0u;

		/* the broker itself never does more than one of them has */
		access = names |
			 (m->options->kind == RULESET_OUTER ? access_for_broker(own | below | deep)
							    : access_for_rights(tree));
		note_wider(m, access, names | access_for_rights(tree));
	}
	if (own & (RIGHT_READ | RIGHT_WRITE) && is_terminal(fd, at))
		access |= FILE_IOCTL_DEV;
	return access;
}

/* ---- folders granted piece by piece ---- */

/*
 * Folders in which some entries are for root alone. A profile that grants one means what an
 * ordinary user gets by it; modes do not see to that for root. All names can be listed, for a
 * cordon inside this one has to do the same again.
 */
static const char *const guarded_folders[] = {
	"/etc",	    "/etc/NetworkManager", "/etc/kubernetes", "/etc/letsencrypt",
	"/etc/pki", "/etc/pki/tls",	   "/etc/ssh",	      "/etc/ssl",
	"/sys",	    "/sys/kernel",
};
/* Closed to root whatever their mode says. */
static const char *const root_secrets[] = {
	"/etc/shadow*",	     "/etc/gshadow*",	    "/etc/sudoers*",
	"/etc/krb5.keytab",  "/etc/wireguard",	    "/etc/NetworkManager/system-connections",
	"/etc/ssh/*_key",    "/etc/ssl/private",    "/etc/pki/tls/private",
	"/sys/kernel/debug", "/sys/kernel/tracing",
};

/*
 * Folders in which everybody's programs make files, some to share. A profile that grants one means
 * regular files by name: what others have there is not listed, nor is anything else made.
 */
static const char *const shared_folders[] = {"/dev/shm", "/run/shm"};
#define FILE_BY_NAME (FILE_READ | FILE_WRITE | FILE_TRUNCATE | FILE_MAKE_REG | FILE_REMOVE)

static bool
is_one_of(const char *const *paths, size_t count, const char *path)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(paths[i], path) == 0)
			return true;
	return false;
}

static bool
is_guarded(const char *path)
{
	return is_one_of(guarded_folders, sizeof guarded_folders / sizeof guarded_folders[0], path);
}

static bool
is_shared(const char *path)
{
	return is_one_of(shared_folders, sizeof shared_folders / sizeof shared_folders[0], path);
}

bool
ruleset_is_by_name(const struct plan *plan, const char *path)
{
	const struct index *index = &plan->index;
	bool shared = false;

	for (size_t i = 0; i < sizeof shared_folders / sizeof shared_folders[0]; i++)
		shared = shared || path_below(path, shared_folders[i]);
	if (!shared || (index->default_rights & RIGHTS_CHANGE))
		return false;
	for (size_t i = 0; i < index->path_count; i++)
		if (index->paths[i].effect == EFFECT_ALLOW && !index->paths[i].rule->optional &&
		    (index->paths[i].rights & RIGHTS_CHANGE) &&
		    path_below(path, index->paths[i].path))
			return false;
	return true;
}

static bool
is_secret(const char *path, const struct stat *at)
{
	mode_t needed = S_ISDIR(at->st_mode) ? S_IROTH | S_IXOTH : S_IROTH;

	for (size_t i = 0; i < sizeof root_secrets / sizeof root_secrets[0]; i++)
		if (fnmatch(root_secrets[i], path, FNM_PATHNAME) == 0)
			return true;
	return (at->st_mode & needed) != needed;
}

/* May it be read by a rule that is taken as it is? */
static bool
is_granted_whole(const struct index *index, const char *path)
{
	for (size_t i = 0; i < index->path_count; i++) {
		const struct planned_rule *rule = &index->paths[i];
		bool in_part = rule->rule->optional &&
			       (is_guarded(rule->path) || is_shared(rule->path));

		if (rule->effect == EFFECT_ALLOW && (rule->rights & RIGHT_READ) && !in_part &&
		    path_below(path, rule->path))
			return true;
	}
	return (index->default_rights & RIGHT_READ) != 0;
}

/* The entry of folder that path is, or is in; false: it is in none. */
static bool
find_entry(const char *folder, const char *path, char to[PATH_MAX])
{
	size_t length = strlen(folder);

	if (!path_below(path, folder) || path[length] == '\0')
		return false;
	snprintf(to, PATH_MAX, "%.*s", (int)(length + 1 + strcspn(path + length + 1, "/")), path);
	return true;
}

bool
ruleset_keeps_back(const struct plan *plan, const char *path)
{
	char entry[PATH_MAX];
	struct stat at;
	bool kept = false;

	for (size_t i = 0; i < sizeof shared_folders / sizeof shared_folders[0]; i++)
		kept = kept || (path_below(path, shared_folders[i]) && lstat(path, &at) == 0 &&
				S_ISDIR(at.st_mode));
	for (size_t i = 0; i < sizeof guarded_folders / sizeof guarded_folders[0]; i++)
		if (geteuid() == 0 && find_entry(guarded_folders[i], path, entry))
			kept = kept || lstat(entry, &at) < 0 || is_secret(entry, &at);
	return kept && !is_granted_whole(&plan->index, path);
}

static int allow_entries(const struct making *m, int folder, const char *path, bool guard);

static int
not_held(const struct making *m, const char *path)
{
	return cordon_fail(m->err, CORDON_E_SYSTEM, errno, "cannot hold %.120s", path);
}

/* What is not there, or not for us, is passed over; a failure is not: less would work than planned. */
static int
pass_over(const struct making *m, const char *path)
{
	/* O_PATH knows no EPERM: then opening itself is forbidden, by a filter around us */
	return errno_is_fault(errno) || errno == EPERM || errno == ENOSYS ? not_held(m, path) : 0;
}

static int
allow_guarded(const struct making *m, int folder, const char *path)
{
	uint64_t names = decide(m, path) & RIGHT_READ ? FILE_READ_DIR : 0u;
	int rc = rules_allow(m, folder, names, true, path);

	return rc < 0 ? rc : allow_entries(m, folder, path, true);
}

/* guard: leave out what is for root alone. What links name has a rule of its own, or none. */
static int
allow_entry(const struct making *m, int folder, const char *path, const char *name, bool guard)
{
	auto_fd int fd = openat(folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	char inner[PATH_MAX];
	struct stat at;

	if (snprintf(inner, sizeof inner, "%s/%s", path, name) >= (int)sizeof inner)
		return 0;
	if (fd < 0)
		return pass_over(m, inner);
	if (fstat(fd, &at) < 0)
		return not_held(m, inner);
	if (S_ISLNK(at.st_mode) || (guard && is_secret(inner, &at)))
		return 0;
	if (guard && is_guarded(inner) && S_ISDIR(at.st_mode))
		return allow_guarded(m, fd, inner);
	return rules_allow(m, fd, access_at(m, inner, fd, &at), S_ISDIR(at.st_mode), inner);
}

static int
allow_entries(const struct making *m, int folder, const char *path, bool guard)
{
	int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	int rc = 0;

	if (dir == NULL) {
		rc = cordon_fail(m->err, CORDON_E_PATH, errno, "cannot list %.120s", path);
		if (fd >= 0)
			close(fd);
		return rc;
	}
	while (rc == 0 && (errno = 0, entry = readdir(dir)) != NULL)
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			rc = allow_entry(m, folder, path, entry->d_name, guard);
	if (rc == 0 && errno != 0)
		rc = cordon_fail(m->err, CORDON_E_PATH, errno, "cannot list %.120s", path);
	closedir(dir);
	return rc;
}

/* ---- planned rules ---- */

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
	unsigned rights = decide(m, path);

	for (size_t i = 0; i < m->options->tree_count; i++) {
		const struct guarded *tree = &m->options->trees[i];

		/* itself it cannot make: it is missing */
		if (tree->changes && path_below(path, tree->path) &&
		    strcmp(path, tree->path) != 0 && (rights & ~decide(m, tree->path)) == 0)
			return true;
	}
	return false;
}

/* Is what is missing going to be made in a folder that has the same rights? */
static bool
is_covered(const struct making *m, const char *path)
{
	unsigned rights = decide(m, path);
	char above[PATH_MAX];
	struct stat at;
	char *slash;

	if (snprintf(above, sizeof above, "%s", path) >= (int)sizeof above)
		return false;
	do {
		slash = strrchr(above, '/');
		slash[slash == above] = '\0';
	} while (lstat(above, &at) < 0 && strcmp(above, "/") != 0);
	return (rights & ~(decide(m, above) & decide_below(m, above, 1))) == 0;
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
	unsigned rights = decide(m, path) & (RIGHT_CREATE | RIGHT_DELETE);
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
	note_wider(m, access_for_broker(rights),
		   access_for_rights(decide(m, above) & decide_below(m, above, 1)));
	return fd < 0 ? pass_over(m, above)
		      : rules_allow(m, fd, access_for_broker(rights), true, above);
}

/* The folder that was granted last, and what reaches everything in it. */
struct cover {
	const char *path; /* NULL: none */
	uint64_t access;
};

/* All that a rule at path could give. */
static uint64_t
most_at(const struct making *m, const char *path)
{
	return access_for_rights(decide(m, path) | decide_below(m, path, 1) |
				 decide_below(m, path, 2)) &
	       m->handled.files & ~withheld(m, path);
}

/*
 * Would a rule of its own add anything? Only of profiles: the user's word is looked at. Terminals
 * get more than the plan speaks of.
 */
static bool
is_covered_by(const struct making *m, const struct said *said, const struct cover *cover)
{
	/* what the outer one opened and checked says nothing here */
	if (m->options->kind == RULESET_CHANGES && most_at(m, said->path) == 0)
		return true;
	if (cover->path == NULL || said->named != NULL || said->child ||
	    running_has_inside(m->plan, said->path) || !path_below(said->path, cover->path) ||
	    path_below(said->path, "/dev"))
		return false;
	return (most_at(m, said->path) & ~cover->access) == 0;
}

static int
allow_path(const struct making *m, const struct said *said, struct cover *cover)
{
	auto_fd int fd = path_pin(said->path);
	bool folder, guard = m->root && said->named == NULL && is_guarded(said->path);
	struct stat at;
	uint64_t access;
	int rc;

	if (fd < 0) {
		int why = errno;

		if (said->named == NULL)
			return pass_over(m, said->path);
		return why == ENOENT && (is_brokered(m, said->path) || is_covered(m, said->path))
			       ? 0
			       : refuse(m, said, why);
	}
	if (fstat(fd, &at) < 0)
		return not_held(m, said->path);
	folder = S_ISDIR(at.st_mode);
	if (folder && guard)
		return allow_guarded(m, fd, said->path);
	access = access_at(m, said->path, fd, &at);
	if (said->named == NULL && is_shared(said->path))
		access &= FILE_BY_NAME;
	/* those of the session come one by one, at the start or by the broker */
	if (path_below(said->path, TERMINALS))
		access &= ~access_for_rights(plan_own_terminals(m->plan, said->path)) |
			  FILE_READ_DIR;
	rc = rules_allow(m, fd, access, folder, said->path);
	if (rc == 0)
		rc = allow_name(m, said->path);
	if (folder)
		*cover = (struct cover){said->path, access & ~withheld(m, said->path)};
	if (rc == 0 && folder && said->child)
		rc = allow_entries(m, fd, said->path, false);
	if (rc == 0 && folder &&
	    (access & withheld(m, said->path) & m->handled.files & FILE_EXECUTE))
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
		note_wider(m, access_for_broker(rule->rights), 0);
		if (fd >= 0)
			rc = rules_allow(m, fd, access_for_broker(rule->rights), true, rule->root);
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
	return fd < 0 ? pass_over(m, grant->path)
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
	    (decide(m, project) & both) != both || !plan_has_project_sockets(m->plan))
		return 0;
	fd = path_pin(project);
	return fd < 0 ? pass_over(m, project)
		      : rules_allow(m, fd, FILE_RESOLVE_UNIX, true, project);
}

int
rules_moves(const struct making *m)
{
	auto_fd int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);

	return root < 0 ? not_held(m, "/") : rules_allow(m, root, FILE_REFER, true, "/");
}

/* Whatever the plan says: a caller's umask, process and terminal are told by procfs alone. */
static int
allow_broker(const struct making *m)
{
	auto_fd int fd = path_pin("/proc");
	unsigned rights = decide(m, "/proc") & decide_below(m, "/proc", 1);

	note_wider(m, FILE_READ | FILE_READ_DIR, access_for_rights(rights));
	return fd < 0 ? pass_over(m, "/proc")
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
