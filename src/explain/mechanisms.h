/* SPDX-License-Identifier: MIT */
/* The layers that enforce a plan, by the names that plan, events and the log have for them. */
#pragma once

#include "plan/plan.h"

#define MECHANISM_LAYERS 5

/* Returns the number of layers by which at least one guarantee is enforced. */
size_t mechanisms_layers(const struct plan *plan, const char *ret_names[MECHANISM_LAYERS]);
