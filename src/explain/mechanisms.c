// SPDX-License-Identifier: MIT
/* Names the layers that enforce a plan, from the mechanisms of its guarantees. */
#include "explain/mechanisms.h"

#include <string.h>

#include "base/array.h"

/* How mechanisms name each layer, and its name for users. */
static const struct {
	const char *word, *layer;
} layers[] = {
	{"Landlock", "landlock"}, {"seccomp", "seccomp"}, {"broker", "broker"},
	{"Seatbelt", "seatbelt"}, {"proxy", "proxy"},
};
_Static_assert(COUNT(layers) == MECHANISM_LAYERS, "as many as callers have room for");

static bool
enforces_any(const struct plan *plan, const char *word)
{
	for (int i = 0; i < G_COUNT; i++)
		if (plan->guarantees[i].status == GUARANTEE_ENFORCED &&
		    plan->guarantees[i].how != NULL &&
		    strstr(plan->guarantees[i].how, word) != NULL)
			return true;
	return false;
}

size_t
mechanisms_layers(const struct plan *plan, const char *ret_names[MECHANISM_LAYERS])
{
	size_t count = 0;

	for (size_t i = 0; i < COUNT(layers); i++)
		if (enforces_any(plan, layers[i].word))
			ret_names[count++] = layers[i].layer;
	return count;
}
