// SPDX-License-Identifier: MIT
/*
 * The proxy as macOS has it, really run: poll(2), one port, and the profile. Only
 * Seatbelt is made up: it writes down what it is handed and refuses what the profile would.
 */
#include "base/os.h"

#include <netinet/in.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "macos/process/libsystem.h"
#include "macos/sbpl/profile.h"
#include "proxy/server/proxy.h"
#include "session/prepare/proxy_spawn.h"
#include "session/session.h"
#include "tap.h"
#include "wrapopen.h"

#define PATIENCE_MS 60000

/* Seen by the proxy's process and by ours. */
static struct seatbelt_memory {
	int inits, frees, opened; /* files, after the profile was handed over */
	char profile[8192];
	/* what it shall do */
	bool refuses, does_nothing, leaks;
} * seatbelt;

const int SANDBOX_CHECK_NO_REPORT = 0x20000000;

static bool
is_confined(void)
{
	return seatbelt->inits > 0 && !seatbelt->does_nothing;
}

int
sandbox_init_with_parameters(const char *profile, uint64_t flags, const char *const parameters[],
			     char **errorbuf)
{
	if (flags != 0 || parameters[0] != NULL)
		abort();
	if (seatbelt->refuses) {
		*errorbuf = strdup("no such operation");
		return -1;
	}
	snprintf(seatbelt->profile, sizeof seatbelt->profile, "%s", profile);
	seatbelt->inits++;
	return 0;
}

void
sandbox_free_error(char *errorbuf)
{
	seatbelt->frees++;
	free(errorbuf);
}

int
sandbox_check(pid_t pid, const char *operation, int type, ...)
{
	const char *path;
	va_list args;

	va_start(args, type);
	path = va_arg(args, const char *);
	va_end(args);
	if (pid != getpid() || strcmp(operation, "file-read-data") != 0 ||
	    type != (LIBSYSTEM_FILTER_PATH | SANDBOX_CHECK_NO_REPORT))
		abort();
	return is_confined() && strcmp(path, "/dev/null") != 0;
}

static int
open_confined(const char *path, int flags, mode_t mode)
{
	if (is_confined()) {
		seatbelt->opened++;
		if (strcmp(path, "/dev/null") != 0 && !seatbelt->leaks) {
			errno = EPERM;
			return -1;
		}
	}
	return __real_open64(path, flags, mode);
}

WRAP_OPEN(open_confined)

/* ---- a session's proxy ---- */

struct scene {
	struct word domain;
	struct port port;
	char resolver[40];
	int names; /* a resolver of ours, that only listens */
	struct plan plan;
	struct session_request request;
	struct proxy_process hold;
	struct cordon_error err;
};

static void
scene_make(struct scene *scene)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	static const char *const nothing[] = {NULL};
	socklen_t length = sizeof at;
	struct network *network = &scene->plan.settings.network;

	memset(seatbelt, 0, sizeof *seatbelt);
	*scene = (struct scene){.domain.text = "a.test", .port.number = 4433};
	scene->names = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	check_int(bind(scene->names, (struct sockaddr *)&at, sizeof at), 0);
	check_int(getsockname(scene->names, (struct sockaddr *)&at, &length), 0);
	snprintf(scene->resolver, sizeof scene->resolver, "127.0.0.1:%u", ntohs(at.sin_port));
	*network = (struct network){.mode = NET_DOMAINS,
				    .domains = {&scene->domain, 1},
				    .ports = {&scene->port, 1}};
	network->resolver.text = scene->resolver;
	scene->request = (struct session_request){.plan = &scene->plan,
						  .environ = nothing,
						  .proxy_main = proxy_function()};
}

static int
scene_start(struct scene *scene)
{
	return proxy_spawn_start(&scene->request, -1, &scene->hold, &scene->err);
}

static void
scene_end(struct scene *scene)
{
	proxy_spawn_end(&scene->hold, false);
	close(scene->names);
}

static bool
is_ready(int fd)
{
	struct pollfd one = {.fd = fd, .events = POLLIN};
	int count;

	do
		count = poll(&one, 1, PATIENCE_MS);
	while (count < 0 && errno == EINTR);
	return count == 1;
}

static int
dial(unsigned port)
{
	struct sockaddr_in to = {.sin_family = AF_INET,
				 .sin_port = htons((uint16_t)port),
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	check_int(connect(fd, (struct sockaddr *)&to, sizeof to), 0);
	return fd;
}

/* "cordon:TOKEN" in base64. */
static void
print_basic(const char *token, char to[80])
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char text[60];
	size_t length = (size_t)snprintf(text, sizeof text, PROXY_USER ":%s", token);
	size_t out = 0;

	for (size_t i = 0; i < length; i += 3) {
		unsigned bits = 0;

		for (size_t k = 0; k < 3; k++)
			bits = bits << 8 | (i + k < length ? (unsigned char)text[i + k] : 0);
		for (size_t k = 0; k < 4; k++)
			to[out++] = i + k > length ? '=' : digits[bits >> (18 - 6 * k) & 63];
	}
	to[out] = '\0';
}

/* What it answers begins like this. */
static void
check_answer(int fd, const char *begins)
{
	char text[16] = "";

	check(is_ready(fd));
	check(recv(fd, text, sizeof text - 1, MSG_WAITALL) >= (ssize_t)strlen(begins));
	text[strlen(begins)] = '\0';
	check_str(text, begins);
}

/* ---- the tests ---- */

static void
it_is_confined_before_it_serves(void)
{
	char line[64];
	struct scene scene;
	int fd;

	scene_make(&scene);
	check_int(scene_start(&scene), 0);
	check_int(seatbelt->inits, 1);
	/* the two files by which the profile is tried */
	check_int(seatbelt->opened, 2);
	snprintf(line, sizeof line, "(local tcp \"localhost:%u\")", scene.hold.egress.named);
	check(strstr(seatbelt->profile, line) != NULL);
	check(strstr(seatbelt->profile, "(remote tcp \"*:4433\")") != NULL);
	snprintf(line, sizeof line, "(remote udp \"*%s\")", strchr(scene.resolver, ':'));
	check(strstr(seatbelt->profile, line) != NULL);
	check(strstr(seatbelt->profile, "(remote udp \"*:4433\")") == NULL);
	fd = dial(scene.hold.egress.named);
	check_int(send(fd, "CONNECT a.test:4433 HTTP/1.1\r\n\r\n", 32, MSG_NOSIGNAL), 32);
	check_answer(fd, "HTTP/1.1 407");
	close(fd);
	scene_end(&scene);
}

static void
there_is_one_port_and_it_is_for_programs(void)
{
	struct scene scene;

	scene_make(&scene);
	check_int(scene_start(&scene), 0);
	check(scene.hold.egress.named != 0);
	check_int(scene.hold.egress.through, 0);
	check_int(scene.hold.egress.stub, 0);
	for (int i = PROXY_THROUGH; i < PROXY_SOCKETS; i++)
		check_int(scene.hold.sockets[i], -1);
	scene_end(&scene);
}

/* Names are asked for over the network, by a process that opens nothing any more. */
static void
it_resolves_names_without_a_file(void)
{
	char text[200], basic[80];
	struct scene scene;
	int fd, length;

	scene_make(&scene);
	check_int(scene_start(&scene), 0);
	fd = dial(scene.hold.egress.named);
	print_basic(scene.hold.token, basic);
	length = snprintf(text, sizeof text,
			  "CONNECT a.test:4433 HTTP/1.1\r\nProxy-Authorization: Basic %s\r\n\r\n",
			  basic);
	check_int(send(fd, text, (size_t)length, MSG_NOSIGNAL), length);
	check(is_ready(scene.names));
	check_int(seatbelt->opened, 2);
	close(fd);
	fd = dial(scene.hold.egress.named);
	length = snprintf(text, sizeof text,
			  "CONNECT b.test:4433 HTTP/1.1\r\nProxy-Authorization: Basic %s\r\n\r\n",
			  basic);
	check_int(send(fd, text, (size_t)length, MSG_NOSIGNAL), length);
	check_answer(fd, "HTTP/1.1 403");
	close(fd);
	scene_end(&scene);
}

static void
check_no_proxy(struct scene *scene, const char *words)
{
	check(scene_start(scene) < 0);
	check_str(scene->err.text, words);
	check_int(scene->hold.pid, 0);
	check_int(scene->hold.egress.line, -1);
	/* it was waited for, and there is no other */
	check_int(waitpid(-1, NULL, WNOHANG), -1);
	check_int(errno, ECHILD);
	scene_end(scene);
}

static void
without_its_profile_there_is_no_proxy(void)
{
	struct scene scene;

	scene_make(&scene);
	seatbelt->refuses = true;
	check_no_proxy(&scene, "Seatbelt refused the profile: no such operation");
	check_int(seatbelt->frees, 1);
	scene_make(&scene);
	seatbelt->does_nothing = true;
	check_no_proxy(&scene, "Seatbelt accepted the profile and does not enforce it");
	scene_make(&scene);
	seatbelt->leaks = true;
	check(scene_start(&scene) < 0);
	check(strstr(scene.err.text, "let a path be opened") != NULL);
	scene_end(&scene);
}

static bool
is_gone(pid_t pid)
{
	for (int i = 0; i < PATIENCE_MS / 10; i++) {
		if (waitpid(pid, NULL, WNOHANG) == pid)
			return true;
		usleep(10000);
	}
	return false;
}

static void
it_ends_when_its_socket_is_closed(void)
{
	struct scene scene;
	pid_t pid;
	int fd;

	scene_make(&scene);
	check_int(scene_start(&scene), 0);
	/* a client is connected: that does not delay the end */
	fd = dial(scene.hold.egress.named);
	pid = scene.hold.pid;
	close(scene.hold.egress.line);
	scene.hold.egress.line = -1;
	check(is_gone(pid));
	scene.hold.pid = 0;
	close(fd);
	scene_end(&scene);
}

int
main(void)
{
	seatbelt = mmap(NULL, sizeof *seatbelt, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			-1, 0);
	if (seatbelt == MAP_FAILED)
		return 1;
	run(it_is_confined_before_it_serves);
	run(there_is_one_port_and_it_is_for_programs);
	run(it_resolves_names_without_a_file);
	run(without_its_profile_there_is_no_proxy);
	run(it_ends_when_its_socket_is_closed);
	return tap_end();
}
