/* SPDX-License-Identifier: MIT */
/*
 * The seccomp filter, generated at build time and chosen here. It denies system calls and arguments that
 * Landlock cannot restrict.
 */
#pragma once

#include <stdbool.h>

#include "cordon/cordon.h"

struct sock_fprog;

/* File calls that the filter supervises: none; changes of names, contents and metadata; also reads. */
enum filter_guard { FILTER_FREE, FILTER_CHANGES, FILTER_READS, FILTER_GUARDS };

/*
 * Internet sockets: none; all; TCP with addresses decided by the broker; also UDP and unix datagrams, where
 * the broker sends if an address is named.
 */
enum filter_network {
	FILTER_NO_NETWORK,
	FILTER_ALL_NETWORK,
	FILTER_BROKERED,
	FILTER_DATAGRAMS,
	FILTER_NETWORKS
};

/*
 * What decides about unix socket names: Landlock; the broker (unix datagrams only with FILTER_DATAGRAMS);
 * nothing, so only socketpairs are allowed. Without Landlock scopes the broker also decides about signals.
 * Copied: the broker makes every socket that may be connected or bound, because it cannot duplicate those of
 * callers; not with FILTER_DATAGRAMS.
 */
enum filter_names {
	FILTER_NAMES_SEEN,
	FILTER_NAMES_ROUTED,
	FILTER_NAMES_CLOSED,
	FILTER_NAMES_AND_SIGNALS,
	FILTER_NAMES_COPIED,
	FILTER_NAMES_COPIED_AND_SIGNALS,
	FILTER_NAMES
};

/* System V queues, semaphores and memory: denied, or shared with all processes. */
enum filter_system_v { FILTER_NO_SYSTEM_V, FILTER_SYSTEM_V, FILTER_SYSTEM_VS };

struct seccomp_filter_kind {
	enum filter_network network;
	enum filter_names names;
	enum filter_guard guard;
	enum filter_system_v system_v;
};

/*
 * Returns the filter for the running architecture; NULL if there is none, or for a kind that both needs and
 * excludes a broker. Static, never freed.
 */
const struct sock_fprog *filter_choose(struct seccomp_filter_kind kind);
/* Returns the name of the architecture that the filters are for; NULL if this build has none. */
const char *filter_architecture(void);

/*
 * Loads the filter for the calling thread and its children, permanently; no_new_privs must be set.
 * Async-signal-safe: may run between fork and exec. A NULL program is an error.
 */
int filter_load(const struct sock_fprog *program, struct cordon_error *err);
/* The same with the listener in *ret_listener. EBUSY in err->sys: there is another listener. */
int filter_load_routed(const struct sock_fprog *program, int *ret_listener,
		       struct cordon_error *err);
