/* SPDX-License-Identifier: MIT */
/* The sandbox objects of one or several Zed settings; a later one overrides key by key. */
#pragma once

#include "policy/read/zed.h"

#define ZED_OBJECTS 3 /* of one text, at most */
#define ZED_SOURCES_MAX (8 * ZED_OBJECTS)

struct zed_sources {
	const struct json *objects[ZED_SOURCES_MAX];
	size_t count;
};

/* Checks a settings file, or a sandbox object alone, and adds what applies on the system of r. */
int zed_sources_add(struct policy_reading *r, struct zed_sources *sources,
		    const struct json *value);
/* Returns 1 if the settings apply to the command of r, else 0 after it recorded why not as a hole. */
int zed_sources_apply(struct policy_reading *r, const struct zed_sources *sources,
		      const struct json *at);
/* Returns the value of a key, or NULL. */
const struct json *zed_sources_find(const struct zed_sources *sources, const char *key);
/* The same for a member of system_paths: they are overridden one by one. */
const struct json *zed_sources_find_system(const struct zed_sources *sources, const char *key);
