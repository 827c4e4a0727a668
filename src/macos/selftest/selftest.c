// SPDX-License-Identifier: MIT
/*
 * Tests guarantees on this Mac: a child does an operation that works, applies a profile that denies it for one file,
 * process or destination, must then fail with EPERM, and must still succeed with another. Each row has its own small
 * profile, so a failure names what this release of macOS does not enforce.
 */
#include "base/os.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "base/str.h"
#include "enforce/enforce.h"
#include "macos/process/libsystem.h"
#include "macos/sbpl/tables.h"
#include "macos/selftest/attempts.h"

/* ---- the table ---- */

#define ALLOWED "(version 1)\n(allow default)\n"
/* As the profile of a session: what is not granted is denied. */
#define DENIED \
	"(version 1)\n(deny default)\n(allow process-fork)\n(allow signal (target same-sandbox))\n"
#define OWN_PROCESSES                                   \
	"(deny process-info*)\n"                        \
	"(allow process-info* (target same-sandbox))\n" \
	"(allow mach-priv-task-port (target same-sandbox))"
#define SYSTEM_NAME "(allow sysctl-read (sysctl-name \"kern.ostype\"))"

static const struct selftest {
	enum guarantee guarantee;
	attempt_fn *refused, *works;
	const char *profile, *what;
} trials[] = {
	{G_FILES_READ, attempt_read, attempt_read,
	 ALLOWED "(deny file-read-data (literal (param \"DENIED\")))",
	 "reading a file that was not granted"},
	{G_FILES_WRITE, attempt_make, attempt_make,
	 ALLOWED "(deny file-write-create (prefix (param \"DENIED\")))",
	 "making a file that was not granted"},
	{G_FILES_EXECUTE, attempt_execute, attempt_execute,
	 ALLOWED "(deny process-exec (literal (param \"DENIED\")))",
	 "starting a program that was not granted"},
	{G_FILES_CARVEOUT, attempt_read, attempt_read,
	 ALLOWED "(allow file-read-data (subpath (param \"FOLDER\")))\n"
		 "(deny file-read-data (literal (param \"DENIED\")))",
	 "reading a denied file in a granted folder"},
	{G_FILES_PATTERN, attempt_read, attempt_read,
	 ALLOWED "(deny file-read-data (regex #\"/denied$\"))",
	 "reading a file that a pattern denies"},
	{G_FILES_FUTURE, attempt_make, attempt_make,
	 ALLOWED "(deny file-write-create (regex #\"/denied-new$\"))",
	 "making a protected file that did not exist"},
	{G_FILES_METADATA, attempt_mode, attempt_mode,
	 ALLOWED "(deny file-write-mode (literal (param \"DENIED\")))",
	 "the mode of a file that was not granted"},
	{G_NET_TCP, attempt_tcp, attempt_read,
	 ALLOWED "(deny network-outbound (remote tcp \"*:*\"))",
	 "a TCP connection without network"},
	{G_NET_UDP, attempt_udp, attempt_read,
	 ALLOWED "(deny network-outbound (remote udp \"*:*\"))", "a UDP packet without network"},
	{G_SOCKETS_PATH, attempt_socket, attempt_socket,
	 ALLOWED "(deny network-outbound (literal (param \"SOCKET\")))",
	 "a unix socket that was not named"},
	{G_PROCESS_SIGNAL, attempt_signal_parent, attempt_signal_self,
	 ALLOWED "(deny signal (target others))", "a signal to another process"},
	{G_PROCESS_PTRACE, attempt_trace_bystander, attempt_trace_child, DENIED OWN_PROCESSES,
	 "tracing another process"},
	{G_PROCESS_PTRACE, attempt_read_bystander, attempt_read_self, DENIED OWN_PROCESSES,
	 "reading its state"},
	{G_PROCESS_PTRACE, attempt_arguments, attempt_system_name, DENIED SYSTEM_NAME,
	 "reading its arguments"},
	{G_PROCESS_LISTING, attempt_list, attempt_read_self, DENIED OWN_PROCESSES,
	 "the list of processes"},
	{G_PROCESS_LISTING, attempt_list_table, attempt_system_name, DENIED SYSTEM_NAME,
	 "the table of processes"},
	{G_IPC_SYSV, attempt_find_memory, attempt_make_memory, DENIED,
	 "System V memory of another process"},
	{G_IPC_SYSV, attempt_find_semaphore, attempt_make_memory, DENIED, "its semaphores"},
	{G_IPC_SYSV, attempt_find_queue, attempt_make_memory, DENIED, "its queues"},
	{G_TERMINAL_INJECT, attempt_type, attempt_ask_terminal,
	 ALLOWED "(deny file-ioctl (ioctl-command " TABLE_TIOCSTI "))", "typing into the terminal"},
	/* by the environment of the program, not by the profile */
	{G_ENV_FILTER, attempt_see_unnamed, attempt_see_named, ALLOWED,
	 "a variable that was not named"},
};

/* ---- one test ---- */

/* Errnos that the child found. */
struct selftest_seen {
	int free, confined, works, applied;
	char message[100]; /* of Seatbelt, if the profile was not applied */
};

static void
apply(const struct selftest *trial, const struct fixture *fixture, struct selftest_seen *seen)
{
	char socket[FIXTURE_SOCKET_SIZE];
	const char *const parameters[] = {"DENIED", fixture->denied, "FOLDER", fixture->folder,
					  "SOCKET", socket,	     NULL};
	char *message = NULL;

	fixture_socket_path(fixture->denied, socket);
	seen->applied = sandbox_init_with_parameters(trial->profile, 0, parameters, &message) == 0;
	if (seen->applied)
		return;
	snprintf(seen->message, sizeof seen->message, "%s",
		 message == NULL ? "no reason is given" : message);
	sandbox_free_error(message);
}

static _Noreturn void
try_inside(const struct selftest *trial, struct fixture *fixture, int report)
{
	struct selftest_seen seen = {0};

	alarm(FIXTURE_SECONDS);
	seen.free = trial->refused(fixture, fixture->denied);
	apply(trial, fixture, &seen);
	if (seen.applied) {
		fixture->confined = true;
		seen.confined = trial->refused(fixture, fixture->denied);
		seen.works = trial->works(fixture, fixture->granted);
	}
	_exit(write(report, &seen, sizeof seen) == (ssize_t)sizeof seen ? 0 : 1);
}

/* The child alone is confined: no process can leave its profile. */
static bool
observe(const struct selftest *trial, struct fixture *fixture, struct selftest_seen *seen)
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

static bool
observe_in_fixture(const struct selftest *trial, struct selftest_seen *seen)
{
	struct fixture fixture;
	bool seen_all = fixture_make(&fixture) && observe(trial, &fixture, seen);

	fixture_clear(&fixture);
	return seen_all;
}

/* ---- the result of all rows of a guarantee ---- */

struct selftest_result {
	int tried;
	bool denied, allowed;
	char detail[200];
	size_t length;
};

static void
note(struct selftest_result *to, const char *what, const char *result, const char *more)
{
	int n = snprintf(to->detail + to->length, sizeof to->detail - to->length, "%s%s: %s%s",
			 to->length == 0 ? "" : "; ", what, result, more);

	to->length += n < 0 ? 0 : (size_t)n;
	if (to->length >= sizeof to->detail)
		to->length = sizeof to->detail - 1;
}

/* What fails without a profile, too, is not tried. */
static void
judge(const struct selftest *trial, const struct selftest_seen *seen, struct selftest_result *to)
{
	char more[64] = "";

	if (!seen->applied) {
		note(to, trial->what, "its profile is not accepted here: ", seen->message);
		return;
	}
	if (seen->free != 0) {
		note(to, trial->what, "fails without a profile, too: ", strerror(seen->free));
		return;
	}
	to->tried++;
	to->denied = to->denied && seen->confined == EPERM;
	to->allowed = to->allowed && seen->works == 0;
	if (seen->works != 0)
		snprintf(more, sizeof more, ", BUT so is what is granted: %s",
			 strerror(seen->works));
	note(to, trial->what,
	     seen->confined == EPERM ? "refused"
	     : seen->confined == 0   ? "NOT REFUSED"
				     : strerror(seen->confined),
	     more);
}

int
enforce_prove(enum guarantee guarantee, struct proof *ret_proof, struct cordon_error *err)
{
	struct sigaction normal = {.sa_handler = SIG_DFL}, old;
	struct selftest_result result = {.denied = true, .allowed = true};

	/* a caller that ignores SIGCHLD could not wait for the child */
	sigaction(SIGCHLD, &normal, &old);
	for (size_t i = 0; i < COUNT(trials); i++) {
		struct selftest_seen seen = {0};

		if (trials[i].guarantee != guarantee)
			continue;
		if (observe_in_fixture(&trials[i], &seen))
			judge(&trials[i], &seen, &result);
		else
			note(&result, trials[i].what, "cannot be tried", "");
	}
	sigaction(SIGCHLD, &old, NULL);
	if (result.tried == 0)
		return cordon_fail(err, CORDON_E_GAP, 0, "%s",
				   result.length == 0 ? "no attempt is known for macOS"
						      : result.detail);
	*ret_proof = (struct proof){guarantee, result.denied, result.allowed, ""};
	snprintf(ret_proof->detail, sizeof ret_proof->detail, "%s", result.detail);
	return 0;
}
