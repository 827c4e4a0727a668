/* SPDX-License-Identifier: MIT */
/*
 * Names inside every project that could later act on the user's behalf: git hooks, editor and
 * agent settings, cordon's policy file. They may be read and never changed, whether they exist or
 * not. Names that git must change are vetted instead, where the system can inspect new content.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "policy/model/model.h"

struct glob;
struct host;

enum protect_kind { PROTECT_NAME, PROTECT_VETTED };

/* The content that a vetted name may get. */
enum vet {
	VET_NOTHING,   /* protected: no change at all */
	VET_FOLDER,    /* anything but a link */
	VET_CONFIG,    /* git's settings */
	VET_MODULES,   /* .gitmodules */
	VET_POINTER,   /* .git: a directory, or a file that names one */
	VET_GITDIR,    /* of a worktree: path of its .git */
	VET_COMMONDIR, /* of a worktree: path of the repository */
	VET_HEAD,      /* makes a directory a repository */
	VET_STEPS      /* remaining steps of a rebase (git_sequencer.h) */
};

struct protection {
	enum protect_kind kind;
	enum vet vet;
	const char *pattern; /* as reported to users */
	bool but_samples;    /* does not apply to sample hooks */
	bool self_only;	     /* the name itself, nothing below it */
	const char *reason;
	const struct glob *glob;
	bool is_dotted;	    /* matches only paths accepted by protected_can_match */
	size_t name_length; /* of the name from the fourth byte on, in every match; 0: none */
};

struct protections {
	struct protection *items;
	size_t count;
};

/*
 * The protections for one plan. A git directory outside the project with an unusual name is
 * covered too, and so is the target of a protected name at the top of the project that is a link.
 * Where changes cannot be vetted (macOS), vetted names are protected.
 */
int protected_make(struct arena *arena, const struct host *host, struct protections *ret,
		   struct cordon_error *err);
/* Returns the reason of the protection with this pattern; NULL: no such protection. */
const char *protected_reason(const struct protections *protections, const char *pattern);
/* Git names in a casefold directory, and at a path that is too long to be checked. */
extern const struct protection protected_other_case, protected_long_path;
/* Is it the name of a project's policy? If its directory is moved away the policy is missing. */
bool protected_is_policy(const char *name);
/* Does path contain a hidden name or a directory named *.git? Most paths do not. */
bool protected_can_match(const char *path);
/*
 * Length of the part of path that is the protected name; 0 if the protection does not apply. A
 * rule lifts the protection only if its own path is at least this long.
 */
size_t protected_anchor(const struct protection *protection, const char *path);
