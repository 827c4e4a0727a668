/* SPDX-License-Identifier: MIT */
/* Text that may not mean what it seems to. */
#pragma once

/*
 * NULL, or why the text deserves a second look: characters that cannot be seen or turn the text
 * around, letters that can look like others, or an encoded host name. Worded to follow "it".
 */
const char *confusable(const char *text);
