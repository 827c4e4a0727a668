// SPDX-License-Identifier: MIT
/* Starts every thread of the guard except its first. */
#include "linux/process/thread.h"

#include <pthread.h>

int
thread_start(size_t stack, void *(*run)(void *argument), void *argument)
{
	pthread_attr_t attributes;
	pthread_t thread;
	int why = pthread_attr_init(&attributes);

	if (why != 0)
		return why;
	pthread_attr_setstacksize(&attributes, stack);
	pthread_attr_setguardsize(&attributes, THREAD_GUARD);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	why = pthread_create(&thread, &attributes, run, argument);
	pthread_attr_destroy(&attributes);
	return why;
}
