/* SPDX-License-Identifier: MIT */
/*
 * Measures commands side by side: each contender once per round, in random order, so that disturbances
 * affect all alike. Prints medians and ratios without a verdict.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define WORDS_MAX 96

struct contender {
	const char *name;
	char *argv[WORDS_MAX]; /* argv[0] is a path */
	const char *tmp;       /* TMPDIR; NULL: inherited */
	const char *cwd;
	bool is_out;	    /* it failed: reported once, not measured */
	double *times;	    /* wall clock time in milliseconds */
	double *processors; /* CPU time with its children */
	int count;
};

double clock_now(void); /* milliseconds */
/* Execs it in a child, without output. */
_Noreturn void contender_become(const struct contender *contender);
/*
 * Runs it without output and waits. Returns the time, or -1 if its status was not 0. ret_processors may be
 * NULL.
 */
double contender_run(const struct contender *contender, double *ret_processors);
/* Runs one additional first round that is not counted. */
void contenders_measure(struct contender *contenders, size_t count, int rounds);
void contenders_free(struct contender *contenders, size_t count);
/* The median of the times; 0 without any. */
double contender_median(const struct contender *contender);
const struct contender *contender_find(const struct contender *contenders, size_t count,
				       const char *name);

/* Did a reference fail, cordon or the floor? */
bool contenders_failed(const struct contender *contenders, size_t count);

/* Prints medians, with the ratio to each contender named in bases (NULL-terminated). */
void contenders_print(const struct contender *contenders, size_t count, const char *title,
		      const char *const *bases);
/* Prints one line: the ratio of two medians and the limit it should meet. */
void bar_print(const struct contender *contenders, size_t count, const char *name, const char *base,
	       double bar);
void bar_print_number(const char *what, double value, double bar, const char *unit);
/* Prints date, kernel, CPUs and load; quick: says that the numbers are of a short run and mean nothing. */
void machine_print(bool quick);
