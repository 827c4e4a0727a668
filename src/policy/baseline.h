/* SPDX-License-Identifier: MIT */
/*
 * What the sources grant without being asked, as data for both systems, with the number of the
 * requirement each list comes from; and how a reader turns a list into rules. Lists end with NULL,
 * tables with an entry without a path. Pairs are indexed by enum system.
 */
#pragma once

#include "policy/reader.h"

extern const char *const *const baseline_executable[2]; /* R48, R51 */
extern const char *const *const baseline_read_only[2];	/* R49, R52 */

/* One entry of a source's list of writable paths, and what it becomes here. */
enum instead { INSTEAD_ITSELF, INSTEAD_NOTHING, INSTEAD_DEVICES, INSTEAD_TMPDIR };
struct baseline_write {
	const char *path;
	enum instead instead;
	const char *hole; /* what is said about it; NULL with INSTEAD_ITSELF */
};
extern const struct baseline_write *const baseline_read_write[2]; /* R50, R53 */

/* What flow lets a command read besides its own lists (R54), without /dev. */
extern const char *const *const baseline_flow_read[2];

extern const char *const baseline_dotfiles[];	/* R56, below the home */
extern const char *const baseline_config[];	/* R56: instead of the whole ~/.config */
extern const char *const baseline_histories[];	/* R57 */
extern const char *const baseline_never[];	/* R58: only the user may add these */
extern const char *const baseline_env[];	/* R72 */
extern const char *const baseline_env_always[]; /* R73 */
extern const char *const baseline_env_scrub[];	/* R74; a trailing * is a prefix */

/* Rules for a whole list. They are optional: what is missing is skipped. */
int baseline_grant(struct reading *r, const struct json *at, enum list list,
		   const char *const *paths);
int baseline_grant_devices(struct reading *r, const struct json *at);
/*
 * What no source promises, so that a text is taken to live without it: that other processes cannot
 * be listed (programs need /proc, which lists them), and what cordon itself does not keep yet.
 */
int baseline_accept(struct reading *r, const struct json *at);
/* Names are added to what may pass, each once. */
int baseline_pass(struct reading *r, const struct json *at, const char *const *names);
