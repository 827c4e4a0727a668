// SPDX-License-Identifier: MIT
/* Appending to the audit log. The folder is ours alone and out of every sandbox's reach. */
#include "base/compat.h"

#include "audit/log.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"

void
audit_time(char *to, size_t size)
{
	time_t seconds = time(NULL);
	struct tm parts;

	if (gmtime_r(&seconds, &parts) == NULL ||
	    strftime(to, size, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0)
		snprintf(to, size, "unknown");
}

int
audit_id(char to[17], struct cordon_error *err)
{
	unsigned char bytes[8];

	if (getentropy(bytes, sizeof bytes) < 0)
		return cordon_fail(err, CORDON_E_SYSTEM, errno, "the system has no randomness");
	for (size_t i = 0; i < sizeof bytes; i++)
		snprintf(to + i * 2, 3, "%02x", bytes[i]);
	return 0;
}

int
audit_append(const char *state_dir, const char *line, struct cordon_error *err)
{
	char path[PATH_MAX], day[32];
	auto_str struct str whole = {0};
	auto_fd int fd = -1;
	int rc;

	audit_time(day, sizeof day);
	day[10] = '\0';
	snprintf(path, sizeof path, "%s/audit", state_dir);
	rc = dir_make(path, 0700, err);
	if (rc < 0)
		return rc;
	if (snprintf(path, sizeof path, "%s/audit/shell-%s.log", state_dir, day) >=
	    (int)sizeof path)
		return cordon_fail(err, CORDON_E_PATH, ENAMETOOLONG, "cannot write the audit log");
	fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	str_printf(&whole, "%s\n", line);
	if (whole.failed)
		return cordon_no_memory(err);
	/* one write: O_APPEND keeps whole lines whole among any number of writers */
	if (fd < 0 || fd_write_line(fd, whole.text, whole.length) < 0)
		return cordon_fail(err, CORDON_E_PATH, errno, "cannot write the audit log %s",
				   path);
	return 0;
}
