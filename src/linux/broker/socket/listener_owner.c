// SPDX-License-Identifier: MIT
/*
 * Finds the other end of a connected socket by sock_diag. It exists before accept(), and is bound to the
 * same device as the listening socket.
 */
#include "linux/broker/socket/listener_owner.h"

#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <net/if.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "base/fd.h"

#define LISTENING 10 /* TCP_LISTEN of the kernel */

union end {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

static void
put_end(const union end *end, __be16 *port, __be32 address[4])
{
	bool is_v4 = end->any.sa_family == AF_INET;

	*port = is_v4 ? end->v4.sin_port : end->v6.sin6_port;
	memcpy(address, is_v4 ? (const void *)&end->v4.sin_addr : &end->v6.sin6_addr,
	       is_v4 ? 4 : 16);
}

/* The addresses as seen from the other end. Returns false if the socket is not connected any more. */
static bool
name_peer(int fd, struct inet_diag_req_v2 *to)
{
	union end here = {0}, there = {0};
	socklen_t here_size = sizeof here, there_size = sizeof there;

	if (getsockname(fd, &here.any, &here_size) < 0 ||
	    getpeername(fd, &there.any, &there_size) < 0)
		return false;
	*to = (struct inet_diag_req_v2){.sdiag_family = (__u8)here.any.sa_family,
					.sdiag_protocol = IPPROTO_TCP,
					.idiag_states = ~0u};
	put_end(&there, &to->id.idiag_sport, to->id.idiag_src);
	put_end(&here, &to->id.idiag_dport, to->id.idiag_dst);
	memset(to->id.idiag_cookie, 0xff, sizeof to->id.idiag_cookie);
	to->id.idiag_if = if_nametoindex("lo");
	return true;
}

static bool
judge(const struct nlmsghdr *header, const struct inet_diag_sockid *asked)
{
	const struct nlmsgerr *failed = NLMSG_DATA(header);
	const struct inet_diag_msg *found = NLMSG_DATA(header);

	if (header->nlmsg_type == NLMSG_ERROR)
		return header->nlmsg_len >= NLMSG_LENGTH(sizeof *failed) &&
		       failed->error == -ENOENT;
	if (header->nlmsg_type != SOCK_DIAG_BY_FAMILY ||
	    header->nlmsg_len < NLMSG_LENGTH(sizeof *found))
		return false;
	/* if the other end does not exist any more the kernel reports the listening socket */
	return found->idiag_state == LISTENING ||
	       (asked->idiag_if != 0 && found->id.idiag_if == asked->idiag_if);
}

bool
listener_owner_is_on_lo(int fd)
{
	auto_fd int line = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	struct {
		struct nlmsghdr header;
		struct inet_diag_req_v2 body;
	} request = {.header = {.nlmsg_len = sizeof request,
				.nlmsg_type = SOCK_DIAG_BY_FAMILY,
				.nlmsg_flags = NLM_F_REQUEST}};
	_Alignas(struct nlmsghdr) char bytes[4096];
	const struct nlmsghdr *answer = (const void *)bytes;
	ssize_t n;

	if (line < 0)
		return false;
	if (!name_peer(fd, &request.body))
		return true;
	if (send(line, &request, sizeof request, 0) != (ssize_t)sizeof request)
		return false;
	do
		n = recv(line, bytes, sizeof bytes, 0);
	while (n < 0 && errno == EINTR);
	return n >= (ssize_t)sizeof *answer && answer->nlmsg_len <= (size_t)n &&
	       judge(answer, &request.body.id);
}
