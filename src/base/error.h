/* SPDX-License-Identifier: MIT */
/* The one way to report errors: fill the caller's struct, return the negated code. */
#pragma once

#include <stdbool.h>

#include <cordon/cordon.h>

/* It is written to pipes. */
_Static_assert(sizeof(struct cordon_error) == 256, "no padding");

/* Fills *err (or NULL) and returns -code. sys is 0 or an errno, whose text is appended. */
int cordon_fail(struct cordon_error *err, enum cordon_code code, int sys, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* The same, prefixed with "FILE:LINE:COLUMN: ". A long file name is shortened from the left. */
int cordon_fail_at(struct cordon_error *err, enum cordon_code code, const char *file, uint32_t line,
		   uint32_t column, const char *format, ...) __attribute__((format(printf, 6, 7)));
int cordon_no_memory(struct cordon_error *err);
/*
 * Does this errno mean that the machine failed (no memory, no fds, I/O error)? Such a failure must
 * never be taken for "does not exist".
 */
bool error_errno_is_fault(int sys);
/* Returns the text of an errno, never NULL. Safe after fork and in a signal handler. */
const char *error_errno_text(int sys);
