// SPDX-License-Identifier: MIT
/*
 * Writes the seccomp filters as C arrays to stdout, at build time. System call numbers come from
 * libseccomp, verdicts from calls.h and arguments.h. Code is generated here and not by libseccomp, which
 * compares whole 64-bit arguments and has no ranges: this code is less than half as long, and the time to
 * load grows with the length.
 *
 * Jumps go forward and reach 255 instructions, so code is generated from its end: every target is known
 * when a jump to it is written.
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"

#define CODE_MAX 4096
#define REACH 250 /* leaves room for the instructions that one jump may need */
#define X32_BIT 0x40000000u

static const struct arch {
	const char *name;
	const char *condition; /* for #if */
	uint32_t token;	       /* libseccomp's constant, equal to the kernel's */
	bool x86;
} archs[] = {
	{"x86_64", "defined(__x86_64__) && !defined(__ILP32__)", SCMP_ARCH_X86_64, true},
	{"aarch64", "defined(__AARCH64EL__) && !defined(__ILP32__)", SCMP_ARCH_AARCH64, false},
};

/* All numbers from start up to the next range have one verdict. */
struct range {
	uint32_t start;
	enum verdict verdict;
};

/* A position in the code, counted from its end; 0: none. */
typedef size_t label;

struct code {
	struct sock_filter at[CODE_MAX]; /* last instruction first */
	size_t used;
	label emitted[VERDICTS]; /* where each verdict was emitted last */
};

static void
die(const char *what, const char *name)
{
	fprintf(stderr, "make-filter: %s%s%s\n", what, name[0] != '\0' ? ": " : "", name);
	exit(1);
}

/* ---- numbers ---- */

/* Returns the number of a system call on arch, -1 if it has none. Conflicting tables do not build. */
static int
call_number(const struct arch *arch, const char *name)
{
	int number = seccomp_syscall_resolve_name_arch(arch->token, name);

	for (size_t i = 0; i < sizeof newer / sizeof newer[0]; i++) {
		if (strcmp(newer[i].name, name) != 0 || (newer[i].x86_only && !arch->x86))
			continue;
		if (number >= 0 && number != newer[i].number)
			die("libseccomp has another number", name);
		number = newer[i].number;
	}
	return number < 0 ? -1 : number;
}

static void
decide_call(const struct arch *arch, const char *name, enum verdict verdict, bool *decided,
	    enum verdict *verdicts)
{
	int number = call_number(arch, name);

	if (number > LAST_CALL)
		die("newer than LAST_CALL", name);
	if (number < 0) {
		if (call_number(&archs[0], name) < 0 && call_number(&archs[1], name) < 0)
			die("no such call", name);
		return;
	}
	if (decided[number])
		die("decided twice", name);
	decided[number] = true;
	verdicts[number] = verdict;
}

static void
check_all_decided(const struct arch *arch, const bool *decided)
{
	for (int number = 0; number <= LAST_CALL; number++) {
		char *name = seccomp_syscall_resolve_num_arch(arch->token, number);

		if (name != NULL && !decided[number])
			die("no verdict", name);
		free(name);
	}
}

/* One filter variant. */
struct kind {
	enum network network;
	enum names names; /* unix socket names */
	enum guard guard;
	enum system_v system_v;
};

static bool
is_brokered(const struct kind *kind)
{
	return kind->network == NETWORK_BROKERED || kind->network == NETWORK_DATAGRAMS;
}

static bool
is_copied(const struct kind *kind)
{
	return kind->names == NAMES_COPIED || kind->names == NAMES_COPIED_AND_SIGNALS;
}

/*
 * A denied call stays denied. Tests that replace these verdicts allow the same; for what they supervise the
 * broker decides.
 */
static bool
is_open_to_change(enum verdict verdict)
{
	static const enum verdict open[] = {ALLOW,	 TEST_OPEN, TEST_OPENAT, TEST_IOCTL,
					    TEST_RENAME, TEST_SELF, TEST_LIMIT,	 TEST_NICE,
					    TEST_IONICE, TEST_LEASE};

	for (size_t i = 0; i < sizeof open / sizeof open[0]; i++)
		if (verdict == open[i])
			return true;
	return false;
}

/* Sets the verdict of each system call that was allowed so far. */
static void
decide_anew(const struct arch *arch, const char *names, enum verdict verdict,
	    enum verdict *verdicts)
{
	char name[64];

	for (int length; sscanf(names, " %63s%n", name, &length) == 1; names += length) {
		int number = call_number(arch, name);

		if (number >= 0 && !is_open_to_change(verdicts[number]) &&
		    verdicts[number] != verdict)
			die("decided anew, and not allowed", name);
		if (number >= 0)
			verdicts[number] = verdict == TEST_OPENAT_CHANGE && !arch->x86
						   ? TEST_OPENAT_CHANGE_ARM
						   : verdict;
	}
}

static void
decide_table(const struct arch *arch, const struct kind *kind, const struct routed *table,
	     size_t count, enum verdict *verdicts)
{
	for (size_t i = 0; i < count; i++)
		decide_anew(arch, table[i].calls,
			    kind->guard == GUARD_READS ? table[i].reads : table[i].changes,
			    verdicts);
}

static void
decide_over(const struct arch *arch, const struct group *rules, size_t count,
	    enum verdict *verdicts)
{
	char name[64];

	for (size_t i = 0; i < count; i++) {
		const char *at = rules[i].calls;

		for (int length; sscanf(at, " %63s%n", name, &length) == 1; at += length)
			verdicts[call_number(arch, name)] = rules[i].verdict;
	}
}

/* With a broker, it denies in place of the filter, to report it. */
static enum verdict
decide_socket(const struct kind *kind, enum verdict verdict)
{
	return kind->guard != GUARD_NONE && verdict == TEST_SOCKET_NONE ? TEST_SOCKET_TOLD
									: verdict;
}

/* Sets the verdict of system calls that got ENOSYS. */
static void
decide_absent(const struct arch *arch, const char *names, enum verdict verdict,
	      enum verdict *verdicts)
{
	char name[64];

	for (int length; sscanf(names, " %63s%n", name, &length) == 1; names += length) {
		enum verdict *at = &verdicts[call_number(arch, name)];

		if (*at != NOT_THERE)
			die("not refused as not there", name);
		*at = verdict;
	}
}

static void
decide_routed(const struct arch *arch, const struct kind *kind, enum verdict *verdicts)
{
	bool signals = kind->names == NAMES_AND_SIGNALS || kind->names == NAMES_COPIED_AND_SIGNALS;
	enum names names = kind->names >= NAMES_COLUMNS ? NAMES_ROUTED : kind->names;

	for (size_t i = 0; i < sizeof socket_rules / sizeof socket_rules[0]; i++)
		decide_anew(arch, socket_rules[i].calls,
			    decide_socket(kind, socket_rules[i].verdicts[kind->network][names]),
			    verdicts);
	if (kind->guard != GUARD_NONE) {
		decide_table(arch, kind, routed, sizeof routed / sizeof routed[0], verdicts);
		if (kind->system_v == SYSTEM_V_NONE)
			decide_absent(arch, told, ROUTE, verdicts);
	}
	if (kind->system_v == SYSTEM_V_ALL)
		decide_absent(arch, SYSTEM_V, ALLOW, verdicts);
	if (kind->guard != GUARD_NONE || names == NAMES_ROUTED || is_brokered(kind))
		decide_table(arch, kind, layers, sizeof layers / sizeof layers[0], verdicts);
	if (is_copied(kind))
		decide_over(arch, copied_rules, sizeof copied_rules / sizeof copied_rules[0],
			    verdicts);
	if (signals)
		decide_over(arch, signal_rules, sizeof signal_rules / sizeof signal_rules[0],
			    verdicts);
}

/* Fills verdicts[0..LAST_CALL]; a number without a call gets ENOSYS. */
static void
decide(const struct arch *arch, const struct kind *kind, enum verdict *verdicts)
{
	bool decided[LAST_CALL + 1] = {false};
	char name[64];

	for (int number = 0; number <= LAST_CALL; number++)
		verdicts[number] = NOT_THERE;
	for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
		const char *at = groups[i].calls;

		for (int length; sscanf(at, " %63s%n", name, &length) == 1; at += length)
			decide_call(arch, name, groups[i].verdict, decided, verdicts);
	}
	check_all_decided(arch, decided);
	decide_routed(arch, kind, verdicts);
}

static size_t
find_ranges(const struct arch *arch, const enum verdict *verdicts, struct range *ranges)
{
	size_t count = 0;

	for (uint32_t number = 0; number <= LAST_CALL; number++)
		if (number == 0 || verdicts[number] != ranges[count - 1].verdict)
			ranges[count++] = (struct range){number, verdicts[number]};
	if (ranges[count - 1].verdict != NOT_THERE)
		ranges[count++] = (struct range){LAST_CALL + 1, NOT_THERE};
	if (arch->x86) {
		ranges[count++] = (struct range){X32_BIT, KILL};
		/* a tracer writes -1 to skip a system call */
		ranges[count++] = (struct range){0xffffffffu, NOT_THERE};
	}
	return count;
}

/* ---- code, from the end ---- */

static label
emit(struct code *code, unsigned short operation, uint32_t value)
{
	if (code->used == CODE_MAX)
		die("the filter is too long", "");
	code->at[code->used++] = (struct sock_filter){.code = operation, .k = value};
	return code->used;
}

/* Returns a position within reach that leads to target. */
static label
reach(struct code *code, label target)
{
	if (code->used - target <= REACH)
		return target;
	return emit(code, BPF_JMP | BPF_JA, (uint32_t)(code->used - target));
}

static label
emit_jump(struct code *code, unsigned short operation, uint32_t value, label yes, label no)
{
	label near_yes = reach(code, yes), near_no = reach(code, no);
	size_t from = code->used;

	emit(code, BPF_JMP | BPF_K | operation, value);
	code->at[from].jt = (unsigned char)(from - near_yes);
	code->at[from].jf = (unsigned char)(from - near_no);
	return code->used;
}

static uint32_t
end_value(enum verdict end)
{
	switch (end) {
	case ALLOW:
		return SECCOMP_RET_ALLOW;
	case KILL:
		return SECCOMP_RET_KILL_PROCESS;
	case ROUTE:
		return SECCOMP_RET_USER_NOTIF;
	default:
		return SECCOMP_RET_ERRNO | end_errno[end];
	}
}

static bool
same_load(const struct test *a, const struct test *b)
{
	return a->argument == b->argument && a->mask == b->mask;
}

/* Both architectures are little-endian: the low half comes first. */
static label
emit_load(struct code *code, const struct test *test)
{
	unsigned offset = (test->argument & HIGH) != 0 ? 4 : 0;

	if (test->mask != WHOLE)
		emit(code, BPF_ALU | BPF_AND | BPF_K, test->mask);
	offset += (unsigned)offsetof(struct seccomp_data, args) +
		  8 * (test->argument & ~(unsigned)HIGH);
	return emit(code, BPF_LD | BPF_W | BPF_ABS, offset);
}

static label emitted(struct code *code, enum verdict verdict);

/* Emits the tests in a chain; a test that does not match continues with the next one. */
static label
emit_tests(struct code *code, const struct test *first)
{
	const struct test *test = first;
	label next, then;

	while (test->operation != OTHERWISE)
		test++;
	next = emitted(code, test->then);
	while (test-- > first) {
		unsigned short operation = test->operation == HAS ? BPF_JSET : BPF_JEQ;

		then = emitted(code, test->then);
		next = test->operation == IS_NOT
			       ? emit_jump(code, operation, test->value, next, then)
			       : emit_jump(code, operation, test->value, then, next);
		if (test == first || !same_load(test, test - 1))
			next = emit_load(code, test);
	}
	return next;
}

/* Returns a position of the verdict; emits it again if it is out of reach. */
static label
emitted(struct code *code, enum verdict verdict)
{
	label at = code->emitted[verdict];

	if (at != 0 && code->used - at <= REACH)
		return at;
	if (verdict < ENDS)
		at = emit(code, BPF_RET | BPF_K, end_value(verdict));
	else
		at = at != 0 ? reach(code, at) : emit_tests(code, tests[verdict]);
	code->emitted[verdict] = at;
	return at;
}

static bool
is_island(const struct range *ranges, size_t count)
{
	return count == 3 && ranges[0].verdict == ranges[2].verdict &&
	       ranges[1].start + 1 == ranges[2].start;
}

/* The system call number is in the accumulator. */
static label
emit_ranges(struct code *code, const struct range *ranges, size_t count)
{
	size_t middle = count / 2;
	label below, above;

	if (count == 1)
		return emitted(code, ranges[0].verdict);
	if (is_island(ranges, count)) {
		above = emitted(code, ranges[1].verdict);
		below = emitted(code, ranges[0].verdict);
		return emit_jump(code, BPF_JEQ, ranges[1].start, above, below);
	}
	above = emit_ranges(code, ranges + middle, count - middle);
	below = emit_ranges(code, ranges, middle);
	return emit_jump(code, BPF_JGE, ranges[middle].start, above, below);
}

static void
emit_filter(struct code *code, const struct arch *arch, const struct range *ranges, size_t count)
{
	label numbers, dead;

	/* tests first, at the end, within reach of the whole search */
	for (int verdict = 0; verdict < VERDICTS; verdict++)
		for (size_t i = 0; i < count; i++)
			if (ranges[i].verdict == (enum verdict)verdict)
				emitted(code, (enum verdict)verdict);
	emit_ranges(code, ranges, count);
	numbers = emit(code, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	dead = emit(code, BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
	emit_jump(code, BPF_JEQ, arch->token, numbers, dead);
	emit(code, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
}

/* ---- output ---- */

static const char *const network_names[NETWORKS] = {"none", "all", "brokered", "datagrams"};
static const char *const names_names[NAMES] = {"",	   "_paths",  "_closed",
					       "_signals", "_copied", "_copied_signals"};
static const char *const guard_names[GUARDS] = {"", "_changes", "_reads"};
static const char *const system_v_names[SYSTEM_VS] = {"", "_sysv"};

static void
print_name(const struct arch *arch, const struct kind *kind)
{
	printf("filter_%s_%s%s%s%s", arch->name, network_names[kind->network],
	       names_names[kind->names], guard_names[kind->guard], system_v_names[kind->system_v]);
}

static void
print_code(const struct code *code, const struct arch *arch, const struct kind *kind)
{
	printf("static const struct sock_filter ");
	print_name(arch, kind);
	printf("[%zu] = {\n", code->used);
	for (size_t i = code->used; i-- > 0;)
		printf("\t{0x%02x, %u, %u, 0x%08x},\n", code->at[i].code, code->at[i].jt,
		       code->at[i].jf, code->at[i].k);
	printf("};\n");
}

/* Without a decision about names there is no broker. */
static bool
is_made(const struct kind *kind)
{
	if (is_copied(kind))
		return kind->network != NETWORK_DATAGRAMS;
	return kind->names != NAMES_CLOSED || (!is_brokered(kind) && kind->guard == GUARD_NONE);
}

static void
make(const struct arch *arch, const struct kind *kind)
{
	enum verdict verdicts[LAST_CALL + 1];
	struct range ranges[LAST_CALL + 8];
	struct code code = {.used = 0};
	size_t count;

	if (!is_made(kind))
		return;
	decide(arch, kind, verdicts);
	count = find_ranges(arch, verdicts, ranges);
	emit_filter(&code, arch, ranges, count);
	print_code(&code, arch, kind);
}

/* Prints an entry with its indexes in the table. */
static void
print_entry(const struct arch *arch, const struct kind *kind)
{
	if (!is_made(kind))
		return;
	printf(" [%d][%d][%d][%d] = PROGRAM(", (int)kind->network, (int)kind->names,
	       (int)kind->guard, (int)kind->system_v);
	print_name(arch, kind);
	printf("),");
}

static void
for_each_kind(const struct arch *arch, void (*act)(const struct arch *, const struct kind *))
{
	for (int network = 0; network < NETWORKS; network++)
		for (int names = 0; names < NAMES; names++)
			for (int guard = 0; guard < GUARDS; guard++)
				for (int v = 0; v < SYSTEM_VS; v++)
					act(arch,
					    &(struct kind){(enum network)network, (enum names)names,
							   (enum guard)guard, (enum system_v)v});
}

int
main(void)
{
	printf("/* Written by tools/make-filter. */\n");
	for (size_t i = 0; i < sizeof archs / sizeof archs[0]; i++) {
		printf("#if defined(FILTER_EVERY) || (%s)\n", archs[i].condition);
		for_each_kind(&archs[i], make);
		printf("#endif\n#if %s\n#define FILTER_ARCH \"%s\"\n#define FILTER_TABLE",
		       archs[i].condition, archs[i].name);
		for_each_kind(&archs[i], print_entry);
		printf("\n#endif\n");
	}
	return fflush(stdout) != 0 || ferror(stdout) ? 1 : 0;
}
