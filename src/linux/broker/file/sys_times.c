// SPDX-License-Identifier: MIT
/* utimensat and its older forms. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <utime.h>

#include "linux/broker/file/metadata.h"

/* One of three layouts of two times. Returns 0 or an errno. */
static int
read_seconds(const struct notif_call *request, uint64_t address, struct metadata_change *to)
{
	struct utimbuf buffer = {0};
	int why = address == 0 ? 0 : notif_bytes(request, address, &buffer, sizeof buffer);

	to->act = metadata_set_times;
	to->is_now = address == 0;
	if (address != 0 && why == 0) {
		to->times[0] = (struct timespec){.tv_sec = buffer.actime};
		to->times[1] = (struct timespec){.tv_sec = buffer.modtime};
	}
	return why;
}

static int
read_microseconds(const struct notif_call *request, uint64_t address, struct metadata_change *to)
{
	struct timeval pair[2] = {0};
	int why = address == 0 ? 0 : notif_bytes(request, address, pair, sizeof pair);

	to->act = metadata_set_times;
	to->is_now = address == 0;
	for (int i = 0; address != 0 && why == 0 && i < 2; i++) {
		if (pair[i].tv_usec < 0 || pair[i].tv_usec > 999999)
			return EINVAL;
		to->times[i] = (struct timespec){pair[i].tv_sec, pair[i].tv_usec * 1000};
	}
	return why;
}

static int
read_nanoseconds(const struct notif_call *request, uint64_t address, struct metadata_change *to)
{
	to->act = metadata_set_times;
	to->is_now = address == 0;
	return address == 0 ? 0 : notif_bytes(request, address, to->times, sizeof to->times);
}

/* With a NULL path the fd is the file, and flags are not allowed. */
static void
change_times_at(const struct notif_call *request, const struct metadata_at *at,
		const struct metadata_change *change)
{
	if (at->path != 0 || at->folder == AT_FDCWD)
		metadata_change_at(request, at, change);
	else if (at->flags != 0)
		notif_fail(request, EINVAL);
	else
		metadata_change_descriptor(request, at->folder, change);
}

/* Then the kernel does not even look at the file. */
static bool
changes_no_time(const struct metadata_change *change)
{
	return !change->is_now && change->times[0].tv_nsec == UTIME_OMIT &&
	       change->times[1].tv_nsec == UTIME_OMIT;
}

void
sys_utime(const struct notif_call *request)
{
	const __u64 *a = request->notif.data.args;
	struct metadata_change change = {0};
	int why = read_seconds(request, a[1], &change);

	if (why != 0)
		notif_fail(request, why);
	else
		metadata_change_path(request, AT_FDCWD, a[0], LOOKUP_FOLLOW, &change);
}

void
sys_utimes(const struct notif_call *request)
{
	const __u64 *a = request->notif.data.args;
	struct metadata_change change = {0};
	int why = read_microseconds(request, a[1], &change);

	if (why != 0)
		notif_fail(request, why);
	else
		metadata_change_path(request, AT_FDCWD, a[0], LOOKUP_FOLLOW, &change);
}

void
sys_futimesat(const struct notif_call *request)
{
	const __u64 *a = request->notif.data.args;
	struct metadata_change change = {0};
	struct metadata_at at = {.folder = (int)a[0], .path = a[1]};
	int why = read_microseconds(request, a[2], &change);

	if (why != 0)
		notif_fail(request, why);
	else
		change_times_at(request, &at, &change);
}

void
sys_utimensat(const struct notif_call *request)
{
	const __u64 *a = request->notif.data.args;
	struct metadata_change change = {0};
	struct metadata_at at = {.folder = (int)a[0], .path = a[1], .flags = (int)a[3]};
	int why = read_nanoseconds(request, a[2], &change);

	if (why != 0)
		notif_fail(request, why);
	else if (changes_no_time(&change))
		notif_return(request, 0);
	else
		change_times_at(request, &at, &change);
}
