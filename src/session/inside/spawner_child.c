// SPDX-License-Identifier: MIT
/*
 * Prepares processes of a shared session: the spawner before it enters the sandbox, and each
 * command from the spawner's fork to exec. Data of the client is checked even though the command is
 * already in the sandbox. Must not allocate memory.
 */
#include "base/os_process.h"

#include "session/inside/spawner.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fd.h"

extern char **environ;

/* ---- the spawner itself ---- */

/* Commands in the same sandbox must not read the invoker's environment from this process. */
static void
forget_environment(void)
{
	for (char **variable = environ; variable != NULL && *variable != NULL; variable++)
		for (char *at = *variable; *at != '\0'; at++)
			*(volatile char *)at = '\0';
}

int
spawner_settle(struct cordon_error *err)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	sigset_t all;

	/* a signal must not end the spawner before its commands */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	forget_environment();
	if (null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 || dup2(null, 2) < 0)
		return cordon_fail(err, CORDON_E_SYSTEM, errno, "cannot open /dev/null");
	if (setsid() < 0 || process_tree_inherit(true) < 0 || os_set_undumpable() < 0 ||
	    chdir("/") < 0)
		return cordon_fail(err, CORDON_E_SYSTEM, errno, "cannot prepare the session");
	return 0;
}

/* ---- a command ---- */

struct exec_build {
	const struct spawner_start *start;
	const int *fds;
	bool free_connect;
	char *payload; /* mapped; NUL after its end */
	size_t length;
	const char *folder;
	struct command_line command;
};

static int
broken(struct cordon_error *err)
{
	return cordon_fail(err, CORDON_E_USAGE, 0,
			   "the spawner received something other than a command");
}

static void *
map_room(size_t size)
{
	void *room = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return room == MAP_FAILED ? NULL : room;
}

static int
read_payload(struct exec_build *making, struct cordon_error *err)
{
	making->payload = map_room(SPAWNER_PAYLOAD_MAX + 1);
	if (making->payload == NULL)
		return cordon_fail(err, CORDON_E_MEMORY, errno,
				   "no memory for the command's arguments");
	for (;;) {
		ssize_t n = read(making->fds[3], making->payload + making->length,
				 SPAWNER_PAYLOAD_MAX + 1 - making->length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return cordon_fail(err, CORDON_E_SYSTEM, errno, "cannot read the command");
		if (n == 0)
			break;
		making->length += (size_t)n;
		if (making->length > SPAWNER_PAYLOAD_MAX)
			return cordon_fail(err, CORDON_E_USAGE, E2BIG, "cannot take the command");
	}
	return 0;
}

/* Returns the string at *at and advances *at; NULL if there is none. */
static char *
next_string(const struct exec_build *making, size_t *at)
{
	char *text = making->payload + *at;
	const char *end = *at >= making->length ? NULL : memchr(text, '\0', making->length - *at);

	if (end == NULL)
		return NULL;
	*at += (size_t)(end - text) + 1;
	return text;
}

static int
split_payload(struct exec_build *making, struct cordon_error *err)
{
	struct spawner_payload head;
	size_t at = sizeof head, count;
	char **list;

	if (making->length < sizeof head)
		return broken(err);
	memcpy(&head, making->payload, sizeof head);
	/* every string has at least its NUL */
	count = (size_t)head.arguments + head.variables;
	if (head.arguments == 0 || count > making->length)
		return broken(err);
	list = map_room((count + 2) * sizeof *list);
	if (list == NULL)
		return cordon_fail(err, CORDON_E_MEMORY, errno,
				   "no memory for the command's arguments");
	making->command =
		(struct command_line){next_string(making, &at), list, list + head.arguments + 1};
	making->folder = next_string(making, &at);
	for (size_t i = 0; i < count; i++) {
		/* a NULL ends the arguments */
		char **slot = &list[i + (i >= head.arguments)];

		*slot = next_string(making, &at);
		if (*slot == NULL)
			return broken(err);
	}
	return making->folder == NULL || at != making->length ? broken(err) : 0;
}

/* At least one of 0-2 is the pty; the others are no terminals. */
static int
find_terminal(const int fds[3])
{
	int number = 0;

	while (number < 2 && !isatty(fds[number]))
		number++;
	return fds[number];
}

static int
take_group(struct exec_build *making, struct cordon_error *err)
{
	if (!making->start->terminal) {
		setpgid(0, 0);
		return 0;
	}
	if (setsid() < 0 || ioctl(find_terminal(making->fds), TIOCSCTTY, 0) < 0)
		return cordon_fail(err, CORDON_E_SYSTEM, errno, "cannot take the new terminal");
	return 0;
}

static int
take_signals(struct exec_build *making, struct cordon_error *err)
{
	struct sigaction action = {.sa_handler = SIG_DFL};
	sigset_t blocked;

	(void)err;
	sigemptyset(&blocked);
	for (int signal = 1; signal < NSIG && signal <= 64; signal++) {
		action.sa_handler = making->start->ignored >> (signal - 1) & 1 ? SIG_IGN : SIG_DFL;
		sigaction(signal, &action, NULL);
		if (making->start->blocked >> (signal - 1) & 1)
			sigaddset(&blocked, signal);
	}
	sigprocmask(SIG_SETMASK, &blocked, NULL);
	return 0;
}

/* If the spawner dies the session ends, so kill the command with it. */
static int
follow_spawner(struct exec_build *making, struct cordon_error *err)
{
	(void)making;
	if (os_die_with_parent(SIGKILL) < 0)
		return cordon_fail(err, CORDON_E_SYSTEM, errno, "the session is over");
	return 0;
}

static int
take_folder(struct exec_build *making, struct cordon_error *err)
{
	umask((mode_t)(making->start->mask & 0777));
	if (chdir(making->folder) < 0)
		return cordon_fail(err, CORDON_E_PATH, errno, "cannot enter %.120s",
				   making->folder);
	return 0;
}

static int
take_standard(struct exec_build *making, struct cordon_error *err)
{
	for (int fd = 0; fd < 3; fd++) {
		int rc = stdio_check(making->fds[fd], fd, making->free_connect, err);

		if (rc < 0)
			return rc;
		if (dup2(making->fds[fd], fd) < 0)
			return cordon_fail(err, CORDON_E_SYSTEM, errno, "cannot use descriptor %d",
					   fd);
	}
	return fd_cloexec_from(3) < 0
		       ? cordon_fail(err, CORDON_E_SYSTEM, errno, "cannot close descriptors")
		       : 0;
}

/* Signals are unblocked last, so that none arrives in between. */
_Noreturn void
spawner_child_main(const struct spawner_child *child)
{
	static int (*const steps[])(struct exec_build *, struct cordon_error *) = {
		follow_spawner, take_group,    read_payload, split_payload,
		take_folder,	take_standard, take_signals,
	};
	struct exec_build making = {.start = child->start,
				    .fds = child->fds,
				    .free_connect = child->free_connect};
	struct cordon_error err = {0};

	for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++)
		if (steps[i](&making, &err) < 0)
			child_fail(child->report, &err);
	child_exec(&making.command, child->report);
}
