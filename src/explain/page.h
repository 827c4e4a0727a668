/* SPDX-License-Identifier: MIT */
/*
 * A report as one page of HTML, which loads nothing. Texts that a command chose are only in its data, where
 * nothing can end the element around them; the page's script makes text nodes of them.
 */
#pragma once

#include "base/str.h"

/* nonce: letters and digits that no text of the page can know. */
void page_begin(const char *nonce, struct str *to);
/* Appends JSON to the data. */
void page_add_json(const char *json, struct str *to);
void page_end(const char *nonce, struct str *to);
