// SPDX-License-Identifier: MIT
/*
 * The spawner's loop: starts one command for each client, and reports its end. It runs in the same
 * sandbox as the commands. It must stay undumpable, must not allocate, and must accept nothing from
 * a client that has not sent the token.
 */
#include "base/os_process.h"

#include "session/inside/spawner_clients.h"

#include <poll.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "session/channel/channel.h"

#define HELLO_MS 10000 /* time to send the token */
#define CLIENTS_FDS 4
#define HANGUP_MS 2000 /* from SIGHUP to SIGKILL after a client disconnected */

static void
close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void
close_client(struct client *client)
{
	close_fd(&client->socket);
	close_fd(&client->events);
}

/* ---- the end of a client, or of its command ---- */

/* Signals the process group, and the command itself if it moved to another one. */
static void
signal_command(const struct client *client, int signal)
{
	kill(-client->pid, signal);
	if (getpgid(client->pid) != client->pid)
		kill(client->pid, signal);
}

/* The client disconnected: signal its command as for a hang-up of its terminal. */
static void
end_client(struct client *client)
{
	close_client(client);
	close_fd(&client->report);
	if (client->pid == 0)
		return;
	signal_command(client, SIGHUP);
	signal_command(client, SIGCONT);
	client->kill_at = clock_ms() + HANGUP_MS;
}

static void
tell(struct client *client, const struct guard_news *news)
{
	if (client->socket < 0)
		return;
	/* never block: a client that does not read is disconnected */
	if (send(client->socket, news, sizeof *news, MSG_DONTWAIT | MSG_NOSIGNAL) !=
	    (ssize_t)sizeof *news)
		end_client(client);
}

static void
tell_failure(struct client *client, const struct cordon_error *why)
{
	struct guard_news news = {.kind = NEWS_FAILED, .why = *why};

	tell(client, &news);
	close_client(client);
}

/* EOF means that exec succeeded; otherwise reads the error. */
static void
read_report(struct client *client)
{
	struct cordon_error why = {0};
	ssize_t n = read(client->report, &why, sizeof why);

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	close_fd(&client->report);
	if (n == 0)
		return;
	if (n != (ssize_t)sizeof why || why.code <= 0)
		cordon_fail(&why, CORDON_E_SYSTEM, 0, "the command was not started");
	why.text[sizeof why.text - 1] = '\0';
	tell_failure(client, &why);
}

static struct client *
client_of(struct spawner_state *state, pid_t pid)
{
	for (int i = 0; i < CLIENTS_MAX; i++)
		if (state->clients[i].pid == pid)
			return &state->clients[i];
	return NULL;
}

static void
tell_change(struct client *client, int status, const struct rusage *used)
{
	struct guard_news news = {.kind = NEWS_STAYS, .status = WSTOPSIG(status)};

	/* report a failed start before the exit of its process */
	if (client->report >= 0)
		read_report(client);
	if (!WIFSTOPPED(status)) {
		client->pid = 0;
		news.kind = NEWS_DONE;
		news.status = status;
		/* 0: the spawner has the same CPU limit */
		news.cause = client->is_ordered ? client->cause : limits_cause(status, used, 0);
	}
	tell(client, &news);
	if (client->pid == 0)
		close_client(client);
}

/* A child that called PTRACE_TRACEME is detached and continued; that is no job control stop. */
static bool
is_job_stop(pid_t pid, int status)
{
	return !enforce_untrace(NULL, pid, WSTOPSIG(status)) &&
	       channel_signal_stops_job(WSTOPSIG(status));
}

/*
 * Reaps children, orphans of commands included, and reports those of clients. Returns false without
 * children.
 */
static bool
collect(struct spawner_state *state)
{
	struct client *client;
	struct rusage used;
	int status;
	pid_t pid;

	while ((pid = wait4(-1, &status, WNOHANG | WUNTRACED, &used)) != 0) {
		if (pid < 0 && errno == EINTR)
			continue;
		if (pid < 0)
			return false;
		if (WIFSTOPPED(status) && !is_job_stop(pid, status))
			continue;
		client = client_of(state, pid);
		/* forward its refusals before its end */
		if (client != NULL)
			spawner_clients_pass_on(state);
		if (client != NULL)
			tell_change(client, status, &used);
	}
	return true;
}

/* ---- messages of clients ---- */

/* Compares in constant time, so that the timing reveals nothing about a guess. */
static bool
is_token(const struct spawner *spawner, const char *shown)
{
	unsigned char differs = 0;

	for (size_t i = 0; i < sizeof spawner->token; i++)
		differs |=
			(unsigned char)((unsigned char)spawner->token[i] ^ (unsigned char)shown[i]);
	return differs == 0;
}

/* Takes the fds of a message, and closes those in excess. */
static int
take_fds(struct msghdr *message, int fds[SPAWNER_FDS])
{
	int count = 0;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c != NULL; c = CMSG_NXTHDR(message, c)) {
		size_t got = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t i = 0; i < got; i++) {
			int fd;

			memcpy(&fd, CMSG_DATA(c) + i * sizeof fd, sizeof fd);
			if (count < SPAWNER_FDS)
				fds[count++] = fd;
			else
				close(fd);
		}
	}
	return count;
}

static void
start_command(struct spawner_state *state, struct client *client, const struct spawner_start *start,
	      const int fds[SPAWNER_FDS])
{
	struct cordon_error why = {0};
	int ends[2] = {-1, -1};

	/* an answer that arrives from now on is outdated */
	state->question = 0;
	client->phase = RUNNING;
	client->grace_ms = start->grace_ms;
	client->pid = os_pipe(ends) < 0 ? -1 : fork();
	if (client->pid == 0)
		spawner_child_main(
			&(struct spawner_child){start, fds, state->spawner->free_connect, ends[1]});
	if (client->pid > 0) {
		/* Parent and child both call setpgid(), so that neither depends on the other. With a
		 * terminal the child calls setsid(), which fails for a process group leader. */
		if (!start->terminal)
			setpgid(client->pid, client->pid);
		fcntl(ends[0], F_SETFL, O_NONBLOCK);
		client->report = ends[0];
	} else {
		cordon_fail(&why, CORDON_E_SYSTEM, errno, "cannot start a process in the session");
		client->pid = 0;
		close_fd(&ends[0]);
		tell_failure(client, &why);
	}
	close_fd(&ends[1]);
}

static void
read_start(struct spawner_state *state, struct client *client)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(SPAWNER_FDS * sizeof(int))];
	} control;
	struct spawner_start start;
	struct iovec part = {&start, sizeof start};
	struct msghdr message = {.msg_iov = &part,
				 .msg_iovlen = 1,
				 .msg_control = &control,
				 .msg_controllen = sizeof control};
	int fds[SPAWNER_FDS] = {-1, -1, -1, -1, -1}, count;
	ssize_t n = recvmsg(client->socket, &message, MSG_DONTWAIT | COMPAT_MSG_CLOEXEC);

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	count = n < 0 ? 0 : take_fds(&message, fds);
	if (n == (ssize_t)sizeof start && count == SPAWNER_FDS && start.magic == SPAWNER_MAGIC &&
	    (message.msg_flags & MSG_CTRUNC) == 0) {
		client->events = start.wants_events ? fds[SPAWNER_EVENTS] : -1;
		fds[SPAWNER_EVENTS] = start.wants_events ? -1 : fds[SPAWNER_EVENTS];
		spawner_clients_pass_on_old(state, client);
		start_command(state, client, &start, fds);
	} else {
		close_client(client);
	}
	for (int i = 0; i < SPAWNER_FDS; i++)
		close_fd(&fds[i]);
}

/* recv() has no space for fds: the kernel closes those of an unauthenticated client. */
static void
read_hello(struct spawner_state *state, struct client *client)
{
	const uint32_t welcome = SPAWNER_MAGIC;
	struct spawner_hello hello;
	ssize_t n = recv(client->socket, &hello, sizeof hello, MSG_DONTWAIT);

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n == (ssize_t)sizeof hello && hello.magic == SPAWNER_MAGIC &&
	    is_token(state->spawner, hello.token) &&
	    send(client->socket, &welcome, sizeof welcome, MSG_DONTWAIT | MSG_NOSIGNAL) > 0) {
		client->phase = AUTHENTICATED;
		client->end_at = 0;
	} else {
		close_client(client);
	}
}

static void
end_command(struct client *client)
{
	int64_t now = clock_ms();

	client->end_at = 0;
	client->is_ordered = true;
	client->kill_at = now + (client->grace_ms > 0 ? client->grace_ms : 0);
	if (client->grace_ms > 0) {
		signal_command(client, SIGTERM);
		signal_command(client, SIGCONT);
	}
}

static void
read_order(struct client *client)
{
	struct guard_order order;
	ssize_t n = recv(client->socket, &order, sizeof order, MSG_DONTWAIT);
	int64_t when = clock_ms() + (n == (ssize_t)sizeof order ? order.ms : 0);

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n != (ssize_t)sizeof order || order.value < 0 || order.ms < 0) {
		end_client(client);
	} else if (client->pid > 0 && order.kind == ORDER_SIGNAL) {
		signal_command(client, order.value);
	} else if (client->pid > 0 && order.kind == ORDER_CONTINUE) {
		signal_command(client, SIGCONT);
	} else if (client->pid > 0 && order.kind == ORDER_END && order.value < SESSION_CAUSES &&
		   (client->end_at == 0 || when < client->end_at)) {
		client->end_at = when;
		client->cause = (enum session_cause)order.value;
	}
}

/* ---- the loop ---- */

static struct client *
free_place(struct spawner_state *state)
{
	struct client *oldest = NULL;

	for (int i = 0; i < CLIENTS_MAX; i++) {
		struct client *client = &state->clients[i];

		if (spawner_clients_is_free(client))
			return client;
		if (client->phase == UNAUTHENTICATED &&
		    (oldest == NULL || client->end_at < oldest->end_at))
			oldest = client;
	}
	/* unauthenticated clients must not lock out others */
	if (oldest != NULL)
		close_client(oldest);
	return oldest;
}

static void
let_in(struct spawner_state *state)
{
	struct client *client = free_place(state);
	int fd = client == NULL ? -1 : os_accept(state->spawner->listener);

	if (fd >= 0)
		*client = (struct client){.socket = fd,
					  .report = -1,
					  .events = -1,
					  .end_at = clock_ms() + HELLO_MS};
}

static void
keep_time(struct client *client)
{
	int64_t now = clock_ms();

	if (client->end_at > 0 && client->end_at <= now) {
		if (client->pid > 0)
			end_command(client);
		else
			close_client(client);
	}
	if (client->kill_at > 0 && client->kill_at <= now) {
		client->kill_at = 0;
		if (client->pid > 0)
			signal_command(client, SIGKILL);
	}
}

static int
milliseconds_left(const struct spawner_state *state)
{
	int64_t now = clock_ms(), left = INT64_MAX;

	for (int i = 0; i < CLIENTS_MAX; i++) {
		const struct client *client = &state->clients[i];
		int64_t times[2] = {client->end_at, client->kill_at};

		for (int k = 0; k < 2 && !spawner_clients_is_free(client); k++)
			if (times[k] > 0 && times[k] - now < left)
				left = times[k] > now ? times[k] - now : 0;
	}
	return left > 1000000000 ? -1 : (int)left;
}

static void
serve(struct spawner_state *state, struct client *client, const struct pollfd fds[2])
{
	if (client->report >= 0 && fds[1].fd == client->report && fds[1].revents)
		read_report(client);
	if (client->socket < 0 || fds[0].fd != client->socket || !fds[0].revents)
		return;
	if (client->phase == UNAUTHENTICATED)
		read_hello(state, client);
	else if (client->phase == AUTHENTICATED)
		read_start(state, client);
	else
		read_order(client);
}

/* The guard was killed: kill every process that the spawner can find. */
static _Noreturn void
end_all(const struct spawner_state *state)
{
	struct tree_end end;

	for (int i = 0; i < CLIENTS_MAX; i++)
		if (state->clients[i].pid > 0)
			signal_command(&state->clients[i], SIGKILL);
	process_tree_kill(NULL, SESSION_DEADLINE_MS, &end);
	_exit(0);
}

/* Polls two fds of each client, after those of the spawner. */
static void
wait_for_something(struct spawner_state *state)
{
	struct pollfd fds[CLIENTS_FDS + 2 * CLIENTS_MAX];
	struct compat_signal got;

	fds[0].fd = state->signals;
	fds[1].fd = spawner_clients_is_full(state) ? -1 : state->spawner->listener;
	fds[2].fd = state->spawner->line;
	fds[3].fd = -1;
	for (int i = 0; i < CLIENTS_MAX; i++) {
		fds[CLIENTS_FDS + 2 * i].fd = state->clients[i].socket;
		fds[CLIENTS_FDS + 1 + 2 * i].fd = state->clients[i].report;
		if (spawner_clients_is_running(&state->clients[i]))
			fds[3].fd = state->events;
	}
	for (size_t i = 0; i < sizeof fds / sizeof fds[0]; i++)
		fds[i].events = POLLIN;
	if (poll(fds, sizeof fds / sizeof fds[0], milliseconds_left(state)) < 0)
		return;
	while (fds[0].revents && os_signal_read(state->signals, &got))
		if (got.number == SIGHUP && getppid() != state->guard)
			end_all(state);
	if (fds[2].revents && spawner_clients_is_orphaned(state))
		end_all(state);
	if (fds[3].revents)
		spawner_clients_pass_on(state);
	for (int i = 0; i < CLIENTS_MAX; i++) {
		serve(state, &state->clients[i], &fds[CLIENTS_FDS + 2 * i]);
		keep_time(&state->clients[i]);
	}
	if (fds[1].revents)
		let_in(state);
}

/* A client may have connected just before the exit. */
static bool
has_waiting_client(const struct spawner_state *state)
{
	struct pollfd listening = {.fd = state->spawner->listener, .events = POLLIN};

	return poll(&listening, 1, 0) > 0;
}

/* ---- main ---- */

_Noreturn void
spawner_main(const struct spawner *spawner)
{
	struct spawner own = *spawner;
	struct spawner_state state = {.spawner = &own, .guard = getppid(), .events = own.events};
	int *const kept[] = {&own.listener, &own.line, &state.clients[0].socket, &state.signals,
			     &state.events};
	sigset_t heard;

	sigemptyset(&heard);
	sigaddset(&heard, SIGCHLD);
	sigaddset(&heard, SIGHUP);
	state.signals = os_signal_fd(&heard);
	if (state.signals < 0)
		_exit(125);
	for (int i = 0; i < CLIENTS_MAX; i++)
		state.clients[i] = (struct client){.socket = -1, .report = -1, .events = -1};
	state.clients[0].socket = own.first;
	state.clients[0].phase = AUTHENTICATED;
	/* this also closes the report, which means success */
	fd_keep_only(kept, sizeof kept / sizeof kept[0]);
	while (collect(&state) || spawner_clients_is_any(&state) || has_waiting_client(&state) ||
	       !spawner_clients_is_last(&state))
		wait_for_something(&state);
	_exit(0);
}
