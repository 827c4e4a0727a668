/* SPDX-License-Identifier: MIT */
/*
 * Declarations of sandbox functions that are in no public header, in the form that Apple's programs use.
 * sandbox_check must be declared variadic, because arm64 passes variadic arguments differently.
 */
#pragma once

#include <libproc.h>
#include <stdint.h>
#include <sys/proc_info.h>
#include <sys/types.h>

int sandbox_init_with_parameters(const char *profile, uint64_t flags,
				 const char *const parameters[], char **errorbuf);
void sandbox_free_error(char *errorbuf);
/* Returns 0 if allowed, > 0 if denied, < 0 if there is no answer. */
int sandbox_check(pid_t pid, const char *operation, int type, ...);
/* Without this flag every query that is denied would be logged. */
extern const int SANDBOX_CHECK_NO_REPORT;
#define LIBSYSTEM_FILTER_PATH 1
/* Of sys/ptrace.h, which the headers for cross-compiling lack. */
int ptrace(int request, pid_t pid, char *address, int data);
#define LIBSYSTEM_ATTACH 10
#define LIBSYSTEM_DETACH 11
