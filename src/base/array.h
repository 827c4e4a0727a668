/* SPDX-License-Identifier: MIT */
/* Number of elements of an array. */
#pragma once

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))
