// SPDX-License-Identifier: MIT
/*
 * procfs on behalf of a caller. The broker has an owner's access to its own process whatever its layers
 * are, because threads of one process pass every ptrace check. So files of its own process are refused by
 * name, except those that every process may read and that check at read time.
 */
#include "linux/broker/call/procfs_view.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/fd.h"

#define ROOT_INODE 1

/* Opened without a check; ps needs them for every process. */
static const char *const harmless[] = {".",	 "..",	    "task", "stat",  "statm",
				       "status", "cmdline", "comm", "cgroup"};

static ssize_t
read_whole(const char *path, char *to, size_t size)
{
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, to, size - 1);

	if (n >= 0)
		to[n] = '\0';
	return n;
}

pid_t
procfs_process(pid_t thread)
{
	char path[64], text[512];
	const char *line;

	snprintf(path, sizeof path, "/proc/%d/status", (int)thread);
	if (read_whole(path, text, sizeof text) <= 0)
		return 0;
	line = strstr(text, "\nTgid:");
	return line == NULL ? 0 : (pid_t)strtol(line + 6, NULL, 10);
}

bool
procfs_is_root_inode(ino_t inode)
{
	return inode == ROOT_INODE;
}

bool
procfs_is_root(int fd)
{
	struct stat at;

	return fstat(fd, &at) == 0 && procfs_is_root_inode(at.st_ino) && S_ISDIR(at.st_mode);
}

bool
procfs_self(pid_t thread, const char *name, char *to, size_t size)
{
	bool self = strcmp(name, "self") == 0;
	pid_t process;

	if (!self && strcmp(name, "thread-self") != 0)
		return false;
	process = procfs_process(thread);
	if (self)
		snprintf(to, size, "%d", (int)process);
	else
		snprintf(to, size, "%d/task/%d", (int)process, (int)thread);
	return process > 0;
}

static bool
is_number(const char *name, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (!ascii_is_digit(name[i]))
			return false;
	return length > 0 && length < 10;
}

/* Each broker thread has an unlisted /proc directory with files of the whole process. */
static bool
is_ours(const char *number, size_t length)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/self/task/%.*s", (int)length, number);
	return access(path, F_OK) == 0;
}

static bool
is_harmless(const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof harmless / sizeof harmless[0]; i++)
		if (strlen(harmless[i]) == length && strncmp(harmless[i], name, length) == 0)
			return true;
	return is_number(name, length);
}

bool
procfs_is_open(const char *path)
{
	bool ours = false;

	for (const char *name = path; *name != '\0';) {
		size_t length;

		name += strspn(name, "/");
		length = strcspn(name, "/");
		if (ours && length > 0 && !is_harmless(name, length))
			return false;
		ours = ours || (is_number(name, length) && is_ours(name, length));
		name += length;
	}
	return true;
}

pid_t
procfs_keeper(const char *path)
{
	static const char root[] = "/proc/";
	const char *number = path + sizeof root - 1, *name;

	if (strcmp(path, "/proc") == 0)
		return 0;
	if (strncmp(path, root, sizeof root - 1) != 0)
		return -1;
	if (!is_number(number, strcspn(number, "/")))
		return 0;
	for (name = strchr(number, '/'); name != NULL; name = strchr(name, '/'))
		if (name++, !is_harmless(name, strcspn(name, "/")))
			return (pid_t)atoi(number);
	return 0;
}

bool
procfs_is_others_memory(const char *path, pid_t thread)
{
	const char *last = strrchr(path, '/'), *number = NULL;

	if (last == NULL || strcmp(last, "/mem") != 0)
		return false;
	for (const char *name = path; name < last;) {
		size_t length = strcspn(++name, "/");

		if (number == NULL && is_number(name, length))
			number = name;
		name += length;
	}
	return number == NULL || procfs_process((pid_t)atoi(number)) != procfs_process(thread);
}

/* ---- ptys ---- */

/* Field 7; parsing starts behind the name, which may contain anything. */
static dev_t
terminal_number(pid_t thread)
{
	char path[64], text[1024];
	unsigned number = 0;
	const char *rest;

	snprintf(path, sizeof path, "/proc/%d/stat", (int)thread);
	if (read_whole(path, text, sizeof text) <= 0)
		return 0;
	rest = strrchr(text, ')');
	if (rest == NULL || sscanf(rest, ") %*c %*d %*d %*d %u", &number) != 1 || number == 0)
		return 0;
	return makedev((number >> 8) & 0xfff, (number & 0xff) | ((number >> 12) & 0xfff00));
}

static bool
is_device(const char *path, dev_t device)
{
	struct stat at;

	return lstat(path, &at) == 0 && S_ISCHR(at.st_mode) && at.st_rdev == device;
}

/* The path of a device node, from sysfs. */
static bool
device_name(dev_t device, char to[PATH_MAX])
{
	char path[64], text[1024], *name;

	snprintf(path, sizeof path, "/sys/dev/char/%u:%u/uevent", major(device), minor(device));
	if (read_whole(path, text, sizeof text) <= 0)
		return false;
	name = strstr(text, "DEVNAME=");
	if (name == NULL)
		return false;
	snprintf(to, PATH_MAX, "/dev/%.200s", name + 8);
	to[strcspn(to, "\n")] = '\0';
	return is_device(to, device);
}

bool
procfs_terminal(pid_t thread, char to[PATH_MAX])
{
	dev_t device = terminal_number(thread);

	if (device == 0)
		return false;
	snprintf(to, PATH_MAX, "/dev/pts/%u", minor(device));
	if (is_device(to, device))
		return true;
	/* in a container /dev/console is a pty of the host */
	snprintf(to, PATH_MAX, "/dev/console");
	return is_device(to, device) || device_name(device, to);
}
