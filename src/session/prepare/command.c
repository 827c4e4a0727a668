// SPDX-License-Identifier: MIT
/*
 * Builds the environment of the command, and finds the program on the PATH of that environment.
 * Relative PATH entries are skipped, because the current directory must not decide which program
 * runs.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "explain/remedy.h"
#include "host/resolve.h"
#include "plan/environ.h"
#include "session/prepare/proxy_spawn.h"
#include "session/session.h"

/* An inherited NO_PROXY could bypass the proxy. Connections to own servers need no proxy. */
#define NOT_PROXIED "localhost,127.0.0.1,::1"
const struct proxy_variable proxy_variables[] = {
	{"HTTP_PROXY", NULL},
	{"http_proxy", NULL},
	{"HTTPS_PROXY", NULL},
	{"https_proxy", NULL},
	{"ALL_PROXY", NULL},
	{"all_proxy", NULL},
	{"NO_PROXY", NOT_PROXIED},
	{"no_proxy", NOT_PROXIED},
	/* makes the resolver of libc use TCP, which can be redirected */
	{"RES_OPTIONS", "use-vc"},
	{NULL, NULL},
};

struct builder {
	struct arena *arena;
	const struct plan *plan;
	const char *const *environ; /* of the supervisor */
	const char **items;
	size_t count;
	struct cordon_error *err;
};

static int
push(struct builder *b, const char *text)
{
	const char **slot = arena_push(b->arena, &b->items, &b->count, sizeof *slot, b->err);

	if (slot == NULL)
		return -CORDON_E_MEMORY;
	*slot = text;
	return 0;
}

static int
push_pair(struct builder *b, const char *name, const char *value)
{
	char *pair = arena_printf(b->arena, b->err, "%s=%s", name, value);

	return pair == NULL ? -CORDON_E_MEMORY : push(b, pair);
}

static bool
is_set_by_policy(const struct builder *b, const char *name)
{
	const struct environment *env = &b->plan->settings.env;

	for (size_t i = 0; i < env->set_count; i++)
		if (strcmp(env->set[i].name, name) == 0)
			return true;
	return false;
}

static int
push_own(struct builder *b, const char *name, const char *value)
{
	return is_set_by_policy(b, name) ? 0 : push_pair(b, name, value);
}

/* HISTFILE goes to the private tmp: the user could run a planted history line later. */
static bool
has_history(const struct builder *b, const struct command_context *context)
{
	return context->private_tmp != NULL && b->plan->host->command == COMMAND_SHELL;
}

/* Is it a variable that cordon sets unless the policy does? */
static bool
is_ours(const struct builder *b, const char *name, const struct command_context *context)
{
	bool ours = (has_history(b, context) && strcmp(name, "HISTFILE") == 0) ||
		    environ_is_session(name) ||
		    (context->private_tmp != NULL && environ_is_tmp(&b->plan->settings, name));

	for (size_t i = 0; context->proxy != NULL && proxy_variables[i].name != NULL; i++)
		ours = ours || strcmp(proxy_variables[i].name, name) == 0;
	return ours;
}

static bool
is_inherited(const struct builder *b, const char *name)
{
	size_t length = strlen(name);

	for (const char *const *pair = b->environ; pair != NULL && *pair != NULL; pair++)
		if (strncmp(*pair, name, length) == 0 && (*pair)[length] == '=')
			return true;
	return false;
}

static bool
is_led_to_tmp(const struct builder *b, const struct tmp_variable *one)
{
	if (one->yields)
		return environ_names(&b->plan->settings, one->name) && !is_inherited(b, one->name);
	return environ_is_tmp(&b->plan->settings, one->name);
}

static int
push_tmp(struct builder *b, const char *private_tmp)
{
	int rc = 0;

	for (const struct tmp_variable *one = tmp_variables; rc == 0 && one->name != NULL; one++) {
		const char *value = arena_printf(b->arena, b->err, "%s%s%s", one->before,
						 private_tmp, one->after);

		if (value == NULL)
			rc = -CORDON_E_MEMORY;
		else if (is_led_to_tmp(b, one))
			rc = push_own(b, one->name, value);
	}
	return rc;
}

static int
push_proxy(struct builder *b, const struct proxy_process *proxy)
{
	const char *url = arena_printf(b->arena, b->err, "http://%s:%s@127.0.0.1:%u", PROXY_USER,
				       proxy->token, proxy->egress.named);
	int rc = url == NULL ? -CORDON_E_MEMORY : 0;

	for (const struct proxy_variable *one = proxy_variables; rc == 0 && one->name != NULL;
	     one++)
		rc = push_own(b, one->name, one->value == NULL ? url : one->value);
	return rc;
}

static int
pass_inherited(struct builder *b, const struct command_context *context)
{
	const char *const *given = b->environ;
	int rc = 0;

	for (size_t i = 0; rc == 0 && given != NULL && given[i] != NULL; i++) {
		size_t length = strcspn(given[i], "=");
		char *name = arena_strndup(b->arena, given[i], length, b->err);
		struct env_answer answer;

		if (name == NULL)
			return -CORDON_E_MEMORY;
		if (given[i][length] != '=')
			continue;
		answer = environ_decide(&b->plan->settings, name);
		if (answer.passes && answer.value == NULL && !is_ours(b, name, context))
			rc = push(b, given[i]);
	}
	return rc;
}

static int
push_session(struct builder *b, const char *id)
{
	int rc = push_own(b, ENV_INSIDE, "1");

	if (rc == 0)
		rc = push_own(b, ENV_SESSION, id);
	if (rc == 0)
		rc = push_own(b, ENV_NETWORK, net_names[b->plan->settings.network.mode]);
	return rc;
}

static int
make_environment(struct builder *b, const struct command_context *context, const char *id)
{
	const char *private_tmp = context->private_tmp;
	const struct environment *env = &b->plan->settings.env;
	int rc = pass_inherited(b, context);

	for (size_t i = 0; rc == 0 && i < env->set_count; i++)
		rc = push_pair(b, env->set[i].name, env->set[i].value);
	if (rc == 0)
		rc = push_session(b, id);
	if (rc == 0 && private_tmp != NULL)
		rc = push_tmp(b, private_tmp);
	if (rc == 0 && context->proxy != NULL)
		rc = push_proxy(b, context->proxy);
	if (rc == 0 && has_history(b, context)) {
		char *history = path_join(b->arena, private_tmp, "history", b->err);

		rc = history == NULL ? -CORDON_E_MEMORY : push_own(b, "HISTFILE", history);
	}
	return rc < 0 ? rc : push(b, NULL);
}

/* The marker lists the sessions of a process, the outermost first. */
static int
push_marker(struct builder *b, const char *id)
{
	static const char name[] = GROUP_MARKER "=";
	const char *outer = "";

	for (size_t i = 0; i < b->count; i++) {
		if (strncmp(b->items[i], name, sizeof name - 1) != 0)
			continue;
		outer = b->items[i] + sizeof name - 1;
		b->items[i] = arena_printf(b->arena, b->err, "%s%s:%s", name, outer, id);
		return b->items[i] == NULL ? -CORDON_E_MEMORY : 0;
	}
	return push_pair(b, GROUP_MARKER, id);
}

/* With track_only the environment is not changed, except for the marker on macOS. */
static int
keep_environment(struct builder *b, const char *id)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && b->environ != NULL && b->environ[i] != NULL; i++)
		rc = push(b, b->environ[i]);
	if (rc == 0 && enforce_system() == SYSTEM_MACOS)
		rc = push_marker(b, id);
	return rc < 0 ? rc : push(b, NULL);
}

/* ---- the program ---- */

static int
cannot(struct cordon_error *err, int status, const char *name, const char *reason)
{
	int rc = cordon_fail(err, CORDON_E_PATH, 0, "%.120s: %s", name, reason);

	if (err != NULL)
		err->sys = status;
	return rc;
}

static const char *
value_of(const struct builder *b, const char *name)
{
	size_t length = strlen(name);

	for (size_t i = 0; i < b->count && b->items[i] != NULL; i++)
		if (strncmp(b->items[i], name, length) == 0 && b->items[i][length] == '=')
			return b->items[i] + length + 1;
	return NULL;
}

/* Returns 0 if path is runnable, else an errno. */
static int
try_program(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return errno;
	if (S_ISDIR(st.st_mode))
		return EISDIR;
	return access(path, X_OK) < 0 ? errno : 0;
}

/* A fault of the system, which is no verdict about the command. */
static int
not_looked(struct builder *b, const char *path, int why)
{
	return cordon_fail(b->err, CORDON_E_SYSTEM, why, "cannot examine %.120s", path);
}

static int
search(struct builder *b, const char *name, const char **ret_path)
{
	const char *path = value_of(b, "PATH");
	int seen = ENOENT;

	if (path == NULL)
		path = "/usr/local/bin:/usr/bin:/bin";
	for (size_t length; *path != '\0'; path += length + (path[length] == ':')) {
		char *candidate;
		int why;

		length = strcspn(path, ":");
		if (*path != '/')
			continue;
		candidate = arena_printf(b->arena, b->err, "%.*s/%s", (int)length, path, name);
		if (candidate == NULL)
			return -CORDON_E_MEMORY;
		why = try_program(candidate);
		if (why == 0) {
			*ret_path = candidate;
			return 0;
		}
		if (error_errno_is_fault(why))
			return not_looked(b, candidate, why);
		/* a program in a directory without search permission counts as not found */
		if (access(candidate, F_OK) == 0)
			seen = why;
	}
	if (seen == ENOENT)
		return cannot(b->err, SESSION_NOT_FOUND, name,
			      strchr(name, ' ') == NULL
				      ? "not found"
				      : "not found; a whole line is run by sh -c");
	return cannot(b->err, SESSION_NOT_EXECUTABLE, name, error_errno_text(seen));
}

static int
find_program(struct builder *b, const char *name, const char **ret_path)
{
	int why;

	if (*name == '\0')
		return cannot(b->err, SESSION_NOT_FOUND, "\"\"", "an empty name is no command");
	if (strchr(name, '/') == NULL)
		return search(b, name, ret_path);
	*ret_path = name;
	why = try_program(name);
	if (why == 0)
		return 0;
	if (error_errno_is_fault(why))
		return not_looked(b, name, why);
	return cannot(b->err,
		      why == ENOENT || why == ENOTDIR ? SESSION_NOT_FOUND : SESSION_NOT_EXECUTABLE,
		      name, error_errno_text(why));
}

/* Prefers a profile to --execute, because a program also needs its libraries and toolchain. */
static int
not_granted(struct builder *b, const struct decision *by, const struct resolved *at)
{
	struct advice advice = remedy_for(b->plan, by, at, RIGHT_EXECUTE);
	char reason[160];

	snprintf(reason, sizeof reason,
		 "the policy does not let it be run; %s%s%s`cordon why execute` says %s",
		 advice.profile != NULL	 ? "-p "
		 : advice.option != NULL ? "--execute PATH would, "
					 : "",
		 advice.profile != NULL ? advice.profile : "",
		 advice.profile != NULL ? " would, " : "", advice.option != NULL ? "more" : "why");
	return cannot(b->err, SESSION_NOT_EXECUTABLE, at->path, reason);
}

/* execve() would only return EACCES; the plan knows the rule. */
static int
check_plan(struct builder *b, const char *path)
{
	struct resolved resolved;
	struct verdict verdict;
	const char *absolute = path;
	int rc;

	if (*path != '/')
		absolute = path_join(b->arena, b->plan->host->cwd, path, b->err);
	if (absolute == NULL)
		return -CORDON_E_MEMORY;
	rc = resolve_path(b->arena, b->plan->host->view, absolute, &resolved, b->err);
	if (rc < 0)
		return rc;
	verdict = index_decide(&b->plan->index, resolved.path);
	return verdict.rights & RIGHT_EXECUTE ? 0 : not_granted(b, &verdict.by[4], &resolved);
}

static int
copy_arguments(struct builder *b, const struct session_request *request, char *const **ret_argv)
{
	size_t count = 0;
	char **argv;

	while (request->argv[count] != NULL)
		count++;
	argv = arena_alloc(b->arena, (count + 1) * sizeof *argv, b->err);
	if (argv == NULL)
		return -CORDON_E_MEMORY;
	memcpy(argv, request->argv, count * sizeof *argv);
	if (request->login) {
		argv[0] = arena_printf(b->arena, b->err, "-%s", path_last(argv[0]));
		if (argv[0] == NULL)
			return -CORDON_E_MEMORY;
	}
	*ret_argv = argv;
	return 0;
}

int
command_prepare(struct arena *arena, const struct session_request *request,
		const struct command_context *context, struct command_line *ret_command,
		struct cordon_error *err)
{
	struct builder b = {.arena = arena,
			    .plan = request->plan,
			    .environ = request->environ,
			    .err = err};
	struct command_line command = {0};
	int rc = request->track_only ? keep_environment(&b, request->id)
				     : make_environment(&b, context, request->id);

	if (rc == 0)
		rc = find_program(&b, request->argv[0], &command.path);
	if (rc == 0 && !request->track_only)
		rc = check_plan(&b, command.path);
	if (rc == 0)
		rc = copy_arguments(&b, request, &command.argv);
	if (rc < 0)
		return rc;
	command.envp = (char *const *)b.items;
	*ret_command = command;
	return 0;
}
