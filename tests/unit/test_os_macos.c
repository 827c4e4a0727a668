// SPDX-License-Identifier: MIT
/*
 * Signals and ends of processes by kqueue, tried against a queue that is made up: what it tells, in
 * which order, and when it fails. The signals themselves are real ones, blocked and pending here as
 * they would be there.
 */
#include "base/os_macos.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "tap.h"

#define ROOM 256

static struct {
	struct kevent added[ROOM], waiting[ROOM];
	int added_count, waiting_count;
	int fails_after;   /* that many changes are taken; -1: all */
	int interruptions; /* so often a question is interrupted */
	int raise_late;	   /* a signal that is there only a moment after it was told; 0: none */
	int sleeps;
	int descriptors; /* bytes that libproc answers */
} fake;

int
kqueue(void)
{
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static int
add(const struct kevent *change)
{
	if (fake.fails_after >= 0 && fake.added_count >= fake.fails_after) {
		errno = ENOMEM;
		return -1;
	}
	fake.added[fake.added_count++] = *change;
	if (change->fflags == NOTE_TRIGGER)
		fake.waiting[fake.waiting_count++] = *change;
	return 0;
}

int
kevent(int queue, const struct kevent *changes, int change_count, struct kevent *events,
       int event_count, const struct timespec *timeout)
{
	(void)queue;
	if (change_count == 1)
		return add(changes);
	/* a question never waits */
	check(event_count == 1 && timeout != NULL && timeout->tv_sec == 0 && timeout->tv_nsec == 0);
	if (fake.interruptions > 0) {
		fake.interruptions--;
		errno = EINTR;
		return -1;
	}
	if (fake.waiting_count == 0)
		return 0;
	*events = fake.waiting[0];
	memmove(fake.waiting, fake.waiting + 1,
		(size_t)--fake.waiting_count * sizeof fake.waiting[0]);
	return 1;
}

int
proc_pidinfo(int pid, int flavor, uint64_t arg, void *buffer, int size)
{
	check(pid == getpid() && flavor == PROC_PIDLISTFDS && arg == 0 && buffer == NULL &&
	      size == 0);
	return fake.descriptors;
}

int __wrap_nanosleep(const struct timespec *wanted, struct timespec *left);

int
__wrap_nanosleep(const struct timespec *wanted, struct timespec *left)
{
	(void)wanted, (void)left;
	if (++fake.sleeps == 3 && fake.raise_late != 0)
		raise(fake.raise_late);
	return 0;
}

static void
tell(int number)
{
	fake.waiting[fake.waiting_count++] =
		(struct kevent){.ident = (uintptr_t)number, .filter = EVFILT_SIGNAL, .data = 1};
}

static bool
is_pending(int number)
{
	sigset_t pending;

	return sigpending(&pending) == 0 && sigismember(&pending, number) == 1;
}

/* As the kernel does it: the queue first, then the process. */
static void
send_signal(int number)
{
	tell(number);
	raise(number);
}

static sigset_t
start(void)
{
	sigset_t set;

	memset(&fake, 0, sizeof fake);
	fake.fails_after = -1;
	sigfillset(&set);
	sigprocmask(SIG_SETMASK, &set, NULL);
	for (int number = 1; number < NSIG; number++)
		macos_take_pending(number);
	return set;
}

static bool
was_added(int filter, int number)
{
	for (int i = 0; i < fake.added_count; i++)
		if (fake.added[i].filter == filter && fake.added[i].ident == (uintptr_t)number)
			return true;
	return false;
}

static void
every_signal_that_can_be_caught_is_in_the_queue(void)
{
	sigset_t set = start(), two;
	int queue = macos_signal_fd(&set);

	check(queue >= 0);
	check(was_added(EVFILT_SIGNAL, SIGTERM) && was_added(EVFILT_SIGNAL, SIGCHLD) &&
	      was_added(EVFILT_SIGNAL, SIGTSTP));
	check(!was_added(EVFILT_SIGNAL, SIGKILL) && !was_added(EVFILT_SIGNAL, SIGSTOP));
	check(!was_added(EVFILT_USER, SIGTERM));
	check_int(macos_signal_read(queue), 0);
	close(queue);
	start();
	sigemptyset(&two);
	sigaddset(&two, SIGUSR1);
	close(macos_signal_fd(&two));
	check_int(fake.added_count, 1);
}

/* Or it would be delivered, and deadly, as soon as the mask is the caller's again. */
static void
a_signal_that_was_read_is_not_pending_any_more(void)
{
	sigset_t set = start();
	int queue = macos_signal_fd(&set);

	send_signal(SIGTERM);
	check(is_pending(SIGTERM));
	check_int(macos_signal_read(queue), SIGTERM);
	check(!is_pending(SIGTERM));
	check_int(macos_signal_read(queue), 0);
	check_int(fake.sleeps, 0);
	close(queue);
}

static void
a_signal_from_before_the_queue_is_reported_once(void)
{
	sigset_t set = start();
	int queue;

	raise(SIGHUP);
	queue = macos_signal_fd(&set);
	check(was_added(EVFILT_USER, SIGHUP));
	check_int(macos_signal_read(queue), SIGHUP);
	check_int(macos_signal_read(queue), 0);
	/* between the two steps both tell it: still once */
	start();
	raise(SIGHUP);
	close(queue);
	queue = macos_signal_fd(&set);
	tell(SIGHUP);
	check_int(macos_signal_read(queue), SIGHUP);
	check_int(macos_signal_read(queue), 0);
	close(queue);
}

static void
a_signal_that_is_reported_early_is_waited_for(void)
{
	sigset_t set = start();
	int queue = macos_signal_fd(&set);

	tell(SIGUSR1);
	fake.raise_late = SIGUSR1;
	check_int(macos_signal_read(queue), SIGUSR1);
	check_int(fake.sleeps, 3);
	check(!is_pending(SIGUSR1));
	/* not for ever */
	tell(SIGUSR2);
	check_int(macos_signal_read(queue), 0);
	check_int(fake.sleeps, 3 + MACOS_TRIES);
	close(queue);
}

/* The kernel drops them if there is no handler, after the queue has received them. */
static void
signals_without_a_default_are_never_pending(void)
{
	static const int numbers[] = {SIGCHLD, SIGWINCH, SIGURG, SIGIO, SIGCONT};
	sigset_t set = start();
	int queue = macos_signal_fd(&set);

	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
		tell(numbers[i]);
		check_int(macos_signal_read(queue), numbers[i]);
	}
	check_int(fake.sleeps, 0);
	/* where one is, it is taken like any other */
	send_signal(SIGCHLD);
	check_int(macos_signal_read(queue), SIGCHLD);
	check(!is_pending(SIGCHLD));
	close(queue);
}

static void
an_interrupted_call_is_repeated(void)
{
	sigset_t set = start();
	int queue = macos_signal_fd(&set);

	send_signal(SIGINT);
	fake.interruptions = 3;
	check_int(macos_signal_read(queue), SIGINT);
	close(queue);
}

static void
a_queue_that_lacks_a_signal_is_no_queue(void)
{
	sigset_t set = start();

	for (int taken = 0; taken < 20; taken += 7) {
		fake.added_count = 0;
		fake.fails_after = taken;
		check_int(macos_signal_fd(&set), -1);
	}
	fake.fails_after = 0;
	check_int(macos_process_fd(getpid()), -1);
	fake.fails_after = -1;
	fake.added_count = 0;
	close(macos_process_fd(1234));
	check(fake.added_count == 1 && was_added(EVFILT_PROC, 1234) &&
	      fake.added[0].fflags == NOTE_EXIT);
}

/* Only what a terminal sends, and only to its foreground group: this test is in none. */
static void
other_signals_are_from_processes(void)
{
	int status = -1;
	pid_t child;

	start();
	for (int number = 1; number < NSIG; number++) {
		bool may = number == SIGINT || number == SIGQUIT || number == SIGTSTP ||
			   number == SIGTTIN || number == SIGTTOU || number == SIGHUP ||
			   number == SIGWINCH;

		if (!may)
			check(!macos_is_terminals(number));
	}
	child = fork();
	if (child == 0)
		_exit(setsid() < 0 || macos_is_terminals(SIGINT));
	check(child > 0 && waitpid(child, &status, 0) == child && status == 0);
}

static void
descriptors_are_counted_generously(void)
{
	start();
	fake.descriptors = 30 * (int)sizeof(struct proc_fdinfo);
	check_int(macos_fd_ceiling(), 31);
	fake.descriptors = 0;
	check_int(macos_fd_ceiling(), 0);
	fake.descriptors = -1;
	check_int(macos_fd_ceiling(), 0);
}

/* ---- sockets and files ---- */

int __wrap_fcntl64(int fd, int command, ...);
int __wrap_fcntl(int fd, int command, ...);
int __real_fcntl64(int fd, int command, ...);

static int
fake_fcntl(int fd, int command, void *argument)
{
	char link[40];
	ssize_t length;

	if (command != F_GETPATH)
		return __real_fcntl64(fd, command, argument);
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	length = readlink(link, argument, 1023);
	if (length < 0)
		return -1;
	((char *)argument)[length] = '\0';
	return 0;
}

int
__wrap_fcntl64(int fd, int command, ...)
{
	void *argument;
	va_list args;

	va_start(args, command);
	argument = va_arg(args, void *);
	va_end(args);
	return fake_fcntl(fd, command, argument);
}

int
__wrap_fcntl(int fd, int command, ...)
{
	void *argument;
	va_list args;

	va_start(args, command);
	argument = va_arg(args, void *);
	va_end(args);
	return fake_fcntl(fd, command, argument);
}

static void
a_file_has_no_name_and_closes_at_exec(void)
{
	char path[] = "/tmp/unnamed.XXXXXX", left[80];
	int folder = mkdtemp(path) == NULL ? -1 : open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct stat st;
	int fd;

	/* a process that had our pid before may have left its own, or a link to another file */
	snprintf(left, sizeof left, "%s/handed-over.%ld", path, (long)getpid());
	check_int(symlink("/dev/null", left), 0);
	fd = macos_unnamed_file(folder);

	check(fd >= 0 && fstat(fd, &st) == 0 && st.st_nlink == 0 && (st.st_mode & 077) == 0);
	check_int(fcntl(fd, F_GETFD, 0) & FD_CLOEXEC, FD_CLOEXEC);
	check_int(pwrite(fd, "abc", 3, 0), 3);
	/* its receiver reads from the beginning */
	check_int(lseek(fd, 0, SEEK_CUR), 0);
	close(fd);
	close(folder);
	/* nothing is left in the folder */
	check_int(rmdir(path), 0);
}

static void
a_name_in_a_folder_is_whole_or_refused(void)
{
	int folder = open("/usr", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char to[104];

	check(macos_name_in(folder, "a.sock", to, sizeof to));
	check_str(to, "/usr/a.sock");
	check(macos_name_in(folder, "a.sock", to, 12));
	errno = 0;
	check(!macos_name_in(folder, "a.sock", to, 11));
	check_int(errno, ENAMETOOLONG);
	close(folder);
	check(!macos_name_in(folder, "a.sock", to, sizeof to));
}

/* A refusal is about 800 bytes, and some wait at once. */
static void
messages_keep_their_boundaries(void)
{
	char text[3000] = "", got[4000];
	int ends[2];

	check_int(macos_packets(ends), 0);
	for (int i = 0; i < 8; i++)
		check_int(send(ends[0], text, sizeof text, MSG_DONTWAIT), sizeof text);
	for (int i = 0; i < 8; i++)
		check_int(recv(ends[1], got, sizeof got, MSG_DONTWAIT), sizeof text);
	check_int(fcntl(ends[0], F_GETFD, 0) & FD_CLOEXEC, FD_CLOEXEC);
	check_int(fcntl(ends[1], F_GETFD, 0) & FD_CLOEXEC, FD_CLOEXEC);
	close(ends[0]);
	close(ends[1]);
}

/* By its end a process knows that another one is gone: datagrams would not tell. */
static void
a_closed_socket_reports_its_end(void)
{
	int ends[2];
	char byte;

	check_int(macos_pair(SOCK_STREAM, ends), 0);
	close(ends[0]);
	check_int(recv(ends[1], &byte, 1, MSG_DONTWAIT), 0);
	close(ends[1]);
}

int
main(void)
{
	run(a_file_has_no_name_and_closes_at_exec);
	run(a_name_in_a_folder_is_whole_or_refused);
	run(messages_keep_their_boundaries);
	run(a_closed_socket_reports_its_end);
	run(every_signal_that_can_be_caught_is_in_the_queue);
	run(a_signal_that_was_read_is_not_pending_any_more);
	run(a_signal_from_before_the_queue_is_reported_once);
	run(a_signal_that_is_reported_early_is_waited_for);
	run(signals_without_a_default_are_never_pending);
	run(an_interrupted_call_is_repeated);
	run(a_queue_that_lacks_a_signal_is_no_queue);
	run(other_signals_are_from_processes);
	run(descriptors_are_counted_generously);
	return tap_end();
}
