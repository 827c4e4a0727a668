/* SPDX-License-Identifier: MIT */
/* Selftest of process.tree, which uses no sandbox. */
#pragma once

#include "enforce/enforce.h"

/* As enforce_prove. */
int selftest_tree(struct proof *ret_proof, struct cordon_error *err);
