// SPDX-License-Identifier: MIT
/*
 * Facts about seccomp notification that are found without a child, held against those that a child
 * finds by doing it: free, behind a filter of somebody else, and behind one with a listener.
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>

#include "child.h"
#include "enforce/enforce.h"
#include "tap.h"

enum around { NOTHING, A_FILTER, A_LISTENER };

/* How a child answers: which of the two ways found a listener to be had. */
enum { FOUND_QUICKLY = 1, FOUND_BY_DOING = 2, FOUND_DIFFERENT = 4 };

static int
load(enum around around)
{
	struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog program = {1, &allow};
	unsigned long flags = around == A_LISTENER ? SECCOMP_FILTER_FLAG_NEW_LISTENER : 0;

	if (around == NOTHING)
		return 0;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -1;
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program) < 0 ? -1 : 0;
}

static int
probe_both_ways(const void *argument)
{
	static const enum fact told[] = {FACT_SECCOMP_NOTIFY, FACT_NOTIFY_ADDFD,
					 FACT_NOTIFY_WAIT_KILLABLE};
	struct facts quick, done;
	struct cordon_error err = {0};
	int found = 0;

	/* a listener around the whole test serves as well as ours */
	if (load(*(const enum around *)argument) < 0 && errno != EBUSY)
		return CHILD_BROKEN;
	if (enforce_probe(&quick, &err) < 0)
		return CHILD_BROKEN;
	done = quick;
	if (enforce_probe_notify(&done, &err) < 0)
		return CHILD_BROKEN;
	for (size_t i = 0; i < sizeof told / sizeof told[0]; i++)
		if (quick.values[told[i]] != done.values[told[i]])
			found |= FOUND_DIFFERENT;
	found |= quick.values[FACT_SECCOMP_NOTIFY] ? FOUND_QUICKLY : 0;
	return found | (done.values[FACT_SECCOMP_NOTIFY] ? FOUND_BY_DOING : 0);
}

static int
probe_as(enum who who, enum around around)
{
	return child_run(who, probe_both_ways, &around);
}

static void
the_quick_probe_finds_what_the_full_probe_finds(void)
{
	for (int who = AS_ROOT; who <= AS_USER; who++) {
		int free = probe_as((enum who)who, NOTHING);

		check(free == 0 || free == (FOUND_QUICKLY | FOUND_BY_DOING));
		check_int(probe_as((enum who)who, A_FILTER), free);
	}
}

static void
with_a_foreign_listener_there_is_no_broker(void)
{
	check_int(probe_as(AS_ROOT, A_LISTENER), 0);
	check_int(probe_as(AS_USER, A_LISTENER), 0);
}

int
main(void)
{
	run(the_quick_probe_finds_what_the_full_probe_finds);
	run(with_a_foreign_listener_there_is_no_broker);
	return tap_end();
}
