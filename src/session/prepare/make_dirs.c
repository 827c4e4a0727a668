// SPDX-License-Identifier: MIT
/*
 * Creates missing directories that are granted with a trailing slash, mostly caches of programs
 * that never ran. Landlock rules need an existing inode, so they are created before the ruleset,
 * with mode 0700. Only in a directory that the user owns, and never the home directory. If one
 * cannot be created, nothing is granted.
 */
#include "base/os.h"

#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/path.h"
#include "plan/plan.h"
#include "session/session.h"

static int
enter(int folder, const char *name)
{
	return openat(folder, name, COMPAT_O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static bool
is_own(int folder)
{
	struct stat at;

	return fstat(folder, &at) == 0 && at.st_uid == geteuid();
}

static bool
make_one(int folder, const char *path, const char *name, struct made_dirs *made)
{
	const char **slot;

	if (mkdirat(folder, name, 0700) < 0)
		return errno == EEXIST;
	/* without memory it is not removed later, which is harmless */
	slot = arena_push(&made->arena, &made->paths, &made->count, sizeof *slot, NULL);
	if (slot != NULL)
		*slot = arena_strdup(&made->arena, path, NULL);
	return true;
}

/* path is canonical: a link in it was created since, and is not followed. */
static bool
make_folder(const struct host *host, const char *path, struct made_dirs *made)
{
	auto_fd int folder = open("/", COMPAT_O_PATH | O_DIRECTORY | O_CLOEXEC);
	char upto[PATH_MAX];
	size_t length = strlen(path);

	if (length >= sizeof upto)
		return false;
	memcpy(upto, path, length + 1);
	for (size_t at = 1; folder >= 0 && at < length;) {
		size_t end = at + strcspn(path + at, "/");
		int next;

		upto[end] = '\0';
		next = enter(folder, upto + at);
		if (next < 0 && errno == ENOENT && is_own(folder) &&
		    !(host->home != NULL && path_below(host->home, upto)) &&
		    make_one(folder, upto, upto + at, made))
			next = enter(folder, upto + at);
		close(folder);
		folder = next;
		upto[end] = '/';
		at = end + 1;
	}
	return folder >= 0;
}

void
make_dirs(struct plan *plan, struct made_dirs *made)
{
	for (size_t i = 0; plan_gaps(plan) == 0 && i < plan->index.path_count; i++) {
		struct planned_rule *rule = &plan->index.paths[i];

		if (plan_rule_creates_dir(plan, rule))
			rule->exists = make_folder(plan->host, rule->path, made);
	}
}

/* The deepest first; rmdir fails for one that is not empty. */
void
make_dirs_remove(struct made_dirs *made, bool is_kept)
{
	for (size_t i = made->count; !is_kept && i > 0; i--)
		if (made->paths[i - 1] != NULL)
			rmdir(made->paths[i - 1]);
	arena_free(&made->arena);
	*made = (struct made_dirs){0};
}
