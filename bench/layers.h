/* SPDX-License-Identifier: MIT */
/* The Landlock layers that cordon would load, from the output of bench/rules. */
#pragma once

#include <stdint.h>

#define LAYERS_MAX 4

struct layer {
	int fd;
	uint64_t handled[3]; /* files, net, scopes */
};

/* Returns the number of layers, or -1. */
int layers_read(const char *rules, struct layer layers[LAYERS_MAX]);
/* Adds a rule for another path, with those rights that the layer handles. */
int layer_grant(const struct layer *layer, const char *path, uint64_t rights);
/* The calling thread must have set no_new_privs. */
int layer_enter(const struct layer *layer);
