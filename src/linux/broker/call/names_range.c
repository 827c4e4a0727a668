// SPDX-License-Identifier: MIT
/*
 * Turns a path into ranges. A path is unique on a file system if that is mounted with its root; the number
 * of the file system and each name of the path then choose a part of the range before. Where it may not be
 * unique the range stays wider: that of the file system if only a directory of it is mounted, which may be
 * renamed; that of the directory above at a name beyond ASCII, which may equal another one in a directory
 * that ignores case; everything on a file system that may show another one, or that is unknown.
 *
 * A mount point has a range, too, because its path changes when a directory above it is renamed. Directories
 * directly in "/" are excepted: the kernel does not rename a mount point.
 */
#include "linux/broker/names_range.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/hash.h"
#include "base/path.h"
#include "base/str.h"

#define DEVICE_BITS 10
#define NAME_BITS 7

struct mount_entry {
	long id, above;	    /* of this mount and the one below which it is */
	const char *device; /* MAJOR:MINOR */
	const char *point;
	bool is_local; /* its files are on no other file system */
	bool is_whole; /* its root is that of the file system */
};

/* ---- ranges ---- */

struct names_ranges
names_range_whole(void)
{
	return (struct names_ranges){{{0, NAMES_RANGE_END, false}}, 1};
}

static int64_t
end_of(const struct names_range *range)
{
	return range->start + range->length;
}

static bool
is_inside(const struct names_range *part, const struct names_range *range)
{
	return part->start >= range->start && end_of(part) <= end_of(range);
}

bool
names_range_contains(const struct names_ranges *ranges, const struct names_ranges *part)
{
	for (size_t i = 0; i < part->count; i++) {
		bool is_in = false;

		for (size_t j = 0; !is_in && j < ranges->count; j++)
			is_in = is_inside(&part->at[i], &ranges->at[j]);
		if (!is_in)
			return false;
	}
	return true;
}

/* Two ranges overlap only if one contains the other. */
static void
add(struct names_ranges *to, const struct names_range *range)
{
	struct names_ranges old = *to;
	struct names_range one = *range;
	bool is_added = false;

	to->count = 0;
	for (size_t i = 0; i < old.count; i++) {
		if (is_inside(&one, &old.at[i])) {
			old.at[i].is_point = old.at[i].is_point && one.is_point;
			*to = old;
			return;
		}
		if (is_inside(&old.at[i], &one)) {
			one.is_point = one.is_point && old.at[i].is_point;
			continue;
		}
		if (!is_added && one.start < old.at[i].start) {
			to->at[to->count++] = one;
			is_added = true;
		}
		if (to->count == NAMES_RANGES) {
			*to = names_range_whole();
			return;
		}
		to->at[to->count++] = old.at[i];
	}
	if (!is_added && to->count == NAMES_RANGES)
		*to = names_range_whole();
	else if (!is_added)
		to->at[to->count++] = one;
}

void
names_range_join(struct names_ranges *to, const struct names_ranges *more)
{
	for (size_t i = 0; i < more->count; i++)
		add(to, &more->at[i]);
}

/* Returns false if the range is too small to be divided. */
static bool
narrow(struct names_range *range, unsigned bits, uint64_t hash)
{
	if (range->length >> bits == 0)
		return false;
	range->length >>= bits;
	range->start += (int64_t)((hash ^ hash >> 32) % (1u << bits)) * range->length;
	return true;
}

/* Without case, as all spellings of a name may be equal. Returns false if other names may be, too. */
static bool
hash_name(const char *name, size_t length, uint64_t *ret_hash)
{
	uint64_t hash = HASH_START;

	for (size_t i = 0; i < length; i++) {
		if ((unsigned char)name[i] >= 0x80)
			return false;
		hash = hash_byte(hash, ascii_lower(name[i]));
	}
	*ret_hash = hash;
	return true;
}

static void
narrow_by_names(struct names_range *range, const char *path, const char *end)
{
	uint64_t hash;

	while (path < end) {
		const char *slash = memchr(path, '/', (size_t)(end - path));
		size_t length = (size_t)((slash == NULL ? end : slash) - path);

		if (length > 0 &&
		    (!hash_name(path, length, &hash) || !narrow(range, NAME_BITS, hash)))
			return;
		path += length + 1;
	}
}

/* ---- mounts ---- */

static bool
is_above(const struct mount_entry *mount, const char *path)
{
	return path_below(path, mount->point);
}

/* The next mount on the way to path: of those in this mount, the first one met. */
static const struct mount_entry *
next_mount(const struct names_mounts *mounts, const struct mount_entry *from, const char *path)
{
	const struct mount_entry *next = NULL;

	for (size_t i = 0; i < mounts->count; i++) {
		const struct mount_entry *one = &mounts->list[i];

		if (one->above == from->id && one->id != from->id && is_above(one, path) &&
		    (next == NULL || strlen(one->point) < strlen(next->point)))
			next = one;
	}
	return next;
}

static const struct mount_entry *
find_mount(const struct names_mounts *mounts, long id)
{
	for (size_t i = 0; i < mounts->count; i++)
		if (mounts->list[i].id == id)
			return &mounts->list[i];
	return NULL;
}

/* The mount of "/", below which all others are. */
static const struct mount_entry *
first_mount(const struct names_mounts *mounts)
{
	for (size_t i = 0; i < mounts->count; i++) {
		const struct mount_entry *one = &mounts->list[i];

		if (strcmp(one->point, "/") == 0 &&
		    (one->above == one->id || find_mount(mounts, one->above) == NULL))
			return one;
	}
	return NULL;
}

static void
add_in_mount(const struct mount_entry *mount, const char *path, size_t length, bool is_point,
	     struct names_ranges *to)
{
	struct names_range range = {0, NAMES_RANGE_END, is_point};
	size_t above = strlen(mount->point);

	if (mount->is_local)
		narrow(&range, DEVICE_BITS, hash_text(mount->device));
	if (mount->is_local && mount->is_whole && length > above)
		narrow_by_names(&range, path + above, path + length);
	add(to, &range);
}

static bool
is_in_root(const char *point)
{
	return strrchr(point, '/') == point;
}

void
names_range_add(const struct names_mounts *mounts, const char *path, size_t length,
		struct names_ranges *to)
{
	const struct mount_entry *mount = mounts->is_hidden ? NULL : first_mount(mounts), *next;
	size_t steps = mounts->count;

	while (mount != NULL && (next = next_mount(mounts, mount, path)) != NULL) {
		if (steps-- == 0) {
			mount = NULL;
			break;
		}
		if (!is_in_root(next->point))
			add_in_mount(mount, next->point, strlen(next->point), true, to);
		mount = next;
	}
	if (mount == NULL)
		*to = names_range_whole();
	else
		add_in_mount(mount, path, length, false, to);
}

bool
names_range_is_even(const struct names_mounts *mounts, const char *path, size_t length)
{
	for (size_t i = 0; i < mounts->count; i++) {
		const char *point = mounts->list[i].point;

		if (strlen(point) > length && strncmp(point, path, length) == 0 &&
		    (length == 1 || point[length] == '/'))
			return false;
	}
	return true;
}

/* ---- mountinfo ---- */

enum { ID, ABOVE, DEVICE, ROOT, POINT, FIELDS };

static bool
is_known_type(const char *line)
{
	static const char *const types[] = {"ext2",	"ext3",	  "ext4",  "xfs",
					    "f2fs",	"btrfs",  "tmpfs", "ramfs",
					    "devtmpfs", "devpts", "proc",  "sysfs"};
	const char *type = strstr(line, " - ");
	size_t length = type == NULL ? 0 : strcspn(type + 3, " ");

	for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
		if (strlen(types[i]) == length && strncmp(type + 3, types[i], length) == 0)
			return true;
	return false;
}

/* A blank in a path is written as \040, and so on. */
static void
unescape(char *text)
{
	char *to = text;

	for (const char *at = text; *at != '\0'; at++) {
		*to = *at;
		if (at[0] == '\\' && at[1] != '\0' && at[2] != '\0' && at[3] != '\0') {
			*to = (char)((at[1] - '0') * 64 + (at[2] - '0') * 8 + (at[3] - '0'));
			at += 3;
		}
		to++;
	}
	*to = '\0';
}

/* Changes the line. */
static bool
read_line(struct names_mounts *mounts, char *line)
{
	char *fields[FIELDS], *rest = NULL;
	bool is_known = is_known_type(line);
	struct mount_entry *entry;

	for (int i = 0; i < FIELDS; i++) {
		fields[i] = strtok_r(i == 0 ? line : NULL, " ", &rest);
		if (fields[i] == NULL)
			return false;
	}
	unescape(fields[ROOT]);
	unescape(fields[POINT]);
	entry = arena_push(&mounts->arena, &mounts->list, &mounts->count, sizeof *entry, NULL);
	if (entry == NULL)
		return false;
	*entry = (struct mount_entry){strtol(fields[ID], NULL, 10),
				      strtol(fields[ABOVE], NULL, 10),
				      fields[DEVICE],
				      fields[POINT],
				      is_known,
				      strcmp(fields[ROOT], "/") == 0};
	return *fields[POINT] == '/';
}

void
names_range_read(struct names_mounts *mounts, const char *text)
{
	char *copy, *line, *rest = NULL;

	arena_free(&mounts->arena);
	mounts->list = NULL;
	mounts->count = 0;
	copy = text == NULL ? NULL : arena_strdup(&mounts->arena, text, NULL);
	mounts->is_hidden = copy == NULL;
	for (line = copy == NULL ? NULL : strtok_r(copy, "\n", &rest); line != NULL;
	     line = strtok_r(NULL, "\n", &rest))
		if (!read_line(mounts, line))
			mounts->is_hidden = true;
}

static void
read_file(struct names_mounts *mounts)
{
	auto_str struct str text = {0};
	char part[4096];
	ssize_t n = lseek(mounts->fd, 0, SEEK_SET) < 0 ? -1 : 1;

	while (n > 0 && (n = read(mounts->fd, part, sizeof part)) > 0)
		str_add_n(&text, part, (size_t)n);
	names_range_read(mounts, n < 0 || text.failed ? NULL : text.text);
}

static bool
has_changed(const struct names_mounts *mounts)
{
	struct pollfd file = {.fd = mounts->fd, .events = POLLPRI};

	return poll(&file, 1, 0) != 0;
}

bool
names_range_refresh(struct names_mounts *mounts)
{
	if (mounts->fd >= 0 ? !has_changed(mounts) : mounts->is_hidden || mounts->count > 0)
		return false;
	if (mounts->fd < 0)
		mounts->fd = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
	read_file(mounts);
	return true;
}

void
names_range_end(struct names_mounts *mounts)
{
	arena_free(&mounts->arena);
	if (mounts->fd >= 0)
		close(mounts->fd);
	mounts->fd = -1;
}
