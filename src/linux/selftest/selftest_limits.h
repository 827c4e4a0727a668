/* SPDX-License-Identifier: MIT */
/* Selftests of limits over all processes, which use a cgroup and no sandbox. */
#pragma once

#include "enforce/enforce.h"

/* Is this such a guarantee? */
bool selftest_limits_knows(enum guarantee guarantee);
/* As enforce_prove. */
int selftest_limits(enum guarantee guarantee, struct proof *ret_proof, struct cordon_error *err);
