/* SPDX-License-Identifier: MIT */
/* Lines of /etc/hosts and of resolv.conf, as libc reads them; which names of the first are this machine. */
#pragma once

#include <stdbool.h>

#define HOSTS_WORD_MAX 300
#define HOSTS_FILE_MAX (1024 * 1024)

/* The next word of the line in word; false: the line has none. Comments end a line. */
bool hosts_word(const char **text, char word[HOSTS_WORD_MAX]);
const char *hosts_next_line(const char *text);
/* Has the name addresses in this text, all of them loopback? */
bool hosts_is_loopback(const char *text, const char *name);
