/* SPDX-License-Identifier: MIT */
/* Options of one value, and the member of a policy that has the same meaning. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

struct option_member {
	const char *option; /* with the blank behind it */
	const char *section, *key;
	bool is_list, is_number;
};

#define OPTION_MEMBERS 10
extern const struct option_member option_members[OPTION_MEMBERS];
#define OPTION_EXTENDS (&option_members[0])

/* The value of an option as str_shell quotes it; false if it is another option, or no single word. */
bool option_member_read(const struct option_member *member, const char *option, struct str *to);
