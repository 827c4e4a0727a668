/* SPDX-License-Identifier: MIT */
/* Prints a policy in canonical native form; reading it and printing again changes nothing. */
#pragma once

#include "base/str.h"
#include "policy/model/model.h"

void policy_print(const struct policy *policy, struct str *to);
/* Prints a limit in its shortest exact form, such as "10m" or "90s". */
void printer_print_limit(enum limit limit, uint64_t value, struct str *to);
