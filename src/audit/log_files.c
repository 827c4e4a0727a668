// SPDX-License-Identifier: MIT
/* Lists, renames and deletes files of the audit log. Never touches a file with another name. */
#include "base/os.h"

#include "audit/log_files.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "audit/log.h"
#include "base/str.h"

#define PREFIX "shell-"
#define SUFFIX ".log"
#define NUMBER_MAX 999999

/* ---- names ---- */

static bool
read_name(const char *name, struct log_file *to)
{
	static const char form[] = "0000-00-00";
	const char *at = name + strlen(PREFIX);
	uint64_t number;

	if (!str_starts(name, PREFIX) || strlen(name) >= sizeof to->name)
		return false;
	for (size_t i = 0; i < sizeof form - 1; i++)
		if (form[i] == '-' ? at[i] != '-' : at[i] < '0' || at[i] > '9')
			return false;
	memcpy(to->name, name, strlen(name) + 1);
	snprintf(to->day, sizeof to->day, "%.10s", at);
	at += sizeof form - 1;
	to->number = LOG_CURRENT;
	if (strcmp(at, SUFFIX) == 0)
		return true;
	if (*at != '.' || !str_digits(at + 1, NUMBER_MAX, &number, &at) || number == 0)
		return false;
	to->number = (uint32_t)number;
	return strcmp(at, SUFFIX) == 0;
}

static int
by_age(const void *a, const void *b)
{
	const struct log_file *left = a, *right = b;
	int days = strcmp(left->day, right->day);

	return days != 0 ? days : (left->number > right->number) - (left->number < right->number);
}

/* ---- listing ---- */

static int
add_file(struct arena *arena, DIR *dir, const char *name, struct log_file **files, size_t *count,
	 struct cordon_error *err)
{
	struct log_file file = {0}, *to;
	struct stat at;

	if (!read_name(name, &file) || fstatat(dirfd(dir), name, &at, AT_SYMLINK_NOFOLLOW) < 0 ||
	    !S_ISREG(at.st_mode))
		return 0;
	file.size = at.st_size;
	file.device = (uint64_t)at.st_dev;
	file.inode = (uint64_t)at.st_ino;
	to = arena_push(arena, files, count, sizeof file, err);
	if (to == NULL)
		return -CORDON_E_MEMORY;
	*to = file;
	return 0;
}

int
log_files_list(struct arena *arena, const char *folder, struct log_file **ret_files,
	       size_t *ret_count, struct cordon_error *err)
{
	const struct dirent *entry;
	struct log_file *files = NULL;
	size_t count = 0;
	DIR *dir = opendir(folder);
	int rc = 0;

	if (dir == NULL && errno != ENOENT)
		return cordon_fail(err, CORDON_E_PATH, errno, "cannot read the audit log %s",
				   folder);
	while (dir != NULL && rc == 0 && (entry = readdir(dir)) != NULL)
		rc = add_file(arena, dir, entry->d_name, &files, &count, err);
	if (dir != NULL)
		closedir(dir);
	if (rc < 0)
		return rc;
	if (count > 0)
		qsort(files, count, sizeof *files, by_age);
	*ret_files = files;
	*ret_count = count;
	return 0;
}

/* ---- rotation ---- */

static bool
is_same_file(const char *path, const struct stat *file)
{
	struct stat now;

	return lstat(path, &now) == 0 && now.st_dev == file->st_dev && now.st_ino == file->st_ino;
}

/* Finds the first unused number. Only the holder of the lock renames the file, so it stays unused. */
static bool
rename_full(const char *path)
{
	char to[PATH_MAX];
	int stem = (int)(strlen(path) - strlen(SUFFIX));

	for (unsigned number = 1; number <= NUMBER_MAX; number++) {
		if (snprintf(to, sizeof to, "%.*s.%u" SUFFIX, stem, path, number) >= (int)sizeof to)
			return false;
		if (access(to, F_OK) < 0)
			return errno == ENOENT && rename(path, to) == 0;
	}
	return false;
}

bool
log_files_rotate(const char *path, int fd)
{
	struct stat file;

	if (fstat(fd, &file) < 0 || file.st_size < LOG_FILE_MAX || flock(fd, LOCK_EX | LOCK_NB) < 0)
		return false;
	return !is_same_file(path, &file) || rename_full(path);
}

void
log_files_prune(const char *folder, uint64_t seconds)
{
	const uint64_t kept = (uint64_t)LOG_DAYS_MAX * 86400;
	auto_arena struct arena arena = {0};
	struct log_file *files;
	size_t count;
	int64_t total = 0;
	char oldest[32], path[PATH_MAX];

	if (log_files_list(&arena, folder, &files, &count, NULL) < 0)
		return;
	log_date(seconds < kept ? 0 : seconds - kept, oldest, sizeof oldest);
	for (size_t i = count; i-- > 0;) {
		total += files[i].size;
		/* the newest stays, whatever its size and the clock */
		if (i + 1 == count ||
		    (total <= LOG_TOTAL_MAX && strncmp(files[i].day, oldest, 10) >= 0))
			continue;
		if (snprintf(path, sizeof path, "%s/%s", folder, files[i].name) < (int)sizeof path)
			unlink(path);
	}
}
