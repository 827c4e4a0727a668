// SPDX-License-Identifier: MIT
/*
 * Acts on files and sockets that take more than one call, and reach states that single random calls
 * do not: files of git's written to their end, fifos and sockets that wait, descriptors passed on,
 * a working directory that is gone, terminals, deep trees.
 */
#include "odd.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

void
odd_write(const char *path, const void *bytes, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0)
		return;
	(void)(write(fd, bytes, size) < 0);
	close(fd);
}

/* Descriptors of every kind where random calls look for them. */
void
odd_open_some(struct odd *odd)
{
	int pair[2] = {-1, -1}, fds[7];

	(void)(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) < 0);
	fds[0] = pair[0];
	fds[1] = pair[1];
	fds[2] = open(odd_one_in(odd, 2) ? "." : "a", O_RDONLY | O_DIRECTORY);
	fds[3] = open("f.txt", O_RDWR | O_CREAT | O_NONBLOCK, 0600);
	fds[4] = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
	fds[5] = odd->options->is_tame ? -1 : socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	fds[6] = (int)syscall(SYS_pidfd_open, odd_pid(odd), 0);
	for (size_t i = 0; i < COUNT(fds); i++) {
		if (fds[i] < 0)
			continue;
		dup2(fds[i], FD_FIRST + (int)odd_below(odd, FD_LAST - FD_FIRST));
		if (fds[i] >= FD_LAST)
			close(fds[i]);
	}
}

/* ---- git's own files ---- */

static const char *const settings[] = {
	"[core]\n\tbare = false\n",
	"[core]\n\thooksPath = /tmp\n",
	"[remote \"o\"]\n\turl = ext::sh -c x\n",
	"[include]\n\tpath = config\n",
	"[includeIf \"gitdir:/\"]\n\tpath = ../../../../etc/passwd\n",
	"[core]\n\tworktree = ..\n[alias]\n\tx = !sh\n",
	"[",
	"[a \"b\\",
	"\xff\xfe\x00[core]",
	"[core]\n\tsharedRepository = -1\n",
	"gitdir: ../a\n",
	"ref: refs/heads/x\n",
};

/* A directory that becomes a repository, step by step and in any order. */
static void
make_repository(struct odd *odd)
{
	static const char *const folders[] = {"a/objects",   "a/refs",	"a/.git", "a/.git/objects",
					      "a/.git/refs", "a/hooks", "b"};
	static const char *const files[] = {
		"a/HEAD",	    "a/config",		  "a/.git/HEAD", "a/.git/config",
		"a/.git",	    "a/commondir",	  "a/gitdir",	 ".git/config",
		".git/config.lock", "a/hooks/pre-commit", ".gitmodules"};

	mkdir("a", 0700);
	for (int i = 0; i < 12; i++) {
		const char *text = ODD_PICK(odd, settings);

		mkdir(ODD_PICK(odd, folders), 0700);
		odd_write(ODD_PICK(odd, files), text, strlen(text));
		if (odd_one_in(odd, 6))
			rename(ODD_PICK(odd, files), ODD_PICK(odd, files));
		if (odd_one_in(odd, 6))
			rename("a", "b");
		odd_call(odd);
	}
}

/* Written in many pieces, of any size, and closed, duplicated or left open under any number. */
static void
write_settings(struct odd *odd)
{
	int fd = open(odd_one_in(odd, 2) ? ".git/config" : ".git/config.lock",
		      O_RDWR | O_CREAT | (odd_one_in(odd, 2) ? O_TRUNC : 0), 0600);
	char piece[4096];

	if (fd < 0)
		return;
	memset(piece, odd_one_in(odd, 2) ? '[' : '\n', sizeof piece);
	for (unsigned i = odd_below(odd, 300); i > 0; i--)
		if (write(fd, piece, sizeof piece) < 0)
			break;
	if (odd_one_in(odd, 3))
		(void)(ftruncate(fd, (off_t)odd_number(odd)) < 0);
	if (odd_one_in(odd, 3))
		dup2(fd, 1008 + (int)odd_below(odd, 16));
	odd_calls(odd, 5);
	if (!odd_one_in(odd, 4))
		close(fd);
	rename(".git/config.lock", ".git/config");
}

/* ---- files ---- */

static void
link_nameless(struct odd *odd)
{
	char name[64];
	int fd = open(odd_one_in(odd, 2) ? "." : "d",
		      O_TMPFILE | O_RDWR | (int)(odd_below(odd, 2) * O_EXCL), 0600);

	snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
	linkat(AT_FDCWD, name, AT_FDCWD, "e", AT_SYMLINK_FOLLOW);
	linkat(fd, "", AT_FDCWD, ".git/config", AT_EMPTY_PATH);
	odd_calls(odd, 5);
	if (fd >= 0)
		close(fd);
}

static void
work_in_removed(struct odd *odd)
{
	mkdir("gone", 0700);
	if (chdir("gone") < 0)
		return;
	rmdir("../gone");
	odd_calls(odd, 15);
	(void)(chdir("..") < 0);
}

/* Exchanged back and forth by a thread of its own in other acts: here only the links. */
static void
make_links(struct odd *odd)
{
	char text[6000];

	for (int i = 0; i < 8; i++) {
		odd_path_text(odd, text, sizeof text);
		(void)(symlink(text, odd_one_in(odd, 2) ? "link" : "loop") < 0);
		odd_calls(odd, 3);
		unlink(odd_one_in(odd, 2) ? "link" : "loop");
	}
	(void)(symlink("loop", "loop") < 0);
}

static void
make_deep(struct odd *odd)
{
	unsigned depth = 20 + odd_below(odd, 180);
	char path[4096];
	size_t length = (size_t)snprintf(path, sizeof path, "deep");

	mkdir(path, 0700);
	for (unsigned i = 0; i < depth; i++) {
		length += (size_t)snprintf(path + length, sizeof path - length, "/%s",
					   i % 3 == 0 ? "objects" : "a");
		mkdir(path, 0700);
	}
	rename("deep", "deep2");
	odd_write("deep2/HEAD", "ref: refs/heads/x\n", 18);
	rename("deep2", "b/deep");
	odd_calls(odd, 10);
	rename("b/deep", "deep");
}

static void
fill_descriptors_inside(struct odd *odd)
{
	struct rlimit limit = {64, 64};
	int made = 0;

	setrlimit(RLIMIT_NOFILE, &limit);
	while (made < 64 && open(".", O_RDONLY | O_CLOEXEC) >= 0)
		made++;
	odd_calls(odd, 20);
	limit.rlim_cur = 0;
	setrlimit(RLIMIT_NOFILE, &limit);
	odd_calls(odd, 20);
}

static void
fill_descriptors(struct odd *odd)
{
	odd_spawn(odd, fill_descriptors_inside, SIGCHLD);
}

/* ---- sockets and terminals ---- */

static struct sockaddr_un
named(const char *name)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};

	strncpy(to.sun_path, name, sizeof to.sun_path - 1);
	return to;
}

static void
serve_and_connect(struct odd *odd)
{
	struct sockaddr_un address = named("socket");
	int server = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
	int client = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);

	unlink("socket");
	bind(server, (struct sockaddr *)&address, sizeof address);
	listen(server, (int)odd_below(odd, 3));
	for (int i = 0; i < 5; i++) {
		connect(client, (struct sockaddr *)&address, sizeof address);
		odd_calls(odd, 3);
		if (odd_one_in(odd, 3))
			rename("socket", "b");
	}
	close(accept(server, NULL, NULL));
	close(server);
	connect(client, (struct sockaddr *)&address, sizeof address);
	close(client);
}

/* Descriptors of every kind travel, and what is left in the queue holds itself. */
static void
pass_descriptors(struct odd *odd)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) < 0)
		return;
	for (int i = 0; i < 6; i++) {
		uint64_t send[6] = {(uint64_t)ends[0], odd_message(odd), MSG_DONTWAIT};
		uint64_t receive[6] = {(uint64_t)ends[1], odd_message(odd), MSG_DONTWAIT};

		syscall(SYS_sendmsg, send[0], send[1], send[2]);
		syscall(SYS_recvmsg, receive[0], receive[1], receive[2]);
		odd_calls(odd, 3);
	}
	close(ends[0]);
	close(ends[1]);
}

static void
use_terminal(struct odd *odd)
{
	int master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK), unlocked = 0, peer;

	if (master < 0)
		return;
	ioctl(master, TIOCSPTLCK, &unlocked);
	peer = ioctl(master, TIOCGPTPEER, O_RDWR | (odd_one_in(odd, 2) ? O_NOCTTY : 0));
	if (odd_one_in(odd, 2))
		setsid();
	ioctl(peer, TIOCSCTTY, 0);
	odd_calls(odd, 10);
	(void)(write(master, "\003\032x\n", 4) < 0);
	if (odd_one_in(odd, 2))
		close(master);
	odd_calls(odd, 10);
	ioctl(peer, TIOCNOTTY, 0);
	close(peer);
	close(master);
}

const struct act odd_acts[] = {
	{"make_repository", make_repository, ACT_BOXED},
	{"write_settings", write_settings, ACT_BOXED},
	{"link_nameless", link_nameless, ACT_BOXED},
	{"work_in_removed", work_in_removed, ACT_BOXED},
	{"make_links", make_links, ACT_BOXED},
	{"make_deep", make_deep, ACT_DEEP},
	{"fill_descriptors", fill_descriptors, ACT_BOXED},
	{"serve_and_connect", serve_and_connect, ACT_BOXED},
	{"pass_descriptors", pass_descriptors, ACT_BOXED},
	{"use_terminal", use_terminal, ACT_BOXED},
};
const size_t odd_acts_count = COUNT(odd_acts);
