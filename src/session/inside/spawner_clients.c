// SPDX-License-Identifier: MIT
/*
 * Forwards refusals in a shared session to the client of the refused command, and exchanges
 * messages with the guard. Sending must never block: a refusal is lost if its client does not read.
 */
#include "base/os.h"

#include "session/inside/spawner_clients.h"

#include <sys/socket.h>
#include <unistd.h>

#include "ipc/refusal.h"

bool
spawner_clients_is_free(const struct client *client)
{
	return client->socket < 0 && client->pid == 0;
}

bool
spawner_clients_is_full(const struct spawner_state *state)
{
	for (int i = 0; i < CLIENTS_MAX; i++)
		if (spawner_clients_is_free(&state->clients[i]) ||
		    state->clients[i].phase == UNAUTHENTICATED)
			return false;
	return true;
}

bool
spawner_clients_is_any(const struct spawner_state *state)
{
	for (int i = 0; i < CLIENTS_MAX; i++)
		if (!spawner_clients_is_free(&state->clients[i]))
			return true;
	return false;
}

bool
spawner_clients_is_running(const struct client *client)
{
	return client->phase == RUNNING && client->socket >= 0;
}

/*
 * Finds the client by the caller's process group or session, which are the command's unless a program
 * made others. If the refusal has none, returns the only client; else any client, for its log.
 */
static struct client *
client_refused(struct spawner_state *state, struct refusal *refusal)
{
	struct client *any = NULL;
	int count = 0;

	for (int i = 0; i < CLIENTS_MAX; i++) {
		struct client *client = &state->clients[i];

		if (!spawner_clients_is_running(client))
			continue;
		if (client->pid > 0 &&
		    (client->pid == refusal->group || client->pid == refusal->session))
			return client;
		any = client;
		count++;
	}
	refusal->is_unclaimed = count != 1 || refusal->group != 0;
	return any;
}

void
spawner_clients_pass_on(struct spawner_state *state)
{
	struct refusal refusal;
	struct client *client;
	bool ended = false;

	while (state->events >= 0 && refusal_receive(state->events, &refusal, &ended)) {
		client = client_refused(state, &refusal);
		if (client != NULL)
			refusal_forward(client->events, &refusal);
	}
	if (ended) {
		close(state->events);
		state->events = -1;
	}
}

void
spawner_clients_pass_on_old(struct spawner_state *state, const struct client *to)
{
	struct refusal refusal;
	bool ended = false;

	for (int i = 0; i < CLIENTS_MAX; i++)
		if (spawner_clients_is_running(&state->clients[i]))
			return;
	while (state->events >= 0 && refusal_receive(state->events, &refusal, &ended)) {
		refusal.is_unclaimed = true;
		refusal_forward(to->events, &refusal);
	}
}

/* ---- the guard ---- */

bool
spawner_clients_is_orphaned(const struct spawner_state *state)
{
	spawner_question word;

	return recv(state->spawner->line, &word, sizeof word, MSG_PEEK | MSG_DONTWAIT) == 0;
}

bool
spawner_clients_is_last(struct spawner_state *state)
{
	int line = state->spawner->line;
	spawner_question answer;

	while (recv(line, &answer, sizeof answer, MSG_DONTWAIT) == (ssize_t)sizeof answer)
		if (answer == state->question)
			return true;
	if (state->question == 0) {
		state->question = ++state->questions;
		(void)!send(line, &state->question, sizeof answer, MSG_DONTWAIT | MSG_NOSIGNAL);
	}
	return false;
}
