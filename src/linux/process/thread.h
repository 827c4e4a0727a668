/* SPDX-License-Identifier: MIT */
/* Threads of the broker: detached, on small stacks, each with a guard below that no frame is larger than. */
#pragma once

#include <stddef.h>

/* tests/lint/stack reads it: no frame of ours may be as large. */
#define THREAD_GUARD (64 * 1024)

/* 0 or an errno. */
int thread_start(size_t stack, void *(*run)(void *argument), void *argument);
