// SPDX-License-Identifier: MIT
/*
 * Installs a copy of an inspected file. It is created unnamed; to replace a file it briefly gets a name
 * that no sandbox may touch (protected.c), because the kernel renames only named files.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/path.h"
#include "git/protect/git_repo_cache.h"
#include "linux/broker/git/git_check.h"

#define NOREPLACE 1u

/* ---- read ---- */

int
git_install_read_fd(int fd, struct git_file *ret)
{
	struct stat at;
	size_t length = 0;
	char *text;
	ssize_t n = 0;

	if (fstat(fd, &at) < 0)
		return errno;
	if (!S_ISREG(at.st_mode))
		return EACCES;
	if (at.st_size > (off_t)GITCONFIG_MAX)
		return EFBIG;
	/* one byte over the limit: the file may grow while it is read */
	text = malloc(GITCONFIG_MAX + 1);
	if (text == NULL)
		return ENOMEM;
	while (length <= GITCONFIG_MAX &&
	       (n = pread(fd, text + length, GITCONFIG_MAX + 1 - length, (off_t)length)) > 0)
		length += (size_t)n;
	if (n < 0 || length > GITCONFIG_MAX) {
		int why = n < 0 ? errno : EFBIG;

		free(text);
		return why;
	}
	*ret = (struct git_file){text, length, at.st_mode & 07777, {at.st_atim, at.st_mtim}};
	return 0;
}

int
git_install_read(int folder, const char *name, struct git_file *ret)
{
	auto_fd int fd =
		openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	return fd < 0 ? errno : git_install_read_fd(fd, ret);
}

/* ---- write ---- */

static int
write_all(int fd, const struct git_file *file)
{
	for (size_t done = 0; done < file->length;) {
		ssize_t n = write(fd, file->text + done, file->length - done);

		if (n < 0 && errno != EINTR)
			return -1;
		done += n < 0 ? 0 : (size_t)n;
	}
	/* owner-readable: an unreadable file would hide its settings from the broker */
	return fchmod(fd, (file->mode & 0777) | S_IRUSR) < 0 ? -1 : futimens(fd, file->times);
}

static int
choose_name(char to[32])
{
	uint64_t number;

	if (getrandom(&number, sizeof number, 0) != sizeof number)
		return -1;
	snprintf(to, 32, ".cordon-%016llx", (unsigned long long)number);
	return 0;
}

static int
link_as(int fd, int folder, const char *name)
{
	char own[40];

	snprintf(own, sizeof own, "/proc/self/fd/%d", fd);
	return linkat(AT_FDCWD, own, folder, name, AT_SYMLINK_FOLLOW);
}

/* Renames the temporary name to its target, or removes it. */
static int
move_in(const struct git_target *to, const char *name)
{
	int rc = (int)syscall(SYS_renameat2, to->folder, name, to->folder, to->name,
			      to->is_new ? NOREPLACE : 0u);
	int why = errno;

	if (rc < 0)
		unlinkat(to->folder, name, 0);
	errno = why;
	return rc;
}

/* For file systems without unnamed files (O_TMPFILE). */
static int
put_named(const struct git_target *to, const struct git_file *file)
{
	char name[32];
	auto_fd int fd = -1;

	if (choose_name(name) < 0)
		return -1;
	fd = openat(to->folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -1;
	if (write_all(fd, file) < 0) {
		int why = errno;

		unlinkat(to->folder, name, 0);
		errno = why;
		return -1;
	}
	return move_in(to, name);
}

static int
put(const struct git_target *to, const struct git_file *file)
{
	char name[32];
	auto_fd int fd = openat(to->folder, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);

	if (fd < 0)
		return errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL || errno == ENOENT
			       ? put_named(to, file)
			       : -1;
	if (write_all(fd, file) < 0)
		return -1;
	if (link_as(fd, to->folder, to->name) == 0)
		return 0;
	if (errno != EEXIST || to->is_new || choose_name(name) < 0 ||
	    link_as(fd, to->folder, name) < 0)
		return -1;
	return move_in(to, name);
}

/* From now on the paths that its settings refer to are protected. */
static void
settle(struct broker *broker, const char *path)
{
	char git_dir[PATH_MAX];

	snprintf(git_dir, sizeof git_dir, "%.*s", (int)(path_last(path) - path) - 1, path);
	git_repo_cache_settled(broker->hooks, broker->plan->host, git_dir);
}

int
git_install(const struct notif_call *request, const struct git_target *to,
	    const struct git_file *file)
{
	auto_arena struct arena arena = {0};
	struct git_file present = {0}, ours = *file;
	struct gitconfig_text text = {file->text, file->length}, old;
	bool has_present = git_install_read(to->folder, to->name, &present) == 0;
	int why = 0;

	old = (struct gitconfig_text){present.text, present.length};
	if (has_present && to->vet == VET_CONFIG && git_remotes_keep(&arena, &text, &old, NULL) < 0)
		why = ENOMEM;
	if (why == 0)
		why = git_content_check(request, to->path, to->vet, &text,
					has_present ? &old : NULL);
	free(present.text);
	if (why != 0) {
		errno = why;
		return -1;
	}
	ours.mode &= ~(git_modes_closed_bits(request->broker, to->path, ours.mode) & ~present.mode);
	ours.text = (char *)text.text;
	ours.length = text.length;
	if (put(to, &ours) < 0)
		return -1;
	git_repo_cache_changed(request->broker->hooks, to->path, true);
	if (to->vet == VET_CONFIG)
		settle(request->broker, to->path);
	return 0;
}
