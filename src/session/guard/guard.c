// SPDX-License-Identifier: MIT
/*
 * Starts the guard, and in it the command. The guard is the parent of the command and a subreaper.
 * It is forked from a supervisor that may have had threads, so it must not allocate. All signals
 * are blocked and read from an fd. Once the command runs, the guard has none of the invoker's fds:
 * the reader of a pipe gets EOF when the command has closed it.
 */
#include "base/os_process.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "session/guard/guard.h"

/* EOF means that exec succeeded; otherwise reads the error. */
static bool
read_report(int report, struct cordon_error *ret_why)
{
	ssize_t n;

	do
		n = read(report, ret_why, sizeof *ret_why);
	while (n < 0 && errno == EINTR);
	if (n == 0)
		return true;
	if (n != (ssize_t)sizeof *ret_why || ret_why->code <= 0)
		cordon_fail(ret_why, CORDON_E_SYSTEM, n < 0 ? errno : 0,
			    "the command was not started, and the reason is not known");
	ret_why->text[sizeof ret_why->text - 1] = '\0';
	return false;
}

static void
run_child(const void *child)
{
	child_main(child);
}

/* The fds that child_main will make 0 to 2 of the command. */
static void
find_standard(const struct child *child, int to[3])
{
	for (int fd = 0; fd < 3; fd++) {
		to[fd] = fd;
		if (child->terminal >= 0 && (child->terminal_is_all || isatty(fd)))
			to[fd] = child->terminal;
		if (fd > 0 && child->output[fd - 1] >= 0)
			to[fd] = child->output[fd - 1];
	}
}

static bool
start_command(struct guard_state *watch, struct cordon_error *ret_why)
{
	struct child child = watch->task->child;
	struct enforce_main main = {run_child, &child, child.spawner != NULL, NULL};
	int ends[2], standard[3];
	bool started;

	if (os_pipe(ends) < 0) {
		cordon_fail(ret_why, CORDON_E_SYSTEM, errno, "cannot make a pipe");
		return false;
	}
	child.report = ends[1];
	child.parent = getpid();
	find_standard(&child, standard);
	main.standard = child.spawner == NULL ? standard : NULL;
	/* a command shares our memory until exec, so nothing is copied; a spawner never calls exec */
	watch->command = child.track_only ? session_group_spawn(&watch->group, run_child, &child)
					  : enforce_start(child.box, &watch->group, &main);
	if (watch->command < 0)
		cordon_fail(ret_why, CORDON_E_SYSTEM, errno, "cannot start a process");
	close(ends[1]);
	started = watch->command > 0 && read_report(ends[0], ret_why);
	close(ends[0]);
	return started;
}

/* Called in the guard, because a supervisor that is killed before the fork would leave it behind. */
static bool
make_tmp(struct guard_state *watch, struct cordon_error *ret_why)
{
	const struct guard_task *task = watch->task;

	if (task->private_tmp == NULL)
		return true;
	watch->has_tmp = private_tmp_make(task->private_tmp, ret_why) == 0;
	return watch->has_tmp &&
	       enforce_grant_tmp(task->child.box, task->private_tmp, ret_why) == 0;
}

/* Makes the guard the session leader of the command's pty. */
static bool
lead_terminal(int terminal, struct cordon_error *ret_why)
{
	if (terminal < 0 || (setsid() >= 0 && ioctl(terminal, TIOCSCTTY, 0) >= 0))
		return true;
	cordon_fail(ret_why, CORDON_E_SYSTEM, errno, "cannot take the new terminal");
	return false;
}

/*
 * SIGCONT, because the guard may be stopped when the supervisor dies: until detach() it is in the
 * command's process group, which may be stopped, and continued without the guard.
 */
static bool
become_subreaper(const struct guard_state *watch, struct cordon_error *ret_why)
{
	if (process_tree_inherit(true) >= 0 && os_die_with_parent(SIGCONT) == 0 &&
	    getppid() == watch->supervisor)
		return true;
	cordon_fail(ret_why, CORDON_E_SYSTEM, errno, "cannot become a subreaper");
	return false;
}

/*
 * Closes the invoker's fds: a reader of the command's output must not wait for the guard. The pty
 * stays open as fd 0; otherwise its master would report a hang-up whenever the command closes it.
 */
static void
detach(struct guard_state *watch)
{
	struct sandbox *box = watch->task->child.box;
	struct enforce_needs needs = {-1, -1, -1, -1, {-1, -1}, -1, -1, -1};
	int *const own[] = {
		&watch->channel, &watch->signals,     &watch->record.fd,   &watch->group.folder,
		&needs.listener, &needs.line,	      &needs.events,	   &needs.names,
		&watch->spawner, &needs.terminals[0], &needs.terminals[1], &needs.layer,
		&needs.log};
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (box != NULL)
		needs = enforce_fds(box);
	if (needs.listener >= 0)
		needs.names = record_names(&watch->record);
	if (watch->terminal >= 0)
		dup2(watch->terminal, 0);
	for (int fd = watch->terminal >= 0 ? 1 : 0; fd < 3; fd++)
		if (null < 0 || dup2(null, fd) < 0)
			close(fd);
	watch->terminal = watch->terminal >= 0 ? 0 : -1;
	fd_keep_beside(own, sizeof own / sizeof own[0], needs.fixed);
	/*
	 * A kill of the supervisor's process group must not reach the guard; fails where it leads one. Before the
	 * first call is answered: the broker takes a group without the guard for the command's.
	 */
	if (setsid() < 0)
		errno = 0;
	if (box != NULL)
		enforce_serve(box, &needs);
	/* the process that keeps the cgroup is a child of the supervisor */
	watch->group.procs_fd = watch->group.keeper_pipe = -1;
	watch->group.keeper = 0;
	/* do not keep the file system of the working directory busy */
	if (chdir("/") < 0)
		return;
}

/* The supervisor that started a shared session detaches once the spawner runs. */
static void
release_supervisor(struct guard_state *watch)
{
	struct guard_news news = {.kind = NEWS_LEFT};

	channel_send(watch->channel, &news, sizeof news);
	job_control_report(&watch->report, REPORT_LEAVES);
}

static bool
prepare(struct guard_state *watch, struct cordon_error *ret_why)
{
	const struct child *child = &watch->task->child;
	sigset_t all;

	sigfillset(&all);
	watch->signals = os_signal_fd(&all);
	if (os_no_core() < 0)
		cordon_fail(ret_why, CORDON_E_SYSTEM, errno, "cannot hide the guard's memory");
	else if (watch->signals < 0 || (child->track_only && os_wake_every(AWAKE_MS) < 0))
		cordon_fail(ret_why, CORDON_E_SYSTEM, errno, "cannot receive signals");
	else
		return become_subreaper(watch, ret_why) &&
		       session_group_make(&watch->group, ret_why) == 0 &&
		       make_tmp(watch, ret_why) && lead_terminal(child->terminal, ret_why);
	return false;
}

static _Noreturn void
guard_main(const struct guard_task *task, pid_t supervisor, int channel)
{
	struct guard_state watch = {
		.task = task,
		.group = task->group,
		.supervisor = supervisor,
		.channel = channel,
		.record = {.fd = -1},
		.invoker = -1,
		.spawner = task->spawner,
		.terminal = task->child.terminal,
		.in_front = task->child.in_front,
		.started = clock_ms(),
	};
	struct cordon_error why = {0};

	if (task->record != NULL)
		watch.record = *task->record;
	if (!prepare(&watch, &why) || !start_command(&watch, &why))
		guard_teardown(&watch, NEWS_FAILED, &why);
	detach(&watch);
	if (task->invoker > 0)
		watch.invoker = os_process_fd(task->invoker);
	if (task->child.spawner != NULL)
		release_supervisor(&watch);
	guard_watch(&watch);
}

int
guard_start(const struct guard_task *task, struct guard *ret_guard, struct cordon_error *err)
{
	pid_t supervisor = getpid();
	sigset_t all, old = {0};
	int ends[2], sys;
	pid_t pid;

	if (os_line(ends) < 0)
		return cordon_fail(err, CORDON_E_SYSTEM, errno, "cannot make a socket pair");
	/* block signals before the fork: none may kill the guard before it can read them */
	sigfillset(&all);
	pid = sigprocmask(SIG_SETMASK, &all, &old) < 0 ? -1 : fork();
	if (pid == 0) {
		close(ends[0]);
		guard_main(task, supervisor, ends[1]);
	}
	sys = errno;
	sigprocmask(SIG_SETMASK, &old, NULL);
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return cordon_fail(err, CORDON_E_SYSTEM, sys, "cannot start the guard");
	}
	*ret_guard = (struct guard){pid, ends[0]};
	return 0;
}
