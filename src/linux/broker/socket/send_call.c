// SPDX-License-Identifier: MIT
/*
 * Sends a checked message. Each attempt is non-blocking; a blocking call continues in its own thread until
 * there is room, its timeout is over, the caller has died, or a signal that it catches is pending.
 */
#include "linux/broker/socket/send_call.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "linux/process/thread.h"

#define PIECE ((size_t)64 * 1024) /* of a stream */
#define STACK_SIZE (128 * 1024)
#define LOOK_MS 25     /* how long a signal may go unnoticed */
#define SHORT_WAITS 50 /* of a millisecond each, for a receiver without room */

/* ---- one attempt ---- */

/* Copies data from offset on, following the caller's iovecs. Returns 0 or an errno. */
static int
copy_parts(const struct send_call *s, size_t offset, char *to, size_t size)
{
	int why = 0;

	for (size_t i = 0; why == 0 && size > 0 && i < s->part_count; i++) {
		const struct iovec *part = &s->parts[i];
		size_t take = part->iov_len > offset ? part->iov_len - offset : 0;

		if (take > size)
			take = size;
		if (take > 0)
			why = notif_bytes(&s->request, (uintptr_t)part->iov_base + offset, to,
					  take);
		offset -= offset < part->iov_len ? offset : part->iov_len;
		to += take;
		size -= take;
	}
	return why;
}

static int
fill(struct send_call *s)
{
	size_t left = s->length - s->done, most = s->type == SOCK_STREAM ? PIECE : left;

	if (s->data == NULL)
		s->data = malloc(s->length < most ? s->length + 1 : most + 1);
	if (s->data == NULL)
		return ENOBUFS;
	s->from = 0;
	s->have = left < most ? left : most;
	return copy_parts(s, s->done, s->data, s->have);
}

/* Control data goes with the first byte only. */
static void
drop_control(struct send_call *s)
{
	for (size_t i = 0; i < s->file_count; i++)
		close(s->files[i]);
	free(s->files);
	free(s->control);
	s->files = NULL;
	s->control = NULL;
	s->file_count = s->control_size = 0;
}

int
send_call_try(struct send_call *s)
{
	int why = s->from == s->have && (s->done < s->length || s->data == NULL) ? fill(s) : 0;
	bool is_last = s->done + (s->have - s->from) == s->length;
	struct iovec piece = {s->data + s->from, s->have - s->from};
	struct msghdr message = {.msg_name = s->size > 0 ? &s->address : NULL,
				 .msg_namelen = s->size,
				 .msg_iov = &piece,
				 .msg_iovlen = 1,
				 .msg_control = s->control,
				 .msg_controllen = s->control_size};
	/* the last byte of all is the urgent one */
	int flags = s->flags & (is_last ? -1 : ~(MSG_OOB | MSG_EOR));
	ssize_t n;

	if (why != 0)
		return why;
	/* musl's sendmsg() copies control data and takes no more than for 255 fds */
	n = syscall(SYS_sendmsg, s->fd, &message, flags | MSG_DONTWAIT | MSG_NOSIGNAL);
	if (n < 0)
		return errno;
	drop_control(s);
	s->from += (size_t)n;
	s->done += (size_t)n;
	return s->done < s->length ? SENDING_MORE : 0;
}

bool
send_call_waits(const struct send_call *s)
{
	int flags = fcntl(s->fd, F_GETFL);

	return !(s->flags & MSG_DONTWAIT) && flags >= 0 && !(flags & O_NONBLOCK);
}

/* ---- close ---- */

void
send_call_drop(struct send_call *s)
{
	drop_control(s);
	free(s->parts);
	free(s->data);
	s->parts = NULL;
	s->data = NULL;
	if (s->fd >= 0)
		close(s->fd);
	if (s->pin >= 0)
		close(s->pin);
	s->fd = s->pin = -1;
}

void
send_call_note_length(const struct send_call *s)
{
	uint32_t length = (uint32_t)s->done;

	if (s->length_at != 0 && notif_is_valid(&s->request))
		notif_write(&s->request, s->length_at, &length, sizeof length);
}

/* SIGPIPE on a stream whose other end is closed, unless MSG_NOSIGNAL is set. */
static void
raise_pipe(const struct send_call *s)
{
	if (s->type == SOCK_STREAM && !(s->flags & MSG_NOSIGNAL) && notif_is_valid(&s->request))
		syscall(SYS_tkill, s->request.thread, SIGPIPE);
}

void
send_call_finish(struct send_call *s, int why)
{
	bool is_sent = why == 0 || s->done > 0;

	send_call_drop(s);
	if (is_sent)
		send_call_note_length(s);
	else if (why == EPIPE)
		raise_pipe(s);
	if (is_sent)
		notif_return(&s->request, s->length_at != 0 ? 1 : (int64_t)s->done);
	else
		notif_fail(&s->request, why);
}

/* ---- blocking calls ---- */

/* There is no event for room at a receiver that is addressed and not connected. */
static void
await(const struct send_call *s, int *waits)
{
	struct pollfd room = {.fd = s->fd, .events = POLLOUT};
	struct timespec moment = {0, (++*waits < SHORT_WAITS ? 1 : LOOK_MS) * 1000000L};

	if (s->size > 0)
		nanosleep(&moment, NULL);
	else
		poll(&room, 1, LOOK_MS);
}

static int
send_all(struct send_call *s)
{
	int64_t deadline = connect_deadline(s->fd);
	int looks = 0, waits = 0, due, why;

	for (;;) {
		why = send_call_try(s);
		if (why != SENDING_MORE && (why != EAGAIN || !send_call_waits(s)))
			return why;
		if (!notif_is_valid(&s->request))
			return EINTR;
		if (why == SENDING_MORE)
			continue;
		due = notif_interruption(&s->request, &looks);
		if (due != 0 || (deadline != 0 && clock_ms() >= deadline))
			return due != 0 ? due : EAGAIN;
		await(s, &waits);
	}
}

static void *
thread_main(void *argument)
{
	struct send_call *s = argument;
	struct broker *broker = s->request.broker;

	send_call_finish(s, send_all(s));
	free(s);
	connect_end_thread(broker);
	return NULL;
}

void
send_call_park(const struct send_call *sending)
{
	struct send_call *copy = malloc(sizeof *copy), whole = *sending;

	if (copy != NULL && connect_begin_thread(whole.request.broker)) {
		*copy = whole;
		copy->request = notif_copy(&whole.request);
		if (thread_start(STACK_SIZE, thread_main, copy) == 0)
			return;
		connect_end_thread(whole.request.broker);
	}
	free(copy);
	send_call_finish(&whole, ENOBUFS);
}
