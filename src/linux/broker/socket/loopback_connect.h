/* SPDX-License-Identifier: MIT */
/*
 * Connects a session to its own servers, with network "domains". The broker's own layer allows connects to
 * the proxy only; this is the one exception, and it checks itself which socket listens.
 */
#pragma once

#include "linux/broker/connect.h"

/*
 * Starts the thread. The calling thread must be under no layer and not belong to the broker. If it fails,
 * connects to the session's own servers are refused.
 */
void loopback_connect_start(struct broker *broker);
/*
 * One attempt that never blocks. Returns 0 if connected; EINPROGRESS if connected and the caller does not
 * block; EAGAIN if the server's queue is full; or an errno.
 */
int loopback_connect(const struct connect_call *connecting, bool waits);
