/* SPDX-License-Identifier: MIT */
/* Translates paths and patterns of clash's rules. Returns NULL, or a reason to follow the text. */
#pragma once

#include "base/str.h"

const char *clash_path(const char *written, struct str *to);
const char *clash_pattern(const char *written, struct str *to);
