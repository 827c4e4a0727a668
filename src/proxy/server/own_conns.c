// SPDX-License-Identifier: MIT
/* Connections that are expected, have arrived, or have been named, in fixed room. */
#include "proxy/server/own_conns.h"

#include <string.h>
#include <unistd.h>

static bool
is_same_end(const struct own_conn_end *a, const struct own_conn_end *b)
{
	return a->port == b->port && a->is_stub == b->is_stub && ip_equal(&a->address, &b->address);
}

static void
remove_arrival(struct own_conns *gate, unsigned at)
{
	gate->arrival_count--;
	memmove(&gate->arrivals[at], &gate->arrivals[at + 1],
		(gate->arrival_count - at) * sizeof gate->arrivals[0]);
}

/* Those for which nothing that was expected is outstanding any more. */
static void
close_foreign(struct own_conns *gate)
{
	uint64_t first = UINT64_MAX;

	for (unsigned i = 0; i < gate->expected_count; i++)
		if (gate->expected[i].turn < first)
			first = gate->expected[i].turn;
	while (gate->arrival_count > 0 && gate->arrivals[0].turn < first) {
		close(gate->arrivals[0].fd);
		remove_arrival(gate, 0);
	}
}

void
own_conns_expect(struct own_conns *gate, uint64_t id)
{
	if (gate->expected_count == OWN_CONNS_EXPECTED)
		return;
	gate->expected[gate->expected_count].id = id;
	gate->expected[gate->expected_count++].turn = ++gate->turn;
}

void
own_conns_resolve(struct own_conns *gate, uint64_t id)
{
	for (unsigned i = 0; i < gate->expected_count; i++)
		if (gate->expected[i].id == id) {
			gate->expected[i] = gate->expected[--gate->expected_count];
			break;
		}
	close_foreign(gate);
}

void
own_conns_hold(struct own_conns *gate, int fd, const struct own_conn_end *end)
{
	if (gate->expected_count == 0) {
		close(fd);
		return;
	}
	if (gate->arrival_count == OWN_CONNS_ARRIVALS) {
		close(gate->arrivals[0].fd);
		remove_arrival(gate, 0);
	}
	gate->arrivals[gate->arrival_count].end = *end;
	gate->arrivals[gate->arrival_count].turn = gate->turn;
	gate->arrivals[gate->arrival_count++].fd = fd;
}

int
own_conns_take(struct own_conns *gate, const struct own_conn_end *end)
{
	for (unsigned i = 0; i < gate->arrival_count; i++)
		if (is_same_end(&gate->arrivals[i].end, end)) {
			int fd = gate->arrivals[i].fd;

			remove_arrival(gate, i);
			return fd;
		}
	return -1;
}

void
own_conns_name(struct own_conns *gate, const struct own_conn_end *end, uint64_t now)
{
	unsigned at = gate->named_next++ % OWN_CONNS_NAMED;

	gate->named[at].end = *end;
	gate->named[at].until = now + OWN_CONNS_NAMED_MS;
}

bool
own_conns_was_named(struct own_conns *gate, const struct own_conn_end *end, uint64_t now)
{
	bool found = false;

	for (unsigned i = 0; i < OWN_CONNS_NAMED; i++)
		if (gate->named[i].until > now && is_same_end(&gate->named[i].end, end)) {
			gate->named[i].until = 0;
			found = true;
		}
	return found;
}
