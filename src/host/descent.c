// SPDX-License-Identifier: MIT
/* Opens the first directory by its whole path, then one openat() per name. */
#include "base/os.h"

#include "host/descent.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OPEN_DIR (COMPAT_O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

static void
arrive(struct descent *d, int fd, size_t length)
{
	if (fd < 0)
		d->why = errno;
	if (d->fd >= 0)
		close(d->fd);
	d->fd = fd;
	d->length = length;
}

static void
start(struct descent *d, size_t length)
{
	char *text = strndup(d->path, length);

	arrive(d, text == NULL ? -1 : open(text, OPEN_DIR), length);
	free(text);
}

static void
step(struct descent *d)
{
	const char *name = d->path + d->length + strspn(d->path + d->length, "/");
	size_t length = strcspn(name, "/");
	char text[NAME_MAX + 1];

	errno = ENAMETOOLONG;
	if (length > NAME_MAX) {
		arrive(d, -1, d->length);
		return;
	}
	memcpy(text, name, length);
	text[length] = '\0';
	arrive(d, openat(d->fd, text, OPEN_DIR), (size_t)(name - d->path) + length);
}

int
descent_to(struct descent *d, size_t length)
{
	if (d->fd < 0 && d->why == 0)
		start(d, length);
	while (d->why == 0 && d->length < length)
		step(d);
	if (d->why == 0)
		return d->fd;
	errno = d->why;
	return -1;
}

void
descent_end(const struct descent *d)
{
	if (d->fd >= 0)
		close(d->fd);
}
