/* SPDX-License-Identifier: MIT */
/* The two ways of cordon_confine() apart, so that tests can hold one against the other. */
#pragma once

#include <cordon/cordon.h>

/* cordon_confine() without openat2: what old kernels, seccomp filters and macOS get. */
int beneath_walk(const char *root, const char *path, int flags, unsigned int mode,
		 unsigned int confine_flags, int *ret_fd, char **ret_path,
		 struct cordon_error *err);
