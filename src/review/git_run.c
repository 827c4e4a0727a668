// SPDX-License-Identifier: MIT
/* Starts git for reading and collects its output. */
#include "base/os.h"

#include "review/git_run.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/path.h"
#include "base/str.h"
#include "host/host.h"

#define SECONDS_MAX 10
#define OUTPUT_MAX ((size_t)128 << 20)
#define PIECE 65536

/* ---- program ---- */

/* Is it in a directory of the user's PATH into which the plan lets no command put a git? */
static bool
is_fit(const struct plan *plan, const char *folder, const char *program)
{
	return *folder == '/' && !path_below(folder, plan->host->project) &&
	       (index_rights(&plan->index, program) & RIGHTS_CHANGE) == 0 &&
	       access(program, X_OK) == 0;
}

static int
find_program(struct arena *arena, const struct plan *plan, const char **ret,
	     struct cordon_error *err)
{
	const char *path = host_getenv(plan->host, "PATH");

	*ret = NULL;
	for (path = path == NULL ? "/usr/bin:/bin" : path; *path != '\0' && *ret == NULL;) {
		size_t length = strcspn(path, ":");
		const char *folder = arena_strndup(arena, path, length, err);
		const char *program = folder == NULL ? NULL : path_join(arena, folder, "git", err);

		if (program == NULL)
			return -CORDON_E_MEMORY;
		if (is_fit(plan, folder, program))
			*ret = program;
		path += length + (path[length] == ':');
	}
	return 0;
}

int
git_run_open(struct arena *arena, const struct plan *plan, struct git_run *ret,
	     struct cordon_error *err)
{
	const struct host *host = plan->host;
	struct stat at;

	*ret = (struct git_run){.plan = plan};
	if (host->project == NULL || *host->project == '\0')
		return 0;
	ret->git_dir = host->git.inner != NULL ? host->git.inner : host->git.git_dir;
	if (ret->git_dir == NULL)
		ret->git_dir = path_join(arena, host->project, ".git", err);
	if (ret->git_dir == NULL)
		return -CORDON_E_MEMORY;
	if (stat(ret->git_dir, &at) < 0 || !S_ISDIR(at.st_mode))
		ret->git_dir = NULL;
	return ret->git_dir == NULL ? 0 : find_program(arena, plan, &ret->program, err);
}

/* ---- running ---- */

/* These override the repository's settings; those of the user and the machine are not read. */
static const char *const options[] = {"--no-pager",
				      "-c",
				      "core.fsmonitor=false",
				      "-c",
				      "core.hooksPath=/dev/null",
				      "-c",
				      "core.untrackedCache=false",
				      "-c",
				      "core.alternateRefsCommand=false",
				      "-c",
				      "protocol.allow=never"};

#define ARGUMENTS_MAX 32

/* fds and parent for the child. */
struct ends {
	int input, output; /* input -1: none */
	pid_t parent;
};

/* Runs between fork and exec. git dies with us and inherits none of our fds. */
static _Noreturn void
become_git(const struct ends *ends, const char *program, const char *const *argv,
	   const char *const *environment)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (os_die_with_parent(SIGKILL) == 0 && getppid() == ends->parent && null >= 0 &&
	    dup2(ends->input < 0 ? null : ends->input, 0) == 0 && dup2(ends->output, 1) == 1 &&
	    dup2(null, 2) == 2 && fd_cloexec_from(3) >= 0)
		execve(program, (char *const *)argv, (char *const *)environment);
	_exit(127);
}

static int
start(const struct git_run *in, const char *const *arguments, int input, pid_t *ret_pid,
      int *ret_fd)
{
	char git_dir[PATH_MAX + 16], tree[PATH_MAX + 16];
	const char *environment[] = {git_dir,
				     tree,
				     "PATH=/usr/bin:/bin",
				     "LC_ALL=C",
				     "GIT_CONFIG_NOSYSTEM=1",
				     "GIT_CONFIG_GLOBAL=/dev/null",
				     "GIT_ATTR_NOSYSTEM=1",
				     in->with_replacements ? "GIT_REPLACE_REF_BASE=refs/replace/"
							   : "GIT_NO_REPLACE_OBJECTS=1",
				     "GIT_OPTIONAL_LOCKS=0",
				     "GIT_NO_LAZY_FETCH=1",
				     "GIT_TERMINAL_PROMPT=0",
				     "GIT_ALLOW_PROTOCOL=none",
				     NULL};
	const char *argv[ARGUMENTS_MAX + 1] = {in->program};
	size_t count = 1;
	struct ends given = {.input = input, .parent = getpid()};
	int ends[2], why;

	snprintf(git_dir, sizeof git_dir, "GIT_DIR=%s", in->git_dir);
	snprintf(tree, sizeof tree, "GIT_WORK_TREE=%s", in->plan->host->project);
	for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
		argv[count++] = options[i];
	argv[count++] = "-c";
	argv[count++] = in->with_replacements ? "core.useReplaceRefs=true"
					      : "core.useReplaceRefs=false";
	argv[count++] = "-C";
	argv[count++] = in->plan->host->project;
	while (count < ARGUMENTS_MAX && *arguments != NULL)
		argv[count++] = *arguments++;
	if (os_pipe(ends) < 0)
		return errno;
	given.output = ends[1];
	*ret_pid = fork();
	why = *ret_pid < 0 ? errno : 0;
	if (*ret_pid == 0)
		become_git(&given, in->program, argv, environment);
	close(ends[1]);
	if (why != 0)
		close(ends[0]);
	*ret_fd = ends[0];
	return why;
}

static int64_t
now_ms(void)
{
	struct timespec at = {0};

	clock_gettime(CLOCK_MONOTONIC, &at);
	return at.tv_sec * 1000ll + at.tv_nsec / 1000000;
}

void
git_run_limit(struct git_run *in)
{
	in->until = now_ms() + SECONDS_MAX * 1000;
}

bool
git_run_is_late(const struct git_run *in)
{
	return in->until != 0 && now_ms() >= in->until;
}

/* Reads to the end; false: too slow or too much. */
static bool
read_all(int fd, int64_t end, struct str *to)
{
	auto_free char *piece = malloc(PIECE);

	while (piece != NULL && to->length < OUTPUT_MAX && !to->failed) {
		struct pollfd ready = {.fd = fd, .events = POLLIN};
		int64_t left = end - now_ms();
		ssize_t n;

		if (left <= 0 || poll(&ready, 1, (int)left) == 0)
			return false;
		n = read(fd, piece, PIECE);
		if (n == 0)
			return true;
		if (n < 0 && errno != EINTR)
			return false;
		if (n > 0)
			str_add_n(to, piece, (size_t)n);
	}
	return false;
}

static bool
wait_for(pid_t pid, bool is_ended)
{
	int status = -1;

	if (!is_ended)
		kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Writes the input to an unnamed file, which git reads at its own speed. */
static int
put_input(const struct git_run_text *input, FILE **ret_file)
{
	*ret_file = NULL;
	if (input == NULL)
		return -1;
	*ret_file = tmpfile();
	if (*ret_file == NULL ||
	    fwrite(input->text, 1, input->length, *ret_file) != input->length ||
	    fflush(*ret_file) != 0 || lseek(fileno(*ret_file), 0, SEEK_SET) < 0)
		return -1;
	return fileno(*ret_file);
}

int
git_run_query(const struct git_run *in, const char *const *arguments,
	      const struct git_run_text *input, struct git_run_text *ret, struct cordon_error *err)
{
	auto_str struct str text = {0};
	FILE *file;
	int from = put_input(input, &file), why = input != NULL && from < 0 ? EIO : 0, fd = -1;
	bool is_ended = false;
	pid_t pid = -1;

	if (why == 0)
		why = start(in, arguments, from, &pid, &fd);
	if (why == 0) {
		is_ended = read_all(fd, in->until != 0 ? in->until : now_ms() + SECONDS_MAX * 1000,
				    &text);
		close(fd);
		is_ended = wait_for(pid, is_ended) && is_ended;
	}
	if (file != NULL)
		fclose(file);
	if (why != 0)
		return cordon_fail(err, CORDON_E_SYSTEM, why, "cannot start git");
	if (text.failed)
		return cordon_no_memory(err);
	if (!is_ended)
		return 0;
	/* also if there was no output */
	str_add(&text, "");
	ret->length = text.length;
	ret->text = text.text == NULL ? strdup("") : take(&text.text);
	return ret->text == NULL ? cordon_no_memory(err) : 1;
}

bool
git_run_has_replacements(const struct git_run *in)
{
	static const char *const one[] = {"for-each-ref", "--count=1", "--format=%(refname)",
					  "refs/replace/", NULL};
	struct git_run_text output = {NULL, 0};
	bool has_some = git_run_query(in, one, NULL, &output, NULL) != 1 || *output.text != '\0';

	free(output.text);
	return has_some;
}
