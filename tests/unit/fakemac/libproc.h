/* SPDX-License-Identifier: MIT */
/* What scan.c uses of macOS's header, so that it can be compiled and tried elsewhere. */
#pragma once

#include <stdint.h>

int proc_listpids(uint32_t type, uint32_t typeinfo, void *buffer, int size);
int proc_pidinfo(int pid, int flavor, uint64_t arg, void *buffer, int size);
