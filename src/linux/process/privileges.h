/* SPDX-License-Identifier: MIT */
/* Permanently drops all privileges beyond those of an ordinary user. */
#pragma once

#include "cordon/cordon.h"

/*
 * Sets no_new_privs, clears all capability sets, prevents root from regaining them by exec, and disables
 * core dumps; each is read back. For an ordinary user only no_new_privs and the core limit change. The uid
 * stays: root without capabilities still owns root's files. Real, effective and saved ids must be equal.
 * Async-signal-safe: may run between fork and exec with one thread. After a failure the caller must not
 * exec.
 */
int privileges_drop(struct cordon_error *err);
/* Checks only that the ids are equal, before anything is started. */
int privileges_check(struct cordon_error *err);
