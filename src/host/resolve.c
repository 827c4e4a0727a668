// SPDX-License-Identifier: MIT
/*
 * Path resolution: `out` is the resolved path, `rest` the text still to walk. The target of a link
 * is put in front of the rest. All lookups go through the view.
 */
#include "host/resolve.h"

#include <errno.h>
#include <string.h>

struct resolve_walk {
	struct arena *arena;
	const struct fs_view *view;
	const char *asked; /* for messages */
	struct cordon_error *err;
	char *out; /* PATH_MAX bytes; "" is the root */
	size_t length;
	size_t known; /* out[0..known) is a directory */
	enum fs_kind kind;
	const char **links;
	size_t link_count;
};

static int
too_long(const struct resolve_walk *walk)
{
	return cordon_fail(walk->err, CORDON_E_PATH, ENAMETOOLONG, "cannot resolve %.120s",
			   walk->asked);
}

static enum fs_kind
look(const struct resolve_walk *walk, char *target)
{
	enum fs_kind kind = walk->view->look(walk->view->ctx, walk->out, target);

	return kind == FS_LINK && *target == '\0' ? FS_MISSING : kind;
}

/* A rule whose path cannot be looked up might apply to another file than meant. */
static int
failed(const struct resolve_walk *walk)
{
	return cordon_fail(walk->err, CORDON_E_SYSTEM, errno, "cannot examine %.120s", walk->out);
}

static int
go_up(struct resolve_walk *walk)
{
	char target[PATH_MAX];

	while (walk->length > 0 && walk->out[--walk->length] != '/')
		;
	walk->out[walk->length] = '\0';
	/* back in a known directory: names are looked up again */
	if (walk->known >= walk->length) {
		walk->known = walk->length;
		walk->kind = FS_DIR;
		return 0;
	}
	/* the name was no link when it was entered; do not trust the change */
	walk->kind = look(walk, target);
	if (walk->kind == FS_LINK)
		walk->kind = FS_HIDDEN;
	return walk->kind == FS_FAILED ? failed(walk) : 0;
}

static int
append(struct resolve_walk *walk, const char *name, size_t length)
{
	if (walk->length + 1 + length >= PATH_MAX)
		return too_long(walk);
	walk->out[walk->length] = '/';
	memcpy(walk->out + walk->length + 1, name, length);
	walk->length += 1 + length;
	walk->out[walk->length] = '\0';
	return 0;
}

/* out is a link: records it, goes back to its directory, puts the target in front of *rest. */
static int
follow(struct resolve_walk *walk, const char *target, const char **rest)
{
	const char **slot;

	if (walk->link_count == RESOLVE_LINKS_MAX)
		return cordon_fail(walk->err, CORDON_E_PATH, ELOOP, "cannot resolve %.120s",
				   walk->asked);
	slot = arena_push(walk->arena, &walk->links, &walk->link_count, sizeof *slot, walk->err);
	if (slot == NULL)
		return -CORDON_E_MEMORY;
	*slot = arena_strdup(walk->arena, walk->out, walk->err);
	*rest = arena_printf(walk->arena, walk->err, "%s/%s", target, *rest);
	if (*slot == NULL || *rest == NULL)
		return -CORDON_E_MEMORY;
	if (*target == '/') {
		walk->length = walk->known = 0;
		walk->out[0] = '\0';
		walk->kind = FS_DIR;
		return 0;
	}
	return go_up(walk);
}

static int
enter(struct resolve_walk *walk, const char *name, size_t length, const char **rest)
{
	char target[PATH_MAX];
	bool known_parent = walk->known == walk->length;

	if (append(walk, name, length) < 0)
		return -CORDON_E_PATH;
	if (!known_parent) {
		walk->kind = FS_MISSING;
		return 0;
	}
	walk->kind = look(walk, target);
	if (walk->kind == FS_DIR)
		walk->known = walk->length;
	if (walk->kind == FS_LINK)
		return follow(walk, target, rest);
	return walk->kind == FS_FAILED ? failed(walk) : 0;
}

static int
step(struct resolve_walk *walk, const char **rest)
{
	const char *name = *rest + strspn(*rest, "/");
	size_t length = strcspn(name, "/");

	*rest = name + length;
	if (length == 0 || (length == 1 && name[0] == '.'))
		return 0;
	if (length == 2 && name[0] == '.' && name[1] == '.')
		return go_up(walk);
	return enter(walk, name, length, rest);
}

static int
walk_all(struct resolve_walk *walk)
{
	const struct fs_view *view = walk->view;
	size_t plain = view->plain == NULL ? 0 : view->plain(view->ctx, walk->asked);
	const char *rest = walk->asked + plain;

	memcpy(walk->out, walk->asked, plain);
	walk->out[plain] = '\0';
	walk->length = walk->known = plain;
	while (*rest != '\0') {
		int rc = step(walk, &rest);

		if (rc < 0)
			return rc;
	}
	return 0;
}

int
resolve_path(struct arena *arena, const struct fs_view *view, const char *path,
	     struct resolved *ret, struct cordon_error *err)
{
	char out[PATH_MAX];
	struct resolve_walk walk = {.arena = arena,
				    .view = view,
				    .asked = path,
				    .err = err,
				    .out = out,
				    .kind = FS_DIR};
	const char *copy;
	int rc;

	if (*path != '/')
		return cordon_fail(err, CORDON_E_PATH, 0, "%.120s is not an absolute path", path);
	if (strlen(path) >= PATH_MAX)
		return too_long(&walk);
	rc = walk_all(&walk);
	if (rc < 0)
		return rc;
	copy = arena_strdup(arena, walk.length == 0 ? "/" : walk.out, err);
	if (copy == NULL)
		return -CORDON_E_MEMORY;
	*ret = (struct resolved){
		.path = copy,
		.exists = walk.kind != FS_MISSING && walk.kind != FS_HIDDEN,
		.kind = walk.kind,
		.links = walk.links,
		.link_count = walk.link_count,
	};
	return 0;
}
