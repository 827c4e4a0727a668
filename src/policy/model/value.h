/* SPDX-License-Identifier: MIT */
/*
 * Checks of single values: domains, durations, sizes, addresses, names. Policies and command line
 * options use them, so both accept the same. Each returns NULL, or a reason worded to follow the
 * value.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "policy/model/model.h"

#define VALUE_DOMAIN_SIZE 260
/* Largest limit: still a valid number in milliseconds, added to a clock. */
#define VALUE_MOST (INT64_MAX >> 11)
/* To lower case and A-labels, without final dot; "*." in front is kept. */
const char *value_domain(const char *text, char *ret_name);
/* Parses "90", "90s", "10m", "2h", "1d" to seconds. */
const char *value_duration(const char *text, uint64_t *ret_seconds);
/* Parses "512", "64K", "16M", "4G", "1T" to bytes. */
const char *value_size(const char *text, uint64_t *ret_bytes);
/* Parses "512": processes, open files. */
const char *value_count(const char *text, uint64_t *ret_count);
/* "10.0.0.0/8", "fd00::/8", or a single address. */
const char *value_range(const char *text);
/* "127.0.0.1:53", "[::1]:53". */
const char *value_endpoint(const char *text);
const char *value_env_name(const char *text);
/* NAME or PREFIX*. */
const char *value_env_pattern(const char *text);
/* Absolute, or starts with "~", a known token or, for a glob, "**". No control characters. */
const char *value_path(const char *text, bool glob);
/* A path, or one of socket_presets. */
const char *value_socket(const char *text);

extern const char *const socket_presets[];
/* Tokens at the start of a path; "$XDG_" matches all names with that prefix. */
extern const char *const path_tokens[];
/* In the short lists, * and ? make an entry a glob. */
bool value_is_glob(const char *text);
