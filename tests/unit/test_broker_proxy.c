// SPDX-License-Identifier: MIT
/*
 * Network domains without the real proxy: this process plays it. What is in the sandbox names addresses
 * of the world and must come to the proxy, after it has been asked and only when it said yes; names
 * go to its resolver, and nothing else of this machine is reached.
 */
#include "base/os.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "enforce/enforce.h"
#include "enforce/session_group.h"
#include "tap.h"

#define SECONDS 60
#define ALLOWED_PORT 443
#define NOT_MADE 252 /* no errno is that large */

/* The last byte of an address says what becomes of it. */
enum fate { FATE_GOOD = 1, FATE_REFUSED, FATE_LATE, FATE_LATE_REFUSED, FATE_NEVER };

struct world {
	struct host host;
	struct rule rule;
	struct plan plan;
	struct port allowed;
	struct word range;
	struct egress egress;
	int proxy;		    /* the proxy's end of the line */
	int servers[3];		    /* IPv4: named, through, stub */
	int servers6[3];	    /* IPv6 */
	int asked, expected, asks;  /* how often */
	uint64_t refused;	    /* the last that was */
	struct egress_message told; /* the last COMES or FORGET; id 0: none */
};

static struct world world;

/* ---- the proxy ---- */

static int
listen_at(int family, uint16_t *port)
{
	struct sockaddr_in v4 = {.sin_family = AF_INET,
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
				 .sin_port = htons(*port)};
	struct sockaddr_in6 v6 = {.sin6_family = AF_INET6,
				  .sin6_addr = IN6ADDR_LOOPBACK_INIT,
				  .sin6_port = htons(*port)};
	void *address = family == AF_INET ? (void *)&v4 : (void *)&v6;
	socklen_t size = family == AF_INET ? sizeof v4 : sizeof v6;
	int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, address, size) < 0 || listen(fd, 16) < 0 ||
	    getsockname(fd, address, &size) < 0) {
		if (fd >= 0)
			close(fd);
		return -1;
	}
	*port = ntohs(family == AF_INET ? v4.sin_port : v6.sin6_port);
	return fd;
}

/* On both families under one number; a machine without IPv6 has the first only. */
static void
listen_both(int i, uint16_t *port)
{
	for (int tries = 0; tries < 100; tries++) {
		*port = 0;
		world.servers[i] = listen_at(AF_INET, port);
		world.servers6[i] = listen_at(AF_INET6, port);
		if (world.servers6[i] >= 0 || errno != EADDRINUSE)
			return;
		close(world.servers[i]);
	}
}

static void
answer(const struct egress_message *ask)
{
	struct egress_message message = {.id = ask->id, .kind = EGRESS_ASK};
	struct pollfd comes = {.fd = world.servers[1], .events = POLLIN};
	int fate = ask->address[15];

	if (fate == FATE_NEVER)
		return;
	/* when the caller has come already, not having waited for the answer */
	while ((fate == FATE_LATE || fate == FATE_LATE_REFUSED) && poll(&comes, 1, -1) != 1)
		;
	if (fate == FATE_REFUSED || fate == FATE_LATE_REFUSED) {
		message.why = ECONNREFUSED;
		world.refused = ask->id;
	}
	if (send(world.proxy, &message, sizeof message, MSG_NOSIGNAL) < 0)
		return;
}

static void
greet(int server, const char *word)
{
	int fd = accept(server, NULL, NULL);

	if (fd < 0)
		return;
	if (send(fd, word, strlen(word), MSG_NOSIGNAL) < 0)
		perror("send");
	close(fd);
}

/* One message; false: there will be no more. */
static bool
hear(void)
{
	struct egress_message message;

	if (recv(world.proxy, &message, sizeof message, 0) != sizeof message)
		return false;
	if (message.kind == EGRESS_ASK) {
		world.asked++;
		answer(&message);
	} else if (message.kind == EGRESS_EXPECT) {
		world.expected++;
	} else if (message.kind == EGRESS_ASKS) {
		world.asks++;
	} else if (message.kind == EGRESS_FORGET || message.id != world.refused) {
		world.told = message;
	}
	return true;
}

/* Connections that were turned round are answered when they have been announced by their port. */
static void
meet(int server)
{
	struct sockaddr_storage peer;
	socklen_t size = sizeof peer;
	int fd = accept(server, (struct sockaddr *)&peer, &size);
	in_port_t port = peer.ss_family == AF_INET ? ((struct sockaddr_in *)&peer)->sin_port
						   : ((struct sockaddr_in6 *)&peer)->sin6_port;

	while (fd >= 0 && world.told.id == 0 && hear())
		;
	if (world.told.kind == EGRESS_COMES && world.told.port == ntohs(port) &&
	    send(fd, "far", 3, MSG_NOSIGNAL) < 0)
		perror("send");
	world.told = (struct egress_message){0};
	if (fd >= 0)
		close(fd);
}

static void *
serve(void *unused)
{
	static const char *const words[] = {"named", NULL, "stub"};
	struct pollfd waits[7] = {{.fd = world.proxy, .events = POLLIN}};

	(void)unused;
	for (int i = 0; i < 3; i++) {
		waits[1 + 2 * i] = (struct pollfd){.fd = world.servers[i], .events = POLLIN};
		waits[2 + 2 * i] = (struct pollfd){.fd = world.servers6[i], .events = POLLIN};
	}
	while (poll(waits, 7, -1) >= 0) {
		if (waits[0].revents && !hear())
			break;
		for (int i = 1; i < 7; i++) {
			const char *word = words[(i - 1) / 2];

			if (waits[i].revents && word == NULL)
				meet(waits[i].fd);
			else if (waits[i].revents)
				greet(waits[i].fd, word);
		}
	}
	return NULL;
}

/* ---- the sandbox ---- */

static void
world_make(void)
{
	struct cordon_error err = {0};
	struct planned_rule everything = {.path = "/",
					  .root = "/",
					  .effect = EFFECT_ALLOW,
					  .rights = RIGHTS_ALL,
					  .rule = &world.rule};
	int line[2];

	memset(&world, 0, sizeof world);
	world.allowed.number = ALLOWED_PORT;
	world.range.text = "127.9.0.0/16";
	world.plan = (struct plan){.host = &world.host, .routes_network = true};
	check_int(enforce_probe(&world.plan.facts, &err), 0);
	world.plan.settings.network = (struct network){.mode = NET_DOMAINS,
						       .ports = {&world.allowed, 1},
						       .private_ranges = {&world.range, 1}};
	check_int(index_add(&world.plan.index, &everything, &err), 0);
	check_int(index_finish(&world.plan.index, &err), 0);
	listen_both(0, &world.egress.named);
	listen_both(1, &world.egress.through);
	listen_both(2, &world.egress.stub);
	check_int(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, line), 0);
	world.egress.line = line[0];
	world.proxy = line[1];
}

static void
world_end(void)
{
	for (int i = 0; i < 3; i++) {
		close(world.servers[i]);
		if (world.servers6[i] >= 0)
			close(world.servers6[i]);
	}
	index_free(&world.plan.index);
}

struct task {
	struct sandbox *sandbox;
	int (*inside)(void);
};

static void
run_in_box(const void *argument)
{
	const struct task *task = argument;
	struct cordon_error err = {0};

	alarm(SECONDS);
	if (enforce_apply(task->sandbox, &err) < 0) {
		printf("# %s\n", err.text);
		fflush(stdout);
		_exit(250);
	}
	_exit(task->inside());
}

/* As a guard does it. */
static void
guard(struct task *task)
{
	const struct enforce_main main = {run_in_box, task, true, NULL};
	const struct session_group none = {.folder = -1, .procs_fd = -1, .keeper_pipe = -1};
	struct enforce_needs needs;
	int status = 0;
	pid_t pid;

	alarm(SECONDS);
	close(world.proxy);
	pid = enforce_start(task->sandbox, &none, &main);
	needs = enforce_fds(task->sandbox);
	enforce_serve(task->sandbox, &needs);
	while (pid > 0 && waitpid(pid, &status, __WALL) < 0 && errno == EINTR)
		;
	_exit(pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 251);
}

/* What function says inside, while we are the proxy outside. */
static int
boxed(int (*function)(void))
{
	struct sandbox_options options = {.egress = &world.egress};
	struct cordon_error err = {0};
	struct task task = {NULL, function};
	int status = 0;
	pthread_t thread;
	pid_t child;

	if (enforce_compile(&world.plan, &options, &task.sandbox, &err) < 0) {
		printf("# %s\n", err.text);
		return NOT_MADE;
	}
	child = fork();
	if (child == 0)
		guard(&task);
	close(world.egress.line);
	pthread_create(&thread, NULL, serve, NULL);
	waitpid(child, &status, 0);
	pthread_join(thread, NULL);
	close(world.proxy);
	enforce_free(task.sandbox);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 253;
}

/* ---- inside ---- */

static int
open_to(const char *host, unsigned port, int flags, int *ret_fd)
{
	struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
	struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port)};
	bool six = strchr(host, ':') != NULL;

	inet_pton(six ? AF_INET6 : AF_INET, host,
		  six ? (void *)&v6.sin6_addr : (void *)&v4.sin_addr);
	*ret_fd = socket(six ? AF_INET6 : AF_INET, SOCK_STREAM | flags, 0);
	if (*ret_fd < 0)
		return errno;
	return connect(*ret_fd, six ? (void *)&v6 : (void *)&v4, six ? sizeof v6 : sizeof v4) < 0
		       ? errno
		       : 0;
}

/* 0: connected, and the other side said word. */
static int
hears(const char *host, unsigned port, const char *word)
{
	char text[16] = "";
	int fd, why = open_to(host, port, 0, &fd);

	if (why == 0 && recv(fd, text, sizeof text - 1, 0) < 0)
		why = errno;
	close(fd);
	return why != 0 ? why : strcmp(text, word) == 0 ? 0 : 254;
}

static bool
has_ipv6(void)
{
	return world.servers6[1] >= 0;
}

static int
good_ones(void)
{
	int why = hears("203.0.113.1", ALLOWED_PORT, "far");

	if (why == 0 && has_ipv6())
		why = hears("2001:db8::1", ALLOWED_PORT, "far");
	return why != 0 ? why : hears("::ffff:203.0.113.1", ALLOWED_PORT, "far");
}

static int
refused_one(void)
{
	return hears("203.0.113.2", ALLOWED_PORT, "far");
}

static int
other_port(void)
{
	return hears("203.0.113.1", 80, "far");
}

static int
resolver(void)
{
	int why = hears("203.0.113.77", 53, "stub");

	if (why == 0)
		why = hears("127.0.0.53", 53, "stub");
	if (why == 0 && has_ipv6())
		why = hears("2001:db8::53", 53, "stub");
	return why != 0 ? why : hears("127.0.0.1", world.egress.stub, "stub");
}

static int
named_one(void)
{
	int why = hears("127.0.0.1", world.egress.named, "named");

	return why == 0 && has_ipv6() ? hears("::1", world.egress.named, "named") : why;
}

static int
unannounced(void)
{
	return hears("127.0.0.1", world.egress.through, "far");
}

static int
own_machine(void)
{
	return hears("127.0.0.1", ALLOWED_PORT, "far");
}

static int
private_range(void)
{
	return hears("127.9.0.1", ALLOWED_PORT, "far");
}

/* Who does not wait: under way, then there or not. */
static int
come_later(const char *host, const char *word)
{
	char text[16] = "";
	int fd, why = open_to(host, ALLOWED_PORT, SOCK_NONBLOCK, &fd);
	struct pollfd waits = {.fd = fd, .events = POLLIN};
	socklen_t size = sizeof why;

	if (why != EINPROGRESS)
		return why == 0 ? 254 : why;
	if (poll(&waits, 1, SECONDS * 1000) != 1)
		return ETIMEDOUT;
	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &why, &size) < 0 || why != 0)
		return why;
	if (recv(fd, text, sizeof text - 1, 0) < 0)
		return errno;
	return strcmp(text, word) == 0 ? 0 : 254;
}

static int
without_waiting(void)
{
	int why = come_later("203.0.113.1", "far");

	return why != 0 ? why : come_later("203.0.113.3", "far");
}

static int
refused_without_waiting(void)
{
	return come_later("203.0.113.2", "far");
}

static int
refused_late(void)
{
	return come_later("203.0.113.4", "far");
}

static void
nothing(int signal)
{
	(void)signal;
}

/* Again and again, so that one of them finds it waiting; only the call itself can be met. */
static int
never_answered(void)
{
	struct sockaddr_in to = {.sin_family = AF_INET,
				 .sin_port = htons(ALLOWED_PORT),
				 .sin_addr.s_addr = htonl(0xcb007105)}; /* 203.0.113.5 */
	struct sigaction action = {.sa_handler = nothing};
	pid_t parent = getpid(), child;
	int fd = socket(AF_INET, SOCK_STREAM, 0), why;

	sigaction(SIGUSR1, &action, NULL);
	child = fork();
	while (child == 0 && getppid() == parent) {
		kill(parent, SIGUSR1);
		usleep(200000);
	}
	if (child == 0)
		_exit(0);
	why = connect(fd, (struct sockaddr *)&to, sizeof to) < 0 ? errno : 0;
	kill(child, SIGKILL);
	return why;
}

static int
natively(void)
{
	struct sockaddr_in to = {.sin_family = AF_INET,
				 .sin_port = htons(world.egress.named),
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	return sendto(fd, "x", 1, MSG_FASTOPEN, (struct sockaddr *)&to, sizeof to) < 0 ? errno : 0;
}

/* Landlock ABI 10 knows ports of UDP, but not whose: so there is none on any kernel. */
static int
datagrams(void)
{
	static const struct {
		int family, protocol;
	} kinds[] = {{AF_INET, 0}, {AF_INET, IPPROTO_UDP}, {AF_INET6, IPPROTO_UDP}};
	struct sockaddr_in6 to = {.sin6_family = AF_INET6,
				  .sin6_port = htons(world.egress.stub),
				  .sin6_addr = IN6ADDR_LOOPBACK_INIT};
	int fd;

	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (socket(kinds[i].family, SOCK_DGRAM, kinds[i].protocol) >= 0 ||
		    errno != EPROTONOSUPPORT)
			return NOT_MADE;
	/* whether there is IPv6 may be asked */
	fd = socket(AF_INET6, SOCK_DGRAM, 0);
	if (fd < 0)
		return has_ipv6() ? errno : EPROTONOSUPPORT;
	/* what it gets is of another family, and sends nothing */
	if (sendto(fd, "x", 1, 0, (struct sockaddr *)&to, sizeof to) >= 0)
		return NOT_MADE;
	return connect(fd, (struct sockaddr *)&to, sizeof to) < 0 ? EPROTONOSUPPORT : NOT_MADE;
}

/* ---- cases ---- */

static const struct {
	const char *name;
	int (*inside)(void);
	int expected;
	int asked; /* -1: does not matter */
} cases[] = {
	{"what the proxy has reached is reached", good_ones, 0, -1},
	{"what it refuses is refused by its word", refused_one, ECONNREFUSED, 1},
	{"a port that is not listed is not asked for", other_port, ECONNREFUSED, 0},
	{"names are asked of the stub, whoever was meant", resolver, 0, 0},
	{"programs that know proxies reach theirs", named_one, 0, 0},
	{"nobody comes through without being announced", unannounced, ECONNREFUSED, 0},
	{"this machine is not reached", own_machine, ECONNREFUSED, 0},
	{"unless its addresses are ones a name may have", private_range, 0, -1},
	{"who does not wait hears later", without_waiting, 0, -1},
	{"and of a refusal at once", refused_without_waiting, ECONNREFUSED, 1},
	{"or when it is known", refused_late, ECONNRESET, 1},
	{"a signal ends the waiting", never_answered, EINTR, -1},
	{"fast open is no way around", natively, EOPNOTSUPP, 0},
	{"nor are datagrams", datagrams, EPROTONOSUPPORT, 0},
};

static void
run_case(size_t i)
{
	tap.failed_checks = 0;
	world_make();
	check_int(boxed(cases[i].inside), cases[i].expected);
	if (cases[i].asked >= 0)
		check_int(world.asked, cases[i].asked);
	world_end();
	tap.cases++;
	tap.failed_cases += tap.failed_checks != 0;
	printf("%sok %d - %s\n", tap.failed_checks != 0 ? "not " : "", tap.cases, cases[i].name);
}

/* Calls are routed only under Landlock: without it nothing may start. */
static void
without_landlock_no_broker_starts(void)
{
	world_make();
	check_int(boxed(good_ones), NOT_MADE);
	world_end();
}

int
main(void)
{
	struct facts facts;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (enforce_probe(&facts, NULL) == 0 && facts.values[FACT_LANDLOCK_ABI] == 0) {
		run(without_landlock_no_broker_starts);
		return tap_end();
	}
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		run_case(i);
	return tap_end();
}
