/* SPDX-License-Identifier: MIT */
/* Schema of Zed's settings (zed_schema.c); zed.c turns them into rules. */
#pragma once

#include <stdbool.h>

#include "policy/read/reader.h"

extern const char *const zed_apply_names[];

/* Returns the member called key unless it is null. */
const struct json *zed_present(const struct json *object, const char *key);
bool zed_is_record(const struct json *value);
bool zed_is_settings(const struct json *value);

/* Each returns 0, or fails with a message. */
int zed_check_object(struct policy_reading *r, const struct json *value);
int zed_check_sandbox(struct policy_reading *r, const struct json *value);
/* A sandbox object for one system. */
int zed_check_block(struct policy_reading *r, const struct json *value);
int zed_check_record(struct policy_reading *r, const struct json *value);
/* For a record that restricts nothing. */
int zed_check_tracking(struct policy_reading *r, const struct json *value);
/* Checks for the members that a record needs unless it only tracks. */
int zed_check_needed(struct policy_reading *r, const struct json *value);
