// SPDX-License-Identifier: MIT
/*
 * Folders granted piece by piece, in two cases, both to the narrower side: root is not given what an
 * ordinary user could not read, and a profile's grant of a folder shared by everybody is for files by
 * name.
 */
#include "base/compat.h"

#include "linux/rules.h"

#include <dirent.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/path.h"

/*
 * Folders in which some entries are for root alone. A profile that grants one means what an
 * ordinary user gets by it; modes do not see to that for root. All names can be listed, for a
 * cordon inside this one has to do the same again.
 */
static const char *const guarded_folders[] = {
	"/etc",	    "/etc/NetworkManager", "/etc/kubernetes", "/etc/letsencrypt",
	"/etc/pki", "/etc/pki/tls",	   "/etc/ssh",	      "/etc/ssl",
	"/sys",	    "/sys/firmware",	   "/sys/fs",	      "/sys/kernel",
};
/* That, however deep. All of it is looked at, which none of the others is small enough for. */
static const char guarded_tree[] = "/etc";
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

bool
rules_is_shared(const char *path)
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

/* Few begin alike, and fnmatch is slow enough to be seen in a start by root. */
static bool
is_like(const char *path, const char *pattern)
{
	return strncmp(path, pattern, strcspn(pattern, "*")) == 0 &&
	       fnmatch(pattern, path, FNM_PATHNAME) == 0;
}

static bool
is_secret(const char *path, const struct stat *at)
{
	mode_t needed = S_ISDIR(at->st_mode) ? S_IROTH | S_IXOTH : S_IROTH;
	bool secret = (at->st_mode & needed) != needed;

	for (size_t i = 0; !secret && i < sizeof root_secrets / sizeof root_secrets[0]; i++)
		secret = is_like(path, root_secrets[i]);
	return secret;
}

/* May it be read by a rule that is taken as it is? */
static bool
is_granted_whole(const struct index *index, const char *path)
{
	for (size_t i = 0; i < index->path_count; i++) {
		const struct planned_rule *rule = &index->paths[i];
		bool in_part = rule->rule->optional &&
			       (rules_is_parted(rule->path) || rules_is_shared(rule->path));

		if (rule->effect == EFFECT_ALLOW && (rule->rights & RIGHT_READ) && !in_part &&
		    path_below(path, rule->path))
			return true;
	}
	return (index->default_rights & RIGHT_READ) != 0;
}

/* Is it, or anything above it in that folder, for root alone? As deep as the folder is guarded. */
static bool
is_kept_in(const char *folder, const char *path)
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
ruleset_keeps_back(const struct plan *plan, const char *path)
{
	struct stat at;
	bool kept = false;

	for (size_t i = 0; i < sizeof shared_folders / sizeof shared_folders[0]; i++)
		kept = kept || (path_below(path, shared_folders[i]) && lstat(path, &at) == 0 &&
				S_ISDIR(at.st_mode));
	for (size_t i = 0; i < sizeof guarded_folders / sizeof guarded_folders[0]; i++)
		kept = kept || (geteuid() == 0 && is_kept_in(guarded_folders[i], path));
	return kept && !is_granted_whole(&plan->index, path);
}

int
rules_not_held(const struct making *m, const char *path)
{
	return cordon_fail(m->err, CORDON_E_SYSTEM, errno, "cannot hold %.120s", path);
}

/* What is not there, or not for us, is passed over; a failure is not: less would work than planned. */
int
rules_pass_over(const struct making *m, const char *path)
{
	/* O_PATH knows no EPERM: then opening itself is forbidden, by a filter around us */
	return errno_is_fault(errno) || errno == EPERM || errno == ENOSYS ? rules_not_held(m, path)
									  : 0;
}

int
rules_allow_parts(const struct making *m, int folder, const char *path)
{
	uint64_t names = rules_decide(m, path) & RIGHT_READ ? FILE_READ_DIR : 0u;
	int rc = rules_allow(m, folder, names, true, path);

	return rc < 0 ? rc : rules_allow_entries(m, folder, path, true);
}

static bool holds_secret(int parent, const char *name, const char *path);

/* What cannot be looked at counts as a secret: it is then granted in parts, or not at all. */
static bool
is_or_holds_secret(int folder, const char *path, const struct dirent64 *entry)
{
	const char *name = entry->d_name;
	char inner[PATH_MAX];
	struct stat at;

	if (entry->d_type == DT_LNK || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return false;
	if (snprintf(inner, sizeof inner, "%s/%s", path, name) >= (int)sizeof inner ||
	    fstatat(folder, name, &at, AT_SYMLINK_NOFOLLOW) < 0)
		return true;
	if (S_ISLNK(at.st_mode))
		return false;
	return is_secret(inner, &at) || (S_ISDIR(at.st_mode) && holds_secret(folder, name, inner));
}

/* Without opendir, which asks the kernel as often again for each of some hundred folders. */
static bool
holds_secret(int parent, const char *name, const char *path)
{
	auto_fd int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	_Alignas(struct dirent64) char entries[4096];
	const struct dirent64 *entry;
	long n;

	if (fd < 0)
		return true;
	while ((n = syscall(SYS_getdents64, fd, entries, sizeof entries)) > 0)
		for (long at = 0; at < n; at += entry->d_reclen) {
			entry = (const struct dirent64 *)(const void *)(entries + at);
			if (is_or_holds_secret(fd, path, entry))
				return true;
		}
	return n < 0;
}

static bool
is_in_parts(int folder, const char *name, const char *path)
{
	return rules_is_parted(path) ||
	       (path_below(path, guarded_tree) && holds_secret(folder, name, path));
}

static int
not_listed(const struct making *m, const char *path)
{
	return cordon_fail(m->err, CORDON_E_PATH, errno, "cannot list %.120s", path);
}

int
rules_each(const struct making *m, int folder, const char *path, rules_entry_fn *fn, void *context)
{
	const char *base = strcmp(path, "/") == 0 ? "" : path;
	int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc = 0;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	char inner[PATH_MAX];

	if (dir == NULL && fd >= 0)
		close(fd);
	if (dir == NULL)
		return errno_is_fault(errno) ? not_listed(m, path) : 1;
	while (rc == 0 && (errno = 0, entry = readdir(dir)) != NULL)
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
		    snprintf(inner, sizeof inner, "%s/%s", base, entry->d_name) < (int)sizeof inner)
			rc = fn(m, folder, inner, context);
	if (rc == 0 && errno != 0)
		rc = not_listed(m, path);
	closedir(dir);
	return rc;
}

/* What links name has a rule of its own, or none. */
static int
allow_entry(const struct making *m, int folder, const char *path, void *guard)
{
	auto_fd int fd = openat(folder, path_last(path), O_PATH | O_NOFOLLOW | O_CLOEXEC);
	bool is_guarded = *(const bool *)guard;
	struct held held = {.fd = fd};
	struct reach reach;

	if (fd < 0)
		return rules_pass_over(m, path);
	if (rules_look(&held) < 0)
		return rules_not_held(m, path);
	if (S_ISLNK(held.at.st_mode) || (is_guarded && is_secret(path, &held.at)))
		return 0;
	if (is_guarded && held.is_folder && is_in_parts(folder, path_last(path), path))
		return rules_allow_parts(m, fd, path);
	reach = index_reach(&m->plan->index, path);
	return rules_allow(m, fd, rules_access_for(m, &reach, &held), held.is_folder, path);
}

int
rules_allow_entries(const struct making *m, int folder, const char *path, bool guard)
{
	int rc = rules_each(m, folder, path, allow_entry, &guard);

	return rc > 0 ? not_listed(m, path) : rc;
}
