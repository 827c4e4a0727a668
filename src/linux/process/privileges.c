// SPDX-License-Identifier: MIT
/*
 * Drops privileges in the child before the layers are entered. System calls only: no allocation, no locks,
 * no stdio. Every privilege given up is read back, and any doubt is an error.
 */
#include "linux/process/privileges.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"

/* Above the last capability of any kernel: version 3 sets have two words. */
#define CAP_END 64

/* exec by uid 0 gains nothing, no capability can be made ambient; both locked. */
#define BITS_WANTED                                                       \
	(SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_KEEP_CAPS_LOCKED | \
	 SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED)

struct caps {
	struct __user_cap_data_struct word[2];
};

static int
fail(struct cordon_error *err, const char *what)
{
	return cordon_fail(err, CORDON_E_SYSTEM, errno, "cannot give up privileges: %s", what);
}

/* The call succeeded without effect. */
static int
fail_still_set(struct cordon_error *err, const char *what)
{
	return cordon_fail(err, CORDON_E_SYSTEM, 0, "privileges were not given up: %s", what);
}

static int
caps_get(struct caps *to)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};

	return (int)syscall(SYS_capget, &header, to->word);
}

static int
caps_set(const struct caps *from)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};

	return (int)syscall(SYS_capset, &header, from->word);
}

static bool
caps_any(const struct caps *caps)
{
	unsigned all = 0;

	for (int i = 0; i < 2; i++)
		all |= caps->word[i].effective | caps->word[i].permitted |
		       caps->word[i].inheritable;
	return all != 0;
}

static bool
caps_has(const struct caps *caps, unsigned cap)
{
	return (caps->word[cap / 32].effective >> cap % 32 & 1) != 0;
}

static int
drop_bounds(struct cordon_error *err)
{
	unsigned long end = 0;

	/* stop at the first capability unknown to this kernel: there are no gaps */
	while (end < CAP_END && prctl(PR_CAPBSET_DROP, end, 0, 0, 0) == 0)
		end++;
	if (end < CAP_END && errno != EINVAL)
		return fail(err, "bounding set");
	/* an unknown capability reads as an error */
	for (unsigned long cap = 0; cap < CAP_END; cap++)
		if (prctl(PR_CAPBSET_READ, cap, 0, 0, 0) == 1)
			return fail_still_set(err, "bounding set");
	return 0;
}

static int
lock_bits(struct cordon_error *err)
{
	int bits = prctl(PR_GET_SECUREBITS, 0, 0, 0, 0);

	if (bits < 0)
		return fail(err, "secure bits");
	if (prctl(PR_SET_SECUREBITS, (unsigned long)(bits | BITS_WANTED), 0, 0, 0) != 0)
		return fail(err, "secure bits");
	bits = prctl(PR_GET_SECUREBITS, 0, 0, 0, 0);
	if (bits < 0 || (bits & BITS_WANTED) != BITS_WANTED)
		return fail_still_set(err, "secure bits");
	return 0;
}

static int
drop_caps(struct cordon_error *err)
{
	struct caps caps = {0};
	int rc;

	if (caps_get(&caps) != 0)
		return fail(err, "reading capabilities");
	if (!caps_any(&caps))
		return 0;
	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0)
		return fail(err, "ambient capabilities");
	/*
	 * Without CAP_SETPCAP (root in some containers) neither can be changed. This is a second line of
	 * defence: under no_new_privs exec adds nothing to the permitted set, which is empty from here on.
	 */
	if (caps_has(&caps, CAP_SETPCAP)) {
		rc = drop_bounds(err);
		rc = rc < 0 ? rc : lock_bits(err);
		if (rc < 0)
			return rc;
	}
	if (caps_set(&(struct caps){0}) != 0)
		return fail(err, "capabilities");
	if (caps_get(&caps) != 0 || caps_any(&caps))
		return fail_still_set(err, "capabilities");
	return 0;
}

/* A core file is written by the kernel without regard to the layers, and contains all memory. */
static int
drop_cores(struct cordon_error *err)
{
	struct rlimit none = {0, 0};

	if (setrlimit(RLIMIT_CORE, &none) != 0)
		return fail(err, "core dumps");
	if (getrlimit(RLIMIT_CORE, &none) != 0 || none.rlim_cur != 0 || none.rlim_max != 0)
		return fail_still_set(err, "core dumps");
	return 0;
}

/* A process with a second uid or gid can switch to it without privilege; the plan knows only one. */
int
privileges_check(struct cordon_error *err)
{
	uid_t uid[3] = {0};
	gid_t gid[3] = {0};

	if (getresuid(&uid[0], &uid[1], &uid[2]) != 0 || getresgid(&gid[0], &gid[1], &gid[2]) != 0)
		return fail(err, "reading ids");
	if (uid[0] != uid[1] || uid[0] != uid[2] || gid[0] != gid[1] || gid[0] != gid[2])
		return cordon_fail(err, CORDON_E_USAGE, 0,
				   "the real, effective and saved user or group are not the same; "
				   "the command could become any of them");
	return 0;
}

int
privileges_drop(struct cordon_error *err)
{
	int rc = privileges_check(err);

	if (rc < 0)
		return rc;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return fail(err, "no_new_privs");
	if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1)
		return fail_still_set(err, "no_new_privs");
	rc = drop_cores(err);
	return rc < 0 ? rc : drop_caps(err);
}
