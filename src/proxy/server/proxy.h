/* SPDX-License-Identifier: MIT */
/* The proxy as a process: never returns, and ends with its session. */
#pragma once

#include "ipc/proxy_task.h"

/* NULL on a system for which there is none. */
void (*proxy_function(void))(const struct proxy_task *task);
