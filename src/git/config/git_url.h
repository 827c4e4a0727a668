/* SPDX-License-Identifier: MIT */
/* Classifies addresses of repositories as git does (connect.c, transport.c). No system calls. */
#pragma once

#include <stdbool.h>

#include "policy/model/cause.h"

/* Returns CAUSE_NONE or why the address is refused. *ret_path: the local path it is, or NULL. */
enum cause git_url_refuse(const char *url, const char **ret_path);
/* Is it a relative path? It depends on the working tree, of which there may be several. */
bool git_url_is_relative(const char *url);
/* Has it control characters, which git never writes? */
bool git_url_has_control(const char *text);
