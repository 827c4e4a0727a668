// SPDX-License-Identifier: MIT
/*
 * The command from fork to exec. Must not allocate, lock or use stdio, because the parent may have
 * had threads. The table at the end has the order of the steps. If one fails, its error is sent to
 * the parent and nothing is executed.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/os_process.h"
#include "session/inside/spawner.h"

/* Resets handlers; ignored signals (nohup) stay ignored. */
static int
reset_handlers(const struct child *child, struct cordon_error *err)
{
	struct sigaction normal = {.sa_handler = SIG_DFL}, ignore = {.sa_handler = SIG_IGN}, old;

	(void)err;
	for (int signal = 1; signal < NSIG; signal++)
		if (sigaction(signal, NULL, &old) == 0 && old.sa_handler != SIG_IGN &&
		    old.sa_handler != SIG_DFL)
			sigaction(signal, &normal, NULL);
	if (child->ignore_children)
		sigaction(SIGCHLD, &ignore, NULL);
	return 0;
}

/* The last step: until then a signal would run with memory copied from the parent. */
static int
restore_mask(const struct child *child, struct cordon_error *err)
{
	if (sigprocmask(SIG_SETMASK, &child->mask, NULL) < 0)
		return cordon_fail(err, CORDON_E_SYSTEM, errno, "cannot unblock signals");
	return 0;
}

static int
follow_parent(const struct child *child, struct cordon_error *err)
{
	if (child->track_only)
		return 0;
	/* the spawner handles SIGHUP, and kills its commands before it exits */
	if (os_die_with_parent(child->spawner != NULL ? SIGHUP : SIGKILL) < 0 ||
	    getppid() != child->parent)
		return cordon_fail(err, CORDON_E_SYSTEM, errno, "the guard is gone");
	return 0;
}

/*
 * The guard is the session leader of the pty. The command gets its own process group, which is not
 * orphaned because the guard is in the same session; so ^Z stops it.
 */
static int
take_terminal(const struct child *child, struct cordon_error *err)
{
	if (child->terminal < 0)
		return 0;
	if (setpgid(0, 0) < 0 || (child->in_front && tcsetpgrp(child->terminal, getpid()) < 0))
		return cordon_fail(err, CORDON_E_SYSTEM, errno, "cannot take the new terminal");
	for (int fd = 0; fd < 3; fd++)
		if ((child->terminal_is_all || isatty(fd)) && dup2(child->terminal, fd) < 0)
			return cordon_fail(err, CORDON_E_SYSTEM, errno,
					   "cannot use the new terminal");
	return 0;
}

static int
take_output(const struct child *child, struct cordon_error *err)
{
	for (int i = 0; i < 2; i++)
		if (child->output[i] >= 0 && dup2(child->output[i], i + 1) < 0)
			return cordon_fail(err, CORDON_E_SYSTEM, errno, "cannot count the output");
	return 0;
}

static int
settle_spawner(const struct child *child, struct cordon_error *err)
{
	return child->spawner == NULL ? 0 : spawner_settle(err);
}

static int
check_standard(const struct child *child, struct cordon_error *err)
{
	int rc = 0;

	for (int fd = 0; rc == 0 && fd < 3 && !child->track_only; fd++) {
		if (fcntl(fd, F_GETFD) >= 0)
			rc = stdio_check(fd, fd, child->free_connect, err);
		/* open() returns this fd, since the lower ones are open */
		else if (open("/dev/null", fd == 0 ? O_RDONLY : O_WRONLY) != fd)
			rc = cordon_fail(err, CORDON_E_SYSTEM, errno, "cannot open /dev/null");
	}
	return rc;
}

/* The hard CPU limit is a second higher, so that SIGXCPU tells the cause before SIGKILL. */
static int
set_limit(compat_resource resource, uint64_t value, struct cordon_error *err)
{
	struct rlimit limit = {(rlim_t)value, (rlim_t)value + (resource == RLIMIT_CPU)}, old;

	/* never above the inherited limit */
	if (getrlimit(resource, &old) == 0 && old.rlim_max < limit.rlim_max)
		limit.rlim_max = old.rlim_max;
	if (limit.rlim_cur > limit.rlim_max)
		limit.rlim_cur = limit.rlim_max;
	if (setrlimit(resource, &limit) < 0)
		return cordon_fail(err, CORDON_E_SYSTEM, errno, "cannot set a limit");
	return 0;
}

static int
set_limits(const struct child *child, struct cordon_error *err)
{
	static const struct {
		enum limit limit;
		compat_resource resource;
	} resources[] = {
		{LIMIT_FILE_SIZE, RLIMIT_FSIZE},   {LIMIT_CPU_TIME, RLIMIT_CPU},
		{LIMIT_OPEN_FILES, RLIMIT_NOFILE}, {LIMIT_PROCESSES, RLIMIT_NPROC},
		{LIMIT_MEMORY, RLIMIT_AS},
	};
	/* the kernel writes a core dump regardless of the policy */
	int rc = child->track_only ? 0 : set_limit(RLIMIT_CORE, 0, err);

	for (size_t i = 0; rc == 0 && i < sizeof resources / sizeof resources[0]; i++)
		if (child->limits[resources[i].limit].value != 0)
			rc = set_limit(resources[i].resource,
				       child->limits[resources[i].limit].value, err);
	return rc;
}

static int
apply_box(const struct child *child, struct cordon_error *err)
{
	/* a redundant check: one mistake elsewhere must not start a command without its sandbox */
	if ((child->track_only && !child->fingerprint) != (child->box == NULL))
		return cordon_fail(err, CORDON_E_SYSTEM, 0, "there is no sandbox to run it in");
	return child->box == NULL ? 0 : enforce_apply(child->box, err);
}

/* Only 0-2 stay open. The others are closed by exec, because the sandbox still needs its fds. */
static int
close_others(const struct child *child, struct cordon_error *err)
{
	if (child->track_only)
		return 0;
	if (fd_cloexec_from(3) < 0)
		return cordon_fail(err, CORDON_E_SYSTEM, errno, "cannot close descriptors");
	return 0;
}

_Noreturn void
child_fail(int report, const struct cordon_error *err)
{
	/* shorter than PIPE_BUF, so the write is atomic */
	while (write(report, err, sizeof *err) < 0 && errno == EINTR)
		;
	_exit(125);
}

_Noreturn void
child_exec(const struct command_line *command, int report)
{
	struct cordon_error err = {0};
	int sys;

	os_exec_first(command->path, command->argv, command->envp);
	sys = errno;
	cordon_fail(&err, CORDON_E_PATH, sys, "cannot run %.120s", command->path);
	/* lack of memory or processes is no fault of the command */
	if (!error_errno_is_fault(sys))
		err.sys = sys == ENOENT ? SESSION_NOT_FOUND : SESSION_NOT_EXECUTABLE;
	child_fail(report, &err);
}

_Noreturn void
child_main(const struct child *child)
{
	static int (*const steps[])(const struct child *, struct cordon_error *) = {
		reset_handlers, follow_parent, settle_spawner, take_terminal, take_output,
		check_standard, set_limits,    close_others,   apply_box,     restore_mask,
	};
	struct cordon_error err = {0};

	for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++)
		if (steps[i](child, &err) < 0)
			child_fail(child->report, &err);
	if (child->spawner != NULL)
		spawner_main(child->spawner);
	child_exec(child->command, child->report);
}
