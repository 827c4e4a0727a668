// SPDX-License-Identifier: MIT
/*
 * Tests limits over all processes: an operation that works without a limit must fail in a group with a
 * lower one, and a smaller operation must still work there.
 */
#include "linux/selftest/selftest_limits.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "enforce/session_group.h"

#define MEGABYTE (1u << 20)
#define CROWD 6
#define DEADLINE_MS 10000

/* ---- operations, each in its own process with status 0 for success ---- */

static void
take_memory(const void *argument)
{
	size_t size = *(const unsigned *)argument * (size_t)MEGABYTE;
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		_exit(1);
	memset(memory, 1, size);
	_exit(0);
}

static void
take_processes(const void *argument)
{
	unsigned wanted = *(const unsigned *)argument, count = 0;
	pid_t pids[CROWD];

	while (count < wanted && count < CROWD) {
		pid_t pid = fork();

		if (pid == 0)
			for (;;)
				pause();
		if (pid < 0)
			break;
		pids[count++] = pid;
	}
	for (unsigned i = 0; i < count; i++) {
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
	_exit(count < wanted);
}

static const struct limit_test {
	enum guarantee guarantee;
	struct group_wish limits;
	void (*take)(const void *amount);
	unsigned much, little;
	const char *what;
} trials[] = {
	{G_LIMITS_MEMORY,
	 {.memory = 48 * MEGABYTE},
	 take_memory,
	 96,
	 8,
	 "more memory than the limit"},
	{G_LIMITS_PROCESSES,
	 {.processes = 4},
	 take_processes,
	 CROWD,
	 1,
	 "more processes than the limit"},
};

/* ---- test ---- */

static bool
has_worked(pid_t child)
{
	int status = -1;

	while (child > 0 && waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return false;
	return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool
works(const struct session_group *group, const struct limit_test *trial, const unsigned *amount)
{
	return has_worked(session_group_fork(group, trial->take, amount));
}

static int
try_in_group(const struct limit_test *trial, struct session_group *group, struct proof *ret_proof,
	     struct cordon_error *err)
{
	static const struct session_group nowhere = {.kind = GROUP_NONE,
						     .folder = -1,
						     .keeper_pipe = -1};
	struct proof proof = {.guarantee = trial->guarantee};

	if (!works(&nowhere, trial, &trial->much))
		return cordon_fail(err, CORDON_E_GAP, 0,
				   "cannot be tested: %s fails even without a sandbox",
				   trial->what);
	proof.allowed = works(group, trial, &trial->little);
	proof.denied = !works(group, trial, &trial->much);
	snprintf(proof.detail, sizeof proof.detail, "%s %s%s", trial->what,
		 proof.denied ? "was refused" : "WORKED",
		 proof.allowed ? "" : "; BUT an operation that must work failed");
	*ret_proof = proof;
	return 0;
}

static int
prove(const struct limit_test *trial, struct proof *ret_proof, struct cordon_error *err)
{
	struct group_wish wish = trial->limits;
	struct session_group group = {.kind = GROUP_NONE};
	struct facts facts;
	char id[32];
	int rc = enforce_probe(&facts, err);

	if (rc < 0)
		return rc;
	enforce_probe_limits(&facts);
	snprintf(id, sizeof id, "proof-%d", (int)getpid());
	wish.id = id;
	rc = session_group_select(&facts, &wish, &group, err);
	if (rc == 0)
		rc = session_group_make(&group, err);
	if (rc == 0)
		rc = try_in_group(trial, &group, ret_proof, err);
	session_group_kill(&group, DEADLINE_MS);
	session_group_remove(&group);
	return rc;
}

static const struct limit_test *
find_trial(enum guarantee guarantee)
{
	for (size_t i = 0; i < sizeof trials / sizeof trials[0]; i++)
		if (trials[i].guarantee == guarantee)
			return &trials[i];
	return NULL;
}

bool
selftest_limits_knows(enum guarantee guarantee)
{
	return find_trial(guarantee) != NULL;
}

int
selftest_limits(enum guarantee guarantee, struct proof *ret_proof, struct cordon_error *err)
{
	return prove(find_trial(guarantee), ret_proof, err);
}
