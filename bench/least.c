// SPDX-License-Identifier: MIT
/*
 * A lower bound for the processes of a session: launcher, guard, and the thread that starts the command and
 * waits for notifications, with cordon's two layers and filter, a private tmp, a record and two log lines.
 * Nothing is planned, decided or answered, so it is for measurements only.
 *
 *   least RULES|- COMMAND [ARG...]      RULES: output of bench/rules; -: no layer, no filter, no private tmp, as with
 *                                       --track-only
 *
 * Directories come from the environment: TMPDIR, XDG_STATE_HOME, and XDG_RUNTIME_DIR if set.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "layers.h"
#include "linux/seccomp/filter.h"
#include "listen.h"

#define PATH_SIZE 512
#define STACK_SIZE (512 * 1024)
#define START_LENGTH 850 /* length of the lines that cordon writes for the default policy */
#define END_LENGTH 170
#define RECORD_LENGTH 375

extern char **environ;

struct session {
	bool is_tracked;		 /* only: nothing is restricted */
	struct layer layers[LAYERS_MAX]; /* outer, inner */
	char **argv;
	char log[PATH_SIZE], record[PATH_SIZE], tmp[PATH_SIZE];
	sigset_t mask; /* the caller's signal mask */
	int line[2];   /* transfers the listener */
	int listener;
	pid_t command;
	sem_t started;
};

/* ---- output ---- */

static int
write_text(int fd, const char *what, size_t length)
{
	char text[1024];
	sigset_t pipe, old;
	ssize_t n;

	memset(text, '.', length);
	snprintf(text, sizeof text, "{\"event\": \"%s\", \"pid\": %d}", what, (int)getpid());
	text[length - 1] = '\n';
	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	sigprocmask(SIG_BLOCK, &pipe, &old);
	n = write(fd, text, length);
	sigprocmask(SIG_SETMASK, &old, NULL);
	return n == (ssize_t)length ? 0 : -1;
}

static int
log_line(const struct session *session, const char *what, size_t length)
{
	int fd = open(session->log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

	return fd < 0 || write_text(fd, what, length) < 0 ? -1 : close(fd);
}

static int
make_record(const struct session *session)
{
	int fd = open(session->record, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd < 0 || flock(fd, LOCK_EX) < 0 || write_text(fd, "record", RECORD_LENGTH) < 0)
		return -1;
	return fd;
}

/* ---- the command ---- */

static int
restrict_itself(const struct session *session)
{
	const struct seccomp_filter_kind kind = {FILTER_NO_NETWORK, FILTER_NAMES_ROUTED,
						 FILTER_CHANGES, FILTER_NO_SYSTEM_V};
	int listener;

	return layer_enter(&session->layers[1]) < 0 ||
			       filter_load_routed(filter_choose(kind), &listener, NULL) < 0 ||
			       listen_send(session->line[1], listener) < 0
		       ? -1
		       : 0;
}

static _Noreturn void
become(const struct session *session)
{
	const struct rlimit none = {0, 0};

	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || setrlimit(RLIMIT_CORE, &none) < 0 ||
	    fd_cloexec_from(3) < 0)
		_exit(125);
	if (!session->is_tracked && restrict_itself(session) < 0)
		_exit(125);
	sigprocmask(SIG_SETMASK, &session->mask, NULL);
	execve(session->argv[0], session->argv, environ);
	_exit(127);
}

/* Enters the outer layer. The thread stays until the command ends. */
static void *
start_and_serve(void *argument)
{
	struct session *session = argument;
	struct seccomp_notif call = {0};

	if (unshare(CLONE_FS) == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	    layer_enter(&session->layers[0]) == 0)
		session->command = vfork();
	if (session->command == 0)
		become(session);
	close(session->line[1]);
	session->listener = listen_receive(session->line[0]);
	sem_post(&session->started);
	while (ioctl(session->listener, SECCOMP_IOCTL_NOTIF_RECV, &call) == 0 || errno == EINTR) {
		struct seccomp_notif_resp go = {.id = call.id, .flags = LISTEN_CONTINUE};

		ioctl(session->listener, SECCOMP_IOCTL_NOTIF_SEND, &go);
		call = (struct seccomp_notif){0};
	}
	for (;;)
		pause();
	return NULL;
}

/* ---- the guard ---- */

static int
start_tracked(struct session *session)
{
	session->command = vfork();
	if (session->command == 0)
		become(session);
	return session->command > 0 ? 0 : -1;
}

static int
start_command(struct session *session)
{
	pthread_attr_t attributes;
	pthread_t thread;

	session->command = -1;
	if (mkdir(session->tmp, 0700) < 0 ||
	    layer_grant(&session->layers[0], session->tmp, ~0ull) < 0 ||
	    layer_grant(&session->layers[1], session->tmp, ~0ull) < 0 ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, session->line) < 0 ||
	    sem_init(&session->started, 0, 0) < 0 || pthread_attr_init(&attributes) != 0 ||
	    pthread_attr_setstacksize(&attributes, STACK_SIZE) != 0 ||
	    pthread_create(&thread, &attributes, start_and_serve, session) != 0)
		return -1;
	while (sem_wait(&session->started) < 0 && errno == EINTR)
		;
	return session->command > 0 && session->listener >= 0 ? 0 : -1;
}

static _Noreturn void
guard(struct session *session, int news, int record)
{
	struct pollfd signals = {.events = POLLIN};
	int status = -1, null;
	sigset_t all;

	sigfillset(&all);
	signals.fd = signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK);
	if (signals.fd < 0 || prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_PDEATHSIG, SIGCONT) < 0 ||
	    (session->is_tracked ? start_tracked(session) : start_command(session)) < 0)
		_exit(125);
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	for (int fd = 0; fd < 3; fd++)
		dup2(null, fd);
	prctl(PR_SET_DUMPABLE, 0);
	if (setsid() < 0 || chdir("/") < 0)
		_exit(125);
	while (waitpid(-1, &status, WNOHANG) != session->command)
		poll(&signals, 1, -1);
	if (!session->is_tracked)
		rmdir(session->tmp);
	unlink(session->record);
	close(record);
	if (write(news, &status, sizeof status) < 0)
		_exit(125);
	_exit(0);
}

/* ---- the launcher ---- */

static int
find_places(struct session *session)
{
	const char *tmp = getenv("TMPDIR"), *state = getenv("XDG_STATE_HOME");
	const char *runtime = getenv("XDG_RUNTIME_DIR");

	if (tmp == NULL || state == NULL || (mkdir(state, 0700) < 0 && errno != EEXIST))
		return -1;
	snprintf(session->log, PATH_SIZE, "%s/least.log", state);
	snprintf(session->record, PATH_SIZE, "%s/least-%d", runtime != NULL ? runtime : state,
		 (int)getpid());
	snprintf(session->tmp, PATH_SIZE, "%s/least-%d", tmp, (int)getpid());
	return 0;
}

static int
run(struct session *session)
{
	int news[2], record, status = -1;
	struct pollfd fds[2] = {{.events = POLLIN}, {.events = POLLIN}};
	sigset_t all;
	pid_t pid;

	record = log_line(session, "start", START_LENGTH) < 0 ? -1 : make_record(session);
	sigfillset(&all);
	if (record < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, news) < 0 ||
	    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0 ||
	    sigprocmask(SIG_SETMASK, &all, &session->mask) < 0)
		return 125;
	fds[0].fd = signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK);
	fds[1].fd = news[0];
	pid = fork();
	if (pid == 0)
		guard(session, news[1], record);
	close(news[1]);
	if (pid < 0 || lseek(record, 0, SEEK_SET) < 0 || write_text(record, "guard", 53) < 0)
		return 125;
	while (poll(fds, 2, -1) > 0 && fds[1].revents == 0)
		fds[0].fd = -1;
	if (read(news[0], &status, sizeof status) != sizeof status || !WIFEXITED(status) ||
	    log_line(session, "end", END_LENGTH) < 0 || waitpid(pid, NULL, 0) != pid)
		return 125;
	return WEXITSTATUS(status);
}

int
main(int argc, char **argv)
{
	struct session session = {.argv = argv + 2};

	session.is_tracked = argc > 1 && strcmp(argv[1], "-") == 0;
	if (argc < 3 || find_places(&session) < 0 ||
	    (!session.is_tracked && layers_read(argv[1], session.layers) != 2))
		return 125;
	return run(&session);
}
