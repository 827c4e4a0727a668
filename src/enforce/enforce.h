/* SPDX-License-Identifier: MIT */
/*
 * The narrow door between "what" and "how on this system". Exactly one of linux/ and macos/ stands
 * behind it in a build.
 */
#pragma once

#include "plan/facts.h"

/* What this host can do, found by trying; a throw-away child is used for what cannot be undone. */
int enforce_probe(struct facts *ret_facts, struct cordon_error *err);
/* The system this build enforces on. */
enum system enforce_system(void);
