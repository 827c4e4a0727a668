/* SPDX-License-Identifier: MIT */
/*
 * What a profile says besides the plan's paths, as data: which operation stands for which right,
 * what a default of deny does not reach, and what programs need of the system. Each with its reason.
 */
#pragma once

#include "plan/plan.h"

/* When a row is part of a profile. */
enum table_when {
	WHEN_ALWAYS,
	WHEN_NETWORK,	 /* any network at all */
	WHEN_ALL,	 /* the whole network */
	WHEN_NO_NETWORK, /* none */
	WHEN_TERMINAL,	 /* the plan lets terminals be made */
	WHEN_SYSTEM_V	 /* the plan grants System V objects */
};

/* One line: "(ACTION FILTER)". */
struct table_row {
	enum table_when when;
	const char *action; /* effect and operations */
	const char *filter; /* a name that takes words, a whole filter in brackets, or NULL */
	const char *word;   /* for a name, or NULL */
	const char *reason;
};

/* The operations of each right, NULL-terminated. */
extern const char *const right_operations[RIGHT_KINDS][8];
/* What an ancestor of a granted path may be asked for. */
extern const char *const ancestor_operations[];
/* Denies of what a default of deny does not reach: they come first. */
extern const struct table_row table_unreached[];
/* What programs need of the system. Both end with an action of NULL. */
extern const struct table_row table_system[];

/* Devices on which control operations are needed; none without read and write in the plan. */
struct table_device {
	const char *path;  /* a path, for a pattern an example that stands for all */
	const char *regex; /* or NULL */
	const char *reason;
};
extern const struct table_device table_devices[];
/* Links at the top of every macOS, which programs walk through. */
extern const char *const table_links[];
/* Where names are looked up. */
#define RESOLVER_SOCKET "/private/var/run/mDNSResponder"
