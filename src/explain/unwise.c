// SPDX-License-Identifier: MIT
/*
 * The paths that are never suggested. Users paste suggestions without much thought. The paths listed here would grant far too much:
 * whole home directories, raw devices, consoles, programs that run outside the sandbox.
 */
#include "explain/unwise.h"

#include <string.h>

#include "base/path.h"
#include "base/str.h"
#include "explain/why.h"
#include "host/host.h"
#include "policy/read/dialect_defaults.h"

/* The devices that may be suggested; never a console, a disk or memory. */
static const char *const devices[] = {"/dev/pts", "/dev/shm", "/dev/kvm",     "/dev/fuse",
				      "/dev/dri", "/dev/snd", "/dev/net/tun", NULL};

/* No user program changes these directories. Of the next two, only entries may be suggested. */
static const char *const system_folders[] = {"/bin",  "/boot", "/etc", "/lib", "/opt",	   "/proc",
					     "/sbin", "/sys",  "/usr", "/run", "/var/lib", NULL};
static const char *const shared_folders[] = {"/tmp", "/var/tmp", NULL};

/* What programs and people did on this machine, and what they sent. */
static const char *const records[] = {"/var/log",     "/var/mail",  "/var/spool",
				      "/var/backups", "/var/crash", NULL};
/* Below the home directory: tokens of agents. Their profiles grant them to the agents. */
static const char *const tokens[] = {"~/.claude.json",
				     "~/.claude/.credentials.json",
				     "~/.codex/auth.json",
				     "~/.gemini/oauth_creds.json",
				     "~/.local/share/opencode/auth.json",
				     NULL};

/* Below the home directory: each has directories of many programs. */
static const char *const common_folders[] = {".config",	     ".cache",	     ".local",
					     ".local/share", ".local/state", NULL};

static bool
is_below_any(const char *const *folders, const char *path)
{
	for (; *folders != NULL; folders++)
		if (path_below(path, *folders))
			return true;
	return false;
}

/* Is it the home directory of any user, or a parent of one? */
static bool
is_home(const struct plan *plan, const char *path)
{
	if (strcmp(path, "/") == 0 || strcmp(path, "/root") == 0 || strcmp(path, "/home") == 0 ||
	    (plan->host->home != NULL && path_below(plan->host->home, path)))
		return true;
	return str_starts(path, "/home/") && strchr(path + strlen("/home/"), '/') == NULL;
}

static bool
is_device(const char *path)
{
	return path_below(path, "/dev") && !is_below_any(devices, path);
}

static bool
is_one_of(const char *const *folders, const char *path)
{
	while (*folders != NULL && strcmp(*folders, path) != 0)
		folders++;
	return *folders != NULL;
}

/* A directory of the system as a whole: /srv, /var, /var/lib. */
static bool
is_wide(const char *path)
{
	return strrchr(path, '/') == path || strcmp(path, "/var") == 0 ||
	       is_one_of(system_folders, path);
}

/* Is it in a directory of PATH, or above one? */
static bool
has_programs(const struct plan *plan, const char *path)
{
	const char *at = host_getenv(plan->host, "PATH");
	char folder[PATH_MAX];

	while (at != NULL && *at != '\0') {
		size_t length = strcspn(at, ":");

		if (*at == '/' && length < sizeof folder) {
			memcpy(folder, at, length);
			folder[length] = '\0';
			if (path_below(path, folder) || path_below(folder, path))
				return true;
		}
		at += length + (at[length] == ':');
	}
	return false;
}

bool
unwise_grant(const struct plan *plan, const char *path, unsigned missing)
{
	return is_home(plan, path) || is_device(path) ||
	       ((missing & RIGHTS_CHANGE) && has_programs(plan, path));
}

/* Returns path relative to the home directory, or NULL if it is outside. */
static const char *
behind_home(const struct plan *plan, const char *path)
{
	const char *home = plan->host->home;

	return home == NULL || !path_below(path, home) || strcmp(path, home) == 0
		       ? NULL
		       : path + strlen(home) + (strcmp(home, "/") != 0);
}

/* The names start with "~/". */
static bool
is_listed(const char *const *names, const char *rest)
{
	for (; *names != NULL; names++)
		if (path_below(rest, *names + strlen("~/")))
			return true;
	return false;
}

/* Outside the project what may be executed is run outside the sandbox, too: tools that a profile names. */
static bool
is_executed(const struct plan *plan, const char *path)
{
	const char *project = plan->host->project;

	return (index_rights(&plan->index, path) & RIGHT_EXECUTE) &&
	       (project == NULL || !path_below(path, project));
}

bool
unwise_hint(const struct plan *plan, const char *path, unsigned missing)
{
	const char *rest = behind_home(plan, path);

	if (unwise_grant(plan, path, missing) || secret_is_path(plan, path) || is_wide(path) ||
	    is_below_any(records, path) || ((missing & RIGHTS_CHANGE) && is_executed(plan, path)) ||
	    ((missing & RIGHTS_CHANGE) && is_below_any(system_folders, path)))
		return true;
	return rest != NULL && (is_listed(baseline_histories, rest) || is_listed(tokens, rest) ||
				is_one_of(common_folders, rest) ||
				((missing & RIGHTS_CHANGE) && is_listed(baseline_dotfiles, rest)));
}

/* Is a listed name below the path, or the path below a listed name? */
static bool
touches_listed(const char *const *names, const char *rest)
{
	for (; *names != NULL; names++)
		if (path_below(rest, *names + strlen("~/")) ||
		    path_below(*names + strlen("~/"), rest))
			return true;
	return false;
}

bool
unwise_common(const struct plan *plan, const char *path)
{
	const char *rest = behind_home(plan, path);

	return rest != NULL && is_one_of(common_folders, rest);
}

bool
unwise_folder(const struct plan *plan, const char *path)
{
	const char *rest = behind_home(plan, path);

	if (strrchr(path, '/') == path || is_one_of(shared_folders, path) ||
	    unwise_hint(plan, path, RIGHTS_CHANGE))
		return true;
	return unwise_common(plan, path) || (rest != NULL && touches_listed(baseline_never, rest));
}
