/* SPDX-License-Identifier: MIT */
/* Runs a command with some system calls supervised by a thread of this program; for measurements only. */
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdint.h>

#define LISTEN_CONTINUE 1u
#define LISTEN_ADD_FD _IOW('!', 3, struct listen_fd)

struct listen_fd {
	uint64_t id;
	uint32_t flags, source, target, target_flags;
};

/* Answers a notification: a value or a negated errno. LISTEN_GO_ON: continue in the kernel. */
typedef int64_t listen_fn(void *context, int listener, const struct seccomp_notif *call);

#define LISTEN_GO_ON INT64_MIN
#define LISTEN_DONE (INT64_MIN + 1) /* the callback has answered */

/* Runs argv and returns its exit status, or 125. layer: whether it enters a layer. */
int listen_run(const struct sock_fprog *filter, char **argv, int layer, listen_fn *answer,
	       void *context);

/* Sends a listener over a socket. Returns -1 on failure. */
int listen_send(int line, int fd);
int listen_receive(int line);
