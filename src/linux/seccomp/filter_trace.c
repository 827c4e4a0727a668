// SPDX-License-Identifier: MIT
/*
 * Makes a filter that also notifies of traced calls, and runs a filter in user space. Allows nothing by
 * itself.
 */
#include "linux/seccomp/filter_trace.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define EDGES 3 /* the load of the number, the jump over the notification, the notification */

static size_t
length_of(const struct filter_traced *traced)
{
	return traced->argument < 0 ? 1 : 3;
}

static struct sock_filter
statement(unsigned code, size_t value)
{
	return (struct sock_filter)BPF_STMT((uint16_t)code, (uint32_t)value);
}

static struct sock_filter
jump_if_equal(uint32_t value, size_t yes, size_t no)
{
	return (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, (uint8_t)yes,
					    (uint8_t)no);
}

/* Writes the tests for one call; notify: number of the instruction behind which base begins. */
static size_t
write_tests(struct sock_filter *to, size_t at, const struct filter_traced *traced, size_t notify)
{
	const uint32_t number = (uint32_t)traced->number;

	if (traced->argument < 0) {
		to[at] = jump_if_equal(number, notify - at - 1, 0);
		return at + 1;
	}
	to[at] = jump_if_equal(number, 0, 2);
	to[at + 1] = statement(BPF_LD | BPF_W | BPF_ABS,
			       offsetof(struct seccomp_data, args) +
				       (size_t)traced->argument * sizeof(uint64_t));
	to[at + 2] = jump_if_equal(traced->value, notify - at - 2, notify - at - 3);
	return at + 3;
}

/*
 * The number is compared without the architecture: a call of another one is ended by base, or answered by
 * the broker as base would.
 */
struct sock_fprog *
filter_trace_new(const struct sock_fprog *base, const struct filter_traced *traced, size_t count)
{
	size_t begin = EDGES, at = 1;
	struct sock_fprog *program;
	struct sock_filter *to;

	for (size_t i = 0; i < count; i++)
		begin += length_of(&traced[i]);
	program = calloc(1, sizeof *program + (begin + base->len) * sizeof *to);
	if (program == NULL)
		return NULL;
	to = program->filter = (struct sock_filter *)(program + 1);
	program->len = (unsigned short)(begin + base->len);
	to[0] = statement(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < count; i++)
		at = write_tests(to, at, &traced[i], begin - 1);
	to[at] = statement(BPF_JMP | BPF_JA, 1);
	to[at + 1] = statement(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
	memcpy(to + begin, base->filter, base->len * sizeof *to);
	return program;
}

static bool
holds(unsigned operation, uint32_t accumulator, uint32_t value)
{
	return operation == BPF_JEQ   ? accumulator == value
	       : operation == BPF_JGE ? accumulator >= value
	       : operation == BPF_JGT ? accumulator > value
				      : (accumulator & value) != 0;
}

/* The instructions that tools/make-filter writes; any other one ends the caller. */
uint32_t
filter_action(const struct sock_fprog *program, const struct seccomp_data *data)
{
	uint32_t accumulator = 0;

	for (size_t at = 0; at < program->len; at++) {
		const struct sock_filter *step = &program->filter[at];

		switch (step->code) {
		case BPF_LD | BPF_W | BPF_ABS:
			if (step->k > sizeof *data - sizeof accumulator)
				return SECCOMP_RET_KILL_PROCESS;
			memcpy(&accumulator, (const char *)data + step->k, sizeof accumulator);
			break;
		case BPF_ALU | BPF_AND | BPF_K:
			accumulator &= step->k;
			break;
		case BPF_JMP | BPF_JA:
			at += step->k;
			break;
		case BPF_JMP | BPF_JEQ | BPF_K:
		case BPF_JMP | BPF_JGE | BPF_K:
		case BPF_JMP | BPF_JGT | BPF_K:
		case BPF_JMP | BPF_JSET | BPF_K:
			at += holds(BPF_OP(step->code), accumulator, step->k) ? step->jt : step->jf;
			break;
		case BPF_RET | BPF_K:
			return step->k;
		default:
			return SECCOMP_RET_KILL_PROCESS;
		}
	}
	return SECCOMP_RET_KILL_PROCESS;
}
