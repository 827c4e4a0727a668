/* SPDX-License-Identifier: MIT */
/*
 * The things that are tried, free and inside a box. Each returns 0 or an errno, changes nothing
 * that outlives it, and runs in a child: no allocation, no stdio.
 */
#pragma once

#include "linux/selftest/fixture.h"

typedef int attempt_fn(const struct fixture *stage);

attempt_fn attempt_read_shut, attempt_read_open, attempt_write_shut, attempt_write_open,
	attempt_read_hidden, attempt_read_kept, attempt_make_later, attempt_make_kept,
	attempt_chmod_shut, attempt_chmod_kept, attempt_execute_shut, attempt_execute_open,
	attempt_use_leaked, attempt_see_variable, attempt_connect_tcp, attempt_send_udp,
	attempt_connect_shut, attempt_connect_open, attempt_connect_abstract, attempt_connect_own,
	attempt_talk_to_self, attempt_signal_outsider, attempt_signal_own, attempt_trace_outsider,
	attempt_trace_own, attempt_control_outsider, attempt_control_own, attempt_list_processes,
	attempt_find_memory, attempt_make_memory, attempt_type_into_terminal, attempt_ask_terminal,
	attempt_make_queue;
