/* SPDX-License-Identifier: MIT */
/*
 * Folders of a project that git takes hooks from because its settings say so (core.hooksPath). The
 * settings are read once: from inside that key cannot be set, so what they say at the start holds.
 */
#pragma once

#include "base/mem.h"

struct host;

struct hookdirs {
	const char **paths; /* canonical, inside the project */
	size_t count;
};

/*
 * Reads the settings of the project's repository and those of the user; not what they include. None
 * for a folder that is the project itself, and none for husky's, which every install writes anew.
 */
int hookdirs_find(struct arena *arena, const struct host *host, struct hookdirs *ret,
		  struct cordon_error *err);
