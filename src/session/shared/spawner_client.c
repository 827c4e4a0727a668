// SPDX-License-Identifier: MIT
/*
 * The client of a spawner: connects to its socket, sends the token and a command. The socket is in
 * a directory that only the user can enter. It is addressed through an fd of that directory,
 * because its path may be too long for sun_path.
 */
#include "base/os.h"

#include "session/inside/spawner.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/fd.h"

/* A spawner that does not answer in time was stopped by a process of its session. */
#define WELCOME_SECONDS 30

/* Returns false with errno if the path is too long. */
static bool
find_address(int folder, const char *id, struct sockaddr_un *ret)
{
	char name[RECORD_SOCKET_SIZE];

	record_socket(id, name);
	*ret = (struct sockaddr_un){.sun_family = AF_UNIX};
	return os_name_in(folder, name, ret->sun_path, sizeof ret->sun_path);
}

int
spawner_client_listen(int folder, const char *id, struct cordon_error *err)
{
	struct sockaddr_un address;
	auto_fd int fd = os_local_socket();
	int listener;

	if (fd < 0 || !find_address(folder, id, &address) ||
	    bind(fd, (const struct sockaddr *)&address, sizeof address) < 0 || listen(fd, 128) < 0)
		return cordon_fail(err, CORDON_E_SYSTEM, errno,
				   "cannot make the socket of the session");
	listener = fd;
	fd = -1;
	return listener;
}

static bool
is_welcome(int line)
{
	struct pollfd answer = {.fd = line, .events = POLLIN};
	uint32_t word = 0;
	int ready = 0;

	/* poll for one second at a time, because the machine may have been suspended */
	for (int left = WELCOME_SECONDS; left > 0 && ready == 0; left--)
		do
			ready = poll(&answer, 1, 1000);
		while (ready < 0 && errno == EINTR);
	if (ready == 0)
		errno = ETIMEDOUT;
	if (ready <= 0)
		return false;
	errno = ECONNRESET;
	return recv(line, &word, sizeof word, MSG_DONTWAIT) == (ssize_t)sizeof word &&
	       word == SPAWNER_MAGIC;
}

int
spawner_client_connect(int folder, const char *id, const char *token)
{
	struct sockaddr_un address;
	struct spawner_hello hello = {.magic = SPAWNER_MAGIC};
	auto_fd int fd = os_local_socket();
	int line;

	memcpy(hello.token, token, sizeof hello.token);
	if (fd < 0 || !find_address(folder, id, &address) ||
	    connect(fd, (const struct sockaddr *)&address, sizeof address) < 0 ||
	    send(fd, &hello, sizeof hello, MSG_NOSIGNAL) != (ssize_t)sizeof hello ||
	    !is_welcome(fd))
		return -1;
	line = fd;
	fd = -1;
	return line;
}

/* ---- a command ---- */

static void
add_string(struct str *to, const char *text)
{
	str_add_n(to, text, strlen(text) + 1);
}

static uint32_t
count_words(char *const *words)
{
	uint32_t count = 0;

	while (words[count] != NULL)
		count++;
	return count;
}

static int
write_payload(int file, const struct command_line *command, struct cordon_error *err)
{
	struct spawner_payload head = {count_words(command->argv), count_words(command->envp)};
	auto_str struct str text = {0};
	char folder[PATH_MAX];
	size_t at = 0;

	if (getcwd(folder, sizeof folder) == NULL || *folder != '/')
		return cordon_fail(err, CORDON_E_PATH, errno, "cannot find the working directory");
	str_add_n(&text, (const char *)&head, sizeof head);
	add_string(&text, command->path);
	add_string(&text, folder);
	for (uint32_t i = 0; i < head.arguments; i++)
		add_string(&text, command->argv[i]);
	for (uint32_t i = 0; i < head.variables; i++)
		add_string(&text, command->envp[i]);
	if (text.failed)
		return cordon_no_memory(err);
	if (text.length > SPAWNER_PAYLOAD_MAX)
		return cordon_fail(err, CORDON_E_USAGE, E2BIG, "cannot send the command");
	while (at < text.length) {
		ssize_t n = pwrite(file, text.text + at, text.length - at, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return cordon_fail(err, CORDON_E_SYSTEM, errno, "cannot send the command");
		at += (size_t)n;
	}
	return 0;
}

static int
send_start(int line, const struct spawner_start *start, const int fds[SPAWNER_FDS])
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(SPAWNER_FDS * sizeof(int))];
	} control = {0};
	struct iovec part = {(void *)start, sizeof *start};
	struct msghdr message = {.msg_iov = &part,
				 .msg_iovlen = 1,
				 .msg_control = &control,
				 .msg_controllen = sizeof control};
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);
	ssize_t n;

	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(SPAWNER_FDS * sizeof(int));
	memcpy(CMSG_DATA(header), fds, SPAWNER_FDS * sizeof(int));
	do
		n = sendmsg(line, &message, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof *start ? 0 : -1;
}

int
spawner_client_start(const struct spawner_caller *caller, struct spawner_start *start,
		     const struct command_line *command, struct cordon_error *err)
{
	auto_fd int file = os_memory_file(caller->folder);
	const int *standard = caller->standard;
	/* the number of fds is fixed: without a socket for refusals the last is ignored */
	int fds[SPAWNER_FDS] = {standard[0], standard[1], standard[2], file,
				caller->events < 0 ? file : caller->events};
	int rc;

	start->wants_events = caller->events >= 0;
	if (file < 0)
		return cordon_fail(err, CORDON_E_SYSTEM, errno, "cannot send the command");
	rc = write_payload(file, command, err);
	if (rc == 0 && send_start(caller->line, start, fds) < 0)
		return cordon_fail(err, CORDON_E_SYSTEM, errno, "the session is over");
	return rc;
}
