/* SPDX-License-Identifier: MIT */
/*
 * What of the C library of macOS stands in no header we can count on: the calls of the sandbox. Their
 * forms are those that Apple's own programs use. sandbox_check has to be declared with its variable
 * arguments, because arm64 passes these differently.
 */
#pragma once

#include <libproc.h>
#include <stdint.h>
#include <sys/proc_info.h>
#include <sys/types.h>

int sandbox_init_with_parameters(const char *profile, uint64_t flags,
				 const char *const parameters[], char **errorbuf);
void sandbox_free_error(char *errorbuf);
/* 0: allowed, above: denied, below: there is no answer. */
int sandbox_check(pid_t pid, const char *operation, int type, ...);
/* Without it every question that is denied would be logged as an attempt. */
extern const int SANDBOX_CHECK_NO_REPORT;
#define LIBSYSTEM_FILTER_PATH 1
