// SPDX-License-Identifier: MIT
/*
 * Transient scopes of systemd's user manager. libsystemd is loaded only in short-lived children, so no
 * long-running process has a D-Bus connection. The scope is delegated and divided in two cgroups: one for
 * the command, with the limits, and one for a keeper process, so that systemd does not remove the scope
 * before its counters were read.
 */
#include "base/os.h"

#include "linux/cgroup/systemd_scope.h"

#include <dlfcn.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <systemd/sd-bus.h>

#include "base/clock.h"
#include "base/fd.h"
#include "linux/cgroup/cgroup.h"

#define SCOPE_KEEP "keep"
/* Added to the command's limits for the whole scope, for the keeper. */
#define KEEPER_MEMORY (8u << 20)
#define KEEPER_TASKS 1u
#define PATIENCE_MS 30000
#define MANAGER \
	"org.freedesktop.systemd1", "/org/freedesktop/systemd1", "org.freedesktop.systemd1.Manager"

/* ---- D-Bus calls, in a child ---- */

struct bus {
	sd_bus *connection;
	__typeof__(&sd_bus_new) new;
	__typeof__(&sd_bus_set_address) set_address;
	__typeof__(&sd_bus_set_bus_client) set_bus_client;
	__typeof__(&sd_bus_start) start;
	__typeof__(&sd_bus_call_method) call;
	__typeof__(&sd_bus_get_property_string) get_string;
};

static int
bus_load(struct bus *bus, struct cordon_error *err)
{
	const struct {
		const char *name;
		void *to;
	} symbols[] = {
		{"sd_bus_new", &bus->new},
		{"sd_bus_set_address", &bus->set_address},
		{"sd_bus_set_bus_client", &bus->set_bus_client},
		{"sd_bus_start", &bus->start},
		{"sd_bus_call_method", &bus->call},
		{"sd_bus_get_property_string", &bus->get_string},
	};
	void *library = dlopen("libsystemd.so.0", RTLD_NOW | RTLD_LOCAL);

	if (library == NULL)
		return cordon_fail(err, CORDON_E_GAP, 0, "libsystemd is not installed");
	for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
		void *symbol = dlsym(library, symbols[i].name);

		if (symbol == NULL)
			return cordon_fail(err, CORDON_E_GAP, 0, "libsystemd has no %s",
					   symbols[i].name);
		memcpy(symbols[i].to, &symbol, sizeof symbol);
	}
	return 0;
}

/* The user manager's own bus, which the environment may name otherwise. */
static void
bus_path(char ret_path[64])
{
	snprintf(ret_path, 64, "/run/user/%u/bus", (unsigned)geteuid());
}

static int
bus_connect(struct bus *bus, struct cordon_error *err)
{
	char path[64], address[80];
	int rc = bus_load(bus, err);

	if (rc < 0)
		return rc;
	bus_path(path);
	snprintf(address, sizeof address, "unix:path=%s", path);
	rc = bus->new (&bus->connection);
	if (rc >= 0)
		rc = bus->set_address(bus->connection, address);
	if (rc >= 0)
		rc = bus->set_bus_client(bus->connection, 1);
	if (rc >= 0)
		rc = bus->start(bus->connection);
	if (rc < 0)
		return cordon_fail(err, CORDON_E_GAP, -rc, "systemd's user manager: no bus");
	return 0;
}

/* A query and its function. */
struct scope_query {
	int (*ask)(const struct bus *bus, const struct scope_query *question, char *text,
		   size_t size, struct cordon_error *err);
	const char *unit;
	const struct group_wish *wish;
	pid_t pid;
};

struct answer {
	struct cordon_error err;
	char text[1024];
};
_Static_assert(sizeof(struct answer) == sizeof(struct cordon_error) + 1024, "no padding");

static int
fail_call(const char *what, const sd_bus_error *why, int rc, struct cordon_error *err)
{
	return cordon_fail(err, CORDON_E_GAP, why->message == NULL ? -rc : 0,
			   "systemd's user manager %s%s%.120s", what,
			   why->message == NULL ? "" : ": ",
			   why->message == NULL ? "" : why->message);
}

static int
ask_place(const struct bus *bus, const struct scope_query *question, char *text, size_t size,
	  struct cordon_error *err)
{
	sd_bus_error why = SD_BUS_ERROR_NULL;
	char *own_group = NULL;
	int rc = bus->get_string(bus->connection, MANAGER, "ControlGroup", &why, &own_group);

	(void)question;
	if (rc < 0)
		return fail_call("does not answer", &why, rc, err);
	snprintf(text, size, "%s", own_group);
	return 0;
}

static uint64_t
raised(uint64_t limit, uint64_t by)
{
	return limit == 0 || limit > UINT64_MAX - by ? UINT64_MAX : limit + by;
}

static int
ask_scope(const struct bus *bus, const struct scope_query *question, char *text, size_t size,
	  struct cordon_error *err)
{
	sd_bus_error why = SD_BUS_ERROR_NULL;
	int rc = bus->call(bus->connection, MANAGER, "StartTransientUnit", &why, NULL,
			   "ssa(sv)a(sa(sv))", question->unit, "fail", 10, "Description", "s",
			   "a command run by cordon", "Slice", "s", "app.slice", "PIDs", "au", 1,
			   (uint32_t)question->pid, "Delegate", "b", 1, "CollectMode", "s",
			   "inactive-or-failed", "MemoryAccounting", "b", 1, "TasksAccounting", "b",
			   1, "MemoryMax", "t", raised(question->wish->memory, KEEPER_MEMORY),
			   "MemorySwapMax", "t", question->wish->memory == 0 ? UINT64_MAX : 0,
			   "TasksMax", "t", raised(question->wish->processes, KEEPER_TASKS), 0);

	(void)text, (void)size;
	return rc < 0 ? fail_call("does not create a scope", &why, rc, err) : 0;
}

static int
ask_attach(const struct bus *bus, const struct scope_query *question, char *text, size_t size,
	   struct cordon_error *err)
{
	sd_bus_error why = SD_BUS_ERROR_NULL;
	int rc = bus->call(bus->connection, MANAGER, "AttachProcessesToUnit", &why, NULL, "ssau",
			   question->unit, "/" SCOPE_RUN, 1, (uint32_t)question->pid);

	(void)text, (void)size;
	return rc < 0 ? fail_call("moves nothing", &why, rc, err) : 0;
}

static _Noreturn void
helper_main(const struct scope_query *question, int to)
{
	struct answer answer = {.text = ""};
	struct bus bus = {.connection = NULL};
	int rc = bus_connect(&bus, &answer.err);

	if (rc == 0)
		rc = question->ask(&bus, question, answer.text, sizeof answer.text, &answer.err);
	(void)rc;
	_exit(write(to, &answer, sizeof answer) != (ssize_t)sizeof answer);
}

/* Waits until from is readable; false after the deadline. Continues after EINTR. */
static bool
wait_for(int from, int64_t until)
{
	struct pollfd fd = {.fd = from, .events = POLLIN};
	int64_t left;
	int rc = -1;

	errno = EINTR;
	while (rc < 0 && errno == EINTR && (left = until - clock_ms()) > 0)
		rc = poll(&fd, 1, (int)left);
	return rc > 0;
}

/* Reads size bytes; false after the deadline. */
static bool
hear(int from, void *to, size_t size)
{
	int64_t until = clock_ms() + PATIENCE_MS;
	size_t have = 0;
	ssize_t n;

	while (have < size && wait_for(from, until)) {
		n = read(from, (char *)to + have, size - have);
		if (n <= 0 && !(n < 0 && errno == EINTR))
			break;
		have += n > 0 ? (size_t)n : 0;
	}
	return have == size;
}

static void
end_child(pid_t child)
{
	kill(child, SIGKILL);
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
}

/* Runs the query in a child process. ret_text (may be NULL) has room for the answer. */
static int
ask(const struct scope_query *question, char *ret_text, struct cordon_error *err)
{
	struct answer answer = {.text = ""};
	int ends[2];
	pid_t child;
	bool heard;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return cordon_fail(err, CORDON_E_SYSTEM, errno, "cannot make a pipe");
	child = fork();
	if (child == 0)
		helper_main(question, ends[1]);
	close(ends[1]);
	heard = child > 0 && hear(ends[0], &answer, sizeof answer);
	close(ends[0]);
	if (child > 0)
		end_child(child);
	if (!heard)
		return cordon_fail(err, CORDON_E_GAP, 0, "systemd's user manager does not answer");
	if (answer.err.code != 0) {
		if (err != NULL)
			*err = answer.err;
		return -answer.err.code;
	}
	if (ret_text != NULL)
		memcpy(ret_text, answer.text, sizeof answer.text);
	return 0;
}

/* ---- location ---- */

/* The cgroup of the user manager, which contains its scopes. */
static int
find_manager(char ret_path[PATH_MAX], struct cordon_error *err)
{
	struct scope_query question = {.ask = ask_place};
	char name[sizeof((struct answer *)0)->text];
	int rc = ask(&question, name, err);

	if (rc < 0)
		return rc;
	if (!cgroup_locate(name, ret_path))
		return cordon_fail(err, CORDON_E_GAP, 0,
				   "systemd's user manager has no cgroup of the unified kind");
	return 0;
}

bool
systemd_scope_can(void)
{
	char path[PATH_MAX];
	char bus[64];
	auto_fd int folder = -1;

	bus_path(bus);
	if (access(bus, F_OK) < 0 || find_manager(path, NULL) < 0)
		return false;
	folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return folder >= 0 && cgroup_has_word(folder, "cgroup.controllers", "memory") &&
	       cgroup_has_word(folder, "cgroup.controllers", "pids");
}

/* Waits until this process is in the cgroup at path. */
static bool
wait_inside(const char *path)
{
	char own[PATH_MAX];

	for (int64_t until = clock_ms() + PATIENCE_MS; clock_ms() < until;) {
		if (cgroup_find_own(own) && strcmp(own, path) == 0)
			return true;
		poll(NULL, 0, 2);
	}
	return false;
}

/* ---- the keeper ---- */

/* Detaches the keeper from the terminal and closes inherited fds. */
static void
let_go(int report, int keeper_pipe)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN};
	int null = open("/dev/null", O_RDWR);

	for (int number = 1; number < NSIG; number++)
		sigaction(number, &ignore, NULL);
	for (int fd = 0; fd < 3; fd++)
		dup2(null, fd);
	/* move both out of the range of the target numbers */
	report = fcntl(report, F_DUPFD, 16);
	keeper_pipe = fcntl(keeper_pipe, F_DUPFD, 16);
	dup2(report, 3);
	dup2(keeper_pipe, 4);
	fd_close_from(5);
	if (chdir("/") < 0)
		return;
}

/* Divides the scope of this process. */
static int
divide(const char *scope, const struct group_wish *wish, struct cordon_error *err)
{
	auto_fd int folder = open(scope, O_RDONLY | O_DIRECTORY | O_CLOEXEC), run = -1;

	if (folder < 0 || mkdirat(folder, SCOPE_KEEP, 0755) < 0 ||
	    mkdirat(folder, SCOPE_RUN, 0755) < 0 ||
	    cgroup_write(folder, SCOPE_KEEP "/cgroup.procs", "0") < 0 ||
	    cgroup_enable(folder, wish) < 0)
		return cordon_fail(err, CORDON_E_GAP, errno,
				   "cannot create cgroups in systemd's scope");
	run = openat(folder, SCOPE_RUN, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (run < 0 || cgroup_limit(run, wish) < 0)
		return cordon_fail(err, CORDON_E_GAP, errno, "cannot limit systemd's scope");
	return 0;
}

static int
enter(const char *scope, const struct group_wish *wish, struct cordon_error *err)
{
	struct scope_query question = {
		.ask = ask_scope,
		.unit = strrchr(scope, '/') + 1,
		.wish = wish,
		.pid = getpid(),
	};
	int rc = ask(&question, NULL, err);

	if (rc < 0)
		return rc;
	if (!wait_inside(scope))
		return cordon_fail(err, CORDON_E_GAP, 0,
				   "systemd's scope is not where it should be");
	return divide(scope, wish, err);
}

static _Noreturn void
keeper_main(const char *scope, const struct group_wish *wish, int report, int keeper_pipe)
{
	struct cordon_error err = {0};
	int rc;
	char none;

	let_go(report, keeper_pipe);
	rc = enter(scope, wish, &err);
	/* at most PIPE_BUF: written in one piece */
	if (write(3, &err, sizeof err) != (ssize_t)sizeof err || rc < 0)
		_exit(1);
	close(3);
	while (read(4, &none, 1) < 0 && errno == EINTR)
		;
	_exit(0);
}

static int
start_keeper(const char *scope, const struct group_wish *wish, struct session_group *to,
	     struct cordon_error *err)
{
	int keeper_pipe[2], report[2];
	struct cordon_error why = {0};
	bool heard;

	if (pipe2(keeper_pipe, O_CLOEXEC) < 0)
		return cordon_fail(err, CORDON_E_SYSTEM, errno, "cannot make a pipe");
	if (pipe2(report, O_CLOEXEC) < 0) {
		close(keeper_pipe[0]);
		close(keeper_pipe[1]);
		return cordon_fail(err, CORDON_E_SYSTEM, errno, "cannot make a pipe");
	}
	to->keeper_pipe = keeper_pipe[1];
	to->keeper = fork();
	if (to->keeper == 0) {
		close(keeper_pipe[1]);
		keeper_main(scope, wish, report[1], keeper_pipe[0]);
	}
	close(keeper_pipe[0]);
	close(report[1]);
	heard = to->keeper > 0 && hear(report[0], &why, sizeof why);
	close(report[0]);
	if (heard && why.code == 0)
		return 0;
	close(to->keeper_pipe);
	if (to->keeper > 0)
		end_child(to->keeper);
	if (!heard)
		return cordon_fail(err, CORDON_E_GAP, 0, "systemd's scope could not be kept");
	if (err != NULL)
		*err = why;
	return -why.code;
}

/* ---- interface ---- */

int
systemd_scope_make(const struct group_wish *wish, struct session_group *ret_group,
		   struct cordon_error *err)
{
	struct session_group group = {.kind = GROUP_SCOPE,
				      .folder = -1,
				      .procs_fd = -1,
				      .keeper_pipe = -1};
	char manager[PATH_MAX], scope[PATH_MAX];
	int rc = find_manager(manager, err);

	if (rc < 0)
		return rc;
	if (snprintf(scope, sizeof scope, "%s/app.slice/cordon-%s.scope", manager, wish->id) >=
		    (int)sizeof scope ||
	    snprintf(group.path, sizeof group.path, "%s/" SCOPE_RUN, scope) >=
		    (int)sizeof group.path)
		return cordon_fail(err, CORDON_E_GAP, ENAMETOOLONG, "systemd's scope");
	rc = start_keeper(scope, wish, &group, err);
	if (rc < 0)
		return rc;
	group.folder = open(group.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (group.folder < 0) {
		rc = cordon_fail(err, CORDON_E_GAP, errno, "cannot open systemd's scope");
		close(group.keeper_pipe);
		end_child(group.keeper);
		return rc;
	}
	*ret_group = group;
	return 0;
}

int
systemd_scope_join(const struct session_group *group)
{
	char unit[NAME_MAX + 1], scope[PATH_MAX];
	struct scope_query question = {.ask = ask_attach, .unit = unit, .pid = getpid()};
	struct cordon_error err = {0};

	memcpy(scope, group->path, sizeof scope);
	*strrchr(scope, '/') = '\0';
	snprintf(unit, sizeof unit, "%s", strrchr(scope, '/') + 1);
	if (ask(&question, NULL, &err) < 0)
		return err.sys != 0 ? err.sys : EACCES;
	return wait_inside(group->path) ? 0 : ETIMEDOUT;
}
