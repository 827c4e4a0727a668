/* SPDX-License-Identifier: MIT */
/*
 * Measuring commands side by side: every contender once a round, in random order, so that what
 * disturbs a machine disturbs them all alike. Medians and ratios are what counts; nothing is judged.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define WORDS_MAX 96

struct contender {
	const char *name;
	char *argv[WORDS_MAX]; /* argv[0] is a path */
	const char *tmp;       /* TMPDIR for this one; NULL: as it is */
	const char *cwd;
	bool is_out;	    /* it failed once: said, and not measured */
	double *times;	    /* milliseconds, by the clock on the wall */
	double *processors; /* what it and its children had of the processors */
	int count;
};

double clock_now(void); /* milliseconds */
/* In a child: execs it, silent. */
_Noreturn void contender_become(const struct contender *contender);
/* Runs it, silent, and waits: its time, or -1 when its status was not 0. ret_processors may be NULL. */
double contender_run(const struct contender *contender, double *ret_processors);
/* One round more than asked, the first of which is not counted. */
void contenders_measure(struct contender *contenders, size_t count, int rounds);
void contenders_free(struct contender *contenders, size_t count);
/* The median of the times; 0 without any. */
double contender_median(const struct contender *contender);
const struct contender *contender_find(const struct contender *contenders, size_t count,
				       const char *name);

/* Did one of those fail that all others are held against, cordon or the floor? */
bool contenders_failed(const struct contender *contenders, size_t count);

/* A table of medians, with the ratio to each contender named in bases (ended by NULL). */
void contenders_print(const struct contender *contenders, size_t count, const char *title,
		      const char *const *bases);
/* One line: what was asked of the ratio of two medians, and what it is. */
void bar_print(const struct contender *contenders, size_t count, const char *name, const char *base,
	       double bar);
void bar_print_number(const char *what, double value, double bar, const char *unit);
/* Date, kernel, processors, load; and whether this is a try-out whose numbers mean nothing. */
void machine_print(bool quick);
