// SPDX-License-Identifier: MIT
/* Reports what the kernel refused the command by itself, as far as its audit log can be read. */
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "ipc/refusal.h"
#include "linux/sandbox.h"

#define END_MS 200 /* the records of other processes may never pause */

static bool
is_new(struct sandbox *sandbox, unsigned what, const char *path)
{
	uint64_t hash = hash_byte(hash_text(path), (char)(what + 1));
	uint64_t *entry = &sandbox->logged[hash % SANDBOX_LOGGED];
	bool is_known = *entry == hash;

	*entry = hash;
	return !is_known;
}

/* Where the plan allows it the kernel denied it for another reason: the plan does not explain it. */
static void
report(struct sandbox *sandbox, const struct audit_access *access)
{
	struct verdict verdict = {.rights = RIGHTS_ALL};

	if (access->rights != 0)
		verdict = broker_decide_own(&sandbox->broker, access->path);
	for (unsigned what = 0; what < RIGHT_KINDS; what++) {
		struct refusal refusal = {.what = (uint16_t)what, .missing = (uint8_t)(1u << what)};

		if (!(access->rights & ~verdict.rights & (1u << what)) ||
		    !is_new(sandbox, what, access->path))
			continue;
		refusal_decided(&refusal, &verdict.by[what]);
		refusal_send(sandbox->broker.events, &refusal, access->path);
	}
}

int
enforce_kernel_log(const struct sandbox *sandbox)
{
	return sandbox->log.fd;
}

void
enforce_read_kernel_log(struct sandbox *sandbox, pid_t command, bool is_end)
{
	int64_t until = is_end ? clock_ms() + END_MS : 0;

	while (sandbox->log.fd >= 0 && audit_log_next(&sandbox->log, command, until))
		report(sandbox, &sandbox->log.access);
}
