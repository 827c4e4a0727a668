/* SPDX-License-Identifier: MIT */
/*
 * Defaults of each dialect's own program, as data for both systems, and helpers that turn a list
 * into rules. Lists end with NULL, tables with an entry without path. Pairs are indexed by enum
 * system.
 */
#pragma once

#include "policy/read/reader.h"

extern const char *const *const baseline_executable[2];
extern const char *const *const baseline_read_only[2];

/* An entry of a dialect's list of writable paths, and its replacement here. */
enum instead { INSTEAD_ITSELF, INSTEAD_NOTHING, INSTEAD_DEVICES, INSTEAD_TMPDIR };
struct baseline_write {
	const char *path;
	enum instead instead;
	const char *hole; /* what is reported about it; NULL with INSTEAD_ITSELF */
};
extern const struct baseline_write *const baseline_read_write[2];

/* What flow lets a command read besides its own lists, without /dev. */
extern const char *const *const baseline_flow_read[2];

extern const char *const baseline_dotfiles[];	/* below the home */
extern const char *const baseline_config[];	/* instead of the whole ~/.config */
extern const char *const baseline_histories[];	/* of shells */
extern const char *const baseline_never[];	/* only the user may add these */
extern const char *const baseline_env[];	/* passed to a terminal */
extern const char *const baseline_env_always[]; /* passed to every command */
extern const char *const baseline_env_scrub[];	/* removed; a trailing * matches a prefix */

/* Adds a rule for each path. The rules are optional: missing paths are skipped. */
int dialect_defaults_grant(struct policy_reading *r, const struct json *at, enum list list,
			   const char *const *paths);
/* What links in this directory lead to and programs need: for "/etc"; nothing for another path. */
int dialect_defaults_grant_targets(struct policy_reading *r, const struct json *at,
				   const char *path);
int dialect_defaults_grant_devices(struct policy_reading *r, const struct json *at);
/* Grants what every program of the system needs to start, whatever the policy says. */
int dialect_defaults_grant_start(struct policy_reading *r, const struct json *at);
/*
 * Accepts the gaps that every dialect has: other processes can be listed, because programs need
 * /proc; on macOS priorities of other processes can be changed, which nothing there prevents.
 */
int dialect_defaults_accept(struct policy_reading *r, const struct json *at);
/* Adds names to the variables that pass, without duplicates. */
int dialect_defaults_pass(struct policy_reading *r, const struct json *at,
			  const char *const *names);
