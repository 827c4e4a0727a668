// SPDX-License-Identifier: MIT
/* System V message queues, semaphores and shared memory are refused. */
#include <errno.h>

#include "linux/broker/broker.h"

void
sys_sysv(const struct notif_call *request)
{
	refuse_request(request, REFUSED_SYSV, CAUSE_NO_SYSV);
	notif_fail(request, ENOSYS);
}
