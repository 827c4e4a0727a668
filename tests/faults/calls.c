// SPDX-License-Identifier: MIT
/* System calls in words. Reads the memory of the process that makes them, and changes nothing. */
#include "calls.h"

#include <limits.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>

/* One that is newer than libseccomp. */
#define NUMBERED "call-%d"

const char *
call_name(const struct call_info *info, char *buffer, size_t size)
{
	char *known = seccomp_syscall_resolve_num_arch(info->arch, (int)info->nr);

	if (known != NULL)
		snprintf(buffer, size, "%s", known);
	else
		snprintf(buffer, size, NUMBERED, (int)info->nr);
	free(known);
	return buffer;
}

int
call_number(const char *name)
{
	int number;

	if (sscanf(name, NUMBERED, &number) != 1)
		number = seccomp_syscall_resolve_name(name);
	return number < 0 ? INT_MAX : number;
}

/* Which argument is a path, for people who read the list. */
static int
path_argument(const char *name)
{
	static const char *const first[] = {"access", "stat",  "lstat", "readlink", "mkdir",
					    "rmdir",  "chdir", "open",	"execve",   "unlink"};
	size_t length = strlen(name);

	for (size_t i = 0; i < sizeof first / sizeof first[0]; i++)
		if (strcmp(first[i], name) == 0)
			return 0;
	if ((length > 2 && strcmp(name + length - 2, "at") == 0) || strcmp(name, "openat2") == 0 ||
	    strcmp(name, "faccessat2") == 0 || strcmp(name, "statx") == 0)
		return 1;
	return -1;
}

static void
read_text(pid_t pid, uint64_t address, char *to, size_t size)
{
	struct iovec here = {to, size - 1}, there = {(void *)(uintptr_t)address, size - 1};
	ssize_t length = address == 0 ? -1 : process_vm_readv(pid, &here, 1, &there, 1, 0);

	to[length < 0 ? 0 : length] = '\0';
	for (; *to != '\0'; to++)
		if (*to < ' ' || *to > '~')
			*to = '?';
}

void
call_describe(pid_t pid, const struct call_info *info, const char *name, char *to, size_t size)
{
	int at = path_argument(name);
	char text[200] = "";

	if (at >= 0)
		read_text(pid, info->args[at], text, sizeof text);
	snprintf(to, size, "(%lx, %lx, %lx) %s", (long)info->args[0], (long)info->args[1],
		 (long)info->args[2], text);
}

bool
call_never_fails(uint64_t nr)
{
	static const uint64_t sure[] = {SYS_exit,	    SYS_exit_group, SYS_rt_sigreturn,
					SYS_getpid,	    SYS_getppid,    SYS_restart_syscall,
					SYS_gettid,	    SYS_getuid,	    SYS_geteuid,
					SYS_getgid,	    SYS_getegid,    SYS_umask,
					SYS_set_tid_address};

	for (size_t i = 0; i < sizeof sure / sizeof sure[0]; i++)
		if (sure[i] == nr)
			return true;
	return false;
}
