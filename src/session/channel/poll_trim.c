// SPDX-License-Identifier: MIT
/*
 * Memory of a process that waits. Clean pages of the program are dropped, and read from the file again
 * when they are needed; pages that were written, also by the loader, stay.
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
	/* here: any other code would bring its pages back */
	return poll(fds, count, timeout_ms < 0 ? -1 : timeout_ms - TRIM_MS);
}
