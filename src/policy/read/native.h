/* SPDX-License-Identifier: MIT */
/* Shared by the files of the reader of the native form. */
#pragma once

#include "policy/read/reader.h"

/* native_files.c: reads the value of "files". */
int native_read_files(struct policy_reading *r, const struct json *value);
