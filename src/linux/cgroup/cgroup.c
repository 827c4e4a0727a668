// SPDX-License-Identifier: MIT
/*
 * Finds the cgroup of this process and creates one below or beside it, only where that is delegated. On a
 * hybrid hierarchy (v1 and v2) the v2 tree often has no controllers, so a limit counts as set only after
 * the write succeeded.
 */
#include "linux/cgroup/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "base/fd.h"

/* ---- read ---- */

struct cgroup_lines
cgroup_lines_open(int folder, const char *file)
{
	struct cgroup_lines lines;

	lines.fd = openat(folder, file, O_RDONLY | O_CLOEXEC);
	lines.start = lines.end = 0;
	return lines;
}

void
cgroup_lines_close(struct cgroup_lines *lines)
{
	if (lines->fd >= 0)
		close(lines->fd);
	lines->fd = -1;
}

/* Returns false at the end of the file. A line longer than the buffer is dropped. */
static bool
lines_fill(struct cgroup_lines *lines)
{
	size_t kept = lines->end - lines->start;
	ssize_t n;

	memmove(lines->text, lines->text + lines->start, kept);
	if (kept == sizeof lines->text - 1)
		kept = 0;
	do
		n = read(lines->fd, lines->text + kept, sizeof lines->text - 1 - kept);
	while (n < 0 && errno == EINTR);
	lines->start = 0;
	lines->end = kept + (n > 0 ? (size_t)n : 0);
	return n > 0;
}

char *
cgroup_lines_next(struct cgroup_lines *lines)
{
	while (lines->fd >= 0) {
		char *line = lines->text + lines->start;
		char *newline = memchr(line, '\n', lines->end - lines->start);

		if (newline != NULL) {
			*newline = '\0';
			lines->start = (size_t)(newline - lines->text) + 1;
			return line;
		}
		if (!lines_fill(lines))
			cgroup_lines_close(lines);
	}
	return NULL;
}

bool
cgroup_has_word(int folder, const char *file, const char *word)
{
	struct cgroup_lines lines = cgroup_lines_open(folder, file);
	size_t length = strlen(word);
	bool found = false;
	char *line;

	while (!found && (line = cgroup_lines_next(&lines)) != NULL)
		while (!found && *line != '\0') {
			size_t size = strcspn(line, " ");

			found = size == length && strncmp(line, word, size) == 0;
			line += size + strspn(line + size, " ");
		}
	cgroup_lines_close(&lines);
	return found;
}

bool
cgroup_number(int folder, const char *file, const char *key, uint64_t *ret_number)
{
	struct cgroup_lines lines = cgroup_lines_open(folder, file);
	size_t length = strlen(key);
	char *line, *end;
	bool found = false;

	while (!found && (line = cgroup_lines_next(&lines)) != NULL) {
		if (strncmp(line, key, length) != 0 || (length > 0 && line[length] != ' '))
			continue;
		line += length + (length > 0);
		if (*line < '0' || *line > '9')
			break;
		*ret_number = strtoull(line, &end, 10);
		found = *end == '\0';
	}
	cgroup_lines_close(&lines);
	return found;
}

int
cgroup_write(int folder, const char *file, const char *text)
{
	auto_fd int fd = openat(folder, file, O_WRONLY | O_CLOEXEC);
	size_t length = strlen(text);
	ssize_t n;

	if (fd < 0)
		return -1;
	do
		n = write(fd, text, length);
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)length ? 0 : -1;
}

/* ---- location ---- */

static int
open_folder(const char *path)
{
	return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static bool
try_place(const char *mount, const char *name, char ret_path[PATH_MAX])
{
	char path[PATH_MAX];
	struct statfs fs;

	/* this process's cgroup is outside the mounted tree */
	if (*name != '/' || strstr(name, "/..") != NULL)
		return false;
	if (strcmp(name, "/") == 0)
		name = "";
	if (snprintf(path, sizeof path, "%s%s", mount, name) >= (int)sizeof path ||
	    statfs(path, &fs) < 0 || fs.f_type != CGROUP2_MAGIC)
		return false;
	memcpy(ret_path, path, sizeof path);
	return true;
}

/* One line of mountinfo: "ID PARENT DEVICE ROOT MOUNTPOINT OPTIONS... - TYPE ...". */
static bool
try_mount(char *line, const char *name, char ret_path[PATH_MAX])
{
	char *fields[5], *save = NULL;
	size_t length;

	if (strstr(line, " - cgroup2 ") == NULL)
		return false;
	for (int i = 0; i < 5; i++) {
		fields[i] = strtok_r(i == 0 ? line : NULL, " ", &save);
		if (fields[i] == NULL)
			return false;
	}
	length = strcmp(fields[3], "/") == 0 ? 0 : strlen(fields[3]);
	if (strncmp(name, fields[3], length) != 0 ||
	    (length > 0 && name[length] != '/' && name[length] != '\0'))
		return false;
	return try_place(fields[4], name[length] == '\0' ? "/" : name + length, ret_path);
}

bool
cgroup_locate(const char *name, char ret_path[PATH_MAX])
{
	static const char *const usual[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"};
	struct cgroup_lines lines;
	bool found = false;
	char *line;

	for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++)
		if (try_place(usual[i], name, ret_path))
			return true;
	lines = cgroup_lines_open(AT_FDCWD, "/proc/self/mountinfo");
	while (!found && (line = cgroup_lines_next(&lines)) != NULL)
		found = try_mount(line, name, ret_path);
	cgroup_lines_close(&lines);
	return found;
}

bool
cgroup_find_own(char ret_path[PATH_MAX])
{
	struct cgroup_lines lines = cgroup_lines_open(AT_FDCWD, "/proc/self/cgroup");
	bool found = false;
	char *line;

	while ((line = cgroup_lines_next(&lines)) != NULL && strncmp(line, "0::", 3) != 0)
		;
	if (line != NULL)
		found = cgroup_locate(line + 3, ret_path);
	cgroup_lines_close(&lines);
	return found;
}

/*
 * Tries to open for writing: a sandbox around this one is not visible in permissions. To move a process,
 * the kernel requires write access to cgroup.procs of the common ancestor.
 */
static bool
is_ours(const char *path)
{
	char file[PATH_MAX];
	auto_fd int procs = -1;

	if (access(path, W_OK | X_OK) < 0 ||
	    snprintf(file, sizeof file, "%s/cgroup.procs", path) >= (int)sizeof file)
		return false;
	procs = open(file, O_WRONLY | O_CLOEXEC);
	return procs >= 0;
}

bool
cgroup_is_delegated(void)
{
	char path[PATH_MAX];

	return cgroup_find_own(path) && is_ours(path);
}

/* ---- creation ---- */

static const struct controller {
	const char *name, *on;
	size_t wish; /* offset in struct group_wish */
} controllers[] = {
	{"memory", "+memory", offsetof(struct group_wish, memory)},
	{"pids", "+pids", offsetof(struct group_wish, processes)},
};

static bool
is_wished(const struct group_wish *wish, const struct controller *controller)
{
	uint64_t value;

	memcpy(&value, (const char *)wish + controller->wish, sizeof value);
	return value != 0;
}

/*
 * A cgroup has either processes or controllers, except the root, which has no cgroup.type. Enabling pids
 * would succeed and make the cgroups below unusable.
 */
static bool
can_enable(int folder)
{
	struct cgroup_lines lines;
	bool has_processes;

	if (faccessat(folder, "cgroup.type", F_OK, 0) < 0)
		return true;
	lines = cgroup_lines_open(folder, "cgroup.procs");
	has_processes = cgroup_lines_next(&lines) != NULL;
	cgroup_lines_close(&lines);
	return !has_processes;
}

int
cgroup_enable(int folder, const struct group_wish *wish)
{
	for (size_t i = 0; i < sizeof controllers / sizeof controllers[0]; i++) {
		if (!is_wished(wish, &controllers[i]) ||
		    cgroup_has_word(folder, "cgroup.subtree_control", controllers[i].name))
			continue;
		if (!can_enable(folder)) {
			errno = EBUSY;
			return -1;
		}
		if (cgroup_write(folder, "cgroup.subtree_control", controllers[i].on) < 0)
			return -1;
	}
	return 0;
}

/* Below a threaded cgroup a new one accepts no processes. */
static bool
is_usable(int folder)
{
	struct cgroup_lines lines = cgroup_lines_open(folder, "cgroup.type");
	const char *type = cgroup_lines_next(&lines);
	bool usable = type != NULL && strcmp(type, "domain") == 0;

	cgroup_lines_close(&lines);
	errno = usable ? 0 : EOPNOTSUPP;
	return usable;
}

static int
write_number(int folder, const char *file, uint64_t number)
{
	char text[24];

	snprintf(text, sizeof text, "%llu", (unsigned long long)number);
	return cgroup_write(folder, file, text);
}

/* Also limit swap, and kill the whole cgroup on OOM: half of a process tree is of no use. */
static int
limit_memory(int folder, uint64_t limit)
{
	if (write_number(folder, "memory.max", limit) < 0)
		return -1;
	if (write_number(folder, "memory.swap.max", 0) < 0 && errno != ENOENT)
		return -1;
	return write_number(folder, "memory.oom.group", 1);
}

int
cgroup_limit(int folder, const struct group_wish *wish)
{
	if (wish->memory != 0 && limit_memory(folder, wish->memory) < 0)
		return -1;
	if (wish->processes != 0 && write_number(folder, "pids.max", wish->processes) < 0)
		return -1;
	return 0;
}

int
cgroup_make(const char *path, const struct group_wish *wish, int *ret_folder)
{
	auto_fd int above = -1, folder = -1;
	char parent[PATH_MAX];
	int sys;

	snprintf(parent, sizeof parent, "%s", path);
	*strrchr(parent, '/') = '\0';
	above = open_folder(parent);
	if (above < 0 || cgroup_enable(above, wish) < 0 || mkdir(path, 0755) < 0)
		return -1;
	folder = open_folder(path);
	if (folder < 0 || !is_usable(folder) || cgroup_limit(folder, wish) < 0) {
		sys = errno;
		rmdir(path);
		errno = sys;
		return -1;
	}
	*ret_folder = folder;
	folder = -1;
	return 0;
}

/* The root of the hierarchy has no cgroup.type; the mounted tree may begin below it. */
static bool
is_root(const char *path)
{
	char file[PATH_MAX];

	return snprintf(file, sizeof file, "%s/cgroup.type", path) < (int)sizeof file &&
	       access(file, F_OK) < 0 && errno == ENOENT;
}

/*
 * Moves to the parent cgroup. Not to the root and not to a slice: systemd manages those, and creates a
 * scope on request.
 */
static bool
go_above(char path[PATH_MAX])
{
	size_t length;

	*strrchr(path, '/') = '\0';
	length = strlen(path);
	if (length > 6 && strcmp(path + length - 6, ".slice") == 0)
		return false;
	return !is_root(path);
}

bool
cgroup_choose_path(const struct group_wish *wish, char ret_path[PATH_MAX])
{
	bool limited = wish->memory != 0 || wish->processes != 0;
	char parent[PATH_MAX];

	errno = ENOENT;
	if (!cgroup_find_own(parent))
		return false;
	errno = EACCES;
	if (!is_ours(parent) ||
	    (limited && !is_root(parent) && (!go_above(parent) || !is_ours(parent))))
		return false;
	errno = ENAMETOOLONG;
	return snprintf(ret_path, PATH_MAX, "%s/cordon-%s", parent, wish->id) < PATH_MAX;
}
