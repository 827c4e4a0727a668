// SPDX-License-Identifier: MIT
/*
 * The stub resolver. Allowed names are resolved, and only vetted addresses are returned and cached. Every
 * other name gets NXDOMAIN without a query to the network, so its labels cannot carry data out.
 */
#include "base/os.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proxy/server/conn.h"

#define CLIENTS_MAX 256
#define CLIENT_MS 30000
#define PENDING_MAX 16	  /* pending queries per client */
#define KEEP_MS 300000ull /* programs use an address longer than its TTL */
#define TTL_MAX 300
#define FRAME (2 + DNS_QUERY_MAX)

struct stub_client {
	struct proxy *proxy;
	struct stub_client *next, *previous;
	struct timer timed;
	struct loop_watch *watch;
	uint8_t in[FRAME];
	size_t length;
	struct pending *pending;
	unsigned pending_count;
};

/* A query whose answer is pending. */
struct pending {
	struct proxy *proxy;
	struct pending *next;
	struct stub_client *client;
	struct query *query;
	struct dns_question question;
	uint8_t bytes[DNS_QUERY_MAX];
};

static void
client_free(struct stub_client *client)
{
	struct proxy *proxy = client->proxy;

	while (client->pending != NULL) {
		struct pending *pending = client->pending;

		client->pending = pending->next;
		dns_client_drop(pending->query);
		free(pending);
	}
	if (client->next != NULL)
		client->next->previous = client->previous;
	if (client->previous != NULL)
		client->previous->next = client->next;
	else
		proxy->stub_clients = client->next;
	proxy->stub_count--;
	timer_clear(&client->timed);
	loop_remove(client->watch);
	free(client);
}

static void
client_late(struct timer *timed)
{
	client_free((struct stub_client *)(void *)((char *)timed -
						   offsetof(struct stub_client, timed)));
}

/* ---- answering ---- */

/* Returns false if the client was freed. */
static bool
send_answer(const struct pending *to, const struct dns_answer *answer)
{
	uint8_t bytes[2 + DNS_MESSAGE_MAX];
	size_t length =
		dns_write_answer(to->bytes, &to->question, answer, bytes + 2, DNS_MESSAGE_MAX);

	bytes[0] = (uint8_t)(length >> 8);
	bytes[1] = (uint8_t)length;
	/* a client that does not read its answers is closed */
	if (send(to->client->watch->fd, bytes, length + 2, MSG_NOSIGNAL | MSG_DONTWAIT) ==
	    (ssize_t)length + 2)
		return true;
	client_free(to->client);
	return false;
}

/* Removes addresses that are not allowed and caches the others. */
static void
vet(struct proxy *proxy, const char *name, struct dns_answer *answer)
{
	uint64_t now = proxy->timers.now, store = 1000ull * answer->ttl;
	size_t kept = 0;

	for (size_t i = 0; i < answer->count; i++) {
		const struct ip_address *address = &answer->addresses[i];
		enum cause what = proxy_address_denied_reason(proxy, address);
		struct refusal why = {.cause = CAUSE_NET_LEADS_TO, .detail = (uint16_t)what};

		if (what == CAUSE_NONE && answers_add(&proxy->answers, address, name, now,
						      now + (store > KEEP_MS ? store : KEEP_MS))) {
			answer->addresses[kept++] = *address;
			continue;
		}
		if (what == CAUSE_NONE)
			why.cause = CAUSE_NET_LEADS_TO_MANY;
		ip_print(address, why.name);
		proxy_refuse(proxy, REFUSED_RESOLVE, name, &why);
	}
	answer->count = kept;
	answer->ttl = answer->ttl < TTL_MAX ? answer->ttl : TTL_MAX;
}

static void
looked_up(void *owner, enum dns_type type, const struct dns_answer *found)
{
	struct pending *pending = owner;
	struct stub_client *client = pending->client;
	struct pending **at = &client->pending;
	struct dns_answer answer = *found;

	(void)type;
	while (*at != pending)
		at = &(*at)->next;
	*at = pending->next;
	client->pending_count--;
	vet(pending->proxy, pending->question.name, &answer);
	send_answer(pending, &answer);
	free(pending);
}

/* Returns true with the answer if no query is needed. */
static bool
is_known(struct proxy *proxy, const struct dns_question *question, struct dns_answer *ret_answer)
{
	bool is_address = question->type == DNS_A || question->type == DNS_AAAA;

	*ret_answer = (struct dns_answer){.code = DNS_OK};
	if (question->name[0] == '\0' || !resolv_conf_allows(proxy->network, question->name)) {
		ret_answer->code = DNS_NO_NAME;
		if (is_address && question->name[0] != '\0')
			proxy_refuse(proxy, REFUSED_RESOLVE, question->name,
				     &(struct refusal){.cause = CAUSE_NET_DOMAIN});
		return true;
	}
	/* HTTPS, SVCB and others: the name exists without such records */
	if (!is_address)
		return true;
	if (!dns_client_known(&proxy->lookup, question->name, (enum dns_type)question->type,
			      ret_answer))
		return false;
	vet(proxy, question->name, ret_answer);
	return true;
}

/* Returns false if the client was freed. */
static bool
ask(const struct pending *from)
{
	static const struct dns_answer failed = {.code = DNS_FAILED};
	struct stub_client *client = from->client;
	struct dns_answer answer;
	struct pending *pending;

	if (is_known(from->proxy, &from->question, &answer))
		return send_answer(from, &answer);
	pending = client->pending_count >= PENDING_MAX ? NULL : malloc(sizeof *pending);
	if (pending == NULL)
		return send_answer(from, &failed);
	*pending = *from;
	pending->query = dns_client_start(&from->proxy->lookup, from->question.name,
					  (enum dns_type)from->question.type, pending, looked_up);
	if (pending->query == NULL) {
		free(pending);
		return send_answer(from, &failed);
	}
	pending->next = client->pending;
	client->pending = pending;
	client->pending_count++;
	return true;
}

static bool
take_question(struct pending *from, const uint8_t *bytes, size_t length)
{
	if (length > sizeof from->bytes || !dns_parse_query(bytes, length, &from->question))
		return false;
	memcpy(from->bytes, bytes, length);
	return true;
}

/* ---- clients ---- */

static void
client_ready(void *owner, int events)
{
	struct stub_client *client = owner;
	struct pending from = {.proxy = client->proxy, .client = client};
	ssize_t n = recv(client->watch->fd, client->in + client->length, FRAME - client->length,
			 MSG_DONTWAIT);
	size_t wanted;

	(void)events;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		client_free(client);
		return;
	}
	client->length += (size_t)n;
	timer_set(&client->proxy->timers, &client->timed, CLIENT_MS, client_late);
	while (client->length >= 2) {
		wanted = 2 + (size_t)(client->in[0] << 8 | client->in[1]);
		if (wanted <= FRAME && client->length < wanted)
			return;
		if (wanted > FRAME || !take_question(&from, client->in + 2, wanted - 2)) {
			client_free(client);
			return;
		}
		client->length -= wanted;
		memmove(client->in, client->in + wanted, client->length);
		if (!ask(&from))
			return;
	}
}

void
dns_stub_start(struct proxy *proxy, int fd)
{
	struct stub_client *client = proxy->stub_count >= CLIENTS_MAX ? NULL
								      : calloc(1, sizeof *client);

	if (client == NULL) {
		close(fd);
		return;
	}
	client->proxy = proxy;
	client->watch = loop_add(&proxy->watches, fd, client, client_ready);
	if (client->watch == NULL) {
		free(client);
		return;
	}
	client->next = proxy->stub_clients;
	if (client->next != NULL)
		client->next->previous = client;
	proxy->stub_clients = client;
	proxy->stub_count++;
	timer_set(&proxy->timers, &client->timed, CLIENT_MS, client_late);
	loop_want(client->watch, WATCH_READ);
}

static void
client_new(struct proxy *proxy, int fd, const struct sockaddr_storage *from)
{
	struct own_conn_end end = {.is_stub = true};

	/* the broker announced this connection before it arrived */
	transparent_drain(proxy);
	if (!ip_from_socket((const struct sockaddr *)from, &end.address, &end.port))
		close(fd);
	else if (own_conns_was_named(&proxy->own_conns, &end, proxy->timers.now))
		dns_stub_start(proxy, fd);
	else
		own_conns_add(&proxy->own_conns, fd, &end);
}

void
dns_stub_accept(void *proxy, int events)
{
	(void)events;
	proxy_accept(proxy, PROXY_STUB, client_new);
}

void
dns_stub_accept_6(void *proxy, int events)
{
	(void)events;
	proxy_accept(proxy, PROXY_STUB_6, client_new);
}
