// SPDX-License-Identifier: MIT
/* Runs contenders in random order and prints tables of the results. */
#include "measure.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

double
clock_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* ---- running ---- */

_Noreturn void
contender_become(const struct contender *contender)
{
	int null = open("/dev/null", O_RDWR);

	for (int fd = 0; fd < 3; fd++)
		dup2(null, fd);
	if (contender->tmp != NULL)
		setenv("TMPDIR", contender->tmp, 1);
	if (contender->cwd == NULL || chdir(contender->cwd) == 0)
		execv(contender->argv[0], contender->argv);
	_exit(127);
}

static double
milliseconds(const struct timeval *time)
{
	return (double)time->tv_sec * 1e3 + (double)time->tv_usec / 1e3;
}

double
contender_run(const struct contender *contender, double *ret_processors)
{
	double start = clock_now(), end;
	pid_t child = fork();
	struct rusage usage;
	int status = -1;

	if (child == 0)
		contender_become(contender);
	if (child < 0 || wait4(child, &status, 0, &usage) != child)
		return -1;
	end = clock_now();
	if (ret_processors != NULL)
		*ret_processors = milliseconds(&usage.ru_utime) + milliseconds(&usage.ru_stime);
	return status == 0 ? end - start : -1;
}

static void
shuffle(size_t *order, size_t count, unsigned *seed)
{
	for (size_t i = 0; i < count; i++)
		order[i] = i;
	for (size_t i = count; i > 1; i--) {
		size_t j = (size_t)rand_r(seed) % i, kept = order[i - 1];

		order[i - 1] = order[j];
		order[j] = kept;
	}
}

static void
run_counted(struct contender *contender, bool counts)
{
	double processors = 0;
	double time = contender->is_out ? -1 : contender_run(contender, &processors);

	if (time < 0) {
		contender->is_out = true;
	} else if (counts) {
		contender->times[contender->count] = time;
		contender->processors[contender->count++] = processors;
	}
}

/* On a terminal: how many rounds are done; after the last one nothing. */
static void
show_round(int round, int rounds)
{
	if (!isatty(STDERR_FILENO))
		return;
	fprintf(stderr, "\r\033[K");
	if (round <= rounds)
		fprintf(stderr, "round %d of %d", round, rounds);
	fflush(stderr);
}

void
contenders_measure(struct contender *contenders, size_t count, int rounds)
{
	unsigned seed = (unsigned)time(NULL);
	size_t *order = calloc(count, sizeof *order);

	for (size_t i = 0; i < count; i++) {
		contenders[i].times = calloc((size_t)rounds + 1, sizeof(double));
		contenders[i].processors = calloc((size_t)rounds + 1, sizeof(double));
	}
	for (int round = 0; order != NULL && round <= rounds; round++) {
		show_round(round, rounds);
		shuffle(order, count, &seed);
		for (size_t i = 0; i < count; i++)
			if (contenders[order[i]].times != NULL &&
			    contenders[order[i]].processors != NULL)
				run_counted(&contenders[order[i]], round > 0);
	}
	show_round(rounds + 1, rounds);
	free(order);
}

void
contenders_free(struct contender *contenders, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(contenders[i].times);
		free(contenders[i].processors);
		contenders[i].times = contenders[i].processors = NULL;
		contenders[i].count = 0;
	}
}

/* ---- results ---- */

static int
by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double
median_of(double *values, int count)
{
	if (values == NULL || count == 0)
		return 0;
	qsort(values, (size_t)count, sizeof(double), by_size);
	return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

double
contender_median(const struct contender *contender)
{
	return contender->is_out ? 0 : median_of(contender->times, contender->count);
}

const struct contender *
contender_find(const struct contender *contenders, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(contenders[i].name, name) == 0)
			return &contenders[i];
	return NULL;
}

/* Returns 0 if either is missing. */
static double
ratio(const struct contender *contenders, size_t count, const char *name, const char *base)
{
	const struct contender *one = contender_find(contenders, count, name);
	const struct contender *other = contender_find(contenders, count, base);
	double below = other == NULL ? 0 : contender_median(other);

	return one == NULL || below <= 0 ? 0 : contender_median(one) / below;
}

static void
print_row(const struct contender *contenders, size_t count, const struct contender *row,
	  const char *const *bases)
{
	if (row->is_out)
		printf("| %s | does not run here | |", row->name);
	else
		printf("| %s | %.2f | %.2f |", row->name, contender_median(row),
		       median_of(row->processors, row->count));
	for (size_t b = 0; bases[b] != NULL; b++) {
		double value = ratio(contenders, count, row->name, bases[b]);

		if (value > 0)
			printf(" %.2f |", value);
		else
			printf(" |");
	}
	printf("\n");
}

void
contenders_print(const struct contender *contenders, size_t count, const char *title,
		 const char *const *bases)
{
	printf("\n### %s\n\n| | ms | cpu ms |", title);
	for (size_t b = 0; bases[b] != NULL; b++)
		printf(" of %s |", bases[b]);
	printf("\n|---|---|---|");
	for (size_t b = 0; bases[b] != NULL; b++)
		printf("---|");
	printf("\n");
	for (size_t i = 0; i < count; i++)
		print_row(contenders, count, &contenders[i], bases);
}

bool
contenders_failed(const struct contender *contenders, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (contenders[i].is_out && (strncmp(contenders[i].name, "cordon", 6) == 0 ||
					     strncmp(contenders[i].name, "floor", 5) == 0))
			return true;
	return false;
}

void
bar_print(const struct contender *contenders, size_t count, const char *name, const char *base,
	  double bar)
{
	double value = ratio(contenders, count, name, base);

	if (value > 0)
		printf("- %s of %s: %.2fx, bar %.2fx: %s\n", name, base, value, bar,
		       value <= bar ? "met" : "not met");
}

void
bar_print_number(const char *what, double value, double bar, const char *unit)
{
	printf("- %s: %.2f %s, bar %.2f %s: %s\n", what, value, unit, bar, unit,
	       value <= bar ? "met" : "not met");
}

void
machine_print(bool quick)
{
	char day[32] = "", load[64] = "";
	FILE *file = fopen("/proc/loadavg", "r");
	time_t now = time(NULL);
	struct tm parts;
	struct utsname name;

	if (gmtime_r(&now, &parts) != NULL)
		strftime(day, sizeof day, "%Y-%m-%d", &parts);
	if (file != NULL && fscanf(file, "%60s", load) == 1)
		printf("%s, load %s, ", day, load);
	if (file != NULL)
		fclose(file);
	if (uname(&name) == 0)
		printf("%s %s %s, %ld processors, uid %d\n", name.sysname, name.release,
		       name.machine, sysconf(_SC_NPROCESSORS_ONLN), (int)geteuid());
	if (quick)
		printf("A quick round, to see that it runs: smaller, once, and the numbers mean nothing.\n");
	fflush(stdout);
}
