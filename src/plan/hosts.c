// SPDX-License-Identifier: MIT
/* Parser for the hosts file. Pure: the caller supplies the text. */
#include "plan/hosts.h"

#include <string.h>

#include "base/ascii.h"
#include "plan/network.h"

bool
hosts_word(const char **text, char word[HOSTS_WORD_MAX])
{
	const char *at = *text + strspn(*text, " \t\r");
	size_t length = strcspn(at, " \t\r\n#");

	if (length == 0 || length >= HOSTS_WORD_MAX)
		return false;
	memcpy(word, at, length);
	word[length] = '\0';
	*text = at + length;
	return true;
}

const char *
hosts_next_line(const char *text)
{
	text += strcspn(text, "\n");
	return *text == '\0' ? text : text + 1;
}

static bool
line_names(const char *line, const char *name)
{
	char word[HOSTS_WORD_MAX];

	while (hosts_word(&line, word))
		if (ascii_same(word, name))
			return true;
	return false;
}

bool
hosts_is_loopback(const char *text, const char *name)
{
	char address[HOSTS_WORD_MAX];
	bool is_found = false;

	for (; *text != '\0'; text = hosts_next_line(text)) {
		const char *line = text;

		if (!hosts_word(&line, address) || !line_names(line, name))
			continue;
		if (!network_is_loopback(address))
			return false;
		is_found = true;
	}
	return is_found;
}
