// SPDX-License-Identifier: MIT
/*
 * What is run while the start path is made to fail. It tries what a confined command must not be
 * able to do and what it must, and writes one line for each into a file: that there is such a file
 * shows that it ran. Free, all of it has to work. Nothing here waits.
 *
 *   canary PLACE PID      PLACE as made by tests/faults/run; PID is a process that is not ours
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LEAKED 9 /* open to the secret, left by the caller */
#define STATUS 7 /* of its own, so that a 0 from elsewhere is seen */

struct canary {
	const char *place;
	pid_t outsider;
};

static bool
can_read(const struct canary *canary, const char *name)
{
	char path[4096], byte;
	int fd;
	bool read_it;

	snprintf(path, sizeof path, "%s/%s", canary->place, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	read_it = fd >= 0 && read(fd, &byte, 1) == 1;
	if (fd >= 0)
		close(fd);
	return read_it;
}

static bool
can_make(const char *folder, const char *name)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return false;
	close(fd);
	return unlink(path) == 0;
}

static bool
read_secret(const struct canary *canary)
{
	return can_read(canary, "home/secret");
}

/* The user's policy grants it, the project's takes it away. */
static bool
read_narrowed(const struct canary *canary)
{
	return can_read(canary, "narrowed/file");
}

static bool
read_granted(const struct canary *canary)
{
	return can_read(canary, "granted/file");
}

static bool
read_own(const struct canary *canary)
{
	return can_read(canary, "project/sub/own");
}

static bool
read_system(const struct canary *canary)
{
	(void)canary;
	return access("/etc/passwd", R_OK) == 0 && open("/etc/passwd", O_RDONLY | O_CLOEXEC) >= 0;
}

static bool
write_home(const struct canary *canary)
{
	char folder[4096];

	snprintf(folder, sizeof folder, "%s/home", canary->place);
	return can_make(folder, "planted");
}

static bool
write_shared_tmp(const struct canary *canary)
{
	char folder[4096];

	snprintf(folder, sizeof folder, "%s/tmp", canary->place);
	return can_make(folder, "planted");
}

static bool
write_own_tmp(const struct canary *canary)
{
	const char *folder = getenv("TMPDIR");

	(void)canary;
	return folder != NULL && can_make(folder, "scratch");
}

static bool
make_socket(const struct canary *canary)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)canary;
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static bool
use_leaked(const struct canary *canary)
{
	char byte;

	(void)canary;
	return pread(LEAKED, &byte, 1, 0) == 1;
}

static bool
see_variable(const struct canary *canary)
{
	(void)canary;
	return getenv("CANARY_TOKEN") != NULL;
}

static bool
signal_outsider(const struct canary *canary)
{
	return kill(canary->outsider, 0) == 0;
}

static bool
gain_privileges(const struct canary *canary)
{
	(void)canary;
	return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0;
}

/* A call that the filter refuses, on this process only. */
static bool
make_queue(const struct canary *canary)
{
	int queue = (int)syscall(SYS_mq_open, "cordon-canary", O_CREAT | O_RDWR, 0600, NULL);

	(void)canary;
	if (queue >= 0) {
		close(queue);
		syscall(SYS_mq_unlink, "cordon-canary");
	}
	return queue >= 0;
}

static const struct {
	const char *name;
	bool (*works)(const struct canary *canary);
} deeds[] = {
	{"secret", read_secret},   {"narrowed", read_narrowed},	    {"granted", read_granted},
	{"own", read_own},	   {"system", read_system},	    {"home", write_home},
	{"tmp", write_shared_tmp}, {"private", write_own_tmp},	    {"socket", make_socket},
	{"leaked", use_leaked},	   {"variable", see_variable},	    {"signal", signal_outsider},
	{"queue", make_queue},	   {"privileges", gain_privileges},
};

int
main(int argc, char **argv)
{
	struct canary canary;
	char path[4096];
	FILE *marker;

	if (argc != 3)
		return 2;
	canary = (struct canary){argv[1], (pid_t)strtol(argv[2], NULL, 10)};
	snprintf(path, sizeof path, "%s/project/sub/marker", canary.place);
	marker = fopen(path, "we");
	if (marker == NULL)
		return 3;
	for (size_t i = 0; i < sizeof deeds / sizeof deeds[0]; i++)
		fprintf(marker, "%s %s\n", deeds[i].name,
			deeds[i].works(&canary) ? "works" : "refused");
	return fclose(marker) == 0 ? STATUS : 4;
}
