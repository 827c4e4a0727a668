// SPDX-License-Identifier: MIT
/*
 * The views: the real file system, the fixed part of any macOS, and a cache. A view follows no link
 * and changes nothing; it reads only the first bytes of files, and directories.
 */
#include "host/fs_view.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/hash.h"

static enum fs_kind
kind_of_failure(int sys)
{
	/* no such name can exist */
	if (sys == ENOENT || sys == ENOTDIR || sys == ENAMETOOLONG)
		return FS_MISSING;
	/* lstat never fails with EPERM by itself: an outer seccomp filter forbids it */
	return error_errno_is_fault(sys) || sys == EPERM || sys == ENOSYS ? FS_FAILED : FS_HIDDEN;
}

static enum fs_kind
kind_of_mode(mode_t mode)
{
	static const struct {
		mode_t type;
		enum fs_kind kind;
	} kinds[] = {
		{S_IFREG, FS_FILE},
		{S_IFDIR, FS_DIR},
		{S_IFLNK, FS_LINK},
		{S_IFSOCK, FS_SOCKET},
	};

	for (size_t i = 0; i < COUNT(kinds); i++)
		if ((mode & S_IFMT) == kinds[i].type)
			return kinds[i].kind;
	return FS_OTHER;
}

static enum fs_kind
real_look(const void *ctx, const char *path, char *link)
{
	struct stat st;
	enum fs_kind kind;
	ssize_t length;

	(void)ctx;
	if (lstat(path, &st) < 0)
		return kind_of_failure(errno);
	kind = kind_of_mode(st.st_mode);
	if (kind != FS_LINK)
		return kind;
	length = readlink(path, link, PATH_MAX - 1);
	if (length < 0) /* EINVAL: no link any more; trust neither answer */
		return errno == EINVAL ? FS_HIDDEN : kind_of_failure(errno);
	link[length] = '\0';
	return FS_LINK;
}

static enum fs_kind
kind_of_entry(unsigned char type)
{
	return type == DT_DIR	? FS_DIR
	       : type == DT_REG ? FS_FILE
	       : type == DT_LNK ? FS_LINK
				: FS_OTHER;
}

/*
 * Is the directory closed to us by its mode? Then it is closed to the command, which cannot change
 * the mode either.
 */
static bool
is_out_of_reach(const char *path)
{
	struct stat st;

	return errno == EACCES && lstat(path, &st) == 0 && st.st_uid != geteuid() &&
	       access(path, X_OK) < 0;
}

static int
real_list(const void *ctx, const char *folder, fs_entry_fn *fn, void *context)
{
	DIR *dir = opendir(folder);
	const struct dirent *entry;
	int rc = 0;

	(void)ctx;
	if (dir == NULL)
		return errno == ENOENT || is_out_of_reach(folder) ? 0 : -1;
	while (rc == 0 && (errno = 0, entry = readdir(dir)) != NULL)
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			rc = fn(context, entry->d_name, kind_of_entry(entry->d_type));
	if (rc == 0 && errno != 0)
		rc = -1;
	closedir(dir);
	return rc;
}

static enum fs_start
real_start(const void *ctx, const char *path, bool *ret_is_executable)
{
	auto_fd int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	char head[4] = {0};
	struct stat st;

	(void)ctx;
	if (fd < 0 && is_out_of_reach(path))
		return *ret_is_executable = false, FS_START_DATA;
	if ((fd < 0 ? lstat(path, &st) : fstat(fd, &st)) < 0)
		return *ret_is_executable = true, FS_START_HIDDEN;
	*ret_is_executable = (st.st_mode & (S_IXUSR | S_IXGRP | S_IXOTH)) != 0;
	if (!S_ISREG(st.st_mode))
		return FS_START_DATA;
	if (fd < 0 || read(fd, head, sizeof head) < 0)
		return FS_START_HIDDEN;
	return memcmp(head, "\177ELF", 4) == 0 ? FS_START_BINARY
	       : memcmp(head, "#!", 2) == 0    ? FS_START_SCRIPT
					       : FS_START_DATA;
}

static bool
real_same(const void *ctx, const char *path, const char *other)
{
	struct stat one, two;

	(void)ctx;
	return lstat(path, &one) == 0 && lstat(other, &two) == 0 && one.st_ino == two.st_ino &&
	       one.st_dev == two.st_dev;
}

enum fs_kind
fs_kind_of(const struct fs_view *view, const char *path)
{
	char link[PATH_MAX];

	return view->look(view->ctx, path, link);
}

const struct fs_view fs_real = {
	.look = real_look,
	.list = real_list,
	.start = real_start,
	.same = real_same,
};

static enum fs_kind
macos_look(const void *ctx, const char *path, char *link)
{
	static const struct {
		const char *path, *link;
	} fixed[] = {
		{"/", NULL},
		{"/etc", "private/etc"},
		{"/tmp", "private/tmp"},
		{"/var", "private/var"},
		{"/private", NULL},
		{"/private/etc", NULL},
		{"/private/tmp", NULL},
		{"/private/var", NULL},
	};

	(void)ctx;
	for (size_t i = 0; i < COUNT(fixed); i++) {
		if (strcmp(path, fixed[i].path) != 0)
			continue;
		if (fixed[i].link == NULL)
			return FS_DIR;
		strcpy(link, fixed[i].link);
		return FS_LINK;
	}
	return FS_MISSING;
}

const struct fs_view fs_macos_minimal = {.look = macos_look};

/* ---- cache ---- */

#define ROOM_FIRST 128u /* a power of two, like every later size */

struct fs_cache_entry {
	const char *path; /* for FS_LINK followed by the target */
	uint32_t hash;
	unsigned char kind;
	bool is_plain; /* a directory reached without links, so the same is true of its parents */
};

/* Returns the slot of path, or the free slot for it. There is always a free one. */
static struct fs_cache_entry *
slot_of(struct fs_cache_entry *slots, size_t room, const char *path, size_t length, uint32_t hash)
{
	size_t i = hash & (room - 1);

	while (slots[i].path != NULL &&
	       (slots[i].hash != hash || strncmp(slots[i].path, path, length) != 0 ||
		slots[i].path[length] != '\0'))
		i = (i + 1) & (room - 1);
	return &slots[i];
}

static int
make_room(struct fs_cache *cache)
{
	size_t room = cache->room == 0 ? ROOM_FIRST : cache->room * 2;
	struct fs_cache_entry *slots;

	if (cache->count * 2 < cache->room)
		return 0;
	slots = arena_alloc(&cache->arena, room * sizeof *slots, NULL);
	if (slots == NULL)
		return -1;
	for (size_t i = 0; i < cache->room; i++) {
		const struct fs_cache_entry *old = &cache->slots[i];

		if (old->path != NULL)
			*slot_of(slots, room, old->path, strlen(old->path), old->hash) = *old;
	}
	cache->slots = slots;
	cache->room = room;
	return 0;
}

/* Fills a free slot for path. */
static void
store(struct fs_cache *cache, struct fs_cache_entry *slot, const char *path, size_t length,
      const struct fs_cache_entry *model, const char *link)
{
	size_t more = link != NULL && model->kind == FS_LINK ? strlen(link) + 1 : 0;
	char *text = arena_text(&cache->arena, length + 1 + more, NULL);

	if (text == NULL)
		return;
	memcpy(text, path, length);
	text[length] = '\0';
	if (more > 0)
		memcpy(text + length + 1, link, more);
	*slot = *model;
	slot->path = text;
	cache->count++;
}

static enum fs_kind
cache_look(const void *ctx, const char *path, char *link)
{
	struct fs_cache *cache = (struct fs_cache *)ctx;
	size_t length = strlen(path);
	struct fs_cache_entry *slot, entry = {.hash = (uint32_t)hash_bytes(path, length)};
	enum fs_kind kind;

	/* without memory nothing more is cached */
	if (make_room(cache) < 0)
		return cache->of->look(cache->of->ctx, path, link);
	slot = slot_of(cache->slots, cache->room, path, length, entry.hash);
	if (slot->path != NULL) {
		if (slot->kind == FS_LINK)
			strcpy(link, slot->path + length + 1);
		return (enum fs_kind)slot->kind;
	}
	kind = cache->of->look(cache->of->ctx, path, link);
	entry.kind = (unsigned char)kind;
	store(cache, slot, path, length, &entry, link);
	return kind;
}

void
fs_cache_add(struct fs_cache *cache, const char *path, enum fs_kind kind)
{
	size_t length = strlen(path);
	struct fs_cache_entry *slot,
		entry = {.hash = (uint32_t)hash_bytes(path, length), .kind = (unsigned char)kind};

	/* the errno of a failure is not known any more */
	if (kind == FS_LINK || kind == FS_FAILED || make_room(cache) < 0)
		return;
	slot = slot_of(cache->slots, cache->room, path, length, entry.hash);
	if (slot->path == NULL)
		store(cache, slot, path, length, &entry, "");
}

static bool
is_name(const char *name, size_t length)
{
	return length > 0 && !(*name == '.' && (length == 1 || (length == 2 && name[1] == '.')));
}

/* Are the first length bytes of path such a directory? Computed once for each. */
static bool
is_plain(struct fs_cache *cache, const char *path, size_t length)
{
	struct fs_cache_entry *entry;
	size_t above = length;

	if (length == 0)
		return true;
	entry = slot_of(cache->slots, cache->room, path, length,
			(uint32_t)hash_bytes(path, length));
	if (entry->path == NULL || entry->kind != FS_DIR || entry->is_plain)
		return entry->path != NULL && entry->is_plain;
	while (path[--above] != '/')
		;
	entry->is_plain = is_name(path + above + 1, length - above - 1) &&
			  is_plain(cache, path, above);
	return entry->is_plain;
}

static size_t
cache_plain(const void *ctx, const char *path)
{
	struct fs_cache *cache = (struct fs_cache *)ctx;
	const char *slash = strrchr(path, '/');

	if (cache->room == 0 || *path != '/' || !is_plain(cache, path, (size_t)(slash - path)))
		return 0;
	return (size_t)(slash - path);
}

/* The following answers are not cached: each path is asked about once. */
static int
cache_list(const void *ctx, const char *folder, fs_entry_fn *fn, void *context)
{
	const struct fs_view *of = ((const struct fs_cache *)ctx)->of;

	return of->list(of->ctx, folder, fn, context);
}

static enum fs_start
cache_start(const void *ctx, const char *path, bool *ret_is_executable)
{
	const struct fs_view *of = ((const struct fs_cache *)ctx)->of;

	return of->start(of->ctx, path, ret_is_executable);
}

static bool
cache_same(const void *ctx, const char *path, const char *other)
{
	const struct fs_view *of = ((const struct fs_cache *)ctx)->of;

	return of->same(of->ctx, path, other);
}

void
fs_cache_start(struct fs_cache *cache, const struct fs_view *of)
{
	*cache = (struct fs_cache){.view = {.ctx = cache,
					    .look = cache_look,
					    .plain = cache_plain,
					    .list = of->list == NULL ? NULL : cache_list,
					    .start = of->start == NULL ? NULL : cache_start,
					    .same = of->same == NULL ? NULL : cache_same},
				   .of = of};
}

void
fs_cache_end(struct fs_cache *cache)
{
	arena_free(&cache->arena);
}
