/* SPDX-License-Identifier: MIT */
/* cordon_confine() without openat2, separate so that tests can compare the two. */
#pragma once

#include <cordon/cordon.h>

/* Used on old kernels, on macOS, and where a seccomp filter refuses openat2. */
int beneath_walk(const char *root, const char *path, int flags, unsigned int mode,
		 unsigned int confine_flags, int *ret_fd, char **ret_path,
		 struct cordon_error *err);
