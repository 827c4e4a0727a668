// SPDX-License-Identifier: MIT
/*
 * Tests process.tree on this kernel: a process that left its parent and session survives without its
 * subreaper's action, must be killed by it, and a bystander must survive. Everything happens below one
 * child, which is subreaper of the rest.
 */
#include "base/os.h"

#include "linux/selftest/selftest_tree.h"

#include <poll.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "enforce/process_tree.h"
#include "linux/selftest/fixture.h"

#define DEADLINE_MS (FIXTURE_SECONDS * 1000 / 2)

/* Reported by the child. */
struct tree_seen {
	bool stays;	/* without its subreaper's action it outlives its parent */
	bool ended;	/* with it, it does not */
	bool bystander; /* survived */
};
_Static_assert(sizeof(struct tree_seen) == 3, "no padding");

/* Sleeps until killed, for a limited time. */
static _Noreturn void
linger(int ready)
{
	setsid();
	alarm(FIXTURE_SECONDS);
	if (write(ready, "x", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

/*
 * Starts a process whose parent exits. It keeps its end of the pipe open while it lives. Returns 0 or -1.
 */
static int
start_orphan(int ends[2])
{
	pid_t parent;
	char byte;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	parent = fork();
	if (parent == 0) {
		if (fork() == 0)
			linger(ends[1]);
		_exit(0);
	}
	close(ends[1]);
	if (parent < 0 || waitpid(parent, NULL, 0) != parent)
		return -1;
	return read(ends[0], &byte, 1) == 1 ? 0 : -1;
}

static bool
lives(int end)
{
	struct pollfd fd = {.fd = end, .events = POLLIN};

	return poll(&fd, 1, 0) == 0;
}

static bool
end_orphan(void)
{
	struct tree_end end;

	return process_tree_kill(NULL, DEADLINE_MS, &end);
}

/* The orphan becomes a child of this process, below which there is nothing else. */
static _Noreturn void
guard(void)
{
	int ends[2];

	alarm(FIXTURE_SECONDS);
	if (process_tree_inherit(true) < 0 || start_orphan(ends) < 0 || !lives(ends[0]))
		_exit(2);
	_exit(end_orphan() && !lives(ends[0]) ? 0 : 1);
}

static _Noreturn void
try_in_child(int to)
{
	struct tree_seen seen = {0};
	int ends[2], status = 0;
	pid_t bystander, child;

	alarm(FIXTURE_SECONDS);
	if (process_tree_inherit(true) < 0 || start_orphan(ends) < 0)
		_exit(1);
	seen.stays = lives(ends[0]);
	end_orphan();
	bystander = fork();
	if (bystander == 0) {
		alarm(FIXTURE_SECONDS);
		for (;;)
			pause();
	}
	child = fork();
	if (child == 0)
		guard();
	seen.ended = child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
		     WEXITSTATUS(status) == 0;
	seen.bystander = bystander > 0 && waitpid(bystander, NULL, WNOHANG) == 0;
	end_orphan();
	_exit(write(to, &seen, sizeof seen) != (ssize_t)sizeof seen);
}

static int
judge(const struct tree_seen *seen, struct proof *ret_proof, struct cordon_error *err)
{
	struct proof proof = {.guarantee = G_PROCESS_TREE,
			      .denied = seen->ended,
			      .allowed = seen->bystander};

	if (!seen->stays)
		return cordon_fail(err, CORDON_E_GAP, 0,
				   "cannot be tested: nothing stays behind even without a sandbox");
	snprintf(proof.detail, sizeof proof.detail,
		 "a process that left its parent and session %s%s",
		 proof.denied ? "was ended" : "LIVES ON",
		 proof.allowed ? "" : "; BUT a bystander was ended too");
	*ret_proof = proof;
	return 0;
}

int
selftest_tree(struct proof *ret_proof, struct cordon_error *err)
{
	struct tree_seen seen;
	ssize_t length;
	int ends[2];
	pid_t child;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return cordon_fail(err, CORDON_E_SYSTEM, errno, "cannot make a pipe");
	child = fork();
	if (child == 0)
		try_in_child(ends[1]);
	close(ends[1]);
	length = child < 0 ? -1 : read(ends[0], &seen, sizeof seen);
	close(ends[0]);
	while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	if (length != (ssize_t)sizeof seen)
		return cordon_fail(err, CORDON_E_GAP, 0, "cannot be tested here");
	return judge(&seen, ret_proof, err);
}
