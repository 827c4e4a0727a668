/* SPDX-License-Identifier: MIT */
/*
 * The registers of a stopped process that hold a system call: its number, its first argument, its
 * result. A process that died meanwhile is left alone; its parent reports it.
 */
#pragma once

#include <elf.h>
#include <stdint.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/user.h>

/* Another call, without effect, in place of this one. Not -1: a filter may kill for that number. */
#if defined(__x86_64__)
static inline void
replace_call(pid_t pid)
{
	struct user_regs_struct regs;

	if (ptrace(PTRACE_GETREGS, pid, NULL, &regs) < 0)
		return;
	regs.orig_rax = SYS_getpid;
	ptrace(PTRACE_SETREGS, pid, NULL, &regs);
}

static inline void
set_argument(pid_t pid, uint64_t value)
{
	struct user_regs_struct regs;

	if (ptrace(PTRACE_GETREGS, pid, NULL, &regs) < 0)
		return;
	regs.rdi = value;
	ptrace(PTRACE_SETREGS, pid, NULL, &regs);
}
#define ARGUMENT_IS_RESULT 0

static inline void
set_result(pid_t pid, long result)
{
	struct user_regs_struct regs;

	if (ptrace(PTRACE_GETREGS, pid, NULL, &regs) < 0)
		return;
	regs.rax = (unsigned long)result;
	ptrace(PTRACE_SETREGS, pid, NULL, &regs);
}
#elif defined(__aarch64__)
#ifndef NT_ARM_SYSTEM_CALL
#define NT_ARM_SYSTEM_CALL 0x404
#endif
static inline void
replace_call(pid_t pid)
{
	int number = SYS_getpid;
	struct iovec part = {&number, sizeof number};

	ptrace(PTRACE_SETREGSET, pid, (void *)NT_ARM_SYSTEM_CALL, &part);
}

static inline void
set_result(pid_t pid, long result)
{
	struct user_regs_struct regs;
	struct iovec part = {&regs, sizeof regs};

	if (ptrace(PTRACE_GETREGSET, pid, (void *)NT_PRSTATUS, &part) < 0)
		return;
	regs.regs[0] = (unsigned long)result;
	ptrace(PTRACE_SETREGSET, pid, (void *)NT_PRSTATUS, &part);
}

static inline void
set_argument(pid_t pid, uint64_t value)
{
	set_result(pid, (long)value);
}
#define ARGUMENT_IS_RESULT 1
#else
#error "inject knows x86_64 and aarch64"
#endif
