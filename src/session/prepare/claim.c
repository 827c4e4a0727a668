// SPDX-License-Identifier: MIT
/* Allows one session at a time in a process. */
#include "base/os_process.h"

#include <sys/file.h>

#include "session/session.h"

/* Without /proc there is no lock, but process.tree is not guaranteed there either. */
int
session_claim(int *ret_claim, struct cordon_error *err)
{
	*ret_claim = os_process_lock();
	if (*ret_claim >= 0 || errno == ENOENT || errno == EACCES)
		return 0;
	if (errno == EWOULDBLOCK)
		return cordon_fail(
			err, CORDON_E_USAGE, 0,
			"another run is under way in this process; run one at a time, or "
			"each in a process of its own");
	return cordon_fail(err, CORDON_E_SYSTEM, errno, "cannot open /proc/self/fd");
}

void
session_unclaim(int claim)
{
	if (claim < 0)
		return;
	flock(claim, LOCK_UN);
	close(claim);
}
