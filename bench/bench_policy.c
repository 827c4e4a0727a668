// SPDX-License-Identifier: MIT
/*
 * Measures how the time to load, plan and query a policy grows with the number of rules. Prints a table
 * without a verdict: absolute times of one machine are no test.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/str.h"
#include "explain/why.h"
#include "plan/plan.h"

#define QUESTIONS 20000
#define TRIES 5

struct result {
	double load, plan, ask; /* milliseconds; ask: per query */
};

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* Grants three of four paths and denies one inside a granted one; short paths, to fit the size limit. */
static void
put_paths(struct str *to, size_t count)
{
	str_add(to, "{\"extends\": [], \"files\": {\"write\": [\n");
	for (size_t i = 0; i < count - count / 4; i++)
		str_printf(to, "\"/s/%zu/%zu\",\n", i % 97, i);
	str_add(to, "], \"deny\": [\n");
	for (size_t i = 0; i < count / 4; i++)
		str_printf(to, "\"/s/%zu/%zu/sub\",\n", i % 97, i);
	str_add(to, "]}}");
}

static void
put_patterns(struct str *to, size_t count)
{
	str_add(to, "{\"extends\": [], \"files\": {\"default\": \"r\", \"deny\": [\n");
	for (size_t i = 0; i < count; i++)
		str_printf(to, i % 2 ? "\"**/secret%zu/*.key\",\n" : "\"/s/**/private%zu\",\n", i);
	str_add(to, "]}}");
}

static int
make_plan(const char *text, struct result *result, const struct host *host, struct plan **ret)
{
	static const struct facts facts = {.kernel = "bench"};
	const struct stack_text only = {text, "--policy-json"};
	const struct stack_input input = {.texts = &only, .text_count = 1};
	struct cordon_error err = {0};
	struct stack *stack = NULL;
	double start = now(), loaded;
	int rc = layers_load(&input, &stack, &err);

	loaded = now();
	if (rc == 0)
		rc = plan_make(host, &facts, stack, NULL, ret, &err);
	result->load = loaded - start;
	result->plan = now() - loaded;
	if (rc < 0)
		fprintf(stderr, "bench_policy: %s\n", err.text);
	return rc;
}

static double
ask(const struct plan *plan, size_t count, size_t questions)
{
	double start = now();

	for (size_t i = 0; i < questions; i++) {
		auto_str struct str text = {0};
		size_t question = (i * 7919) % count;
		char path[80];

		snprintf(path, sizeof path, "/s/%zu/%zu/sub/a/b", question % 97, question);
		if (why_answer(plan, "read", path, false, &text, NULL) < 0)
			return 0;
	}
	return (now() - start) / (double)questions;
}

static void
keep_best(struct result *best, const struct result *result, bool first)
{
	if (first || result->load < best->load)
		best->load = result->load;
	if (first || result->plan < best->plan)
		best->plan = result->plan;
	if (first || result->ask < best->ask)
		best->ask = result->ask;
}

/* The best of several runs: disturbances only add time. */
static int
measure(void (*put)(struct str *, size_t), size_t count, size_t questions, struct result *best)
{
	static const struct host host = {.project = "/s/project",
					 .cwd = "/s/project",
					 .home = "/s/home",
					 .view = &fs_macos_minimal};
	auto_str struct str text = {0};

	put(&text, count);
	for (int i = 0; i < TRIES; i++) {
		auto_plan struct plan *plan = NULL;
		struct result result = {0};

		if (make_plan(text.text, &result, &host, &plan) < 0)
			return -1;
		result.ask = ask(plan, count, questions);
		keep_best(best, &result, i == 0);
	}
	return 0;
}

static void
print_row(const char *what, size_t count, const struct result *r, const struct result *before)
{
	printf("%8zu %-8s %9.2f %9.2f %9.2f %12.0f", count, what, r->load, r->plan,
	       r->load + r->plan, r->ask > 0 ? 1e3 / r->ask : 0);
	if (before != NULL)
		printf("   x%.1f x%.1f x%.2f", r->load / before->load, r->plan / before->plan,
		       r->ask / before->ask);
	printf("\n");
}

int
main(int argc, char **argv)
{
	static const size_t counts[] = {1000, 10000, 100000};
	bool quick = argc > 1 && strcmp(argv[1], "--quick") == 0;
	size_t steps = quick ? 1 : 3, questions = quick ? 20 : QUESTIONS;
	struct result results[3] = {0}, patterns = {0};

	printf("   count rules      load ms   plan ms    sum ms    answers/s   growth of load, "
	       "plan, "
	       "answer\n");
	for (size_t i = 0; i < steps; i++) {
		if (measure(put_paths, counts[i], questions, &results[i]) < 0)
			return 1;
		print_row("paths", counts[i], &results[i], i == 0 ? NULL : &results[i - 1]);
	}
	if (measure(put_patterns, 1000, questions / 20, &patterns) < 0)
		return 1;
	print_row("patterns", 1000, &patterns, NULL);
	return 0;
}
