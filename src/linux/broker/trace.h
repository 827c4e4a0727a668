/* SPDX-License-Identifier: MIT */
/*
 * --trace: the broker sees opens, starts of programs, lookups and connects that the filter would let pass. It
 * lets each continue, and predicts by the plan whether Landlock refuses it. Nothing is decided by it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct filter_traced;
struct notif_call;
struct sock_fprog;

/* Hashes of what was reported, so that it is reported once; when they are full, repeats are reported. */
#define TRACE_SEEN (1u << 16)

struct trace {
	const struct sock_fprog *base; /* the filter without a trace */
	struct sock_fprog *filter;     /* with it; owned */
	int layer;		       /* the inner layer, for attempts; -1: none */
	uint64_t seen[TRACE_SEEN];
};

/* Returns NULL without memory. base must outlive it. */
struct trace *trace_new(const struct sock_fprog *base);
struct trace *trace_free(struct trace *trace);
/*
 * Reports what the call uses, once. Returns true if it was answered as the filter without a trace answers
 * it; false if that would notify the broker, which then has to answer.
 */
bool trace_call(const struct notif_call *request);
