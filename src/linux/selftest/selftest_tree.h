/* SPDX-License-Identifier: MIT */
/* The trial of process.tree, which is about no box. */
#pragma once

#include "enforce/enforce.h"

/* As enforce_prove. */
int selftest_tree(struct proof *ret_proof, struct cordon_error *err);
