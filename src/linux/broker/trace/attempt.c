// SPDX-License-Identifier: MIT
/*
 * Reads back what the kernel answers to a traced open: a thread enters the inner layer, as the command did, and
 * opens the same object for reading. Only files and folders, where that changes nothing.
 */
#include "linux/broker/trace/attempt.h"

#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "linux/landlock/ruleset.h"
#include "linux/process/thread.h"

#define STACK_SIZE (64 * 1024)

struct attempt {
	int layer, object, why;
	sem_t done;
};

static int
open_object(const struct attempt *attempt)
{
	char path[40];
	int fd;

	snprintf(path, sizeof path, "/proc/self/fd/%d", attempt->object);
	fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

static void *
attempt_main(void *argument)
{
	struct attempt *attempt = argument;
	struct cordon_error err = {0};

	attempt->why = ruleset_enter(attempt->layer, false, &err) < 0 ? -1 : open_object(attempt);
	sem_post(&attempt->done);
	return NULL;
}

int
attempt_read(int layer, int object)
{
	struct attempt attempt = {.layer = layer, .object = object, .why = -1};
	struct stat at;

	if (layer < 0 || fstat(object, &at) < 0 || !(S_ISREG(at.st_mode) || S_ISDIR(at.st_mode)) ||
	    sem_init(&attempt.done, 0, 0) < 0)
		return -1;
	if (thread_start(STACK_SIZE, attempt_main, &attempt) == 0)
		while (sem_wait(&attempt.done) < 0 && errno == EINTR)
			;
	sem_destroy(&attempt.done);
	return attempt.why;
}
