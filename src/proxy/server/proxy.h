/* SPDX-License-Identifier: MIT */
/* The main function of the proxy process. */
#pragma once

#include "ipc/proxy_task.h"

/* Returns a function that never returns; NULL on a system without a proxy. */
void (*proxy_function(void))(const struct proxy_task *task);
