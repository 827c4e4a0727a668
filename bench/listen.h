/* SPDX-License-Identifier: MIT */
/* A command of which some calls are routed to a thread of this program; for measuring only. */
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

/* Answers one call: the value, or a negative errno. LISTEN_GO_ON: the kernel does it. */
typedef int64_t listen_fn(void *context, int listener, const struct seccomp_notif *call);

#define LISTEN_GO_ON INT64_MIN
#define LISTEN_DONE (INT64_MIN + 1) /* it is answered already */

/* Runs argv to its end and returns its status, or 125. Without a layer: layer is 0. */
int listen_run(const struct sock_fprog *filter, char **argv, int layer, listen_fn *answer,
	       void *context);

/* The line on which a listener comes: -1 where it does not. */
int listen_send(int line, int fd);
int listen_receive(int line);
