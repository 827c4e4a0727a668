/* SPDX-License-Identifier: MIT */
/* What is asked this way, with macOS's numbers. */
#pragma once

#include <stddef.h>

#define CTL_KERN 1
#define KERN_OSTYPE 1
#define KERN_PROC 14
#define KERN_PROC_ALL 0
#define KERN_PROCARGS2 49

int sysctl(int *name, unsigned count, void *old, size_t *old_length, void *new, size_t new_length);
