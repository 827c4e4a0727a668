// SPDX-License-Identifier: MIT
/*
 * Random values for arguments: paths, descriptors, processes, addresses, messages, and numbers at the
 * edges of their types. Nothing here makes a call that is routed.
 */
#include "odd.h"

#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

uint64_t
odd_random(struct odd *odd)
{
	uint64_t z = (odd->state += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

unsigned
odd_below(struct odd *odd, unsigned limit)
{
	return (unsigned)(odd_random(odd) % limit);
}

bool
odd_one_in(struct odd *odd, unsigned chances)
{
	return odd_below(odd, chances) == 0;
}

/* ---- memory ---- */

bool
arena_make(struct arena *arena)
{
	arena->fd = (int)syscall(SYS_memfd_create, "odd", 1u);
	if (arena->fd < 0 || ftruncate(arena->fd, ARENA_SIZE) < 0)
		return false;
	/* out of reach of the calls that close numbers */
	arena->fd = fcntl(arena->fd, F_DUPFD_CLOEXEC, 500);
	arena->here = mmap(NULL, ARENA_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, arena->fd, 0);
	/* a hole follows, for text that has no end */
	arena->there = mmap(NULL, ARENA_SIZE + 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (arena->here == MAP_FAILED || arena->there == MAP_FAILED)
		return false;
	return mmap(arena->there, ARENA_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
		    arena->fd, 0) == arena->there;
}

/* Unmaps, protects, exchanges and maps again pages that a call may be reading. */
void
arena_disturb(struct odd *odd)
{
	static const int protections[] = {PROT_NONE, PROT_READ, PROT_WRITE, PROT_READ | PROT_WRITE};
	struct arena *arena = odd->arena;
	unsigned page = odd_below(odd, ARENA_PAGES);
	char *at = arena->there + page * 4096;

	switch (odd_below(odd, 4)) {
	case 0:
		munmap(at, 4096);
		break;
	case 1:
		mprotect(at, 4096, ODD_PICK(odd, protections));
		break;
	case 2:
		mmap(at, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, arena->fd,
		     odd_below(odd, ARENA_PAGES) * 4096);
		break;
	default:
		arena->here[odd_below(odd, ARENA_SIZE)] = (char)odd_random(odd);
	}
	if (odd_one_in(odd, 3))
		mmap(arena->there, ARENA_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
		     arena->fd, 0);
}

/* Where a call finds these bytes: anywhere, at the end of a page, before the hole, across pages. */
uint64_t
odd_place(struct odd *odd, const void *bytes, size_t size)
{
	size_t at = odd_below(odd, ARENA_SIZE - 8192), page = odd_below(odd, ARENA_PAGES - 2) + 2;

	if (size > 8192)
		size = 8192;
	if (odd_one_in(odd, 4))
		at = page * 4096 - size;
	else if (odd_one_in(odd, 16))
		at = ARENA_SIZE - size;
	memcpy(odd->arena->here + at, bytes, size);
	return (uint64_t)(uintptr_t)(odd->arena->there + at);
}

/* ---- numbers ---- */

uint64_t
odd_number(struct odd *odd)
{
	static const uint64_t edges[] = {0,
					 1,
					 2,
					 3,
					 7,
					 8,
					 63,
					 64,
					 255,
					 256,
					 4095,
					 4096,
					 4097,
					 65535,
					 65536,
					 0x7fffffff,
					 0x80000000,
					 0xffffffff,
					 0x100000000,
					 0xffffff9c,
					 (uint64_t)-1,
					 (uint64_t)-100,
					 (uint64_t)-4095,
					 0x7fffffffffffffff,
					 0x8000000000000000,
					 0xffff800000000000};
	uint64_t value = ODD_PICK(odd, edges);

	switch (odd_below(odd, 4)) {
	case 0:
		return odd_random(odd);
	case 1:
		return 1ull << odd_below(odd, 64);
	case 2:
		return value | (odd_random(odd) << 32);
	default:
		return value;
	}
}

int
odd_fd(struct odd *odd)
{
	static const int numbers[] = {-1,   AT_FDCWD, 200,  1007,    1008,
				      1010, 1023,     1024, INT_MAX, INT_MIN};

	if (odd_one_in(odd, 8))
		return ODD_PICK(odd, numbers);
	return FD_FIRST + (int)odd_below(odd, FD_LAST - FD_FIRST);
}

/* A number that was reaped may be another's by now, and not every session keeps us from those. */
bool
odd_is_child(pid_t pid)
{
	siginfo_t info;

	return pid > 0 &&
	       waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) == 0;
}

bool
odd_kill(pid_t pid, int signal)
{
	return odd_is_child(pid) && kill(pid, signal) == 0;
}

/* Outsiders only where they are out of reach. */
pid_t
odd_pid(struct odd *odd)
{
	const struct options *o = odd->options;
	const pid_t outsiders[] = {1, o->guard, o->launcher, INT_MAX,
				   (pid_t)(odd_random(odd) | 1u << 30)};
	pid_t child = ODD_PICK(odd, odd->children);

	if (odd_is_child(child) && !odd_one_in(odd, 4))
		return child;
	if (!o->is_tame && odd_one_in(odd, 3))
		return ODD_PICK(odd, outsiders);
	return odd_one_in(odd, 2) ? (pid_t)syscall(SYS_gettid) : getpid();
}

int
odd_signal(struct odd *odd)
{
	static const int usual[] = {SIGUSR1, SIGUSR2, SIGCONT, SIGCHLD, SIGURG,	 SIGWINCH,
				    SIGIO,   SIGALRM, SIGSTOP, SIGTSTP, SIGTTIN, SIGKILL,
				    0,	     34,      64,      65,	-1};

	return ODD_PICK(odd, usual);
}

/* ---- paths ---- */

static const char *const names[] = {"a",	   "b",		 "c",
				    "d",	   "e",		 "f.txt",
				    ".",	   "..",	 "",
				    ".git",	   "config",	 "hooks",
				    "HEAD",	   "objects",	 "refs",
				    "info",	   "index.lock", ".env",
				    "kept",	   "file",	 ".gitmodules",
				    "fifo",	   "socket",	 "link",
				    "loop",	   "A",		 "Makefile",
				    ".vscode",	   "tasks.json", "pre-commit",
				    "config.lock", "worktrees",	 "modules",
				    "gitdir",	   "commondir",	 ".cordon.json",
				    "\xc3\xa9",	   "e\xcc\x81",	 "\xff\xfe",
				    "a\nb",	   "a b",	 "\x1b[31m",
				    ".GIT",	   "GIT~1"};

static void
add_names(struct odd *odd, char *to, size_t size)
{
	unsigned count = 1 + odd_below(odd, odd->options->deep && odd_one_in(odd, 8) ? 200 : 5);
	size_t length = strlen(to);

	for (unsigned i = 0; i < count && length + 20 < size; i++)
		length += (size_t)snprintf(to + length, size - length, "%s%s", i > 0 ? "/" : "",
					   ODD_PICK(odd, names));
}

static void
add_process_path(struct odd *odd, char *to, size_t size)
{
	static const char *const entries[] = {"fd",	      "cwd",	   "root",
					      "exe",	      "mem",	   "status",
					      "environ",      "maps",	   "task",
					      "ns",	      "comm",	   "stat",
					      "attr/current", "net/tcp",   "oom_score_adj",
					      "setgroups",    "map_files", "coredump_filter",
					      "timers"};
	size_t length;

	switch (odd_below(odd, 4)) {
	case 0:
		length = (size_t)snprintf(to, size, "/proc/%d/", (int)odd_pid(odd));
		break;
	case 1:
		length = (size_t)snprintf(to, size, "/proc/thread-self/");
		break;
	case 2:
		snprintf(to, size, "/dev/fd/%d", odd_fd(odd));
		return;
	default:
		length = (size_t)snprintf(to, size, "/proc/self/");
	}
	if (odd_one_in(odd, 2)) {
		snprintf(to + length, size - length, "fd/%d%s", odd_fd(odd),
			 odd_one_in(odd, 3) ? "/a" : "");
		return;
	}
	length += (size_t)snprintf(to + length, size - length, "%s/", ODD_PICK(odd, entries));
	if (odd_one_in(odd, 2))
		to[length - 1] = '\0';
	else
		add_names(odd, to, size);
}

/* Lengths at the limits: of a name, of a path, of many short steps. */
static void
add_long(struct odd *odd, char *to, size_t size)
{
	static const size_t lengths[] = {254, 255, 256, 4094, 4095, 4096, 5000};
	static const char *const units[] = {"x", "./", "../", "/", "a/", "d/../", "\xcc\x81"};
	size_t length = ODD_PICK(odd, lengths);
	const char *unit = ODD_PICK(odd, units);

	/* a path of many levels is for later */
	if (unit[1] == '/' && unit[0] == 'a' && !odd->options->deep)
		unit = "./";
	if (length >= size)
		length = size - 1;
	for (size_t i = 0; i < length; i++)
		to[i] = unit[i % strlen(unit)];
	to[length] = '\0';
}

/* Nothing restricts this one: it stays below its working directory. */
static void
make_tame(struct odd *odd, char *to, size_t size)
{
	add_names(odd, to, size);
	for (char *dots = to; (dots = strstr(dots, "..")) != NULL;)
		dots[0] = dots[1] = 'u';
	if (*to == '/')
		*to = 'r';
}

void
odd_path_text(struct odd *odd, char *to, size_t size)
{
	static const char *const devices[] = {"/dev/null",    "/dev/tty",   "/dev/ptmx",
					      "/dev/zero",    "/dev/stdin", "/dev/pts/0",
					      "/dev/shm/odd", "/"};

	*to = '\0';
	if (odd->options->is_tame) {
		make_tame(odd, to, size);
		return;
	}
	switch (odd_below(odd, 12)) {
	case 0:
		add_process_path(odd, to, size);
		return;
	case 1:
		snprintf(to, size, "%s", ODD_PICK(odd, devices));
		return;
	case 2:
		add_long(odd, to, size);
		return;
	case 3:
		snprintf(to, size, "%s/", odd->options->outside);
		break;
	case 4:
		snprintf(to, size, "/proc/self/cwd/");
		break;
	default:
		break;
	}
	add_names(odd, to, size);
}

uint64_t
odd_path(struct odd *odd)
{
	static const uint64_t bad[] = {
		0, 1, 4095, 0xffff800000000000, (uint64_t)-1, 0x7ffffffff000};
	char text[6000];
	uint64_t at;

	if (odd_one_in(odd, 24))
		return ODD_PICK(odd, bad);
	odd_path_text(odd, text, sizeof text);
	at = odd_place(odd, text, strlen(text) + 1);
	/* without its end, before memory that is not there */
	if (odd_one_in(odd, 24)) {
		size_t length = strlen(text) > 4000 ? 4000 : strlen(text);

		memcpy(odd->arena->here + ARENA_SIZE - length, text, length);
		at = (uint64_t)(uintptr_t)(odd->arena->there + ARENA_SIZE - length);
	}
	return at;
}

/* ---- addresses and messages ---- */

static unsigned
make_unix(struct odd *odd, struct sockaddr_un *to)
{
	char text[6000];

	to->sun_family = AF_UNIX;
	odd_path_text(odd, text, sizeof text);
	memset(to->sun_path, 'x', sizeof to->sun_path);
	memcpy(to->sun_path, text,
	       strlen(text) < sizeof to->sun_path ? strlen(text) + 1 : sizeof to->sun_path);
	if (odd_one_in(odd, 5))
		to->sun_path[0] = '\0';
	return sizeof *to;
}

static in_port_t
find_port(struct odd *odd)
{
	const int ports[] = {odd->options->port, 0, 1, 9, 53, 65535};

	return htons((uint16_t)ODD_PICK(odd, ports));
}

static unsigned
make_inet(struct odd *odd, struct sockaddr_in *to)
{
	static const uint32_t hosts[] = {0x7f000001, 0x7f000002, 0,
					 0xffffffff, 0xe0000001, 0x7fffffff};

	to->sin_family = AF_INET;
	to->sin_port = find_port(odd);
	to->sin_addr.s_addr = htonl(ODD_PICK(odd, hosts));
	return sizeof *to;
}

static unsigned
make_inet6(struct odd *odd, struct sockaddr_in6 *to)
{
	*to = (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_port = find_port(odd)};
	to->sin6_addr.s6_addr[15] = (uint8_t)odd_below(odd, 2);
	if (odd_one_in(odd, 2))
		memcpy(to->sin6_addr.s6_addr + 10, "\xff\xff\x7f\0\0\1", 6);
	to->sin6_scope_id = odd_one_in(odd, 3) ? (uint32_t)odd_number(odd) : 0;
	to->sin6_flowinfo = odd_one_in(odd, 3) ? (uint32_t)odd_number(odd) : 0;
	return sizeof *to;
}

/* The length; now and then one that is wrong. */
unsigned
odd_sockaddr(struct odd *odd, uint64_t *ret_address)
{
	static const unsigned lengths[] = {0,	1,   2,	  3,   15,  16,	  27,	    28,
					   109, 110, 111, 128, 129, 4096, 1u << 31, -1u};
	struct sockaddr_storage storage = {.ss_family = (sa_family_t)odd_number(odd)};
	unsigned length = sizeof storage;

	switch (odd_below(odd, 7)) {
	case 0:
	case 1:
	case 2:
		length = make_unix(odd, (struct sockaddr_un *)&storage);
		break;
	case 3:
	case 4:
		length = make_inet(odd, (struct sockaddr_in *)&storage);
		break;
	case 5:
		length = make_inet6(odd, (struct sockaddr_in6 *)&storage);
		break;
	default:
		break;
	}
	if (odd_one_in(odd, 4))
		length = ODD_PICK(odd, lengths);
	*ret_address = odd_place(odd, &storage, sizeof storage);
	return length;
}

/* A msghdr, with descriptors or something that looks like them. */
uint64_t
odd_message(struct odd *odd)
{
	union {
		char bytes[CMSG_SPACE(8 * sizeof(int))];
		struct cmsghdr head;
	} control = {
		.head = {.cmsg_len = CMSG_LEN(4 * sizeof(int)),
			 .cmsg_level = SOL_SOCKET,
			 .cmsg_type = odd_one_in(odd, 4) ? (int)odd_below(odd, 8) : SCM_RIGHTS}};
	struct iovec parts[2] = {{odd->arena->there, odd_below(odd, 9000)},
				 {(void *)(uintptr_t)odd_number(odd), (size_t)odd_number(odd)}};
	struct msghdr message = {.msg_iovlen = odd_one_in(odd, 8) ? (size_t)odd_number(odd) : 1,
				 .msg_controllen = sizeof control};
	uint64_t address;

	for (int i = 0; i < 4; i++)
		((int *)CMSG_DATA(&control.head))[i] = odd_fd(odd);
	if (odd_one_in(odd, 8))
		control.head.cmsg_len = (size_t)odd_number(odd);
	if (odd_one_in(odd, 3)) {
		message.msg_namelen = odd_sockaddr(odd, &address);
		message.msg_name = (void *)(uintptr_t)address;
	}
	message.msg_iov = (struct iovec *)(uintptr_t)odd_place(odd, parts, sizeof parts);
	message.msg_control = (void *)(uintptr_t)odd_place(odd, &control, sizeof control);
	return odd_place(odd, &message, sizeof message);
}
