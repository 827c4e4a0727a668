/* SPDX-License-Identifier: MIT */
/*
 * The system-call filter: made when the program was built, only chosen and loaded here. It is the
 * second wall: it takes away calls and arguments that Landlock cannot see.
 */
#pragma once

#include <stdbool.h>

#include "cordon/cordon.h"

struct sock_fprog;

/* What goes to the broker: nothing; what changes names, contents and metadata; reading as well. */
enum filter_guard { FILTER_FREE, FILTER_CHANGES, FILTER_READS, FILTER_GUARDS };

/*
 * Internet sockets: none; all there are; TCP alone, and the broker decides about addresses; UDP and unix
 * datagrams as well, and the broker sends what names an address.
 */
enum filter_network {
	FILTER_NO_NETWORK,
	FILTER_ALL_NETWORK,
	FILTER_BROKERED,
	FILTER_DATAGRAMS,
	FILTER_NETWORKS
};

/*
 * Who looks at the names of unix sockets: Landlock; the broker, and then there are no datagram
 * sockets of theirs but with FILTER_DATAGRAMS; nobody, and then there are only pairs. Where Landlock has no scopes the broker
 * decides about signals, too.
 */
enum filter_names {
	FILTER_NAMES_SEEN,
	FILTER_NAMES_ROUTED,
	FILTER_NAMES_CLOSED,
	FILTER_NAMES_AND_SIGNALS,
	FILTER_NAMES
};

/* System V queues, semaphores and memory: there are none, or those of all. */
enum filter_system_v { FILTER_NO_SYSTEM_V, FILTER_SYSTEM_V, FILTER_SYSTEM_VS };

struct seccomp_filter_kind {
	enum filter_network network;
	enum filter_names names;
	enum filter_guard guard;
	enum filter_system_v system_v;
};

/*
 * The filter for the running architecture. NULL on one that has none, and for what would need a
 * broker and none at once. Static, never to be freed.
 */
const struct sock_fprog *filter_choose(struct seccomp_filter_kind kind);

/*
 * Puts the calling thread and all it starts under the filter, for ever. The caller has set
 * no_new_privs. Async-signal-safe: may run between fork and exec. A NULL program is an error.
 */
int filter_load(const struct sock_fprog *program, struct cordon_error *err);
/* The same, with *ret_listener where the broker reads. EBUSY in err->sys: another has that place. */
int filter_load_routed(const struct sock_fprog *program, int *ret_listener,
		       struct cordon_error *err);
