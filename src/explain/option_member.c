// SPDX-License-Identifier: MIT
/* The table, and how a value is read back from what users paste. */
#include "explain/option_member.h"

#include <string.h>

const struct option_member option_members[OPTION_MEMBERS] = {
	{"-p ", "", "extends", true, false},
	{"--read ", "files", "read", true, false},
	{"--write ", "files", "write", true, false},
	{"--execute ", "files", "execute", true, false},
	{"--domain ", "network", "domains", true, false},
	{"--port ", "network", "ports", true, true},
	{"--opaque-port ", "network", "opaque", true, true},
	{"--net localhost:", "network", "localhost", true, true},
	{"--tmp ", "", "tmp", false, false},
	{"--ipc ", "", "ipc", false, false},
};

static bool
unquote(const char *word, struct str *to)
{
	bool is_quoted = false;

	for (; *word != '\0'; word++) {
		if (*word == '\'')
			is_quoted = !is_quoted;
		else if (*word == '\\' && !is_quoted && word[1] != '\0')
			str_add_n(to, ++word, 1);
		else if (*word == ' ' && !is_quoted)
			return false;
		else
			str_add_n(to, word, 1);
	}
	return !to->failed && to->length > 0;
}

bool
option_member_read(const struct option_member *member, const char *option, struct str *to)
{
	return str_starts(option, member->option) && unquote(option + strlen(member->option), to);
}
