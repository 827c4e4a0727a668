// SPDX-License-Identifier: MIT
/*
 * Decides which environment variables pass, by name: first the values that the policy sets, then its
 * names, then its mode. A variable that names a socket passes only if the socket is granted.
 */
#include "plan/environ.h"

#include <string.h>

#include "base/array.h"
#include "base/str.h"
#include "policy/read/dialect_defaults.h"

/* Besides the common six and LC_*: for terminals and clocks. */
static const char *const scrub_more[] = {
	"LOGNAME", "TZ",      "COLORTERM", "TERM_PROGRAM", "TERM_PROGRAM_VERSION",
	"PWD",	   "COLUMNS", "LINES",	   "NO_COLOR",	   NULL};

/* Sorted. Variables that only affect compiling and linking are not included. */
static const char *const loaders[] = {
	"ANT_OPTS",
	"BASHOPTS",
	"BASH_ENV",
	"BASH_FUNC_*",
	"BUNDLE_GEMFILE",
	"BUNDLE_PATH",
	"CAML_LD_LIBRARY_PATH",
	"CARGO_BUILD_*",
	"CCC_OVERRIDE_OPTIONS",
	"CLASSPATH",
	"COMPILER_PATH",
	"COMSPEC",
	"CORECLR_*",
	"COR_PROFILER*",
	"DOTNET_STARTUP_HOOKS",
	"DYLD_*",
	"ELECTRON_RUN_AS_NODE",
	"ELIXIR_ERL_OPTIONS",
	"EMACSLOADPATH",
	"ENV",
	"ERL_AFLAGS",
	"ERL_FLAGS",
	"ERL_ZFLAGS",
	"EXINIT",
	"GCC_EXEC_PREFIX",
	"GCONV_PATH",
	"GEM_HOME",
	"GEM_PATH",
	"GIO_EXTRA_MODULES",
	"GIT_ASKPASS",
	"GIT_CONFIG*",
	"GIT_DIR",
	"GIT_EDITOR",
	"GIT_EXEC_PATH",
	"GIT_EXTERNAL_DIFF",
	"GIT_PAGER",
	"GIT_PROXY_COMMAND",
	"GIT_SEQUENCE_EDITOR",
	"GIT_SSH",
	"GIT_SSH_COMMAND",
	"GIT_TEMPLATE_DIR",
	"GIT_WORK_TREE",
	"GLIBC_TUNABLES",
	"GNUMAKEFLAGS",
	"GOFLAGS",
	"GRADLE_OPTS",
	"GTK_MODULES",
	"GUILE_LOAD_COMPILED_PATH",
	"GUILE_LOAD_PATH",
	"GVIMINIT",
	"HOSTALIASES",
	"IFS",
	"JAVA_OPTS",
	"JAVA_TOOL_OPTIONS",
	"JDK_JAVA_OPTIONS",
	"JULIA_DEPOT_PATH",
	"JULIA_LOAD_PATH",
	"LD_*",
	"LESSCLOSE",
	"LESSOPEN",
	"LOCALDOMAIN",
	"LOCPATH",
	"LUA_CPATH*",
	"LUA_INIT*",
	"LUA_PATH*",
	"MAKEFILES",
	"MAKEFLAGS",
	"MALLOC_*",
	"MANPAGER",
	"MAVEN_ARGS",
	"MAVEN_OPTS",
	"NLSPATH",
	"NODE_OPTIONS",
	"NODE_PATH",
	"NPM_CONFIG_*",
	"OPENSSL_CONF",
	"OPENSSL_ENGINES",
	"OPENSSL_MODULES",
	"PAGER",
	"PERL5DB",
	"PERL5LIB",
	"PERL5OPT",
	"PERLLIB",
	"PHPRC",
	"PHP_INI_SCAN_DIR",
	"PROMPT_COMMAND",
	"PS4",
	"PYTHONBREAKPOINT",
	"PYTHONHOME",
	"PYTHONINSPECT",
	"PYTHONPATH",
	"PYTHONPYCACHEPREFIX",
	"PYTHONSTARTUP",
	"PYTHONUSERBASE",
	"PYTHONWARNINGS",
	"QT_PLUGIN_PATH",
	"RESOLV_HOST_CONF",
	"RES_OPTIONS",
	"RUBYLIB",
	"RUBYOPT",
	"RUSTC_WRAPPER",
	"RUSTFLAGS",
	"R_ENVIRON*",
	"R_LIBS*",
	"R_PROFILE*",
	"SBT_OPTS",
	"SHELLOPTS",
	"SSH_ASKPASS",
	"SUDO_ASKPASS",
	"TCLLIBPATH",
	"VIMINIT",
	"ZDOTDIR",
	"_JAVA_OPTIONS",
	"_RLD_*",
	"npm_config_*",
	NULL,
};

/* A variable that names a socket is useless without it. */
static const struct {
	const char *name, *socket;
} keys[] = {
	{"SSH_AUTH_SOCK", "ssh-agent"}, {"GPG_TTY", "gpg-agent"},
	{"WAYLAND_DISPLAY", "wayland"}, {"DISPLAY", "x11"},
	{"XAUTHORITY", "x11"},		{"DOCKER_HOST", "docker"},
	{"XDG_RUNTIME_DIR", NULL},
};

static bool
listed(const char *const *names, const char *name)
{
	/* no entry starts with a star, so comparing the first byte decides most of them */
	for (; *names != NULL; names++)
		if (**names == *name && merge_env_name_matches(*names, name))
			return true;
	return false;
}

bool
environ_is_loader(const char *name)
{
	return listed(loaders, name);
}

static bool
socket_granted(const struct settings *settings, const char *name, const char *preset)
{
	char token[40];

	strcpy(token, "$");
	strncat(token, name, sizeof token - 2);
	for (size_t i = 0; i < settings->sockets.count; i++) {
		const char *socket = settings->sockets.items[i].text;

		/* the runtime directory is useful with any socket in it */
		if (preset == NULL
			    ? (str_starts(socket, token) || str_starts(socket, "/run/user/") ||
			       strcmp(socket, "gpg-agent") == 0 || strcmp(socket, "wayland") == 0 ||
			       strcmp(socket, "podman") == 0)
			    : (strcmp(socket, preset) == 0 || str_starts(socket, token)))
			return true;
	}
	return false;
}

/* Returns NULL, or why the variable is removed. */
static const char *
missing_socket(const struct settings *settings, const char *name)
{
	for (size_t i = 0; i < COUNT(keys); i++)
		if (strcmp(keys[i].name, name) == 0 &&
		    !socket_granted(settings, name, keys[i].socket))
			return "it leads to a socket that is not granted";
	return NULL;
}

static const char *
passed_by_mode(enum env_mode mode, const char *name)
{
	if (mode == ENV_INHERIT)
		return "the mode is inherit";
	if (mode == ENV_EXPLICIT)
		return NULL;
	if (listed(baseline_env_scrub, name) || listed(scrub_more, name))
		return "every program needs it";
	if (mode == ENV_DEVELOPER && listed(baseline_env, name))
		return "it is in the developer's list";
	return NULL;
}

static const struct word *
named(const struct settings *settings, const char *name)
{
	for (size_t i = 0; i < settings->env.allow.count; i++) {
		const struct word *word = &settings->env.allow.items[i];

		if (!merge_env_name_matches(word->text, name))
			continue;
		if (strcmp(word->text, name) == 0 || !environ_is_loader(name))
			return word;
	}
	return NULL;
}

/* Decides a variable that the policy does not mention. */
static struct env_answer
decide_by_mode(const struct settings *settings, const char *name)
{
	const char *passes = passed_by_mode(settings->env.mode, name);
	const char *stays = NULL;

	if (environ_is_loader(name))
		stays = "it can make programs run foreign code; name it to let it pass";
	else if (passes == NULL)
		stays = "nothing names it";
	else if (settings->env.mode != ENV_INHERIT)
		stays = missing_socket(settings, name);
	return (struct env_answer){stays == NULL, NULL, stays == NULL ? passes : stays, NULL};
}

/* Programs that ignore TMPDIR: tmux, screen, and Java, which prints a line about its option. */
const struct tmp_variable tmp_variables[] = {
	{"TMPDIR", "", "", false},    {"TMP", "", "", false},
	{"TEMP", "", "", false},      {"TMUX_TMPDIR", "", "", false},
	{"SCREENDIR", "", "", false}, {"JAVA_TOOL_OPTIONS", "-Djava.io.tmpdir=\"", "\"", true},
	{NULL, NULL, NULL, false},
};

bool
environ_is_tmp(const struct settings *settings, const char *name)
{
	const struct tmp_variable *one = tmp_variables;

	while (one->name != NULL && strcmp(one->name, name) != 0)
		one++;
	return settings->tmp == TMP_PRIVATE && one->name != NULL && !one->yields;
}

bool
environ_is_session(const char *name)
{
	static const char *const names[] = {ENV_INSIDE, ENV_SESSION, ENV_NETWORK, NULL};

	return listed(names, name);
}

bool
environ_names(const struct settings *settings, const char *name)
{
	return named(settings, name) != NULL;
}

struct env_answer
environ_decide(const struct settings *settings, const char *name)
{
	static const char *const proxied[] = {"HTTP_PROXY",  "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY",
					      "http_proxy",  "https_proxy", "all_proxy", "no_proxy",
					      "RES_OPTIONS", NULL};
	const struct environment *env = &settings->env;
	const struct word *word = named(settings, name);

	for (size_t i = 0; i < env->set_count; i++)
		if (strcmp(env->set[i].name, name) == 0)
			return (struct env_answer){true, env->set[i].value, "the policy sets it",
						   &env->set[i].srcpos};
	if (environ_is_tmp(settings, name))
		return (struct env_answer){true, "the session's private folder",
					   "cordon sets it to the private tmp", NULL};
	if (environ_is_session(name))
		return (struct env_answer){true, "what describes the session",
					   "cordon sets it, so that programs can tell", NULL};
	if (settings->network.mode == NET_DOMAINS && listed(proxied, name))
		return (struct env_answer){true, "what the session's proxy needs",
					   "cordon sets it, so that programs find the proxy", NULL};
	if (word != NULL)
		return (struct env_answer){true, NULL, "the policy names it", &word->srcpos};
	return decide_by_mode(settings, name);
}

struct env_answer
environ_decide_pair(const struct settings *settings, const char *pair, char name[ENV_NAME_SIZE])
{
	size_t length = strcspn(pair, "=");

	if (length >= ENV_NAME_SIZE)
		length = ENV_NAME_SIZE - 1;
	memcpy(name, pair, length);
	name[length] = '\0';
	return environ_decide(settings, name);
}
