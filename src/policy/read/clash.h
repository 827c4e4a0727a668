/* SPDX-License-Identifier: MIT */
/* Paths and patterns of clash's rules, as ours. NULL, or the reason why not, to follow the text. */
#pragma once

#include "base/str.h"

const char *clash_path(const char *written, struct str *to);
const char *clash_pattern(const char *written, struct str *to);
