// SPDX-License-Identifier: MIT
/* Expected, arrived and named connections, in tables of fixed size. */
#include "proxy/server/own_conns.h"

#include <string.h>
#include <unistd.h>

static bool
is_same_end(const struct own_conn_end *a, const struct own_conn_end *b)
{
	return a->port == b->port && a->is_stub == b->is_stub && ip_equal(&a->address, &b->address);
}

static void
remove_arrival(struct own_conns *own_conns, unsigned at)
{
	own_conns->arrival_count--;
	memmove(&own_conns->arrivals[at], &own_conns->arrivals[at + 1],
		(own_conns->arrival_count - at) * sizeof own_conns->arrivals[0]);
}

/* Closes those for which no expected connection is outstanding. */
static void
close_foreign(struct own_conns *own_conns)
{
	uint64_t first = UINT64_MAX;

	for (unsigned i = 0; i < own_conns->expected_count; i++)
		if (own_conns->expected[i].seq < first)
			first = own_conns->expected[i].seq;
	while (own_conns->arrival_count > 0 && own_conns->arrivals[0].seq < first) {
		close(own_conns->arrivals[0].fd);
		remove_arrival(own_conns, 0);
	}
}

void
own_conns_expect(struct own_conns *own_conns, uint64_t id)
{
	if (own_conns->expected_count == OWN_CONNS_EXPECTED)
		return;
	own_conns->expected[own_conns->expected_count].id = id;
	own_conns->expected[own_conns->expected_count++].seq = ++own_conns->seq;
}

void
own_conns_resolve(struct own_conns *own_conns, uint64_t id)
{
	for (unsigned i = 0; i < own_conns->expected_count; i++)
		if (own_conns->expected[i].id == id) {
			own_conns->expected[i] = own_conns->expected[--own_conns->expected_count];
			break;
		}
	close_foreign(own_conns);
}

void
own_conns_add(struct own_conns *own_conns, int fd, const struct own_conn_end *end)
{
	if (own_conns->expected_count == 0) {
		close(fd);
		return;
	}
	if (own_conns->arrival_count == OWN_CONNS_ARRIVALS) {
		close(own_conns->arrivals[0].fd);
		remove_arrival(own_conns, 0);
	}
	own_conns->arrivals[own_conns->arrival_count].end = *end;
	own_conns->arrivals[own_conns->arrival_count].seq = own_conns->seq;
	own_conns->arrivals[own_conns->arrival_count++].fd = fd;
}

int
own_conns_take(struct own_conns *own_conns, const struct own_conn_end *end)
{
	for (unsigned i = 0; i < own_conns->arrival_count; i++)
		if (is_same_end(&own_conns->arrivals[i].end, end)) {
			int fd = own_conns->arrivals[i].fd;

			remove_arrival(own_conns, i);
			return fd;
		}
	return -1;
}

void
own_conns_name(struct own_conns *own_conns, const struct own_conn_end *end, uint64_t now)
{
	unsigned at = own_conns->named_next++ % OWN_CONNS_NAMED;

	own_conns->named[at].end = *end;
	own_conns->named[at].until = now + OWN_CONNS_NAMED_MS;
}

bool
own_conns_was_named(struct own_conns *own_conns, const struct own_conn_end *end, uint64_t now)
{
	bool found = false;

	for (unsigned i = 0; i < OWN_CONNS_NAMED; i++)
		if (own_conns->named[i].until > now && is_same_end(&own_conns->named[i].end, end)) {
			own_conns->named[i].until = 0;
			found = true;
		}
	return found;
}
