// SPDX-License-Identifier: MIT
/*
 * The filters without a kernel: a small interpreter runs them for tables of calls. The verdicts
 * of single calls are written out here once more, by hand; the walk over all numbers compares the
 * code with the table it was made from.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "../../tools/calls.h"
#include "tap.h"

#define FILTER_EVERY
#include "filters.inc"

#define KILLED (-1)
#define ROUTED (-2)
#define I386 0x40000003u
#define ARM 0x40000028u
#define HIGH_BITS 0xdeadbeef00000000ull
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

struct variant {
	const char *name;
	uint32_t arch;
	enum network network;
	enum names names;
	bool is_guarded; /* there is a broker for files */
	const struct sock_filter *code;
	size_t length;
};

#define KIND(arch, token, name, network, names, guarded)                                 \
	{                                                                                \
#arch " " #name, token, network, names, guarded, filter_##arch##_##name, \
			COUNT(filter_##arch##_##name)                                    \
	}
#define VARIANT(arch, token, name, network, names) KIND(arch, token, name, network, names, false)
#define VARIANTS(arch, token)                                                                      \
	VARIANT(arch, token, none, NETWORK_NONE, NAMES_SEEN),                                      \
		VARIANT(arch, token, none_paths, NETWORK_NONE, NAMES_ROUTED),                      \
		VARIANT(arch, token, none_closed, NETWORK_NONE, NAMES_CLOSED),                     \
		VARIANT(arch, token, all_closed, NETWORK_ALL, NAMES_CLOSED),                       \
		VARIANT(arch, token, all, NETWORK_ALL, NAMES_SEEN),                                \
		VARIANT(arch, token, all_paths, NETWORK_ALL, NAMES_ROUTED),                        \
		VARIANT(arch, token, brokered, NETWORK_BROKERED, NAMES_SEEN),                      \
		VARIANT(arch, token, brokered_paths, NETWORK_BROKERED, NAMES_ROUTED),              \
		VARIANT(arch, token, none_signals, NETWORK_NONE, NAMES_AND_SIGNALS),               \
		VARIANT(arch, token, all_signals, NETWORK_ALL, NAMES_AND_SIGNALS),                 \
		VARIANT(arch, token, brokered_signals, NETWORK_BROKERED, NAMES_AND_SIGNALS),       \
		VARIANT(arch, token, none_copied, NETWORK_NONE, NAMES_COPIED),                     \
		VARIANT(arch, token, all_copied, NETWORK_ALL, NAMES_COPIED),                       \
		VARIANT(arch, token, brokered_copied, NETWORK_BROKERED, NAMES_COPIED),             \
		VARIANT(arch, token, none_copied_signals, NETWORK_NONE, NAMES_COPIED_AND_SIGNALS), \
		VARIANT(arch, token, datagrams, NETWORK_DATAGRAMS, NAMES_SEEN),                    \
		VARIANT(arch, token, datagrams_paths, NETWORK_DATAGRAMS, NAMES_ROUTED),            \
		VARIANT(arch, token, datagrams_signals, NETWORK_DATAGRAMS, NAMES_AND_SIGNALS)

static const struct variant variants[] = {
	VARIANTS(x86_64, SCMP_ARCH_X86_64),
	VARIANTS(aarch64, SCMP_ARCH_AARCH64),
};

/* Those for files, without a network: which calls on files they route is not looked at here. */
#define GUARDED(arch, token, name, names)                                   \
	KIND(arch, token, none##name##_changes, NETWORK_NONE, names, true), \
		KIND(arch, token, none##name##_reads, NETWORK_NONE, names, true)
#define ALL_GUARDED(arch, token)                                                        \
	GUARDED(arch, token, , NAMES_SEEN), GUARDED(arch, token, _paths, NAMES_ROUTED), \
		GUARDED(arch, token, _signals, NAMES_AND_SIGNALS)

static const struct variant guarded[] = {
	ALL_GUARDED(x86_64, SCMP_ARCH_X86_64),
	ALL_GUARDED(aarch64, SCMP_ARCH_AARCH64),
};

/* ---- interpreter ---- */

static uint32_t
word_at(const struct seccomp_data *data, uint32_t offset)
{
	uint32_t word;

	if (offset > sizeof *data - sizeof word || offset % sizeof word != 0)
		abort();
	memcpy(&word, (const char *)data + offset, sizeof word);
	return word;
}

static bool
holds(unsigned operation, uint32_t accumulator, uint32_t value)
{
	switch (operation) {
	case BPF_JEQ:
		return accumulator == value;
	case BPF_JGE:
		return accumulator >= value;
	case BPF_JSET:
		return (accumulator & value) != 0;
	default:
		abort();
	}
}

/* What the kernel would return. An instruction that make-filter never writes stops the test. */
static uint32_t
simulate(const struct variant *variant, const struct seccomp_data *data)
{
	uint32_t accumulator = 0;

	for (size_t at = 0; at < variant->length; at++) {
		const struct sock_filter *step = &variant->code[at];

		switch (step->code) {
		case BPF_LD | BPF_W | BPF_ABS:
			accumulator = word_at(data, step->k);
			break;
		case BPF_ALU | BPF_AND | BPF_K:
			accumulator &= step->k;
			break;
		case BPF_RET | BPF_K:
			return step->k;
		case BPF_JMP | BPF_JA:
			at += step->k;
			break;
		default:
			if (BPF_CLASS(step->code) != BPF_JMP || BPF_SRC(step->code) != BPF_K)
				abort();
			at += holds(BPF_OP(step->code), accumulator, step->k) ? step->jt : step->jf;
		}
	}
	abort();
}

/* 0 allowed, an errno, KILLED or ROUTED. */
static int
outcome(uint32_t action)
{
	switch (action & SECCOMP_RET_ACTION_FULL) {
	case SECCOMP_RET_ALLOW:
		return 0;
	case SECCOMP_RET_ERRNO:
		return (int)(action & SECCOMP_RET_DATA);
	case SECCOMP_RET_KILL_PROCESS:
		return KILLED;
	case SECCOMP_RET_USER_NOTIF:
		return ROUTED;
	default:
		abort();
	}
}

static int
try_number(const struct variant *variant, uint32_t number, const uint64_t *args)
{
	struct seccomp_data data = {.nr = (int)number, .arch = variant->arch};

	for (int i = 0; args != NULL && i < 6; i++)
		data.args[i] = args[i];
	return outcome(simulate(variant, &data));
}

/* ---- names ---- */

static int
number_of(const struct variant *variant, const char *name)
{
	int number = seccomp_syscall_resolve_name_arch(variant->arch, name);

	for (size_t i = 0; number < 0 && i < COUNT(newer); i++)
		if (strcmp(newer[i].name, name) == 0)
			number = newer[i].x86_only && variant->arch != SCMP_ARCH_X86_64
					 ? -1
					 : newer[i].number;
	return number;
}

/* A mistake names the call, the variant and both results. */
static void
expect(const struct variant *variant, const char *name, const uint64_t *args, int expected)
{
	int number = number_of(variant, name), got;

	if (number < 0)
		return;
	got = try_number(variant, (uint32_t)number, args);
	if (got == expected)
		return;
	printf("# %s: %s(%#llx, %#llx, %#llx): %d, expected %d\n", variant->name, name,
	       args != NULL ? (unsigned long long)args[0] : 0,
	       args != NULL ? (unsigned long long)args[1] : 0,
	       args != NULL ? (unsigned long long)args[2] : 0, got, expected);
	tap.failed_checks++;
}

static void
expect_names(const char *names, int expected)
{
	static const uint64_t ones[6] = {~0ull, ~0ull, ~0ull, ~0ull, ~0ull, ~0ull};
	char name[64];

	for (int length; sscanf(names, " %63s%n", name, &length) == 1; names += length) {
		check(number_of(&variants[0], name) >= 0 || number_of(&variants[2], name) >= 0);
		for (size_t i = 0; i < COUNT(variants); i++) {
			expect(&variants[i], name, NULL, expected);
			expect(&variants[i], name, ones, expected);
		}
	}
}

static int
count_names(const char *names, const char *wanted)
{
	char name[64];
	int found = 0;

	for (int length; sscanf(names, " %63s%n", name, &length) == 1; names += length)
		found += strcmp(name, wanted) == 0;
	return found;
}

/* The groups of calls.h that name it; the last is *ret_group. */
static int
count_groups(const char *wanted, const struct group **ret_group)
{
	int found = 0;

	for (size_t i = 0; i < COUNT(groups); i++) {
		int here = count_names(groups[i].calls, wanted);

		found += here;
		if (here > 0)
			*ret_group = &groups[i];
	}
	return found;
}

static const char *
newer_name(const struct variant *variant, int number)
{
	for (size_t i = 0; i < COUNT(newer); i++)
		if (newer[i].number == number &&
		    (!newer[i].x86_only || variant->arch == SCMP_ARCH_X86_64))
			return newer[i].name;
	return NULL;
}

/* ---- cases ---- */

static enum names
column(const struct variant *variant)
{
	return variant->names >= NAMES_COLUMNS ? NAMES_ROUTED : variant->names;
}

static bool
is_copied(const struct variant *variant)
{
	return variant->names == NAMES_COPIED || variant->names == NAMES_COPIED_AND_SIGNALS;
}

static bool
has_signals(const struct variant *variant)
{
	return variant->names == NAMES_AND_SIGNALS || variant->names == NAMES_COPIED_AND_SIGNALS;
}

static bool
is_brokered(const struct variant *variant)
{
	return variant->network == NETWORK_BROKERED || variant->network == NETWORK_DATAGRAMS;
}

static bool
is_routed(const struct variant *variant)
{
	return variant->is_guarded || column(variant) == NAMES_ROUTED || is_brokered(variant);
}

static void
check_number(const struct variant *variant, int number, const char *name)
{
	const struct group *group = NULL;
	enum verdict verdict;

	if (name == NULL) {
		check_int(try_number(variant, (uint32_t)number, NULL), ENOSYS);
		return;
	}
	if (count_groups(name, &group) != 1) {
		printf("# %s (%d) needs exactly one verdict\n", name, number);
		tap.failed_checks++;
		return;
	}
	verdict = group->verdict;
	for (size_t i = 0; has_signals(variant) && i < COUNT(signal_rules); i++)
		if (count_names(signal_rules[i].calls, name) > 0)
			verdict = signal_rules[i].verdict;
	for (size_t i = 0; i < COUNT(socket_rules); i++)
		if (count_names(socket_rules[i].calls, name) > 0)
			verdict = socket_rules[i].verdicts[variant->network][column(variant)];
	for (size_t i = 0; is_copied(variant) && i < COUNT(copied_rules); i++)
		if (count_names(copied_rules[i].calls, name) > 0)
			verdict = copied_rules[i].verdict;
	for (size_t i = 0; i < COUNT(layers); i++)
		if (count_names(layers[i].calls, name) > 0 && is_routed(variant))
			verdict = layers[i].changes;
	if (verdict < ENDS)
		expect(variant, name, NULL, verdict == ROUTE ? ROUTED : end_errno[verdict]);
}

static void
every_number_of_the_table_has_one_verdict(void)
{
	int known = 0;

	for (size_t i = 0; i < COUNT(variants); i++)
		for (int number = 0; number <= LAST_CALL; number++) {
			char *name = seccomp_syscall_resolve_num_arch(variants[i].arch, number);
			const char *shown = name != NULL ? name : newer_name(&variants[i], number);

			known += shown != NULL;
			check_number(&variants[i], number, shown);
			free(name);
		}
	/* a table that was not read at all would pass everything above */
	check(known > 2 * (350 + 290));
}

static void
numbers_above_the_table_do_not_exist(void)
{
	static const uint32_t numbers[] = {LAST_CALL + 1, 500, 511, 512, 547, 10000, 0x3fffffff};

	for (size_t i = 0; i < COUNT(variants); i++) {
		for (size_t j = 0; j < COUNT(numbers); j++)
			check_int(try_number(&variants[i], numbers[j], NULL), ENOSYS);
		check_int(try_number(&variants[i], 0xffffffffu, NULL), ENOSYS);
	}
}

static void
x32_numbers_die(void)
{
	for (size_t i = 0; i < COUNT(variants); i++)
		for (uint32_t number = 0; number < 1024; number++)
			check_int(try_number(&variants[i], number | 0x40000000u, NULL),
				  variants[i].arch == SCMP_ARCH_X86_64 ? KILLED : ENOSYS);
}

static void
foreign_architectures_die(void)
{
	static const uint32_t archs[] = {I386,
					 ARM,
					 SCMP_ARCH_X86_64,
					 SCMP_ARCH_AARCH64,
					 0,
					 0xffffffffu,
					 SCMP_ARCH_X86_64 & ~0x80000000u,
					 SCMP_ARCH_RISCV64};

	for (size_t i = 0; i < COUNT(variants); i++)
		for (size_t j = 0; j < COUNT(archs); j++)
			for (int number = 0; number <= LAST_CALL + 1; number++) {
				struct seccomp_data data = {.nr = number, .arch = archs[j]};

				if (archs[j] != variants[i].arch)
					check_int(outcome(simulate(&variants[i], &data)), KILLED);
			}
}

static void
refused_calls_are_refused_whatever_their_arguments(void)
{
	expect_names(
		"mount umount2 pivot_root chroot setns open_tree open_tree_attr move_mount fsopen "
		"fsconfig fsmount fspick mount_setattr",
		EPERM);
	expect_names("process_madvise kcmp", EPERM);
	expect_names("keyctl add_key request_key bpf perf_event_open userfaultfd", EPERM);
	expect_names("open_by_handle_at fanotify_init fanotify_mark", EPERM);
	expect_names(
		"swapon swapoff acct quotactl quotactl_fd reboot kexec_load kexec_file_load "
		"init_module finit_module delete_module sethostname setdomainname settimeofday "
		"clock_settime iopl ioperm syslog vhangup",
		EPERM);
	expect_names("io_uring_setup io_uring_enter io_uring_register clone3 file_setattr uselib "
		     "nfsservctl lookup_dcookie create_module",
		     ENOSYS);
	expect_names("mq_open mq_unlink", EACCES);
}

static void
common_calls_are_allowed(void)
{
	expect_names(
		"read write openat2 close execve execveat fork vfork exit_group mmap futex "
		"accept4 getsockopt recvfrom recvmsg ptrace prctl "
		"personality pidfd_open pidfd_getfd fchmodat2 statx rseq "
		"rt_sigreturn wait4 getrandom mseal statmount uretprobe arch_prctl inotify_init1",
		0);
}

#define BOTH_NETS(errno_) errno_, errno_, errno_

/* By argument: the result without network, with all, and where the broker decides. */
static const struct {
	const char *name;
	uint64_t args[6];
	int results[NETWORK_DATAGRAMS];
	bool is_unix; /* only where the broker decides about names; elsewhere it is allowed */
} argument_cases[] = {
	/* thread, fork, vfork, namespaces */
	{"clone", {0x3d0f00}, {BOTH_NETS(0)}, false},
	{"clone", {0x1200011}, {BOTH_NETS(0)}, false},
	{"clone", {0x4111}, {BOTH_NETS(0)}, false},
	{"clone", {0x91}, {BOTH_NETS(0)}, false}, /* a signal number, no namespace */
	{"clone", {0x10000011}, {BOTH_NETS(EPERM)}, false},
	{"clone", {0x00020011}, {BOTH_NETS(EPERM)}, false},
	{"clone", {0x02000011}, {BOTH_NETS(EPERM)}, false},
	{"clone", {0x04000011}, {BOTH_NETS(EPERM)}, false},
	{"clone", {0x08000011}, {BOTH_NETS(EPERM)}, false},
	{"clone", {0x20000011}, {BOTH_NETS(EPERM)}, false},
	{"clone", {0x40000011}, {BOTH_NETS(EPERM)}, false},
	{"clone", {HIGH_BITS | 0x10000011}, {BOTH_NETS(EPERM)}, false},
	{"unshare", {0x400}, {BOTH_NETS(0)}, false},
	{"unshare", {0x200}, {BOTH_NETS(0)}, false},
	{"unshare", {0x80}, {BOTH_NETS(EPERM)}, false},
	{"unshare", {0x10000000}, {BOTH_NETS(EPERM)}, false},
	{"unshare", {HIGH_BITS | 0x20000}, {BOTH_NETS(EPERM)}, false},

	/* a lease holds up every other process */
	{"fcntl", {3, 1024, 1}, {BOTH_NETS(EINVAL)}, false},
	{"fcntl", {3, HIGH_BITS | 1024, 0}, {BOTH_NETS(EINVAL)}, false},
	{"fcntl", {3, 1025}, {BOTH_NETS(0)}, false},
	{"fcntl", {3, 1040, 0x1000}, {BOTH_NETS(EINVAL)}, false},
	{"fcntl", {3, 1030}, {BOTH_NETS(0)}, false},

	/* no access at all is none that Landlock looks at */
	{"open", {0x1000, 0}, {BOTH_NETS(0)}, false},
	{"open", {0x1000, 01101}, {BOTH_NETS(0)}, false},
	{"open", {0x1000, 3}, {BOTH_NETS(EACCES)}, false},
	{"open", {0x1000, HIGH_BITS | 01003}, {BOTH_NETS(EACCES)}, false},
	{"open", {0x1000, 010000003}, {BOTH_NETS(0)}, false}, /* O_PATH */
	{"openat", {~99ull, 0x1000, 2}, {BOTH_NETS(0)}, false},
	{"openat", {~99ull, 0x1000, 3}, {BOTH_NETS(EACCES)}, false},
	{"openat", {~99ull, 0x1000, HIGH_BITS | 02000003}, {BOTH_NETS(EACCES)}, false},

	/* oneself and others */
	{"prlimit64", {0, 7, 0x7fff00001000}, {BOTH_NETS(0)}, false},
	{"prlimit64", {1, 7, 0, 0x7fff00001000}, {BOTH_NETS(0)}, false},
	{"prlimit64", {HIGH_BITS, 7, 0x1000}, {BOTH_NETS(0)}, false},
	/* where the broker marks processes */
	{"prlimit64", {0, 10, 0x7fff00001000}, {BOTH_NETS(EPERM)}, false},
	{"prlimit64", {0, HIGH_BITS | 10, 0x700000000000}, {BOTH_NETS(EPERM)}, false},
	{"prlimit64", {0, 10, 0, 0x7fff00001000}, {BOTH_NETS(0)}, false},
	{"prlimit64", {1, 10, 0, 0x7fff00001000}, {BOTH_NETS(0)}, false},
	{"setrlimit", {10, 0x7fff00001000}, {BOTH_NETS(EPERM)}, false},
	{"setrlimit", {HIGH_BITS | 10, 0x7fff00001000}, {BOTH_NETS(EPERM)}, false},
	{"setrlimit", {7, 0x7fff00001000}, {BOTH_NETS(0)}, false},
	{"setpriority", {0, 0, 5}, {BOTH_NETS(0)}, false},
	{"setpriority", {1, 0, 5}, {BOTH_NETS(EPERM)}, false},
	{"setpriority", {2, 0, 5}, {BOTH_NETS(EPERM)}, false},
	{"setpriority", {HIGH_BITS | 2, 0, 5}, {BOTH_NETS(EPERM)}, false},
	{"setpriority", {3, 0, 5}, {BOTH_NETS(EINVAL)}, false},
	{"ioprio_set", {1, 0}, {BOTH_NETS(0)}, false},
	{"ioprio_set", {2, 0}, {BOTH_NETS(EPERM)}, false},
	{"ioprio_set", {3, 0}, {BOTH_NETS(EPERM)}, false},
	{"ioprio_set", {0, 0}, {BOTH_NETS(EINVAL)}, false},
	{"sched_setaffinity", {0}, {BOTH_NETS(0)}, false},
	{"sched_setattr", {0}, {BOTH_NETS(0)}, false},
	{"move_pages", {1}, {BOTH_NETS(EPERM)}, false},
	{"migrate_pages", {1}, {BOTH_NETS(EPERM)}, false},
	{"move_pages", {0}, {BOTH_NETS(0)}, false},
	{"shmget", {0}, {BOTH_NETS(ENOSYS)}, false},
	{"shmat", {1}, {BOTH_NETS(ENOSYS)}, false},
	{"shmctl", {1}, {BOTH_NETS(ENOSYS)}, false},
	{"semop", {1}, {BOTH_NETS(ENOSYS)}, false},
	{"msgrcv", {1}, {BOTH_NETS(ENOSYS)}, false},
	{"shmget", {0x1234}, {BOTH_NETS(ENOSYS)}, false},
	{"semget", {0}, {BOTH_NETS(ENOSYS)}, false},
	{"semget", {0x80000000}, {BOTH_NETS(ENOSYS)}, false},
	{"msgget", {0}, {BOTH_NETS(ENOSYS)}, false},
	{"msgget", {1}, {BOTH_NETS(ENOSYS)}, false},

	/* sockets: family, type with flags, protocol */
	{"socket", {1, 1, 0}, {BOTH_NETS(0)}, false},
	{"socket", {1, 02004001, 0}, {BOTH_NETS(0)}, false},
	{"socket", {1, 5, 0}, {BOTH_NETS(0)}, false},
	{"socket", {1, 2, 0}, {EACCES, EACCES, ROUTED}, true},
	{"socket", {1, 02000002, 0}, {EACCES, EACCES, ROUTED}, true},
	{"socket", {1, 3, 0}, {EACCES, EACCES, ROUTED}, true},
	{"socket", {HIGH_BITS | 1, HIGH_BITS | 2, 0}, {EACCES, EACCES, ROUTED}, true},
	{"socket", {2, 1, 0}, {EACCES, 0, ROUTED}, false},
	{"socket", {2, 2, 0}, {EACCES, 0, ROUTED}, false},
	{"socket", {2, 2, 1}, {EACCES, 0, ROUTED}, false},
	{"socket", {10, 1, 6}, {EACCES, 0, ROUTED}, false},
	{"socket", {HIGH_BITS | 2, 1, 0}, {EACCES, 0, ROUTED}, false},
	{"socket", {HIGH_BITS | 10, 2, 0}, {EACCES, 0, ROUTED}, false}, /* is there IPv6? */
	{"socket", {10, 02000002, 0}, {EACCES, 0, ROUTED}, false},
	{"socket", {10, 2, 17}, {EACCES, 0, ROUTED}, false},
	{"socket", {10, 2, HIGH_BITS | 136}, {EACCES, 0, ROUTED}, false},
	{"socket", {10, 3, 0}, {EACCES, 0, ROUTED}, false},
	{"socket", {16, 3, 0}, {BOTH_NETS(0)}, false},
	{"socket", {16, 3, 4}, {BOTH_NETS(EPROTONOSUPPORT)}, false},
	{"socket", {16, 3, 9}, {BOTH_NETS(EPROTONOSUPPORT)}, false},
	{"socket", {16, 3, 15}, {BOTH_NETS(EPROTONOSUPPORT)}, false},
	{"socket", {0, 1, 0}, {BOTH_NETS(EAFNOSUPPORT)}, false},
	{"socket", {17, 3, 768}, {BOTH_NETS(EAFNOSUPPORT)}, false},
	{"socket", {31, 3, 0}, {BOTH_NETS(EAFNOSUPPORT)}, false},
	{"socket", {38, 5, 0}, {BOTH_NETS(EAFNOSUPPORT)}, false},
	{"socket", {40, 1, 0}, {BOTH_NETS(EAFNOSUPPORT)}, false},
	{"socket", {HIGH_BITS | 40, 1, 0}, {BOTH_NETS(EAFNOSUPPORT)}, false},
	{"socket", {44, 3, 0}, {BOTH_NETS(EAFNOSUPPORT)}, false},
	{"socketpair", {1, 1, 0}, {BOTH_NETS(0)}, false},
	{"socketpair", {1, 02000005, 0}, {BOTH_NETS(0)}, false},
	{"socketpair", {1, 2, 0}, {ROUTED, ROUTED, ROUTED}, true},
	{"socket", {2, 02004001, 0}, {EACCES, 0, ROUTED}, false},
	{"socket", {10, 1, 262}, {EACCES, 0, ROUTED}, false}, /* MPTCP */
	{"socket", {2, 1, 132}, {EACCES, 0, ROUTED}, false},  /* SCTP */
	{"socket", {2, 5, 132}, {EACCES, 0, ROUTED}, false},
	{"socket", {2, 2, 136}, {EACCES, 0, ROUTED}, false}, /* UDP-Lite */
	{"socket", {2, 3, 255}, {EACCES, 0, ROUTED}, false},
	{"socket", {2, 10, 3}, {EACCES, 0, ROUTED}, false}, /* SOCK_PACKET */
	{"socket", {2, 6, 33}, {EACCES, 0, ROUTED}, false}, /* DCCP */
	{"socket", {2, 1, 999}, {EACCES, 0, ROUTED}, false},
	{"socket", {10, 2, 0xffffffff}, {EACCES, 0, ROUTED}, false},
	{"socket", {40, 0x100001, 0}, {BOTH_NETS(EINVAL)}, false},
	{"socket", {64, 12, 0}, {BOTH_NETS(EAFNOSUPPORT)}, false},
	{"socket", {40, 11, 0}, {BOTH_NETS(EINVAL)}, false},
	{"socket", {40, 15, 0}, {BOTH_NETS(EINVAL)}, false},
	{"socket", {2, HIGH_BITS | 1, HIGH_BITS | 262}, {EACCES, 0, ROUTED}, false},
	{"connect", {3, 0x1000, 16}, {ROUTED, ROUTED, ROUTED}, true},
	{"bind", {3, 0x1000, 16}, {ROUTED, ROUTED, ROUTED}, true},
	{"listen", {3, 5}, {0, 0, ROUTED}, false},
	{"sendto", {3, 0x1000, 1, 0x4000}, {BOTH_NETS(0)}, false},
	{"sendto", {3, 0x1000, 1, 0x20000000, 0x2000, 16}, {0, 0, EOPNOTSUPP}, false},
	{"sendto", {3, 0x1000, 1, HIGH_BITS | 0x20004040}, {0, 0, EOPNOTSUPP}, false},
	{"sendmmsg", {3, 0x1000, 1, 0x20000000}, {0, 0, EOPNOTSUPP}, false},
	{"sendmsg", {3, 0x1000, 0x20000000}, {0, 0, EOPNOTSUPP}, false},
	{"sendmsg", {3, 0x1000, 0x4000}, {BOTH_NETS(0)}, false},
	{"sendmmsg", {3, 0x1000, 2, 0}, {BOTH_NETS(0)}, false},
	{"sendto", {3, 0x1000, 1, 0, 0x2000, 16}, {BOTH_NETS(0)}, false},
	{"sendto", {3, 0x1000, 1, 0, 0x700000000000, 16}, {BOTH_NETS(0)}, false},
	{"setsockopt", {3, 0, 35}, {BOTH_NETS(0)}, false},
	{"setsockopt", {3, HIGH_BITS, HIGH_BITS | 39}, {BOTH_NETS(0)}, false},
	{"setsockopt", {3, 0, 42}, {BOTH_NETS(0)}, false},
	{"setsockopt", {3, 0, 48}, {BOTH_NETS(0)}, false},
	{"setsockopt", {3, 0, 33}, {BOTH_NETS(0)}, false}, /* IP_MULTICAST_TTL */
	{"setsockopt", {3, 0, 8}, {BOTH_NETS(0)}, false},  /* IP_PKTINFO: to be told */
	{"setsockopt", {3, 41, 20}, {BOTH_NETS(0)}, false},
	{"setsockopt", {3, 41, 27}, {BOTH_NETS(0)}, false},
	{"setsockopt", {3, 41, 46}, {BOTH_NETS(0)}, false},
	{"setsockopt", {3, 41, 26}, {BOTH_NETS(0)}, false}, /* IPV6_V6ONLY */
	{"setsockopt", {3, 6, 30}, {0, 0, EOPNOTSUPP}, false},
	{"setsockopt", {3, HIGH_BITS | 6, HIGH_BITS | 30}, {0, 0, EOPNOTSUPP}, false},
	{"setsockopt", {3, 6, 1}, {BOTH_NETS(0)}, false},
	{"setsockopt", {3, 1, 30}, {BOTH_NETS(0)}, false},
	{"socketpair", {30, 1, 0}, {BOTH_NETS(EAFNOSUPPORT)}, false},
	{"socketpair", {2, 1, 6}, {BOTH_NETS(EOPNOTSUPP)}, false},
	{"socketpair", {10, 2, 17}, {BOTH_NETS(EOPNOTSUPP)}, false},
	{"socketpair", {30, 0x11, 0}, {BOTH_NETS(EINVAL)}, false},
};

/* With datagrams everything is as where the broker decides, but for these; more than once: all of them. */
static const struct {
	const char *name;
	unsigned argument; /* the one that is compared, with the level of options in mind */
	uint32_t values[8];
	int result;
} datagram_cases[] = {
	{"socketpair", 1, {2}, 0},
	{"sendmsg", 2, {0x4000}, ROUTED},
	{"sendmmsg", 3, {0x0}, ROUTED},
	{"setsockopt", 2, {35, 39, 42, 46, 48, 20, 27}, EOPNOTSUPP},
};

static bool
has_value(const uint32_t values[8], uint64_t value)
{
	for (size_t i = 0; i < 8; i++)
		if (values[i] == (uint32_t)value && (i == 0 || values[i] != 0))
			return true;
	return false;
}

static int
result_datagrams(size_t row)
{
	const char *name = argument_cases[row].name;
	const uint64_t *args = argument_cases[row].args;

	if (strcmp(name, "sendto") == 0 && !(args[3] & 0x20000000))
		return args[4] != 0 ? ROUTED : 0;
	if (strcmp(name, "socket") == 0 && (uint32_t)args[0] == 1)
		return 0;
	for (size_t i = 0; i < COUNT(datagram_cases); i++)
		if (strcmp(name, datagram_cases[i].name) == 0 &&
		    (strcmp(name, "setsockopt") != 0 || (uint32_t)args[1] % 41 == 0) &&
		    (strcmp(name, "socketpair") != 0 || args[0] == 1) &&
		    has_value(datagram_cases[i].values, args[datagram_cases[i].argument]))
			return datagram_cases[i].result;
	return argument_cases[row].results[NETWORK_BROKERED];
}

/* Where socket names are not supervised, only socket pairs can be made. */
static int
result_closed(const struct variant *variant, size_t row)
{
	bool unix_socket = strcmp(argument_cases[row].name, "socket") == 0 &&
			   (argument_cases[row].args[0] & 0xffffffffu) == 1;
	int result = argument_cases[row].results[variant->network];

	/* without a broker there are no pairs of datagrams */
	if (result == ROUTED && strcmp(argument_cases[row].name, "socketpair") == 0)
		return EACCES;
	return unix_socket ? EACCES : result == ROUTED ? 0 : result;
}

/* Without a network the broker refuses it, because it can report it. */
static bool
is_told(const struct variant *variant)
{
	return variant->network == NETWORK_NONE && is_routed(variant);
}

static bool
is_internet(const char *name, const uint64_t *args)
{
	uint32_t family = (uint32_t)args[0];

	return strcmp(name, "socket") == 0 && (family == 2 || family == 10);
}

/* The broker makes every socket of a known family. */
static int
result_copied(const struct variant *variant, size_t row)
{
	int result = argument_cases[row].results[variant->network];

	return result == EINVAL || result == EAFNOSUPPORT ? result : ROUTED;
}

/* Where the broker has no say about names, Landlock sees them: then nothing is refused for them. */
static int
result_for(const struct variant *variant, size_t row)
{
	bool asked = is_brokered(variant) && strncmp(argument_cases[row].name, "socket", 6) != 0 &&
		     argument_cases[row].results[NETWORK_BROKERED] == ROUTED;

	if (variant->names == NAMES_CLOSED)
		return result_closed(variant, row);
	if (is_copied(variant) && (strcmp(argument_cases[row].name, "socket") == 0 ||
				   strcmp(argument_cases[row].name, "listen") == 0))
		return result_copied(variant, row);
	if (argument_cases[row].is_unix && variant->names == NAMES_SEEN && !asked)
		return 0;
	if (is_told(variant) && is_internet(argument_cases[row].name, argument_cases[row].args))
		return ROUTED;
	return variant->network == NETWORK_DATAGRAMS
		       ? result_datagrams(row)
		       : argument_cases[row].results[variant->network];
}

static void
verdicts_by_argument_are_as_listed(void)
{
	for (size_t i = 0; i < COUNT(variants); i++)
		for (size_t j = 0; j < COUNT(argument_cases); j++)
			expect(&variants[i], argument_cases[j].name, argument_cases[j].args,
			       result_for(&variants[i], j));
}

static void
try_families(const struct variant *variant)
{
	/* more than any kernel has */
	for (uint64_t family = 0; family < 100; family++) {
		uint64_t args[6] = {family, 1, 0};
		bool local = (family == 1 && variant->names != NAMES_CLOSED) || family == 16;
		bool internet = family == 2 || family == 10, known = local || internet;
		int got = try_number(variant, (uint32_t)number_of(variant, "socket"), args);

		check_int(got == 0,
			  !is_copied(variant) &&
				  (local || (internet && variant->network == NETWORK_ALL)));
		check_int(got == ROUTED, is_copied(variant) ? known
							    : internet && (is_brokered(variant) ||
									   is_told(variant)));
	}
}

static void
no_family_is_allowed_that_is_not_listed(void)
{
	for (size_t i = 0; i < COUNT(variants); i++)
		try_families(&variants[i]);
	for (size_t i = 0; i < COUNT(guarded); i++)
		try_families(&guarded[i]);
}

/* Of every kind, by whatever protocol: none is left to the kernel, and none is left out. */
static void
try_internet(const struct variant *variant)
{
	static const uint64_t families[] = {2, 10, HIGH_BITS | 2, HIGH_BITS | 10};
	static const uint64_t protocols[] = {0, 1, 6, 17, 33, 58, 132, 136, 255, 262, HIGH_BITS};

	for (size_t i = 0; i < COUNT(families); i++)
		for (uint64_t type = 0; type < 16; type++)
			for (size_t j = 0; j < COUNT(protocols); j++) {
				uint64_t args[6] = {families[i], type | 02004000, protocols[j]};

				expect(variant, "socket", args,
				       type > 10	  ? EINVAL
				       : is_told(variant) ? ROUTED
							  : EACCES);
			}
}

static void
without_network_every_internet_socket_is_refused_or_supervised(void)
{
	for (size_t i = 0; i < COUNT(variants); i++)
		if (variants[i].network == NETWORK_NONE)
			try_internet(&variants[i]);
	for (size_t i = 0; i < COUNT(guarded); i++)
		try_internet(&guarded[i]);
}

/* Only what asks for them is told of; what uses them is refused on the spot. */
static void
system_v_calls_return_enosys_or_are_supervised(void)
{
	static const struct {
		const char *name;
		bool is_told;
	} calls[] = {
		{"msgget", true},      {"semget", true},  {"shmget", true},  {"msgctl", false},
		{"msgrcv", false},     {"msgsnd", false}, {"semctl", false}, {"semop", false},
		{"semtimedop", false}, {"shmat", false},  {"shmctl", false}, {"shmdt", false},
	};
	static const uint64_t args[6] = {0};

	for (size_t i = 0; i < COUNT(calls); i++) {
		for (size_t j = 0; j < COUNT(variants); j++)
			expect(&variants[j], calls[i].name, args, ENOSYS);
		for (size_t j = 0; j < COUNT(guarded); j++)
			expect(&guarded[j], calls[i].name, args,
			       calls[i].is_told ? ROUTED : ENOSYS);
	}
}

static const struct {
	uint32_t request;
	int expected;
} ioctl_cases[] = {
	{0x5401, 0},		  /* TCGETS */
	{0x5402, 0},		  /* TCSETS */
	{0x5413, 0},		  /* TIOCGWINSZ */
	{0x5414, 0},		  /* TIOCSWINSZ */
	{0x540e, 0},		  /* TIOCSCTTY */
	{0x541b, 0},		  /* FIONREAD */
	{0x5421, 0},		  /* FIONBIO */
	{0x80045430, 0},	  /* TIOCGPTN */
	{0x8912, 0},		  /* SIOCGIFCONF */
	{0x540c, EPERM},	  /* TIOCEXCL */
	{0x5412, EPERM},	  /* TIOCSTI */
	{0x541c, EPERM},	  /* TIOCLINUX */
	{0x5423, EPERM},	  /* TIOCSETD */
	{0x4b33, 0},		  /* KDGKBTYPE */
	{0x4b44, 0},		  /* KDGKBMODE */
	{0x5603, 0},		  /* VT_GETSTATE */
	{0x4b45, EPERM},	  /* KDSKBMODE */
	{0x4b3a, EPERM},	  /* KDSETMODE */
	{0x4b49, EPERM},	  /* KDSKBSENT */
	{0x4b72, EPERM},	  /* KDFONTOP */
	{0x5602, EPERM},	  /* VT_SETMODE */
	{0x5606, EPERM},	  /* VT_ACTIVATE */
	{0xc0cc5604, 0},	  /* VIDIOC_G_FMT, of cameras */
	{0x40044b01, 0},	  /* another driver's */
	{0x80086601, 0},	  /* FS_IOC_GETFLAGS */
	{0xc020660b, 0},	  /* FS_IOC_FIEMAP */
	{0x801c581f, 0},	  /* FS_IOC_FSGETXATTR */
	{0x80087601, 0},	  /* FS_IOC_GETVERSION */
	{0x40049409, 0},	  /* FICLONE */
	{0x4020940d, 0},	  /* FICLONERANGE */
	{0xc0189436, 0},	  /* FIDEDUPERANGE */
	{0x40086602, EOPNOTSUPP}, /* FS_IOC_SETFLAGS */
	{0x40046602, EOPNOTSUPP}, /* its 32-bit form */
	{0x401c5820, EOPNOTSUPP}, /* FS_IOC_FSSETXATTR */
	{0x40087602, EOPNOTSUPP}, /* FS_IOC_SETVERSION */
	{0x40086604, EOPNOTSUPP}, /* EXT4_IOC_SETVERSION */
	{0x40806685, EOPNOTSUPP}, /* FS_IOC_ENABLE_VERITY */
	{0x800c6613, EOPNOTSUPP}, /* FS_IOC_SET_ENCRYPTION_POLICY */
	{0x41009432, EOPNOTSUPP}, /* FS_IOC_SETFSLABEL */
	{0x5000940e, EOPNOTSUPP}, /* BTRFS_IOC_SUBVOL_CREATE */
	{0x50009401, EOPNOTSUPP}, /* BTRFS_IOC_SNAP_CREATE */
	{0x50009417, EOPNOTSUPP}, /* BTRFS_IOC_SNAP_CREATE_V2 */
	{0x50009418, EOPNOTSUPP}, /* BTRFS_IOC_SUBVOL_CREATE_V2 */
	{0x5000940f, EOPNOTSUPP}, /* BTRFS_IOC_SNAP_DESTROY */
	{0x5000943f, EOPNOTSUPP}, /* BTRFS_IOC_SNAP_DESTROY_V2 */
	{0x5829, EOPNOTSUPP},	  /* XFS, any other */
	{0x4020bc10, EOPNOTSUPP}, /* BCH_IOCTL_SUBVOLUME_CREATE */
	{0x40186f04, EOPNOTSUPP}, /* OCFS2_IOC_REFLINK */
	{0x40047211, EOPNOTSUPP}, /* FAT_IOCTL_SET_ATTRIBUTES */
};

static void
ioctls_are_known_by_their_low_half(void)
{
	static const uint64_t high[] = {0, HIGH_BITS, 0x100000000ull, 0xffffffff00000000ull};

	for (size_t i = 0; i < COUNT(variants); i++)
		for (size_t j = 0; j < COUNT(ioctl_cases); j++)
			for (size_t k = 0; k < COUNT(high); k++) {
				uint64_t args[6] = {0, ioctl_cases[j].request | high[k]};

				expect(&variants[i], "ioctl", args, ioctl_cases[j].expected);
			}
}

/* Only where Landlock has no scopes. */
static void
signals_are_supervised_where_landlock_does_not_scope_them(void)
{
	static const struct {
		const char *name;
		uint64_t args[6];
		int expected;
	} cases[] = {
		{"kill", {1, 9}, ROUTED},
		{"kill", {HIGH_BITS | 1, 0}, ROUTED},
		{"tkill", {1, 9}, ROUTED},
		{"tgkill", {1, 1, 9}, ROUTED},
		{"rt_sigqueueinfo", {1, 9, 0x1000}, ROUTED},
		{"rt_tgsigqueueinfo", {1, 1, 9, 0x1000}, ROUTED},
		{"pidfd_send_signal", {3, 9}, ROUTED},
		{"fcntl", {3, 8, 1}, ROUTED},
		{"fcntl", {3, HIGH_BITS | 8, 1}, ROUTED},
		{"fcntl", {3, 15, 0x1000}, ROUTED},
		{"fcntl", {3, 9}, 0},
		{"fcntl", {3, 1030}, 0},
		{"ioctl", {3, 0x8901, 0x1000}, EPERM},
		{"ioctl", {3, HIGH_BITS | 0x8902, 0x1000}, EPERM},
	};

	for (size_t i = 0; i < COUNT(variants); i++)
		for (size_t j = 0; j < COUNT(cases); j++)
			expect(&variants[i], cases[j].name, cases[j].args,
			       has_signals(&variants[i]) ? cases[j].expected : 0);
}

/* Wherever there is a broker. The kernel looks at the low half of a number: 0 is the caller itself. */
static void
calls_that_take_a_pid_are_supervised(void)
{
	static const struct {
		const char *name;
		uint64_t args[6];
		int routed, refused;
	} cases[] = {
		{"sched_setaffinity", {1, 8, 0x1000}, ROUTED, 0},
		{"sched_setaffinity", {HIGH_BITS, 8, 0x1000}, 0, 0},
		{"sched_setscheduler", {1, 3, 0x1000}, ROUTED, EPERM},
		{"sched_setparam", {1, 0x1000}, ROUTED, EPERM},
		{"sched_setattr", {1, 0x1000}, ROUTED, EPERM},
		{"setpriority", {0, 1, 5}, ROUTED, EPERM},
		{"setpriority", {HIGH_BITS, HIGH_BITS, 5}, 0, 0},
		{"setpriority", {1, 1, 5}, EPERM, EPERM},
		{"setpriority", {3, 1, 5}, EINVAL, EINVAL},
		{"ioprio_set", {1, 1}, ROUTED, EPERM},
		{"ioprio_set", {2, 1}, EPERM, EPERM},
		{"prlimit64", {1, 7, 0x1000}, ROUTED, EPERM},
		{"prlimit64", {1, 7, 0x700000000000}, ROUTED, EPERM},
		{"prlimit64", {1, 7, 0}, 0, 0},
		{"prlimit64", {1, 10, 0x1000}, EPERM, EPERM},
	};

	for (size_t i = 0; i < COUNT(variants); i++)
		for (size_t j = 0; j < COUNT(cases); j++)
			expect(&variants[i], cases[j].name, cases[j].args,
			       is_routed(&variants[i]) ? cases[j].routed : cases[j].refused);
}

/* Wherever there is a broker; a group of the caller's own is made without it. */
static void
calls_that_change_process_groups_are_supervised(void)
{
	static const struct {
		const char *name;
		uint64_t args[6];
		bool is_asked;
	} cases[] = {
		{"setpgid", {0, 0}, true},
		{"setpgid", {HIGH_BITS, HIGH_BITS}, true},
		{"setpgid", {0, 7}, true},
		{"setpgid", {7, 0}, true},
		{"setpgid", {7, 7}, true},
		{"setpgid", {HIGH_BITS, HIGH_BITS | 7}, true},
		{"setpgid", {0, 0xffffffffu}, true},
		{"ioctl", {3, 0x5410, 0x1000}, true}, /* TIOCSPGRP */
		{"ioctl", {3, HIGH_BITS | 0x5410, 0x1000}, true},
		{"ioctl", {3, 0x540f, 0x1000}, false}, /* TIOCGPGRP */
		{"ioctl", {3, 0x5441, 2}, true},       /* TIOCGPTPEER */
	};

	for (size_t i = 0; i < COUNT(variants); i++)
		for (size_t j = 0; j < COUNT(cases); j++)
			expect(&variants[i], cases[j].name, cases[j].args,
			       cases[j].is_asked && is_routed(&variants[i]) ? ROUTED : 0);
}

/* Which number is O_NOFOLLOW and which O_LARGEFILE differs: only the former is asked about. */
static void
opens_with_the_flags_of_shm_open_are_supervised(void)
{
	static const struct {
		uint64_t flags; /* as x86_64 has them */
		int expected;
	} cases[] = {
		{0, 0},
		{02000000, 0},		/* O_CLOEXEC */
		{02400000, ROUTED},	/* O_NOFOLLOW | O_CLOEXEC: glibc's shm_open */
		{02504000, ROUTED},	/* O_NONBLOCK | O_LARGEFILE as well: musl's */
		{02100000, 0},		/* O_LARGEFILE | O_CLOEXEC: musl's fopen */
		{0400000, 0},		/* O_NOFOLLOW: cp */
		{02600000, 0},		/* O_DIRECTORY as well: rm */
		{02400000 | 2, ROUTED}, /* O_RDWR */
	};

	for (size_t i = 0; i < COUNT(guarded); i += 2)
		for (size_t j = 0; j < COUNT(cases); j++) {
			uint64_t flags = cases[j].flags, swapped = flags & ~0700000ull;
			uint64_t args[6] = {~99ull, 0x1000};

			/* aarch64: O_DIRECTORY 040000, O_NOFOLLOW 0100000, O_LARGEFILE 0400000 */
			swapped |= (flags & 0200000) >> 2 | (flags & 0400000) >> 2 |
				   (flags & 0100000) << 2;
			args[2] = guarded[i].arch == SCMP_ARCH_X86_64 ? flags : swapped;
			expect(&guarded[i], "openat", args, cases[j].expected);
			args[2] |= HIGH_BITS;
			expect(&guarded[i], "openat", args, cases[j].expected);
		}
}

static void
try_listener(const struct variant *variant)
{
	static const struct {
		uint64_t args[6];
		bool is_listener;
	} cases[] = {
		{{1, 0x8, 0x1000}, true},
		{{1, 0x28, 0x1000}, true},
		{{HIGH_BITS | 1, HIGH_BITS | 0x9, 0}, true},
		{{0, 0, 0}, false},
		{{1, 0, 0x1000}, false},
		{{1, HIGH_BITS | 0x11, 0x1000}, false},
		{{2, 0, 0x1000}, false},
		{{3, 0, 0x1000}, false},
	};

	for (size_t i = 0; i < COUNT(cases); i++)
		expect(variant, "seccomp", cases[i].args,
		       cases[i].is_listener && is_routed(variant) ? EBUSY : 0);
}

/* Whoever got one would be asked in the broker's place, and could say yes. */
static void
no_filter_allows_a_second_listener(void)
{
	for (size_t i = 0; i < COUNT(variants); i++)
		try_listener(&variants[i]);
	for (size_t i = 0; i < COUNT(guarded); i++)
		try_listener(&guarded[i]);
}

/* Length is what loading costs, and the kernel takes 4096 at most. */
static void
filters_are_short(void)
{
	for (size_t i = 0; i < COUNT(variants); i++)
		check(variants[i].length < 330);
}

int
main(void)
{
	run(every_number_of_the_table_has_one_verdict);
	run(numbers_above_the_table_do_not_exist);
	run(x32_numbers_die);
	run(foreign_architectures_die);
	run(refused_calls_are_refused_whatever_their_arguments);
	run(common_calls_are_allowed);
	run(verdicts_by_argument_are_as_listed);
	run(no_family_is_allowed_that_is_not_listed);
	run(without_network_every_internet_socket_is_refused_or_supervised);
	run(system_v_calls_return_enosys_or_are_supervised);
	run(ioctls_are_known_by_their_low_half);
	run(signals_are_supervised_where_landlock_does_not_scope_them);
	run(calls_that_take_a_pid_are_supervised);
	run(calls_that_change_process_groups_are_supervised);
	run(no_filter_allows_a_second_listener);
	run(opens_with_the_flags_of_shm_open_are_supervised);
	run(filters_are_short);
	return tap_end();
}
