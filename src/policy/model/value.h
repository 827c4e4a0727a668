/* SPDX-License-Identifier: MIT */
/*
 * Small written values: domains, durations, sizes, addresses, names. Shared by policy text and by
 * command line options, so that both accept exactly the same. Each returns NULL, or the reason why
 * not, worded to follow the offending value.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "policy/model/model.h"

#define VALUE_DOMAIN_SIZE 260
/* Of a limit: in milliseconds, and added to a clock, it still is a number. */
#define VALUE_MOST (INT64_MAX >> 11)
/* Lower case, A-label, no final dot; "*." in front is kept. */
const char *value_domain(const char *text, char *ret_name);
/* "90", "90s", "10m", "2h", "1d" to seconds. */
const char *value_duration(const char *text, uint64_t *ret_seconds);
/* "512", "64K", "16M", "4G", "1T" to bytes. */
const char *value_size(const char *text, uint64_t *ret_bytes);
/* "512": processes, open files. */
const char *value_count(const char *text, uint64_t *ret_count);
/* "10.0.0.0/8", "fd00::/8", a single address. */
const char *value_range(const char *text);
/* "127.0.0.1:53", "[::1]:53". */
const char *value_endpoint(const char *text);
const char *value_env_name(const char *text);
/* NAME or PREFIX*. */
const char *value_env_pattern(const char *text);
/* Absolute, "~", a known token in front, or with glob "**" in front; no control characters. */
const char *value_path(const char *text, bool glob);
/* A path, or one of socket_presets. */
const char *value_socket(const char *text);

extern const char *const socket_presets[];
/* Tokens a path may start with; "$XDG_" stands for all of that family. */
extern const char *const path_tokens[];
/* In the short lists, * and ? make an entry a glob. */
bool value_is_glob(const char *text);
