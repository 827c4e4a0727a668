// SPDX-License-Identifier: MIT
/*
 * What doctor tries on a Mac, with a Seatbelt that is made up: it refuses by the names that the profile denies, nothing,
 * or everything. The real one is for tests/macos/real.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "enforce/enforce.h"
#include "macos/process/libsystem.h"
#include "tap.h"

static enum { ENFORCES, ENFORCES_NOTHING, REFUSES_ALL, REFUSES_THE_PROFILE } seatbelt;
static const char *profile; /* applied in this process */

int
sandbox_init_with_parameters(const char *text, uint64_t flags, const char *const parameters[],
			     char **errorbuf)
{
	(void)flags, (void)parameters;
	*errorbuf = NULL;
	if (seatbelt == REFUSES_THE_PROFILE) {
		*errorbuf = strdup("unbound variable: file-write-mode");
		return -1;
	}
	profile = text;
	return 0;
}

void
sandbox_free_error(char *errorbuf)
{
	free(errorbuf);
}

static bool
is_refused(const char *operation, const char *path)
{
	if (profile == NULL || seatbelt == ENFORCES_NOTHING)
		return false;
	return seatbelt == REFUSES_ALL ||
	       (strstr(profile, operation) != NULL && strstr(path, "denied") != NULL);
}

#define REFUSE(operation, path)                    \
	do                                         \
		if (is_refused(operation, path)) { \
			errno = EPERM;             \
			return -1;                 \
		}                                  \
	while (0)

int __real_open(const char *path, int flags, ...);
int
__wrap_open(const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
	va_end(args);
	REFUSE(flags & O_CREAT ? "(deny file-write-create" : "(deny file-read-data", path);
	return __real_open(path, flags, mode);
}

/* with large files */
int __wrap_open64(const char *path, int flags, ...) __attribute__((alias("__wrap_open")));

int __real_chmod(const char *path, mode_t mode);
int
__wrap_chmod(const char *path, mode_t mode)
{
	REFUSE("(deny file-write-mode", path);
	return __real_chmod(path, mode);
}

int __real_execv(const char *path, char *const argv[]);
int
__wrap_execv(const char *path, char *const argv[])
{
	REFUSE("(deny process-exec", path);
	return __real_execv(path, argv);
}

int __real_connect(int fd, const struct sockaddr *to, socklen_t length);
int
__wrap_connect(int fd, const struct sockaddr *to, socklen_t length)
{
	REFUSE("(remote tcp", "denied");
	return __real_connect(fd, to, length);
}

ssize_t __real_sendto(int fd, const void *data, size_t length, int flags, const struct sockaddr *to,
		      socklen_t to_length);
ssize_t
__wrap_sendto(int fd, const void *data, size_t length, int flags, const struct sockaddr *to,
	      socklen_t to_length)
{
	REFUSE("(remote udp", "denied");
	return __real_sendto(fd, data, length, flags, to, to_length);
}

int __real_kill(pid_t pid, int signal);
int
__wrap_kill(pid_t pid, int signal)
{
	REFUSE("(deny signal", pid == getpid() ? "self" : "denied");
	return __real_kill(pid, signal);
}

static const enum guarantee tried[] = {
	G_FILES_READ,	G_FILES_WRITE,	  G_FILES_EXECUTE, G_FILES_CARVEOUT, G_FILES_PATTERN,
	G_FILES_FUTURE, G_FILES_METADATA, G_NET_TCP,	   G_NET_UDP,	     G_PROCESS_SIGNAL,
};
#define TRIED (sizeof tried / sizeof tried[0])

static void
check_each(bool denied, bool allowed)
{
	for (size_t i = 0; i < TRIED; i++) {
		struct cordon_error err = {0};
		struct proof proof = {0};

		check_int(enforce_prove(tried[i], &proof, &err), 0);
		check_str(err.text, "");
		check_int(proof.denied * 10 + proof.allowed + 100 * (int)i,
			  denied * 10 + allowed + 100 * (int)i);
	}
}

static void
what_is_enforced_is_proved(void)
{
	seatbelt = ENFORCES;
	check_each(true, true);
}

static void
what_is_not_enforced_is_broken(void)
{
	seatbelt = ENFORCES_NOTHING;
	check_each(false, true);
}

static void
a_mac_that_refuses_everything_is_broken_too(void)
{
	seatbelt = REFUSES_ALL;
	check_each(true, false);
}

static void
a_profile_that_does_not_compile_is_named(void)
{
	struct cordon_error err = {0};
	struct proof proof;

	seatbelt = REFUSES_THE_PROFILE;
	check_int(enforce_prove(G_FILES_METADATA, &proof, &err), -CORDON_E_GAP);
	check(strstr(err.text, "unbound variable: file-write-mode") != NULL);
	check_int(enforce_prove(G_LIMITS_TIME, &proof, &err), -CORDON_E_GAP);
}

static void
nothing_is_left_behind(void)
{
	check_int(
		system("ls -d /tmp/cordon-doctor-* /private/tmp/cordon-doctor-* 2>/dev/null | grep -q ."),
		256);
}

int
main(void)
{
	run(what_is_enforced_is_proved);
	run(what_is_not_enforced_is_broken);
	run(a_mac_that_refuses_everything_is_broken_too);
	run(a_profile_that_does_not_compile_is_named);
	run(nothing_is_left_behind);
	return tap_end();
}
