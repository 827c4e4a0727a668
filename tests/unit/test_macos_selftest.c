// SPDX-License-Identifier: MIT
/*
 * What doctor tries on a Mac, with a Seatbelt that is made up: it refuses by the names that the profile denies, nothing,
 * or everything. The real one is for tests/macos/real.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysctl.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "enforce/enforce.h"
#include "macos/process/libsystem.h"
#include "tap.h"

static enum { ENFORCES, ENFORCES_NOTHING, REFUSES_ALL, REFUSES_THE_PROFILE } seatbelt;
static const char *hole;     /* this operation is not enforced */
static const char *hardened; /* this one fails without a profile, too */
static const char *hangs;    /* this one never returns */
static const char *profile;  /* applied in this process */
static bool prints;

int
sandbox_init_with_parameters(const char *text, uint64_t flags, const char *const parameters[],
			     char **errorbuf)
{
	(void)flags, (void)parameters;
	*errorbuf = NULL;
	if (prints) {
		printf("%s\n;;\n", text);
		fflush(stdout);
	}
	if (seatbelt == REFUSES_THE_PROFILE) {
		*errorbuf = strdup("unbound variable: file-write-mode");
		return -1;
	}
	profile = text;
	return 0;
}

void
sandbox_free_error(char *errorbuf)
{
	free(errorbuf);
}

static bool
is(const char *name, const char *call)
{
	return name != NULL && strcmp(name, call) == 0;
}

/* Is the call refused, of which the profile says so? */
static bool
is_refused(const char *call, bool denied)
{
	if (is(hangs, call))
		pause();
	if (is(hardened, call))
		return true;
	if (profile == NULL || seatbelt == ENFORCES_NOTHING || is(hole, call))
		return false;
	return seatbelt == REFUSES_ALL || denied;
}

static bool
says(const char *text)
{
	return profile != NULL && strstr(profile, text) != NULL;
}

static bool
denies(const char *operation, const char *path)
{
	return says(operation) && strstr(path, "denied") != NULL;
}

/* This process or a child of it: of the same sandbox, as the profile was applied here. */
static bool
is_own(pid_t pid)
{
	char path[32], text[256] = "";
	const char *end;
	FILE *file;
	int parent = 0;

	if (pid == getpid())
		return true;
	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	file = fopen(path, "re");
	if (file == NULL)
		return false;
	end = fgets(text, sizeof text, file) == NULL ? NULL : strrchr(text, ')');
	fclose(file);
	return end != NULL && sscanf(end, ") %*c %d", &parent) == 1 && parent == getpid();
}

#define REFUSE(call, denied)                    \
	do                                      \
		if (is_refused(call, denied)) { \
			errno = EPERM;          \
			return -1;              \
		}                               \
	while (0)

int __real_open(const char *path, int flags, ...);
int
__wrap_open(const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
	va_end(args);
	REFUSE("open",
	       denies(flags & O_CREAT ? "(deny file-write-create" : "(deny file-read-data", path));
	return __real_open(path, flags, mode);
}

/* with large files */
int __wrap_open64(const char *path, int flags, ...) __attribute__((alias("__wrap_open")));

int __real_chmod(const char *path, mode_t mode);
int
__wrap_chmod(const char *path, mode_t mode)
{
	REFUSE("chmod", denies("(deny file-write-mode", path));
	return __real_chmod(path, mode);
}

int __real_execve(const char *path, char *const argv[], char *const envp[]);
int
__wrap_execve(const char *path, char *const argv[], char *const envp[])
{
	char named[] = "CORDON_DOCTOR_NAMED=1", unnamed[] = "CORDON_DOCTOR_UNNAMED=1";
	char *const leaky[] = {named, unnamed, NULL};

	REFUSE("execve", denies("(deny process-exec", path));
	/* where nothing is enforced the environment leaks, too */
	return __real_execve(path, argv, seatbelt == ENFORCES_NOTHING ? leaky : envp);
}

int __real_connect(int fd, const struct sockaddr *to, socklen_t length);
int
__wrap_connect(int fd, const struct sockaddr *to, socklen_t length)
{
	REFUSE("connect", to->sa_family == AF_UNIX
				  ? denies("(deny network-outbound (literal",
					   ((const struct sockaddr_un *)(const void *)to)->sun_path)
				  : says("(remote tcp"));
	return __real_connect(fd, to, length);
}

ssize_t __real_sendto(int fd, const void *data, size_t length, int flags, const struct sockaddr *to,
		      socklen_t to_length);
ssize_t
__wrap_sendto(int fd, const void *data, size_t length, int flags, const struct sockaddr *to,
	      socklen_t to_length)
{
	REFUSE("sendto", says("(remote udp"));
	return __real_sendto(fd, data, length, flags, to, to_length);
}

int __real_kill(pid_t pid, int signal);
int
__wrap_kill(pid_t pid, int signal)
{
	REFUSE("kill", says("(deny signal (target others)") && pid != getpid());
	return __real_kill(pid, signal);
}

long __real_ptrace(long request, pid_t pid, void *address, void *data);
int
__wrap_ptrace(int request, pid_t pid, char *address, int data)
{
	const long attach = 16, detach = 17; /* of this system */

	check(request == LIBSYSTEM_ATTACH || request == LIBSYSTEM_DETACH);
	check(address == NULL && data == 0);
	REFUSE("ptrace",
	       says("(deny default)") &&
		       !(says("(allow mach-priv-task-port (target same-sandbox)") && is_own(pid)));
	return (int)__real_ptrace(request == LIBSYSTEM_ATTACH ? attach : detach, pid, NULL, NULL);
}

/* As libproc does: 0 for a refusal. */
int
proc_pidinfo(int pid, int flavor, uint64_t arg, void *buffer, int size)
{
	(void)flavor, (void)arg, (void)buffer;
	errno = EPERM;
	return is_refused("proc_pidinfo",
			  says("(deny process-info*)") &&
				  !(says("(allow process-info* (target same-sandbox)") &&
				    is_own(pid)))
		       ? 0
		       : size;
}

int
proc_listpids(uint32_t type, uint32_t typeinfo, void *buffer, int size)
{
	(void)type, (void)typeinfo, (void)buffer;
	errno = EPERM;
	return is_refused("proc_listpids", says("(deny process-info*)")) ? 0 : size;
}

int
sysctl(int *name, unsigned count, void *old, size_t *old_length, void *new, size_t new_length)
{
	bool allowed = name[1] == KERN_OSTYPE &&
		       says("(allow sysctl-read (sysctl-name \"kern.ostype\")");

	(void)old, (void)new, (void)new_length;
	check_int(name[0] * 10 + (int)count, CTL_KERN * 10 + (name[1] == KERN_OSTYPE ? 2 : 3));
	REFUSE("sysctl", says("(deny default)") && !allowed);
	*old_length = 1;
	return 0;
}

/* The last ones, of which none may stay. */
static struct {
	int memory, semaphore, queue;
	char folder[64];
} made;

char *__real_mkdtemp(char *pattern);
char *
__wrap_mkdtemp(char *pattern)
{
	char *folder = __real_mkdtemp(pattern);

	snprintf(made.folder, sizeof made.folder, "%s", folder == NULL ? "" : folder);
	return folder;
}

int __real_shmget(key_t key, size_t size, int flags);
int
__wrap_shmget(key_t key, size_t size, int flags)
{
	REFUSE("shmget", says("(deny default)"));
	return made.memory = __real_shmget(key, size, flags);
}

int __real_semget(key_t key, int count, int flags);
int
__wrap_semget(key_t key, int count, int flags)
{
	REFUSE("semget", says("(deny default)"));
	return made.semaphore = __real_semget(key, count, flags);
}

int __real_msgget(key_t key, int flags);
int
__wrap_msgget(key_t key, int flags)
{
	REFUSE("msgget", says("(deny default)"));
	return made.queue = __real_msgget(key, flags);
}

void *__real_mmap(void *at, size_t size, int rights, int flags, int fd, off_t offset);
void *
__wrap_mmap(void *at, size_t size, int rights, int flags, int fd, off_t offset)
{
	if (is_refused("mmap", false)) {
		errno = EPERM;
		return MAP_FAILED;
	}
	return __real_mmap(at, size, rights, flags, fd, offset);
}

void *__wrap_mmap64(void *at, size_t size, int rights, int flags, int fd, off_t offset)
	__attribute__((alias("__wrap_mmap")));

/* Many kernels refuse TIOCSTI to all: it is only acted. */
int __real_ioctl(int fd, unsigned long request, void *argument);
int
__wrap_ioctl(int fd, unsigned long request, void *argument)
{
	REFUSE("ioctl", request == TIOCSTI && says("(deny file-ioctl (ioctl-command 2147578994))"));
	return request == TIOCSTI ? 0 : __real_ioctl(fd, request, argument);
}

static const enum guarantee tried[] = {
	G_FILES_READ,	   G_FILES_WRITE,    G_FILES_EXECUTE,	G_FILES_CARVEOUT,
	G_FILES_PATTERN,   G_FILES_FUTURE,   G_FILES_METADATA,	G_NET_TCP,
	G_NET_UDP,	   G_PROCESS_SIGNAL, G_SOCKETS_PATH,	G_PROCESS_PTRACE,
	G_PROCESS_LISTING, G_IPC_SYSV,	     G_TERMINAL_INJECT, G_ENV_FILTER,
};
#define TRIED (sizeof tried / sizeof tried[0])

static void
check_each(bool denied, bool allowed)
{
	for (size_t i = 0; i < TRIED; i++) {
		struct cordon_error err = {0};
		struct proof proof = {0};

		check_int(enforce_prove(tried[i], &proof, &err), 0);
		check_str(err.text, "");
		check_int(proof.denied * 10 + proof.allowed + 100 * (int)i,
			  denied * 10 + allowed + 100 * (int)i);
	}
}

/*
 * R97-R98 differs: compiled before fork, applied as bytes; what a release does not know is left out
 * or refused by name
 */
static void
what_is_enforced_is_proved(void)
{
	seatbelt = ENFORCES;
	check_each(true, true);
}

static void
what_is_not_enforced_is_broken(void)
{
	seatbelt = ENFORCES_NOTHING;
	check_each(false, true);
}

static void
a_mac_that_refuses_everything_is_broken_too(void)
{
	seatbelt = REFUSES_ALL;
	check_each(true, false);
}

static void
one_call_that_is_not_refused_breaks_its_guarantee(void)
{
	static const struct {
		const char *call;
		enum guarantee guarantee;
		const char *what;
	} rows[] = {
		{"ptrace", G_PROCESS_PTRACE, "tracing another process: NOT REFUSED"},
		{"proc_pidinfo", G_PROCESS_PTRACE, "reading its state: NOT REFUSED"},
		{"sysctl", G_PROCESS_PTRACE, "reading its arguments: NOT REFUSED"},
		{"proc_listpids", G_PROCESS_LISTING, "the list of processes: NOT REFUSED"},
		{"sysctl", G_PROCESS_LISTING, "the table of processes: NOT REFUSED"},
		{"shmget", G_IPC_SYSV, "System V memory of another process: NOT REFUSED"},
		{"semget", G_IPC_SYSV, "its semaphores: NOT REFUSED"},
		{"msgget", G_IPC_SYSV, "its queues: NOT REFUSED"},
		{"ioctl", G_TERMINAL_INJECT, "typing into the terminal: NOT REFUSED"},
		{"connect", G_SOCKETS_PATH, "a unix socket that was not named: NOT REFUSED"},
	};

	seatbelt = ENFORCES;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct cordon_error err = {0};
		struct proof proof = {0};

		hole = rows[i].call;
		check_int(enforce_prove(rows[i].guarantee, &proof, &err), 0);
		check(!proof.denied && proof.allowed);
		check(strstr(proof.detail, rows[i].what) != NULL);
	}
	hole = NULL;
}

/* As a Mac does that lets no program be traced which was not signed for it. */
static void
what_fails_without_a_profile_is_not_counted(void)
{
	struct cordon_error err = {0};
	struct proof proof = {0};

	seatbelt = ENFORCES;
	hardened = "ptrace";
	check_int(enforce_prove(G_PROCESS_PTRACE, &proof, &err), 0);
	check(proof.denied && proof.allowed);
	check(strstr(proof.detail, "tracing another process: fails without a profile, too") !=
	      NULL);
	check(strstr(proof.detail, "reading its arguments: refused") != NULL);
	hardened = "ioctl";
	check_int(enforce_prove(G_TERMINAL_INJECT, &proof, &err), -CORDON_E_GAP);
	check(strstr(err.text, "fails without a profile") != NULL);
	hardened = NULL;
}

static void
what_hangs_is_ended(void)
{
	struct cordon_error err = {0};
	struct proof proof = {0};

	seatbelt = ENFORCES;
	hangs = "chmod";
	check_int(enforce_prove(G_FILES_METADATA, &proof, &err), -CORDON_E_GAP);
	check(strstr(err.text, "cannot be tried") != NULL);
	hangs = NULL;
}

static void
a_profile_that_does_not_compile_is_named(void)
{
	struct cordon_error err = {0};
	struct proof proof;

	seatbelt = REFUSES_THE_PROFILE;
	check_int(enforce_prove(G_FILES_METADATA, &proof, &err), -CORDON_E_GAP);
	check(strstr(err.text, "unbound variable: file-write-mode") != NULL);
	check_int(enforce_prove(G_LIMITS_TIME, &proof, &err), -CORDON_E_GAP);
}

static void
nothing_is_left_behind(void)
{
	struct cordon_error err = {0};
	struct proof proof;

	seatbelt = ENFORCES;
	check_int(enforce_prove(G_IPC_SYSV, &proof, &err), 0);
	check(made.memory >= 0 && made.semaphore >= 0 && made.queue >= 0);
	check_int(shmctl(made.memory, IPC_STAT, &(struct shmid_ds){0}), -1);
	check_int(semctl(made.semaphore, 0, GETVAL), -1);
	check_int(msgctl(made.queue, IPC_STAT, &(struct msqid_ds){0}), -1);
	check(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
	check(strstr(made.folder, "/cordon-doctor-") != NULL);
	check_int(access(made.folder, F_OK), -1);
}

/* For tests/macos/tables.py, which evaluates the profiles. */
static int
print_profiles(void)
{
	struct cordon_error err;
	struct proof proof;

	prints = true;
	for (size_t i = 0; i < TRIED; i++) {
		printf(";; %s\n", guarantee_names[tried[i]]);
		fflush(stdout);
		enforce_prove(tried[i], &proof, &err);
	}
	return 0;
}

int
main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "--profiles") == 0)
		return print_profiles();
	run(what_is_enforced_is_proved);
	run(what_is_not_enforced_is_broken);
	run(a_mac_that_refuses_everything_is_broken_too);
	run(one_call_that_is_not_refused_breaks_its_guarantee);
	run(what_fails_without_a_profile_is_not_counted);
	run(what_hangs_is_ended);
	run(a_profile_that_does_not_compile_is_named);
	run(nothing_is_left_behind);
	return tap_end();
}
