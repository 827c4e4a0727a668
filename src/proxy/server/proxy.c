// SPDX-License-Identifier: MIT
/*
 * The egress proxy, a process started before the sandbox is entered. It reads the resolver's files and the
 * environment, drops every privilege and access it does not need, reports that it is ready, and only then
 * reads input from others. It never forks and ends with its session.
 */
#include "base/os.h"

#include "proxy/server/proxy.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/array.h"
#include "base/fd.h"
#include "base/hash.h"
#include "proxy/resolve/local_address.h"
#include "proxy/server/conn.h"

#define REPORTED_MS 5000
#define TRIES_MAX 15
#define DESCRIPTORS 65536 /* requested soft limit; a lower one is enough */

/* ---- policy ---- */

bool
proxy_allows(struct proxy *proxy, const char *name, unsigned port, struct dial_end *ret_why)
{
	struct net_answer answer = network_decide(proxy->network, name, port);

	if (answer.allowed)
		return true;
	ret_why->why = EACCES;
	ret_why->refusal.cause = answer.domain != NULL	     ? CAUSE_NET_PORT
				 : hostname_is_address(name) ? CAUSE_NET_ADDRESS
							     : CAUSE_NET_DOMAIN;
	ret_why->refusal.number = port;
	return false;
}

bool
proxy_is_own(const struct proxy *proxy, const struct ip_address *address, unsigned port)
{
	const struct egress *own = &proxy->task->egress;
	char text[ADDRESS_TEXT_SIZE];

	ip_print(address, text);
	return (port == own->named || port == own->through || port == own->stub) &&
	       network_is_loopback(text);
}

enum cause
proxy_address_denied_reason(const struct proxy *proxy, const struct ip_address *address)
{
	enum cause what = ip_vet(address, &proxy->network->private_ranges);

	if (what != CAUSE_NONE || network_covers_private(proxy->network, address->bytes))
		return what;
	return local_address_is(address) ? CAUSE_ADDRESS_THIS_MACHINE : CAUSE_NONE;
}

static uint64_t
hash_more(uint64_t hash, const char *text)
{
	for (; *text != '\0'; text++)
		hash = hash_byte(hash, *text);
	return hash_byte(hash, '\0');
}

void
proxy_refuse(struct proxy *proxy, enum refused what, const char *subject, const struct refusal *why)
{
	uint64_t hash = hash_more(hash_more(HASH_START, subject), why->name) ^
			(uint64_t)what << 32 ^ why->cause;
	size_t count = COUNT(proxy->reported);
	uint64_t now = proxy->timers.now;
	struct refusal refusal = *why;

	/* repeats are dropped for REPORTED_MS */
	for (size_t i = 0; i < count; i++)
		if (proxy->reported[i].hash == hash && proxy->reported[i].at + REPORTED_MS > now)
			return;
	proxy->reported[proxy->reported_next++ % count] = (struct refusal_memory){hash, now};
	refusal.what = (uint16_t)what;
	refusal_send(proxy->task->events, &refusal, subject);
}

/* A destination that takes the entry of another one is reported again later. */
void
proxy_reached(struct proxy *proxy, const char *name, unsigned port)
{
	struct refusal use = {.what = REFUSED_CONNECT, .is_use = true, .known = REFUSAL_DECIDED};
	char subject[NAME_SIZE + 8];
	uint64_t hash, *entry;

	snprintf(subject, sizeof subject, "%s:%u", name, port);
	hash = hash_more(HASH_START, subject);
	entry = &proxy->reached[hash % COUNT(proxy->reached)];
	if (*entry == hash)
		return;
	*entry = hash;
	refusal_send(proxy->task->events, &use, subject);
}

/* ---- listening ---- */

/* A failing accept() costs almost as much as a successful one, so accept as many as last time. */
void
proxy_accept(struct proxy *proxy, enum proxy_socket which, proxy_arrived_fn *arrived)
{
	struct loop_watch *listener = proxy->listeners[which];
	unsigned *tries = &proxy->tries[which];

	for (unsigned i = 0; i <= *tries; i++) {
		struct sockaddr_storage from;
		socklen_t length = sizeof from;
		int fd = os_accept_from(listener->fd, (struct sockaddr *)&from, &length);

		if (fd < 0) {
			*tries = 0;
			return;
		}
		arrived(proxy, fd, &from);
	}
	*tries = *tries >= TRIES_MAX ? TRIES_MAX : 2 * *tries + 1;
}

static int
listen_all(struct proxy *proxy)
{
	static void (*const accepts[PROXY_SOCKETS])(void *, int) = {
		[PROXY_NAMED] = explicit_accept,      [PROXY_NAMED_6] = explicit_accept_6,
		[PROXY_THROUGH] = transparent_accept, [PROXY_THROUGH_6] = transparent_accept_6,
		[PROXY_STUB] = dns_stub_accept,	      [PROXY_STUB_6] = dns_stub_accept_6,
	};

	for (int i = 0; i < PROXY_SOCKETS; i++) {
		if (proxy->task->sockets[i] < 0)
			continue;
		tunnel_options(proxy->task->sockets[i]);
		proxy->listeners[i] =
			loop_add(&proxy->watches, proxy->task->sockets[i], proxy, accepts[i]);
		if (proxy->listeners[i] == NULL)
			return -1;
		loop_want(proxy->listeners[i], WATCH_READ);
	}
	proxy->line = loop_add(&proxy->watches, proxy->task->egress.line, proxy,
			       transparent_broker_message);
	loop_want(proxy->line, WATCH_READ);
	return proxy->line == NULL ? -1 : 0;
}

/* ---- start ---- */

/* Close all inherited fds: a reader of the other end of a pipe would wait for the proxy to exit. */
static int
keep_descriptors(struct proxy_task *task, struct cordon_error *err)
{
	int *own[PROXY_SOCKETS + 3] = {&task->egress.line, &task->events, &task->report};
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int i = 0; i < PROXY_SOCKETS; i++)
		own[3 + i] = &task->sockets[i];
	for (int fd = 0; fd < 3; fd++)
		if (null < 0 || dup2(null, fd) < 0)
			return cordon_fail(err, CORDON_E_SYSTEM, errno, "cannot open /dev/null");
	fd_keep_only(own, COUNT(own));
	return 0;
}

/* Two fds per connection, some for the rest. */
static void
count_connections(struct proxy *proxy)
{
	struct rlimit limit = {0, 0};
	rlim_t most;

	getrlimit(RLIMIT_NOFILE, &limit);
	most = limit.rlim_max == RLIM_INFINITY || limit.rlim_max > DESCRIPTORS ? DESCRIPTORS
									       : limit.rlim_max;
	if (limit.rlim_cur < most) {
		limit.rlim_cur = most;
		setrlimit(RLIMIT_NOFILE, &limit);
		getrlimit(RLIMIT_NOFILE, &limit);
	}
	most = limit.rlim_cur < most ? limit.rlim_cur : most;
	proxy->descriptors = (unsigned)most;
	most = most < 1024 ? most / 4 : (most - 768) / 2;
	proxy->conns_max = most > CONNS_MAX ? CONNS_MAX : (unsigned)most;
}

/* TCP ports to allow: those of the policy, the resolvers and the upstream proxy. */
static int
confine(const struct proxy *proxy, struct cordon_error *err)
{
	const struct resolver *resolver = &proxy->lookup.resolver;
	const struct ports *listed = &proxy->network->ports;
	auto_free uint16_t *ports = calloc(listed->count + RESOLVER_SERVERS + 2, sizeof *ports);
	struct role role = {.ports = ports,
			    .datagram_count = resolver->count,
			    .listener = proxy->task->egress.named};

	if (ports == NULL)
		return cordon_no_memory(err);
	for (size_t i = 0; i < resolver->count; i++)
		ports[role.port_count++] = (uint16_t)resolver->ports[i];
	for (size_t i = 0; i < listed->count; i++)
		ports[role.port_count++] = listed->items[i].number;
	if (proxy->upstreams.plain.host[0] != '\0')
		ports[role.port_count++] = (uint16_t)proxy->upstreams.plain.port;
	if (proxy->upstreams.tunnel.host[0] != '\0')
		ports[role.port_count++] = (uint16_t)proxy->upstreams.tunnel.port;
	return proxy_sandbox_enter(&role, err);
}

/* Cache the names of the hosts file: libc reads that file without asking the stub. */
static void
remember_hosts(struct proxy *proxy)
{
	const struct resolver *resolver = &proxy->lookup.resolver;

	for (size_t i = 0; i < resolver->host_count; i++) {
		const struct host_line *line = &resolver->hosts[i];

		if (proxy_address_denied_reason(proxy, &line->address) == CAUSE_NONE)
			answers_add(&proxy->answers, &line->address, line->name, 0,
				    ANSWERS_FOREVER);
	}
}

static int
make_loop(struct proxy *proxy, struct cordon_error *err)
{
	timers_start(&proxy->timers);
	if (loop_start(&proxy->watches, &proxy->timers) < 0)
		return cordon_fail(err, CORDON_E_SYSTEM, 0, "cannot make the proxy's loop");
	proxy->lookup.watches = &proxy->watches;
	proxy->lookup.timers = &proxy->timers;
	return 0;
}

static int
prepare(struct proxy *proxy, struct proxy_task *task, struct cordon_error *err)
{
	sigset_t all;
	int rc;

	/* terminal signals are for the command; EPIPE is handled as an error */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	setsid();
	if (task->parent != 0 && (os_die_with_parent(SIGKILL) < 0 || getppid() != task->parent))
		return cordon_fail(err, CORDON_E_SYSTEM, 0, "the session has ended");
	rc = keep_descriptors(task, err);
	count_connections(proxy);
	if (rc == 0)
		rc = upstreams_read(task->environ, &proxy->upstreams, err);
	if (rc == 0)
		rc = resolv_conf_load(&proxy->lookup.resolver, proxy->network, err);
	if (rc == 0)
		rc = make_loop(proxy, err);
	if (rc == 0)
		rc = confine(proxy, err);
	proxy->bulk = malloc(RELAY_SIZE);
	if (rc == 0 && (proxy->bulk == NULL || listen_all(proxy) < 0))
		rc = cordon_fail(err, CORDON_E_MEMORY, 0, "no memory for the proxy");
	return rc;
}

static _Noreturn void
proxy_main(const struct proxy_task *given)
{
	struct proxy_task task = *given;
	struct proxy proxy = {.task = &task, .network = given->network};
	struct cordon_error err = {0};
	int rc = prepare(&proxy, &task, &err);

	remember_hosts(&proxy);
	(void)!write(task.report, &err, sizeof err);
	close(task.report);
	if (rc == 0)
		loop_run(&proxy.watches);
	_exit(rc == 0 ? 0 : 1);
}

void (*proxy_function(void))(const struct proxy_task *task)
{
	return proxy_main;
}
