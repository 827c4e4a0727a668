// SPDX-License-Identifier: MIT
/*
 * Landlock access rights for one path: what the index decides for this path, less what the layer withholds.
 * A Landlock rule covers a tree, so a directory gets only rights that also apply to everything new below
 * it. No decision is made here.
 */
#include "base/os.h"

#include "linux/landlock/rules.h"

#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "plan/exec_rules.h"

#define RULE_PATH_BENEATH 1
/* execve opens the file for reading, and a process can read its executable from memory */
#define RUN (RIGHT_READ | RIGHT_EXECUTE)
#define DEVPTS_MAGIC 0x1cd1
/* For other rights landlock_add_rule returns EINVAL on a file that is no directory. */
#define FILE_NOT_DIR \
	(FILE_EXECUTE | FILE_WRITE | FILE_READ | FILE_TRUNCATE | FILE_IOCTL_DEV | FILE_RESOLVE_UNIX)

struct beneath_rule {
	uint64_t access;
	int32_t fd;
} __attribute__((packed));

uint64_t
rules_withheld(const struct ruleset_build *m, const char *path)
{
	const struct brokered_trees *trees = m->options->trees;
	uint64_t access = 0;

	if (m->plan != NULL && exec_rules_has_inside(m->plan, path))
		access |= FILE_EXECUTE;
	if (trees == NULL ||
	    (m->options->kind != RULESET_INNER && m->options->kind != RULESET_CHANGES))
		return access;
	if (path_set_covers(&trees->changes, path))
		access |= ruleset_access_for_rights(RIGHTS_CHANGE);
	if (path_set_covers(&trees->reads, path))
		access |= FILE_READ_DIR;
	if (path_set_covers(&trees->unread, path))
		access |= FILE_READ;
	return access;
}

int
rules_add(const struct ruleset_build *m, int fd, uint64_t access, bool folder, const char *path)
{
	struct beneath_rule rule = {access & m->handled.files & (folder ? ~0ull : FILE_NOT_DIR),
				    fd};

	if (rule.access == 0 ||
	    syscall(SYS_landlock_add_rule, m->ruleset, RULE_PATH_BENEATH, &rule, 0) == 0)
		return 0;
	return cordon_fail(m->err, CORDON_E_SYSTEM, errno, "Landlock does not accept %.120s", path);
}

int
rules_allow(const struct ruleset_build *m, int fd, uint64_t access, bool folder, const char *path)
{
	return rules_add(m, fd, access & ~rules_withheld(m, path), folder, path);
}

/* Ptys are the only devices whose driver ioctls programs need. */
static bool
is_terminal(int fd, const struct stat *at)
{
	struct statfs fs;

	/* the root inode of devpts is 1, which is rare on other file systems */
	if (S_ISDIR(at->st_mode))
		return at->st_ino == 1 && fstatfs(fd, &fs) == 0 && fs.f_type == DEVPTS_MAGIC;
	if (!S_ISCHR(at->st_mode))
		return false;
	/* /dev/tty, /dev/ptmx, /dev/pts/N */
	return (major(at->st_rdev) == 5 && (minor(at->st_rdev) == 0 || minor(at->st_rdev) == 2)) ||
	       (major(at->st_rdev) >= 136 && major(at->st_rdev) <= 143);
}

int
rules_look(struct opened_path *opened)
{
	if (fstat(opened->fd, &opened->at) < 0)
		return -1;
	opened->is_folder = S_ISDIR(opened->at.st_mode);
	opened->is_terminal = is_terminal(opened->fd, &opened->at);
	return 0;
}

unsigned
rules_decide(const struct ruleset_build *m, const char *path)
{
	return index_rights(&m->plan->index, path);
}

bool
rules_run(const struct ruleset_build *m, const char *path)
{
	return (rules_decide(m, path) & RUN) == RUN;
}

bool
rules_run_below(const struct ruleset_build *m, const char *folder)
{
	struct tree_rights tree_rights = index_tree_rights(&m->plan->index, folder);

	return (tree_rights.child & tree_rights.descendant & RUN) == RUN;
}

uint64_t
rules_for_broker(unsigned rights)
{
	return ruleset_access_for_rights(rights) |
	       (rights & RIGHT_CREATE ? (uint64_t)(FILE_READ | FILE_WRITE | FILE_TRUNCATE) : 0u);
}

void
rules_note_wider(const struct ruleset_build *m, uint64_t granted, uint64_t planned)
{
	if (m->options->wider != NULL &&
	    (granted & ~planned & (FILE_READ | FILE_READ_DIR | FILE_EXECUTE)) != 0)
		*m->options->wider = true;
}

/*
 * A rule on a directory covers everything in it, so a directory gets only the rights of its future entries
 * (a literal rule covers the directory alone, a child rule one level). Exception: listing is granted where
 * the directory itself may be read.
 */
uint64_t
rules_access_for(const struct ruleset_build *m, const struct tree_rights *tree_rights,
		 const struct opened_path *opened)
{
	uint64_t access = ruleset_access_for_rights(tree_rights->self);

	if (opened->is_folder) {
		uint64_t names = tree_rights->self & RIGHT_READ ? (uint64_t)FILE_READ_DIR : 0u;
		uint64_t tree = names |
				ruleset_access_for_rights(tree_rights->self & tree_rights->child &
							  tree_rights->descendant);

		/* the broker never does more than one of these rights allows */
		access = m->options->kind == RULESET_OUTER
				 ? names | rules_for_broker(tree_rights->self | tree_rights->child |
							    tree_rights->descendant)
				 : tree;
		rules_note_wider(m, access, tree);
	}
	if (tree_rights->self & (RIGHT_READ | RIGHT_WRITE) && opened->is_terminal)
		access |= FILE_IOCTL_DEV;
	return access;
}

uint64_t
rules_most_for(const struct ruleset_build *m, const struct tree_rights *tree_rights)
{
	return ruleset_access_for_rights(tree_rights->self | tree_rights->child |
					 tree_rights->descendant) &
	       m->handled.files;
}
