/* SPDX-License-Identifier: MIT */
/*
 * Who took a connection on loopback: the kernel is asked for its other end. Servers of a session are
 * tied to the loopback device, and what they accept is, too; other servers are not.
 */
#pragma once

#include <stdbool.h>

/*
 * fd is connected: was it taken by a socket that is tied to loopback? Also true when nobody has it
 * any more, because then nothing that is sent arrives. What cannot be asked is somebody else's.
 */
bool listener_owner_is_on_lo(int fd);
