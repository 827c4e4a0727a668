// SPDX-License-Identifier: MIT
/*
 * Looks up paths name by name. The text of a link is walked; in procfs "self" is the caller. A magic link
 * is opened if the broker may read the caller, and the resulting canonical path is decided about. Files of
 * the broker's own process are refused at the first step into them.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/fd.h"
#include "linux/broker/call/procfs_view.h"
#include "linux/broker/nest.h"
#include "linux/broker/path/lookup_walk.h"

/* to->object is the object reached so far; to->folder is its directory, -1 after a magic link. */
struct walk {
	const struct notif_call *request;
	enum lookup_want want;
	enum lookup_follow follow;
	struct lookup *to;
	int links;
	char rest[PATH_MAX]; /* components left */
};

struct name {
	char text[PATH_MAX];
	const char *start, *after; /* in rest; after starts with the slash */
	bool is_last;		   /* not counting trailing slashes */
};

enum step { STEP_ON, STEP_END, STEP_FAILED }; /* STEP_FAILED sets errno */

static bool
next_name(const struct walk *w, struct name *to)
{
	to->start = w->rest + strspn(w->rest, "/");
	to->after = to->start + strcspn(to->start, "/");
	to->is_last = to->after[strspn(to->after, "/")] == '\0';
	snprintf(to->text, sizeof to->text, "%.*s", (int)(to->after - to->start), to->start);
	return *to->text != '\0';
}

static void
replace(int *at, int fd)
{
	if (*at >= 0)
		close(*at);
	*at = fd;
}

static int
start(const char *path, int base)
{
	return *path == '/' ? open("/", O_PATH | O_DIRECTORY | O_CLOEXEC)
			    : fcntl(base, F_DUPFD_CLOEXEC, 0);
}

/* ---- procfs ---- */

static bool
is_refused(const struct walk *w, const char *name)
{
	auto_free char *path = lookup_fd_name(w->to->object);
	auto_free char *inner = path == NULL ? NULL : lookup_join(path, name);

	return inner == NULL || !nest_may_look(w->request, inner);
}

/* A link that the kernel follows without using its text. */
static bool
is_magic(const struct walk *w, const char *name)
{
	auto_fd int fd = lookup_open(w->to->object, name, 0, NO_MAGIC_LINKS);

	return fd < 0 && errno == ELOOP;
}

/* ---- links ---- */

static bool
read_link(const struct walk *w, int link, const char *name, char to[PATH_MAX])
{
	int at = w->to->object;
	ssize_t n;

	if (lookup_is_procfs(at) && procfs_is_root(at) &&
	    procfs_self(w->request->thread, name, to, PATH_MAX))
		return true;
	n = readlinkat(link, "", to, PATH_MAX - 1);
	to[n < 0 ? 0 : n] = '\0';
	return n > 0;
}

/* Replaces the component by the link's text. */
static enum step
follow(struct walk *w, int link, const struct stat *of_link, const struct name *name)
{
	char text[PATH_MAX], rest[PATH_MAX];
	int root;

	if (name->is_last && lookup_is_protected(w->to->object, of_link))
		return errno = EACCES, STEP_FAILED;
	errno = ENOENT;
	if (!read_link(w, link, name->text, text))
		return STEP_FAILED;
	if (snprintf(rest, sizeof rest, "%s%s", text, name->after) >= (int)sizeof rest)
		return errno = ENAMETOOLONG, STEP_FAILED;
	strcpy(w->rest, rest);
	if (*text != '/')
		return STEP_ON;
	root = start(text, -1);
	if (root < 0)
		return STEP_FAILED;
	replace(&w->to->folder, -1);
	replace(&w->to->object, root);
	return STEP_ON;
}

/* ---- steps ---- */

/* Takes ownership of fd, the next object. With slashes after an entry, the call on it returns the errno. */
static enum step
arrive(struct walk *w, int fd, bool is_magic, const struct name *name)
{
	struct lookup *to = w->to;
	struct stat at;

	if (fstat(fd, &at) < 0 || (*name->after != '\0' && !S_ISDIR(at.st_mode) &&
				   (is_magic || !name->is_last || w->want != LOOKUP_ENTRY))) {
		close(fd);
		return errno = ENOTDIR, STEP_FAILED;
	}
	replace(&to->folder, is_magic ? -1 : to->object);
	if (is_magic)
		close(to->object);
	to->object = fd;
	strcpy(to->name, name->start);
	memmove(w->rest, name->after, strlen(name->after) + 1);
	return name->is_last ? STEP_END : STEP_ON;
}

static enum step
step_through(struct walk *w, const struct name *name)
{
	int fd = openat(w->to->object, name->text, O_PATH | O_CLOEXEC);

	return fd < 0 ? STEP_FAILED : arrive(w, fd, true, name);
}

/* Takes ownership of fd. */
static enum step
step_onto(struct walk *w, int fd, const struct name *name)
{
	bool keeps = name->is_last && !lookup_follows(w->follow, name->start);
	auto_fd int fd_opened = fd;
	bool is_proc = lookup_is_procfs(fd_opened);
	struct stat at;

	if (is_proc && is_refused(w, name->text))
		return errno = EACCES, STEP_FAILED;
	if (keeps || fstat(fd_opened, &at) < 0 || !S_ISLNK(at.st_mode))
		return arrive(w, fd_take(&fd_opened), false, name);
	if (++w->links > LINKS_MAX)
		return errno = ELOOP, STEP_FAILED;
	return is_proc && is_magic(w, name->text) ? step_through(w, name)
						  : follow(w, fd_opened, &at, name);
}

static enum step
step(struct walk *w)
{
	struct name name;
	bool is_new, is_free;
	int fd;

	if (!next_name(w, &name))
		return STEP_END;
	is_new = name.is_last && w->want != LOOKUP_OBJECT && !lookup_is_dots(name.text);
	fd = openat(w->to->object, name.text, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	is_free = fd < 0 && errno == ENOENT;
	if (is_new && w->want == LOOKUP_NEW && *name.after == '/' && (fd >= 0 || is_free)) {
		/* no name with a slash after it can be created, whether it exists or not */
		if (fd >= 0)
			close(fd);
		return errno = EISDIR, STEP_FAILED;
	}
	if (fd >= 0)
		return step_onto(w, fd, &name);
	if (!is_free || !is_new)
		return STEP_FAILED;
	replace(&w->to->folder, w->to->object);
	w->to->object = -1;
	strcpy(w->to->name, name.start);
	return STEP_END;
}

/* After a magic link the entry is the object's canonical path, with the remaining slashes. */
static bool
end_after_link(const struct walk *w)
{
	struct lookup *to = w->to;

	if (!lookup_object_parent(to->object, to))
		return false;
	if (strlen(to->name) + strlen(w->rest) < sizeof to->name)
		strcat(to->name, w->rest);
	return true;
}

static enum lookup_result
end_at_entry(const struct walk *w)
{
	struct lookup *to = w->to;
	/* creating a file in procfs fails with ENOENT */
	int why = to->object < 0 ? ENOENT : EACCES;

	if (!to->is_proc && to->folder >= 0)
		return lookup_end(to, LOOKUP_ENTRY);
	if (!to->is_proc && end_after_link(w))
		return LOOKUP_FOUND;
	lookup_fail(to, why);
	return LOOKUP_ELSEWHERE;
}

enum lookup_result
lookup_by_steps(const struct notif_call *request, int base, const char *path, enum lookup_want want,
		enum lookup_follow follow, struct lookup *to)
{
	struct walk w = {.request = request, .want = want, .follow = follow, .to = to};
	enum step end;

	snprintf(w.rest, sizeof w.rest, "%s", path);
	to->object = start(path, base);
	end = to->object < 0 ? STEP_FAILED : STEP_ON;
	while (end == STEP_ON)
		end = step(&w);
	if (end == STEP_FAILED) {
		lookup_fail(to, errno);
		return LOOKUP_FAILED;
	}
	to->is_proc = lookup_is_procfs(to->object >= 0 ? to->object : to->folder);
	to->by_steps = true;
	return want == LOOKUP_ENTRY ? end_at_entry(&w) : LOOKUP_FOUND;
}
