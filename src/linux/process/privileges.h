/* SPDX-License-Identifier: MIT */
/* Giving up, for ever and for every later program, what the user is beyond an ordinary one. */
#pragma once

#include "cordon/cordon.h"

/*
 * no_new_privs, no capability in any set, root's powers not regained by exec, no core dumps; each
 * read back. Only no_new_privs and the core limit change anything for an ordinary user. The user id
 * stays: root without capabilities still owns root's files. It has to be one:
 * what differs between real, effective and saved ids is an error.
 * Async-signal-safe: may run between fork and exec, with one thread. After a failure the caller
 * must not exec.
 */
int privileges_drop(struct cordon_error *err);
/* The last of these alone, before anything is started. */
int privileges_check(struct cordon_error *err);
