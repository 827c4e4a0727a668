/* SPDX-License-Identifier: MIT */
/* Refusals of an interactive shell, shown by the shell itself before its next prompt. */
#pragma once

#include <limits.h>

#include "cli/cli.h"

#define SHELL_PROMPT_WORDS 2 /* arguments that the shell gets for it */

struct shell_prompt {
	char folder[PATH_MAX / 2]; /* "": none */
	char *code;		   /* an argument of fish */
	int fd;			   /* of the file with the lines */
};

/*
 * Makes a file for the lines, which the shell may read and not change, and sets up bash, zsh or fish to print new
 * ones. For another shell, and where no folder can be made, it does nothing. Returns how many words it put
 * into words, or a negative CORDON_E_*.
 */
int shell_prompt_begin(struct cli *cli, const char *shell, struct shell_prompt *ret_prompt,
		       char *words[SHELL_PROMPT_WORDS], struct cordon_error *err);
/* For struct cordon_command: appends a line; prompt is a struct shell_prompt. */
void shell_prompt_add(void *prompt, const char *line);
/* Removes the file. A second call does nothing. */
void shell_prompt_end(struct shell_prompt *prompt);
