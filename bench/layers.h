/* SPDX-License-Identifier: MIT */
/* The Landlock layers that cordon would load, as bench/rules wrote them down. */
#pragma once

#include <stdint.h>

#define LAYERS_MAX 4

struct layer {
	int fd;
	uint64_t handled[3]; /* files, net, scopes */
};

/* How many there are, or -1. */
int layers_read(const char *rules, struct layer layers[LAYERS_MAX]);
/* A rule for one more path, with rights of those that the layer handles. */
int layer_grant(const struct layer *layer, const char *path, uint64_t rights);
/* The calling thread has set no_new_privs. */
int layer_enter(const struct layer *layer);
