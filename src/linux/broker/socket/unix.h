/* SPDX-License-Identifier: MIT */
/* Shared by unix.c and unix_bind.c; all in unix.c. */
#pragma once

#include <stddef.h>

#include "linux/broker/socket/sys_socket.h"

#define PATH_AT offsetof(struct sockaddr_un, sun_path)

/* Copies the path, whose NUL may be missing. Returns false for another kind of name. */
bool unix_read_path(const struct socket_call *call, char to[sizeof(struct sockaddr_un) + 1]);
enum lookup_result unix_walk(const struct notif_call *request, const char *path,
			     enum lookup_follow follow, struct lookup *to);
/* Records the socket that was just created, unless its file system has no times of birth. */
void unix_note_own(struct broker *broker, const struct lookup *entry, int64_t before);
/* Does the broker decide about connecting? From ABI 9 on Landlock does, except for datagrams. */
bool unix_is_decided(const struct broker *broker);
