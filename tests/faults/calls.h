/* SPDX-License-Identifier: MIT */
/* What the kernel tells about a system call of a traced process, and that in words. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* <sys/ptrace.h> of older C libraries has it not, and <linux/ptrace.h> does not go with that one. */
#define GET_SYSCALL_INFO 0x420e
struct call_info {
	uint8_t op, pad[3];
	uint32_t arch;
	uint64_t instruction, stack;
	uint64_t nr, args[6]; /* at the entry only */
};
enum { CALL_ENTRY = 1, CALL_EXIT = 2 };

/* Its name, in buffer. */
const char *call_name(const struct call_info *info, char *buffer, size_t size);
/* Of a name on this machine; one that no call has when there is none. */
int call_number(const char *name);
/* Its first arguments, and the path among them. */
void call_describe(pid_t pid, const struct call_info *info, const char *name, char *to,
		   size_t size);
/* Calls that do not return, and those for which the kernel knows no error. */
bool call_never_fails(uint64_t nr);
