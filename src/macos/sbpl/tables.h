/* SPDX-License-Identifier: MIT */
/*
 * Constant parts of a profile, as data: the operations of each right, operations that deny default does not
 * cover, and what programs need of the system. Each row has its reason.
 */
#pragma once

#include "plan/plan.h"

/* When a row applies. */
enum table_when {
	WHEN_ALWAYS,
	WHEN_NETWORK,	 /* any network access */
	WHEN_ALL,	 /* the whole network */
	WHEN_NO_NETWORK, /* no network */
	WHEN_TERMINAL,	 /* the plan allows ptys */
	WHEN_SYSTEM_V	 /* the plan grants System V IPC */
};

/* One line: "(ACTION FILTER)". */
struct table_row {
	enum table_when when;
	const char *action; /* effect and operations */
	/* a filter that takes words, a complete filter in parentheses, or NULL */
	const char *filter;
	const char *word; /* argument of the filter, or NULL */
	const char *reason;
	enum guarantee guarantee; /* of a deny: what is lost without it */
};

/* Operations of each right, NULL-terminated. */
extern const char *const right_operations[RIGHT_KINDS][8];
/* Operations allowed on parents of a granted path. */
extern const char *const ancestor_operations[];
/* Denies for operations that deny default does not cover; they come first. */
extern const struct table_row table_unreached[];
/* What programs need of the system. Both end with an action of NULL. */
extern const struct table_row table_system[];

/* Devices that need ioctls; only with read and write in the plan. */
struct table_device {
	const char *path;  /* a path; for a regex an example that stands for all */
	const char *regex; /* or NULL */
	const char *reason;
};
extern const struct table_device table_devices[];
/* Symbolic links at the root of macOS that programs follow. */
extern const char *const table_links[];
/* ioctl(TIOCSTI) as a number: macOS 13 and 14 know neither the name nor hexadecimal numbers. */
#define TABLE_TIOCSTI "2147578994"
/* Socket of the system's resolver. */
#define RESOLVER_SOCKET "/private/var/run/mDNSResponder"
