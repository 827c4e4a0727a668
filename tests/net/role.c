// SPDX-License-Identifier: MIT
/*
 * Not a test: starts the proxy as a session does and plays the broker, word by word, for the tests.
 *
 *     role [domain NAME] [port N] [opaque N] [private RANGE] [resolver ADDRESS:PORT]
 *          [ech allow]...
 *
 * First a line "named PORT through PORT stub PORT token TOKEN pid PID". Then on standard input:
 *     ask ID ADDRESS PORT     expect ID     comes ID ADDRESS PORT     asks ID ADDRESS PORT     forget ID
 * and on standard output "answer ID ERRNO" and "refused WHAT SUBJECT | REASON | ALLOW". Ends, and the
 * proxy with it, at the end of its input. The caller's environment is the proxy's.
 */
#include "base/os.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proxy/server/proxy.h"
#include "proxy/wire/ip.h"
#include "session/channel/events.h"
#include "session/prepare/proxy_spawn.h"
#include "session/session.h"

extern char **environ;

static void
refused(void *sink, const struct refusal *refusal)
{
	auto_str struct str reason = {0}, option = {0};

	(void)sink;
	refusal_print_reason(refusal, &reason);
	refusal_print_option(refusal, &option);
	printf("refused %s %s | %s | %s\n", refusal_what(refusal), refusal->subject, reason.text,
	       option.text == NULL ? "" : option.text);
}

static void
push_word(struct words *to, const char *text)
{
	to->items = realloc(to->items, (to->count + 1) * sizeof *to->items);
	if (to->items == NULL)
		exit(2);
	to->items[to->count++] = (struct word){.text = text};
}

static void
push_port(struct ports *to, const char *text)
{
	to->items = realloc(to->items, (to->count + 1) * sizeof *to->items);
	if (to->items == NULL)
		exit(2);
	to->items[to->count++] = (struct port){.number = (uint16_t)atoi(text)};
}

static void
read_arguments(char **argv, struct network *to)
{
	to->mode = NET_DOMAINS;
	for (; argv[0] != NULL && argv[1] != NULL; argv += 2) {
		if (strcmp(argv[0], "domain") == 0)
			push_word(&to->domains, argv[1]);
		else if (strcmp(argv[0], "private") == 0)
			push_word(&to->private_ranges, argv[1]);
		else if (strcmp(argv[0], "port") == 0)
			push_port(&to->ports, argv[1]);
		else if (strcmp(argv[0], "opaque") == 0)
			push_port(&to->opaque, argv[1]);
		else if (strcmp(argv[0], "resolver") == 0)
			to->resolver.text = argv[1];
		else if (strcmp(argv[0], "ech") == 0)
			to->ech = ECH_ALLOW;
	}
}

static void
send_order(int line, const char *text)
{
	static const char *const kinds[] = {[EGRESS_ASK] = "ask",
					    [EGRESS_COMES] = "comes",
					    [EGRESS_EXPECT] = "expect",
					    [EGRESS_ASKS] = "asks",
					    [EGRESS_FORGET] = "forget"};
	char word[16], address_text[64] = "";
	struct egress_message message = {0};
	struct ip_address address = {{0}};
	unsigned long long id = 0;
	unsigned port = 0;

	if (sscanf(text, "%15s %llu %63s %u", word, &id, address_text, &port) < 2)
		return;
	ip_parse(address_text, &address);
	memcpy(message.address, address.bytes, sizeof message.address);
	message.id = id;
	message.port = (uint16_t)port;
	while (message.kind < EGRESS_FORGET && strcmp(word, kinds[message.kind]) != 0)
		message.kind++;
	if (send(line, &message, sizeof message, MSG_NOSIGNAL) < 0)
		exit(3);
}

static void
hear_answer(int line)
{
	struct egress_message message;

	if (recv(line, &message, sizeof message, 0) != (ssize_t)sizeof message)
		exit(3);
	printf("answer %llu %d\n", (unsigned long long)message.id, message.why);
}

static void
play(const struct proxy_process *hold, struct event_source *told,
     const struct session_request *request)
{
	char text[200];

	for (;;) {
		struct pollfd fds[3] = {{.fd = 0, .events = POLLIN},
					{.fd = hold->egress.line, .events = POLLIN},
					{.fd = told->ours, .events = POLLIN}};

		if (poll(fds, 3, -1) < 0)
			continue;
		if (fds[2].revents)
			events_drain(told, request);
		if (fds[1].revents)
			hear_answer(hold->egress.line);
		if (fds[0].revents && fgets(text, sizeof text, stdin) == NULL)
			return;
		if (fds[0].revents)
			send_order(hold->egress.line, text);
		fflush(stdout);
	}
}

int
main(int argc, char **argv)
{
	struct plan plan = {0};
	struct proxy_process hold;
	struct event_source told;
	struct cordon_error err = {0};
	struct session_request request = {
		.plan = &plan,
		.environ = (const char *const *)environ,
		.proxy_main = proxy_function(),
		.refused = refused,
	};

	(void)argc;
	setvbuf(stdin, NULL, _IONBF, 0);
	read_arguments(argv + 1, &plan.settings.network);
	if (events_open(&request, &told, &err) < 0 ||
	    proxy_spawn_start(&request, told.theirs, &hold, &err) < 0) {
		fprintf(stderr, "role: %s\n", err.text);
		return 1;
	}
	printf("named %u through %u stub %u token %s pid %d\n", hold.egress.named,
	       hold.egress.through, hold.egress.stub, hold.token, (int)hold.pid);
	fflush(stdout);
	events_handed_over(&told);
	play(&hold, &told, &request);
	events_close(&told);
	proxy_spawn_end(&hold, false);
	free(plan.settings.network.domains.items);
	free(plan.settings.network.private_ranges.items);
	free(plan.settings.network.ports.items);
	return 0;
}
