// SPDX-License-Identifier: MIT
/* Appends to the audit log. Its directory belongs to the user and is not granted to any sandbox. */
#include "base/os.h"

#include "audit/log.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "audit/log_files.h"
#include "base/fd.h"
#include "base/random.h"

#define WRITES_AWAITED 16

/*
 * Computes the date itself, because the C library would read the time zone file first. Years begin in
 * March, so a leap day comes last; 146,097 days are 400 years, and 719,468 days precede 1970.
 */
void
log_date(uint64_t seconds, char *to, size_t size)
{
	unsigned days = (unsigned)(seconds / 86400) + 719468, clock = (unsigned)(seconds % 86400);
	unsigned era = days / 146097, of_era = days % 146097;
	unsigned year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	unsigned of_year = of_era - (365 * year + year / 4 - year / 100);
	unsigned march = (5 * of_year + 2) / 153, day = of_year - (153 * march + 2) / 5 + 1;
	unsigned month = march < 10 ? march + 3 : march - 9;

	snprintf(to, size, "%04u-%02u-%02uT%02u:%02u:%02uZ", year + era * 400 + (month <= 2), month,
		 day, clock / 3600, clock / 60 % 60, clock % 60);
}

void
log_time(char *to, size_t size)
{
	log_date((uint64_t)time(NULL), to, size);
}

int
log_session_id(char to[17], struct cordon_error *err)
{
	return random_hex(to, 16, err);
}

/* Tries without creating the directory first: it is missing only once. */
static int
open_log(char *path, struct cordon_error *err)
{
	const int how = O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW;
	int fd = open(path, how, 0600);

	if (fd < 0 && errno == ENOENT) {
		struct cordon_error why = {0};
		char *name = strrchr(path, '/');
		int rc;

		*name = '\0';
		rc = fd_make_dir(path, 0700, &why);
		*name = '/';
		fd = rc < 0 ? -1 : open(path, how, 0600);
		errno = rc < 0 ? why.sys : errno;
	}
	return fd >= 0 ? fd
		       : cordon_fail(err, CORDON_E_PATH, errno, "cannot write the audit log %s",
				     path);
}

static bool
ends_within_line(int fd)
{
	struct stat at;
	char last;

	return fstat(fd, &at) == 0 && at.st_size > 0 && pread(fd, &last, 1, at.st_size - 1) == 1 &&
	       last != '\n';
}

/*
 * Did a full disk cut the last line? Then the next one must begin on a line of its own. The size of the file
 * also ends within a line while another process writes one that crosses a page: fchmod waits for that write,
 * because the kernel does both under the inode's lock.
 */
static bool
is_cut(int fd)
{
	bool cut = ends_within_line(fd);

	for (int i = 0; cut && i < WRITES_AWAITED && fchmod(fd, 0600) == 0; i++)
		cut = ends_within_line(fd);
	return cut;
}

/* With the first event of a file, old ones are deleted. */
static void
prune_with_first(char *path, int fd, uint64_t now)
{
	struct stat at;
	char *name = strrchr(path, '/');

	if (fstat(fd, &at) < 0 || at.st_size > 0)
		return;
	*name = '\0';
	log_files_prune(path, now);
	*name = '/';
}

int
log_append(const char *state_dir, const char *line, struct cordon_error *err)
{
	uint64_t now = (uint64_t)time(NULL);
	char path[PATH_MAX], day[32];
	auto_str struct str whole = {0};
	auto_fd int fd = -1;

	log_date(now, day, sizeof day);
	day[10] = '\0';
	if (snprintf(path, sizeof path, "%s/audit/shell-%s.log", state_dir, day) >=
	    (int)sizeof path)
		return cordon_fail(err, CORDON_E_PATH, ENAMETOOLONG, "cannot write the audit log");
	fd = open_log(path, err);
	if (fd >= 0 && log_files_rotate(path, fd)) {
		close(fd);
		fd = open_log(path, err);
	}
	if (fd < 0)
		return fd;
	prune_with_first(path, fd, now);
	str_printf(&whole, "%s%s\n", is_cut(fd) ? "\n" : "", line);
	if (whole.failed)
		return cordon_no_memory(err);
	/* a single write: O_APPEND keeps lines whole with any number of writers */
	if (fd_write_line(fd, whole.text, whole.length) < 0)
		return cordon_fail(err, CORDON_E_PATH, errno, "cannot write the audit log %s",
				   path);
	return 0;
}
