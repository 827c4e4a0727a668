/* SPDX-License-Identifier: MIT */
/*
 * Connections of the session to itself, with network "domains". The broker's own layer lets it
 * connect to the proxy's ports alone; this is the one other way, and asks for itself who listens.
 */
#pragma once

#include "linux/broker/connect.h"

/* From now on; the calling thread is under no layer, and not the broker's. Without it nobody is. */
void loopback_connect_start(struct broker *broker);
/*
 * One try, which does not wait for anybody: 0 connected; EINPROGRESS the same, for who does not wait;
 * EAGAIN the server takes no more right now; or why not.
 */
int loopback_connect(const struct connect_call *connecting, bool waits);
