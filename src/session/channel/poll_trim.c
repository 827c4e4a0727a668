// SPDX-License-Identifier: MIT
/*
 * Who waits for long needs next to nothing. What of the program is only read comes back by itself
 * when it is needed again; what was written, also by the loader, stays.
 */
#include "base/os.h"

#include "session/channel/poll_trim.h"

#include <poll.h>

int
poll_trim(struct pollfd *fds, unsigned count, int timeout_ms, bool *is_trimmed)
{
	bool may_trim = !*is_trimmed && (timeout_ms < 0 || timeout_ms > TRIM_MS);
	int n = poll(fds, count, may_trim ? TRIM_MS : timeout_ms);

	if (n != 0 || !may_trim)
		return n;
	os_drop_clean_pages();
	*is_trimmed = true;
	/* here, because whatever else is run brings its pages back */
	return poll(fds, count, timeout_ms < 0 ? -1 : timeout_ms - TRIM_MS);
}
