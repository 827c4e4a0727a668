// SPDX-License-Identifier: MIT
/*
 * Sets options of a setup, one table row per option. Each value is checked here with the checks for policy
 * text, so a bad value is refused before any file is read.
 */
#include "api/setup_option.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/glob.h"
#include "base/path.h"
#include "base/str.h"
#include "policy/model/value.h"
#include "policy/read/reader.h"

struct cordon_setup *
cordon_setup_new(void)
{
	struct cordon_setup *setup = calloc(1, sizeof *setup);

	if (setup == NULL)
		return NULL;
	setup->options = policy_new("command line", NULL);
	if (setup->options == NULL)
		return cordon_setup_free(setup);
	return setup;
}

struct cordon_setup *
cordon_setup_free(struct cordon_setup *setup)
{
	if (setup == NULL)
		return NULL;
	policy_free(setup->options);
	arena_free(&setup->arena);
	free(setup);
	return NULL;
}

struct srcpos
setup_srcpos(const struct setup_option *option)
{
	return (struct srcpos){option->name, 0, 0};
}

int
setup_refuse(const struct setup_option *option, const char *value, const char *reason,
	     struct cordon_error *err)
{
	return cordon_fail(err, CORDON_E_USAGE, 0, "%s: \"%.80s\" %s", option->name, value, reason);
}

static int
store(struct cordon_setup *setup, const char **to, const char *value, struct cordon_error *err)
{
	*to = arena_strdup(&setup->arena, value, err);
	return *to == NULL ? -CORDON_E_MEMORY : 0;
}

static int
set_command(struct cordon_setup *setup, const struct setup_option *option, const char *value,
	    struct cordon_error *err)
{
	if (strcmp(value, "run") != 0 && strcmp(value, "shell") != 0)
		return setup_refuse(option, value, "is neither run nor shell", err);
	setup->command = *value == 'r' ? COMMAND_RUN : COMMAND_SHELL;
	return 0;
}

int
setup_text(struct cordon_setup *setup, const struct setup_option *option, const char *value,
	   struct cordon_error *err)
{
	struct stack_text *text;

	if (*value == '\0')
		return setup_refuse(option, value, "is empty", err);
	text = arena_push(&setup->arena, &setup->texts, &setup->text_count, sizeof *text, err);
	if (text == NULL)
		return -CORDON_E_MEMORY;
	text->inline_as = option->extra ? option->name : NULL;
	text->value = arena_strdup(&setup->arena, value, err);
	return text->value == NULL ? -CORDON_E_MEMORY : 0;
}

static int
set_project(struct cordon_setup *setup, const struct setup_option *option, const char *value,
	    struct cordon_error *err)
{
	if (*value == '\0')
		return setup_refuse(option, value, "is empty", err);
	if (setup->has_record)
		return setup_record_two_projects(err);
	return store(setup, &setup->project, value, err);
}

static bool
is_rooted(const char *value)
{
	return *value == '/' || *value == '~' || *value == '$' || *value == '\0' ||
	       str_starts(value, "**");
}

/*
 * Makes a path of the command line absolute. The working directory is escaped: its name may contain pattern
 * characters.
 */
static int
absolute(struct cordon_setup *setup, const struct setup_option *option, const char *value,
	 const char **ret_path, struct cordon_error *err)
{
	auto_str struct str folder = {0};
	char cwd[PATH_MAX];

	*ret_path = value;
	if (is_rooted(value))
		return 0;
	if (getcwd(cwd, sizeof cwd) == NULL)
		return cordon_fail(err, CORDON_E_PATH, errno, "cannot find the working directory");
	if (read_inner_token(cwd) != NULL)
		return setup_refuse(
			option, value,
			"is relative, and a folder above the working directory has the name of a "
			"token; give the whole path",
			err);
	if (value_is_glob(value))
		glob_quote(cwd, &folder);
	else
		str_add(&folder, cwd);
	if (folder.failed)
		return cordon_no_memory(err);
	*ret_path = path_join(&setup->arena, folder.text, value, err);
	return *ret_path == NULL ? -CORDON_E_MEMORY : 0;
}

static int
set_list(struct cordon_setup *setup, const struct setup_option *option, const char *value,
	 struct cordon_error *err)
{
	const char *path, *reason;
	struct rule *rule;
	int rc = absolute(setup, option, value, &path, err);

	if (rc < 0)
		return rc;
	reason = value_path(path, true);
	if (reason != NULL)
		return setup_refuse(option, value, reason, err);
	rule = policy_add_rule(setup->options, (enum list)option->extra, path, setup_srcpos(option),
			       err);
	if (rule == NULL)
		return -CORDON_E_MEMORY;
	rule->match = value_is_glob(value) ? MATCH_GLOB : MATCH_SUBPATH;
	return 0;
}

/* Finds value among the names; index 0 stands for no value. */
static int
find_name(const struct setup_option *option, const char *value, const char *const *names,
	  struct cordon_error *err)
{
	auto_str struct str list = {0};

	for (int i = 1; names[i] != NULL; i++) {
		if (strcmp(names[i], value) == 0)
			return i;
		str_printf(&list, "%s%s", i == 1 ? "is none of " : ", ", names[i]);
	}
	return setup_refuse(option, value, list.failed ? "is not known" : list.text, err);
}

static int
set_tmp(struct cordon_setup *setup, const struct setup_option *option, const char *value,
	struct cordon_error *err)
{
	int rc = find_name(option, value, tmp_names, err);

	if (rc < 0)
		return rc;
	setup->options->tmp = (enum tmp)rc;
	setup->options->tmp_srcpos = setup_srcpos(option);
	return 0;
}

static int
set_ipc(struct cordon_setup *setup, const struct setup_option *option, const char *value,
	struct cordon_error *err)
{
	int rc = find_name(option, value, ipc_names, err);

	if (rc < 0)
		return rc;
	setup->options->ipc = (enum ipc)rc;
	setup->options->ipc_place = setup_srcpos(option);
	return 0;
}

static int
set_resolver(struct cordon_setup *setup, const struct setup_option *option, const char *value,
	     struct cordon_error *err)
{
	struct word *resolver = &setup->options->network.resolver;
	const char *reason = value_endpoint(value);

	if (reason != NULL)
		return setup_refuse(option, value, reason, err);
	resolver->srcpos = setup_srcpos(option);
	return store(setup, &resolver->text, value, err);
}

static int
set_socket(struct cordon_setup *setup, const struct setup_option *option, const char *value,
	   struct cordon_error *err)
{
	const char *path = value, *reason = value_socket(value);
	int rc = 0;

	if (reason != NULL && strchr(value, '/') != NULL) {
		rc = absolute(setup, option, value, &path, err);
		reason = rc < 0 ? NULL : value_socket(path);
	}
	if (rc < 0)
		return rc;
	if (reason != NULL)
		return setup_refuse(option, value, reason, err);
	return policy_add_word(setup->options, &setup->options->sockets, path, setup_srcpos(option),
			       err);
}

static int
set_env_value(struct cordon_setup *setup, const struct setup_option *option, const char *name,
	      const char *value, struct cordon_error *err)
{
	struct environment *env = &setup->options->env;
	struct env_set *set =
		arena_push(&setup->options->arena, &env->set, &env->set_count, sizeof *set, err);

	if (set == NULL)
		return -CORDON_E_MEMORY;
	set->name = name;
	set->srcpos = setup_srcpos(option);
	return store(setup, &set->value, value, err);
}

static int
set_env(struct cordon_setup *setup, const struct setup_option *option, const char *value,
	struct cordon_error *err)
{
	const char *equals = strchr(value, '=');
	size_t length = equals == NULL ? strlen(value) : (size_t)(equals - value);
	char *name = arena_strndup(&setup->arena, value, length, err);
	const char *reason;

	if (name == NULL)
		return -CORDON_E_MEMORY;
	reason = equals == NULL ? value_env_pattern(name) : value_env_name(name);
	if (reason != NULL)
		return setup_refuse(option, name, reason, err);
	if (equals != NULL)
		return set_env_value(setup, option, name, equals + 1, err);
	return policy_add_word(setup->options, &setup->options->env.allow, name,
			       setup_srcpos(option), err);
}

static int
set_limit(struct cordon_setup *setup, const struct setup_option *option, const char *value,
	  struct cordon_error *err)
{
	static const char *(*const readers[LIMIT_COUNT])(const char *, uint64_t *) = {
		[LIMIT_TIME] = value_duration,	  [LIMIT_OUTPUT] = value_size,
		[LIMIT_PROCESSES] = value_count,  [LIMIT_MEMORY] = value_size,
		[LIMIT_FILE_SIZE] = value_size,	  [LIMIT_CPU_TIME] = value_duration,
		[LIMIT_OPEN_FILES] = value_count,
	};
	struct limit_value *limit = &setup->options->limits[option->extra];
	const char *reason = readers[option->extra](value, &limit->value);

	limit->srcpos = setup_srcpos(option);
	return reason == NULL ? 0 : setup_refuse(option, value, reason, err);
}

static int
set_accept(struct cordon_setup *setup, const struct setup_option *option, const char *value,
	   struct cordon_error *err)
{
	if (merge_guarantee_by_name(value) < 0)
		return setup_refuse(option, value,
				    "is not the name of a guarantee; `cordon plan -v` lists them",
				    err);
	return policy_add_word(setup->options, &setup->options->accept, value, setup_srcpos(option),
			       err);
}

static int
set_no_project_policy(struct cordon_setup *setup, const struct setup_option *option,
		      const char *value, struct cordon_error *err)
{
	(void)option, (void)value, (void)err;
	setup->no_project_policy = true;
	return 0;
}

static int
set_trace(struct cordon_setup *setup, const struct setup_option *option, const char *value,
	  struct cordon_error *err)
{
	(void)option, (void)value, (void)err;
	setup->traces = true;
	return 0;
}

static int
set_system(struct cordon_setup *setup, const struct setup_option *option, const char *value,
	   struct cordon_error *err)
{
	for (int i = 0; i < 2; i++) {
		if (strcmp(system_names[i], value) == 0) {
			setup->system = (enum system)i;
			setup->system_given = true;
			return 0;
		}
	}
	return setup_refuse(option, value, "is neither linux nor macos", err);
}

static int
set_home(struct cordon_setup *setup, const struct setup_option *option, const char *value,
	 struct cordon_error *err)
{
	if (*value != '/')
		return setup_refuse(option, value, "is not an absolute path", err);
	return store(setup, &setup->home, value, err);
}

static int
set_facts(struct cordon_setup *setup, const struct setup_option *option, const char *value,
	  struct cordon_error *err)
{
	(void)option;
	return store(setup, &setup->facts_file, value, err);
}

static const struct setup_option options[CORDON_OPT_COUNT] = {
	[CORDON_OPT_COMMAND] = {"--for", set_command, 0},
	[CORDON_OPT_POLICY] = {"--policy", setup_text, false},
	[CORDON_OPT_POLICY_JSON] = {"--policy-json", setup_text, true},
	[CORDON_OPT_PROJECT] = {"--project", set_project, 0},
	[CORDON_OPT_READ] = {"--read", set_list, LIST_READ},
	[CORDON_OPT_WRITE] = {"--write", set_list, LIST_WRITE},
	[CORDON_OPT_EXECUTE] = {"--execute", set_list, LIST_EXECUTE},
	[CORDON_OPT_DENY] = {"--deny", set_list, LIST_DENY},
	[CORDON_OPT_PROTECT] = {"--protect", set_list, LIST_PROTECT},
	[CORDON_OPT_NET] = {"--net", setup_network_mode, 0},
	[CORDON_OPT_DOMAIN] = {"--domain", setup_network_domain, 0},
	[CORDON_OPT_PORT] = {"--port", setup_network_port, 0},
	[CORDON_OPT_OPAQUE_PORT] = {"--opaque-port", setup_network_opaque_port, 0},
	[CORDON_OPT_PRIVATE] = {"--private", setup_network_private, 0},
	[CORDON_OPT_RESOLVER] = {"--resolver", set_resolver, 0},
	[CORDON_OPT_SOCKET] = {"--socket", set_socket, 0},
	[CORDON_OPT_ENV] = {"--env", set_env, 0},
	[CORDON_OPT_TMP] = {"--tmp", set_tmp, 0},
	[CORDON_OPT_UDP] = {"--udp", setup_network_udp, 0},
	[CORDON_OPT_IPC] = {"--ipc", set_ipc, 0},
	[CORDON_OPT_TIME] = {"--time", set_limit, LIMIT_TIME},
	[CORDON_OPT_OUTPUT] = {"--output", set_limit, LIMIT_OUTPUT},
	[CORDON_OPT_PROCESSES] = {"--processes", set_limit, LIMIT_PROCESSES},
	[CORDON_OPT_MEMORY] = {"--memory", set_limit, LIMIT_MEMORY},
	[CORDON_OPT_FILE_SIZE] = {"--file-size", set_limit, LIMIT_FILE_SIZE},
	[CORDON_OPT_CPU_TIME] = {"--cpu-time", set_limit, LIMIT_CPU_TIME},
	[CORDON_OPT_OPEN_FILES] = {"--open-files", set_limit, LIMIT_OPEN_FILES},
	[CORDON_OPT_ACCEPT] = {"--accept", set_accept, 0},
	[CORDON_OPT_NO_PROJECT_POLICY] = {"--no-project-policy", set_no_project_policy, 0},
	[CORDON_OPT_SYSTEM] = {"--system", set_system, 0},
	[CORDON_OPT_HOME] = {"--home", set_home, 0},
	[CORDON_OPT_RECORD] = {"record", setup_record, true},
	[CORDON_OPT_FACTS] = {"--facts", set_facts, 0},
	[CORDON_OPT_TRACE] = {"--trace", set_trace, 0},
};

int
cordon_setup_set(struct cordon_setup *setup, enum cordon_option option, const char *value,
		 struct cordon_error *err)
{
	if (setup == NULL || (unsigned)option >= CORDON_OPT_COUNT || value == NULL)
		return cordon_fail(err, CORDON_E_USAGE, 0,
				   "there is no such option, or it has no value");
	if (option >= CORDON_OPT_READ && option <= CORDON_OPT_ACCEPT) {
		setup->options_used = true;
		if (option < CORDON_OPT_TIME || option > CORDON_OPT_OPEN_FILES)
			setup->restricts = true;
	}
	return options[option].set(setup, &options[option], value, err);
}

int
setup_set_named(struct cordon_setup *setup, const char *name, const char *value,
		struct cordon_error *err)
{
	auto_str struct str text = {0};

	if (strcmp(name, "-p ") == 0)
		return cordon_setup_set(setup, CORDON_OPT_POLICY, value, err);
	if (strcmp(name, "--net localhost:") == 0) {
		str_printf(&text, "localhost:%s", value);
		return text.failed ? cordon_no_memory(err)
				   : cordon_setup_set(setup, CORDON_OPT_NET, text.text, err);
	}
	for (int i = 0; i < CORDON_OPT_COUNT; i++)
		if (strncmp(name, options[i].name, strlen(options[i].name)) == 0 &&
		    name[strlen(options[i].name)] == ' ')
			return cordon_setup_set(setup, (enum cordon_option)i, value, err);
	return cordon_fail(err, CORDON_E_USAGE, 0, "there is no option %s", name);
}

int
cordon_setup_tracks(const struct cordon_setup *setup)
{
	return setup != NULL && setup->tracks;
}
