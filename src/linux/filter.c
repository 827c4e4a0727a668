// SPDX-License-Identifier: MIT
/*
 * Choosing and loading the system-call filter. The filters themselves are arrays written by
 * tools/make-filter when the program is built: nothing is computed here, and nothing may allocate,
 * lock or print, because loading happens between fork and exec.
 */
#include "linux/filter.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"
#include "filters.inc"

/* The kernel takes a pointer that is not const, and only reads through it. */
#define PROGRAM(array)                                                          \
	{                                                                       \
		sizeof(array) / sizeof(array)[0], (struct sock_filter *)(array) \
	}

const struct sock_fprog *
filter_choose(bool network)
{
#ifdef FILTER_NETWORK_NONE
	static const struct sock_fprog none = PROGRAM(FILTER_NETWORK_NONE);
	static const struct sock_fprog all = PROGRAM(FILTER_NETWORK_ALL);

	return network ? &all : &none;
#else
	(void)network;
	return NULL;
#endif
}

int
filter_load(const struct sock_fprog *program, struct cordon_error *err)
{
	if (program == NULL)
		return cordon_fail(err, CORDON_E_GAP, 0,
				   "no system-call filter for this architecture");
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, program) != 0)
		return cordon_fail(err, CORDON_E_SYSTEM, errno,
				   "cannot load the system-call filter");
	return 0;
}
