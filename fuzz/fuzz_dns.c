// SPDX-License-Identifier: MIT
/* DNS messages: every parsed query can be answered, and the answer parses to the same data. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "proxy/wire/dns.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(int condition)
{
	if (!condition)
		abort();
}

static void
check_question(const uint8_t *data, const struct dns_question *question)
{
	struct dns_answer answer = {.code = DNS_OK, .ttl = 60, .count = 1}, back;
	bool v4 = question->type == DNS_A;
	uint8_t bytes[DNS_MESSAGE_MAX];
	size_t length;

	answer.addresses[0].bytes[0] = 0x20;
	if (v4)
		answer.addresses[0] = ip_from_v4((const uint8_t[]){192, 0, 2, 1});
	length = dns_write_answer(data, question, &answer, bytes, sizeof bytes);
	must(length > 0 && length <= sizeof bytes);
	if (question->name[0] == '\0' || (!v4 && question->type != DNS_AAAA))
		return;
	must(dns_parse_answer(bytes, length, question->id, question->name,
			      (enum dns_type)question->type, &back));
	must(back.code == DNS_OK && back.count == 1 && back.ttl == 60);
	must(ip_equal(&back.addresses[0], &answer.addresses[0]));
	length = dns_write_query(question->id, question->name, DNS_A, bytes);
	must(length <= DNS_QUERY_MAX);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dns_question question;
	struct dns_answer answer;
	uint16_t id = size < 2 ? 0 : (uint16_t)(data[0] << 8 | data[1]);

	if (dns_parse_query(data, size, &question)) {
		must(strlen(question.name) < NAME_SIZE && question.end <= size);
		check_question(data, &question);
	}
	for (int i = 0; i < 2; i++)
		if (dns_parse_answer(data, size, id, "a.test", i == 0 ? DNS_A : DNS_AAAA, &answer))
			must(answer.count <= DNS_ADDRESSES);
	return 0;
}
