/* SPDX-License-Identifier: MIT */
/* The trials of limits over all processes, which are about a group and no box. */
#pragma once

#include "enforce/enforce.h"

/* Is this a guarantee of that kind? */
bool selftest_limits_knows(enum guarantee guarantee);
/* As enforce_prove. */
int selftest_limits(enum guarantee guarantee, struct proof *ret_proof, struct cordon_error *err);
