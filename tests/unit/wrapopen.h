/* SPDX-License-Identifier: MIT */
/*
 * WRAP_OPEN(function): open goes to function(path, flags, mode), which has __real_open64 for the real
 * one. Which of the two names is called depends on how the C library was asked for large files.
 */
#pragma once

#include <fcntl.h>
#include <stdarg.h>

int __real_open64(const char *path, int flags, ...);

#define WRAP_OPEN_AS(name, function)                           \
	int name(const char *path, int flags, ...);            \
	int name(const char *path, int flags, ...)             \
	{                                                      \
		mode_t mode = 0;                               \
		va_list args;                                  \
                                                               \
		va_start(args, flags);                         \
		if (flags & O_CREAT)                           \
			mode = (mode_t)va_arg(args, unsigned); \
		va_end(args);                                  \
		return function(path, flags, mode);            \
	}
#define WRAP_OPEN(function)                   \
	WRAP_OPEN_AS(__wrap_open64, function) \
	WRAP_OPEN_AS(__wrap_open, function)
