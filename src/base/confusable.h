/* SPDX-License-Identifier: MIT */
/* Finds text that can be mistaken for other text. */
#pragma once

/*
 * Returns NULL, or a reason to warn about text: invisible or direction-changing characters, letters
 * that look like others, or an encoded host name. The reason is a static string.
 */
const char *confusable(const char *text);
