// SPDX-License-Identifier: MIT
/*
 * Measures the proxy against direct connections on loopback: throughput of one stream, new connections, and
 * its memory with 100 and with 10,000 connections. All servers, the resolver too, are on loopback.
 */
#include "base/os.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure.h"
#include "proxy/server/proxy.h"
#include "proxy/wire/http.h"
#include "session/prepare/proxy_spawn.h"
#include "session/session.h"

#define PIECE (256 * 1024)
#define BAR_STREAM 0.8
#define BAR_CONNECTIONS 0.5
#define BAR_KILOBYTES 3072.0
#define ROUNDS 9
#define DESCRIPTORS 65536
#define CLIENTS 8
#define CHILDREN 4

struct bench {
	struct proxy_process proxy;
	uint16_t relay; /* port of the floor */
	pid_t relays[CLIENTS];
	uint16_t stream, echo, hold;
	char connect[400]; /* CONNECT request for the echo server's port */
	char connect_stream[400], connect_hold[400];
	pid_t children[CHILDREN];
};

static void
die(const char *what)
{
	perror(what);
	exit(1);
}

static struct sockaddr_in
loopback(uint16_t port)
{
	return (struct sockaddr_in){.sin_family = AF_INET,
				    .sin_port = htons(port),
				    .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static int
listen_at(int type, uint16_t *ret_port)
{
	struct sockaddr_in at = loopback(0);
	socklen_t length = sizeof at;
	int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof at) < 0 ||
	    getsockname(fd, (struct sockaddr *)&at, &length) < 0 ||
	    (type == SOCK_STREAM && listen(fd, 4096) < 0))
		die("listen");
	*ret_port = ntohs(at.sin_port);
	return fd;
}

static rlim_t
raise_limit(void)
{
	struct rlimit limit = {DESCRIPTORS, DESCRIPTORS};

	/* root may raise the hard limit */
	if (setrlimit(RLIMIT_NOFILE, &limit) == 0)
		return limit.rlim_cur;
	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	return limit.rlim_cur;
}

/* ---- servers, one child each ---- */

static void
serve_stream(int listener)
{
	static char bytes[PIECE];

	for (;;) {
		int fd = accept(listener, NULL, NULL);

		while (fd >= 0 && send(fd, bytes, sizeof bytes, MSG_NOSIGNAL) > 0)
			;
		close(fd);
	}
}

static void
serve_echo(int listener)
{
	char byte;

	for (;;) {
		int fd = accept(listener, NULL, NULL);

		if (fd >= 0 && recv(fd, &byte, 1, 0) == 1)
			send(fd, &byte, 1, MSG_NOSIGNAL);
		close(fd);
	}
}

/* Accepts connections and sends nothing. */
static void
serve_hold(int listener)
{
	raise_limit();
	while (accept(listener, NULL, NULL) >= 0)
		;
	for (;;)
		pause();
}

/*
 * The floor: the least that a proxy must do. It blocks, serves one client, inspects nothing and knows the
 * destination.
 */
static void
serve_relay(int listener, uint16_t echo)
{
	static const char fine[] = "HTTP/1.1 200 Connection established\r\n\r\n";
	struct sockaddr_in to = loopback(echo);
	char bytes[1024];

	for (;;) {
		int fd = accept(listener, NULL, NULL), far;

		if (fd < 0 || recv(fd, bytes, sizeof bytes, 0) <= 0)
			continue;
		far = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
		if (connect(far, (struct sockaddr *)&to, sizeof to) == 0 &&
		    send(fd, fine, sizeof fine - 1, MSG_NOSIGNAL) > 0 &&
		    recv(fd, bytes, sizeof bytes, 0) == 1 &&
		    send(far, bytes, 1, MSG_NOSIGNAL) == 1 &&
		    recv(far, bytes, sizeof bytes, 0) == 1 && send(fd, bytes, 1, MSG_NOSIGNAL) == 1)
			recv(fd, bytes, sizeof bytes, 0);
		close(far);
		close(fd);
	}
}

/* Answers every name with loopback and a TTL of an hour, and no IPv6 address. */
static void
serve_names(int fd)
{
	unsigned char bytes[600];
	struct sockaddr_in from;

	for (;;) {
		static const unsigned char address[] = {0xc0, 12, 0, 1, 0,   1, 0, 0,
							14,   16, 0, 4, 127, 0, 0, 1};
		socklen_t length = sizeof from;
		ssize_t n = recvfrom(fd, bytes, 512, 0, (struct sockaddr *)&from, &length);
		size_t end = 12;

		while (n > 16 && end < (size_t)n && bytes[end] != 0)
			end += 1u + bytes[end];
		end += 5;
		if (n <= 16 || end > (size_t)n)
			continue;
		bytes[2] = 0x81;
		bytes[3] = 0x80;
		memset(bytes + 6, 0, 6);
		bytes[7] = bytes[end - 3] == 1;
		if (bytes[7])
			memcpy(bytes + end, address, sizeof address);
		sendto(fd, bytes, end + (bytes[7] ? sizeof address : 0), 0,
		       (struct sockaddr *)&from, length);
	}
}

static pid_t
start(void (*serve)(int), int fd)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (pid == 0) {
		os_die_with_parent(SIGKILL);
		serve(fd);
		_exit(0);
	}
	close(fd);
	return pid;
}

/* ---- clients ---- */

static int
dial(uint16_t port)
{
	struct sockaddr_in to = loopback(port);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;

	if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof to) < 0)
		die("connect");
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	return fd;
}

static void
send_all(int fd, const char *text)
{
	if (send(fd, text, strlen(text), MSG_NOSIGNAL) != (ssize_t)strlen(text))
		die("send");
}

/* head NULL: connect directly. port 0: through the proxy. */
static int
reach(const struct bench *bench, const char *head, uint16_t port)
{
	char answer[200] = {0};
	size_t got = 0;
	int fd = dial(port != 0 ? port : bench->proxy.egress.named);

	if (head == NULL)
		return fd;
	send_all(fd, head);
	while (got < 39) {
		ssize_t n = recv(fd, answer + got, 39 - got, 0);

		if (n <= 0)
			die("the proxy's answer");
		got += (size_t)n;
	}
	if (memcmp(answer, "HTTP/1.1 200", 12) != 0)
		die("the proxy refuses");
	return fd;
}

/* Returns MB/s. */
static double
stream(const struct bench *bench, const char *head, size_t megabytes)
{
	static char bytes[PIECE];
	int fd = reach(bench, head, head == NULL ? bench->stream : 0);
	size_t left = megabytes * 1024 * 1024;
	double from;

	/* start the clock after the first bytes, to measure steady state */
	if (recv(fd, bytes, sizeof bytes, 0) <= 0)
		die("recv");
	from = clock_now();
	while (left > 0) {
		ssize_t n = recv(fd, bytes, sizeof bytes, 0);

		if (n <= 0)
			die("recv");
		left -= (size_t)n < left ? (size_t)n : left;
	}
	from = clock_now() - from;
	close(fd);
	return (double)megabytes * 1000 / from;
}

/* How connections are made. */
enum way { WAY_DIRECT, WAY_PROXY, WAY_FLOOR, WAYS };

static void
connect_often(const struct bench *bench, enum way way, int count)
{
	const char *head = way == WAY_DIRECT ? NULL : bench->connect;
	uint16_t port = way == WAY_DIRECT ? bench->echo : way == WAY_FLOOR ? bench->relay : 0;
	char byte = 1; /* not text, so inspection does not wait for a line */

	for (int i = 0; i < count; i++) {
		int fd = reach(bench, head, port);

		if (send(fd, &byte, 1, MSG_NOSIGNAL) != 1 || recv(fd, &byte, 1, 0) != 1)
			die("echo");
		close(fd);
	}
}

/* Several at a time, as a build or browser does. Returns connections per second. */
static double
connections(const struct bench *bench, enum way way, int count)
{
	double from = clock_now();

	for (int i = 0; i < CLIENTS; i++) {
		pid_t pid = fork();

		if (pid < 0)
			die("fork");
		if (pid == 0) {
			connect_often(bench, way, count / CLIENTS);
			_exit(0);
		}
	}
	for (int i = 0; i < CLIENTS; i++) {
		int status = 1;

		if (wait(&status) < 0 || status != 0)
			die("a client");
	}
	return count * 1000.0 / (clock_now() - from);
}

/* CPU time used so far, in microseconds; 0 where the kernel does not count it that finely. */
static double
used_us(pid_t pid)
{
	char path[64], line[100] = "";
	FILE *file;

	snprintf(path, sizeof path, "/proc/%d/schedstat", (int)pid);
	file = fopen(path, "r");
	if (file != NULL && fgets(line, sizeof line, file) == NULL)
		line[0] = '\0';
	if (file != NULL)
		fclose(file);
	return strtod(line, NULL) / 1000;
}

static double
held_kilobytes(pid_t pid)
{
	char path[64], line[200];
	double found = -1;
	FILE *file;

	snprintf(path, sizeof path, "/proc/%d/smaps_rollup", (int)pid);
	file = fopen(path, "r");
	while (file != NULL && fgets(line, sizeof line, file) != NULL)
		if (strncmp(line, "Pss:", 4) == 0)
			found = strtod(line + 4, NULL);
	if (file != NULL)
		fclose(file);
	return found;
}

/* ---- measurements ---- */

static void
make_head(const struct bench *bench, uint16_t port, char *to, size_t size)
{
	char plain[100], basic[200];

	snprintf(plain, sizeof plain, "%s:%s", PROXY_USER, bench->proxy.token);
	http_base64(plain, strlen(plain), basic);
	snprintf(to, size,
		 "CONNECT a.test:%u HTTP/1.1\r\nHost: a.test:%u\r\n"
		 "Proxy-Authorization: Basic %s\r\n\r\n",
		 port, port, basic);
}

static void
start_proxy(struct bench *bench, uint16_t names)
{
	static struct word domain = {.text = "a.test"}, range = {.text = "127.0.0.1"};
	static struct plan plan;
	static struct port ports[3];
	struct network *network = &plan.settings.network;
	struct session_request request = {.plan = &plan, .proxy_main = proxy_function()};
	struct cordon_error err = {0};
	char resolver[32];

	snprintf(resolver, sizeof resolver, "127.0.0.1:%u", names);
	ports[0].number = bench->stream;
	ports[1].number = bench->echo;
	ports[2].number = bench->hold;
	*network = (struct network){.mode = NET_DOMAINS,
				    .domains = {&domain, 1},
				    .ports = {ports, 3},
				    .opaque = {ports, 3},
				    .private_ranges = {&range, 1},
				    .resolver = {.text = resolver}};
	if (proxy_spawn_start(&request, -1, &bench->proxy, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		exit(1);
	}
	make_head(bench, bench->stream, bench->connect_stream, sizeof bench->connect_stream);
	make_head(bench, bench->hold, bench->connect_hold, sizeof bench->connect_hold);
	make_head(bench, bench->echo, bench->connect, sizeof bench->connect);
}

static int
compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double
median(double *values, int count)
{
	qsort(values, (size_t)count, sizeof *values, compare);
	return values[count / 2];
}

static void
print_ratio(const char *what, double direct, double proxied, double bar)
{
	printf("%-24s direct %9.0f   proxy %9.0f   ratio %.2f   bar %.2f  %s\n", what, direct,
	       proxied, proxied / direct, bar, proxied / direct >= bar ? "kept" : "MISSED");
}

/* Alternates, so that disturbances affect both. */
static void
measure_stream(const struct bench *bench, bool quick)
{
	double values[2][ROUNDS] = {{0}};
	int rounds = quick ? 1 : ROUNDS;

	for (int i = 0; i < 2 * rounds; i++) {
		int way = (i + i / 2) % 2;

		values[way][i / 2] = stream(bench, way == WAY_DIRECT ? NULL : bench->connect_stream,
					    quick ? 16 : 1024);
	}
	print_ratio("one stream, MB/s", median(values[WAY_DIRECT], rounds),
		    median(values[WAY_PROXY], rounds), BAR_STREAM);
}

static double
used_by(const struct bench *bench, enum way way)
{
	double sum = way == WAY_PROXY ? used_us(bench->proxy.pid) : 0;

	for (int i = 0; way == WAY_FLOOR && i < CLIENTS; i++)
		sum += used_us(bench->relays[i]);
	return sum;
}

static void
measure_connections(const struct bench *bench, bool quick)
{
	double values[WAYS][ROUNDS] = {{0}}, used[WAYS] = {0}, direct, floor;
	int rounds = quick ? 1 : ROUNDS, often = quick ? 50 : 5000;

	for (int i = 0; i < WAYS * rounds; i++) {
		enum way way = (enum way)((i + i / WAYS) % WAYS);
		double before = used_by(bench, way);

		values[way][i / WAYS] = connections(bench, way, often);
		used[way] += (used_by(bench, way) - before) / (rounds * often);
	}
	direct = median(values[WAY_DIRECT], rounds);
	floor = median(values[WAY_FLOOR], rounds);
	print_ratio("new connections, 1/s", direct, median(values[WAY_PROXY], rounds),
		    BAR_CONNECTIONS);
	printf("%-24s a relay that does nothing else %.0f, ratio %.2f\n", "", floor,
	       floor / direct);
	printf("%-24s %.0f us of the processor for each in the proxy, %.0f in that relay\n", "",
	       used[WAY_PROXY], used[WAY_FLOOR]);
}

static void
measure_held(const struct bench *bench, bool quick, rlim_t limit)
{
	int wanted = quick ? 100 : 10000, count = 0, *fds = calloc((size_t)wanted, sizeof *fds);
	double small = -1, from = clock_now();

	/* two fds for each connection: the limit may be lower */
	if ((rlim_t)wanted > (limit - 1200) / 2)
		wanted = (int)((limit - 1200) / 2);
	if (fds == NULL)
		die("calloc");
	for (; count < wanted; count++) {
		fds[count] = reach(bench, bench->connect_hold, 0);
		if (count == 99)
			small = held_kilobytes(bench->proxy.pid);
	}
	printf("%-24s %.0f kB with 100 connections (bar %.0f  %s), %.0f kB with %d; all there after "
	       "%.0f ms\n",
	       "held memory (PSS)", small, BAR_KILOBYTES,
	       small < 0		? "cannot be told here"
	       : small <= BAR_KILOBYTES ? "kept"
					: "MISSED",
	       held_kilobytes(bench->proxy.pid), wanted, clock_now() - from);
	printf("%-24s %.0f a second meanwhile\n", "new connections",
	       connections(bench, WAY_PROXY, quick ? 20 : 2000));
	for (int i = 0; i < count; i++)
		close(fds[i]);
	free(fds);
}

/* One relay per client, so that none waits for another. */
static void
start_relays(struct bench *bench)
{
	int listener = listen_at(SOCK_STREAM, &bench->relay);

	for (int i = 0; i < CLIENTS; i++) {
		bench->relays[i] = fork();
		if (bench->relays[i] < 0)
			die("fork");
		if (bench->relays[i] == 0) {
			os_die_with_parent(SIGKILL);
			serve_relay(listener, bench->echo);
		}
	}
	close(listener);
}

static void
end_child(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

int
main(int argc, char **argv)
{
	bool quick = argc > 1 && strcmp(argv[1], "--quick") == 0;
	struct bench bench = {0};
	uint16_t names;
	rlim_t limit = raise_limit();
	int listeners[CHILDREN] = {listen_at(SOCK_STREAM, &bench.stream),
				   listen_at(SOCK_STREAM, &bench.echo),
				   listen_at(SOCK_DGRAM, &names),
				   listen_at(SOCK_STREAM, &bench.hold)};

	machine_print(quick);
	bench.children[0] = start(serve_stream, listeners[0]);
	bench.children[1] = start(serve_echo, listeners[1]);
	bench.children[2] = start(serve_names, listeners[2]);
	bench.children[3] = start(serve_hold, listeners[3]);
	start_proxy(&bench, names);
	start_relays(&bench);
	measure_stream(&bench, quick);
	measure_connections(&bench, quick);
	for (int i = 0; i < CLIENTS; i++)
		end_child(bench.relays[i]);
	measure_held(&bench, quick, limit);
	proxy_spawn_end(&bench.proxy, false);
	for (int i = 0; i < CHILDREN; i++)
		end_child(bench.children[i]);
	return 0;
}
