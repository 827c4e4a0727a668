// SPDX-License-Identifier: MIT
/*
 * Makes and removes a file by a descriptor of its folder, from a thread that is not the first:
 * kernels before 6.9 hold processes only by their first.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void *
make_and_remove(void *argument)
{
	int *status = argument;
	int folder = open(".", O_RDONLY | O_DIRECTORY);
	int fd = openat(folder, "made-by-thread", O_WRONLY | O_CREAT | O_EXCL, 0600);

	*status = fd < 0 || unlinkat(folder, "made-by-thread", 0) < 0;
	if (*status != 0)
		perror("made-by-thread");
	return NULL;
}

int
main(void)
{
	pthread_t thread;
	int status = 2;

	if (pthread_create(&thread, NULL, make_and_remove, &status) == 0)
		pthread_join(thread, NULL);
	return status;
}
