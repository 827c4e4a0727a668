/* SPDX-License-Identifier: MIT */
/* A policy in canonical native form. Reading what was printed and printing it again gives the same. */
#pragma once

#include "base/str.h"
#include "policy/model/model.h"

void policy_print(const struct policy *policy, struct str *to);
/* "10m", "90s": the shortest exact form of a limit as the reader takes it. */
void printer_print_limit(enum limit limit, uint64_t value, struct str *to);
