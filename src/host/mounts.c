// SPDX-License-Identifier: MIT
/*
 * Translates a path to its name within the file system, and from there to every other mount of it
 * that is not covered by a later mount.
 */
#include "host/mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/path.h"

enum { DEVICE = 2, ROOT = 3, POINT = 4, FIELDS = 5 };
#define DEVICES_MAX 512
#define TEXT_FIRST 4000u

static int
octal(const char *at)
{
	int value = 0;

	for (int i = 1; i <= 3; i++) {
		if (at[i] < '0' || at[i] > '7')
			return -1;
		value = 8 * value + at[i] - '0';
	}
	return value > 0 && value < 256 ? value : -1;
}

/* mountinfo writes a blank as \040, and so on. */
static char *
unescaped(struct arena *arena, const char *text, size_t length, struct cordon_error *err)
{
	char *copy = arena_strndup(arena, text, length, err), *to = copy;

	for (const char *at = copy; copy != NULL && *at != '\0'; at++) {
		int byte = *at == '\\' ? octal(at) : -1;

		*to++ = byte < 0 ? *at : (char)byte;
		at += byte < 0 ? 0 : 3;
	}
	if (copy != NULL)
		*to = '\0';
	return copy;
}

static int
read_line(struct arena *arena, const char *line, size_t length, struct mounts *mounts,
	  struct cordon_error *err)
{
	const char *fields[FIELDS] = {NULL};
	struct mount *mount;
	int rc = 0;

	for (int i = 0; rc == 0 && i < FIELDS; i++) {
		const char *end = memchr(line, ' ', length);
		size_t size = end == NULL ? length : (size_t)(end - line);

		if (i >= DEVICE) {
			fields[i] = unescaped(arena, line, size, err);
			rc = fields[i] == NULL ? -CORDON_E_MEMORY : 0;
		}
		line += size + (end != NULL);
		length -= size + (end != NULL);
	}
	if (rc < 0 || fields[ROOT][0] != '/' || fields[POINT][0] != '/')
		return rc;
	mount = arena_push(arena, &mounts->list, &mounts->count, sizeof *mount, err);
	if (mount == NULL)
		return -CORDON_E_MEMORY;
	*mount = (struct mount){fields[DEVICE], fields[ROOT], fields[POINT]};
	return 0;
}

static uint64_t
number_at(const char **at)
{
	uint64_t value = 0;

	for (; **at >= '0' && **at <= '9'; ++*at)
		value = 10 * value + (uint64_t)(**at - '0');
	return value;
}

/* MAJOR:MINOR of a line as one number, or 0. Parsed by hand because every start does it. */
static uint64_t
device_of(const char *line)
{
	uint64_t major;

	for (int blanks = 0; blanks < DEVICE; line++) {
		if (*line == '\0' || *line == '\n')
			return 0;
		blanks += *line == ' ';
	}
	major = number_at(&line);
	if (*line++ != ':')
		return 0;
	return major << 32 | number_at(&line);
}

/* Usually no file system is mounted twice, and nothing needs to be parsed. */
static bool
is_any_twice(const char *text)
{
	uint64_t seen[DEVICES_MAX];
	size_t count = 0;

	while (text != NULL && *text != '\0') {
		uint64_t device = device_of(text);
		const char *end;

		for (size_t i = 0; i < count; i++)
			if (seen[i] == device)
				return true;
		if (count == DEVICES_MAX)
			return true;
		seen[count++] = device;
		end = strchr(text, '\n');
		text = end == NULL ? NULL : end + 1;
	}
	return false;
}

int
mounts_read(struct arena *arena, const char *text, struct mounts *ret_mounts,
	    struct cordon_error *err)
{
	int rc = 0;

	*ret_mounts = (struct mounts){0};
	if (text == NULL || !is_any_twice(text))
		return 0;
	while (rc == 0 && *text != '\0') {
		size_t length = strcspn(text, "\n");

		rc = read_line(arena, text, length, ret_mounts, err);
		text += length + (text[length] == '\n');
	}
	return rc;
}

/* The kernel returns at most a page per read(). */
static int
read_text(int fd, struct arena *arena, const char **ret_text, struct cordon_error *err)
{
	size_t room = TEXT_FIRST, length = 0;
	char *text = arena_alloc(arena, room + 1, err), *larger;
	ssize_t n = 1;

	while (text != NULL && n != 0) {
		n = read(fd, text + length, room - length);
		if (n < 0 && errno != EINTR)
			return cordon_fail(err, CORDON_E_SYSTEM, errno, "cannot read the mounts");
		length += n > 0 ? (size_t)n : 0;
		if (length < room)
			continue;
		larger = arena_alloc(arena, 2 * room + 1, err);
		if (larger != NULL)
			memcpy(larger, text, length);
		text = larger;
		room *= 2;
	}
	*ret_text = text;
	return text == NULL ? -CORDON_E_MEMORY : 0;
}

int
mounts_text(struct arena *arena, const char *file, const char **ret_text, bool *ret_is_hidden,
	    struct cordon_error *err)
{
	auto_fd int fd = open(file, O_RDONLY | O_CLOEXEC);
	auto_arena struct arena own = {0};
	const char *text = NULL;
	int rc;

	*ret_text = NULL;
	*ret_is_hidden = fd < 0 && errno == EACCES;
	/* macOS has no such file; without procfs the command is not started */
	if (fd < 0 && (errno == ENOENT || errno == EACCES))
		return 0;
	rc = fd < 0 ? cordon_fail(err, CORDON_E_SYSTEM, errno, "cannot read the mounts")
		    : read_text(fd, &own, &text, err);
	if (rc < 0 || !is_any_twice(text))
		return rc;
	*ret_text = arena_strdup(arena, text, err);
	return *ret_text == NULL ? -CORDON_E_MEMORY : 0;
}

/* The part below root with its slash, or "" for root itself. */
static const char *
below(const char *path, const char *root)
{
	const char *rest = path + (strcmp(root, "/") == 0 ? 0 : strlen(root));

	return strcmp(rest, "/") == 0 ? "" : rest;
}

static char *
put_below(struct arena *arena, const char *root, const char *rest, struct cordon_error *err)
{
	const char *start = strcmp(root, "/") == 0 ? "" : root;

	return arena_printf(arena, err, "%s%s", *start == '\0' && *rest == '\0' ? "/" : start,
			    rest);
}

const struct mount *
mounts_of(const struct mounts *mounts, const char *path)
{
	const struct mount *found = NULL;

	for (size_t i = 0; i < mounts->count; i++) {
		const struct mount *mount = &mounts->list[i];

		if (path_below(path, mount->point) &&
		    (found == NULL || strlen(mount->point) >= strlen(found->point)))
			found = mount;
	}
	return found;
}

int
mounts_other_name(struct arena *arena, const struct mounts *mounts, const struct mount *from,
		  const struct mount *to, const char *path, const char **ret_name,
		  bool *ret_is_above, struct cordon_error *err)
{
	const char *own, *name;

	*ret_name = NULL;
	if (from == to || strcmp(from->device, to->device) != 0)
		return 0;
	own = put_below(arena, from->root, below(path, from->point), err);
	if (own == NULL)
		return -CORDON_E_MEMORY;
	*ret_is_above = !path_below(own, to->root);
	if (*ret_is_above && !path_below(to->root, own))
		return 0;
	name = *ret_is_above ? to->point : put_below(arena, to->point, below(own, to->root), err);
	if (name == NULL)
		return -CORDON_E_MEMORY;
	/* the name is below path, so it has that path as well */
	if (mounts_of(mounts, name) == to && !(*ret_is_above && path_below(name, path)))
		*ret_name = name;
	return 0;
}

static int
add_twin(struct arena *arena, struct mounts *mounts, const char *at, const char *behind,
	 struct cordon_error *err)
{
	struct mount_twin *twin =
		arena_push(arena, &mounts->twins, &mounts->twin_count, sizeof *twin, err);

	if (twin == NULL)
		return -CORDON_E_MEMORY;
	*twin = (struct mount_twin){at, behind};
	return 0;
}

/* Pairs the mount point of one with its name in the other. */
static int
find_twin(struct arena *arena, struct mounts *mounts, const struct mount *one,
	  const struct mount *other, struct cordon_error *err)
{
	bool is_above = false;
	const char *name;
	int rc = mounts_other_name(arena, mounts, one, other, one->point, &name, &is_above, err);

	if (rc < 0 || name == NULL || is_above)
		return rc;
	rc = add_twin(arena, mounts, one->point, name, err);
	/* with equal roots the other direction adds this pair */
	if (rc == 0 && strcmp(one->root, other->root) != 0)
		rc = add_twin(arena, mounts, name, one->point, err);
	return rc;
}

int
mounts_find_twins(struct arena *arena, struct mounts *mounts, struct cordon_error *err)
{
	int rc = 0;

	for (size_t i = 0; !mounts->has_twins && rc == 0 && i < mounts->count; i++) {
		const struct mount *one = &mounts->list[i];

		if (mounts_of(mounts, one->point) != one)
			continue;
		for (size_t k = 0; rc == 0 && k < mounts->count; k++)
			rc = find_twin(arena, mounts, one, &mounts->list[k], err);
	}
	mounts->has_twins = true;
	return rc;
}
