/* SPDX-License-Identifier: MIT */
/* The form of what Zed writes; zed.c says what it grants. */
#pragma once

#include <stdbool.h>

#include "policy/read/reader.h"

extern const char *const zed_apply_names[];

/* The member called key, unless it is null. */
const struct json *zed_present(const struct json *object, const char *key);
bool zed_is_record(const struct json *value);
bool zed_is_settings(const struct json *value);

/* 0, or said why not. */
int zed_check_object(struct policy_reading *r, const struct json *value);
int zed_check_sandbox(struct policy_reading *r, const struct json *value);
/* A sandbox for one system. */
int zed_check_block(struct policy_reading *r, const struct json *value);
int zed_check_record(struct policy_reading *r, const struct json *value);
/* All that a record cannot do without, unless it only tracks. */
int zed_check_needed(struct policy_reading *r, const struct json *value);
