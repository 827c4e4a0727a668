// SPDX-License-Identifier: MIT
/* The nest's side of the handshake with an outer cordon. */
#include "linux/landlock/handshake.h"

#include <stdint.h>
#include <unistd.h>

#include "linux/seccomp/syscalls.h"

static long
handshake_call(enum nest_handshake what)
{
	return syscall(SYS_landlock_create_ruleset, (uintptr_t)what, (size_t)0, NEST_HANDSHAKE);
}

int
handshake_query(void)
{
	long offer = handshake_call(NEST_QUERY);

	return offer > 0 ? (int)offer : 0;
}

int
handshake_landlock_version(void)
{
	long version = handshake_call(NEST_LANDLOCK_VERSION);

	return version > 0 ? (int)version : 0;
}

int
handshake_enter(void)
{
	return (int)handshake_call(NEST_REGISTER);
}
