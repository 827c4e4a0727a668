// SPDX-License-Identifier: MIT
/*
 * Terminals, where there is neither script nor python:
 *   terminal keep         makes one, says its name, and keeps it
 *   terminal open NAME    opens it in each way that the kernel knows; 0: one of them worked
 *   terminal own          makes one and opens its other end by name and without
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define IOCTL_OTHER_END 0x5441 /* TIOCGPTPEER */

static int
make(char name[64])
{
	int master = posix_openpt(O_RDWR | O_NOCTTY);

	if (master < 0 || grantpt(master) < 0 || unlockpt(master) < 0 ||
	    ptsname_r(master, name, 64) != 0) {
		perror("terminal");
		exit(2);
	}
	return master;
}

static _Noreturn void
keep(void)
{
	char name[64];

	make(name);
	puts(name);
	fflush(stdout);
	for (;;)
		pause();
}

static int
open_any(const char *name)
{
	static const int modes[] = {O_RDONLY, O_WRONLY, O_RDWR, O_RDONLY | O_NONBLOCK};
	int held = open(name, O_PATH), opened = 0;
	char again[64];

	snprintf(again, sizeof again, "/proc/self/fd/%d", held);
	for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++)
		opened += open(name, modes[i] | O_NOCTTY) >= 0 || open(again, modes[i]) >= 0;
	return opened == 0;
}

static int
own(void)
{
	char name[64], text[16] = "";
	int master = make(name), by_name = open(name, O_RDWR | O_NOCTTY);
	int without = ioctl(master, IOCTL_OTHER_END, O_RDWR | O_NOCTTY);

	return by_name < 0 || without < 0 || write(by_name, "x", 1) != 1 ||
	       read(master, text, 1) != 1 || write(without, "y", 1) != 1 ||
	       read(master, text + 1, 1) != 1 || strcmp(text, "xy") != 0;
}

int
main(int argc, char *argv[])
{
	if (argc == 2 && strcmp(argv[1], "keep") == 0)
		keep();
	if (argc == 2 && strcmp(argv[1], "own") == 0)
		return own();
	return argc == 3 && strcmp(argv[1], "open") == 0 ? open_any(argv[2]) : 2;
}
