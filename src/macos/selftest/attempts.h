/* SPDX-License-Identifier: MIT */
/* What the selftests of a Mac try, one small operation per function. Each returns 0 or an errno. */
#pragma once

#include "macos/selftest/fixture.h"

/* The path is of the script that the profile denies, or of the one that it grants. */
typedef int attempt_fn(const struct fixture *fixture, const char *path);

attempt_fn attempt_read, attempt_make, attempt_mode, attempt_execute;
attempt_fn attempt_tcp, attempt_udp, attempt_socket;
attempt_fn attempt_signal_parent, attempt_signal_self;
attempt_fn attempt_trace_bystander, attempt_trace_child;
attempt_fn attempt_read_bystander, attempt_read_self;
attempt_fn attempt_arguments, attempt_system_name;
attempt_fn attempt_list, attempt_list_table;
attempt_fn attempt_find_memory, attempt_find_semaphore, attempt_find_queue, attempt_make_memory;
attempt_fn attempt_type, attempt_ask_terminal;
attempt_fn attempt_see_unnamed, attempt_see_named;
