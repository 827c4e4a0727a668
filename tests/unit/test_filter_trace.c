// SPDX-License-Identifier: MIT
/*
 * A filter with a trace, without a kernel: it only adds notifications, and what the broker is told about such
 * a call is what the filter without a trace returns.
 */
#include "linux/seccomp/filter_trace.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include "linux/seccomp/filter.h"
#include "tap.h"

#define MARK 0x123u

static const struct filter_traced traced[] = {{SYS_openat, -1, 0},
					      {SYS_execve, 3, MARK},
					      {SYS_statx, -1, 0},
					      {SYS_newfstatat, 3, 0x1000}};

/* The architecture that the filters are for: the first comparison in each. */
static uint32_t
own_arch(const struct sock_fprog *program)
{
	for (size_t i = 0; i < program->len; i++)
		if (BPF_CLASS(program->filter[i].code) == BPF_JMP)
			return program->filter[i].k;
	return 0;
}

static bool
is_traced(const struct seccomp_data *data)
{
	for (size_t i = 0; i < sizeof traced / sizeof traced[0]; i++)
		if (traced[i].number == data->nr)
			return traced[i].argument < 0 ||
			       (uint32_t)data->args[traced[i].argument] != traced[i].value;
	return false;
}

static bool
compare(const struct sock_fprog *base, const struct sock_fprog *with, uint32_t arch)
{
	static const uint64_t flags[] = {0, 1, 3, 0x40, 0x1000, 0x200000, MARK};
	bool same = true;

	for (int nr = 0; nr < 480; nr++) {
		for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
			struct seccomp_data data = {.nr = nr, .arch = arch};
			uint32_t action;

			for (int arg = 0; arg < 6; arg++)
				data.args[arg] = flags[i];
			action = filter_action(with, &data);
			same = same && (is_traced(&data) ? action == SECCOMP_RET_USER_NOTIF
							 : action == filter_action(base, &data));
		}
	}
	return same;
}

static const struct sock_fprog *
choose(int number)
{
	return filter_choose((struct seccomp_filter_kind){
		(enum filter_network)(number % FILTER_NETWORKS),
		(enum filter_names)(number / FILTER_NETWORKS % FILTER_NAMES),
		(enum filter_guard)(number / FILTER_NETWORKS / FILTER_NAMES % FILTER_GUARDS),
		(enum filter_system_v)(number / FILTER_NETWORKS / FILTER_NAMES / FILTER_GUARDS)});
}

static void
a_trace_adds_notifications_and_changes_nothing_else(void)
{
	const int kinds = FILTER_NETWORKS * FILTER_NAMES * FILTER_GUARDS * FILTER_SYSTEM_VS;
	int filters = 0;

	for (int i = 0; i < kinds; i++) {
		const struct sock_fprog *base = choose(i);
		struct sock_fprog *with;

		if (base == NULL)
			continue;
		with = filter_trace_new(base, traced, sizeof traced / sizeof traced[0]);
		filters++;
		check(with != NULL && compare(base, with, own_arch(base)));
		free(with);
	}
	check(filters > 20);
}

int
main(void)
{
	run(a_trace_adds_notifications_and_changes_nothing_else);
	return tap_end();
}
