// SPDX-License-Identifier: MIT
/* HTTP and SOCKS requests: what is served, what is refused, and what goes on to the far side. */
#include "proxy/wire/http.h"
#include "proxy/wire/socks.h"
#include "tap.h"

static struct http_request request;
static enum cause reason;

static int
parse(const char *text)
{
	reason = CAUSE_NONE;
	return http_parse(text, strlen(text), &request, &reason);
}

static int
parse_with(const char *header)
{
	static char text[600]; /* the request points into it */

	snprintf(text, sizeof text, "POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\n%s\r\n",
		 header);
	return parse(text);
}

static void
requests_are_understood(void)
{
	check(parse("CONNECT A.test.:443 HTTP/1.1\r\nhost: a.TEST:443\r\n\r\nrest") > 0);
	check_int(request.form, HTTP_CONNECT);
	check_str(request.name, "a.test");
	check_int(request.port, 443);
	check(parse("CONNECT a.test:22 HTTP/1.0\r\n\r\n") > 0);
	check(parse("CONNECT a.test:22 HTTP/1.1\r\nHost: a.test\r\n\r\n") > 0);
	check(parse("GET http://a.test:8080/x HTTP/1.1\r\nHost: a.test:8080\r\n\r\n") > 0);
	check_int(request.form, HTTP_ABSOLUTE);
	check_int(request.port, 8080);
	check_int(request.path.length, 2);
	check(parse("GET HTTP://a.test HTTP/1.1\r\nHost: a.test\r\n\r\n") > 0);
	check_int(request.port, 80);
	check(parse("GET / HTTP/1.1\r\nHost: a.test:99\r\n\r\n") > 0);
	check_int(request.form, HTTP_ORIGIN);
	check_int(request.port, 99);
	check(parse("OPTIONS * HTTP/1.1\r\nHost: a.test\r\n\r\n") > 0);
	check(parse_with("Content-Length: 12\r\n") > 0);
	check_int(request.framing, HTTP_LENGTH);
	check_int(request.length, 12);
	check(parse_with("Transfer-Encoding: Chunked\r\n") > 0);
	check_int(request.framing, HTTP_CHUNKED);
}

static void
an_incomplete_head_is_not_judged(void)
{
	const char *text = "GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n";

	for (size_t i = 0; i < strlen(text); i++)
		check_int(http_parse(text, i, &request, &reason), 0);
}

static void
ambiguous_heads_are_refused(void)
{
	static const char *const bad[] = {
		"GET http://a.test/ HTTP/1.1\nHost: a.test\n\n",
		"GET http://a.test/ HTTP/1.1\r\nHost: a.test\rX: y\r\n\r\n",
		"GET http://a.test/ HTTP/1.1\r\nHost: a.test\nX: y\r\n\r\n",
		"GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n folded\r\n\r\n",
		"GET http://a.test/ HTTP/1.1\r\nHost : a.test\r\n\r\n",
		"GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\nHost: a.test\r\n\r\n",
		"GET http://a.test/ HTTP/1.1\r\nHost: a.test, b.test\r\n\r\n",
		"GET http://a.test/ HTTP/1.1\r\n: x\r\nHost: a.test\r\n\r\n",
		"GET  http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n",
		"GET http://a.test/ HTTP/1.1 \r\nHost: a.test\r\n\r\n",
		"GET http://a.test/\t HTTP/1.1\r\nHost: a.test\r\n\r\n",
		"GET http://a.test/ HTTP/2.0\r\nHost: a.test\r\n\r\n",
		"GET http://a.test/ HTTP/1.1\r\n\r\n",
		"GET http://u:p@a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n",
		"GET http://a.test\\@b.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n",
		"GET http://a.test#x HTTP/1.1\r\nHost: a.test\r\n\r\n",
		"GET https://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n",
		"GET ftp://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n",
		"get http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n",
		"TRACE http://a.test/ HTTP/1.1\r\nHost: a.test\r\nMax-Forwards: 0\r\n\r\n",
		"TRACK / HTTP/1.1\r\nHost: a.test\r\n\r\n",
		"CONNECT a.test HTTP/1.1\r\nHost: a.test\r\n\r\n",
		"CONNECT [::1]:443 HTTP/1.1\r\n\r\n",
		"CONNECT a.test:443 HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc",
		"CONNECT a.test:443 HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n",
		"CONNECT b\xc3\xbc.test:443 HTTP/1.1\r\n\r\n",
		"\r\nGET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n",
	};

	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		if (parse(bad[i]) >= 0) {
			printf("# case %zu was taken: %.40s\n", i, bad[i]);
			check(false);
		}
	check(parse_with("Content-Length: 3\r\nContent-Length: 3\r\n") < 0);
	check(parse_with("Content-Length: 3\r\nTransfer-Encoding: chunked\r\n") < 0);
	check(parse_with("Transfer-Encoding: chunked\r\nContent-Length: 3\r\n") < 0);
	check(parse_with("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n") < 0);
	check(parse_with("Transfer-Encoding: gzip, chunked\r\n") < 0);
	check(parse_with("Transfer-Encoding: xchunked\r\n") < 0);
	check(parse_with("Content-Length: +3\r\n") < 0);
	check(parse_with("Content-Length: 0x3\r\n") < 0);
	check(parse_with("Content-Length: 3, 3\r\n") < 0);
	check(parse_with("Content-Length:\r\n") < 0);
	check(parse_with("Content-Length: 9999999999999999999\r\n") < 0);
	check(parse_with("Proxy-Authorization: a\r\nProxy-Authorization: b\r\n") < 0);
}

static void
a_request_for_another_host_is_refused(void)
{
	check_int(parse("CONNECT a.test:443 HTTP/1.1\r\nHost: b.test:443\r\n\r\n"), -403);
	check_int(parse("CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:80\r\n\r\n"), -403);
	check_int(parse("GET http://a.test/ HTTP/1.1\r\nHost: b.test\r\n\r\n"), -403);
	check_int(parse("GET http://a.test/ HTTP/1.1\r\nHost: a.test:81\r\n\r\n"), -403);
	check_int(parse("GET http://a.test:81/ HTTP/1.1\r\nHost: a.test\r\n\r\n"), -403);
}

static void
heads_are_bounded(void)
{
	char text[HTTP_HEAD_MAX + 200];
	int length = snprintf(text, sizeof text, "GET http://a.test/ HTTP/1.1\r\nX: ");

	memset(text + length, 'x', sizeof text - (size_t)length);
	check_int(http_parse(text, HTTP_HEAD_MAX - 1, &request, &reason), 0);
	check_int(http_parse(text, HTTP_HEAD_MAX, &request, &reason), -431);
	memcpy(text + HTTP_HEAD_MAX + 50, "\r\n\r\n", 4);
	check_int(http_parse(text, HTTP_HEAD_MAX + 54, &request, &reason), -431);
}

static void
one_hop_stays_one_hop(void)
{
	char to[2000];
	ssize_t length;

	check(parse("GET http://a.test?q HTTP/1.1\r\nHost: a.test\r\nConnection: keep-alive, x\r\n"
		    "Proxy-Connection: keep-alive\r\nProxy-Authorization: Basic x\r\nUpgrade: h2c\r\n"
		    "HTTP2-Settings: AA\r\nKeep-Alive: 3\r\nTE: trailers\r\nAccept: */*\r\n\r\n") >
	      0);
	length = http_rewrite(&request, true, "", to, sizeof to - 1);
	check(length > 0);
	to[length > 0 ? length : 0] = '\0';
	check_str(to,
		  "GET /?q HTTP/1.1\r\nHost: a.test\r\nAccept: */*\r\nConnection: close\r\n\r\n");
	length = http_rewrite(&request, false, "Proxy-Authorization: Basic y\r\n", to,
			      sizeof to - 1);
	to[length > 0 ? length : 0] = '\0';
	check_str(to, "GET http://a.test?q HTTP/1.1\r\nHost: a.test\r\nAccept: */*\r\n"
		      "Proxy-Authorization: Basic y\r\nConnection: close\r\n\r\n");
	check_int(http_rewrite(&request, true, "", to, 30), -1);
}

static ssize_t
take(const char *headers, const char *body, bool *ret_over)
{
	struct http_body state;
	ssize_t n;

	check(parse_with(headers) > 0);
	http_body_begin(&state, &request);
	n = state.is_over ? 0 : http_body_take(&state, body, strlen(body));
	*ret_over = state.is_over;
	return n;
}

static void
the_end_of_each_body_is_found(void)
{
	bool over;

	check_int(take("", "GET", &over), 0);
	check(over);
	check_int(take("Content-Length: 3\r\n", "abcGET", &over), 3);
	check(over);
	check_int(take("Content-Length: 3\r\n", "ab", &over), 2);
	check(!over);
	check_int(take("Transfer-Encoding: chunked\r\n", "3\r\nabc\r\n0\r\n\r\nGET", &over), 13);
	check(over);
	check_int(take("Transfer-Encoding: chunked\r\n",
		       "a;x=1\r\n0123456789\r\n0\r\nX: y\r\n\r\nGET", &over),
		  30);
	check(over);
	check_int(take("Transfer-Encoding: chunked\r\n", "3\nabc\r\n", &over), -1);
	check_int(take("Transfer-Encoding: chunked\r\n", "3\r\nabcd", &over), -1);
	check_int(take("Transfer-Encoding: chunked\r\n", " 3\r\n", &over), -1);
	check_int(take("Transfer-Encoding: chunked\r\n", "0x3\r\n", &over), -1);
	check_int(take("Transfer-Encoding: chunked\r\n", "\r\n", &over), -1);
	check_int(take("Transfer-Encoding: chunked\r\n", "ffffffffffffffffff\r\n", &over), -1);
	check_int(take("Transfer-Encoding: chunked\r\n", "0\r\nX: y\n\r\n", &over), -1);
}

static void
tokens_are_compared_in_full(void)
{
	char text[200], basic[100];

	http_base64("cordon:secret", 13, basic);
	check_str(basic, "Y29yZG9uOnNlY3JldA==");
	snprintf(text, sizeof text, "Proxy-Authorization: Basic %s\r\n", basic);
	check(parse_with(text) > 0);
	check(http_is_authorized(&request.authorization, "cordon", "secret"));
	check(!http_is_authorized(&request.authorization, "cordon", "secret2"));
	check(!http_is_authorized(&request.authorization, "cordon", "secre"));
	check(!http_is_authorized(&request.authorization, "cordo", "secret"));
	check(parse_with("") > 0);
	check(!http_is_authorized(&request.authorization, "cordon", ""));
	check(socks_secret_equal("", 0, "") && !socks_secret_equal("", 0, "x") &&
	      !socks_secret_equal("x", 1, ""));
}

static void
statuses_are_read(void)
{
	int status = 0;

	check_int(http_parse_status("HTTP/1.1 200 OK\r\n\r\nrest", 23, &status), 19);
	check_int(status, 200);
	check_int(http_parse_status("HTTP/1.1 200 OK\r\n", 17, &status), 0);
	check_int(http_parse_status("SSH-2.0-x\r\n\r\n", 13, &status), -1);
}

static void
socks_messages_are_understood(void)
{
	struct socks_request got;
	bool flag = false;

	check_int(socks_greeting((const uint8_t *)"\5\2\0\2", 4, &flag), 4);
	check(flag);
	check_int(socks_greeting((const uint8_t *)"\5\1\0", 3, &flag), 3);
	check(!flag);
	check_int(socks_greeting((const uint8_t *)"\5\2\0", 3, &flag), 0);
	check_int(socks_greeting((const uint8_t *)"\4\1\0", 3, &flag), -1);
	check_int(socks_password((const uint8_t *)"\1\6cordon\5token", 14, "cordon", "token",
				 &flag),
		  14);
	check(flag);
	check_int(socks_password((const uint8_t *)"\1\6cordon\5tokem", 14, "cordon", "token",
				 &flag),
		  14);
	check(!flag);
	check_int(socks_password((const uint8_t *)"\1\0\0", 3, "cordon", "token", &flag), 3);
	check(!flag);
	check_int(socks_request((const uint8_t *)"\5\1\0\3\6A.test\1\273", 13, &got), 13);
	check_str(got.name, "a.test");
	check_int(got.port, 443);
	check_int(got.reply, SOCKS_OK);
	check_int(socks_request((const uint8_t *)"\5\1\0\1\177\0\0\1\0\120", 10, &got), 10);
	check(got.is_address);
	check_str(got.name, "127.0.0.1");
	check_int(socks_request((const uint8_t *)"\5\2\0\3\6a.test\1\273", 13, &got), 13);
	check_int(got.reply, SOCKS_BAD_COMMAND);
	check_int(socks_request((const uint8_t *)"\5\1\0\3\6a test\1\273", 13, &got), 13);
	check_int(got.reply, SOCKS_BAD_ADDRESS);
	check_int(socks_request((const uint8_t *)"\5\1\0\2\1", 5, &got), -1);
	check_int(socks_request((const uint8_t *)"\5\1\1\1\1", 5, &got), -1);
}

int
main(void)
{
	run(requests_are_understood);
	run(an_incomplete_head_is_not_judged);
	run(ambiguous_heads_are_refused);
	run(a_request_for_another_host_is_refused);
	run(heads_are_bounded);
	run(one_hop_stays_one_hop);
	run(the_end_of_each_body_is_found);
	run(tokens_are_compared_in_full);
	run(statuses_are_read);
	run(socks_messages_are_understood);
	return tap_end();
}
