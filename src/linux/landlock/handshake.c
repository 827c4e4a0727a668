// SPDX-License-Identifier: MIT
/* The inner side of the handshake with a cordon around this one. */
#include "linux/landlock/handshake.h"

#include <stdint.h>
#include <unistd.h>

#include "linux/seccomp/syscalls.h"

static long
knock(enum nest_door what)
{
	return syscall(SYS_landlock_create_ruleset, (uintptr_t)what, (size_t)0, NEST_DOOR);
}

int
handshake_query(void)
{
	long offer = knock(ASK_OFFER);

	return offer > 0 ? (int)offer : 0;
}

int
handshake_landlock_version(void)
{
	long version = knock(ASK_VERSION);

	return version > 0 ? (int)version : 0;
}

int
handshake_enter(void)
{
	return (int)knock(ASK_LINE);
}
