// SPDX-License-Identifier: MIT
/*
 * Reads the kernel's audit log. A denial names a Landlock domain; the first record of a domain is followed by
 * one that names the process which created it. The records of other domains are dropped. The caller's own
 * privileges allow this, so the command cannot: only root has CAP_AUDIT_READ, and netlink of this kind is
 * closed to commands.
 */
#include "linux/landlock/audit_log.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/netlink.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/fd.h"

#define ROOM (4 << 20)	 /* bytes of records that wait */
#define ANSWER_MS 1000	 /* for the kernel's answer whether auditing is on */
#define SETTLE_MS 20	 /* the kernel passes records on in a thread of its own */
#define RECORD_MAX 10240 /* longer than any record with a path */

struct audit_message {
	struct nlmsghdr head;
	char data[RECORD_MAX];
};

/* Returns the length of data, or -1. Only the kernel sends to this group, and sends as number 0. */
static ssize_t
receive(int fd, struct audit_message *to)
{
	struct sockaddr_nl from = {0};
	socklen_t size = sizeof from;
	ssize_t n;

	do
		n = recvfrom(fd, to, sizeof *to - 1, MSG_DONTWAIT, (struct sockaddr *)&from, &size);
	while ((n < 0 && (errno == EINTR || errno == ENOBUFS)) || (n >= 0 && from.nl_pid != 0));
	if (n < (ssize_t)sizeof to->head)
		return -1;
	n -= (ssize_t)sizeof to->head;
	to->data[n] = '\0';
	return n;
}

static bool
is_enabled(void)
{
	struct nlmsghdr query = {.nlmsg_len = sizeof query,
				 .nlmsg_type = AUDIT_GET,
				 .nlmsg_flags = NLM_F_REQUEST};
	struct pollfd readable = {.events = POLLIN};
	auto_fd int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_AUDIT);
	struct audit_status status = {0};
	struct audit_message answer;

	readable.fd = fd;
	if (fd < 0 || send(fd, &query, sizeof query, 0) < 0 || poll(&readable, 1, ANSWER_MS) != 1 ||
	    receive(fd, &answer) < (ssize_t)offsetof(struct audit_status, failure) ||
	    answer.head.nlmsg_type != AUDIT_GET)
		return false;
	memcpy(&status, answer.data, offsetof(struct audit_status, failure));
	return status.enabled != 0;
}

int
audit_log_open(void)
{
	struct sockaddr_nl group = {.nl_family = AF_NETLINK,
				    .nl_groups = 1u << (AUDIT_NLGRP_READLOG - 1)};
	int room = ROOM, fd;

	if (geteuid() != 0 || !is_enabled())
		return -1;
	fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_AUDIT);
	if (fd >= 0 && bind(fd, (struct sockaddr *)&group, sizeof group) < 0) {
		close(fd);
		return -1;
	}
	setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room);
	return fd;
}

/* ---- records ---- */

static bool
is_own(const struct audit_log *log, uint64_t domain)
{
	for (size_t i = 0; i < COUNT(log->domains); i++)
		if (domain != 0 && log->domains[i] == domain)
			return true;
	return false;
}

/* Returns true if the domain is of this session, and was denied what the record before says. */
static bool
add_domain(struct audit_log *log, const char *text, pid_t command)
{
	uint64_t domain;
	pid_t creator;

	if (!audit_record_domain(text, &domain, &creator) ||
	    (creator != command && creator != getpid()))
		return false;
	log->domains[log->domains[0] != 0] = domain;
	return log->access.domain == domain;
}

/* Returns true if log->access is an access by this session. */
static bool
handle(struct audit_log *log, const struct audit_message *message, pid_t command)
{
	bool is_named = message->head.nlmsg_type == AUDIT_RECORD_DOMAIN &&
			add_domain(log, message->data, command);

	if (is_named)
		return true;
	log->access.domain = 0;
	return message->head.nlmsg_type == AUDIT_RECORD_ACCESS &&
	       audit_record_access(message->data, &log->access) && is_own(log, log->access.domain);
}

bool
audit_log_next(struct audit_log *log, pid_t command, int64_t until)
{
	struct pollfd readable = {.fd = log->fd, .events = POLLIN};
	struct audit_message message;

	while (poll(&readable, 1, clock_ms() < until ? SETTLE_MS : 0) == 1 &&
	       receive(log->fd, &message) >= 0)
		if (handle(log, &message, command))
			return true;
	return false;
}
