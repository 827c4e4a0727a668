// SPDX-License-Identifier: MIT
/* System V message queues, semaphores and shared memory are refused. */
#include <errno.h>

#include "ipc/refusal.h"
#include "linux/broker/broker.h"

void
act_sysv(struct broker *broker, const struct notif_call *request)
{
	broker_refused_asked(
		broker, request, REFUSAL_SYSV,
		"asked for System V memory, semaphores or queues, and none are granted; "
		"allow them with --ipc sysv");
	request_fail(request, ENOSYS);
}
