// SPDX-License-Identifier: MIT
/* Paths and descriptors of a caller, looked up for the handlers. */
#include "linux/broker/broker.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/ascii.h"
#include "base/fd.h"
#include "linux/broker/connect.h"
#include "linux/broker/path/lookup.h"

bool
lookup_object_parent(int object, struct dir_entry *ret_place)
{
	struct dir_entry *to = ret_place;
	auto_free char *folder = NULL;
	struct stat here, there;
	char *slash;

	to->path = lookup_fd_name(object);
	folder = to->path == NULL ? NULL : strdup(to->path);
	if (folder == NULL)
		return false;
	slash = strrchr(folder, '/');
	strcpy(to->name, slash[1] == '\0' ? "." : slash + 1);
	slash[slash == folder] = '\0';
	to->folder = open(folder, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return to->folder >= 0 && fstat(object, &here) == 0 &&
	       fstatat(to->folder, to->name, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
	       here.st_ino == there.st_ino && here.st_dev == there.st_dev;
}

static bool
place_name(struct lookup_object *found, struct dir_entry *to)
{
	auto_free char *folder = lookup_dir_name(to->deep, found->folder);

	to->path = folder == NULL ? NULL : lookup_join(folder, found->name);
	if (to->path == NULL)
		return false;
	strcpy(to->name, found->name);
	to->folder = found->folder;
	found->folder = -1;
	return true;
}

/* Through procfs, as by /proc/self/cwd. What is procfs's own is left to whoever asks: why says if it is there. */
static enum lookup_result
walk_by_steps(const struct notif_call *request, int base, const char *path,
	      enum lookup_follow follow, struct dir_entry *ret_place)
{
	auto_lookup struct lookup_object found = {.object = -1, .folder = -1};
	char text[PATH_MAX], slashes[PATH_MAX];
	size_t length = strlen(path), end = length;
	unsigned how = LOOKUP_NEW;

	while (end > 1 && path[end - 1] == '/')
		end--;
	memcpy(text, path, end);
	text[end] = '\0';
	strcpy(slashes, path + end);
	if (follow == LOOKUP_NAME || (follow == LOOKUP_KEEP && end == length))
		how |= LOOKUP_NO_FOLLOW;
	*ret_place = (struct dir_entry){.folder = -1, .deep = request->deep};
	if (!lookup_by_steps(request, base, text, how, &found)) {
		ret_place->why = found.why;
		return LOOKUP_FAILED;
	}
	/* procfs makes nothing, and says so by this word */
	ret_place->why = found.object < 0 ? ENOENT : EACCES;
	if (found.is_proc)
		return LOOKUP_ELSEWHERE;
	if (!(found.object >= 0 ? lookup_object_parent(found.object, ret_place)
				: place_name(&found, ret_place))) {
		auto_dir_entry_fn(ret_place);
		ret_place->folder = -1;
		ret_place->path = NULL;
		return LOOKUP_ELSEWHERE;
	}
	if (strlen(ret_place->name) + strlen(slashes) < sizeof ret_place->name)
		strcat(ret_place->name, slashes);
	return LOOKUP_FOUND;
}

enum lookup_result
lookup_caller_from(const struct notif_call *request, int base, const char *path,
		   enum lookup_follow follow, struct dir_entry *ret_place)
{
	enum lookup_result end;

	ret_place->deep = request->deep;
	end = lookup_parent(base, path, follow, ret_place);
	return end == LOOKUP_ELSEWHERE ? walk_by_steps(request, base, path, follow, ret_place)
				       : end;
}

enum lookup_result
lookup_caller_path(const struct notif_call *request, int folder, uint64_t address,
		   enum lookup_follow follow, struct dir_entry *ret_place)
{
	char path[PATH_MAX];
	auto_fd int base = -1;

	*ret_place = (struct dir_entry){.folder = -1, .deep = request->deep};
	ret_place->why = notif_path(request, address, path);
	if (ret_place->why == 0 && *path == '\0')
		ret_place->why = ENOENT;
	if (ret_place->why != 0)
		return LOOKUP_FAILED;
	if (*path != '/') {
		base = notif_folder(request, folder, &ret_place->why);
		if (base < 0)
			return LOOKUP_FAILED;
	}
	return lookup_caller_from(request, base, path, follow, ret_place);
}

int
lookup_fd_in_path(const char *path)
{
	static const char *const folders[] = {"/proc/self/fd/", "/proc/thread-self/fd/",
					      "/dev/fd/"};

	for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
		size_t length = strlen(folders[i]);
		char *end;
		long number;

		if (strncmp(path, folders[i], length) != 0 || path[length] < '0' ||
		    path[length] > '9')
			continue;
		number = strtol(path + length, &end, 10);
		return *end == '\0' && number <= INT_MAX ? (int)number : -1;
	}
	return -1;
}

int
lookup_caller_fd(const struct notif_call *request, uint64_t address)
{
	char path[PATH_MAX];

	return notif_path(request, address, path) == 0 ? lookup_fd_in_path(path) : -1;
}
