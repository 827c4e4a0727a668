// SPDX-License-Identifier: MIT
/*
 * The handlers of the broker, family by family: what is done, what is refused, and what no command
 * can bring about at will: no memory, a caller that is gone, memory that cannot be read, full tables.
 */
#include "broker_call.h"

#include <netinet/in.h>
#include <signal.h>
#include <sys/un.h>
#include <sys/xattr.h>

#include "linux/broker/git/git_check.h"

#define ABI 7
#define REPO "/.git"

static const char *
in(struct session *s, const char *name)
{
	return path_join(&s->arena, s->world.project, name, NULL);
}

static bool
is_there(const char *path)
{
	struct stat at;

	return lstat(path, &at) == 0;
}

static mode_t
mode_of(const char *path)
{
	struct stat at;

	return lstat(path, &at) == 0 ? at.st_mode & 07777 : (mode_t)-1;
}

/* A repository as `git init` leaves it, and a file and a directory beside it. */
static void
fill(struct session *s)
{
	static const char *const dirs[] = {".git", ".git/hooks", ".git/objects", ".git/refs",
					   "dir"};

	for (size_t i = 0; i < COUNT(dirs); i++)
		check_int(mkdir(in(s, dirs[i]), 0755), 0);
	write_file(in(s, ".git/HEAD"), "ref: refs/heads/main\n");
	write_file(in(s, ".git/config"), "[core]\n\tbare = false\n");
	write_file(in(s, "file"), "text\n");
	write_file(path_join(&s->arena, s->world.home, "mine", NULL), "of the user\n");
}

static void
begin(struct session *s)
{
	session_make(s, ABI, NULL);
	fill(s);
}

/* ---- opening ---- */

static void
an_open_creates_what_the_plan_allows(void)
{
	auto_session struct session s;

	begin(&s);
	check_int(call(&s, SYS_openat, CWD, at(in(&s, "new")), O_CREAT | O_WRONLY, 0640), GIVEN);
	check_int(write((int)notif.value, "x", 1), 1);
	close((int)notif.value);
	check_int(mode_of(in(&s, "new")) & ~0640u, 0);
	check_failed(call(&s, SYS_openat, CWD, at(in(&s, "new")), O_CREAT | O_EXCL | O_WRONLY,
			  0640),
		     EEXIST);
	check_failed(call(&s, SYS_openat, CWD, at(in(&s, "dir/none/new")), O_CREAT | O_WRONLY, 0),
		     ENOENT);
	check_int(session_reports(&s), 0);
}

static void
an_open_of_a_protected_name_is_refused_and_reported(void)
{
	auto_session struct session s;

	begin(&s);
	check_failed(call(&s, SYS_openat, CWD, at(in(&s, ".git/hooks/pre-commit")),
			  O_CREAT | O_WRONLY, 0755),
		     EACCES);
	check(!is_there(in(&s, ".git/hooks/pre-commit")));
	check_int(session_reports(&s), 1);
	/* the same once more is not reported again */
	check_failed(call(&s, SYS_creat, at(in(&s, ".git/hooks/pre-commit")), 0755), EACCES);
	check_int(session_reports(&s), 0);
}

static void
an_open_that_the_inner_layer_decides_is_continued(void)
{
	auto_session struct session s;

	begin(&s);
	check_int(call(&s, SYS_openat, CWD, at("/etc/passwd"), O_RDONLY, 0), CONTINUED);
	check_int(call(&s, SYS_openat, CWD, at("/proc/self/status"), O_RDONLY, 0), CONTINUED);
	check_int(call(&s, SYS_mkdir, at("/etc/new"), 0755), CONTINUED);
}

static void
truncating_a_file_keeps_its_name(void)
{
	auto_session struct session s;
	struct stat at_file;

	begin(&s);
	check_returned(call(&s, SYS_truncate, at(in(&s, "file")), 2));
	check(stat(in(&s, "file"), &at_file) == 0 && at_file.st_size == 2);
	check_failed(call(&s, SYS_truncate, at(in(&s, "dir")), 0), EISDIR);
	check_failed(call(&s, SYS_truncate, at(in(&s, "file")), (uint64_t)-1), EINVAL);
}

/* The kernel looks for room before it makes a file. */
struct crowded {
	pthread_barrier_t full, done;
	pid_t thread;
};

static void *
crowded_main(void *argument)
{
	struct crowded *c = argument;
	int own = unshare(CLONE_FILES);

	while (own == 0 && dup(0) >= 0)
		;
	c->thread = (pid_t)syscall(SYS_gettid);
	pthread_barrier_wait(&c->full);
	pthread_barrier_wait(&c->done);
	return NULL;
}

static void
a_caller_with_a_full_table_gets_no_file(void)
{
	auto_session struct session s;
	struct rlimit before, few = {64, 64};
	struct crowded c;
	pthread_t thread;

	begin(&s);
	check_int(getrlimit(RLIMIT_NOFILE, &before), 0);
	few.rlim_max = before.rlim_max;
	check_int(setrlimit(RLIMIT_NOFILE, &few), 0);
	pthread_barrier_init(&c.full, NULL, 2);
	pthread_barrier_init(&c.done, NULL, 2);
	check_int(pthread_create(&thread, NULL, crowded_main, &c), 0);
	pthread_barrier_wait(&c.full);
	s.caller = c.thread;
	check_failed(call(&s, SYS_openat, CWD, at(in(&s, "new")), O_CREAT | O_WRONLY, 0640),
		     EMFILE);
	check(!is_there(in(&s, "new")));
	pthread_barrier_wait(&c.done);
	pthread_join(thread, NULL);
	setrlimit(RLIMIT_NOFILE, &before);
}

/* All but a few of the broker's own fds are in use: a call is refused before anything is looked at. */
static void
a_broker_without_fds_refuses(void)
{
	auto_session struct session s;
	struct rlimit before, few;
	int fds[64], count = 0;

	begin(&s);
	check_int(getrlimit(RLIMIT_NOFILE, &before), 0);
	few = (struct rlimit){64, before.rlim_max};
	check_int(setrlimit(RLIMIT_NOFILE, &few), 0);
	s.broker.numbers = 64;
	s.broker.fd_watermark = 56;
	while (count < 64 && (fds[count] = fcntl(0, F_DUPFD_CLOEXEC, 0)) >= 0)
		count++;
	check_failed(call(&s, SYS_mkdir, at(in(&s, "new")), 0755), EMFILE);
	while (count > 0)
		close(fds[--count]);
	check_returned(call(&s, SYS_mkdir, at(in(&s, "new")), 0755));
	setrlimit(RLIMIT_NOFILE, &before);
}

static void
wait_for_answer(void)
{
	for (int i = 0; i < 2000 && __atomic_load_n(&notif.count, __ATOMIC_SEQ_CST) == 0; i++)
		usleep(5000);
}

/* A pipe without a writer waits; a signal that is due ends that. */
static void
a_blocking_open_is_interrupted(void)
{
	auto_session struct session s;

	begin(&s);
	check_int(mkfifo(in(&s, "pipe"), 0600), 0);
	notif.interruption = EINTR;
	check_int(call(&s, SYS_openat, CWD, at(in(&s, "pipe")), O_WRONLY, 0), NOT_ANSWERED);
	wait_for_answer();
	check_failed(notif.how, EINTR);
	check_int(notif.count, 1);
	check(names_are_free(&s));
}

/* ---- names ---- */

static void
names_are_created_and_removed(void)
{
	auto_session struct session s;
	char text[64];

	begin(&s);
	check_returned(call(&s, SYS_mkdir, at(in(&s, "d")), 0750));
	check_int(mode_of(in(&s, "d")), 0750);
	check_failed(call(&s, SYS_mkdirat, CWD, at(in(&s, "d")), 0750), EEXIST);
	check_returned(call(&s, SYS_symlink, at("d"), at(in(&s, "l"))));
	check_int(readlink(in(&s, "l"), text, sizeof text), 1);
	check_returned(call(&s, SYS_link, at(in(&s, "file")), at(in(&s, "d/second"))));
	check(is_there(in(&s, "d/second")));
	check_returned(call(&s, SYS_rename, at(in(&s, "d/second")), at(in(&s, "moved"))));
	check(is_there(in(&s, "moved")) && !is_there(in(&s, "d/second")));
	check_returned(call(&s, SYS_unlink, at(in(&s, "moved"))));
	check_returned(call(&s, SYS_unlinkat, CWD, at(in(&s, "d")), AT_REMOVEDIR));
	check(!is_there(in(&s, "moved")) && !is_there(in(&s, "d")));
	check_failed(call(&s, SYS_rmdir, at(in(&s, "d"))), ENOENT);
	check_int(session_reports(&s), 0);
}

static void
names_of_git_are_neither_created_nor_reached_by_rename(void)
{
	auto_session struct session s;

	begin(&s);
	check_failed(call(&s, SYS_mkdir, at(in(&s, ".git/hooks/d")), 0755), EACCES);
	check_failed(call(&s, SYS_symlink, at("/bin/sh"), at(in(&s, ".git/hooks/pre-push"))),
		     EACCES);
	check_failed(call(&s, SYS_link, at(in(&s, "file")), at(in(&s, ".git/hooks/pre-push"))),
		     EACCES);
	check_failed(call(&s, SYS_rename, at(in(&s, "file")), at(in(&s, ".git/hooks/pre-push"))),
		     EACCES);
	check_failed(call(&s, SYS_rename, at(in(&s, ".git")), at(in(&s, "g"))), EACCES);
	check(is_there(in(&s, "file")) && is_there(in(&s, ".git/hooks")));
	check(session_reports(&s) > 0);
}

/* ---- metadata and attributes ---- */

static void
metadata_changes_where_it_may(void)
{
	auto_session struct session s;
	int fd;

	begin(&s);
	fd = open(in(&s, "file"), O_RDWR | O_CLOEXEC);
	check_returned(call(&s, SYS_chmod, at(in(&s, "file")), 0600));
	check_returned(call(&s, SYS_fchmod, (uint64_t)fd, 0640));
	check_int(mode_of(in(&s, "file")), 0640);
	check_failed(call(&s, SYS_fchmod, 9999, 0640), EBADF);
	check_returned(call(&s, SYS_utimensat, CWD, at(in(&s, "file")), 0, 0));
	check_returned(
		call(&s, SYS_fchownat, CWD, at(in(&s, "file")), (uint64_t)-1, (uint64_t)-1, 0));
	check_failed(call(&s, SYS_chmod, at(in(&s, "none")), 0600), ENOENT);
	check_failed(call(&s, SYS_chmod, at(path_join(&s.arena, s.world.home, "mine", NULL)), 0777),
		     EACCES);
	check_failed(call(&s, SYS_chmod, at(in(&s, ".git/HEAD")), 04777), EACCES);
	check(session_reports(&s) > 0);
	close(fd);
}

static void
attributes_change_where_they_may(void)
{
	auto_session struct session s;
	const char *file, *name = "user.test";
	char value[8] = "";
	bool has_them;

	begin(&s);
	file = in(&s, "file");
	has_them = setxattr(file, name, "old", 3, 0) == 0;
	check_int(call(&s, SYS_setxattr, at(file), at(name), at("new"), 3, 0),
		  has_them ? RETURNED : FAILED);
	check_int(getxattr(file, name, value, sizeof value), has_them ? 3 : -1);
	check(!has_them || strcmp(value, "new") == 0);
	check_int(call(&s, SYS_removexattr, at(file), at(name)), has_them ? RETURNED : FAILED);
	check_failed(call(&s, SYS_setxattr, at(path_join(&s.arena, s.world.home, "mine", NULL)),
			  at(name), at("new"), 3, 0),
		     EACCES);
}

/* ---- git's files ---- */

static enum how
write_staged(struct session *s, const char *name, const char *text)
{
	enum how how = call(s, SYS_openat, CWD, at(in(s, name)), O_CREAT | O_EXCL | O_WRONLY, 0644);
	int number = s->broker.staged[0].number;

	if (how != GIVEN)
		return how;
	check_int(write((int)notif.value, text, strlen(text)), (long long)strlen(text));
	close((int)notif.value);
	return call(s, SYS_close, (uint64_t)number);
}

static void
a_staged_file_is_checked_at_close(void)
{
	auto_session struct session s;

	begin(&s);
	/* git writes a lock file and renames it */
	check_int(write_staged(&s, ".git/config.lock", "[core]\n\thooksPath = /tmp/h\n"),
		  CONTINUED);
	check_failed(call(&s, SYS_rename, at(in(&s, ".git/config.lock")),
			  at(in(&s, ".git/config"))),
		     EACCES);
	check_int(session_reports(&s), 1);
	check_int(unlink(in(&s, ".git/config.lock")), 0);
	check_int(write_staged(&s, ".git/config.lock", "[user]\n\tname = N\n"), CONTINUED);
	check_returned(
		call(&s, SYS_rename, at(in(&s, ".git/config.lock")), at(in(&s, ".git/config"))));
	/* what is not staged may have any number of fds */
	check_int(call(&s, SYS_dup, 0), CONTINUED);
	check_int(call(&s, SYS_close, 9999), CONTINUED);
}

/* ---- sockets ---- */

static void
unix_sockets_are_bound_in_the_project_only(void)
{
	auto_session struct session s;
	struct sockaddr_un own = {.sun_family = AF_UNIX}, hooks = own;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), client;

	begin(&s);
	client = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	snprintf(own.sun_path, sizeof own.sun_path, "%.100s", in(&s, "s"));
	snprintf(hooks.sun_path, sizeof hooks.sun_path, "%.100s", in(&s, ".git/hooks/s"));
	check_failed(call(&s, SYS_bind, (uint64_t)fd, at(&hooks), sizeof hooks), EACCES);
	check_returned(call(&s, SYS_bind, (uint64_t)fd, at(&own), sizeof own));
	check(is_there(in(&s, "s")));
	check_int(listen(fd, 1), 0);
	check_returned(call(&s, SYS_connect, (uint64_t)client, at(&own), sizeof own));
	check_failed(call(&s, SYS_connect, 9999, at(&own), sizeof own), EBADF);
	check_failed(call(&s, SYS_bind, 0, at(&own), sizeof own), ENOTSOCK);
	close(client);
	close(fd);
}

/* Domain and kind of socket -> what comes of it, with network localhost. */
static void
internet_sockets_are_bound_to_loopback(void)
{
	static const struct {
		int domain, type, protocol, why; /* 0: it is made */
	} kinds[] = {{AF_INET, SOCK_STREAM, 0, 0},
		     {AF_INET6, SOCK_STREAM, IPPROTO_TCP, 0},
		     {AF_INET, SOCK_DGRAM, 0, EPROTONOSUPPORT},
		     {AF_INET, SOCK_RAW, IPPROTO_ICMP, EPERM},
		     {AF_INET, SOCK_STREAM, 132, EPROTONOSUPPORT},
		     {AF_INET, SOCK_STREAM, 9999, EINVAL}};
	auto_session struct session s;

	session_make(&s, ABI, "{\"network\": {\"localhost\": [1]}}");
	fill(&s);
	for (size_t i = 0; i < COUNT(kinds); i++) {
		enum how how = call(&s, SYS_socket, (uint64_t)kinds[i].domain,
				    (uint64_t)kinds[i].type, (uint64_t)kinds[i].protocol);

		check_int(how, kinds[i].why == 0 ? GIVEN : FAILED);
		if (how == GIVEN)
			close((int)notif.value);
		else
			check_int(notif.value, kinds[i].why);
	}
}

static void
connects_reach_only_loopback_and_listed_ports(void)
{
	auto_session struct session s;
	struct sockaddr_in far = {.sin_family = AF_INET, .sin_port = htons(1)}, near = far;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	session_make(&s, ABI, "{\"network\": {\"localhost\": [1]}}");
	far.sin_addr.s_addr = htonl(0xc0000201);
	near.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	check_failed(call(&s, SYS_connect, (uint64_t)fd, at(&far), sizeof far), EACCES);
	check_int(session_reports(&s), 1);
	check_failed(call(&s, SYS_connect, (uint64_t)fd, at(&near), sizeof near), ECONNREFUSED);
	near.sin_port = htons(2);
	check_failed(call(&s, SYS_connect, (uint64_t)fd, at(&near), sizeof near), EACCES);
	check_int(session_reports(&s), 1);
	check_failed(call(&s, SYS_connect, (uint64_t)fd, at(&near), 3), EINVAL);
	close(fd);
}

/* ---- signals ---- */

static void
only_processes_under_the_outer_layer_are_signalled(void)
{
	auto_session struct session s;

	begin(&s);
	check_int(call(&s, SYS_kill, (uint64_t)s.caller, 0), CONTINUED);
	check_failed(call(&s, SYS_kill, (uint64_t)INT_MIN, 0), ESRCH);
	check_failed(call(&s, SYS_kill, 0x3ffffff, 0), ESRCH);
	check_int(call(&s, SYS_tkill, (uint64_t)s.caller, 0), CONTINUED);
	check_failed(call(&s, SYS_tkill, 0, 0), EINVAL);
	check_failed(call(&s, SYS_tgkill, (uint64_t)-1, 1, 0), EINVAL);
	check_failed(call(&s, SYS_fcntl, 0, F_SETOWN, 1), EPERM);
	check_int(call(&s, SYS_fcntl, 0, F_SETOWN, 0), CONTINUED);
	check_failed(call(&s, SYS_pidfd_send_signal, 9999, SIGTERM, 0, 0), EBADF);
	/* a process group without a process of the session */
	check_failed(call(&s, SYS_setpgid, 0, 0x3ffffff), EPERM);
}

/* ---- what only happens to the broker ---- */

/* One call of each family, on names that are there afterwards or not; done in a new world each. */
static const struct family {
	const char *name;
	int number;
	const char *paths[2];
	int first; /* argument that is the first path */
	int second;
	uint64_t rest[6];
} families[] = {
	{"open", SYS_openat, {"new"}, 1, -1, {CWD, 0, O_CREAT | O_WRONLY, 0600}},
	{"open of git's", SYS_openat, {".git/hooks/h"}, 1, -1, {CWD, 0, O_CREAT | O_RDWR, 0600}},
	{"open staged",
	 SYS_openat,
	 {".git/config.lock"},
	 1,
	 -1,
	 {CWD, 0, O_CREAT | O_EXCL | O_RDWR}},
	{"truncate", SYS_truncate, {"file"}, 0, -1, {0, 1}},
	{"mkdir", SYS_mkdir, {"new"}, 0, -1, {0, 0700}},
	{"mkdir of git's", SYS_mkdir, {"dir/.git"}, 0, -1, {0, 0700}},
	{"mknod", SYS_mknod, {"new"}, 0, -1, {0, S_IFIFO | 0600, 0}},
	{"symlink", SYS_symlink, {"file", "new"}, 0, 1, {0}},
	{"link", SYS_link, {"file", "new"}, 0, 1, {0}},
	{"rename", SYS_rename, {"file", "new"}, 0, 1, {0}},
	{"rename of a directory", SYS_rename, {"dir", "new"}, 0, 1, {0}},
	{"rename of git's", SYS_rename, {"file", ".git/config"}, 0, 1, {0}},
	{"unlink", SYS_unlink, {"file"}, 0, -1, {0}},
	{"rmdir", SYS_rmdir, {"dir"}, 0, -1, {0}},
	{"chmod", SYS_chmod, {"file"}, 0, -1, {0, 0600}},
	{"utimensat", SYS_utimensat, {"file"}, 1, -1, {CWD}},
};

static enum how
call_family(struct session *s, const struct family *f)
{
	uint64_t args[6];

	memcpy(args, f->rest, sizeof args);
	args[f->first] = at(in(s, f->paths[0]));
	if (f->second >= 0)
		args[f->second] = at(in(s, f->paths[1]));
	return call_make(s, f->number, args);
}

static void
close_given(void)
{
	if (notif.how == GIVEN)
		close((int)notif.value);
}

/* Each allocation of a call fails in turn: one answer, nothing kept, and the lock is free. */
static void
without_memory_a_call_is_answered_and_leaves_nothing(void)
{
	for (size_t i = 0; i < COUNT(families); i++) {
		bool was_reached = true;
		int n;

		for (n = 0; was_reached && n < 400; n++) {
			auto_session struct session s;
			int fds;

			begin(&s);
			fds = count_fds();
			notif.allocations = n;
			call_family(&s, &families[i]);
			was_reached = notif.ran_out;
			close_given();
			check_int(notif.count, 1);
			check(names_are_free(&s));
			git_staging_drop_dead(&s.broker);
			check(count_fds() == fds || s.broker.staged[0].process != 0);
		}
		/* the last was the first that had enough, and it needed some */
		check(n > 1 && !was_reached);
	}
}

/* A caller that is gone before anything is done: nothing is done for it. */
static void
a_call_of_a_dead_caller_has_no_effect(void)
{
	for (size_t i = 0; i < COUNT(families); i++) {
		auto_session struct session s;

		begin(&s);
		notif.valid = 0;
		call_family(&s, &families[i]);
		check(notif.how == NOT_ANSWERED || notif.how == FAILED);
		check(!is_there(in(&s, "new")) && !is_there(in(&s, "dir/.git")));
		check(is_there(in(&s, "file")) && is_there(in(&s, "dir")));
		check(names_are_free(&s));
	}
}

/* EFAULT where nothing is mapped; EPERM where reading is not permitted, which is reported for an open. */
static void
unreadable_memory_is_no_path(void)
{
	static const int errors[][2] = {{EFAULT, EFAULT}, {ESRCH, EPERM}};

	for (size_t i = 0; i < COUNT(families); i++) {
		for (size_t e = 0; e < COUNT(errors); e++) {
			auto_session struct session s;

			begin(&s);
			notif.read_error = errors[e][0];
			check_failed(call_family(&s, &families[i]), errors[e][1]);
			check(!is_there(in(&s, "new")) && is_there(in(&s, "file")));
		}
	}
}

static void
a_call_that_no_handler_knows_is_refused(void)
{
	auto_session struct session s;

	begin(&s);
	check_failed(call(&s, SYS_getpid, 0), ENOSYS);
}

int
main(void)
{
	umask(022);
	run(an_open_creates_what_the_plan_allows);
	run(an_open_of_a_protected_name_is_refused_and_reported);
	run(an_open_that_the_inner_layer_decides_is_continued);
	run(truncating_a_file_keeps_its_name);
	run(a_caller_with_a_full_table_gets_no_file);
	run(a_broker_without_fds_refuses);
	run(a_blocking_open_is_interrupted);
	run(names_are_created_and_removed);
	run(names_of_git_are_neither_created_nor_reached_by_rename);
	run(metadata_changes_where_it_may);
	run(attributes_change_where_they_may);
	run(a_staged_file_is_checked_at_close);
	run(unix_sockets_are_bound_in_the_project_only);
	run(internet_sockets_are_bound_to_loopback);
	run(connects_reach_only_loopback_and_listed_ports);
	run(only_processes_under_the_outer_layer_are_signalled);
	run(without_memory_a_call_is_answered_and_leaves_nothing);
	run(a_call_of_a_dead_caller_has_no_effect);
	run(unreadable_memory_is_no_path);
	run(a_call_that_no_handler_knows_is_refused);
	return tap_end();
}
