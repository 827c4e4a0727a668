/* SPDX-License-Identifier: MIT */
/* What the files of the native form's reader share. */
#pragma once

#include "policy/read/reader.h"

/* native_files.c: the value of "files". */
int native_read_files(struct policy_reading *r, const struct json *value);
