// SPDX-License-Identifier: MIT
/*
 * DNS messages. A compression pointer must point further back than the previous one, so a walk ends; every
 * read is checked against the end of the message.
 */
#include "proxy/wire/dns.h"

#include <string.h>

#define HEADER 12
#define FLAG_ANSWER 0x8000u
#define FLAG_CUT 0x0200u
#define FLAG_RECURSION 0x0100u
#define FLAG_CAN_RECURSE 0x0080u
#define MASK_OPCODE 0x7800u
#define CLASS_IN 1
#define UDP_SIZE 1232 /* passes every network unfragmented */
#define CHAIN_MAX 12

static unsigned
number_at(const uint8_t *at)
{
	return (unsigned)(at[0] << 8 | at[1]);
}

static void
put_number(uint8_t *to, unsigned value)
{
	to[0] = (uint8_t)(value >> 8);
	to[1] = (uint8_t)value;
}

static uint32_t
long_at(const uint8_t *at)
{
	return (uint32_t)number_at(at) << 16 | number_at(at + 2);
}

/*
 * Reads the name at *at in lower case and moves *at behind it. A name with bytes that no host name has
 * becomes "". Returns false if the name leaves the message or does not end.
 */
static bool
read_name(const uint8_t *bytes, size_t length, size_t *at, char to[NAME_SIZE])
{
	size_t from = *at, lowest = *at, used = 0;
	bool jumped = false;
	char raw[NAME_SIZE];

	for (;;) {
		unsigned label;

		if (from >= length)
			return false;
		label = bytes[from];
		if ((label & 0xc0) == 0xc0) {
			if (from + 1 >= length)
				return false;
			if (!jumped)
				*at = from + 2;
			jumped = true;
			from = (size_t)((label & 0x3f) << 8 | bytes[from + 1]);
			if (from >= lowest)
				return false;
			lowest = from;
			continue;
		}
		if (label > 63 || from + 1 + label > length || used + label + 1 >= sizeof raw)
			return false;
		from += 1 + label;
		if (label == 0)
			break;
		memcpy(raw + used, bytes + from - label, label);
		/* a dot inside a label would read as two labels */
		if (memchr(raw + used, '.', label) != NULL)
			raw[used] = '\0';
		used += label;
		raw[used++] = '.';
	}
	if (!jumped)
		*at = from;
	if (!hostname_normalise(raw, used, to))
		to[0] = '\0';
	return true;
}

static bool
has_edns(const uint8_t *bytes, size_t length, size_t at)
{
	return number_at(bytes + 10) > 0 && length >= at + 11 && bytes[at] == 0 &&
	       number_at(bytes + at + 1) == DNS_OPT;
}

bool
dns_parse_query(const uint8_t *bytes, size_t length, struct dns_question *ret_question)
{
	struct dns_question question = {0};
	size_t at = HEADER;
	unsigned flags;

	if (length < HEADER || length > DNS_QUERY_MAX)
		return false;
	flags = number_at(bytes + 2);
	if ((flags & (FLAG_ANSWER | MASK_OPCODE | FLAG_CUT)) != 0 || number_at(bytes + 4) != 1 ||
	    number_at(bytes + 6) != 0 || number_at(bytes + 8) != 0)
		return false;
	/* nothing precedes a question, so its name has no pointer */
	if (!read_name(bytes, length, &at, question.name) || at + 4 > length ||
	    number_at(bytes + at + 2) != CLASS_IN)
		return false;
	question.id = (uint16_t)number_at(bytes);
	question.wants_recursion = (flags & FLAG_RECURSION) != 0;
	question.type = number_at(bytes + at);
	question.end = at + 4;
	question.has_edns = has_edns(bytes, length, question.end);
	*ret_question = question;
	return true;
}

/* ---- answers ---- */

struct dns_record {
	char owner[NAME_SIZE];
	unsigned type, class;
	uint32_t ttl;
	size_t data, size;
};

static bool
read_record(const uint8_t *bytes, size_t length, size_t *at, struct dns_record *ret)
{
	if (!read_name(bytes, length, at, ret->owner) || *at + 10 > length)
		return false;
	ret->type = number_at(bytes + *at);
	ret->class = number_at(bytes + *at + 2);
	ret->ttl = long_at(bytes + *at + 4);
	ret->size = number_at(bytes + *at + 8);
	ret->data = *at + 10;
	*at = ret->data + ret->size;
	return *at <= length;
}

static void
take_address(const uint8_t *bytes, const struct dns_record *record, enum dns_type type,
	     struct dns_answer *to)
{
	const uint8_t *data = bytes + record->data;

	if (record->size != (type == DNS_A ? 4 : 16) || to->count == DNS_ADDRESSES)
		return;
	if (type == DNS_A)
		to->addresses[to->count] = ip_from_v4(data);
	else
		memcpy(to->addresses[to->count].bytes, data, 16);
	to->count++;
	if (record->ttl < to->ttl)
		to->ttl = record->ttl;
}

/* Collects the records of name in one pass. A CNAME replaces name by its target. */
static bool
take_records(const uint8_t *bytes, size_t length, size_t at, enum dns_type type, char *name,
	     struct dns_answer *to, bool *ret_moved)
{
	unsigned count = number_at(bytes + 6);

	*ret_moved = false;
	for (unsigned i = 0; i < count; i++) {
		struct dns_record record;

		if (!read_record(bytes, length, &at, &record))
			return false;
		if (record.class != CLASS_IN || record.owner[0] == '\0' ||
		    strcmp(record.owner, name) != 0)
			continue;
		if (record.type == (unsigned)type)
			take_address(bytes, &record, type, to);
		if (record.type == DNS_CNAME && to->count == 0 && !*ret_moved) {
			size_t data = record.data;

			if (!read_name(bytes, record.data + record.size, &data, name))
				return false;
			if (record.ttl < to->ttl)
				to->ttl = record.ttl;
			*ret_moved = true;
		}
	}
	return true;
}

bool
dns_parse_answer(const uint8_t *bytes, size_t length, uint16_t id, const char *name,
		 enum dns_type type, struct dns_answer *ret_answer)
{
	struct dns_answer answer = {.ttl = 86400};
	char current[NAME_SIZE];
	size_t at = HEADER;
	unsigned flags;
	bool moved = true;

	if (length < HEADER || number_at(bytes) != id || number_at(bytes + 4) != 1)
		return false;
	flags = number_at(bytes + 2);
	if ((flags & FLAG_ANSWER) == 0 || (flags & MASK_OPCODE) != 0)
		return false;
	if (!read_name(bytes, length, &at, current) || at + 4 > length ||
	    strcmp(current, name) != 0 || number_at(bytes + at) != (unsigned)type ||
	    number_at(bytes + at + 2) != CLASS_IN)
		return false;
	answer.code = (enum dns_code)(flags & 15);
	answer.is_cut = (flags & FLAG_CUT) != 0;
	if (answer.is_cut || answer.code != DNS_OK) {
		*ret_answer = answer;
		return true;
	}
	for (int i = 0; moved && answer.count == 0 && i < CHAIN_MAX; i++)
		if (!take_records(bytes, length, at + 4, type, current, &answer, &moved))
			return false;
	*ret_answer = answer;
	return true;
}

/* ---- writing ---- */

size_t
dns_write_query(uint16_t id, const char *name, enum dns_type type, uint8_t *to)
{
	static const uint8_t edns[] = {0, 0, DNS_OPT, UDP_SIZE >> 8, UDP_SIZE & 255, 0, 0, 0,
				       0, 0, 0};
	size_t at = HEADER;

	memset(to, 0, HEADER);
	put_number(to, id);
	put_number(to + 2, FLAG_RECURSION);
	put_number(to + 4, 1);
	put_number(to + 10, 1);
	while (*name != '\0') {
		size_t label = strcspn(name, ".");

		to[at++] = (uint8_t)label;
		memcpy(to + at, name, label);
		at += label;
		name += label + (name[label] == '.');
	}
	to[at++] = 0;
	put_number(to + at, type);
	put_number(to + at + 2, CLASS_IN);
	memcpy(to + at + 4, edns, sizeof edns);
	return at + 4 + sizeof edns;
}

static size_t
put_address(uint8_t *to, const struct ip_address *address, uint32_t ttl)
{
	bool v4 = ip_is_v4(address);
	size_t size = v4 ? 4 : 16;

	put_number(to, 0xc000 | HEADER);
	put_number(to + 2, v4 ? DNS_A : DNS_AAAA);
	put_number(to + 4, CLASS_IN);
	put_number(to + 6, ttl >> 16);
	put_number(to + 8, ttl & 0xffff);
	put_number(to + 10, (unsigned)size);
	memcpy(to + 12, address->bytes + 16 - size, size);
	return 12 + size;
}

size_t
dns_write_answer(const uint8_t *query, const struct dns_question *question,
		 const struct dns_answer *answer, uint8_t *to, size_t size)
{
	static const uint8_t edns[] = {0, 0, DNS_OPT, UDP_SIZE >> 8, UDP_SIZE & 255, 0, 0, 0,
				       0, 0, 0};
	size_t at = question->end, count = 0, tail = question->has_edns ? sizeof edns : 0;
	unsigned flags = FLAG_ANSWER | FLAG_CAN_RECURSE | (unsigned)answer->code;

	if (at + tail > size)
		return 0;
	memcpy(to, query, at);
	for (; answer->code == DNS_OK && count < answer->count; count++) {
		if (at + 28 + tail > size) {
			flags |= FLAG_CUT;
			break;
		}
		at += put_address(to + at, &answer->addresses[count], answer->ttl);
	}
	put_number(to + 2, flags | (question->wants_recursion ? FLAG_RECURSION : 0));
	put_number(to + 6, (unsigned)count);
	put_number(to + 8, 0);
	put_number(to + 10, question->has_edns ? 1 : 0);
	if (question->has_edns)
		memcpy(to + at, edns, sizeof edns);
	return at + tail;
}
