/* SPDX-License-Identifier: MIT */
/* Shared by the files about Internet sockets. */
#pragma once

#include "linux/broker/socket/sys_socket.h"

/* inet_address.c: IPv4 is in mapped form. */
bool inet_is_mapped(const uint8_t address[16]);
bool inet_is_loopback(const uint8_t address[16]);
/* 0.0.0.0 or ::. For connect this machine, for bind all of its addresses. */
bool inet_is_any(const uint8_t address[16]);
/* Replaces the address by loopback, in the caller's address family and form. */
void inet_set_loopback(struct socket_call *call, const struct destination *named, uint16_t port);

/* inet_socket.c: restricts an inherited or received socket to loopback. 0 or an errno. */
int inet_check_socket(const struct socket_call *call);
/* Closes the fd and answers. */
void socket_finish(struct socket_call *call, int why);

/* inet_connect.c: is it loopback, at a port that is granted? If not that is reported. */
bool inet_may_reach_local(struct socket_call *call, const struct destination *to);
