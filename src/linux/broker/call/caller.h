/* SPDX-License-Identifier: MIT */
/* A caller's entry in procfs, through the cache of the receiving thread; the rest is in notif.h. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

struct notif_call;

/* Reads /proc/TID/status; the text ends with a null byte. Returns its length, or -1. */
ssize_t caller_status(const struct notif_call *request, char *to, size_t size);
