// SPDX-License-Identifier: MIT
/* What `cordon setup` changes for each program. */
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/path.h"
#include "cli/setup.h"

#define PROGRAM_MAX ((size_t)64 << 20)

static char *
at_home(struct setup *setup, const char *rest)
{
	return path_join(&setup->arena, setup->home, rest, setup->err);
}

static char *
in_project(struct setup *setup, const char *rest)
{
	return path_join(&setup->arena, setup->project, rest, setup->err);
}

static bool
is_there(const char *path)
{
	return path != NULL && access(path, F_OK) == 0;
}

/* ---- agents ---- */

/* A hook of an agent, as an element of a list. If cordon itself is gone or crashes, the command is refused, too. */
static void
print_hook(const struct setup *setup, const char *agent, const char *matcher, bool before,
	   struct str *to)
{
	auto_str struct str command = {0};

	str_shell(&command, setup->self);
	str_printf(&command, " hook %s", agent);
	for (size_t i = 0; setup->options[i] != NULL; i++) {
		str_add(&command, " ");
		str_shell(&command, setup->options[i]);
	}
	str_add(&command, before ? " || exit 2" : "");
	str_add(to, "{\"matcher\": ");
	str_json(to, matcher);
	str_add(to, ", \"hooks\": [{\"type\": \"command\", \"command\": ");
	str_json(to, command.failed ? "exit 2" : command.text);
	str_add(to, "}]}");
	to->failed = to->failed || command.failed;
}

struct agent {
	const char *name, *matcher, *ours;
	const char *before, *after; /* events; after may be NULL */
};

static int
put_hook(struct setup *setup, struct setup_file *file, const struct agent *agent, const char *event)
{
	auto_str struct str value = {0};
	struct setup_item item = {.keys = {"hooks", event}, .ours = agent->ours};

	print_hook(setup, agent->name, agent->matcher, event == agent->before, &value);
	if (value.failed)
		return cordon_no_memory(setup->err);
	item.value = value.text;
	return setup_put_item(setup, file, &item);
}

static int
put_hooks(struct setup *setup, const char *path, const struct agent *agent)
{
	struct setup_file *file = path == NULL ? NULL : setup_file(setup, path, false);
	int rc = file == NULL ? -CORDON_E_PATH : 0;

	if (rc == 0 && agent->after != NULL)
		rc = put_hook(setup, file, agent, agent->after);
	return rc < 0 ? rc : put_hook(setup, file, agent, agent->before);
}

static int
collect_claude(struct setup *setup)
{
	static const struct agent agent = {"claude", "Bash", " hook claude", "PreToolUse",
					   "PostToolUseFailure"};
	const char *servers = in_project(setup, ".mcp.json");
	struct setup_file *file;
	int rc = put_hooks(setup, at_home(setup, ".claude/settings.json"), &agent);

	if (rc < 0 || !is_there(servers))
		return rc;
	file = setup_file(setup, servers, true);
	return file == NULL ? -CORDON_E_PATH : setup_servers(setup, file);
}

static int
collect_codex(struct setup *setup)
{
	static const struct agent agent = {"codex", "Bash", " hook codex", "PreToolUse", NULL};

	if (!setup->remove)
		setup_note(setup,
			   "codex runs a hook only after you trusted it: start codex, type /hooks");
	return put_hooks(setup, at_home(setup, ".codex/hooks.json"), &agent);
}

static int
collect_gemini(struct setup *setup)
{
	static const struct agent agent = {"gemini", "run_shell_command", " hook gemini",
					   "BeforeTool", "AfterTool"};
	const char *path = at_home(setup, ".gemini/settings.json");
	int rc = put_hooks(setup, path, &agent);
	struct setup_file *file = rc < 0 ? NULL : setup_file(setup, path, false);

	return rc < 0 ? rc : file == NULL ? -CORDON_E_PATH : setup_servers(setup, file);
}

/* ---- terminals of editors ---- */

/* "program": PATH, "args": ["shell", OPTION...] */
static void
print_shell(const struct setup *setup, const char *key, struct str *to)
{
	str_printf(to, "{\"%s\": ", key);
	str_json(to, setup->self);
	str_add(to, ", \"args\": [\"shell\"");
	for (size_t i = 0; setup->options[i] != NULL; i++) {
		str_add(to, ", ");
		str_json(to, setup->options[i]);
	}
	str_add(to, "]}");
}

static int
put_terminal(struct setup *setup, const char *path, struct setup_item item, const char *key,
	     const char *around)
{
	struct setup_file *file = path == NULL ? NULL : setup_file(setup, path, false);
	auto_str struct str value = {0};

	if (file == NULL)
		return -CORDON_E_PATH;
	str_add(&value, around == NULL ? "" : around);
	print_shell(setup, key, &value);
	str_add(&value, around == NULL ? "" : "}");
	if (value.failed)
		return cordon_no_memory(setup->err);
	item.value = value.text;
	return setup_put_item(setup, file, &item);
}

static int
collect_zed(struct setup *setup)
{
	const struct setup_item item = {.keys = {"terminal"}, .name = "shell", .ours = "cordon"};

	return put_terminal(setup, at_home(setup, ".config/zed/settings.json"), item, "program",
			    "{\"with_arguments\": ");
}

static int
collect_vscode(struct setup *setup)
{
	const char *mac = at_home(setup, "Library/Application Support/Code/User");
	bool is_mac = is_there(mac);
	const struct setup_item item = {.keys = {is_mac ? "terminal.integrated.profiles.osx"
							: "terminal.integrated.profiles.linux"},
					.name = "cordon",
					.ours = ""};
	const char *path = is_mac ? path_join(&setup->arena, mac, "settings.json", setup->err)
				  : at_home(setup, ".config/Code/User/settings.json");

	if (!setup->remove)
		setup_note(setup, "choose it with \"Terminal: Select Default Profile\"");
	return put_terminal(setup, path, item, "path", NULL);
}

/* ---- files with a copy of the program ---- */

static int
create_copy(struct setup *setup, const char *path)
{
	char *program = NULL;
	size_t length = 0;
	int rc = fd_read_file(&setup->arena, setup->self, PROGRAM_MAX, &program, &length, NULL,
			      setup->err);

	if (rc < 0 || path == NULL || (setup->remove && !is_there(path)))
		return rc;
	return setup_create(setup, path, program, length, 0755, true);
}

static int
create_text(struct setup *setup, const char *path, const char *text, mode_t mode)
{
	if (path == NULL)
		return -CORDON_E_MEMORY;
	if (setup->remove && !is_there(path))
		return 0;
	return setup_create(setup, path, text, strlen(text), mode, false);
}

static const char feature[] =
	"{\n"
	"  \"id\": \"cordon\",\n"
	"  \"version\": \"" CORDON_VERSION "\",\n"
	"  \"name\": \"cordon\",\n"
	"  \"description\": \"Runs commands in a sandbox that reaches only what is allowed\"\n"
	"}\n";

static const char feature_install[] =
	"#!/bin/sh\n"
	"# Runs as root while the image is built.\n"
	"set -eu\n"
	"cd \"$(dirname \"$0\")\"\n"
	"install -m 755 cordon \"${CORDON_FOLDER:-/usr/local/bin}/cordon\"\n"
	"ln -sf cordon \"${CORDON_FOLDER:-/usr/local/bin}/cordon-shell\"\n"
	"\"${CORDON_FOLDER:-/usr/local/bin}/cordon\" --version\n";

static int
collect_devcontainer(struct setup *setup)
{
	const struct setup_item item = {.keys = {"features"},
					.name = "./cordon",
					.ours = "",
					.value = "{}"};
	const char *settings = in_project(setup, ".devcontainer/devcontainer.json");
	struct setup_file *file = settings == NULL ? NULL : setup_file(setup, settings, true);
	int rc = file == NULL ? -CORDON_E_PATH : setup_put_item(setup, file, &item);

	if (rc == 0)
		rc = create_text(
			setup, in_project(setup, ".devcontainer/cordon/devcontainer-feature.json"),
			feature, 0644);
	if (rc == 0)
		rc = create_text(setup, in_project(setup, ".devcontainer/cordon/install.sh"),
				 feature_install, 0755);
	return rc < 0 ? rc : create_copy(setup, in_project(setup, ".devcontainer/cordon/cordon"));
}

/* Inputs go through the environment: text in `run` itself would be a way to run other commands outside. */
static const char action[] =
	"name: cordon\n"
	"description: Run a step's commands in a sandbox that reaches only what is allowed\n"
	"inputs:\n"
	"  run:\n"
	"    description: commands for bash -e\n"
	"    required: true\n"
	"  options:\n"
	"    description: options of cordon run, one a line\n"
	"    default: ''\n"
	"runs:\n"
	"  using: composite\n"
	"  steps:\n"
	"    - shell: bash\n"
	"      env:\n"
	"        CORDON_RUN: ${{ inputs.run }}\n"
	"        CORDON_OPTIONS: ${{ inputs.options }}\n"
	"      run: '\"$GITHUB_ACTION_PATH/run.sh\"'\n";

static const char action_run[] =
	"#!/bin/bash\n"
	"# Runs $CORDON_RUN; $CORDON_OPTIONS has one option or value a line.\n"
	"set -eu\n"
	"options=()\n"
	"while IFS= read -r line; do\n"
	"\t[ -z \"$line\" ] || options+=(\"$line\")\n"
	"done <<<\"$CORDON_OPTIONS\"\n"
	"commands=$CORDON_RUN\n"
	"unset CORDON_RUN CORDON_OPTIONS\n"
	"exec \"${0%/*}/cordon\" run \"${options[@]}\" -- bash -e -o pipefail -c \"$commands\"\n";

static int
collect_github(struct setup *setup)
{
	int rc = create_text(setup, in_project(setup, ".github/actions/cordon/action.yml"), action,
			     0644);

	if (rc == 0)
		rc = create_text(setup, in_project(setup, ".github/actions/cordon/run.sh"),
				 action_run, 0755);
	if (rc == 0 && !setup->remove)
		setup_note(setup, "in a workflow: - uses: ./.github/actions/cordon\n"
				  "                 with: {run: make check, options: -p=c}");
	return rc < 0 ? rc : create_copy(setup, in_project(setup, ".github/actions/cordon/cordon"));
}

const struct setup_target setup_targets[] = {
	{"claude", collect_claude}, {"codex", collect_codex},
	{"gemini", collect_gemini}, {"zed", collect_zed},
	{"vscode", collect_vscode}, {"devcontainer", collect_devcontainer},
	{"github", collect_github}, {NULL, NULL}};
