/* SPDX-License-Identifier: MIT */
/*
 * Registries, proxies and certificates that the user's npm and pip settings name. The profiles node and python
 * keep those files unread, because they hold tokens; without their registry npm and pip would take packages of
 * the same name from the public one. So the settings pass as variables, without tokens.
 */
#pragma once

#include "plan/plan.h"

/* Sets the variables; call this after the rules are final. */
int registries_pass(struct plan *plan, struct cordon_error *err);
