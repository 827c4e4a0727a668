// SPDX-License-Identifier: MIT
/*
 * Prints the Landlock rules that cordon loads for the default policy of a project, for the floor to load.
 * They are recorded at the system call. The inner layer leaves changes to the broker, which the floor does
 * not have, so its second layer is printed as wide as the first.
 *
 *   rules PROJECT TMP [POLICY] >RULES      TMP stands for the private tmp
 */
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "discover/context.h"
#include "enforce/enforce.h"

#define CREATE_RULESET 444
#define ADD_RULE 445
#define LAYERS 2

struct beneath {
	uint64_t access;
	int32_t fd;
} __attribute__((packed));

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);

/* Rules to repeat in the second layer. */
struct again {
	FILE *to;
	char *text;
	size_t size;
};

static void
note_rule(const struct beneath *rule, const struct again *again)
{
	char link[40], path[PATH_MAX];
	ssize_t length;

	snprintf(link, sizeof link, "/proc/self/fd/%d", rule->fd);
	length = readlink(link, path, sizeof path - 1);
	if (length <= 0 || memchr(path, '\n', (size_t)length) != NULL)
		return;
	printf("rule 0 %llx %.*s\n", (unsigned long long)rule->access, (int)length, path);
	if (again->to != NULL)
		fprintf(again->to, "rule 1 %llx %.*s\n", (unsigned long long)rule->access,
			(int)length, path);
}

static void
note_ruleset(const uint64_t *handled)
{
	printf("ruleset %llx %llx %llx\n", (unsigned long long)handled[0],
	       (unsigned long long)handled[1], (unsigned long long)handled[2]);
}

/* The linker replaces syscall() by it (--wrap). */
long
__wrap_syscall(long number, ...)
{
	static struct again again;
	static int first, count;
	long a[5], result; /* as many as there are argument registers */
	va_list args;

	va_start(args, number);
	for (int i = 0; i < 5; i++)
		a[i] = va_arg(args, long);
	va_end(args);
	if (number == ADD_RULE && count > 0 && first == (int)a[0])
		note_rule((const struct beneath *)a[2], &again);
	result = __real_syscall(number, a[0], a[1], a[2], a[3], a[4]);
	if (number != CREATE_RULESET || a[0] == 0 || result < 0 || count == LAYERS)
		return result;
	note_ruleset((const uint64_t *)a[0]);
	if (count++ == 0) {
		first = (int)result;
		again.to = open_memstream(&again.text, &again.size);
	} else if (again.to != NULL && fclose(again.to) == 0) {
		printf("%s", again.text);
		free(again.text);
		again.to = NULL;
	}
	return result;
}

int
main(int argc, char **argv)
{
	struct cordon_setup *setup = cordon_setup_new();
	struct sandbox_options options = {.private_tmp = argc >= 3 ? argv[2] : NULL};
	struct cordon_plan *plan = NULL;
	struct cordon_error err = {0};
	struct sandbox *box = NULL;
	int rc = (argc == 3 || argc == 4) && setup != NULL ? 0 : -CORDON_E_USAGE;

	if (rc == 0)
		rc = cordon_setup_set(setup, CORDON_OPT_PROJECT, argv[1], &err);
	if (rc == 0 && argc == 4)
		rc = cordon_setup_set(setup, CORDON_OPT_POLICY, argv[3], &err);
	if (rc == 0)
		rc = cordon_plan_new(setup, &plan, &err);
	if (rc == 0)
		rc = enforce_compile(plan->plan, &options, &box, &err);
	if (rc < 0)
		fprintf(stderr, "rules: %s\n", err.text);
	enforce_free(box);
	cordon_plan_free(plan);
	cordon_setup_free(setup);
	return rc < 0;
}
