// SPDX-License-Identifier: MIT
/* Compares and splits paths as text; host/resolve.c follows links. */
#include "base/path.h"

#include <string.h>

bool
path_below(const char *path, const char *root)
{
	size_t length = strlen(root);

	if (strcmp(root, "/") == 0)
		return *path == '/';
	return strncmp(path, root, length) == 0 && (path[length] == '\0' || path[length] == '/');
}

size_t
path_depth(const char *path)
{
	size_t depth = 0;

	for (; *path != '\0'; path++)
		if (*path == '/' && path[1] != '/' && path[1] != '\0')
			depth++;
	return depth;
}

const char *
path_last(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash == NULL ? path : slash + 1;
}

char *
path_join(struct arena *arena, const char *dir, const char *name, struct cordon_error *err)
{
	size_t length = strlen(dir), more = strlen(name);
	bool slash = length == 0 || dir[length - 1] != '/';
	char *path = arena_text(arena, length + slash + more + 1, err);

	if (path == NULL)
		return NULL;
	memcpy(path, dir, length);
	path[length] = '/';
	memcpy(path + length + slash, name, more + 1);
	return path;
}

char *
path_parent(struct arena *arena, const char *path, struct cordon_error *err)
{
	const char *slash = strrchr(path, '/');

	if (slash == NULL)
		return arena_strdup(arena, ".", err);
	if (slash == path)
		return arena_strdup(arena, "/", err);
	return arena_strndup(arena, path, (size_t)(slash - path), err);
}
