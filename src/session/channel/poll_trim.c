// SPDX-License-Identifier: MIT
/*
 * Saves memory in a waiting process: drops clean pages of the program, which the kernel reads again
 * from the file on a page fault. Pages that were written, also by the loader, stay.
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
	/* poll again here, because other code would fault its pages in */
	return poll(fds, count, timeout_ms < 0 ? -1 : timeout_ms - TRIM_MS);
}
