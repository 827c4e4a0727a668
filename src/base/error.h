/* SPDX-License-Identifier: MIT */
/* The one error idiom: fill the caller's value, return the negated code. */
#pragma once

#include <stdbool.h>

#include <cordon/cordon.h>

/* Fills *err (which may be NULL) and returns -code. sys is an errno, added in words, or 0. */
int cordon_fail(struct cordon_error *err, enum cordon_code code, int sys, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* As above, with "FILE:LINE:COLUMN: " in front; a long file name is shortened from the left. */
int cordon_fail_at(struct cordon_error *err, enum cordon_code code, const char *file, uint32_t line,
		   uint32_t column, const char *format, ...) __attribute__((format(printf, 6, 7)));
int cordon_no_memory(struct cordon_error *err);
/*
 * Is it the machine that failed (no memory, no descriptors, a broken disk), rather than an answer
 * about the thing asked for? Such an answer must never pass for "there is none".
 */
bool error_errno_is_fault(int sys);
/* An errno in words, never NULL; also after a fork and in a signal handler. */
const char *error_errno_text(int sys);
