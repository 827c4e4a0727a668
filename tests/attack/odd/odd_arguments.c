// SPDX-License-Identifier: MIT
/*
 * An argument of each kind that the table of calls names by a letter: flags, commands, limits, times,
 * names of attributes, and memory with anything in it.
 */
#include "odd.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static uint64_t
open_flags(struct odd *odd)
{
	static const unsigned modes[] = {O_RDONLY, O_WRONLY, O_RDWR, 3};
	static const unsigned flags[] = {O_CREAT,     O_CREAT | O_EXCL, O_TRUNC,   O_APPEND,
					 O_DIRECTORY, O_NOFOLLOW,	O_CLOEXEC, O_PATH,
					 O_TMPFILE,   O_SYNC,		O_ASYNC,   O_NOCTTY,
					 O_DIRECT,    O_NOATIME,	0,	   0,
					 O_CREAT,     O_CREAT};
	unsigned value = ODD_PICK(odd, modes);

	for (unsigned i = odd_below(odd, 4); i > 0; i--)
		value |= ODD_PICK(odd, flags);
	/* mostly those that do not wait */
	return odd_one_in(odd, 12) ? value : value | O_NONBLOCK;
}

static uint64_t
make_xattr(struct odd *odd)
{
	static const char *const names[] = {"user.a",
					    "user.",
					    "",
					    "security.capability",
					    "trusted.x",
					    "system.posix_acl_access",
					    "system.posix_acl_default",
					    "user.\xff"};
	char text[300];

	snprintf(text, sizeof text, "%s", ODD_PICK(odd, names));
	if (odd_one_in(odd, 8))
		memset(text, 'u', sizeof text - 1), text[254 + odd_below(odd, 3)] = '\0';
	return odd_place(odd, text, strlen(text) + 1);
}

static uint64_t
make_bytes(struct odd *odd)
{
	uint64_t bytes[32];

	if (odd_one_in(odd, 8))
		return odd_number(odd);
	for (size_t i = 0; i < COUNT(bytes); i++)
		bytes[i] = odd_one_in(odd, 2) ? 0 : odd_number(odd);
	return odd_place(odd, bytes, sizeof bytes) + (odd_one_in(odd, 8) ? 1 : 0);
}

static uint64_t
make_times(struct odd *odd)
{
	static const long nanoseconds[] = {0,	       999999,	       1000000,	       999999999,
					   1000000000, (1l << 30) - 1, (1l << 30) - 2, -1};
	struct timespec times[2];

	if (odd_one_in(odd, 4))
		return 0;
	for (int i = 0; i < 2; i++)
		times[i] = (struct timespec){(time_t)odd_number(odd), ODD_PICK(odd, nanoseconds)};
	return odd_place(odd, times, sizeof times);
}

/* Limits that are smaller than what is there; none that ends the process at once. */
static uint64_t
make_limit(struct odd *odd)
{
	static const rlim_t values[] = {0, 1, 4, 8, 64, 1u << 20, RLIM_INFINITY};
	struct rlimit limit = {ODD_PICK(odd, values), RLIM_INFINITY};

	if (odd_one_in(odd, 2))
		limit.rlim_max = 1u << 20;
	return odd_place(odd, &limit, sizeof limit);
}

#define PICK_OF(...)                                                              \
	{                                                                         \
		static const uint64_t of[] = {__VA_ARGS__};                       \
		return odd_one_in(odd, 10) ? odd_number(odd) : ODD_PICK(odd, of); \
	}

static uint64_t
pick_command(struct odd *odd, char kind)
{
	if (kind == 'c')
		PICK_OF(F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_SETOWN, F_GETOWN, F_SETSIG,
			F_SETLEASE, F_GETLEASE, F_NOTIFY, F_DUPFD_CLOEXEC, F_SETOWN_EX,
			F_SETPIPE_SZ, F_ADD_SEALS, F_SETLK, F_OFD_SETLK, 1033)
	if (kind == 'C')
		PICK_OF(TIOCGPTPEER, TIOCSPTLCK, TIOCGPTN, TIOCSCTTY, TIOCNOTTY, TIOCSPGRP,
			TIOCGPGRP, TIOCSTI, TIOCSWINSZ, TCGETS, TCSETS, TCSBRK, FIONREAD, FIONBIO,
			FIOASYNC, FIOSETOWN, SIOCSPGRP, TIOCEXCL, TIOCSETD, TIOCPKT, TIOCSIG,
			0x80086601, 0x40086602, 0x40049409, 0xc0502100, 0x40082102)
	if (kind == 'K')
		PICK_OF(PR_SET_NAME, PR_SET_DUMPABLE, PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER,
			PR_SET_PTRACER, PR_SET_NO_NEW_PRIVS, PR_SET_KEEPCAPS, PR_SET_TIMERSLACK,
			PR_GET_SECCOMP, PR_SET_SECUREBITS, PR_CAP_AMBIENT)
	if (kind == 'q')
		PICK_OF(PTRACE_ATTACH, PTRACE_SEIZE, PTRACE_INTERRUPT, PTRACE_DETACH, PTRACE_CONT,
			PTRACE_SYSCALL, PTRACE_GETREGS, PTRACE_LISTEN, PTRACE_SETOPTIONS,
			PTRACE_KILL, PTRACE_PEEKDATA, 0x420d)
	if (kind == 'R')
		PICK_OF(RLIMIT_NOFILE, RLIMIT_FSIZE, RLIMIT_CORE, RLIMIT_LOCKS, RLIMIT_NICE,
			RLIMIT_SIGPENDING, RLIMIT_MEMLOCK, RLIMIT_NPROC)
	PICK_OF(WNOHANG, WNOHANG | WUNTRACED, WNOHANG | WNOWAIT | WEXITED, WNOHANG | __WALL,
		WNOHANG | __WCLONE)
}

static uint64_t
pick_flags(struct odd *odd, char kind)
{
	switch (kind) {
	case 'm':
		PICK_OF(0, 0600, 0644, 0700, 0755, 0777, 01777, 04755, 06777, 07777)
	case 'M':
		PICK_OF(S_IFREG | 0600, S_IFIFO | 0600, S_IFCHR | 0600, S_IFBLK | 0600,
			S_IFSOCK | 0600, S_IFDIR | 0700, 0600, S_IFREG | 04777)
	case 'r':
		PICK_OF(0, 0, 1, 2, 4, 5, 3, 6, 7, 8)
	case 't':
		PICK_OF(0, 0, AT_SYMLINK_NOFOLLOW, AT_REMOVEDIR, AT_SYMLINK_FOLLOW, AT_EMPTY_PATH,
			AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW)
	case 'F':
		PICK_OF(AF_UNIX, AF_UNIX, AF_INET, AF_INET6, AF_NETLINK, AF_PACKET)
	case 'Y':
		PICK_OF(SOCK_STREAM, SOCK_STREAM | SOCK_NONBLOCK, SOCK_DGRAM, SOCK_SEQPACKET,
			SOCK_RAW, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK)
	case 'P':
		PICK_OF(0, 0, 0, 6, 17, 262)
	case 'E':
		PICK_OF(MSG_DONTWAIT, MSG_DONTWAIT | MSG_NOSIGNAL, MSG_DONTWAIT | MSG_OOB,
			MSG_DONTWAIT | MSG_FASTOPEN, MSG_DONTWAIT | MSG_PEEK)
	case 'D':
		return 0x636f7201u; /* the entry of a cordon inside, src/linux/broker/nest.h */
	case 'B':
		return ~0ull; /* flags that are refused: nothing is executed */
	default:
		return odd_below(odd, 4);
	}
}

static uint64_t
make_size(struct odd *odd)
{
	return odd_one_in(odd, 4) ? odd_number(odd) : odd_below(odd, 9000);
}

uint64_t
odd_argument(struct odd *odd, char kind)
{
	switch (kind) {
	case 'p':
		return odd_path(odd);
	case 'd':
		return odd_one_in(odd, 2) ? (uint64_t)AT_FDCWD : (uint64_t)(int64_t)odd_fd(odd);
	case 'f':
		return (uint64_t)(int64_t)odd_fd(odd);
	case 'o':
		return odd_one_in(odd, 20) ? odd_number(odd) : open_flags(odd);
	case 'n':
		return odd_number(odd);
	case 'u':
		return odd_one_in(odd, 2) ? getuid() : odd_number(odd);
	case 's':
		return (uint64_t)odd_signal(odd);
	case 'i':
		return (uint64_t)odd_pid(odd);
	case 'b':
		return make_bytes(odd);
	case 'z':
		return make_size(odd);
	case 'g':
		return odd_message(odd);
	case 'x':
		return make_xattr(odd);
	case 'T':
		return make_times(odd);
	case 'L':
		return make_limit(odd);
	case 'c':
	case 'C':
	case 'K':
	case 'q':
	case 'R':
	case 'W':
		return pick_command(odd, kind);
	default:
		return pick_flags(odd, kind);
	}
}
