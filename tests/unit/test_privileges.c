// SPDX-License-Identifier: MIT
/* What is given up, tried: each thing works before privileges_drop and fails after it. */
#include <fcntl.h>
#include <linux/securebits.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/array.h"
#include "child.h"
#include "linux/process/privileges.h"
#include "tap.h"

struct attempt {
	bool drop;
	int (*function)(void);
};

static int
attempt(const void *argument)
{
	const struct attempt *what = argument;
	struct cordon_error err = {0};

	if (what->drop && privileges_drop(&err) != 0) {
		fprintf(stderr, "# %s\n", err.text);
		return CHILD_BROKEN;
	}
	return what->function();
}

static int
try_as(enum who who, bool drop, int (*function)(void))
{
	struct attempt what = {drop, function};

	return child_run(who, attempt, &what);
}

/* ---- things to try; 0 or an errno ---- */

static int
change_owner(void)
{
	return fchown(fileno(tmpfile()), CHILD_NOBODY, CHILD_NOBODY) == 0 ? 0 : errno;
}

static int
become_another(void)
{
	return setresuid(1, 1, 1) == 0 ? 0 : errno;
}

static int
make_device(void)
{
	char path[] = "/tmp/cordon-unit-XXXXXX";
	int rc;

	if (mkdtemp(path) == NULL || chdir(path) != 0)
		return CHILD_BROKEN;
	rc = mknod("null", S_IFCHR | 0600, 0x103) == 0 ? 0 : errno;
	unlink("null");
	rmdir(path);
	return rc;
}

/* How many of the sets are not empty. */
static int
held_sets(void)
{
	char line[256];
	int held = 0;
	FILE *file = fopen("/proc/self/status", "r");

	while (file != NULL && fgets(line, sizeof line, file) != NULL)
		if (strncmp(line, "Cap", 3) == 0 && strspn(line + 7, "0\t\n") != strlen(line + 7))
			held++;
	return file != NULL ? held : CHILD_BROKEN;
}

/* The next program: sees no capability that it could use. */
static int
exec_held(void)
{
	execl("/bin/sh", "sh", "-c",
	      "while read -r name value; do case $name in CapPrm:|CapEff:|CapInh:|CapAmb:) "
	      "[ \"$value\" = 0000000000000000 ] || exit 1;; esac; done </proc/self/status",
	      (char *)NULL);
	return CHILD_BROKEN;
}

static int
without_setpcap(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct caps[2];

	if (syscall(SYS_capget, &header, caps) != 0)
		return CHILD_BROKEN;
	caps[0].effective &= ~(1u << CAP_SETPCAP);
	caps[0].permitted &= ~(1u << CAP_SETPCAP);
	if (syscall(SYS_capset, &header, caps) != 0)
		return CHILD_BROKEN;
	return 0;
}

static int
exec_held_without_setpcap(void)
{
	return without_setpcap() == 0 && privileges_drop(NULL) == 0 ? exec_held() : CHILD_BROKEN;
}

/* Exec of root gives it all back when only the sets were emptied: what the check must notice. */
static int
exec_held_after_capset_only(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct none[2] = {{0}, {0}};

	return syscall(SYS_capset, &header, none) == 0 ? exec_held() : CHILD_BROKEN;
}

static int
drop_again(void)
{
	return privileges_drop(NULL) == 0 ? held_sets() : CHILD_BROKEN;
}

static int
core_limit(void)
{
	struct rlimit limit = {1, 1};

	return getrlimit(RLIMIT_CORE, &limit) == 0 && limit.rlim_cur == 0 && limit.rlim_max == 0;
}

static int
new_privileges_barred(void)
{
	return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0);
}

static int
root_bit_locked(void)
{
	int bits = prctl(PR_GET_SECUREBITS, 0, 0, 0, 0);

	return (bits & (SECBIT_NOROOT | SECBIT_NOROOT_LOCKED)) ==
	       (SECBIT_NOROOT | SECBIT_NOROOT_LOCKED);
}

static int
unlock_root_bit(void)
{
	return prctl(PR_SET_SECUREBITS, 0, 0, 0, 0) == 0 ? 0 : errno;
}

/* A daemon of root's that changes its user for a moment, and the other way round: 0 when refused. */
static int
drop_as_two_users(void)
{
	if (setresuid(0, CHILD_NOBODY, 0) != 0)
		return CHILD_BROKEN;
	return privileges_drop(NULL) < 0 ? 0 : 1;
}

static int
drop_as_two_groups(void)
{
	if (setresgid(CHILD_NOBODY, 0, 0) != 0)
		return CHILD_BROKEN;
	return privileges_drop(NULL) < 0 ? 0 : 1;
}

/* ---- cases ---- */

static void
root_loses_what_root_may_do(void)
{
	static int (*const things[])(void) = {change_owner, become_another, make_device,
					      unlock_root_bit};

	for (size_t i = 0; i < COUNT(things); i++) {
		check_int(try_as(AS_ROOT, false, things[i]), 0);
		check_int(try_as(AS_ROOT, true, things[i]), EPERM);
	}
	check_int(try_as(AS_ROOT, false, drop_as_two_users), 0);
	check_int(try_as(AS_ROOT, false, drop_as_two_groups), 0);
}

static void
root_holds_no_capability_in_any_set(void)
{
	check(try_as(AS_ROOT, false, held_sets) > 0);
	check_int(try_as(AS_ROOT, true, held_sets), 0);
	check_int(try_as(AS_ROOT, true, root_bit_locked), 1);
}

static void
exec_as_root_regains_nothing(void)
{
	check_int(try_as(AS_ROOT, false, exec_held), 1);
	check_int(try_as(AS_ROOT, false, exec_held_after_capset_only), 1);
	check_int(try_as(AS_ROOT, true, exec_held), 0);
	check_int(try_as(AS_ROOT, false, exec_held_without_setpcap), 0);
}

static void
dropping_twice_is_fine(void)
{
	check_int(try_as(AS_ROOT, true, drop_again), 0);
}

static void
users_get_no_new_privileges_and_no_cores(void)
{
	check_int(try_as(AS_USER, false, new_privileges_barred), 0);
	check_int(try_as(AS_USER, true, new_privileges_barred), 1);
	check_int(try_as(AS_USER, true, core_limit), 1);
	check_int(try_as(AS_USER, true, exec_held), 0);
}

static void
skip(const char *name, const char *reason)
{
	printf("ok %d - %s # SKIP %s\n", ++tap.cases, name, reason);
}

#define run_as_root(function) \
	(child_can_be_root() ? run(function) : skip(#function, "not root, or root of a container"))

int
main(void)
{
	run(users_get_no_new_privileges_and_no_cores);
	run_as_root(root_loses_what_root_may_do);
	run_as_root(root_holds_no_capability_in_any_set);
	run_as_root(exec_as_root_regains_nothing);
	run_as_root(dropping_twice_is_fine);
	return tap_end();
}
