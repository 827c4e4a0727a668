// SPDX-License-Identifier: MIT
/*
 * Where symbolic links in the project may lead: not into the private tmp, whose contents are not inspected
 * and end with the session, nor through a pid in procfs, whose cwd or fds may be the private tmp later. The
 * text is resolved component by component and link by link; its spelling does not matter. Nothing is
 * opened.
 *
 * In a repository, links must not lead out of it. git creates no such links and writes through those it
 * finds: a reflog that is a link to a start-up file would get a line for every commit.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/fd.h"
#include "base/path.h"
#include "git/config/git_repo.h"
#include "linux/broker/call/procfs_view.h"
#include "linux/broker/git/git_check.h"
#include "linux/broker/git/subtree.h"
#include "linux/broker/long_name.h"
#include "linux/broker/nest.h"

#define LINKS_MAX 40
#define ENTRIES_MAX 5000 /* limit for a directory that becomes a repository */

struct link_path {
	char at[PATH_MAX];   /* current directory, canonical as far as it exists; "": the root */
	char rest[PATH_MAX]; /* components left */
	int links;
};

enum link_step { STEP_ON, STEP_END, STEP_REFUSED };

static bool
is_proc_root(const char *folder)
{
	struct statfs fs;
	struct stat at;

	return statfs(folder, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC &&
	       stat(folder, &at) == 0 && procfs_is_root_inode(at.st_ino);
}

/* Takes the first component off rest; false at the end. */
static bool
take_name(struct link_path *way, char to[NAME_MAX + 1])
{
	const char *start = way->rest + strspn(way->rest, "/");
	size_t length = strcspn(start, "/");

	if (length == 0 || length > NAME_MAX)
		return false;
	memcpy(to, start, length);
	to[length] = '\0';
	memmove(way->rest, start + length, strlen(start + length) + 1);
	return true;
}

static void
step_up(struct link_path *way)
{
	char *slash = strrchr(way->at, '/');

	if (slash != NULL)
		*slash = '\0';
}

/* In procfs "self" depends on the process, so a path through its cwd, root or fds may lead anywhere. */
static enum link_step
step_into_proc(const struct link_path *way, const char *name)
{
	if (*name >= '0' && *name <= '9')
		return STEP_REFUSED;
	if (strcmp(name, "self") != 0 && strcmp(name, "thread-self") != 0)
		return STEP_ON;
	return strstr(way->rest, "/..") != NULL || strstr(way->rest, "/root/") != NULL
		       ? STEP_REFUSED
		       : STEP_END;
}

/* Replaces a link by its text; enters anything else, existing or not. */
static enum link_step
step_onto(struct link_path *way, const char *name)
{
	char text[PATH_MAX], rest[PATH_MAX];
	size_t length = strlen(way->at);
	ssize_t n;

	if ((size_t)snprintf(way->at + length, PATH_MAX - length, "/%s", name) >= PATH_MAX - length)
		return STEP_REFUSED;
	n = readlink(way->at, text, sizeof text - 1);
	if (n < 0)
		return STEP_ON;
	text[n] = '\0';
	way->at[*text == '/' ? 0 : length] = '\0';
	if (snprintf(rest, sizeof rest, "%s%s", text, way->rest) >= (int)sizeof rest)
		return STEP_REFUSED;
	strcpy(way->rest, rest);
	return ++way->links > LINKS_MAX ? STEP_END : STEP_ON;
}

static enum link_step
step(const struct broker *broker, struct link_path *way)
{
	char name[NAME_MAX + 1];
	enum link_step in_proc = STEP_ON;

	if (!take_name(way, name))
		return STEP_END;
	if (strcmp(name, "..") == 0)
		step_up(way);
	if (strcmp(name, "..") == 0 || strcmp(name, ".") == 0)
		return STEP_ON;
	if (((*name >= '0' && *name <= '9') || strstr(name, "self") != NULL) &&
	    is_proc_root(*way->at == '\0' ? "/" : way->at))
		in_proc = step_into_proc(way, name);
	if (in_proc != STEP_ON)
		return in_proc;
	in_proc = step_onto(way, name);
	return broker->private_tmp != NULL && path_below(way->at, broker->private_tmp)
		       ? STEP_REFUSED
		       : in_proc;
}

static bool
leads_out(const struct broker *broker, const char *path, const char *text)
{
	struct link_path way = {.links = 0};
	enum link_step end;

	if (*text != '/')
		snprintf(way.at, sizeof way.at, "%.*s", (int)(path_last(path) - path) - 1, path);
	snprintf(way.rest, sizeof way.rest, "%s", text);
	do
		end = step(broker, &way);
	while (end == STEP_ON);
	return end == STEP_REFUSED;
}

/* Compared by name, which is unique: the targets of links in the path can change. */
static bool
names_private_tmp(const struct broker *broker, const char *text)
{
	const char *name = broker->private_tmp == NULL ? "" : path_last(broker->private_tmp);
	size_t length = strlen(name);

	for (const char *at = text; length > 0 && (at = strstr(at, name)) != NULL; at++)
		if ((at == text || at[-1] == '/') && (at[length] == '/' || at[length] == '\0'))
			return true;
	return false;
}

/* ---- links in a repository ---- */

/* Names of git in a repository that may share its directory with a worktree. */
static bool
is_gits(const char *name)
{
	static const char *const whole[] = {"branches", "info",	     "index",	   "logs",
					    "modules",	"objects",   "refs",	   "reftable",
					    "shallow",	"worktrees", "packed-refs"};
	size_t length = strcspn(name, "/");

	for (size_t i = 0; i < sizeof whole / sizeof whole[0]; i++)
		if (strlen(whole[i]) == length && ascii_same_n(name, whole[i], length))
			return true;
	/* HEAD, FETCH_HEAD and others; COMMIT_EDITMSG and others */
	return (length >= 4 && ascii_same_n(name + length - 4, "HEAD", 4)) ||
	       (length >= 3 && ascii_same_n(name + length - 3, "MSG", 3));
}

/* name.git is the usual name of a repository; .git always is one. */
static bool
is_repository_in(const char *folder, const char *rest)
{
	const char *name = path_last(folder);
	size_t length = strlen(name);

	if (length < 4 || !ascii_same(name + length - 4, ".git"))
		return is_gits(rest) && git_repo_is_repository(folder);
	return length == 4 || is_gits(rest);
}

/* The innermost repository that contains path. Returns false if there is none. */
static bool
find_repository(const char *path, char to[PATH_MAX])
{
	for (const char *at = path_last(path) - 1; at > path; at--) {
		size_t length = (size_t)(at - path);

		if (*at != '/')
			continue;
		snprintf(to, PATH_MAX, "%.*s", (int)length, path);
		if (is_repository_in(to, at + 1))
			return true;
	}
	return false;
}

/* ".." after a name: its result depends on a link that may be created later under that name. */
static bool
goes_back(const char *text)
{
	bool named = false;

	for (const char *at = text; *at != '\0'; at += strspn(at, "/")) {
		size_t length = strcspn(at, "/");
		bool up = length == 2 && strncmp(at, "..", 2) == 0;

		if (up && named)
			return true;
		named = named || (!up && !(length == 1 && *at == '.'));
		at += length;
	}
	return false;
}

static bool
stays_in(const char *repository, const char *path, const char *text)
{
	struct link_path way = {.links = 0};
	char name[NAME_MAX + 1];

	snprintf(way.at, sizeof way.at, "%.*s", (int)(path_last(path) - path) - 1, path);
	snprintf(way.rest, sizeof way.rest, "%s", text);
	/* an absolute path leads elsewhere if one of its directories is replaced */
	if (*text == '/' || goes_back(text))
		return false;
	while (take_name(&way, name)) {
		if (strcmp(name, "..") == 0)
			step_up(&way);
		else if (strcmp(name, ".") != 0 && step_onto(&way, name) != STEP_ON)
			return false;
		if (!path_below(way.at, repository))
			return false;
	}
	return true;
}

struct staying {
	const char *repository;
	int left;
	char path[PATH_MAX], text[PATH_MAX];
};

/* In the repository itself only git's own names count. */
static int
stays(void *context, const struct subtree_entry *entry)
{
	struct staying *s = context;
	ssize_t n;

	if (*entry->below == '\0' && !is_gits(entry->name))
		return 0;
	if (--s->left <= 0 || !subtree_path(s->repository, entry, s->path, sizeof s->path))
		return EACCES;
	if (entry->is_folder)
		return SUBTREE_ENTER;
	n = readlinkat(entry->folder, entry->name, s->text, sizeof s->text - 1);
	s->text[n < 0 ? 0 : n] = '\0';
	return n < 0 || stays_in(s->repository, s->path, s->text) ? 0 : EACCES;
}

bool
git_symlink_all_inside(const char *folder)
{
	auto_fd int fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	auto_free struct staying *s = calloc(1, sizeof *s);

	if (fd < 0 || s == NULL)
		return false;
	s->repository = folder;
	s->left = ENTRIES_MAX;
	return subtree_each(fd, stays, s) == 0;
}

bool
git_symlink_may_point(const struct notif_call *request, const char *path, const char *text)
{
	char repository[PATH_MAX];

	/* a path that cannot be inspected: accept only a target beside or below it */
	if (long_name_is(path) && (*text == '/' || strstr(text, "..") != NULL))
		return git_check_refuse(request, path, CAUSE_LINK_LONG);
	if (long_name_is(path) && nest_depth(request) == 0)
		return true;
	/* a deny below this name would apply where the link leads */
	if (!broker_is_private_tmp(request->broker, path) &&
	    broker_decide(request, path).pinned_by != NULL)
		return git_check_refuse(request, path, CAUSE_LINK_DENIED);
	if (!broker_is_private_tmp(request->broker, path) && find_repository(path, repository) &&
	    !stays_in(repository, path, text))
		return git_check_refuse(request, path, CAUSE_LINK_GIT);
	/* links in the private tmp end with it; a nest may have its project there */
	if (!broker_is_private_tmp(request->broker, path) &&
	    (names_private_tmp(request->broker, text) || leads_out(request->broker, path, text)))
		return git_check_refuse(request, path, CAUSE_LINK_TMP);
	/* to a repository from the project's files, whose hooks were not inspected */
	if (!broker_is_private_tmp(request->broker, path) &&
	    git_refs_lead_to_remote(request->broker, path))
		return git_check_refuse(request, path, CAUSE_LINK_REMOTE);
	return nest_may_link(request, path, text) ||
	       git_check_refuse(request, path, CAUSE_LINK_NEST);
}

bool
git_symlink_may_be(const struct notif_call *request, const char *path, int folder, const char *name)
{
	char text[PATH_MAX];
	ssize_t n = readlinkat(folder, name, text, sizeof text - 1);

	if (n < 0)
		return true;
	text[n] = '\0';
	return git_symlink_may_point(request, path, text);
}
