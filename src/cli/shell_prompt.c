// SPDX-License-Identifier: MIT
/*
 * Refusals before the next prompt of cordon shell. The launcher never writes to the terminal of a running program:
 * it appends to a file, which the shell reads when it is about to show a prompt. The file is outside what
 * the shell may change.
 */
#include "cli/shell_prompt.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/fd.h"
#include "base/path.h"
#include "base/str.h"

#define LINES "refusals"
#define ZSH_FILE ".zshenv"

/*
 * Prints the lines that are new, three at most. %s is the file. No process is started, and it works with
 * `set -u`. A shell inside this one takes over the count, so it repeats nothing.
 */
static const char sh_code[] =
	"if [ -r '%s' ]; then _cordon_all=0; _cordon_new=0; while IFS= read -r _cordon_line; do "
	"_cordon_all=$((_cordon_all+1)); if [ $_cordon_all -gt ${_CORDON_SHOWN:-0} ]; then "
	"_cordon_new=$((_cordon_new+1)); if [ $_cordon_new -le 3 ]; then printf '%%s\\n' "
	"\"$_cordon_line\" >&2; fi; fi; done <'%s'; if [ $_cordon_new -gt 3 ]; then printf "
	"'cordon: and %%d more refused\\n' $((_cordon_new-3)) >&2; fi; "
	"export _CORDON_SHOWN=$_cordon_all; fi";

static const char fish_code[] =
	"function _cordon_prompt --on-event fish_prompt; test -r '%s'; or return; "
	"set -q _CORDON_SHOWN; or set -gx _CORDON_SHOWN 0; set -l all 0; set -l new 0; "
	"while read -l line; set all (math $all + 1); if test $all -gt $_CORDON_SHOWN; "
	"set new (math $new + 1); test $new -le 3; and printf '%%s\\n' $line >&2; end; end <'%s'; "
	"test $new -le 3; or printf 'cordon: and %%d more refused\\n' (math $new - 3) >&2; "
	"set -gx _CORDON_SHOWN $all; end";

/* Makes the folder where only the user can look, on a file system that does not outlive the login if there is one. */
static int
make_folder(struct shell_prompt *prompt)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");

	if (runtime == NULL || *runtime != '/' || access(runtime, W_OK) < 0 ||
	    strchr(runtime, '\'') != NULL)
		runtime = "/tmp";
	if (snprintf(prompt->folder, sizeof prompt->folder, "%s/cordon-shell.XXXXXX", runtime) >=
		    (int)sizeof prompt->folder ||
	    mkdtemp(prompt->folder) == NULL)
		*prompt->folder = '\0';
	return *prompt->folder == '\0' ? -1 : 0;
}

static int
open_file(const struct shell_prompt *prompt, const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof path, "%s/%s", prompt->folder, name);
	return open(path, O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
}

static void
print_code(struct str *to, const char *code, const struct shell_prompt *prompt)
{
	char path[PATH_MAX];

	snprintf(path, sizeof path, "%s/%s", prompt->folder, LINES);
	/* NOLINTNEXTLINE: one of the two texts above */
	str_printf(to, code == sh_code ? sh_code : fish_code, path, path);
}

static int
set_env(struct cli *cli, const struct str *text, struct cordon_error *err)
{
	if (text->failed)
		return cordon_no_memory(err);
	return cordon_setup_set(cli->setup, CORDON_OPT_ENV, text->text, err);
}

static int
set_bash(struct cli *cli, struct shell_prompt *prompt, char **words, struct cordon_error *err)
{
	auto_str struct str text = {0};

	(void)words;
	if (cli->has_prompt)
		return 0;
	str_add(&text, "PROMPT_COMMAND=");
	print_code(&text, sh_code, prompt);
	return set_env(cli, &text, err);
}

/* zsh takes no code from the environment: its first start-up file puts the user's folder back and reads that one. */
static int
set_zsh(struct cli *cli, struct shell_prompt *prompt, char **words, struct cordon_error *err)
{
	auto_str struct str text = {0}, env = {0};
	auto_fd int fd = open_file(prompt, ZSH_FILE);

	(void)words;
	str_add(&text, "unset ZDOTDIR\n[[ -r ~/.zshenv ]] && . ~/.zshenv\n_cordon_prompt() { ");
	print_code(&text, sh_code, prompt);
	str_add(&text, "; }\ntypeset -ga precmd_functions\nprecmd_functions+=(_cordon_prompt)\n");
	str_printf(&env, "ZDOTDIR=%s", prompt->folder);
	if (fd < 0 || getenv("ZDOTDIR") != NULL || text.failed ||
	    fd_write_line(fd, text.text, text.length) < 0)
		return 0;
	return set_env(cli, &env, err);
}

static int
set_fish(struct cli *cli, struct shell_prompt *prompt, char **words, struct cordon_error *err)
{
	auto_str struct str text = {0};

	(void)cli;
	print_code(&text, fish_code, prompt);
	prompt->code = text.failed ? NULL : strdup(text.text);
	if (prompt->code == NULL)
		return cordon_no_memory(err);
	words[0] = (char *)"-C";
	words[1] = prompt->code;
	return SHELL_PROMPT_WORDS;
}

static const struct {
	const char *name;
	int (*set)(struct cli *cli, struct shell_prompt *prompt, char **words,
		   struct cordon_error *err);
} shells[] = {{"bash", set_bash}, {"zsh", set_zsh}, {"fish", set_fish}};

int
shell_prompt_begin(struct cli *cli, const char *shell, struct shell_prompt *ret_prompt,
		   char *words[SHELL_PROMPT_WORDS], struct cordon_error *err)
{
	size_t i = 0;

	*ret_prompt = (struct shell_prompt){.fd = -1};
	while (i < COUNT(shells) && strcmp(path_last(shell), shells[i].name) != 0)
		i++;
	if (i == COUNT(shells) || make_folder(ret_prompt) < 0)
		return 0;
	ret_prompt->fd = open_file(ret_prompt, LINES);
	if (ret_prompt->fd < 0)
		return 0;
	if (cordon_setup_set(cli->setup, CORDON_OPT_READ, ret_prompt->folder, err) < 0)
		return -err->code;
	return shells[i].set(cli, ret_prompt, words, err);
}

void
shell_prompt_add(void *prompt, const char *line)
{
	const struct shell_prompt *to = prompt;
	auto_str struct str text = {0};

	str_printf(&text, "cordon: refused: %s\n", line);
	/* the log has it in any case */
	if (!text.failed && to->fd >= 0)
		(void)!write(to->fd, text.text, text.length);
}

void
shell_prompt_end(struct shell_prompt *prompt)
{
	static const char *const names[] = {LINES, ZSH_FILE};
	char path[PATH_MAX];

	free(prompt->code);
	if (prompt->fd >= 0)
		close(prompt->fd);
	for (size_t i = 0; i < COUNT(names) && *prompt->folder != '\0'; i++) {
		snprintf(path, sizeof path, "%s/%s", prompt->folder, names[i]);
		unlink(path);
	}
	if (*prompt->folder != '\0')
		rmdir(prompt->folder);
	*prompt = (struct shell_prompt){.fd = -1};
}
