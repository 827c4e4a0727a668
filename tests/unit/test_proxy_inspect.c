// SPDX-License-Identifier: MIT
/* DNS messages, TLS hellos, and the first bytes of a connection. */
#include <stdlib.h>

#include "proxy/wire/dns.h"
#include "proxy/wire/inspect.h"
#include "tap.h"

/* ---- hellos ---- */

struct hello {
	uint8_t bytes[4096];
	size_t length;
};

static void
put(struct hello *to, size_t size, unsigned value)
{
	for (size_t i = size; i-- > 0;)
		to->bytes[to->length++] = (uint8_t)(value >> 8 * i);
}

static void
put_extension(struct hello *to, unsigned kind, const char *name)
{
	unsigned length = (unsigned)strlen(name);

	put(to, 2, kind);
	put(to, 2, length + 5);
	put(to, 2, length + 3);
	put(to, 1, 0);
	put(to, 2, length);
	memcpy(to->bytes + to->length, name, length);
	to->length += length;
}

/* A hello with these names, in records of that size; 0: one record. */
static struct hello
make_hello(const char *first, const char *second, unsigned other, size_t record)
{
	struct hello extensions = {.length = 0}, message = {.length = 0}, all = {.length = 0};

	if (other != 0)
		put_extension(&extensions, other, "x");
	if (first != NULL)
		put_extension(&extensions, 0, first);
	if (second != NULL)
		put_extension(&extensions, 0, second);
	put(&message, 1, 1);
	put(&message, 3, (unsigned)(2 + 32 + 1 + 4 + 2 + 2 + extensions.length));
	put(&message, 2, 0x0303);
	message.length += 32;
	put(&message, 1, 0);
	put(&message, 4, 0x00021301);
	put(&message, 2, 0x0100);
	put(&message, 2, (unsigned)extensions.length);
	memcpy(message.bytes + message.length, extensions.bytes, extensions.length);
	message.length += extensions.length;
	for (size_t at = 0, size; at < message.length; at += size) {
		size = record == 0 || message.length - at < record ? message.length - at : record;
		put(&all, 3, 0x160301);
		put(&all, 2, (unsigned)size);
		memcpy(all.bytes + all.length, message.bytes + at, size);
		all.length += size;
	}
	return all;
}

static char hello_name[NAME_SIZE];
static enum cause hello_reason;

static enum tls_verdict
read_hello(const struct hello *hello)
{
	hello_reason = CAUSE_NONE;
	return tls_hello(hello->bytes, hello->length, hello_name, &hello_reason);
}

static void
the_server_name_of_a_hello_is_read(void)
{
	struct hello hello = make_hello("WWW.a.test", NULL, 0x1234, 0);

	check_int(read_hello(&hello), TLS_NAMED);
	check_str(hello_name, "www.a.test");
	for (size_t record = 1; record < 60; record += 7) {
		hello = make_hello("a.test", NULL, 0, record);
		check_int(read_hello(&hello), TLS_NAMED);
		check_str(hello_name, "a.test");
	}
	for (size_t i = 0; i < hello.length; i++)
		check_int(tls_hello(hello.bytes, i, hello_name, &hello_reason), TLS_MORE);
}

static void
hellos_without_a_plain_name_are_refused(void)
{
	struct hello hello = make_hello(NULL, NULL, 0x1234, 0);

	check_int(read_hello(&hello), TLS_BAD);
	check_int(hello_reason, CAUSE_TLS_NO_NAME);
	hello = make_hello("a.test", "b.test", 0, 0);
	check_int(read_hello(&hello), TLS_BAD);
	hello = make_hello("a test", NULL, 0, 0);
	check_int(read_hello(&hello), TLS_BAD);
	hello = make_hello("a.test", NULL, 0, 0);
	hello.bytes[5] = 2;
	check_int(read_hello(&hello), TLS_BAD);
	hello = make_hello("a.test", NULL, 0, 0);
	hello.bytes[6] = 1; /* longer than anything */
	check_int(read_hello(&hello), TLS_BAD);
	hello = make_hello("a.test", NULL, 0, 20);
	hello.bytes[25] = 23; /* something between the pieces */
	check_int(read_hello(&hello), TLS_BAD);
	check_int(tls_hello((const uint8_t *)"SSH-", 4, hello_name, &hello_reason), TLS_OTHER);
}

static void
hellos_with_encrypted_names_are_recognised(void)
{
	static const unsigned kinds[] = {0xfe0d, 0xfe0a, 0xfe08, 0xffce};
	struct hello hello = make_hello("a.test", NULL, 0xfe0e, 0);

	check_int(read_hello(&hello), TLS_NAMED);
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
		hello = make_hello("a.test", NULL, kinds[i], i);
		check_int(read_hello(&hello), TLS_HIDDEN);
		check_str(hello_name, "a.test");
		/* without one that is seen, or with two, there is nothing to go by */
		hello = make_hello(NULL, NULL, kinds[i], 0);
		check_int(read_hello(&hello), TLS_BAD);
		hello = make_hello("a.test", "b.test", kinds[i], 0);
		check_int(read_hello(&hello), TLS_BAD);
	}
}

/* ---- first bytes ---- */

static bool
is_a(const void *context, const char *name)
{
	(void)context;
	return strcmp(name, "a.test") == 0;
}

static size_t good;

/* What is shown may be changed: after inspect_look it is here. */
static char shown[CHECK_MAX + 1];

static enum check_verdict
show(struct inspection *check, const void *bytes, size_t length, size_t *ret_good)
{
	memcpy(shown, bytes, length);
	return inspect_look(check, shown, length, ret_good);
}

static enum check_verdict
look(unsigned port, const void *bytes, size_t length)
{
	struct inspection check = {.is_name = is_a, .port = port};

	return show(&check, bytes, length, &good);
}

static enum check_verdict
look_text(unsigned port, const char *text)
{
	return look(port, text, strlen(text));
}

#define GET_A "GET / HTTP/1.1\r\nHost: a.test\r\n\r\n"
#define GET_B "GET / HTTP/1.1\r\nHost: b.test\r\n\r\n"

static void
tls_needs_the_name_of_the_connection(void)
{
	struct hello hello = make_hello("a.test", NULL, 0, 0);

	check_int(look(443, hello.bytes, hello.length), CHECK_WAIT);
	check_int(good, hello.length);
	check_int(look(443, hello.bytes, hello.length - 1), CHECK_GO_ON);
	check_int(good, 0);
	hello = make_hello("b.test", NULL, 0, 0);
	check_int(look(443, hello.bytes, hello.length), CHECK_TLS_BAD);
	check_int(look(22, hello.bytes, hello.length), CHECK_TLS_BAD);
	hello = make_hello(NULL, NULL, 0, 0);
	check_int(look(443, hello.bytes, hello.length), CHECK_TLS_BAD);
	check_int(look(443, "\x16\x02junk", 6), CHECK_BAD);
}

/* How a server begins its answer: a hello of its own, or one that asks for another. */
#define SERVER_AGAIN                                                                     \
	"\x16\x03\x03\0\x58\x02\0\0\x54\x03\x03\xcf\x21\xad\x74\xe5\x9a\x61\x11\xbe\x1d" \
	"\x8c\x02\x1e\x65\xb8\x91\xc2\xa2\x11\x16\x7a\xbb\x8c\x5e\x07\x9e\x09\xe2\xc8"   \
	"\xa8\x33\x9c"

static struct inspection
hello_answered(const char *answer, size_t record)
{
	struct hello hello = make_hello("a.test", NULL, 0, record);
	struct inspection check = {.is_name = is_a, .port = 443};

	check_int(tls_hello_size(hello.bytes, hello.length), hello.length);
	/* what comes right behind it waits */
	memset(hello.bytes + hello.length, 0x16, 10);
	check_int(tls_hello_size(hello.bytes, hello.length + 10), hello.length);
	check_int(show(&check, hello.bytes, hello.length + 10, &good), CHECK_WAIT);
	check_int(good, hello.length);
	check_int(show(&check, "x", 1, &good), CHECK_WAIT);
	check_int(good, 0);
	check_int(inspect_waits(&check), TLS_ANSWER_SIZE);
	while (check.state == CHECK_ANSWER)
		inspect_response(&check, answer);
	return check;
}

#define ALERT "\x15\x03\x03\0\x02\x01\x70"
#define CHANGE "\x14\x03\x03\0\x01\x01"
#define SERVER_HELLO "\x16\x03\x03\0\x58\x02\0\0\x54\x03\x03"

/* Records that a client reads over, and a hello in pieces, do not hide that another one is asked for. */
static void
an_answer_is_read_past_alerts(void)
{
	static const struct {
		const char answer[CHECK_ANSWER_MAX + 20];
		bool may_ask_again;
	} answers[] = {
		{ALERT SERVER_HELLO, false},
		{ALERT ALERT SERVER_HELLO, false},
		{CHANGE SERVER_HELLO, false},
		{ALERT SERVER_AGAIN, true},
		{CHANGE CHANGE SERVER_AGAIN, true},
		{ALERT ALERT ALERT SERVER_AGAIN, true},
		{"\x15\x03\x03\x40\0" SERVER_AGAIN, true},
		/* of 37 bytes, and of 4 */
		{"\x16\x03\x03\0\x25\x02\0\0\x54\x03\x03", true},
		{"\x16\x03\x03\0\x04\x02\0\0\x54\x16\x03\x03\0\x54\x03\x03", true},
		{"", true},
	};
	struct hello bad = make_hello("b.test", NULL, 0, 0),
		     fine = make_hello("a.test", NULL, 0, 0);

	for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
		struct inspection check = hello_answered(answers[i].answer, 0);

		check_int(show(&check, bad.bytes, bad.length, &good),
			  answers[i].may_ask_again ? CHECK_TLS_BAD : CHECK_RAW);
		check = hello_answered(answers[i].answer, 0);
		check_int(show(&check, fine.bytes, fine.length, &good), CHECK_RAW);
	}
}

static void
a_second_hello_needs_the_name_as_well(void)
{
	static const char plain[TLS_ANSWER_SIZE] = SERVER_HELLO;
	/* a changed cipher, and data that was sent early */
	static const char before[] = "\x14\x03\x03\0\x01\x01\x17\x03\x03\0\x02xy";
	struct hello bad = make_hello("b.test", NULL, 0, 0),
		     fine = make_hello("a.test", NULL, 0, 9);
	struct inspection check = hello_answered(plain, 0);
	size_t first = sizeof before - 1;
	char all[sizeof bad.bytes];

	check_int(show(&check, "anything", 8, &good), CHECK_RAW);
	for (size_t record = 0; record < 9; record += 4) {
		check = hello_answered(SERVER_AGAIN, record);
		check_int(show(&check, bad.bytes, bad.length, &good), CHECK_TLS_BAD);
		check_int(good, 0);
		check = hello_answered(SERVER_AGAIN, record);
		check_int(show(&check, fine.bytes, fine.length, &good), CHECK_RAW);
	}
	memcpy(all, before, first);
	memcpy(all + first, bad.bytes, bad.length);
	check = hello_answered(SERVER_AGAIN, 0);
	check_int(show(&check, all, first + bad.length, &good), CHECK_TLS_BAD);
	/* byte by byte: the hello is held, and found */
	check = hello_answered(SERVER_AGAIN, 0);
	for (size_t i = 0, held = 0; i < first + bad.length; i++) {
		enum check_verdict verdict = show(&check, all + i - held, held + 1, &good);

		check_int(verdict, i + 1 < first + bad.length ? CHECK_GO_ON : CHECK_TLS_BAD);
		held = held + 1 - good;
	}
}

static void
two_hellos_in_one_record_are_refused(void)
{
	struct hello hello = make_hello("a.test", NULL, 0, 0);
	size_t message = hello.length - 5;

	memcpy(hello.bytes + hello.length, hello.bytes + 5, message);
	hello.bytes[3] = (uint8_t)(2 * message >> 8);
	hello.bytes[4] = (uint8_t)(2 * message);
	for (size_t i = 0; i <= message; i++) {
		enum check_verdict verdict = look(443, hello.bytes, hello.length - i);

		check_int(verdict, i == 0 ? CHECK_TLS_BAD : CHECK_GO_ON);
		check_int(good, 0);
	}
	check_int(look(443, hello.bytes, hello.length + message), CHECK_TLS_BAD);
}

static void
a_hidden_name_passes_only_where_it_is_allowed(void)
{
	struct hello hello = make_hello("a.test", NULL, 0xfe0d, 0);
	struct inspection check = {.is_name = is_a, .port = 443}, allowed = check;
	const uint8_t *bytes = hello.bytes;

	check_int(show(&check, bytes, hello.length, &good), CHECK_TLS_BAD);
	check_int(good, 0);
	check_int(check.cause, CAUSE_TLS_ECH);
	allowed.takes_hidden = true;
	check_int(show(&allowed, bytes, hello.length, &good), CHECK_WAIT);
	check_int(good, hello.length);
	/* the one that is seen must be right all the same */
	hello = make_hello("b.test", NULL, 0xfe0d, 0);
	allowed = (struct inspection){.is_name = is_a, .port = 443, .takes_hidden = true};
	check_int(show(&allowed, bytes, hello.length, &good), CHECK_TLS_BAD);
	check_int(good, 0);
}

static void
every_request_needs_the_name_of_the_connection(void)
{
	check_int(look_text(80, GET_A), CHECK_GO_ON);
	check_int(good, strlen(GET_A));
	check_int(look_text(8080, GET_A GET_A), CHECK_GO_ON);
	check_int(good, 2 * strlen(GET_A));
	check_int(look_text(80, GET_B), CHECK_HTTP_BAD);
	check_int(good, 0);
	check_int(look_text(80, GET_A GET_B), CHECK_HTTP_BAD);
	check_int(good, strlen(GET_A));
	check_int(look_text(80,
			    "POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 1\r\n\r\nx" GET_B),
		  CHECK_HTTP_BAD);
	check_int(look_text(80, "GET http://b.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n"),
		  CHECK_HTTP_BAD);
	check_int(look_text(80, "GET / HTTP/1.0\r\n\r\n"), CHECK_HTTP_BAD);
	check_int(look_text(80, "GET / HTTP/1.1\r\nHost: a.test:81\r\n\r\n"), CHECK_HTTP_BAD);
	check_int(look_text(80, "CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:443\r\n\r\n"),
		  CHECK_HTTP_BAD);
	check_int(look_text(80, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), CHECK_HTTP_BAD);
}

static void
unusual_first_bytes_do_not_bypass_it(void)
{
	static const char *const odd[] = {"\r\n" GET_B,
					  "\n\n" GET_B,
					  " " GET_B,
					  "\t" GET_B,
					  "get / HTTP/1.1\r\nHost: b.test\r\n\r\n",
					  "GET / HTTP/1.1\nHost: b.test\n\n",
					  "G@T / HTTP/1.1\r\nHost: b.test\r\n\r\n"};

	for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++)
		for (unsigned port = 80; port <= 8080; port += 8000) {
			check(look_text(port, odd[i]) >= CHECK_TLS_BAD);
			check_int(good, 0);
		}
	/* split anywhere: nothing goes before it is known */
	for (size_t i = 0; i < strlen(GET_B); i++) {
		check_int(look(8080, GET_B, i), CHECK_GO_ON);
		check_int(good, 0);
	}
}

static enum check_verdict
look_opaque(unsigned port, const void *bytes, size_t length)
{
	struct inspection check = {.is_name = is_a, .port = port, .is_opaque = true};

	return show(&check, bytes, length, &good);
}

/* Of each: the bytes, and whether they pass on an opaque port. */
static const struct {
	const char *bytes;
	size_t length;
	bool passes;
} unnamed[] = {
#define TEXT(text) text, sizeof text - 1
	{TEXT("\0\0\0\x08\x04\xd2\x16\x2f"), true},
	{TEXT("PING\r\n"), true},
	{TEXT("AMQP\0\0\x09\x01"), true},
	{TEXT("EHLO a.test\r\n"), true},
	{TEXT("get /key\r\n"), true},
	{TEXT("CONNECT {\"verbose\":false}\r\n"), true},
	{TEXT("a1 LOGIN x y\r\n"), true},
	{TEXT("0032git-upload-pack /r.git\0host=b.test\0"), true},
	{TEXT("\x80\x2e\x01\0\x02\0\x15"), true}, /* a hello of SSL 2 */
	{TEXT("\x16\x02junk"), true},
	/* requests without a version, which many servers answer */
	{TEXT("POST /up\r\nHost: b.test\r\nContent-Length: 0\r\n\r\n"), false},
	{TEXT("POST /up\r\nHost: a.test\r\nContent-Length: 0\r\n\r\n"), false},
	{TEXT("POST /up\nHost: b.test\n\n"), false},
	{TEXT("\r\n\r\nGET /\r\nHost: b.test\r\n\r\n"), false},
	{TEXT("GET \t /up\r\n\r\n"), false},
	{TEXT("GET\t/up\r\n\r\n"), false},
	{TEXT("GET\v/up\r\n\r\n"), false},
	{TEXT("\fGET /up\r\n\r\n"), false},
	{TEXT("POST up\r\nHost: b.test\r\n\r\n"), false},
	{TEXT("LOCK /up\r\nHost: b.test\r\n\r\n"), false},
	{TEXT("M-SEARCH *\r\nHost: b.test\r\n\r\n"), false},
	{TEXT("GET http://b.test/\r\n\r\n"), false},
	{TEXT("GET HTTP://b.test/\r\n\r\n"), false},
	{TEXT("SSH-2.0-x / HTTP/1.1\r\nHost: b.test\r\n\r\n"), false},
	/* records of TLS that are no handshake, before one that is for another name */
	{TEXT("\x15\x03\x01\0\x02\x01\0"), false},
	{TEXT("\x14\x03\x03\0\x01\x01"), false},
	{TEXT("\x17\x03\x03\0\x01x"), false},
	{TEXT("\x18\x03\x03\0\x03\x01\0\0"), false},
};

static void
data_without_a_host_passes_on_opaque_ports_only(void)
{
	for (size_t i = 0; i < sizeof unnamed / sizeof unnamed[0]; i++) {
		for (unsigned port = 80; port <= 8080; port += 8000) {
			check(look(port, unnamed[i].bytes, unnamed[i].length) >= CHECK_TLS_BAD);
			check_int(good, 0);
			if (!unnamed[i].passes)
				check(look_opaque(port, unnamed[i].bytes, unnamed[i].length) >=
				      CHECK_TLS_BAD);
			else
				check_int(look_opaque(port, unnamed[i].bytes, unnamed[i].length),
					  CHECK_RAW);
		}
		/* split anywhere: nothing goes before it is known */
		for (size_t j = 0; j < unnamed[i].length; j++)
			check(look(8080, unnamed[i].bytes, j) != CHECK_RAW && good == 0);
	}
	/* cut before its end, a line is no other line */
	check_int(look_text(8080, "GET /\x01"), CHECK_GO_ON);
	check_int(look_text(8080, "\r\nget\t\x7f\x02"), CHECK_GO_ON);
	check_int(look_text(8080, "GET /\x01 HTTP/1.1\r\nHost: b.test\r\n\r\n"), CHECK_HTTP_BAD);
	check_int(look_text(8080, "\x15"), CHECK_GO_ON);
}

/* A server may wait for a whole message before it answers: nothing is held back for a line's end. */
static void
a_message_without_a_line_passes_on_opaque_ports(void)
{
	static const char *const texts[] = {"hello",	   "PING", "{\"a\":1}",
					    "hello world", "S",	   "GETX"};

	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		check_int(look_opaque(9000, texts[i], strlen(texts[i])), CHECK_RAW);
		check_int(look_text(9000, texts[i]), CHECK_GO_ON);
	}
	/* what may still be a request or a hello is waited for */
	check_int(look_opaque(9000, "GET /", 5), CHECK_GO_ON);
	check_int(look_opaque(9000, "\r\nP", 3), CHECK_GO_ON);
	check_int(look_opaque(9000, "\x16", 1), CHECK_GO_ON);
}

static void
a_refusal_says_whether_the_port_may_be_opaque(void)
{
	struct inspection check = {.is_name = is_a, .port = 5432},
			  web = {.is_name = is_a, .port = 443};

	check_int(show(&check, "\0\0\0\x08", 4, &good), CHECK_BAD);
	check_int(check.cause, CAUSE_PORT_KNOWN);
	check_int(show(&web, "\0\0\0\x08", 4, &good), CHECK_BAD);
	check_int(web.cause, CAUSE_PORT_WEB);
}

#define SSH_LINE "SSH-2.0-OpenSSH_9.2p1 Debian\r\n"

static struct inspection
ssh_answered(const char *before, const char *after)
{
	struct inspection check = {.is_name = is_a, .port = 22};
	size_t line = strlen(SSH_LINE);

	check_int(inspect_waits(&check), 4);
	if (before != NULL) {
		inspect_response(&check, before);
		check_int(inspect_waits(&check), 0);
		return check;
	}
	/* what follows its line waits */
	check_int(show(&check, SSH_LINE "more", line + 4, &good), CHECK_WAIT);
	check_int(good, line);
	check_int(inspect_waits(&check), 4);
	check_int(show(&check, "more", 4, &good), CHECK_WAIT);
	check_int(good, 0);
	inspect_response(&check, after);
	return check;
}

static void
ssh_needs_a_version_line_from_both_ends(void)
{
	struct inspection check = ssh_answered("SSH-", NULL);

	check_int(show(&check, SSH_LINE "more", strlen(SSH_LINE) + 4, &good), CHECK_RAW);
	check_int(good, strlen(SSH_LINE) + 4);
	check = ssh_answered("HTTP", NULL);
	check_int(show(&check, SSH_LINE, strlen(SSH_LINE), &good), CHECK_BAD);
	check_int(good, 0);
	check = ssh_answered(NULL, "SSH-");
	check_int(show(&check, "more", 4, &good), CHECK_RAW);
	check = ssh_answered(NULL, "HTTP");
	check_int(show(&check, "", 0, &good), CHECK_BAD);
	/* a server that said so before does not make other bytes SSH */
	check = ssh_answered("SSH-", NULL);
	check_int(show(&check, GET_B, strlen(GET_B), &good), CHECK_HTTP_BAD);
	check = ssh_answered("SSH-", NULL);
	check_int(show(&check, "SSH\r\n", 5, &good), CHECK_BAD);
	check_int(look_text(22, "SSH-2.0-Open"), CHECK_GO_ON);
	check_int(look_text(22, "SSH-2.0-\x01\r\n"), CHECK_BAD);
	check_int(look_text(443, SSH_LINE), CHECK_BAD);
	check_int(look_opaque(443, SSH_LINE, strlen(SSH_LINE)), CHECK_RAW);
}

static void
only_an_accepted_upgrade_is_raw(void)
{
	static const char upgrade[] =
		"GET / HTTP/1.1\r\nHost: a.test\r\nUpgrade: websocket\r\n\r\n";
	struct inspection first = {.is_name = is_a, .port = 80}, refused = first;

	check_int(show(&first, upgrade, sizeof upgrade - 1, &good), CHECK_WAIT);
	check_int(good, sizeof upgrade - 1);
	check_int(show(&first, GET_B, strlen(GET_B), &good), CHECK_WAIT);
	check_int(good, 0);
	inspect_response(&first, "HTTP/1.1 101");
	check_int(show(&first, "\x81\x01x", 3, &good), CHECK_RAW);
	check_int(good, 3);
	check_int(show(&refused, upgrade, sizeof upgrade - 1, &good), CHECK_WAIT);
	inspect_response(&refused, "HTTP/1.1 200");
	check_int(show(&refused, GET_B, strlen(GET_B), &good), CHECK_HTTP_BAD);
	/* with a second request it is undecidable which answer belongs to it */
	refused = (struct inspection){.is_name = is_a, .port = 80};
	check_int(show(&refused, GET_A, strlen(GET_A), &good), CHECK_GO_ON);
	check_int(show(&refused, upgrade, sizeof upgrade - 1, &good), CHECK_GO_ON);
	check_int(show(&refused, GET_B, strlen(GET_B), &good), CHECK_HTTP_BAD);
}

#define GET_WITH(headers) "GET / HTTP/1.1\r\nHost: a.test\r\n" headers "\r\n"

static void
other_upgrades_are_removed(void)
{
	static const struct {
		const char *asked, *passed;
	} upgrades[] = {
		{GET_WITH("Upgrade: h2c\r\n"), GET_A},
		{GET_WITH("Upgrade: websocket, H2C\r\n"), GET_A},
		{GET_WITH("Upgrade: x\r\nUpgrade:h2c/1\r\n"), GET_A},
		{GET_WITH("Upgrade: TLS/1.2\r\nConnection: Upgrade\r\n"), GET_A},
		{GET_WITH("Upgrade: h2c \r\nConnection: Upgrade, HTTP2-Settings\r\n"
			  "HTTP2-Settings: AAMAAABk\r\n"),
		 GET_A},
		{GET_WITH("connection:upgrade,http2-settings , Keep-Alive,\tx\r\nUpgrade: h2c\r\n"
			  "X: upgrade\r\n"),
		 GET_WITH("connection:Keep-Alive,x\r\nX: upgrade\r\n")},
	};

	for (size_t i = 0; i < sizeof upgrades / sizeof upgrades[0]; i++) {
		struct inspection check = {.is_name = is_a, .port = 80};
		size_t length = strlen(upgrades[i].asked), passed = strlen(upgrades[i].passed);
		char text[400];

		/* with the next request behind it */
		snprintf(text, sizeof text, "%s%s", upgrades[i].asked, GET_A);
		check_int(show(&check, text, strlen(text), &good), CHECK_GO_ON);
		check_int(check.cut, length - passed);
		check_int(good, passed + strlen(GET_A));
		check(memcmp(shown, upgrades[i].passed, passed) == 0);
		check(memcmp(shown + passed, GET_A, strlen(GET_A)) == 0);
		inspect_response(&check, "HTTP/1.1 101");
		check_int(show(&check, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 24, &good),
			  CHECK_HTTP_BAD);
		check_int(check.cut, 0);
	}
}

static void
inspected_bytes_are_bounded(void)
{
	char text[CHECK_MAX];

	memset(text, 'x', sizeof text);
	check_int(look(22, text, sizeof text - 1), CHECK_GO_ON);
	check_int(look(22, text, sizeof text), CHECK_BAD);
}

/* ---- names ---- */

static size_t
write_query(uint8_t *bytes, const char *name, enum dns_type type)
{
	return dns_write_query(0x1234, name, type, bytes);
}

static void
dns_queries_are_answered(void)
{
	struct dns_answer answer = {.code = DNS_OK, .ttl = 60, .count = 2}, back;
	uint8_t bytes[DNS_QUERY_MAX], to[DNS_MESSAGE_MAX];
	struct dns_question question;
	size_t length = write_query(bytes, "a.test", DNS_A);

	check(dns_parse_query(bytes, length, &question));
	check_str(question.name, "a.test");
	check_int(question.type, DNS_A);
	check(question.has_edns && question.wants_recursion);
	ip_parse("93.184.216.34", &answer.addresses[0]);
	ip_parse("1.1.1.1", &answer.addresses[1]);
	length = dns_write_answer(bytes, &question, &answer, to, sizeof to);
	check(dns_parse_answer(to, length, 0x1234, "a.test", DNS_A, &back));
	check_int(back.count, 2);
	check_int(back.ttl, 60);
	check(ip_equal(&back.addresses[1], &answer.addresses[1]));
	check(!dns_parse_answer(to, length, 0x1235, "a.test", DNS_A, &back));
	check(!dns_parse_answer(to, length, 0x1234, "b.test", DNS_A, &back));
	check(!dns_parse_answer(to, length, 0x1234, "a.test", DNS_AAAA, &back));
	for (size_t i = 0; i < length - 11; i++)
		check(!dns_parse_answer(to, i, 0x1234, "a.test", DNS_A, &back));
	/* what does not fit is asked for again over TCP */
	answer.count = DNS_ADDRESSES;
	length = dns_write_answer(bytes, &question, &answer, to, 100);
	check(length <= 100);
	check(dns_parse_answer(to, length, 0x1234, "a.test", DNS_A, &back) && back.is_cut);
	answer = (struct dns_answer){.code = DNS_NO_NAME};
	length = dns_write_answer(bytes, &question, &answer, to, sizeof to);
	check(dns_parse_answer(to, length, 0x1234, "a.test", DNS_A, &back));
	check_int(back.code, DNS_NO_NAME);
}

static void
malformed_dns_queries_are_not_answered(void)
{
	uint8_t bytes[DNS_QUERY_MAX + 1], copy[DNS_QUERY_MAX + 1];
	size_t length = write_query(bytes, "a.test", DNS_A);
	struct dns_question question;

	for (size_t i = 0; i < 24; i++)
		check(!dns_parse_query(bytes, i, &question));
	memcpy(copy, bytes, length);
	copy[2] |= 0x80; /* an answer */
	check(!dns_parse_query(copy, length, &question));
	memcpy(copy, bytes, length);
	copy[5] = 2; /* two questions */
	check(!dns_parse_query(copy, length, &question));
	memcpy(copy, bytes, length);
	copy[12] = 0xc0; /* a pointer to itself */
	copy[13] = 12;
	check(!dns_parse_query(copy, length, &question));
	memcpy(copy, bytes, length);
	copy[13] = '.'; /* a dot inside a label */
	check(dns_parse_query(copy, length, &question));
	check_str(question.name, "");
}

/* "a.test" is another name of "b.test", which has an address; and "c.test" has one, too. */
static void
only_addresses_of_the_cname_chain_count(void)
{
	static const uint8_t
		records[] =
			{
				1,    'c', 0xc0, 14, 0,	  1,	0,   1,	  0,
				0,    0,   9,	 0,  4,	  6,	6,   6,	  6, /* c.test A */
				0xc0, 12,  0,	 5,  0,	  1,	0,   0,	  0,
				30,   0,   4,	 1,  'b', 0xc0, 14, /* a.test -> b.test */
				1,    'b', 0xc0, 14, 0,	  1,	0,   1,	  0,
				0,    0,   60,	 0,  4,	  93,	184, 216, 34, /* b.test A */
			};
	uint8_t bytes[DNS_MESSAGE_MAX];
	struct dns_answer answer;
	char text[ADDRESS_TEXT_SIZE];
	size_t length = write_query(bytes, "a.test", DNS_A) - 11;

	bytes[2] = 0x81;
	bytes[7] = 3;
	bytes[11] = 0;
	memcpy(bytes + length, records, sizeof records);
	length += sizeof records;
	check(dns_parse_answer(bytes, length, 0x1234, "a.test", DNS_A, &answer));
	check_int(answer.count, 1);
	check_int(answer.ttl, 30);
	ip_print(&answer.addresses[0], text);
	check_str(text, "93.184.216.34");
	/* a chain that is a ring ends */
	bytes[length - sizeof records + 18 + 13] = 'a';
	check(dns_parse_answer(bytes, length, 0x1234, "a.test", DNS_A, &answer));
	check_int(answer.count, 0);
}

int
main(void)
{
	run(the_server_name_of_a_hello_is_read);
	run(hellos_without_a_plain_name_are_refused);
	run(hellos_with_encrypted_names_are_recognised);
	run(a_hidden_name_passes_only_where_it_is_allowed);
	run(a_second_hello_needs_the_name_as_well);
	run(an_answer_is_read_past_alerts);
	run(two_hellos_in_one_record_are_refused);
	run(tls_needs_the_name_of_the_connection);
	run(every_request_needs_the_name_of_the_connection);
	run(unusual_first_bytes_do_not_bypass_it);
	run(data_without_a_host_passes_on_opaque_ports_only);
	run(a_message_without_a_line_passes_on_opaque_ports);
	run(a_refusal_says_whether_the_port_may_be_opaque);
	run(ssh_needs_a_version_line_from_both_ends);
	run(only_an_accepted_upgrade_is_raw);
	run(other_upgrades_are_removed);
	run(inspected_bytes_are_bounded);
	run(dns_queries_are_answered);
	run(malformed_dns_queries_are_not_answered);
	run(only_addresses_of_the_cname_chain_count);
	return tap_end();
}
