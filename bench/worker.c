// SPDX-License-Identifier: MIT
/*
 * The measured work, as one small program.
 *
 *   worker read DIR        opens and reads every file below DIR
 *   worker walk DIR        calls stat on every name below DIR
 *   worker fill DIR N      creates N files of 1 kB in DIR
 *   worker make DIR N      the same, a hundred per directory
 *   worker hold FILE       creates FILE and waits to be killed
 *   worker leave N FILE    leaves N processes behind, each in its own session; writes their pids to FILE,
 *   then the time at which it exits
 */
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PER_FOLDER 100

static int
read_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	char buffer[8192];
	int fd;

	(void)st, (void)ftw;
	if (type != FTW_F)
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	while (read(fd, buffer, sizeof buffer) > 0)
		;
	return close(fd);
}

static int
look_at_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)path, (void)st, (void)ftw;
	return type == FTW_NS || type == FTW_DNR ? -1 : 0;
}

static int
fill(const char *folder, int count)
{
	char path[4096], content[1000];

	memset(content, 'x', sizeof content);
	for (int i = 0; i < count; i++) {
		int fd;
		ssize_t n;

		snprintf(path, sizeof path, "%s/file%02d.txt", folder, i);
		fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
		n = fd < 0 ? -1 : write(fd, content, sizeof content);
		if (n != (ssize_t)sizeof content || close(fd) < 0)
			return 1;
	}
	return 0;
}

static int
make(const char *folder, int count)
{
	char path[4000];

	for (int i = 0; i < count; i += PER_FOLDER) {
		snprintf(path, sizeof path, "%s/folder%03d", folder, i / PER_FOLDER);
		if (mkdir(path, 0755) < 0 ||
		    fill(path, count - i < PER_FOLDER ? count - i : PER_FOLDER) != 0)
			return 1;
	}
	return 0;
}

static int
hold(const char *path)
{
	FILE *file = fopen(path, "w");

	if (file == NULL || fclose(file) != 0)
		return 1;
	for (;;)
		pause();
}

/* Starts a process in its own session, waits until it runs, and leaves it. */
static pid_t
leave_one(void)
{
	int ends[2];
	char byte = 0;
	pid_t child;

	if (pipe(ends) < 0 || (child = fork()) < 0)
		return -1;
	if (child == 0) {
		setsid();
		if (write(ends[1], &byte, 1) == 1) {
			close(ends[0]);
			close(ends[1]);
			for (;;)
				pause();
		}
		_exit(1);
	}
	if (read(ends[0], &byte, 1) != 1)
		return -1;
	close(ends[0]);
	close(ends[1]);
	return child;
}

static int
leave(int count, const char *path)
{
	FILE *file = fopen(path, "w");
	struct timespec t;

	for (int i = 0; file != NULL && i < count; i++) {
		pid_t child = leave_one();

		if (child < 0)
			return 1;
		fprintf(file, "%d\n", (int)child);
	}
	if (file == NULL || fflush(file) != 0)
		return 1;
	clock_gettime(CLOCK_MONOTONIC, &t);
	fprintf(file, "at %.3f\n", (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6);
	return fclose(file) == 0 ? 0 : 1;
}

int
main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "read") == 0)
		return nftw(argv[2], read_one, 32, FTW_PHYS) == 0 ? 0 : 1;
	if (argc == 3 && strcmp(argv[1], "walk") == 0)
		return nftw(argv[2], look_at_one, 32, FTW_PHYS) == 0 ? 0 : 1;
	if (argc == 4 && strcmp(argv[1], "fill") == 0)
		return fill(argv[2], atoi(argv[3]));
	if (argc == 4 && strcmp(argv[1], "make") == 0)
		return make(argv[2], atoi(argv[3]));
	if (argc == 3 && strcmp(argv[1], "hold") == 0)
		return hold(argv[2]);
	if (argc == 4 && strcmp(argv[1], "leave") == 0)
		return leave(atoi(argv[2]), argv[3]);
	return 2;
}
