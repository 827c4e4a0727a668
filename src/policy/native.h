/* SPDX-License-Identifier: MIT */
/* What the files of the native form's reader share. */
#pragma once

#include "policy/reader.h"

/* A string that `check` accepts, or a message with the reason. */
int native_read_checked(struct reading *r, const struct json *value,
			const char *(*check)(const char *), const char **ret_text);
/* native_files.c: the value of "files". */
int native_read_files(struct reading *r, const struct json *value);
