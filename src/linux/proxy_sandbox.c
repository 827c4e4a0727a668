// SPDX-License-Identifier: MIT
/*
 * The sandbox of the proxy, which reads input from the network: a Landlock ruleset without files, and a
 * seccomp filter that allows a short list of system calls. All others fail with EPERM.
 */
#include "base/os_process.h"

#include "ipc/proxy_task.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/fd.h"
#include "linux/landlock/handshake.h"
#include "linux/landlock/ruleset.h"
#include "linux/process/privileges.h"
#include "linux/seccomp/filter.h"

#define RULE_NET_PORT 2

#if defined(__x86_64__) && !defined(__ILP32__)
#define THIS_ARCH AUDIT_ARCH_X86_64
#elif defined(__AARCH64EL__) && !defined(__ILP32__)
#define THIS_ARCH AUDIT_ARCH_AARCH64
#else
#define THIS_ARCH 0
#endif

struct proxy_port_rule {
	uint64_t access, port;
};

/* Connects are restricted by port, where Landlock supports that; accepting is not. */
static int
enter_landlock(const struct role *role, struct cordon_error *err)
{
	int abi = landlock_version(NULL);
	struct landlock_access handled = ruleset_access_for_abi(abi);
	auto_fd int ruleset = -1;

	/* an outer broker refuses to act for an unregistered layer; it checks addresses itself */
	if (abi == 0 || handshake_query() != 0)
		return 0;
	/* the stub answers to any port */
	handled.net &= NET_BIND_TCP | NET_CONNECT_TCP;
	ruleset = landlock_ruleset(&handled);
	if (ruleset < 0)
		return cordon_fail(err, CORDON_E_SYSTEM, errno, "cannot make the proxy's ruleset");
	for (size_t i = 0; abi >= 4 && i < role->port_count; i++) {
		struct proxy_port_rule rule = {NET_CONNECT_TCP, role->ports[i]};

		if (syscall(SYS_landlock_add_rule, ruleset, RULE_NET_PORT, &rule, 0) < 0)
			return cordon_fail(err, CORDON_E_SYSTEM, errno,
					   "Landlock does not accept port %u", role->ports[i]);
	}
	return ruleset_enter(ruleset, false, err);
}

#define LOAD(field) \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offsetof(struct seccomp_data, field))
/* Both architectures are little-endian: the low half comes first. */
#define LOAD_ARGUMENT(n) LOAD(args[n])
#define END(value) BPF_STMT(BPF_RET | BPF_K, value)
#define REFUSE END(SECCOMP_RET_ERRNO | EPERM)
#define ALLOW(name) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1), END(SECCOMP_RET_ALLOW)
/* For this call: the argument must be one of two values. */
#define ALLOW_IF(name, argument, first, second)                                         \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 5), LOAD_ARGUMENT(argument), \
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, first, 1, 0),                       \
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, second, 0, 1), END(SECCOMP_RET_ALLOW), REFUSE
/* For this call: the argument must have none of these bits. */
#define ALLOW_WITHOUT(name, argument, bits)                                             \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 4), LOAD_ARGUMENT(argument), \
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 1, 0), END(SECCOMP_RET_ALLOW), REFUSE

static const struct sock_filter filter[] = {
	LOAD(arch),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, THIS_ARCH, 1, 0),
	END(SECCOMP_RET_KILL_PROCESS),
	LOAD(nr),
	/* connections */
	ALLOW(recvfrom),
	ALLOW(sendto),
	ALLOW(epoll_pwait),
	ALLOW(epoll_ctl),
	ALLOW(read),
	ALLOW(write),
	ALLOW(readv),
	ALLOW(writev),
	ALLOW(close),
	ALLOW(accept4),
	ALLOW(connect),
	ALLOW(shutdown),
	ALLOW_IF(socket, 0, AF_INET, AF_INET6),
	ALLOW(getsockopt),
	ALLOW(setsockopt),
	ALLOW(getsockname),
	ALLOW(bind), /* to find out whether an address is local; Landlock denies it for TCP */
	ALLOW(getpeername),
	ALLOW(recvmsg),
	ALLOW(sendmsg),
	ALLOW(fcntl),
	ALLOW_IF(ioctl, 1, FIONBIO, FIONBIO),
	/* time, memory, exit */
	ALLOW(clock_gettime),
	ALLOW(gettimeofday),
	ALLOW(getrandom),
	ALLOW(futex),
	ALLOW(brk),
	ALLOW(munmap),
	ALLOW(mremap),
	ALLOW(madvise),
	ALLOW_WITHOUT(mmap, 2, PROT_EXEC),
	ALLOW_WITHOUT(mprotect, 2, PROT_EXEC),
	ALLOW(ppoll),
	ALLOW(getpid),
	ALLOW(gettid),
	ALLOW(rt_sigprocmask),
	ALLOW(rt_sigreturn),
	ALLOW(rt_sigaction),
	ALLOW(sigaltstack),
	ALLOW(restart_syscall),
	ALLOW(exit),
	ALLOW(exit_group),
#ifdef SYS_epoll_wait
	ALLOW(epoll_wait),
	ALLOW(poll),
	ALLOW(time),
#endif
	REFUSE,
};

static int
enter_filter(struct cordon_error *err)
{
	static const struct sock_fprog program = {sizeof filter / sizeof filter[0],
						  (struct sock_filter *)filter};

	if (THIS_ARCH == 0)
		return filter_load(NULL, err);
	return filter_load(&program, err);
}

int
proxy_sandbox_enter(const struct role *role, struct cordon_error *err)
{
	int rc = privileges_drop(err);

	if (rc == 0 && os_set_undumpable() < 0)
		rc = cordon_fail(err, CORDON_E_SYSTEM, errno, "cannot hide the proxy's memory");
	if (rc == 0)
		rc = enter_landlock(role, err);
	return rc < 0 ? rc : enter_filter(err);
}
