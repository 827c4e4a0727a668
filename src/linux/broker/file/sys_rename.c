// SPDX-License-Identifier: MIT
/*
 * rename on behalf. Nothing may get a path with more rights than it has, and only inspected files get a git
 * name.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/fd.h"
#include "git/protect/git_protect.h"
#include "linux/broker/decide/names.h"
#include "linux/broker/git/git_check.h"
#include "linux/broker/git/subtree.h"
#include "linux/broker/long_name.h"
#include "linux/broker/nest.h"
#include "linux/broker/socket/sys_socket.h"

#define NOREPLACE 1u
#define EXCHANGE 2u
/* Larger trees are not compared: EXDEV makes mv copy instead. */
#define TREE_MAX 20000
/* After so many entries the names lock is released to other sessions until all are compared, */
#define TREE_SHORT 200
/* unless they disturbed it so often. */
#define LOANS 3

struct move {
	const struct notif_call *request;
	struct lookup from, to;
	struct stat from_stat, to_stat;
	bool is_replacing;
	unsigned flags;
	int left; /* entries left to compare */
	struct names_lock_loan loan;
	bool is_lent, is_disturbed;
	int disturbed; /* how often another session had the lock meanwhile */
};

static inline void
auto_move_fn(const struct move *move)
{
	auto_lookup_fn(&move->from);
	auto_lookup_fn(&move->to);
}
#define auto_move __attribute__((cleanup(auto_move_fn)))

static bool
lacks(const struct move *move, const struct lookup *side, unsigned rights)
{
	struct verdict verdict = broker_decide(move->request, side->path);
	unsigned missing = rights & ~verdict.rights;

	if (missing != 0)
		refuse_rights(move->request, side->path, &verdict, missing);
	return missing != 0;
}

/*
 * Also requires that an inspected name was inspected at its old path, and that a pointer relative to two
 * directories up has the same target.
 */
static bool
is_same_by(const struct move *move, int plan, const char *old, const char *new)
{
	struct verdict was = broker_decide_by(move->request, plan, old),
		       is = broker_decide_by(move->request, plan, new);

	if (was.vetted == NULL || is.vetted == NULL)
		return was.rights == is.rights && is.vetted == NULL &&
		       (was.vetted == NULL || was.vetted->vet != VET_COMMONDIR);
	return was.rights == is.rights && was.vetted->vet == is.vetted->vet;
}

/* By every plan: two plans that each refuse another path would look equal together. */
static bool
is_same(const struct move *move, const char *old, const char *new)
{
	for (int i = 0; i <= nest_depth(move->request); i++)
		if (!is_same_by(move, i, old, new))
			return false;
	return true;
}

/* A relative git pointer leads elsewhere from its new path. */
static bool
may_lead(const struct move *move, int folder, const char *name, const char *new)
{
	const struct protection *vetted = broker_decide(move->request, new).vetted;
	struct git_file file = {0};
	bool may;

	if (vetted == NULL || (vetted->vet != VET_POINTER && vetted->vet != VET_GITDIR))
		return true;
	may = git_install_read(folder, name, &file) == 0 &&
	      git_content_may_move_pointer(move->request, new, vetted->vet,
					   &(struct gitconfig_text){file.text, file.length});
	free(file.text);
	return may;
}

/* Comparison of two trees; both paths are of the current entry. */
struct comparison {
	struct move *move;
	const char *from, *to;
	char old[DEEP_MAX], new[DEEP_MAX];
	int why;
};

/* Does the entry make its directory a repository that must not be moved? */
static bool
is_bound(struct comparison *c, const struct subtree_entry *entry)
{
	char *end = c->old + strlen(c->old) - strlen(entry->name) - 1;
	bool bound;

	if (!ascii_same(entry->name, "HEAD") && !ascii_same(entry->name, ".git"))
		return false;
	*end = '\0';
	bound = !git_content_may_move(c->move->request, c->old);
	*end = '/';
	return bound;
}

/* Returns 0 if the entry has the same rights at its new path, else an errno. */
static int
compare_entry(struct comparison *c, const struct subtree_entry *entry)
{
	const struct notif_call *request = c->move->request;

	if (c->move->left-- <= 0)
		return EXDEV;
	if (c->move->left == TREE_MAX - TREE_SHORT && c->move->disturbed < LOANS)
		c->move->is_lent = names_lock_suspend(request->names, &c->move->loan);
	if (!subtree_path(c->from, entry, c->old, sizeof c->old) ||
	    !subtree_path(c->to, entry, c->new, sizeof c->new))
		return ENAMETOOLONG;
	/* a git name at a path too long to be inspected must not move */
	if ((long_name_is(c->old) || long_name_is(c->new)) && git_protect_has(entry->name))
		return EACCES;
	if (!is_same(c->move, c->old, c->new) || protected_is_policy(entry->name) ||
	    is_bound(c, entry) ||
	    !unix_may_move(request, entry->folder, entry->name, c->old, c->new))
		return EACCES;
	autorun_note_at(request->broker, entry->folder, entry->name, c->old);
	autorun_note_path(request->broker, c->new, NULL);
	if (entry->is_folder)
		return 0;
	return git_symlink_may_be(request, c->new, entry->folder, entry->name) &&
			       may_lead(c->move, entry->folder, entry->name, c->new)
		       ? 0
		       : EACCES;
}

static int
visit_entry(void *context, const struct subtree_entry *entry)
{
	struct comparison *c = context;

	c->why = compare_entry(c, entry);
	return c->why == 0 ? SUBTREE_ENTER : c->why;
}

/*
 * A directory takes its contents along, possibly past a deny at the old path or below a name that must not
 * be created. If an entry has other rights at the new path the move fails, and if it cannot be examined it
 * fails with EXDEV, so that it is copied.
 */
static int
compare_trees(struct move *move, int folder, const char *from, const char *to)
{
	auto_free struct comparison *c = calloc(1, sizeof *c);
	int rc;

	if (c == NULL)
		return EXDEV;
	c->move = move;
	c->from = from;
	c->to = to;
	rc = subtree_each(folder, visit_entry, c);
	return rc != 0 && c->why == 0 ? EXDEV : rc;
}

/* The names lock is held again afterwards. EAGAIN: another session had it, so nothing decided counts. */
static int
compare_in_turns(struct move *move, int folder, const char *from, const char *to)
{
	int rc;

	move->left = TREE_MAX;
	move->is_lent = false;
	rc = compare_trees(move, folder, from, to);
	if (!move->is_lent || names_lock_resume(move->request->names, &move->loan))
		return rc;
	move->is_disturbed = true;
	move->disturbed++;
	return EAGAIN;
}

static int
check_folder(struct move *move, const struct lookup *from, const struct lookup *to)
{
	auto_fd int fd = -1;

	if (broker_decide(move->request, from->path).pinned_by != NULL)
		return EACCES;
	/* contents created there were not inspected: copy them one by one */
	if (!broker_vetted_by_all(move->request, from->path))
		return EXDEV;
	fd = openat(from->folder, from->name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? EXDEV : compare_in_turns(move, fd, from->path, to->path);
}

/*
 * Does the new path give more rights to a file, by any plan? Reading that was denied, or writing, which
 * would also reach its other hard links. As the kernel compares Landlock rules.
 */
static bool
gains(const struct move *move, const char *old, const char *new)
{
	for (int i = 0; i <= nest_depth(move->request); i++)
		if (broker_decide_by(move->request, i, new).rights &
		    ~broker_decide_by(move->request, i, old).rights & (RIGHT_READ | RIGHT_WRITE))
			return true;
	return false;
}

static int
check_entry(struct move *move, const struct lookup *from, mode_t mode, const struct lookup *to)
{
	if (S_ISREG(mode))
		return gains(move, from->path, to->path) ? EXDEV : 0;
	if (!S_ISSOCK(mode))
		return S_ISDIR(mode) ? check_folder(move, from, to) : 0;
	return unix_may_move(move->request, from->folder, from->name, from->path, to->path)
		       ? 0
		       : EACCES;
}

static int
refuse_vetted(const struct move *move, const struct lookup *side, const struct protection *by)
{
	refuse_protected(move->request, REFUSED_RENAME, side->path, by);
	errno = EACCES;
	return -1;
}

/* Replaces a git file: installs a copy of the new content. */
static int
put_in_place(const struct move *move, const struct protection *protection)
{
	struct git_file file = {0};
	struct git_target to = {move->to.folder, move->to.name, move->to.path, protection->vet,
				(move->flags & NOREPLACE) != 0};
	struct stat at;
	int rc, why;

	if (fstat(move->to.folder, &at) < 0 || at.st_dev != move->from_stat.st_dev)
		return errno = EXDEV, -1;
	why = git_install_read(move->from.folder, move->from.name, &file);
	if (why != 0)
		return errno = why, -1;
	rc = git_install(move->request, &to, &file);
	free(file.text);
	return rc < 0 ? rc : unlinkat(move->from.folder, move->from.name, 0);
}

/* One of the two names is a git name. Returns 1 to move it as usual, else the result. */
static int
move_vetted(const struct move *move)
{
	const struct protection *from = broker_decide(move->request, move->from.path).vetted,
				*to = broker_decide(move->request, move->to.path).vetted;
	mode_t kind = move->from_stat.st_mode & S_IFMT;

	if (kind == S_IFLNK &&
	    !git_symlink_may_be(move->request, move->to.path, move->from.folder, move->from.name))
		return -1;
	if ((move->flags & EXCHANGE) && S_ISLNK(move->to_stat.st_mode) &&
	    !git_symlink_may_be(move->request, move->from.path, move->to.folder, move->to.name))
		return -1;
	if (from == NULL && to == NULL)
		return 1;
	if (from != NULL && from->vet != VET_MODULES && from->vet != VET_FOLDER &&
	    from->vet != VET_STEPS)
		return refuse_vetted(move, &move->from, from);
	if (to == NULL && !(move->flags & EXCHANGE))
		return 1;
	if (to == NULL || (move->flags & ~NOREPLACE) != 0) {
		refuse_report(move->request, REFUSED_RENAME, move->from.path, CAUSE_GIT_EXCHANGE);
		return errno = EACCES, -1;
	}
	if (to->vet == VET_HEAD)
		return git_check_may_make(move->request, move->to.path, to, false) ? 1 : -1;
	if (kind != S_IFREG || strchr(move->to.name, '/') != NULL)
		return refuse_vetted(move, &move->to, to);
	return to->vet == VET_FOLDER ? 1 : put_in_place(move, to);
}

/* Returns 0 or an errno. */
static int
check_move(struct move *move)
{
	unsigned both = RIGHT_CREATE | RIGHT_DELETE;
	bool swaps = (move->flags & EXCHANGE) != 0;
	int why;

	if (lacks(move, &move->from, swaps ? both : RIGHT_DELETE) ||
	    lacks(move, &move->to, move->is_replacing ? both : RIGHT_CREATE))
		return EACCES;
	why = check_entry(move, &move->from, move->from_stat.st_mode, &move->to);
	return why == 0 && swaps ? check_entry(move, &move->to, move->to_stat.st_mode, &move->from)
				 : why;
}

static int
rename_now(const struct move *move)
{
	return (int)syscall(SYS_renameat2, move->from.folder, move->from.name, move->to.folder,
			    move->to.name, move->flags);
}

static int
do_move(struct move *move)
{
	int why, rc;

	/* "." and "..": always an error, which the kernel chooses before it looks for the names */
	if (move->from.is_folder_itself || move->to.is_folder_itself)
		return rename_now(move);
	if (!names_is_there(&move->from, &move->from_stat))
		return -1;
	move->is_replacing = names_is_there(&move->to, &move->to_stat);
	why = check_move(move);
	if (why != 0) {
		errno = why;
		return -1;
	}
	rc = move_vetted(move);
	if (rc != 1)
		return rc;
	if (!nest_is_complete(move->request))
		return errno = EACCES, -1;
	autorun_note_path(move->request->broker, move->from.path, &move->from_stat);
	autorun_note_path(move->request->broker, move->to.path,
			  move->is_replacing ? &move->to_stat : NULL);
	return rename_now(move);
}

/* Files with other names are not cached git files. */
static bool
is_remembered(const struct move *move)
{
	return S_ISDIR(move->from_stat.st_mode) || (move->flags & EXCHANGE) ||
	       broker_is_repo_marker(move->from.path) || broker_is_repo_marker(move->to.path);
}

static void
move_name(const struct notif_call *request, const int folders[2], const uint64_t paths[2],
	  unsigned flags)
{
	auto_move struct move move = {.request = request,
				      .flags = flags,
				      .from = LOOKUP_NONE,
				      .to = LOOKUP_NONE};
	enum lookup_result ends[2];
	int rc = -1;

	ends[0] = lookup_caller_path(request, folders[0], paths[0], LOOKUP_NAME, &move.from);
	ends[1] = lookup_caller_path(request, folders[1], paths[1], LOOKUP_NAME, &move.to);

	if (ends[0] == LOOKUP_FAILED || ends[1] == LOOKUP_FAILED)
		notif_fail(request, ends[0] == LOOKUP_FAILED ? move.from.why : move.to.why);
	else if (ends[0] == LOOKUP_ELSEWHERE || ends[1] == LOOKUP_ELSEWHERE ||
		 (!broker_covers(request, move.from.path, RIGHT_DELETE) &&
		  !broker_covers(request, move.to.path, RIGHT_CREATE)))
		notif_continue(request);
	else if (notif_is_valid(request)) {
		broker_lock_two(request, move.from.path, move.to.path);
		names_lock_changes(&request->broker->names, move.from.path, move.to.path);
		do {
			move.is_disturbed = false;
			rc = lookup_unchanged(&move.from) && lookup_unchanged(&move.to)
				     ? do_move(&move)
				     : -1;
		} while (move.is_disturbed);
		if (rc < 0 || !is_remembered(&move))
			names_lock_keep_cache(&request->broker->names);
		names_lock_release(request->names);
		names_finish(request, rc);
	}
}

void
sys_rename(const struct notif_call *request)
{
	const __u64 *a = request->notif.data.args;

	move_name(request, (const int[]){AT_FDCWD, AT_FDCWD}, (const uint64_t[]){a[0], a[1]}, 0);
}

void
sys_renameat(const struct notif_call *request)
{
	const __u64 *a = request->notif.data.args;

	move_name(request, (const int[]){(int)a[0], (int)a[2]}, (const uint64_t[]){a[1], a[3]}, 0);
}

void
sys_renameat2(const struct notif_call *request)
{
	const __u64 *a = request->notif.data.args;
	unsigned flags = (unsigned)a[4];

	/* checked by the kernel before the paths */
	if ((flags & ~(NOREPLACE | EXCHANGE)) != 0 || flags == (NOREPLACE | EXCHANGE))
		notif_fail(request, EINVAL);
	else
		move_name(request, (const int[]){(int)a[0], (int)a[2]},
			  (const uint64_t[]){a[1], a[3]}, flags);
}
