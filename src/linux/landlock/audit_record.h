/* SPDX-License-Identifier: MIT */
/* Parses the kernel's audit records of Landlock, whose text commands influence by the names of files. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Types of records, as in linux/audit.h of kernel 6.15. */
#define AUDIT_RECORD_ACCESS 1423
#define AUDIT_RECORD_DOMAIN 1424

/* A denied access to a file. */
struct audit_access {
	uint64_t domain;
	unsigned rights; /* RIGHT_...; 0: another kind of access */
	char path[PATH_MAX];
};

/* text ends with a NUL byte. Return false for a record of another form. */
bool audit_record_access(const char *text, struct audit_access *ret_access);
/* *ret_creator: the process that entered the domain, as the initial pid namespace numbers it. */
bool audit_record_domain(const char *text, uint64_t *ret_domain, pid_t *ret_creator);
