// SPDX-License-Identifier: MIT
/*
 * Where symbolic links in the project may lead: not into what ends with the run, which nobody looks
 * at. That is the private tmp, and whatever is reached by the number of a process, whose folder or
 * descriptor may be the private tmp tomorrow. What counts is where the text leads, name by name and
 * link by link, not how it is spelt. Nothing here is opened.
 */
#include <errno.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/path.h"
#include "linux/nest.h"
#include "linux/procfs.h"
#include "linux/vet.h"

#define LINKS_MAX 40

struct way {
	char at[PATH_MAX];   /* where we stand, canonical as far as it exists; "": the root */
	char rest[PATH_MAX]; /* still to be walked */
	int links;
};

enum step { STEP_ON, STEP_END, STEP_REFUSED };

static bool
is_proc_root(const char *folder)
{
	struct statfs fs;
	struct stat at;

	return statfs(folder, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC &&
	       stat(folder, &at) == 0 && procfs_is_root_inode(at.st_ino);
}

/* Takes the first name off the rest; false: there is none. */
static bool
take_name(struct way *way, char to[NAME_MAX + 1])
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
step_up(struct way *way)
{
	char *slash = strrchr(way->at, '/');

	if (slash != NULL)
		*slash = '\0';
}

/*
 * In procfs. "self" is whoever looks, and of that nothing is known: what leads on through its folders
 * or out of them can come to any process.
 */
static enum step
step_into_proc(const struct way *way, const char *name)
{
	if (*name >= '0' && *name <= '9')
		return STEP_REFUSED;
	if (strcmp(name, "self") != 0 && strcmp(name, "thread-self") != 0)
		return STEP_ON;
	return strstr(way->rest, "/..") != NULL || strstr(way->rest, "/root/") != NULL
		       ? STEP_REFUSED
		       : STEP_END;
}

/* The text of a link takes the place of its name; what is none, or not there, is walked onto. */
static enum step
step_onto(struct way *way, const char *name)
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

static enum step
step(const struct broker *broker, struct way *way)
{
	char name[NAME_MAX + 1];
	enum step in_proc = STEP_ON;

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
	struct way way = {.links = 0};
	enum step end;

	if (*text != '/')
		snprintf(way.at, sizeof way.at, "%.*s", (int)(path_last(path) - path) - 1, path);
	snprintf(way.rest, sizeof way.rest, "%s", text);
	do
		end = step(broker, &way);
	while (end == STEP_ON);
	return end == STEP_REFUSED;
}

/* By its name alone, which nothing else has: where a link leads can be changed behind it. */
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

static bool
refuse(struct broker *broker, const char *path, const char *why)
{
	broker_refused(broker, "create", path, why);
	errno = EACCES;
	return false;
}

bool
vet_may_link_to(struct broker *broker, const char *path, const char *text)
{
	/* what is in the private tmp itself ends with it; a sandbox inside may have its project there */
	if (!broker_is_free(broker, path) &&
	    (names_private_tmp(broker, text) || leads_out(broker, path, text)))
		return refuse(broker, path,
			      "a link out of the project into what ends with the run");
	/* to a repository that came with the project's files, and whose hooks nobody looked at */
	if (!broker_is_free(broker, path) && vet_is_on_way(broker, path))
		return refuse(broker, path, "a link on git's way to another repository");
	return nest_may_link(broker, path, text) ||
	       refuse(broker, path, "the sandbox inside refuses where it leads");
}

bool
vet_may_hold(struct broker *broker, const char *path, int folder, const char *name)
{
	char text[PATH_MAX];
	ssize_t n = readlinkat(folder, name, text, sizeof text - 1);

	if (n < 0)
		return true;
	text[n] = '\0';
	return vet_may_link_to(broker, path, text);
}
