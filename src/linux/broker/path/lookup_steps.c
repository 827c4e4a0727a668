// SPDX-License-Identifier: MIT
/*
 * Walking one name at a time. Links are read and their text walked on; in procfs "self" is the
 * caller, and a magic link leads where it leads for whoever may read the caller: its own name is
 * judged afterwards. What belongs to our own process is closed at the first step into it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "linux/broker/call/procfs_view.h"
#include "linux/broker/nest.h"
#include "linux/broker/path/lookup.h"
#include "linux/seccomp/syscalls.h"

#define NO_MAGIC_LINKS 0x02u
#define LINKS_MAX 40

struct steps {
	const struct notif_call *request;
	unsigned how;
	int at; /* held: where we stand */
	int links;
	char rest[PATH_MAX]; /* still to be walked */
};

/* The next name, and whether it is the last one. */
struct name {
	char text[NAME_MAX + 1];
	const char *after; /* in rest, from the slash on */
	bool is_last;	   /* but for slashes */
};

/* 1: there is one, 0: none, -1: errno is set. */
static int
next_name(struct steps *s, struct name *to)
{
	const char *start = s->rest + strspn(s->rest, "/");
	size_t length = strcspn(start, "/");

	if (length == 0)
		return 0;
	if (length > NAME_MAX) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(to->text, start, length);
	to->text[length] = '\0';
	to->after = start + length;
	to->is_last = to->after[strspn(to->after, "/")] == '\0';
	return 1;
}

static bool
is_dots(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static void
stand_on(struct steps *s, int fd)
{
	close(s->at);
	s->at = fd;
}

static int
start(struct steps *s, int base)
{
	if (*s->rest == '/')
		return open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	return fcntl(base, F_DUPFD_CLOEXEC, 0);
}

/* ---- procfs ---- */

static bool
is_closed(const struct steps *s, const char *name)
{
	auto_free char *path = lookup_fd_name(s->at);
	auto_free char *inner = path == NULL ? NULL : lookup_join(path, name);

	return inner == NULL || !nest_may_look(s->request, inner);
}

/* A link that leads by itself, not by its text. */
static bool
is_magic(const struct steps *s, const char *name)
{
	const uint64_t how[3] = {O_PATH | O_CLOEXEC, 0, NO_MAGIC_LINKS};
	auto_fd int fd = (int)syscall(SYS_openat2, s->at, name, how, sizeof how);

	return fd < 0 && errno == ELOOP;
}

/* ---- links ---- */

/* In a sticky folder that all may write, only links of one's own or of the folder's owner count. */
static bool
is_planted(const struct steps *s, const struct stat *link)
{
	struct stat folder;
	char digit = '0';
	auto_fd int fd = -1;

	if (link->st_uid == geteuid() || fstat(s->at, &folder) < 0 ||
	    (folder.st_mode & (S_ISVTX | S_IWOTH)) != (S_ISVTX | S_IWOTH) ||
	    folder.st_uid == link->st_uid)
		return false;
	fd = open("/proc/sys/fs/protected_symlinks", O_RDONLY | O_CLOEXEC);
	return fd < 0 || read(fd, &digit, 1) != 1 || digit != '0';
}

static int
read_link(const struct steps *s, int link, const char *name, char to[PATH_MAX])
{
	ssize_t n;

	if (lookup_is_procfs(s->at) && procfs_is_root(s->at) &&
	    procfs_self(s->request->thread, name, to, PATH_MAX))
		return 0;
	n = readlinkat(link, "", to, PATH_MAX - 1);
	if (n <= 0)
		return -1;
	to[n] = '\0';
	return 0;
}

/* The link's text takes the place of its name. */
static int
follow(struct steps *s, int link, const struct stat *of_link, const struct name *name)
{
	char text[PATH_MAX], rest[PATH_MAX];
	int root;

	errno = ELOOP;
	if (++s->links > LINKS_MAX)
		return -1;
	errno = EACCES;
	if (name->is_last && is_planted(s, of_link))
		return -1;
	errno = ENOENT;
	if (read_link(s, link, name->text, text) < 0)
		return -1;
	errno = ENAMETOOLONG;
	if (snprintf(rest, sizeof rest, "%s%s", text, name->after) >= (int)sizeof rest)
		return -1;
	strcpy(s->rest, rest);
	if (*text != '/')
		return 0;
	root = start(s, -1);
	if (root < 0)
		return -1;
	stand_on(s, root);
	return 0;
}

/* ---- steps ---- */

enum lookup_step { STEP_ON, STEP_END, STEP_PLACE, STEP_FAILED };

static enum lookup_step
arrive(struct steps *s, int fd, const struct stat *at, const struct name *name)
{
	char rest[PATH_MAX];

	if (*name->after != '\0' && !S_ISDIR(at->st_mode)) {
		close(fd);
		errno = ENOTDIR;
		return STEP_FAILED;
	}
	stand_on(s, fd);
	strcpy(rest, name->after);
	strcpy(s->rest, rest);
	return name->is_last ? STEP_END : STEP_ON;
}

/* fd is taken over. */
static enum lookup_step
step_onto(struct steps *s, int fd, const struct name *name)
{
	bool keeps = name->is_last && *name->after == '\0' && (s->how & LOOKUP_NO_FOLLOW);
	struct stat at = {0};
	int rc;

	if (lookup_is_procfs(fd) && is_closed(s, name->text)) {
		close(fd);
		errno = EACCES;
		return STEP_FAILED;
	}
	if (fstat(fd, &at) < 0 || !S_ISLNK(at.st_mode) || keeps)
		return arrive(s, fd, &at, name);
	if (lookup_is_procfs(fd) && is_magic(s, name->text)) {
		close(fd);
		errno = ELOOP;
		if (++s->links > LINKS_MAX)
			return STEP_FAILED;
		fd = openat(s->at, name->text, O_PATH | O_CLOEXEC);
		return fd < 0 || fstat(fd, &at) < 0 ? STEP_FAILED : arrive(s, fd, &at, name);
	}
	rc = follow(s, fd, &at, name);
	close(fd);
	return rc < 0 ? STEP_FAILED : STEP_ON;
}

static enum lookup_step
step(struct steps *s, struct name *name)
{
	int more = next_name(s, name), fd;

	if (more <= 0)
		return more < 0 ? STEP_FAILED : STEP_END;
	/* no name is made with a slash behind it, whatever is there */
	errno = EISDIR;
	if (name->is_last && *name->after == '/' && (s->how & LOOKUP_NEW) && !is_dots(name->text))
		return STEP_FAILED;
	fd = openat(s->at, name->text, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0)
		return step_onto(s, fd, name);
	return errno == ENOENT && name->is_last && !is_dots(name->text) && (s->how & LOOKUP_NEW)
		       ? STEP_PLACE
		       : STEP_FAILED;
}

bool
lookup_by_steps(const struct notif_call *request, int base, const char *path, unsigned how,
		struct lookup_object *ret_found)
{
	struct steps s = {.request = request, .how = how};
	struct lookup_object *to = ret_found;
	struct name name;
	enum lookup_step end;

	to->object = to->folder = -1;
	snprintf(s.rest, sizeof s.rest, "%s", path);
	s.at = start(&s, base);
	if (s.at < 0) {
		to->why = errno;
		return false;
	}
	do
		end = step(&s, &name);
	while (end == STEP_ON);
	if (end == STEP_FAILED) {
		to->why = errno;
		close(s.at);
		return false;
	}
	if (end == STEP_PLACE) {
		snprintf(to->name, sizeof to->name, "%s%s", name.text, name.after);
		to->folder = s.at;
	} else {
		to->object = s.at;
	}
	to->is_proc = lookup_is_procfs(s.at);
	to->by_steps = true;
	return true;
}
