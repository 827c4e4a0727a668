/* SPDX-License-Identifier: MIT */
/*
 * Changes one place in JSON text with comments, and leaves every other byte. Values come from json_read() of the
 * same text; after a change it has to be read again.
 */
#pragma once

#include "base/json.h"
#include "base/str.h"

/* Adds a first member, or without key a first element. value is JSON. */
void json_edit_insert(const char *text, const struct json *container, const char *key,
		      const char *value, struct str *to);
/* Removes an item of a container with its key and one comma, as json_edit_insert() added them. */
void json_edit_delete(const char *text, const struct json *item, struct str *to);
void json_edit_replace(const char *text, const struct json *item, const char *value,
		       struct str *to);
