// SPDX-License-Identifier: MIT
/*
 * Runs a command as a container with a filter of its own would: the named calls give the named
 * error, everything else is free.
 *
 *	foreign ENOSYS|EPERM CALL[,CALL...] COMMAND [ARGUMENT...]
 *
 * The status is the command's; 99 when this program itself could not do what it was told.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CALLS_MAX 8
#define BROKEN 99

/* Those newer than the oldest headers have the same number everywhere. */
static const struct {
	const char *name;
	unsigned number;
} calls[] = {
	{"landlock_create_ruleset", 444},
	{"landlock_add_rule", 445},
	{"landlock_restrict_self", 446},
	{"close_range", 436},
	{"openat2", 437},
	{"pidfd_open", 434},
	{"pidfd_getfd", 438},
	{"process_madvise", 440},
	{"kcmp", SYS_kcmp},
	{"unshare", SYS_unshare},
	{"process_vm_readv", SYS_process_vm_readv},
	{"process_vm_writev", SYS_process_vm_writev},
	{"pidfd_send_signal", 424},
	{"clone3", 435},
	{"seccomp", SYS_seccomp},
	{"prctl", SYS_prctl},
	{"capset", SYS_capset},
};

static int
number_of(const char *name)
{
	for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
		if (strcmp(calls[i].name, name) == 0)
			return (int)calls[i].number;
	fprintf(stderr, "foreign: no such call: %s\n", name);
	return -1;
}

/* Two instructions a call: is it this one, then the error. */
static int
refuse_calls(char *names, unsigned error)
{
	struct sock_filter code[2 * CALLS_MAX + 2] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	};
	struct sock_fprog program = {.len = 1, .filter = code};

	for (char *name = strtok(names, ","); name != NULL; name = strtok(NULL, ",")) {
		int number = number_of(name);

		if (number < 0 || program.len >= 2 * CALLS_MAX)
			return -1;
		code[program.len++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
								   (unsigned)number, 0, 1);
		code[program.len++] = (struct sock_filter)BPF_STMT(
			BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (error & SECCOMP_RET_DATA));
	}
	code[program.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int
main(int argc, char **argv)
{
	unsigned error = argc > 1 && strcmp(argv[1], "ENOSYS") == 0  ? ENOSYS
			 : argc > 1 && strcmp(argv[1], "EPERM") == 0 ? EPERM
								     : 0;

	if (argc < 4 || error == 0) {
		fputs("usage: foreign ENOSYS|EPERM CALL[,CALL...] COMMAND [ARGUMENT...]\n", stderr);
		return BROKEN;
	}
	if (refuse_calls(argv[2], error) < 0) {
		perror("foreign");
		return BROKEN;
	}
	execvp(argv[3], argv + 3);
	perror(argv[3]);
	return BROKEN;
}
