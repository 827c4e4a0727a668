// SPDX-License-Identifier: MIT
/*
 * The socket to the proxy. Each request waits for the answer with its id; one thread reads all answers.
 * When the socket closes nothing more is sent, and waiting requests fail.
 */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "linux/broker/connect.h"
#include "linux/process/thread.h"

#define STACK_SIZE (64 * 1024)

/* Read without the lock; the fd is never closed. */
int
proxy_client_line(const struct broker *broker)
{
	return __atomic_load_n(&broker->egress.line, __ATOMIC_RELAXED);
}

static void
cut(struct broker *broker)
{
	__atomic_store_n(&broker->egress.line, -1, __ATOMIC_RELAXED);
	for (struct proxy_request *asking = broker->asking; asking != NULL; asking = asking->next) {
		if (!asking->is_answered)
			asking->why = ENETUNREACH;
		asking->is_answered = true;
	}
}

static void
note(struct broker *broker, const struct egress_message *answer)
{
	for (struct proxy_request *asking = broker->asking; asking != NULL; asking = asking->next) {
		if (asking->id != answer->id || answer->kind != EGRESS_ASK)
			continue;
		/* errnos from 512 on are internal to the kernel */
		asking->why = answer->why >= 0 && answer->why < 512 ? answer->why : ECONNREFUSED;
		asking->is_answered = true;
	}
}

static void *
read_answers(void *argument)
{
	struct broker *broker = argument;
	int line = proxy_client_line(broker);
	struct egress_message answer;
	ssize_t n;

	do {
		n = recv(line, &answer, sizeof answer, 0);
		if (n < 0 && errno == EINTR)
			continue;
		pthread_mutex_lock(&broker->sockets);
		if (n == (ssize_t)sizeof answer)
			note(broker, &answer);
		else if (n <= 0)
			cut(broker);
		pthread_cond_broadcast(&broker->answered);
		pthread_mutex_unlock(&broker->sockets);
	} while (n > 0 || (n < 0 && errno == EINTR));
	return NULL;
}

void
proxy_client_start(struct broker *broker)
{
	/* without a reader there are no answers: send no requests */
	if (broker->egress.line >= 0 && thread_start(STACK_SIZE, read_answers, broker) != 0)
		broker->egress.line = -1;
}

int
proxy_client_say(struct broker *broker, uint64_t id, enum egress_kind kind,
		 const struct destination *about)
{
	struct egress_message message = {.id = id, .kind = (uint16_t)kind};
	int line = proxy_client_line(broker);

	if (about != NULL) {
		message.port = about->port;
		memcpy(message.address, about->address, sizeof message.address);
	}
	if (line >= 0 &&
	    send(line, &message, sizeof message, MSG_NOSIGNAL) == (ssize_t)sizeof message)
		return 0;
	return ENETUNREACH;
}

int
proxy_client_ask(struct broker *broker, const struct destination *to,
		 struct proxy_request *ret_asking)
{
	int why;

	pthread_mutex_lock(&broker->sockets);
	*ret_asking = (struct proxy_request){.id = ++broker->last_asked, .next = broker->asking};
	broker->asking = ret_asking;
	pthread_mutex_unlock(&broker->sockets);
	why = proxy_client_say(broker, ret_asking->id, EGRESS_ASK, to);
	if (why != 0)
		proxy_client_drop(broker, ret_asking);
	return why;
}

bool
proxy_client_wait(struct broker *broker, const struct proxy_request *asking, int milliseconds)
{
	struct timespec until;
	bool is_answered;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += (long)milliseconds * 1000000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_mutex_lock(&broker->sockets);
	while (!asking->is_answered &&
	       pthread_cond_timedwait(&broker->answered, &broker->sockets, &until) == 0)
		;
	is_answered = asking->is_answered;
	pthread_mutex_unlock(&broker->sockets);
	return is_answered;
}

void
proxy_client_drop(struct broker *broker, const struct proxy_request *asking)
{
	pthread_mutex_lock(&broker->sockets);
	for (struct proxy_request **at = &broker->asking; *at != NULL; at = &(*at)->next) {
		if (*at == asking) {
			*at = asking->next;
			break;
		}
	}
	pthread_mutex_unlock(&broker->sockets);
}

uint64_t
proxy_client_number(struct broker *broker)
{
	uint64_t number;

	pthread_mutex_lock(&broker->sockets);
	number = ++broker->last_asked;
	pthread_mutex_unlock(&broker->sockets);
	return number;
}
