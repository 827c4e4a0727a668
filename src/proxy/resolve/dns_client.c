// SPDX-License-Identifier: MIT
/*
 * Queries to upstream resolvers. Each query has its own socket and a random id, so a forged answer has to
 * guess both. If a server fails or does not answer, the next one is tried; the list is tried twice.
 */
#include "base/os.h"

#include "proxy/resolve/dns_client.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#define QUERIES_MAX 256
#define ATTEMPT_MS 2000
#define ATTEMPTS_MAX 4
#define EMPTY_TTL 10
#define TTL_MAX 3600

struct cached {
	char name[NAME_SIZE];
	enum dns_type type;
	uint64_t until;
	struct dns_answer answer;
};

struct query {
	struct dns_client *lookup;
	struct timer timed;
	struct loop_watch *watch;
	char name[NAME_SIZE];
	enum dns_type type;
	void *owner;
	void (*done)(void *owner, enum dns_type type, const struct dns_answer *answer);
	uint16_t id;
	unsigned attempt;
	bool is_tcp, is_sent;
	uint8_t *bytes; /* TCP: bytes received so far */
	size_t length;
};

/* ---- cache ---- */

static struct cached **
cache_slot(struct dns_client *lookup, const char *name, enum dns_type type)
{
	uint32_t hash = 2166136261u ^ (uint32_t)type;

	for (; *name != '\0'; name++)
		hash = (hash ^ (unsigned char)*name) * 16777619u;
	return &lookup->cache[hash % LOOKUP_CACHE];
}

static void
remember(struct dns_client *lookup, const struct query *query, const struct dns_answer *answer)
{
	struct cached **slot = cache_slot(lookup, query->name, query->type);
	uint32_t ttl = answer->count == 0 ? EMPTY_TTL : answer->ttl;

	if (answer->code != DNS_OK || ttl == 0)
		return;
	if (*slot == NULL)
		*slot = malloc(sizeof **slot);
	if (*slot == NULL)
		return;
	memcpy((*slot)->name, query->name, sizeof query->name);
	(*slot)->type = query->type;
	(*slot)->answer = *answer;
	(*slot)->until = lookup->timers->now + 1000ull * (ttl < TTL_MAX ? ttl : TTL_MAX);
}

static bool
is_in_hosts(const struct dns_client *lookup, const char *name, enum dns_type type,
	    struct dns_answer *ret_answer)
{
	bool found = false;

	*ret_answer = (struct dns_answer){.code = DNS_OK, .ttl = TTL_MAX};
	for (size_t i = 0; i < lookup->resolver.host_count; i++) {
		const struct host_line *line = &lookup->resolver.hosts[i];

		if (strcmp(line->name, name) != 0)
			continue;
		found = true;
		if (ip_is_v4(&line->address) == (type == DNS_A) &&
		    ret_answer->count < DNS_ADDRESSES)
			ret_answer->addresses[ret_answer->count++] = line->address;
	}
	return found;
}

bool
dns_client_known(struct dns_client *lookup, const char *name, enum dns_type type,
		 struct dns_answer *ret_answer)
{
	const struct cached *cached = *cache_slot(lookup, name, type);
	uint64_t now = lookup->timers->now;

	if (is_in_hosts(lookup, name, type, ret_answer))
		return true;
	if (cached == NULL || cached->type != type || cached->until <= now ||
	    strcmp(cached->name, name) != 0)
		return false;
	*ret_answer = cached->answer;
	ret_answer->ttl = (uint32_t)((cached->until - now + 999) / 1000);
	return true;
}

/* ---- one query ---- */

static void try_next(struct query *query);

struct query *
dns_client_drop(struct query *query)
{
	if (query == NULL)
		return NULL;
	query->lookup->running--;
	timer_clear(&query->timed);
	loop_remove(query->watch);
	free(query->bytes);
	free(query);
	return NULL;
}

static void
finish(struct query *query, const struct dns_answer *answer)
{
	void (*done)(void *, enum dns_type, const struct dns_answer *) = query->done;
	enum dns_type type = query->type;
	void *owner = query->owner;
	struct dns_answer copy = *answer;

	remember(query->lookup, query, answer);
	dns_client_drop(query);
	done(owner, type, &copy);
}

static void
attempt_late(struct timer *timed)
{
	try_next((struct query *)(void *)((char *)timed - offsetof(struct query, timed)));
}

static int
open_socket(const struct query *query, int type)
{
	const struct resolver *resolver = &query->lookup->resolver;
	size_t which = query->attempt % resolver->count;
	struct sockaddr_storage to;
	socklen_t length = ip_to_socket(&resolver->servers[which], resolver->ports[which], &to);
	int fd = os_socket(to.ss_family, type);

	if (fd >= 0 && connect(fd, (struct sockaddr *)&to, length) < 0 && errno != EINPROGRESS) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Ends the query if the message answers it. */
static void
take_answer(struct query *query, const uint8_t *bytes, size_t length)
{
	struct dns_answer answer;

	if (!dns_parse_answer(bytes, length, query->id, query->name, query->type, &answer)) {
		/* anyone may have sent this datagram: the right answer may still arrive */
		if (query->is_tcp)
			try_next(query);
		return;
	}
	if (answer.is_cut && !query->is_tcp) {
		query->is_tcp = true;
		query->attempt--;
		try_next(query);
	} else if (answer.code == DNS_OK || answer.code == DNS_NO_NAME ||
		   query->attempt + 1 >= ATTEMPTS_MAX) {
		finish(query, &answer);
	} else {
		try_next(query);
	}
}

static void
datagram_ready(void *owner, int events)
{
	struct query *query = owner;
	uint8_t bytes[DNS_MESSAGE_MAX];
	ssize_t n = recv(query->watch->fd, bytes, sizeof bytes, MSG_DONTWAIT);

	(void)events;
	if (n >= 0)
		take_answer(query, bytes, (size_t)n);
	else if (errno != EAGAIN && errno != EINTR)
		try_next(query);
}

static bool
send_over_tcp(struct query *query)
{
	uint8_t bytes[2 + DNS_QUERY_MAX];
	size_t length = dns_write_query(query->id, query->name, query->type, bytes + 2);

	bytes[0] = (uint8_t)(length >> 8);
	bytes[1] = (uint8_t)length;
	query->is_sent = true;
	query->length = 0;
	if (query->bytes == NULL)
		query->bytes = malloc(2 + DNS_MESSAGE_MAX);
	loop_want(query->watch, WATCH_READ);
	return query->bytes != NULL &&
	       send(query->watch->fd, bytes, length + 2, MSG_NOSIGNAL) == (ssize_t)length + 2;
}

static void
stream_ready(void *owner, int events)
{
	struct query *query = owner;
	size_t wanted;
	ssize_t n;

	(void)events;
	if (!query->is_sent) {
		if (!send_over_tcp(query))
			try_next(query);
		return;
	}
	n = recv(query->watch->fd, query->bytes + query->length,
		 2 + DNS_MESSAGE_MAX - query->length, MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	query->length += n > 0 ? (size_t)n : 0;
	wanted = query->length < 2 ? 2 : 2 + (size_t)(query->bytes[0] << 8 | query->bytes[1]);
	if (query->length >= wanted && wanted > 2)
		take_answer(query, query->bytes + 2, wanted - 2);
	else if (n <= 0 || wanted > 2 + DNS_MESSAGE_MAX)
		try_next(query);
}

static bool
try_datagram(struct query *query)
{
	uint8_t bytes[DNS_QUERY_MAX];
	size_t length = dns_write_query(query->id, query->name, query->type, bytes);

	query->watch = loop_add(query->lookup->watches, open_socket(query, SOCK_DGRAM), query,
				datagram_ready);
	if (query->watch == NULL ||
	    send(query->watch->fd, bytes, length, MSG_NOSIGNAL) != (ssize_t)length)
		return false;
	loop_want(query->watch, WATCH_READ);
	return true;
}

static bool
try_stream(struct query *query)
{
	query->is_sent = false;
	query->watch = loop_add(query->lookup->watches, open_socket(query, SOCK_STREAM), query,
				stream_ready);
	if (query->watch != NULL)
		loop_want(query->watch, WATCH_WRITE);
	return query->watch != NULL;
}

/* Reports the last failure from a timer, because done must not be called inside dns_client_start. */
static void
give_up(struct timer *timed)
{
	struct dns_answer failed = {.code = DNS_FAILED};

	finish((struct query *)(void *)((char *)timed - offsetof(struct query, timed)), &failed);
}

static void
try_next(struct query *query)
{
	bool is_tcp = query->is_tcp, is_open = false;

	while (!is_open && ++query->attempt < ATTEMPTS_MAX) {
		query->watch = loop_remove(query->watch);
		is_open = is_tcp ? try_stream(query) : try_datagram(query);
		is_tcp = is_open && is_tcp;
	}
	query->is_tcp = is_tcp;
	if (!is_open)
		query->watch = loop_remove(query->watch);
	timer_set(query->lookup->timers, &query->timed, is_open ? ATTEMPT_MS : 0,
		  is_open ? attempt_late : give_up);
}

struct query *
dns_client_start(struct dns_client *lookup, const char *name, enum dns_type type, void *owner,
		 void (*done)(void *owner, enum dns_type type, const struct dns_answer *answer))
{
	struct query *query;
	uint16_t id;

	if (lookup->running >= QUERIES_MAX || strlen(name) >= NAME_SIZE ||
	    getentropy(&id, sizeof id) < 0)
		return NULL;
	query = calloc(1, sizeof *query);
	if (query == NULL)
		return NULL;
	lookup->running++;
	*query = (struct query){.lookup = lookup,
				.type = type,
				.owner = owner,
				.done = done,
				.id = id,
				.attempt = (unsigned)-1};
	strcpy(query->name, name);
	try_next(query);
	return query;
}
