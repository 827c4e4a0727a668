// SPDX-License-Identifier: MIT
/*
 * Grants directories entry by entry, in two cases, both narrower than a rule on the tree: root does not get
 * files that an ordinary user could not read, and a profile's grant of a shared directory is for files by
 * name.
 */
#include "base/os.h"

#include "linux/landlock/rules.h"

#include <dirent.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/path.h"
#include "plan/shared_dirs.h"

/* Deeper directories count as closed; the recursion is bounded. */
#define DEPTH_MAX 64

/*
 * Directories in which some entries are readable by root alone. A profile that grants one means the rights
 * of an ordinary user, which file modes do not enforce for root. All names can be listed, because a nested
 * cordon has to do the same.
 */
static const char *const guarded_folders[] = {
	"/etc",	    "/etc/NetworkManager", "/etc/kubernetes", "/etc/letsencrypt",
	"/etc/pki", "/etc/pki/tls",	   "/etc/ssh",	      "/etc/ssl",
	"/sys",	    "/sys/firmware",	   "/sys/fs",	      "/sys/kernel",
};
/* The one guarded at any depth. It is scanned whole; the others are too large for that. */
static const char guarded_tree[] = "/etc";
/* Withheld from root whatever the mode is. */
static const char *const root_secrets[] = {
	"/etc/shadow*",	     "/etc/gshadow*",	    "/etc/sudoers*",
	"/etc/krb5.keytab",  "/etc/wireguard",	    "/etc/NetworkManager/system-connections",
	"/etc/ssh/*_key",    "/etc/ssl/private",    "/etc/pki/tls/private",
	"/sys/kernel/debug", "/sys/kernel/tracing",
};

static bool
is_one_of(const char *const *paths, size_t count, const char *path)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(paths[i], path) == 0)
			return true;
	return false;
}

bool
rules_is_parted(const char *path)
{
	return is_one_of(guarded_folders, sizeof guarded_folders / sizeof guarded_folders[0], path);
}

/* Compares first characters, because fnmatch is slow enough to delay a start as root. */
static bool
is_like(const char *path, const char *pattern)
{
	size_t alike = 0;

	while (pattern[alike] != '\0' && pattern[alike] == path[alike])
		alike++;
	return (pattern[alike] == '\0' || pattern[alike] == '*') &&
	       fnmatch(pattern, path, FNM_PATHNAME) == 0;
}

static bool
is_closed(const struct stat *at)
{
	mode_t needed = S_ISDIR(at->st_mode) ? S_IROTH | S_IXOTH : S_IROTH;

	return (at->st_mode & needed) != needed;
}

static bool
is_secret(const char *path, const struct stat *at)
{
	bool secret = is_closed(at);

	for (size_t i = 0; !secret && i < sizeof root_secrets / sizeof root_secrets[0]; i++)
		secret = is_like(path, root_secrets[i]);
	return secret;
}

/* Is it readable by a rule that is granted as it is? */
static bool
is_granted_whole(const struct index *index, const char *path)
{
	for (size_t i = 0; i < index->path_count; i++) {
		const struct planned_rule *rule = &index->paths[i];
		bool in_part = rule->rule->optional &&
			       (rules_is_parted(rule->path) || shared_dirs_is_one(rule->path));

		if (rule->effect == EFFECT_ALLOW && (rule->rights & RIGHT_READ) && !in_part &&
		    path_below(path, rule->path))
			return true;
	}
	return (index->default_rights & RIGHT_READ) != 0;
}

/*
 * Is the path, or a directory between folder and it, readable by root alone? Looks as deep as folder is
 * guarded.
 */
static bool
is_root_only(const char *folder, const char *path)
{
	bool deep = strcmp(folder, guarded_tree) == 0;
	size_t length = strlen(folder);
	char entry[PATH_MAX];
	struct stat at;

	if (!path_below(path, folder) || strlen(path) >= sizeof entry)
		return false;
	while (path[length] != '\0') {
		length += 1 + strcspn(path + length + 1, "/");
		snprintf(entry, sizeof entry, "%.*s", (int)length, path);
		if (lstat(entry, &at) < 0 || is_secret(entry, &at))
			return true;
		if (!deep)
			break;
	}
	return false;
}

bool
rules_entries_withholds(const struct plan *plan, const char *path)
{
	struct stat at;
	bool withheld = shared_dirs_cover(path) && lstat(path, &at) == 0 && S_ISDIR(at.st_mode);

	for (size_t i = 0; i < sizeof guarded_folders / sizeof guarded_folders[0]; i++)
		withheld = withheld || (geteuid() == 0 && is_root_only(guarded_folders[i], path));
	return withheld && !is_granted_whole(&plan->index, path);
}

int
rules_fail_open(const struct ruleset_build *m, const char *path)
{
	return cordon_fail(m->err, CORDON_E_SYSTEM, errno, "cannot hold %.120s", path);
}

/* Skips a path that is missing or not accessible. Other errors fail: less would be granted than planned. */
int
rules_pass_over(const struct ruleset_build *m, const char *path)
{
	/* O_PATH cannot fail with EPERM: openat itself is blocked by an outer filter */
	return error_errno_is_fault(errno) || errno == EPERM || errno == ENOSYS
		       ? rules_fail_open(m, path)
		       : 0;
}

/* ---- listing ---- */

/* By getdents64: opendir costs twice as many system calls, for some hundred directories. */
struct dir_listing {
	int fd;
	long at, size;
	_Alignas(struct dirent) char entries[4096];
};

/* An initializer would clear the whole buffer. */
static void
listing_begin(struct dir_listing *listing, int fd)
{
	listing->fd = fd;
	listing->at = listing->size = 0;
}

static bool
is_dots(const char *name)
{
	return name[0] == '.' && (name[1] == '\0' || (name[1] == '.' && name[2] == '\0'));
}

/*
 * Returns the next entry except "." and ".."; NULL at the end, or with errno after a failure. A removed
 * directory is empty.
 */
static const struct dirent *
listing_next(struct dir_listing *listing)
{
	const struct dirent *entry;

	do {
		if (listing->at == listing->size) {
			errno = 0;
			listing->at = 0;
			listing->size = syscall(SYS_getdents64, listing->fd, listing->entries,
						sizeof listing->entries);
		}
		if (listing->size < 0 && errno == ENOENT)
			errno = 0;
		if (listing->size <= 0)
			return NULL;
		entry = (const void *)(listing->entries + listing->at);
		listing->at += entry->d_reclen;
	} while (is_dots(entry->d_name));
	return entry;
}

static int
not_listed(const struct ruleset_build *m, const char *path)
{
	return cordon_fail(m->err, CORDON_E_PATH, errno, "cannot list %.120s", path);
}

int
rules_each(const struct ruleset_build *m, int folder, const char *path, rules_entry_fn *fn,
	   void *context)
{
	auto_fd int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	size_t length = strcmp(path, "/") == 0 ? 0 : strlen(path), more;
	const struct dirent *entry;
	struct dir_listing listing;
	char inner[PATH_MAX];
	int rc = 0;

	if (fd < 0)
		return error_errno_is_fault(errno) ? not_listed(m, path) : errno != ENOENT;
	listing_begin(&listing, fd);
	memcpy(inner, path, length);
	inner[length++] = '/';
	while (rc == 0 && (entry = listing_next(&listing)) != NULL) {
		more = strlen(entry->d_name) + 1;
		if (more > sizeof inner - length)
			continue;
		memcpy(inner + length, entry->d_name, more);
		rc = fn(m, &(struct rules_entry){folder, inner, entry->d_type}, context);
	}
	return rc == 0 && errno != 0 ? not_listed(m, path) : rc;
}

/* ---- directories with entries readable by root alone ---- */

/* Opens a directory to list it, without following a symbolic link. */
static int
open_folder(int parent, const char *name)
{
	return openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static bool holds_secret(int folder, int depth);

static bool
is_or_holds_secret(int folder, int depth, const struct dirent *entry)
{
	const char *name = entry->d_name;
	struct stat at = {.st_mode = S_IFDIR | S_IRWXO};
	auto_fd int fd = -1;

	if (entry->d_type == DT_LNK)
		return false;
	if (depth > DEPTH_MAX ||
	    (entry->d_type != DT_DIR && fstatat(folder, name, &at, AT_SYMLINK_NOFOLLOW) < 0))
		return true;
	if (!S_ISDIR(at.st_mode))
		return !S_ISLNK(at.st_mode) && is_closed(&at);
	fd = open_folder(folder, name);
	return fd < 0 || fstat(fd, &at) < 0 || is_closed(&at) || holds_secret(fd, depth);
}

/*
 * Looks at modes only: names of root_secrets do not occur below. A directory that cannot be read counts as
 * having one, and is granted entry by entry or not at all. depth: of the directory's path.
 */
static bool
holds_secret(int folder, int depth)
{
	const struct dirent *entry;
	struct dir_listing listing;

	listing_begin(&listing, folder);
	while ((entry = listing_next(&listing)) != NULL)
		if (is_or_holds_secret(folder, depth + 1, entry))
			return true;
	return errno != 0;
}

/* Is a name of root_secrets below this directory? */
static bool
is_above_secret(const char *path, size_t length)
{
	for (size_t i = 0; i < sizeof root_secrets / sizeof root_secrets[0]; i++)
		if (strncmp(root_secrets[i], path, length) == 0 && root_secrets[i][length] == '/')
			return true;
	return false;
}

static bool
holds_any_secret(int folder, const char *path)
{
	return is_above_secret(path, strlen(path)) || holds_secret(folder, (int)path_depth(path));
}

/* Entries of one directory. */
struct entries {
	bool is_guarded, is_looked_into;
	struct tree_rights_cache memo;
};

/* Opens a directory that will be scanned for reading, if allowed: a rule accepts such an fd too. */
static int
open_entry(const struct rules_entry *entry, const struct entries *entries)
{
	const char *name = path_last(entry->path);
	bool look = entries->is_looked_into && (entry->type == DT_DIR || entry->type == DT_UNKNOWN);
	int fd = look ? open_folder(entry->folder, name) : -1;

	return fd >= 0 ? fd : openat(entry->folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
}

/* The target of a symbolic link has its own rule or none. */
static int
allow_entry(const struct ruleset_build *m, const struct rules_entry *entry, void *context)
{
	struct entries *entries = context;
	const char *path = entry->path;
	auto_fd int fd = entry->type == DT_LNK ? -1 : open_entry(entry, entries);
	struct opened_path opened = {.fd = fd};
	struct tree_rights tree_rights;

	if (entry->type == DT_LNK)
		return 0;
	if (fd < 0)
		return rules_pass_over(m, path);
	if (rules_look(&opened) < 0)
		return rules_fail_open(m, path);
	if (S_ISLNK(opened.at.st_mode) || (entries->is_guarded && is_secret(path, &opened.at)))
		return 0;
	if (entries->is_guarded && opened.is_folder &&
	    (rules_is_parted(path) || (entries->is_looked_into && holds_any_secret(fd, path))))
		return rules_allow_parts(m, fd, path);
	tree_rights = index_tree_rights_cached(&m->plan->index, path, &entries->memo);
	return rules_allow(m, fd, rules_access_for(m, &tree_rights, &opened), opened.is_folder,
			   path);
}

int
rules_allow_entries(const struct ruleset_build *m, int folder, const char *path, bool guard)
{
	struct entries entries = {.is_guarded = guard,
				  .is_looked_into = guard && path_below(path, guarded_tree)};
	int rc = rules_each(m, folder, path, allow_entry, &entries);

	return rc > 0 ? not_listed(m, path) : rc;
}

int
rules_allow_parts(const struct ruleset_build *m, int folder, const char *path)
{
	uint64_t names = rules_decide(m, path) & RIGHT_READ ? FILE_READ_DIR : 0u;
	int rc;

	if (path_depth(path) > DEPTH_MAX)
		return 0;
	rc = rules_allow(m, folder, names, true, path);
	return rc < 0 ? rc : rules_allow_entries(m, folder, path, true);
}
