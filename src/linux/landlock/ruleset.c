// SPDX-License-Identifier: MIT
/* Landlock rulesets: the rights of each ABI version, and creating and entering a ruleset. */
#include "base/os.h"

#include "linux/landlock/ruleset.h"

#include <unistd.h>

#include "base/fd.h"
#include "linux/landlock/handshake.h"
#include "linux/landlock/rules.h"

#define QUERY_VERSION 1u
#define QUERY_MENDED 2u
#define MENDED_SIGNALS 2 /* erratum 2: signals between threads of one process */
#define LOG_SAME_EXEC_OFF 1u
#define LOG_NEW_EXEC_ON 2u
#define ABI_LAST 10

/* ---- rights of each ABI ---- */

#define FILE_MAKE_PLAIN \
	(FILE_MAKE_DIR | FILE_MAKE_REG | FILE_MAKE_SOCK | FILE_MAKE_FIFO | FILE_MAKE_SYM)
#define FILE_REMOVE_ANY (FILE_REMOVE_DIR | FILE_REMOVE)
#define FILE_FIRST                                                                 \
	(FILE_EXECUTE | FILE_WRITE | FILE_READ | FILE_READ_DIR | FILE_REMOVE_ANY | \
	 FILE_MAKE_PLAIN | FILE_MAKE_CHAR | FILE_MAKE_BLOCK)
#define FILE_CHANGE                                                                          \
	(FILE_WRITE | FILE_REMOVE_ANY | FILE_MAKE_PLAIN | FILE_MAKE_CHAR | FILE_MAKE_BLOCK | \
	 FILE_REFER)
static const struct {
	int abi;
	struct landlock_access adds;
} versions[] = {
	{1, {.files = FILE_FIRST}},
	{2, {.files = FILE_REFER}},
	{3, {.files = FILE_TRUNCATE}},
	{4, {.net = NET_BIND_TCP | NET_CONNECT_TCP}},
	{5, {.files = FILE_IOCTL_DEV}},
	{6, {.scopes = SCOPE_ABSTRACT_SOCKET | SCOPE_SIGNAL}},
	/* ABI 7 adds audit flags and ABI 8 a flag for threads; neither adds rights */
	{9, {.files = FILE_RESOLVE_UNIX}},
	{ABI_LAST, {.net = NET_BIND_UDP | NET_CONNECT_SEND_UDP}},
};

struct landlock_access
ruleset_access_for_abi(int abi)
{
	struct landlock_access all = {0};

	for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
		if (versions[i].abi > abi)
			break;
		all.files |= versions[i].adds.files;
		all.net |= versions[i].adds.net;
		all.scopes |= versions[i].adds.scopes;
	}
	return all;
}

/* Indexed by bits of rights. Without REFER, rename to another directory fails with EXDEV. */
static const uint64_t right_access[RIGHT_KINDS] = {
	FILE_READ | FILE_READ_DIR,
	FILE_WRITE | FILE_TRUNCATE,
	FILE_MAKE_PLAIN | FILE_REFER,
	FILE_REMOVE_ANY | FILE_REFER,
	FILE_EXECUTE,
};

uint64_t
ruleset_access_for_rights(unsigned rights)
{
	uint64_t access = 0;

	for (int i = 0; i < RIGHT_KINDS; i++)
		if (rights & (1u << i))
			access |= right_access[i];
	return access;
}

int
landlock_ruleset(const struct landlock_access *handled)
{
	union {
		struct landlock_access access;
		char all[RULESET_SIZE];
	} wanted = {.all = {0}};

	wanted.access = *handled;
	return (int)syscall(SYS_landlock_create_ruleset, &wanted, sizeof wanted, 0);
}

int
landlock_version(const char **ret_why)
{
	int abi = (int)syscall(SYS_landlock_create_ruleset, NULL, 0, QUERY_VERSION), why = errno;

	if (abi < 0 && why == EOPNOTSUPP)
		abi = handshake_landlock_version();
	if (abi > 0)
		return abi;
	errno = why;
	if (ret_why != NULL)
		*ret_why = errno == EOPNOTSUPP
				   ? "Landlock is built in but not enabled: add \"landlock\" to "
				     "lsm= on the kernel's command line"
			   : errno == EPERM
				   ? "the Landlock calls are blocked: allow them in the "
				     "container's seccomp profile"
				   : "this kernel has no Landlock: use 5.13 or later built with "
				     "CONFIG_SECURITY_LANDLOCK";
	return 0;
}

/* ---- the ruleset ---- */

static struct landlock_access
access_for_kind(enum ruleset_kind kind, int abi)
{
	struct landlock_access access = ruleset_access_for_abi(abi);

	/* a layer that does not handle REFER denies it everywhere */
	if (kind == RULESET_BARE)
		access.files &= FILE_REFER;
	/* handling reads or truncate would cost a walk to the root at every open; see is_blind_cut */
	if (kind == RULESET_CHANGES)
		access.files &= FILE_CHANGE;
	return access;
}

/*
 * Also for the broker, if it sends no signals on behalf (kill_all.h says why). The broker must be able to
 * signal the first thread of its process, which earlier kernels treated as another domain.
 */
static bool
keeps_signals_in(const struct plan *plan)
{
	long mended = syscall(SYS_landlock_create_ruleset, NULL, 0, QUERY_MENDED);

	return !plan->routes_signals && mended > 0 && (mended & MENDED_SIGNALS);
}

int
ruleset_make(const struct plan *plan, const struct ruleset_options *options, int *ret_fd,
	     struct cordon_error *err)
{
	int planned = plan->facts.values[FACT_LANDLOCK_ABI], rc;
	struct ruleset_build m = {.plan = plan,
				  .options = options,
				  .root = geteuid() == 0,
				  .err = err};
	auto_fd int ruleset = -1;

	if (planned > landlock_version(NULL))
		return cordon_fail(err, CORDON_E_GAP, 0,
				   "the plan needs Landlock ABI %d, and this kernel has %d",
				   planned, landlock_version(NULL));
	if (planned == 0) {
		*ret_fd = -1;
		return 0;
	}
	m.handled = access_for_kind(options->kind, planned);
	m.handled.net = rules_net_handled(plan, options, m.handled.net);
	/* addresses of the broker's connects are checked by the broker itself */
	if (options->is_brokers && !keeps_signals_in(plan))
		m.handled.scopes &= ~(uint64_t)SCOPE_SIGNAL;
	if (m.handled.files == 0 && m.handled.net == 0 && m.handled.scopes == 0) {
		*ret_fd = -1;
		return 0;
	}
	ruleset = landlock_ruleset(&m.handled);
	if (ruleset < 0)
		return cordon_fail(err, CORDON_E_SYSTEM, errno, "cannot make a Landlock ruleset");
	m.ruleset = ruleset;
	rc = options->kind == RULESET_BARE ? rules_moves(&m) : rules_all(&m);
	if (rc == 0 && options->is_brokers && (m.handled.net & NET_CONNECT_TCP))
		rc = rules_net_allow(plan, options, ruleset, err);
	if (rc < 0)
		return rc;
	*ret_fd = ruleset;
	ruleset = -1;
	return 0;
}

int
ruleset_grant_tmp(int ruleset, enum ruleset_kind kind, int abi, const char *path,
		  struct cordon_error *err)
{
	struct ruleset_options options = {.kind = kind};
	struct ruleset_build m = {.options = &options,
				  .ruleset = ruleset,
				  .handled = access_for_kind(kind, abi),
				  .err = err};

	return rules_tmp(&m, path);
}

int
ruleset_grant_file(int ruleset, enum ruleset_kind kind, int abi, int fd, uint64_t access,
		   struct cordon_error *err)
{
	struct ruleset_options options = {.kind = kind};
	struct ruleset_build m = {.options = &options,
				  .ruleset = ruleset,
				  .handled = access_for_kind(kind, abi),
				  .err = err};

	return rules_allow(&m, fd, access, false, "a terminal");
}

static int
enter(int ruleset, unsigned flags, struct cordon_error *err)
{
	if (syscall(SYS_landlock_restrict_self, ruleset, flags) == 0)
		return 0;
	if (errno == E2BIG)
		return cordon_fail(err, CORDON_E_SYSTEM, 0,
				   "too many nested sandboxes: Landlock has at most 16 layers");
	return cordon_fail(err, CORDON_E_SYSTEM, errno, "cannot enter the Landlock ruleset");
}

int
ruleset_enter(int ruleset, bool logs_commands, struct cordon_error *err)
{
	return enter(ruleset, logs_commands ? LOG_NEW_EXEC_ON : 0, err);
}

int
ruleset_enter_unlogged(int ruleset, int abi, bool logs_commands, struct cordon_error *err)
{
	unsigned flags = LOG_SAME_EXEC_OFF | (logs_commands ? LOG_NEW_EXEC_ON : 0);

	return enter(ruleset, abi < 7 ? 0 : flags, err);
}
