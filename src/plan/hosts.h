/* SPDX-License-Identifier: MIT */
/* Parses lines of /etc/hosts and resolv.conf as libc does, and finds names of this machine. */
#pragma once

#include <stdbool.h>

#define HOSTS_WORD_MAX 300
#define HOSTS_FILE_MAX (1024 * 1024)

/* Reads the next word of the line; false at its end. A comment ends a line. */
bool hosts_word(const char **text, char word[HOSTS_WORD_MAX]);
const char *hosts_next_line(const char *text);
/* Has the name addresses in this text, all of them loopback? */
bool hosts_is_loopback(const char *text, const char *name);
