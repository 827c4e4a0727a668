// SPDX-License-Identifier: MIT
/*
 * Creates and removes the private tmp. Its contents are hostile: the command chose names, modes,
 * depth and links. Removal walks by fd, must never follow a link, and never leave the directory.
 */
#include "base/os.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/os_listing.h"
#include "base/path.h"
#include "session/session.h"

/* Deeper directories are moved to the top and removed from there, so that fds do not run out. */
#define DEPTH_MAX 64u
#define NAMES_MAX 1000	     /* names tried for one directory: the command may have used some */
#define ROUNDS_MAX (1 << 20) /* each removes or moves an entry, except idle rounds */
#define ROUNDS_IDLE_MAX 100
#define ENTRIES_MAX (1 << 30)

struct removal {
	int top;
	unsigned depth; /* enter no deeper directories */
	int left;	/* entries left to read in this round */
	unsigned moved; /* number in the next name at the top */
	bool is_idle;	/* nothing was removed or moved in this round */
};

int
private_tmp_name(struct arena *arena, const struct host *host, const char **ret_path,
		 struct cordon_error *err)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
	const char *base = host_getenv(host, "TMPDIR");
	char real[4096], name[] = "cordon-XXXXXX";
	unsigned char random[6];
	char *path;

	if (base == NULL || *base != '/' || access(base, W_OK | X_OK) != 0)
		base = "/tmp";
	if (os_realpath(base, real) == NULL || getentropy(random, sizeof random) < 0)
		return cordon_fail(err, CORDON_E_PATH, errno, "cannot make a private folder in %s",
				   base);
	for (size_t i = 0; i < sizeof random; i++)
		name[7 + i] = letters[random[i] % (sizeof letters - 1)];
	path = path_join(arena, real, name, err);
	if (path == NULL)
		return -CORDON_E_MEMORY;
	*ret_path = path;
	return 0;
}

int
private_tmp_make(const char *path, struct cordon_error *err)
{
	/* fails if the name exists, even as a link */
	if (mkdir(path, 0700) < 0)
		return cordon_fail(err, CORDON_E_PATH, errno, "cannot make the private folder %s",
				   path);
	return 0;
}

static int empty(struct removal *removal, int folder, unsigned depth);

/* Opens a directory, and sets mode 0700 if it lacks one of these bits. */
static int
enter(int folder, const char *name)
{
	int fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	/* the command removed the read bit; the directory is the user's, so restore it */
	if (fd < 0 && errno == EACCES && fchmodat(folder, name, 0700, AT_SYMLINK_NOFOLLOW) == 0)
		fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0 && fstat(fd, &st) == 0 && (st.st_mode & 0700) != 0700)
		fchmod(fd, 0700);
	return fd;
}

/* Moves a directory to the top under an unused name. */
static int
move_up(struct removal *removal, int folder, const char *name)
{
	char moved[32];

	for (int i = 0; i < NAMES_MAX; i++) {
		snprintf(moved, sizeof moved, "cordon-deep-%u", removal->moved++);
		if (renameat(folder, name, removal->top, moved) == 0) {
			removal->is_idle = false;
			return 0;
		}
		/* a directory that gets another parent must be writable itself */
		if (errno == EACCES && fchmodat(folder, name, 0700, AT_SYMLINK_NOFOLLOW) == 0 &&
		    renameat(folder, name, removal->top, moved) == 0) {
			removal->is_idle = false;
			return 0;
		}
		if (errno != ENOTEMPTY && errno != EEXIST && errno != ENOTDIR)
			return errno == ENOENT ? 0 : -1;
	}
	return -1;
}

static int
remove_folder(struct removal *removal, int folder, const char *name, unsigned depth)
{
	int inner = depth >= removal->depth ? -1 : enter(folder, name);

	if (inner < 0 &&
	    (depth >= removal->depth || (depth > 0 && (errno == EMFILE || errno == ENFILE))))
		return move_up(removal, folder, name);
	if (inner < 0 || empty(removal, inner, depth + 1) < 0 ||
	    unlinkat(folder, name, AT_REMOVEDIR) < 0)
		return -1;
	removal->is_idle = false;
	return 0;
}

static int
remove_entry(struct removal *removal, int folder, const char *name, unsigned depth)
{
	if (unlinkat(folder, name, 0) == 0) {
		removal->is_idle = false;
		return 0;
	}
	if (errno != EISDIR && errno != EPERM)
		return errno == ENOENT ? 0 : -1;
	return remove_folder(removal, folder, name, depth);
}

/* Closes folder, so that each level needs one fd. Must not allocate: memory may have run out. */
static int
empty(struct removal *removal, int folder, unsigned depth)
{
	struct os_listing listing;
	const char *name;
	int rc = 0;

	if (os_listing_open(&listing, folder) < 0)
		return -1;
	while ((name = os_listing_next(&listing)) != NULL && --removal->left > 0)
		if (remove_entry(removal, folder, name, depth) < 0)
			rc = -1;
	os_listing_close(&listing);
	return rc;
}

/* At most half of the allowed fds: others are in use, and fchmodat() needs one as well. */
static unsigned
depth_limit(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < 2 * DEPTH_MAX
		       ? (unsigned)limit.rlim_cur / 2
		       : DEPTH_MAX;
}

int
private_tmp_remove(const char *path)
{
	struct removal removal = {.top = -1, .depth = depth_limit()};
	auto_fd int top = -1;

	/* it is usually empty; rmdir works even when no fd is left */
	if (rmdir(path) == 0 || errno == ENOENT)
		return 0;
	top = enter(AT_FDCWD, path);
	if (top < 0)
		return errno == ENOENT ? 0 : -1;
	removal.top = top;
	/* repeat: directories were moved to the top, and late writers may add entries */
	for (int round = 0, idle = 0; round < ROUNDS_MAX && idle < ROUNDS_IDLE_MAX; round++) {
		removal.left = ENTRIES_MAX;
		removal.is_idle = true;
		empty(&removal, openat(top, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), 0);
		if (rmdir(path) == 0)
			return 0;
		if (errno != ENOTEMPTY && errno != EEXIST)
			return -1;
		idle += removal.is_idle;
	}
	return -1;
}
