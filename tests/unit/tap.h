/* SPDX-License-Identifier: MIT */
/*
 * Unit tests that speak TAP. A case is a function named after its promise; its checks print file,
 * line and both values when they fail, and a case fails when any of its checks does.
 *
 *	static void deny_beats_allow_below(void) { check_int(decide("/a"), 0); }
 *	int main(void) { run(deny_beats_allow_below); return tap_end(); }
 */
#pragma once

#include <stdio.h>
#include <string.h>

static struct {
	int cases, failed_cases, failed_checks;
} tap;

#define check(condition)                                                                   \
	do {                                                                               \
		if (!(condition)) {                                                        \
			printf("# %s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
			tap.failed_checks++;                                               \
		}                                                                          \
	} while (0)

#define check_int(actual, expected)                                                         \
	do {                                                                                \
		long long actual_ = (long long)(actual), expected_ = (long long)(expected); \
		if (actual_ != expected_) {                                                 \
			printf("# %s:%d: %s is %lld, expected %lld\n", __FILE__, __LINE__,  \
			       #actual, actual_, expected_);                                \
			tap.failed_checks++;                                                \
		}                                                                           \
	} while (0)

static inline void
tap_check_str(const char *file, int line, const char *name, const char *actual,
	      const char *expected)
{
	if (actual != NULL && expected != NULL && strcmp(actual, expected) == 0)
		return;
	if (actual == NULL && expected == NULL)
		return;
	printf("# %s:%d: %s is %s%s%s, expected %s%s%s\n", file, line, name,
	       actual == NULL ? "" : "\"", actual == NULL ? "NULL" : actual,
	       actual == NULL ? "" : "\"", expected == NULL ? "" : "\"",
	       expected == NULL ? "NULL" : expected, expected == NULL ? "" : "\"");
	tap.failed_checks++;
}
#define check_str(actual, expected) tap_check_str(__FILE__, __LINE__, #actual, actual, expected)

static inline void
tap_run(void (*function)(void), const char *name)
{
	tap.failed_checks = 0;
	function();
	tap.cases++;
	tap.failed_cases += tap.failed_checks != 0;
	printf("%sok %d - %s\n", tap.failed_checks != 0 ? "not " : "", tap.cases, name);
	fflush(stdout);
}
#define run(function) tap_run(function, #function)

static inline int
tap_end(void)
{
	printf("1..%d\n", tap.cases);
	return tap.failed_cases != 0;
}
