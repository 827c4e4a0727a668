// SPDX-License-Identifier: MIT
/*
 * sendto, sendmsg and sendmmsg, where datagrams are granted. Address, control data and iovecs are read once
 * from the caller's memory. The address is checked like that of a connect, known kinds of control data are
 * passed on, and the broker sends. Stream sockets come here only because a filter cannot tell them apart.
 */
#include <errno.h>
#include <limits.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "linux/broker/nest.h"
#include "linux/broker/socket/send_call.h"
#include "linux/broker/socket/sys_socket.h"

#define PARTS_MAX 1024	      /* UIO_MAXIOV */
#define LENGTH_MAX 0x7ffff000 /* of one call; the rest is not sent */
#define UDP_MAX 0xffff
#define CONTROL_MAX 8192
#define FILES_MAX 253	/* SCM_MAX_FD */
#define MESSAGES_MAX 64 /* of one sendmmsg, which returns how many were sent */
#define ZEROCOPY_OPTION 60
#define ZEROCOPY_FLAG 0x4000000
#define LOOPBACK_INDEX 1 /* in every network namespace */

/* struct user_msghdr. */
struct user_message {
	uint64_t name;
	int32_t name_size;
	uint32_t pad;
	uint64_t parts, part_count, control, control_size;
	uint32_t flags, end;
};
struct user_entry {
	struct user_message message;
	uint32_t length, pad;
};

struct wanted {
	struct user_message message;
	const struct iovec *part; /* sendto: the only part; NULL: the parts are in memory */
	int flags;
	uint64_t length_at; /* as in struct send_call */
};

/* ---- data ---- */

/* Returns 0 or an errno, as all below. */
static int
take_parts(const struct wanted *wanted, struct send_call *s)
{
	const struct user_message *message = &wanted->message;
	size_t size = message->part_count * sizeof *s->parts;
	int why;

	if (message->part_count > PARTS_MAX)
		return EMSGSIZE;
	s->parts = malloc(size + 1);
	if (s->parts == NULL)
		return ENOBUFS;
	if (wanted->part != NULL)
		*s->parts = *wanted->part;
	why = size == 0 || wanted->part != NULL
		      ? 0
		      : notif_bytes(&s->request, message->parts, s->parts, size);
	if (why != 0)
		return why;
	s->part_count = message->part_count;
	for (size_t i = 0; i < s->part_count; i++) {
		struct iovec *part = &s->parts[i];

		if (part->iov_len > SSIZE_MAX)
			return EINVAL;
		if (part->iov_len > LENGTH_MAX - s->length)
			part->iov_len = LENGTH_MAX - s->length;
		s->length += part->iov_len;
	}
	return 0;
}

/* A datagram is sent whole or not at all. */
static int
check_length(const struct socket_call *call, const struct send_call *s)
{
	int room = 0;
	socklen_t size = sizeof room;

	if (call->type == SOCK_STREAM)
		return 0;
	if (call->domain == AF_INET || call->domain == AF_INET6)
		return s->length > UDP_MAX ? EMSGSIZE : 0;
	if (getsockopt(call->fd, SOL_SOCKET, SO_SNDBUF, &room, &size) < 0)
		return errno;
	return s->length > (size_t)room ? EMSGSIZE : 0;
}

/* ---- control data ---- */

/* Replaces the caller's fds by duplicates in the same array. There may be several. */
static int
pass_files(struct send_call *s, struct cmsghdr *header)
{
	size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
	int numbers[FILES_MAX], why = EBADF;

	if (count > FILES_MAX - s->file_count)
		return EINVAL;
	memcpy(numbers, CMSG_DATA(header), count * sizeof *numbers);
	if (s->files == NULL)
		s->files = malloc(FILES_MAX * sizeof *s->files);
	if (s->files == NULL)
		return ENOBUFS;
	for (size_t i = 0; i < count; i++) {
		numbers[i] = notif_descriptor(&s->request, numbers[i], &why);
		if (numbers[i] < 0)
			return why;
		s->files[s->file_count++] = numbers[i];
		/* the guard needs some fd numbers at any time */
		if (s->request.broker->fd_watermark != 0 &&
		    numbers[i] >= s->request.broker->fd_watermark)
			return ETOOMANYREFS;
	}
	memcpy(CMSG_DATA(header), numbers, count * sizeof *numbers);
	return 0;
}

/* The kernel accepts only the sender's credentials: the broker's. */
static int
pass_credentials(const struct send_call *s, struct cmsghdr *header)
{
	struct ucred sender;

	if (header->cmsg_len != CMSG_LEN(sizeof sender))
		return EINVAL;
	memcpy(&sender, CMSG_DATA(header), sizeof sender);
	if (sender.pid != notif_process(&s->request))
		return EPERM;
	sender.pid = getpid();
	memcpy(CMSG_DATA(header), &sender, sizeof sender);
	return 0;
}

/* A device index bypasses the device the socket is bound to: only loopback's is accepted. */
static int
pass_device(struct cmsghdr *header, size_t size, size_t offset)
{
	int index;

	if (header->cmsg_len != CMSG_LEN(size))
		return EINVAL;
	memcpy(&index, CMSG_DATA(header) + offset, sizeof index);
	return index == 0 || index == LOOPBACK_INDEX ? 0 : EACCES;
}

static int
pass_internet(struct cmsghdr *header)
{
	static const struct {
		int level, type;
	} known[] = {{IPPROTO_IP, IP_TTL},
		     {IPPROTO_IP, IP_TOS},
		     {IPPROTO_IPV6, IPV6_HOPLIMIT},
		     {IPPROTO_IPV6, IPV6_TCLASS},
		     {IPPROTO_UDP, 103 /* UDP_SEGMENT */},
		     /* ignored by the kernel for these sockets */
		     {SOL_SOCKET, SCM_RIGHTS},
		     {SOL_SOCKET, SCM_CREDENTIALS}};

	if (header->cmsg_level == IPPROTO_IP && header->cmsg_type == IP_PKTINFO)
		return pass_device(header, sizeof(struct in_pktinfo),
				   offsetof(struct in_pktinfo, ipi_ifindex));
	if (header->cmsg_level == IPPROTO_IPV6 && header->cmsg_type == IPV6_PKTINFO)
		return pass_device(header, sizeof(struct in6_pktinfo),
				   offsetof(struct in6_pktinfo, ipi6_ifindex));
	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (header->cmsg_level == known[i].level && header->cmsg_type == known[i].type)
			return 0;
	return EINVAL;
}

static int
pass_header(const struct socket_call *call, struct send_call *s, struct cmsghdr *header)
{
	if (call->domain == AF_INET || call->domain == AF_INET6)
		return pass_internet(header);
	if (header->cmsg_level != SOL_SOCKET)
		return call->domain == AF_UNIX ? 0 : EINVAL;
	if (header->cmsg_type == SCM_RIGHTS && call->domain == AF_UNIX)
		return pass_files(s, header);
	return header->cmsg_type == SCM_CREDENTIALS ? pass_credentials(s, header) : EINVAL;
}

static int
take_control(const struct socket_call *call, const struct user_message *message,
	     struct send_call *s)
{
	int why;
	size_t at = 0;

	if (message->control == 0 || message->control_size == 0)
		return 0;
	if (message->control_size > CONTROL_MAX)
		return ENOBUFS;
	s->control = calloc(1, CONTROL_MAX);
	if (s->control == NULL)
		return ENOBUFS;
	s->control_size = (socklen_t)message->control_size;
	why = notif_bytes(&s->request, message->control, s->control, s->control_size);
	while (why == 0 && s->control_size - at >= sizeof(struct cmsghdr)) {
		struct cmsghdr *header = (struct cmsghdr *)(void *)(s->control + at);

		if (header->cmsg_len < sizeof *header || header->cmsg_len > s->control_size - at)
			return EINVAL;
		why = pass_header(call, s, header);
		at += CMSG_ALIGN(header->cmsg_len);
		if (at > s->control_size)
			break;
	}
	return why;
}

/* ---- address ---- */

/* sendmsg(2) shortens an address that is too long, and takes an empty one for none. */
static bool
is_bad_size(const struct socket_call *call, const struct wanted *wanted, int size)
{
	bool is_sendto = wanted->part != NULL && wanted->message.name != 0;
	bool is_internet = call->domain == AF_INET || call->domain == AF_INET6;

	return size < 0 || (is_sendto && (size > (int)sizeof(struct sockaddr_storage) ||
					  (size == 0 && is_internet && call->type != SOCK_STREAM)));
}

static int
take_name(struct socket_call *call, const struct wanted *wanted)
{
	const struct user_message *message = &wanted->message;
	int size = message->name == 0 ? 0 : message->name_size;

	if (is_bad_size(call, wanted, size))
		return EINVAL;
	if (size > (int)sizeof call->address)
		size = (int)sizeof call->address;
	memset(&call->address, 0, sizeof call->address);
	call->size = (socklen_t)size;
	return size == 0 ? 0
			 : notif_bytes(call->request, message->name, &call->address, call->size);
}

/* On a stream socket the kernel ignores the address; on netlink it leads to the kernel. */
static int
judge_name(struct socket_call *call, int *ret_pin)
{
	if (call->type == SOCK_STREAM || call->type == SOCK_SEQPACKET || call->domain == AF_NETLINK)
		return 0;
	if (call->domain == AF_UNIX)
		return call->size == 0 ? 0 : unix_send_to(call, ret_pin);
	return call->domain == AF_INET || call->domain == AF_INET6 ? inet_send_to(call) : EACCES;
}

/* The kernel would report later, through the socket, that the caller's buffer is free. */
static bool
is_zerocopy(const struct socket_call *call, int flags)
{
	int is_set = 0;
	socklen_t size = sizeof is_set;

	return (flags & ZEROCOPY_FLAG) != 0 &&
	       getsockopt(call->fd, SOL_SOCKET, ZEROCOPY_OPTION, &is_set, &size) == 0 &&
	       is_set != 0;
}

static int
prepare(const struct socket_call *call, const struct wanted *wanted, struct send_call *s)
{
	const struct user_message *message = &wanted->message;
	const int passed = MSG_OOB | MSG_DONTROUTE | MSG_DONTWAIT | MSG_EOR | MSG_CONFIRM |
			   MSG_NOSIGNAL | MSG_MORE;
	struct socket_call to = *call;
	int why = is_zerocopy(call, wanted->flags) ? ENOBUFS : take_name(&to, wanted);

	*s = (struct send_call){.request = *call->request,
				.fd = -1,
				.pin = -1,
				.type = call->type,
				.flags = wanted->flags & passed};
	if (why == 0)
		why = take_parts(wanted, s);
	if (why == 0)
		why = check_length(call, s);
	if (why == 0)
		why = judge_name(&to, &s->pin);
	s->address = to.address;
	s->size = to.size;
	if (why == 0)
		why = take_control(call, message, s);
	if (why == 0 && !notif_is_valid(call->request))
		why = EINTR;
	if (why != 0)
		send_call_drop(s);
	return why;
}

/* ---- calls ---- */

/* Takes ownership of the fd. */
static void
send_one(struct socket_call *call, const struct wanted *wanted)
{
	struct send_call s;
	int why = prepare(call, wanted, &s);

	s.fd = call->fd;
	call->fd = -1;
	s.length_at = wanted->length_at;
	if (why == 0)
		why = send_call_try(&s);
	if (why == SENDING_MORE || (why == EAGAIN && send_call_waits(&s)))
		send_call_park(&s);
	else
		send_call_finish(&s, why);
}

void
sys_sendto(const struct notif_call *request)
{
	const __u64 *a = request->notif.data.args;
	struct socket_call call = {.request = request, .fd = -1};
	struct iovec part = {(void *)(uintptr_t)a[1], a[2] < LENGTH_MAX ? a[2] : LENGTH_MAX};
	struct wanted wanted = {
		.message = {.name = a[4], .name_size = (int32_t)a[5], .part_count = 1},
		.part = &part,
		.flags = (int)a[3]};

	if (socket_take(&call, false))
		send_one(&call, &wanted);
}

void
sys_sendmsg(const struct notif_call *request)
{
	const __u64 *a = request->notif.data.args;
	struct socket_call call = {.request = request, .fd = -1};
	struct wanted wanted = {.flags = (int)a[2]};
	int why;

	if (!socket_take(&call, false))
		return;
	why = notif_bytes(request, a[1], &wanted.message, sizeof wanted.message);
	if (why == 0) {
		send_one(&call, &wanted);
		return;
	}
	close(call.fd);
	notif_fail(request, why);
}

/* One of several messages. Returns 0, or an errno if nothing was sent. */
static int
send_now(struct socket_call *call, const struct wanted *wanted)
{
	struct send_call s;
	int why = prepare(call, wanted, &s);

	if (why != 0)
		return why;
	s.fd = dup(call->fd);
	s.length_at = wanted->length_at;
	why = s.fd < 0 ? errno : send_call_try(&s);
	if (why == 0)
		send_call_note_length(&s);
	send_call_drop(&s);
	return why;
}

static int
read_entry(const struct notif_call *request, unsigned number, struct wanted *to)
{
	const __u64 *a = request->notif.data.args;
	uint64_t at = a[1] + number * sizeof(struct user_entry);

	to->flags = (int)a[3];
	to->length_at = at + offsetof(struct user_entry, length);
	return notif_bytes(request, at, &to->message, sizeof to->message);
}

/*
 * Only the first message may block, and then it is the only one. Likewise for a caller in a nest, whose
 * query may be repeated: nothing may have been sent by then. And a message on a stream may be sent in part.
 */
void
sys_sendmmsg(const struct notif_call *request)
{
	struct socket_call call = {.request = request, .fd = -1};
	unsigned count = (unsigned)request->notif.data.args[2], sent = 0;
	struct wanted wanted = {0};
	int why = 0;

	if (!socket_take(&call, false))
		return;
	if (count > MESSAGES_MAX)
		count = MESSAGES_MAX;
	if (call.type == SOCK_STREAM || nest_depth(request) > 0)
		count = count > 0;
	while (why == 0 && sent < count) {
		why = read_entry(request, sent, &wanted);
		if (why == 0)
			why = count > 1 ? send_now(&call, &wanted) : EAGAIN;
		sent += why == 0;
	}
	if (sent == 0 && why == EAGAIN) {
		send_one(&call, &wanted);
		return;
	}
	close(call.fd);
	if (sent > 0 || why == 0)
		notif_return(request, sent);
	else
		notif_fail(request, why);
}
