// SPDX-License-Identifier: MIT
/*
 * The guard: forked before the command, it waits for our end of a pipe to close. Closed by our
 * death, it removes the private folder; told that all is done, it just goes. It holds nothing of the
 * caller's, so nobody waits for it.
 */
#include "base/compat.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "session/session.h"

/* Signals from a terminal go to the whole group: the guard outlives them all but SIGKILL. */
static void
ignore_signals(void)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN};

	for (int signal = 1; signal < NSIG; signal++)
		sigaction(signal, &ignore, NULL);
}

/* A caller that reads our output to its end must not wait for the guard. */
static void
let_go(int life)
{
	int null = open("/dev/null", O_RDWR);

	for (int fd = 0; fd < 3; fd++)
		if (null >= 0)
			dup2(null, fd);
		else
			close(fd);
	if (life != 3)
		dup2(life, 3);
	fd_close_from(4);
	/* the folder we were started in must not stay busy */
	if (chdir("/") < 0)
		return;
}

static _Noreturn void
guard_main(int life, const char *private_tmp)
{
	char done;
	ssize_t n;

	ignore_signals();
	let_go(life);
	do
		n = read(3, &done, 1);
	while (n < 0 && errno == EINTR);
	if (n == 0)
		tmp_remove(private_tmp);
	_exit(0);
}

int
guard_start(const char *private_tmp, struct guard *ret_guard, struct cordon_error *err)
{
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return cordon_fail(err, CORDON_E_SYSTEM, errno, "cannot make a pipe");
	pid = fork();
	if (pid < 0) {
		int sys = errno;

		close(ends[0]);
		close(ends[1]);
		return cordon_fail(err, CORDON_E_SYSTEM, sys, "cannot start the guard");
	}
	if (pid == 0) {
		close(ends[1]);
		guard_main(ends[0], private_tmp);
	}
	close(ends[0]);
	*ret_guard = (struct guard){pid, ends[1]};
	return 0;
}

void
guard_dismiss(struct guard *guard)
{
	if (guard->pid <= 0)
		return;
	while (write(guard->life, "", 1) < 0 && errno == EINTR)
		;
	close(guard->life);
	while (waitpid(guard->pid, NULL, 0) < 0 && errno == EINTR)
		;
	guard->pid = 0;
}
