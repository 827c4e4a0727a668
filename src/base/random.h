/* SPDX-License-Identifier: MIT */
/* Random ids and tokens. */
#pragma once

#include <stddef.h>

#include "base/error.h"

/* Writes that many random hexadecimal digits, an even number, and a NUL. */
int random_hex(char *to, size_t digits, struct cordon_error *err);
