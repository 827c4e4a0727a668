/* SPDX-License-Identifier: MIT */
/* Const tables decide here; this is how many rows one has. */
#pragma once

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))
