/* SPDX-License-Identifier: MIT */
/* Detached broker threads on small stacks, each with a guard area larger than any stack frame. */
#pragma once

#include <stddef.h>

/* No frame may be as large: tests/lint/stack reads this value. */
#define THREAD_GUARD (64 * 1024)

/* Returns 0 or an errno. */
int thread_start(size_t stack, void *(*run)(void *argument), void *argument);
