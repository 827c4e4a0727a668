/* SPDX-License-Identifier: MIT */
/*
 * Checks which socket accepted a loopback connection, by sock_diag for the other end. Servers of a session
 * are bound to the loopback device, and so are the sockets they accept; other servers are not.
 */
#pragma once

#include <stdbool.h>

/*
 * Was connected fd accepted by a socket bound to loopback? Also true if no process has that socket any
 * more: then no data arrives. An unknown socket counts as another process's.
 */
bool listener_owner_is_on_lo(int fd);
