/* SPDX-License-Identifier: MIT */
/* The mode of a new file, by the caller's umask. */
#pragma once

#include "linux/broker/broker.h"

/*
 * Applies a umask: sets it for the calling thread, if that has its own. Else it computes as the kernel
 * does, which ignores the umask in a directory with a default ACL. Returns the mode to create with.
 */
mode_t new_mode(const struct broker *broker, int folder, mode_t mode, mode_t mask);
