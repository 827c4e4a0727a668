// SPDX-License-Identifier: MIT
/* System V message queues, semaphores and shared memory are refused. */
#include <errno.h>

#include "ipc/refusal.h"
#include "linux/broker/broker.h"

void
sys_sysv(const struct notif_call *request)
{
	refuse_request(request->broker, request, REFUSAL_SYSV,
		       "asked for System V memory, semaphores or queues, and none are granted; "
		       "allow them with --ipc sysv");
	notif_fail(request, ENOSYS);
}
