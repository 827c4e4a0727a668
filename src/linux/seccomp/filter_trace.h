/* SPDX-License-Identifier: MIT */
/*
 * A filter that notifies the broker of more calls, so that it sees them. What such a call may do is still
 * decided by the filter behind, which is run again for it here.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct sock_fprog;
struct seccomp_data;

/* A system call to be notified of, unless this argument is value; argument -1: always. */
struct filter_traced {
	int number, argument;
	uint32_t value;
};

/* Returns base with a beginning that notifies of these, in one block for free(); NULL without memory. */
struct sock_fprog *filter_trace_new(const struct sock_fprog *base,
				    const struct filter_traced *traced, size_t count);
/* What the filter returns for a call: SECCOMP_RET_... */
uint32_t filter_action(const struct sock_fprog *program, const struct seccomp_data *data);
