/* SPDX-License-Identifier: MIT */
/*
 * Verdicts that depend on arguments, as lists of tests. Constants are written as numbers, because old
 * headers and those of other systems lack some; they are the kernel's and, except two flags of open, the
 * same on both architectures.
 */
#pragma once

#include "calls.h"

/*
 * A list of tests, tried in order: the first that matches decides; OTHERWISE always matches. Tests compare
 * one half of an argument, the low one unless HIGH is added. The kernel ignores the high half of an int, so
 * comparing it would let a caller pass the test by setting it.
 */
enum operation { IS, IS_NOT, HAS, OTHERWISE };
#define HIGH 8

struct test {
	unsigned argument; /* 0 to 5, or with HIGH */
	uint32_t mask;	   /* applied before IS and IS_NOT */
	enum operation operation;
	uint32_t value;
	enum verdict then;
};

#define WHOLE 0xffffffffu
#define END(verdict)                            \
	{                                       \
		0, WHOLE, OTHERWISE, 0, verdict \
	}

/* All CLONE_NEW flags. That of the time namespace is a signal number in clone and a flag in unshare. */
#define NAMESPACES 0x7e020000u
#define TIME_NAMESPACE 0x80u

/* The type byte of an ioctl: the device or file system. */
#define KIND 0xff00u
/* The same for ioctls without a size: other devices have a size there. */
#define OLD_KIND 0xffffff00u

static const struct test test_clone[] = {{0, WHOLE, HAS, NAMESPACES, NOT_YOURS}, END(ALLOW)};
static const struct test test_unshare[] = {{0, WHOLE, HAS, NAMESPACES | TIME_NAMESPACE, NOT_YOURS},
					   END(ALLOW)};

/* Only 0, the caller: a filter cannot see whether another number is one of its threads. A broker can. */
static const struct test test_self[] = {{0, WHOLE, IS, 0, ALLOW}, END(NOT_YOURS)};
static const struct test test_places[] = {{0, WHOLE, IS, 0, ALLOW}, END(ROUTE)};
/*
 * RLIMIT_LOCKS, which the kernel does not enforce, holds the broker's nest ids: no process may set it.
 * Reading limits of other processes (new limit NULL) changes nothing.
 */
#define MARK 10
static const struct test test_limit[] = {
	{1, WHOLE, IS, MARK, TEST_LIMIT_OTHER}, {0, WHOLE, IS, 0, ALLOW}, END(TEST_LIMIT_OTHER)};
static const struct test test_limit_own[] = {{0, WHOLE, IS, MARK, NOT_YOURS}, END(ALLOW)};
static const struct test test_limit_other[] = {
	{2, WHOLE, IS_NOT, 0, NOT_YOURS},
	{2 + HIGH, WHOLE, IS_NOT, 0, NOT_YOURS},
	END(ALLOW),
};
static const struct test test_limit_routed[] = {
	{1, WHOLE, IS, MARK, TEST_LIMIT_OTHER}, {0, WHOLE, IS, 0, ALLOW}, END(TEST_LIMIT_NUMBER)};
static const struct test test_limit_number[] = {
	{2, WHOLE, IS_NOT, 0, ROUTE},
	{2 + HIGH, WHOLE, IS_NOT, 0, ROUTE},
	END(ALLOW),
};
/* Of a process, with 0 only: for the other kinds 0 is the whole process group or user. */
#define PRIORITY_TEST(process, group, user, other)                                        \
	{                                                                                 \
		{0, WHOLE, IS, group, NOT_YOURS}, {0, WHOLE, IS, user, NOT_YOURS},        \
			{0, WHOLE, IS_NOT, process, NOT_VALID}, {1, WHOLE, IS, 0, ALLOW}, \
			END(other)                                                        \
	}
static const struct test test_nice[] = PRIORITY_TEST(0, 1, 2, NOT_YOURS);
static const struct test test_nice_routed[] = PRIORITY_TEST(0, 1, 2, ROUTE);
static const struct test test_ionice[] = PRIORITY_TEST(1, 2, 3, NOT_YOURS);
static const struct test test_ionice_routed[] = PRIORITY_TEST(1, 2, 3, ROUTE);

static const struct test test_ioctl[] = {
	{1, KIND, IS, 0x6600, TEST_IOCTL_EXT},
	{1, KIND, IS, 0x9400, TEST_IOCTL_BTRFS},
	{1, KIND, IS, 0x5800, TEST_IOCTL_XFS},
	/* bcachefs: creates and deletes subvolumes, as btrfs does */
	{1, KIND, IS, 0xbc00, NO_OPERATION},
	{1, KIND, IS, 0xf500, NO_OPERATION}, /* f2fs */
	{1, WHOLE, IS, 0x5412, NOT_YOURS},   /* TIOCSTI: terminal input */
	/* TIOCEXCL: closes the terminal to others, persistently */
	{1, WHOLE, IS, 0x540c, NOT_YOURS},
	{1, WHOLE, IS, 0x541c, NOT_YOURS}, /* TIOCLINUX: selection and paste on the console */
	{1, WHOLE, IS, 0x5423, NOT_YOURS}, /* TIOCSETD: line disciplines */
	/* console: keyboard off, graphics mode, fonts; all persistent */
	{1, OLD_KIND, IS, 0x4b00, TEST_IOCTL_CONSOLE},
	{1, OLD_KIND, IS, 0x5600, TEST_IOCTL_CONSOLE},
	{1, WHOLE, IS, 0x40087602, NO_OPERATION}, /* FS_IOC_SETVERSION */
	{1, WHOLE, IS, 0x40047602, NO_OPERATION}, /* its 32-bit form */
	{1, WHOLE, IS, 0x40047211, NO_OPERATION}, /* FAT_IOCTL_SET_ATTRIBUTES */
	{1, WHOLE, IS, 0x40186f04, NO_OPERATION}, /* OCFS2_IOC_REFLINK: creates a name */
	END(ALLOW),
};
/* The console's type and state may be read; all else is denied. */
static const struct test test_ioctl_console[] = {
	{1, WHOLE, IS, 0x4b33, ALLOW}, /* KDGKBTYPE */
	{1, WHOLE, IS, 0x4b44, ALLOW}, /* KDGKBMODE */
	{1, WHOLE, IS, 0x5603, ALLOW}, /* VT_GETSTATE */
	END(NOT_YOURS),
};
/* Flags, versions, encryption, verity: reading only. */
static const struct test test_ioctl_ext[] = {
	{1, WHOLE, IS, 0x80086601, ALLOW}, /* FS_IOC_GETFLAGS */
	{1, WHOLE, IS, 0x80046601, ALLOW}, /* its 32-bit form */
	{1, WHOLE, IS, 0xc020660b, ALLOW}, /* FS_IOC_FIEMAP */
	{1, WHOLE, IS, 0xc0096616, ALLOW}, /* FS_IOC_GET_ENCRYPTION_POLICY_EX */
	{1, WHOLE, IS, 0xc0046686, ALLOW}, /* FS_IOC_MEASURE_VERITY */
	{1, WHOLE, IS, 0xc0686611, ALLOW}, /* PROCMAP_QUERY, of /proc/PID/maps */
	END(NO_OPERATION),
};
/* Subvolumes are created and deleted through an fd of a directory opened for reading. */
static const struct test test_ioctl_btrfs[] = {
	{1, WHOLE, IS, 0x40049409, ALLOW}, /* FICLONE */
	{1, WHOLE, IS, 0x4020940d, ALLOW}, /* FICLONERANGE */
	{1, WHOLE, IS, 0xc0189436, ALLOW}, /* FIDEDUPERANGE */
	END(NO_OPERATION),
};
/* FS_IOC_FSGETXATTR */
static const struct test test_ioctl_xfs[] = {{1, WHOLE, IS, 0x801c581f, ALLOW}, END(NO_OPERATION)};

/*
 * Unix sockets: all types, or only connection-oriented ones. A datagram socket can send to any path without
 * connect, a raw one is the same, and one end of a datagram socketpair can be connected anew. Landlock
 * below ABI 9 does not restrict this.
 */
/* Errors in the kernel's order: unknown flags of the type, then families, then types from 11 on. */
#define TYPE_FLAGS 0xfff7f7f0u
#define FAMILIES 0x3fu
#define ODD_SOCKETS                                                                    \
	{1, WHOLE, HAS, TYPE_FLAGS, NOT_VALID}, {0, WHOLE, HAS, ~FAMILIES, NO_FAMILY}, \
		{1, 0xf, IS, 11, NOT_VALID},                                           \
	{                                                                              \
		1, 0xc, IS, 12, NOT_VALID                                              \
	}
#define SOCKET_TEST(name, unix, internet, internet6)               \
	static const struct test name[] = {                        \
		ODD_SOCKETS,                                       \
		{0, WHOLE, IS, 1, unix},	  /* AF_UNIX */    \
		{0, WHOLE, IS, 2, internet},	  /* AF_INET */    \
		{0, WHOLE, IS, 10, internet6},	  /* AF_INET6 */   \
		{0, WHOLE, IS, 16, TEST_NETLINK}, /* AF_NETLINK */ \
		END(NO_FAMILY),                                    \
	}
SOCKET_TEST(test_socket_none, ALLOW, NO_ACCESS, NO_ACCESS);
SOCKET_TEST(test_socket_none_closed, NO_ACCESS, NO_ACCESS, NO_ACCESS);
/* The broker denies every kind, to report it; if it is gone there is no socket either. */
SOCKET_TEST(test_socket_told, ALLOW, ROUTE, ROUTE);
SOCKET_TEST(test_socket_told_stream, TEST_STREAM, ROUTE, ROUTE);
SOCKET_TEST(test_socket_all, ALLOW, ALLOW, ALLOW);
SOCKET_TEST(test_socket_all_stream, TEST_STREAM, ALLOW, ALLOW);
SOCKET_TEST(test_socket_all_closed, NO_ACCESS, ALLOW, ALLOW);
/*
 * The broker makes TCP sockets, and UDP sockets where granted; for other types it returns the kernel's
 * errors.
 */
SOCKET_TEST(test_socket_brokered, ALLOW, ROUTE, ROUTE);
SOCKET_TEST(test_socket_brokered_stream, TEST_STREAM_TOLD, ROUTE, ROUTE);
SOCKET_TEST(test_socket_datagrams, ALLOW, ROUTE, ROUTE);
/* The broker makes them all; where one kind is denied, it denies it. */
static const struct test test_socket_copied[] = {
	ODD_SOCKETS,
	{0, WHOLE, IS, 1, ROUTE},
	{0, WHOLE, IS, 2, ROUTE},
	{0, WHOLE, IS, 10, ROUTE},
	{0, WHOLE, IS, 16, ROUTE},
	END(NO_FAMILY),
};
/* There are no socketpairs of internet families. */
#define PAIR_TEST(name, unix)                     \
	static const struct test name[] = {       \
		ODD_SOCKETS,                      \
		{0, WHOLE, IS, 1, unix},          \
		{0, WHOLE, IS, 2, NO_OPERATION},  \
		{0, WHOLE, IS, 10, NO_OPERATION}, \
		END(NO_FAMILY),                   \
	}
PAIR_TEST(test_pair, ALLOW);
PAIR_TEST(test_pair_stream, TEST_STREAM);
/* Instead of a datagram pair the broker makes a SOCK_SEQPACKET pair, which cannot send elsewhere. */
PAIR_TEST(test_pair_routed, TEST_STREAM_TOLD);
/* Invalid protocols and types of the unix family. */
static const struct test test_stream[] = {
	{2, ~1u, IS_NOT, 0, NO_PROTOCOL},
	{1, 0xf, IS, 1, ALLOW},	    /* SOCK_STREAM */
	{1, 0xf, IS, 5, ALLOW},	    /* SOCK_SEQPACKET */
	{1, 0xf, IS, 2, NO_ACCESS}, /* SOCK_DGRAM */
	{1, 0xf, IS, 3, NO_ACCESS}, /* SOCK_RAW, same as SOCK_DGRAM */
	END(NO_TYPE),
};
/* The broker denies the others and reports it. */
static const struct test test_stream_told[] = {
	{2, ~1u, IS_NOT, 0, NO_PROTOCOL},
	{1, 0xf, IS, 1, ALLOW}, /* SOCK_STREAM */
	{1, 0xf, IS, 5, ALLOW}, /* SOCK_SEQPACKET */
	{1, 0xf, IS, 2, ROUTE}, /* SOCK_DGRAM */
	{1, 0xf, IS, 3, ROUTE}, /* SOCK_RAW, same as SOCK_DGRAM */
	END(NO_TYPE),
};
/* NETLINK_ROUTE only: lists interfaces and addresses; changes need a capability. */
static const struct test test_netlink[] = {{2, WHOLE, IS, 0, ALLOW}, END(NO_PROTOCOL)};
/* MSG_FASTOPEN */
#define FAST_OPEN 0x20000000u
static const struct test test_send[] = {{3, WHOLE, HAS, FAST_OPEN, NO_OPERATION}, END(ALLOW)};
static const struct test test_send_message[] = {{2, WHOLE, HAS, FAST_OPEN, NO_OPERATION},
						END(ALLOW)};
/* Without an address, as on a connected socket, the kernel continues. */
static const struct test test_send_to[] = {{3, WHOLE, HAS, FAST_OPEN, NO_OPERATION},
					   {4, WHOLE, IS_NOT, 0, ROUTE},
					   {4 + HIGH, WHOLE, IS_NOT, 0, ROUTE},
					   END(ALLOW)};
static const struct test test_send_routed[] = {{3, WHOLE, HAS, FAST_OPEN, NO_OPERATION},
					       END(ROUTE)};
static const struct test test_send_message_routed[] = {{2, WHOLE, HAS, FAST_OPEN, NO_OPERATION},
						       END(ROUTE)};
static const struct test test_socket_option[] = {{1, WHOLE, IS, 6, TEST_TCP_OPTION}, END(ALLOW)};
/* TCP_FASTOPEN_CONNECT */
static const struct test test_tcp_option[] = {{2, WHOLE, IS, 30, NO_OPERATION}, END(ALLOW)};

/*
 * When a socket joins a group, the kernel sends a report on the named device, whatever device the socket is
 * bound to: every form of joining is denied.
 */
#define GROUPS 0xfffffff8u /* 40 to 47: from IP_MSFILTER to MCAST_JOIN_GROUP */
static const struct test test_socket_option_groups[] = {{1, WHOLE, IS, 6, TEST_TCP_OPTION},
							{1, WHOLE, IS, 0, TEST_IP_GROUPS},
							{1, WHOLE, IS, 41, TEST_IPV6_GROUPS},
							END(ALLOW)};
static const struct test test_ip_groups[] = {
	{2, WHOLE, IS, 35, NO_OPERATION}, /* IP_ADD_MEMBERSHIP */
	{2, WHOLE, IS, 37, NO_OPERATION}, /* IP_UNBLOCK_SOURCE */
	{2, WHOLE, IS, 38, NO_OPERATION}, /* IP_BLOCK_SOURCE */
	{2, WHOLE, IS, 39, NO_OPERATION}, /* IP_ADD_SOURCE_MEMBERSHIP */
	{2, GROUPS, IS, 40, NO_OPERATION},
	{2, WHOLE, IS, 48, NO_OPERATION}, /* MCAST_MSFILTER */
	END(ALLOW),
};
static const struct test test_ipv6_groups[] = {
	{2, WHOLE, IS, 20, NO_OPERATION}, /* IPV6_ADD_MEMBERSHIP */
	{2, WHOLE, IS, 27, NO_OPERATION}, /* IPV6_JOIN_ANYCAST */
	{2, GROUPS, IS, 40, NO_OPERATION}, {2, WHOLE, IS, 48, NO_OPERATION}, END(ALLOW),
};

/* An O_PATH fd cannot read or change the file, and other flags are ignored with it. */
#define O_PATH_FLAG 0x200000u
/* O_WRONLY, O_RDWR, O_CREAT, O_TRUNC, O_TMPFILE */
#define O_CHANGE_FLAGS (0x1u | 0x2u | 0x40u | 0x200u | 0x400000u)
/* O_ACCMODE: mode 3 is for ioctls on old devices, and Landlock checks nothing for it. */
#define NO_ACCESS_MODE 0x3u
#define OPEN_TESTS(name, flags, change)                                                            \
	static const struct test name[] = {{flags, WHOLE, HAS, O_PATH_FLAG, ALLOW},                \
					   {flags, NO_ACCESS_MODE, IS, NO_ACCESS_MODE, NO_ACCESS}, \
					   change}
/* O_RDONLY | O_NONBLOCK: used by stty, and rarely for other files. */
#define O_LOOK_FLAGS 0x800u
/*
 * O_RDONLY | O_NOFOLLOW | O_CLOEXEC: used by shm_open for reading; musl adds O_NONBLOCK and O_LARGEFILE.
 * The values of O_NOFOLLOW and O_LARGEFILE differ: one's on x86 is the other's on arm64.
 */
#define O_SHARED_FLAGS 0xa0000u
#define O_SHARED_MASK ~0x8800u
#define O_SHARED_FLAGS_ARM 0x88000u
#define O_SHARED_MASK_ARM ~0x20800u
#define CHANGES(flags, mask, shared)                                                         \
	{flags, WHOLE, HAS, O_CHANGE_FLAGS, ROUTE}, {flags, WHOLE, IS, O_LOOK_FLAGS, ROUTE}, \
		{flags, mask, IS, shared, ROUTE}, END(ALLOW)
OPEN_TESTS(test_open, 1, END(ALLOW));
OPEN_TESTS(test_openat, 2, END(ALLOW));
OPEN_TESTS(test_open_change, 1, CHANGES(1, O_SHARED_MASK, O_SHARED_FLAGS));
OPEN_TESTS(test_openat_change, 2, CHANGES(2, O_SHARED_MASK, O_SHARED_FLAGS));
OPEN_TESTS(test_openat_change_arm, 2, CHANGES(2, O_SHARED_MASK_ARM, O_SHARED_FLAGS_ARM));
OPEN_TESTS(test_open_any, 1, END(ROUTE));
OPEN_TESTS(test_openat_any, 2, END(ROUTE));
/* A flag unknown to the kernel: the handshake of a nest (src/linux/landlock/handshake.h). */
static const struct test test_door[] = {{2, WHOLE, IS, 0x636f7201, ROUTE}, END(ALLOW)};
/*
 * Landlock does not exist except for a cordon, whose rulesets have this size
 * (src/linux/landlock/ruleset.h).
 */
static const struct test test_door_only[] = {{2, WHOLE, IS, 0x636f7201, ROUTE},
					     {2, WHOLE, IS_NOT, 0, NO_OPERATION},
					     {1, WHOLE, IS, 1000, ALLOW},
					     END(NO_OPERATION)};
/* SECCOMP_FILTER_FLAG_NEW_LISTENER; the kernel returns the same errno while a listener exists. */
static const struct test test_listener[] = {{1, WHOLE, HAS, 0x8, TAKEN}, END(ALLOW)};
/* PR_SET_DUMPABLE 0 */
static const struct test test_prctl[] = {
	{0, WHOLE, IS_NOT, 4, ALLOW}, {1, WHOLE, IS, 0, DONE}, END(ALLOW)};

/* FALLOC_FL_INSERT_RANGE enlarges a file without regard to RLIMIT_FSIZE. */
#define INSERT_RANGE 0x20u
static const struct test test_allocate[] = {{1, WHOLE, HAS, INSERT_RANGE, NO_OPERATION},
					    END(ALLOW)};

/* RENAME_WHITEOUT leaves a device node behind, which Landlock does not check. */
#define WHITEOUT 4u
static const struct test test_rename[] = {{4, WHOLE, HAS, WHITEOUT, NOT_VALID}, END(ALLOW)};
static const struct test test_rename_routed[] = {{4, WHOLE, HAS, WHITEOUT, NOT_VALID}, END(ROUTE)};

/* Fds 1008 to 1023: the broker gives these numbers to staged files. */
static const struct test test_desk[] = {{0, 0xfffffff0u, IS, 0x3f0, ROUTE}, END(ALLOW)};

/*
 * F_SETLEASE, F_SETDELEG: a lease on a read-only fd makes every other process that opens the file wait for
 * 45 seconds. File systems without leases fail with the same error.
 */
static const struct test test_lease[] = {
	{1, WHOLE, IS, 1024, NOT_VALID}, {1, WHOLE, IS, 1040, NOT_VALID}, END(ALLOW)};
/* F_SETOWN, F_SETOWN_EX: set the process that gets SIGIO. */
static const struct test test_owner[] = {
	{1, WHOLE, IS, 8, ROUTE}, {1, WHOLE, IS, 15, ROUTE}, END(TEST_LEASE)};
/* TIOCGPTPEER opens a pty, which the layers do not grant. TIOCSPGRP: see setpgid. */
static const struct test test_ioctl_routed[] = {
	{1, WHOLE, IS, 0x5441, ROUTE}, {1, WHOLE, IS, 0x5410, ROUTE}, END(TEST_IOCTL)};
/* FIOSETOWN, SIOCSPGRP: the same for sockets, with the pid in memory; obsolete. */
static const struct test test_ioctl_owner[] = {{1, WHOLE, IS, 0x8901, NOT_YOURS},
					       {1, WHOLE, IS, 0x8902, NOT_YOURS},
					       END(TEST_IOCTL_ROUTED)};

static const struct test *const tests[VERDICTS] = {
	[TEST_CLONE] = test_clone,
	[TEST_UNSHARE] = test_unshare,
	[TEST_SELF] = test_self,
	[TEST_PLACES] = test_places,
	[TEST_LIMIT] = test_limit,
	[TEST_LIMIT_OTHER] = test_limit_other,
	[TEST_LIMIT_OWN] = test_limit_own,
	[TEST_LIMIT_ROUTED] = test_limit_routed,
	[TEST_LIMIT_NUMBER] = test_limit_number,
	[TEST_DOOR] = test_door,
	[TEST_DOOR_ONLY] = test_door_only,
	[TEST_LISTENER] = test_listener,
	[TEST_NICE] = test_nice,
	[TEST_NICE_ROUTED] = test_nice_routed,
	[TEST_IONICE] = test_ionice,
	[TEST_IONICE_ROUTED] = test_ionice_routed,
	[TEST_IOCTL] = test_ioctl,
	[TEST_IOCTL_EXT] = test_ioctl_ext,
	[TEST_IOCTL_BTRFS] = test_ioctl_btrfs,
	[TEST_IOCTL_XFS] = test_ioctl_xfs,
	[TEST_IOCTL_CONSOLE] = test_ioctl_console,
	[TEST_SOCKET_NONE] = test_socket_none,
	[TEST_SOCKET_TOLD] = test_socket_told,
	[TEST_SOCKET_TOLD_STREAM] = test_socket_told_stream,
	[TEST_SOCKET_NONE_CLOSED] = test_socket_none_closed,
	[TEST_SOCKET_ALL] = test_socket_all,
	[TEST_SOCKET_ALL_STREAM] = test_socket_all_stream,
	[TEST_SOCKET_ALL_CLOSED] = test_socket_all_closed,
	[TEST_SOCKET_BROKERED] = test_socket_brokered,
	[TEST_SOCKET_BROKERED_STREAM] = test_socket_brokered_stream,
	[TEST_SOCKET_COPIED] = test_socket_copied,
	[TEST_SOCKET_DATAGRAMS] = test_socket_datagrams,
	[TEST_PAIR] = test_pair,
	[TEST_PAIR_STREAM] = test_pair_stream,
	[TEST_PAIR_ROUTED] = test_pair_routed,
	[TEST_STREAM] = test_stream,
	[TEST_STREAM_TOLD] = test_stream_told,
	[TEST_NETLINK] = test_netlink,
	[TEST_SEND] = test_send,
	[TEST_SEND_MESSAGE] = test_send_message,
	[TEST_SEND_TO] = test_send_to,
	[TEST_SEND_ROUTED] = test_send_routed,
	[TEST_SEND_MESSAGE_ROUTED] = test_send_message_routed,
	[TEST_SOCKET_OPTION] = test_socket_option,
	[TEST_TCP_OPTION] = test_tcp_option,
	[TEST_SOCKET_OPTION_GROUPS] = test_socket_option_groups,
	[TEST_IP_GROUPS] = test_ip_groups,
	[TEST_IPV6_GROUPS] = test_ipv6_groups,
	[TEST_OPEN] = test_open,
	[TEST_OPENAT] = test_openat,
	[TEST_OPEN_CHANGE] = test_open_change,
	[TEST_OPENAT_CHANGE] = test_openat_change,
	[TEST_OPENAT_CHANGE_ARM] = test_openat_change_arm,
	[TEST_OPEN_ANY] = test_open_any,
	[TEST_OPENAT_ANY] = test_openat_any,
	[TEST_PRCTL] = test_prctl,
	[TEST_ALLOCATE] = test_allocate,
	[TEST_RENAME] = test_rename,
	[TEST_RENAME_ROUTED] = test_rename_routed,
	[TEST_LEASE] = test_lease,
	[TEST_OWNER] = test_owner,
	[TEST_IOCTL_OWNER] = test_ioctl_owner,
	[TEST_IOCTL_ROUTED] = test_ioctl_routed,
	[TEST_DESK] = test_desk,
};
