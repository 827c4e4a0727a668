// SPDX-License-Identifier: MIT
/* Our calendar against the C library's, over all days that a log can have. */
#include <string.h>
#include <time.h>

#include "audit/log.h"
#include "tap.h"

static bool
agrees(uint64_t seconds)
{
	time_t when = (time_t)seconds;
	char ours[32], theirs[32];
	struct tm parts;

	audit_date(seconds, ours, sizeof ours);
	return gmtime_r(&when, &parts) != NULL &&
	       strftime(theirs, sizeof theirs, "%Y-%m-%dT%H:%M:%SZ", &parts) != 0 &&
	       strcmp(ours, theirs) == 0;
}

static void
every_day_of_four_centuries(void)
{
	uint64_t wrong = 0;

	for (uint64_t day = 0; day < 400 * 366; day++)
		if (!agrees(day * 86400) || !agrees(day * 86400 + 86399) ||
		    !agrees(day * 86400 + day % 86400))
			wrong++;
	check_int(wrong, 0);
}

static void
leap_days(void)
{
	char date[32];

	audit_date(951782400, date, sizeof date);
	check_str(date, "2000-02-29T00:00:00Z");
	audit_date(4107542400, date, sizeof date);
	check_str(date, "2100-03-01T00:00:00Z");
}

int
main(void)
{
	run(every_day_of_four_centuries);
	run(leap_days);
	return tap_end();
}
