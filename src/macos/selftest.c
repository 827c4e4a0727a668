// SPDX-License-Identifier: MIT
/*
 * Tests guarantees on this Mac: a child does an operation that works, applies a profile that denies it for one file or
 * destination, must then fail with EPERM, and must still succeed with another. Each row has its own small profile, so a
 * failure names what this release of macOS does not enforce.
 */
#include "base/os.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <netinet/in.h>

#include "base/array.h"
#include "base/fd.h"
#include "enforce/enforce.h"
#include "macos/process/libsystem.h"

/* A folder with two files, a server on loopback. */
struct fixture {
	char folder[64], denied[80], granted[80];
	int server, receiver;
	uint16_t port, receiver_port;
};

/* ---- operations: each returns 0 or an errno ---- */

typedef int operation_fn(const struct fixture *fixture, const char *path);

static int
result(int rc)
{
	return rc < 0 ? errno : 0;
}

static int
read_file(const struct fixture *fixture, const char *path)
{
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC);

	(void)fixture;
	return result(fd);
}

static int
make_file(const struct fixture *fixture, const char *path)
{
	char name[96];
	int fd;

	(void)fixture;
	snprintf(name, sizeof name, "%s-new", path);
	fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return errno;
	close(fd);
	return result(unlink(name));
}

static int
change_mode(const struct fixture *fixture, const char *path)
{
	(void)fixture;
	return result(chmod(path, 0700));
}

/* Both files are scripts. */
static int
execute(const struct fixture *fixture, const char *path)
{
	char *const argv[] = {(char *)path, NULL};
	pid_t child = fork();
	int status;

	(void)fixture;
	if (child == 0) {
		execv(path, argv);
		_exit(errno);
	}
	if (child < 0 || waitpid(child, &status, 0) < 0)
		return errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : ECHILD;
}

static int
reach(int type, uint16_t port)
{
	const struct sockaddr_in to = {.sin_family = AF_INET,
				       .sin_port = htons(port),
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	auto_fd int fd = socket(AF_INET, type, 0);

	if (fd < 0)
		return errno;
	return result(type == SOCK_STREAM
			      ? connect(fd, (const struct sockaddr *)&to, sizeof to)
			      : (int)sendto(fd, "", 1, 0, (const struct sockaddr *)&to, sizeof to));
}

static int
connect_tcp(const struct fixture *fixture, const char *path)
{
	(void)path;
	return reach(SOCK_STREAM, fixture->port);
}

static int
send_udp(const struct fixture *fixture, const char *path)
{
	(void)path;
	return reach(SOCK_DGRAM, fixture->receiver_port);
}

static int
signal_parent(const struct fixture *fixture, const char *path)
{
	(void)fixture, (void)path;
	return result(kill(getppid(), 0));
}

static int
signal_self(const struct fixture *fixture, const char *path)
{
	(void)fixture, (void)path;
	return result(kill(getpid(), 0));
}

/* ---- the table ---- */

#define ALLOWED "(version 1)\n(allow default)\n"

static const struct selftest {
	enum guarantee guarantee;
	operation_fn *refused, *works;
	const char *profile, *what;
} trials[] = {
	{G_FILES_READ, read_file, read_file,
	 ALLOWED "(deny file-read-data (literal (param \"DENIED\")))",
	 "reading a file that was not granted"},
	{G_FILES_WRITE, make_file, make_file,
	 ALLOWED "(deny file-write-create (prefix (param \"DENIED\")))",
	 "making a file that was not granted"},
	{G_FILES_EXECUTE, execute, execute,
	 ALLOWED "(deny process-exec (literal (param \"DENIED\")))",
	 "starting a program that was not granted"},
	{G_FILES_CARVEOUT, read_file, read_file,
	 ALLOWED "(allow file-read-data (subpath (param \"FOLDER\")))\n"
		 "(deny file-read-data (literal (param \"DENIED\")))",
	 "reading a denied file in a granted folder"},
	{G_FILES_PATTERN, read_file, read_file,
	 ALLOWED "(deny file-read-data (regex #\"/denied$\"))",
	 "reading a file that a pattern denies"},
	{G_FILES_FUTURE, make_file, make_file,
	 ALLOWED "(deny file-write-create (regex #\"/denied-new$\"))",
	 "making a protected file that did not exist"},
	{G_FILES_METADATA, change_mode, change_mode,
	 ALLOWED "(deny file-write-mode (literal (param \"DENIED\")))",
	 "the mode of a file that was not granted"},
	{G_NET_TCP, connect_tcp, read_file, ALLOWED "(deny network-outbound (remote tcp \"*:*\"))",
	 "a TCP connection without network"},
	{G_NET_UDP, send_udp, read_file, ALLOWED "(deny network-outbound (remote udp \"*:*\"))",
	 "a UDP packet without network"},
	{G_PROCESS_SIGNAL, signal_parent, signal_self, ALLOWED "(deny signal (target others))",
	 "a signal to another process"},
};

/* ---- the fixture ---- */

static int
listen_on(int type, uint16_t *ret_port)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof at;
	int fd = socket(AF_INET, type, 0);

	if (fd >= 0 && bind(fd, (const struct sockaddr *)&at, sizeof at) == 0 &&
	    getsockname(fd, (struct sockaddr *)&at, &length) == 0 &&
	    (type != SOCK_STREAM || listen(fd, 4) == 0)) {
		*ret_port = ntohs(at.sin_port);
		return fd;
	}
	if (fd >= 0)
		close(fd);
	return -1;
}

static bool
make_script(const char *path)
{
	static const char text[] = "#!/bin/sh\nexit 0\n";
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
	bool made = fd >= 0 && write(fd, text, sizeof text - 1) == (ssize_t)sizeof text - 1;

	if (fd >= 0)
		close(fd);
	return made;
}

static void
remove_fixture(struct fixture *fixture)
{
	unlink(fixture->denied);
	unlink(fixture->granted);
	rmdir(fixture->folder);
	if (fixture->server >= 0)
		close(fixture->server);
	if (fixture->receiver >= 0)
		close(fixture->receiver);
}

/* /private/tmp, because Seatbelt compares canonical paths. */
static bool
make_fixture(struct fixture *to)
{
	static const char *const places[] = {"/private/tmp", "/tmp"};

	*to = (struct fixture){.server = -1, .receiver = -1};
	snprintf(to->folder, sizeof to->folder, "%s/cordon-doctor-XXXXXX",
		 places[access(places[0], W_OK) != 0]);
	if (mkdtemp(to->folder) == NULL)
		return false;
	snprintf(to->denied, sizeof to->denied, "%s/denied", to->folder);
	snprintf(to->granted, sizeof to->granted, "%s/granted", to->folder);
	to->server = listen_on(SOCK_STREAM, &to->port);
	to->receiver = listen_on(SOCK_DGRAM, &to->receiver_port);
	return make_script(to->denied) && make_script(to->granted) && to->server >= 0 &&
	       to->receiver >= 0;
}

/* ---- one test ---- */

/* Errnos that the child found. */
struct selftest_seen {
	int free, confined, works, applied;
	char message[100]; /* of Seatbelt, if the profile was not applied */
};

static void
apply(const struct selftest *trial, const struct fixture *fixture, struct selftest_seen *seen)
{
	const char *const parameters[] = {"DENIED", fixture->denied, "FOLDER", fixture->folder,
					  NULL};
	char *message = NULL;

	seen->applied = sandbox_init_with_parameters(trial->profile, 0, parameters, &message) == 0;
	if (seen->applied)
		return;
	snprintf(seen->message, sizeof seen->message, "%s",
		 message == NULL ? "no reason is given" : message);
	sandbox_free_error(message);
}

static _Noreturn void
try_inside(const struct selftest *trial, const struct fixture *fixture, int report)
{
	struct selftest_seen seen = {.free = trial->refused(fixture, fixture->denied)};

	apply(trial, fixture, &seen);
	if (seen.applied) {
		seen.confined = trial->refused(fixture, fixture->denied);
		seen.works = trial->works(fixture, fixture->granted);
	}
	_exit(write(report, &seen, sizeof seen) == (ssize_t)sizeof seen ? 0 : 1);
}

/* The child alone is confined: no process can leave its profile. */
static bool
observe(const struct selftest *trial, const struct fixture *fixture, struct selftest_seen *seen)
{
	int ends[2];
	ssize_t n;
	pid_t child;

	if (pipe(ends) < 0)
		return false;
	child = fork();
	if (child == 0)
		try_inside(trial, fixture, ends[1]);
	close(ends[1]);
	do
		n = read(ends[0], seen, sizeof *seen);
	while (n < 0 && errno == EINTR);
	close(ends[0]);
	while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	return child > 0 && n == (ssize_t)sizeof *seen;
}

static int
judge(const struct selftest *trial, const struct selftest_seen *seen, struct proof *ret_proof,
      struct cordon_error *err)
{
	if (!seen->applied)
		return cordon_fail(err, CORDON_E_GAP, 0, "its profile is not accepted here: %s",
				   seen->message);
	if (seen->free != 0)
		return cordon_fail(err, CORDON_E_GAP, seen->free, "%s fails without a profile, too",
				   trial->what);
	*ret_proof = (struct proof){.guarantee = trial->guarantee,
				    .denied = seen->confined == EPERM,
				    .allowed = seen->works == 0};
	snprintf(ret_proof->detail, sizeof ret_proof->detail, "%s: %s; what is granted: %s",
		 trial->what, seen->confined == 0 ? "not refused" : strerror(seen->confined),
		 seen->works == 0 ? "works" : strerror(seen->works));
	return 0;
}

int
enforce_prove(enum guarantee guarantee, struct proof *ret_proof, struct cordon_error *err)
{
	struct selftest_seen seen = {0};
	struct fixture fixture;
	size_t i = 0;
	bool seen_all;

	while (i < COUNT(trials) && trials[i].guarantee != guarantee)
		i++;
	if (i == COUNT(trials))
		return cordon_fail(err, CORDON_E_GAP, 0, "no attempt is known for macOS");
	seen_all = make_fixture(&fixture) && observe(&trials[i], &fixture, &seen);
	remove_fixture(&fixture);
	return seen_all ? judge(&trials[i], &seen, ret_proof, err)
			: cordon_fail(err, CORDON_E_GAP, errno, "cannot try it");
}
