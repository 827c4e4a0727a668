/* SPDX-License-Identifier: MIT */
/*
 * Names inside every project that could later act on the user's behalf: git hooks, editor and agent
 * settings, our own policy file. They may be read and never changed, whether they exist or not. Some
 * names git itself must change are vetted instead, where the system can do that.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "policy/model/model.h"

struct glob;
struct host;

enum protect_kind { PROTECT_NAME, PROTECT_VETTED };

/* What may stand at a vetted name. */
enum vet {
	VET_NOTHING,   /* a protected name: it is not changed at all */
	VET_FOLDER,    /* anything but a link */
	VET_CONFIG,    /* git's settings */
	VET_MODULES,   /* .gitmodules */
	VET_POINTER,   /* .git: a folder, or a file that names one */
	VET_GITDIR,    /* of a worktree: where its .git is */
	VET_COMMONDIR, /* of a worktree: where the repository is */
	VET_HEAD,      /* what makes a folder a repository */
	VET_STEPS      /* what an unfinished rebase still does (git_sequencer.h) */
};

struct protection {
	enum protect_kind kind;
	enum vet vet;
	const char *pattern; /* as shown to people */
	bool but_samples;    /* names of samples are free */
	bool self_only;	     /* the name itself, nothing below it */
	const char *reason;
	const struct glob *glob;
	bool is_dotted; /* it matches only paths that protected_can_match */
	size_t name_length; /* of the name that every such path has, the fourth of its bytes on; 0: none */
};

struct protections {
	struct protection *items;
	size_t count;
};

/*
 * The protections for one plan. A git directory outside the project that does not have its usual
 * name is covered too, and so is what a protected name at the top of the project leads to when it is
 * a link. Where changes cannot be vetted (macOS), vetted names are protected.
 */
int protected_make(struct arena *arena, const struct host *host, struct protections *ret,
		   struct cordon_error *err);
/* The reason of the protection with this pattern; NULL: there is none among them. */
const char *protected_reason(const struct protections *protections, const char *pattern);
/* Names of git's in a casefold directory, and by a path that is too long to be checked. */
extern const struct protection protected_other_case, protected_long_path;
/* A project's policy: whose folder is moved away has none there any more. */
bool protected_is_policy(const char *name);
/* Has path a hidden name or a folder called something.git? Most have neither. */
bool protected_can_match(const char *path);
/*
 * Length of the part of path that is the protected name; 0 when path is none of its business. A rule
 * lifts the protection only if its own path is at least this long: it must name what is protected.
 */
size_t protected_anchor(const struct protection *protection, const char *path);
