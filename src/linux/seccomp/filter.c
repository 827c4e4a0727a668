// SPDX-License-Identifier: MIT
/*
 * Chooses and loads a seccomp filter. The filters are arrays that tools/make-filter generates at build
 * time. Loading runs between fork and exec: no allocation, no locks, no stdio.
 */
#include "linux/seccomp/filter.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"
#include "filters.inc"

/* Newer than the oldest supported headers. */
#define NEW_LISTENER (1ul << 3)
#define WAIT_KILLABLE_RECV (1ul << 5)

/* The kernel's struct has a non-const pointer that it only reads. */
#define PROGRAM(array)                                                          \
	{                                                                       \
		sizeof(array) / sizeof(array)[0], (struct sock_filter *)(array) \
	}

const struct sock_fprog *
filter_choose(struct seccomp_filter_kind kind)
{
#ifdef FILTER_TABLE
	static const struct sock_fprog table[FILTER_NETWORKS][FILTER_NAMES][FILTER_GUARDS]
					    [FILTER_SYSTEM_VS] = {FILTER_TABLE};
	const struct sock_fprog *program =
		&table[kind.network][kind.names][kind.guard][kind.system_v];

	return program->len == 0 ? NULL : program;
#else
	(void)kind;
	return NULL;
#endif
}

const char *
filter_architecture(void)
{
#ifdef FILTER_ARCH
	return FILTER_ARCH;
#else
	return NULL;
#endif
}

static int
load(const struct sock_fprog *program, unsigned long flags, struct cordon_error *err)
{
	long rc;

	if (program == NULL)
		return cordon_fail(err, CORDON_E_GAP, 0,
				   "no system-call filter for this architecture");
	rc = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, program);
	if (rc < 0)
		return cordon_fail(err, CORDON_E_SYSTEM, errno,
				   "cannot load the system-call filter");
	return (int)rc;
}

int
filter_load(const struct sock_fprog *program, struct cordon_error *err)
{
	return load(program, 0, err);
}

int
filter_load_routed(const struct sock_fprog *program, int *ret_listener, struct cordon_error *err)
{
	int rc = load(program, NEW_LISTENER | WAIT_KILLABLE_RECV, err);

	/* BASELINE(5.19): signals may interrupt notifications; the plan reports that */
	if (rc < 0 && errno == EINVAL)
		rc = load(program, NEW_LISTENER, err);
	if (rc < 0)
		return rc;
	*ret_listener = rc;
	return 0;
}
