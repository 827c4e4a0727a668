// SPDX-License-Identifier: MIT
/*
 * Starts the proxy: binds its sockets on loopback, with the same port for both families, then forks
 * a process that confines itself and serves. The main function comes from proxy/ as a pointer.
 */
#include "base/os.h"

#include "session/prepare/proxy_spawn.h"

#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/random.h"
#include "session/session.h"

#define TRIES 64
#define BACKLOG 1024

/* ---- listeners ---- */

static int
bind_one(int family, int type, uint16_t *port)
{
	struct sockaddr_in6 v6 = {.sin6_family = AF_INET6,
				  .sin6_addr = IN6ADDR_LOOPBACK_INIT,
				  .sin6_port = htons(*port)};
	struct sockaddr_in v4 = {.sin_family = AF_INET,
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
				 .sin_port = htons(*port)};
	void *to = family == AF_INET ? (void *)&v4 : (void *)&v6;
	socklen_t length = family == AF_INET ? sizeof v4 : sizeof v6;
	int fd = os_socket(family, type), on = 1;

	if (fd >= 0 && family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
	if (fd < 0 || bind(fd, to, length) < 0 || getsockname(fd, to, &length) < 0 ||
	    (type == SOCK_STREAM && listen(fd, BACKLOG) < 0)) {
		int sys = errno;

		if (fd >= 0)
			close(fd);
		errno = sys;
		return -1;
	}
	*port = ntohs(family == AF_INET ? v4.sin_port : v6.sin6_port);
	return fd;
}

/* Binds all to one port. IPv6 is left out if the host has none. */
static int
bind_group(int *sockets, int count, uint16_t *ret_port)
{
	static const struct {
		int family, type;
	} kinds[] = {{AF_INET, SOCK_STREAM},
		     {AF_INET6, SOCK_STREAM},
		     {AF_INET, SOCK_DGRAM},
		     {AF_INET6, SOCK_DGRAM}};
	uint16_t port = 0;

	for (int i = 0; i < count; i++) {
		sockets[i] = bind_one(kinds[i].family, kinds[i].type, &port);
		if (sockets[i] >= 0 || (kinds[i].family == AF_INET6 && errno != EADDRINUSE))
			continue;
		for (int made = 0; made < i; made++)
			if (sockets[made] >= 0)
				close(sockets[made]);
		return -1;
	}
	*ret_port = port;
	return 0;
}

static int
bind_somewhere(int *sockets, int count, uint16_t *ret_port, struct cordon_error *err)
{
	for (int i = 0; i < TRIES; i++) {
		if (bind_group(sockets, count, ret_port) == 0)
			return 0;
		if (errno != EADDRINUSE)
			break;
	}
	for (int i = 0; i < count; i++)
		sockets[i] = -1;
	return cordon_fail(err, CORDON_E_SYSTEM, errno, "cannot listen on loopback");
}

/* In a nest the outer broker redirects connections, to the outer proxy. */
static bool
is_nested(const struct session_request *request)
{
	return request->plan->facts.values[FACT_OUTER_CORDON] != 0;
}

/* If the outer sandbox allows no network, a proxy would be useless. */
static bool
has_network(void)
{
	auto_fd int fd = os_socket(AF_INET, SOCK_STREAM);

	return fd >= 0;
}

/*
 * PROXY_THROUGH and PROXY_STUB are for redirected connections. There are none on macOS, and in a
 * nest the outer broker redirects to its own proxy.
 */
static int
bind_all(const struct session_request *request, struct proxy_process *process,
	 struct cordon_error *err)
{
	struct egress *egress = &process->egress;
	int rc = bind_somewhere(process->sockets + PROXY_NAMED, 2, &egress->named, err);

	if (enforce_system() != SYSTEM_LINUX || is_nested(request))
		return rc;
	if (rc == 0)
		rc = bind_somewhere(process->sockets + PROXY_THROUGH, 2, &egress->through, err);
	if (rc == 0)
		rc = bind_somewhere(process->sockets + PROXY_STUB, 2, &egress->stub, err);
	return rc;
}

/* ---- the process ---- */

/* Reads the report of the proxy: ready (code 0), or an error. */
static int
hear(int report, struct cordon_error *err)
{
	struct cordon_error said;
	ssize_t n;

	do
		n = read(report, &said, sizeof said);
	while (n < 0 && errno == EINTR);
	if (n != (ssize_t)sizeof said)
		return cordon_fail(err, CORDON_E_SYSTEM, n < 0 ? errno : 0,
				   n < 0 ? "cannot read from the proxy"
					 : "the proxy ended before it was ready");
	if (said.code == 0)
		return 0;
	said.text[sizeof said.text - 1] = '\0';
	if (err != NULL)
		*err = said;
	return -said.code;
}

/* ends: socket pair of the broker, pipe for the report; the first of each stays here. */
static int
fork_proxy(const struct session_request *request, struct proxy_process *process, int ends[2][2],
	   int events, struct cordon_error *err)
{
	struct proxy_task task = {
		.network = &request->plan->settings.network,
		.environ = request->environ,
		.egress = process->egress,
		.events = events,
		.report = ends[1][1],
		.parent = request->leave || request->name != NULL ? 0 : getpid(),
	};
	int rc;

	task.egress.line = ends[0][1];
	memcpy(task.sockets, process->sockets, sizeof task.sockets);
	memcpy(task.token, process->token, sizeof task.token);
	process->pid = fork();
	if (process->pid == 0)
		request->proxy_main(&task);
	if (process->pid < 0) {
		process->pid = 0;
		return cordon_fail(err, CORDON_E_SYSTEM, errno, "cannot start the proxy");
	}
	close(ends[1][1]);
	ends[1][1] = -1;
	rc = hear(ends[1][0], err);
	if (rc < 0) {
		/* it may be running even if its report was lost */
		kill(process->pid, SIGKILL);
		while (waitpid(process->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	return rc;
}

static int
make_lines(int ends[2][2], struct cordon_error *err)
{
	if (os_egress(ends[0]) < 0 || os_pipe(ends[1]) < 0)
		return cordon_fail(err, CORDON_E_SYSTEM, errno, "cannot make a socket pair");
	return 0;
}

static void
close_ends(int ends[2][2])
{
	const int done[] = {ends[0][1], ends[1][0], ends[1][1]};

	for (size_t i = 0; i < sizeof done / sizeof done[0]; i++)
		if (done[i] >= 0)
			close(done[i]);
}

void
proxy_spawn_none(struct proxy_process *ret_process)
{
	*ret_process = (struct proxy_process){.egress.line = -1};
	memset(ret_process->sockets, -1, sizeof ret_process->sockets);
}

int
proxy_spawn_start(const struct session_request *request, int events,
		  struct proxy_process *ret_process, struct cordon_error *err)
{
	struct proxy_process process;
	int ends[2][2] = {{-1, -1}, {-1, -1}}, rc;

	proxy_spawn_none(&process);
	proxy_spawn_none(ret_process);
	if (request->track_only || request->plan->settings.network.mode != NET_DOMAINS ||
	    request->proxy_main == NULL || (is_nested(request) && !has_network()))
		return 0;
	rc = random_hex(process.token, PROXY_TOKEN_LENGTH, err);
	if (rc == 0)
		rc = make_lines(ends, err);
	if (rc == 0)
		rc = bind_all(request, &process, err);
	if (rc == 0)
		rc = fork_proxy(request, &process, ends, events, err);
	close_ends(ends);
	process.egress.line = ends[0][0];
	if (rc < 0) {
		process.pid = 0;
		proxy_spawn_end(&process, false);
		return rc;
	}
	*ret_process = process;
	return 0;
}

void
proxy_spawn_print(const struct proxy_process *process, char to[RECORD_PROXY_LENGTH + 1])
{
	snprintf(to, RECORD_PROXY_LENGTH + 1, "%04x%s", process->egress.named, process->token);
}

bool
proxy_spawn_read(const char *text, struct proxy_process *ret_process)
{
	unsigned port;

	if (text == NULL || strlen(text) != RECORD_PROXY_LENGTH || sscanf(text, "%4x", &port) != 1)
		return false;
	ret_process->egress.named = (uint16_t)port;
	memcpy(ret_process->token, text + 4, sizeof ret_process->token);
	return true;
}

void
proxy_spawn_end(struct proxy_process *process, bool lives_on)
{
	for (int i = 0; i < PROXY_SOCKETS; i++)
		if (process->sockets[i] >= 0)
			close(process->sockets[i]);
	if (process->egress.line >= 0)
		close(process->egress.line);
	if (process->pid > 0 && !lives_on) {
		kill(process->pid, SIGKILL);
		while (waitpid(process->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	proxy_spawn_none(process);
}
