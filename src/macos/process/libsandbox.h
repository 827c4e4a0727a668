/* SPDX-License-Identifier: MIT */
/*
 * Compiles a profile without applying it, by functions of libsandbox that are in no public header: browsers
 * compile in one process and apply in another. Compiling loads a library and allocates, so it happens before
 * fork; what remains for the child is one call with the compiled bytes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "macos/sbpl/profile.h"

/* As libsandbox has it. */
struct libsandbox_profile {
	char *builtin; /* name of a profile of the system; NULL here */
	const uint8_t *data;
	size_t size;
};

struct libsandbox {
	void *(*create_params)(void);
	int (*set_param)(void *params, const char *name, const char *value);
	void (*free_params)(void *params);
	struct libsandbox_profile *(*compile)(const char *text, void *params, char **error);
	int (*apply)(struct libsandbox_profile *profile);
	void (*free_profile)(struct libsandbox_profile *profile);
};

/* Finds the functions. Returns false if the library or one of them is not there. The library stays loaded. */
bool libsandbox_open(struct libsandbox *ret_library);
/*
 * Compiles text with the parameters of sbpl. Fails with -CORDON_E_SYSTEM and the words of the library. Free
 * the result with library->free_profile.
 */
int libsandbox_compile(const struct libsandbox *library, const struct sbpl *sbpl, const char *text,
		       struct libsandbox_profile **ret_profile, struct cordon_error *err);
