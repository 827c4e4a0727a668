/* SPDX-License-Identifier: MIT */
/*
 * The operations of the selftests, each run free and confined. Each returns 0 or an errno, leaves nothing
 * behind, and runs in a child: no allocation, no stdio.
 */
#pragma once

#include "linux/selftest/fixture.h"

typedef int case_fn(const struct fixture *fixture);

case_fn case_read_denied, case_read_granted, case_write_denied, case_write_granted,
	case_read_hidden, case_read_kept, case_make_later, case_make_kept, case_chmod_denied,
	case_chmod_kept, case_execute_denied, case_execute_granted, case_use_leaked,
	case_see_variable, case_connect_tcp, case_send_udp, case_connect_denied,
	case_connect_granted, case_connect_abstract, case_connect_created, case_talk_to_self,
	case_signal_bystander, case_signal_created, case_trace_bystander, case_trace_created,
	case_control_bystander, case_control_created, case_list_processes, case_find_memory,
	case_make_memory, case_type_into_terminal, case_ask_terminal, case_make_queue;
