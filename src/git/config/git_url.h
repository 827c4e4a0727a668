/* SPDX-License-Identifier: MIT */
/* Addresses of repositories, as git tells them apart (connect.c, transport.c). No system calls. */
#pragma once

#include <stdbool.h>

/* NULL, or why it is none to be written; *ret_path: the path of this machine that it is, NULL: it is none. */
const char *git_url_refuse(const char *url, const char **ret_path);
/* A path that begins where git happens to stand: the working tree, or one that is linked to it. */
bool git_url_is_relative(const char *url);
/* Has it characters that no value of git's has? */
bool git_url_has_control(const char *text);
