// SPDX-License-Identifier: MIT
/* cordon shell, also by the name cordon-shell: a terminal, or what programs ask of $SHELL. */
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/path.h"
#include "base/str.h"
#include "cli/cli.h"
#include "cli/shell_prompt.h"

/* Is it a shell, and neither this program, which would start itself for ever, nor one that only refuses? */
static bool
is_shell(const char *path)
{
	return path != NULL && *path == '/' && strcmp(path_last(path), CLI_SHELL_NAME) != 0 &&
	       strcmp(path_last(path), "nologin") != 0 && strcmp(path_last(path), "false") != 0;
}

static const char *
find_shell(void)
{
	const struct passwd *entry = getpwuid(geteuid());
	const char *shell = getenv("SHELL");

	if (is_shell(shell))
		return shell;
	return entry != NULL && is_shell(entry->pw_shell) ? entry->pw_shell : "/bin/sh";
}

static int
set_text(struct cli *cli, enum cordon_option option, const char *key, const char *value,
	 struct cordon_error *err)
{
	auto_str struct str text = {0};

	str_printf(&text, "%s%s", key, value);
	return text.failed ? cordon_no_memory(err)
			   : cordon_setup_set(cli->setup, option, text.text, err);
}

/*
 * The shell's own history is neither readable nor writable inside: what was typed there, and what the command
 * wrote, stay apart.
 */
static int
keep_history(struct cli *cli, const char *shell, struct cordon_error *err)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	auto_str struct str folder = {0}, file = {0};

	if (home == NULL || *home != '/')
		return 0;
	if (state != NULL && *state == '/')
		str_printf(&folder, "%s/cordon-shell/", state);
	else
		str_printf(&folder, "%s/.local/state/cordon-shell/", home);
	str_printf(&file, "%shistory.%s", folder.failed ? "" : folder.text, path_last(shell));
	if (folder.failed || file.failed)
		return cordon_no_memory(err);
	if (set_text(cli, CORDON_OPT_WRITE, "", folder.text, err) < 0)
		return -err->code;
	return set_text(cli, CORDON_OPT_ENV, "HISTFILE=", file.text, err);
}

/* An editor's record stays as it is. */
static int
set_up(struct cli *cli, const char *shell, struct cordon_error *err)
{
	int rc = set_text(cli, CORDON_OPT_ENV, "SHELL=", shell, err);

	return rc < 0 || cli->shell_command != NULL || cli->has_history
		       ? rc
		       : keep_history(cli, shell, err);
}

/* Is it a terminal on which a user reads prompts? */
static bool
shows_prompts(const struct cli *cli)
{
	return cli->shell_command == NULL && !cli->quiet && cli->hints == HINTS_TEXT &&
	       !cli_is_wrapper(cli) && isatty(STDIN_FILENO) && isatty(STDERR_FILENO);
}

static int
run_shell(struct cli *cli, char **words)
{
	struct shell_prompt prompt = {.fd = -1};
	struct cordon_error err = {0};
	size_t count = 0;
	int status = 0;

	while (words[count] != NULL)
		count++;
	if (shows_prompts(cli)) {
		status = shell_prompt_begin(cli, words[0], &prompt, &words[count], &err);
		cli->prompt = prompt.fd < 0 ? NULL : &prompt;
	}
	status = status < 0 ? cli_fail(cli, &err)
			    : cli_run_words(cli, words, cli->login || cli->shell_command == NULL);
	/* if nothing was started */
	shell_prompt_end(&prompt);
	cli->prompt = NULL;
	return status;
}

int
cli_shell(struct cli *cli)
{
	auto_free char **words =
		calloc((size_t)cli->operand_count + 5 + SHELL_PROMPT_WORDS, sizeof *words);
	const char *shell = find_shell();
	struct cordon_error err = {0};
	size_t count = 0;

	if (words == NULL || (cli->shell_command == NULL && cli->operand_count > 0))
		return cli_usage(cli, words == NULL ? "out of memory"
						    : "words need -c and a command before them");
	words[count++] = (char *)shell;
	if (cli->interactive)
		words[count++] = (char *)"-i";
	if (cli->shell_command != NULL) {
		words[count++] = (char *)"-c";
		words[count++] = (char *)cli->shell_command;
	}
	for (int i = 0; i < cli->operand_count; i++)
		words[count++] = cli->operands[i];
	if (cordon_setup_set(cli->setup, CORDON_OPT_COMMAND, "shell", &err) < 0 ||
	    (!cli_is_wrapper(cli) && set_up(cli, shell, &err) < 0))
		return cli_fail(cli, &err);
	return run_shell(cli, words);
}
