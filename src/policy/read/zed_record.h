/* SPDX-License-Identifier: MIT */
/* The record of Zed's wrapper, from its settings. */
#pragma once

#include "base/str.h"
#include "policy/read/zed_sources.h"

struct zed_record_dirs {
	enum system system;
	const char *project;
	const char *home; /* for ~/ in additional lists; NULL: it stays */
};

void zed_record_print(const struct zed_sources *sources, const struct zed_record_dirs *dirs,
		      struct str *to);
/* A record that restricts nothing; all members are there, as Zed's own has them. */
void zed_record_print_tracking(const char *project, struct str *to);
