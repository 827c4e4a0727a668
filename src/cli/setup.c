// SPDX-License-Identifier: MIT
/* cordon setup: shows what it would change in the settings of a program, asks, and writes it. */
#include "cli/setup.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/path.h"
#include "cli/cli.h"

#define FILE_MAX ((size_t)64 << 20)

/* ---- files ---- */

/* A link to a file elsewhere, as managers of settings make, stays. */
static const char *
resolved(struct setup *setup, const char *path)
{
	char real[PATH_MAX];

	return arena_strdup(&setup->arena, realpath(path, real) == NULL ? path : real, setup->err);
}

struct setup_file *
setup_file(struct setup *setup, const char *path, bool must_exist)
{
	const char *real = resolved(setup, path);
	struct cordon_error err = {0};
	struct stat found = {.st_mode = 0644};
	struct setup_file *file;
	char *text = NULL;
	size_t length;
	int rc;

	for (size_t i = 0; real != NULL && i < setup->file_count; i++)
		if (strcmp(setup->files[i].path, real) == 0)
			return &setup->files[i];
	rc = real == NULL
		     ? -1
		     : fd_read_file(&setup->arena, real, FILE_MAX, &text, &length, &found, &err);
	if (rc < 0 && (err.sys != ENOENT || must_exist)) {
		if (real != NULL)
			*setup->err = err;
		return NULL;
	}
	file = arena_push(&setup->arena, &setup->files, &setup->file_count, sizeof *file,
			  setup->err);
	if (file != NULL)
		*file = (struct setup_file){.path = real,
					    .before = text,
					    .after = text,
					    .after_length = text == NULL ? 0 : length,
					    .mode = found.st_mode & 0777};
	return file;
}

int
setup_read(struct setup *setup, struct setup_file *file, const struct json **ret_root)
{
	int rc;

	if (file->after == NULL || file->after[strspn(file->after, " \t\r\n")] == '\0') {
		file->after = "{}\n";
		file->after_length = strlen(file->after);
	}
	rc = json_read(&setup->arena, file->path, file->after, file->after_length, ret_root,
		       setup->err);
	if (rc == 0 && (*ret_root)->type != JSON_OBJECT)
		return cordon_fail(setup->err, CORDON_E_SYNTAX, 0, "%s is not an object",
				   file->path);
	return rc;
}

int
setup_change(struct setup *setup, struct setup_file *file, struct str *to)
{
	file->after = to->failed ? NULL : arena_strdup(&setup->arena, to->text, setup->err);
	file->after_length = to->length;
	str_free(to);
	*to = (struct str){0};
	return file->after == NULL ? cordon_no_memory(setup->err) : 0;
}

int
setup_create(struct setup *setup, const char *path, const char *text, size_t length, mode_t mode,
	     bool is_binary)
{
	struct setup_file *file = setup_file(setup, path, false);

	if (file == NULL)
		return -CORDON_E_PATH;
	file->is_binary = is_binary;
	if (!setup->remove) {
		file->after = text;
		file->after_length = length;
		file->mode = mode;
		return 0;
	}
	/* a binary may be that of an older version */
	if (file->before != NULL && !is_binary && strcmp(file->before, text) != 0)
		return cordon_fail(setup->err, CORDON_E_USAGE, 0,
				   "%s was changed; remove it by hand", file->path);
	file->after = NULL;
	return 0;
}

void
setup_note(struct setup *setup, const char *format, ...)
{
	char line[600];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof line, format, args);
	va_end(args);
	str_printf(&setup->notes, "%s\n", line);
}

/* ---- show and write ---- */

static bool
is_changed(const struct setup_file *file)
{
	if (file->before == NULL || file->after == NULL)
		return file->before != file->after;
	return file->is_binary || strcmp(file->before, file->after) != 0;
}

/* Nothing is left of a file that held only ours. */
static void
drop_empty(struct setup *setup)
{
	for (size_t i = 0; i < setup->file_count; i++) {
		struct setup_file *file = &setup->files[i];

		if (file->after != NULL && strcmp(file->after, "{}\n") == 0 &&
		    (setup->remove || file->before == NULL))
			file->after = NULL;
	}
}

static size_t
show(const struct setup *setup, struct str *to)
{
	size_t changed = 0;

	for (size_t i = 0; i < setup->file_count; i++) {
		const struct setup_file *file = &setup->files[i];

		if (!is_changed(file))
			continue;
		changed++;
		str_printf(to, "--- %s\n", file->before == NULL ? "/dev/null" : file->path);
		str_printf(to, "+++ %s\n", file->after == NULL ? "/dev/null" : file->path);
		if (file->is_binary)
			str_printf(to, "%s %s, %zu bytes\n",
				   file->after == NULL ? "-" : "+ a copy of", setup->self,
				   file->after_length);
		else
			cli_diff(file->before == NULL ? "" : file->before,
				 file->after == NULL ? "" : file->after, to);
	}
	return changed;
}

static int
write_file(const struct setup *setup, const struct setup_file *file)
{
	char *folder = path_parent((struct arena *)&setup->arena, file->path, setup->err);
	int rc = folder == NULL ? -CORDON_E_MEMORY : fd_make_dir(folder, 0755, setup->err);

	if (rc < 0)
		return rc;
	if (file->after != NULL)
		return fd_replace_file(file->path, file->after, file->after_length, file->mode,
				       setup->err);
	if (unlink(file->path) < 0)
		return cordon_fail(setup->err, CORDON_E_PATH, errno, "cannot remove %s",
				   file->path);
	/* folders that are empty now go with it */
	while (strcmp(folder, setup->home) != 0 && strcmp(folder, setup->project) != 0 &&
	       rmdir(folder) == 0)
		*strrchr(folder, '/') = '\0';
	return 0;
}

static int
write_all(const struct setup *setup)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < setup->file_count; i++)
		if (is_changed(&setup->files[i]))
			rc = write_file(setup, &setup->files[i]);
	return rc;
}

/* Returns true after a yes on the terminal. */
static bool
agreed(void)
{
	char line[16] = "";

	fputs("write this? [y/N] ", stderr);
	return fgets(line, sizeof line, stdin) != NULL && (*line == 'y' || *line == 'Y');
}

static int
finish(const struct cli *cli, struct setup *setup)
{
	auto_str struct str shown = {0};

	drop_empty(setup);
	if (show(setup, &shown) == 0)
		return cli_put("nothing to change\n", NULL, 0);
	if (shown.failed || cli_put(shown.text, NULL, 0) != 0)
		return EXIT_CORDON;
	if (!cli->yes && !isatty(STDIN_FILENO)) {
		cli_say(cli, "nothing was written; --yes writes it");
		return 1;
	}
	if (!cli->yes && !agreed()) {
		cli_say(cli, "nothing was written");
		return 1;
	}
	if (write_all(setup) < 0)
		return cli_fail(cli, setup->err);
	return setup->notes.length == 0 || cli->quiet ? 0 : cli_put(setup->notes.text, NULL, 0);
}

/* ---- the command ---- */

/* --yes and --remove may stand behind the target as well; what is left are options of `cordon run`. */
static int
take_flags(struct cli *cli)
{
	int kept = 1;

	for (int i = 1; i < cli->operand_count; i++) {
		if (strcmp(cli->operands[i], "--yes") == 0)
			cli->yes = true;
		else if (strcmp(cli->operands[i], "--remove") == 0)
			cli->remove = true;
		else
			cli->operands[kept++] = cli->operands[i];
	}
	cli->operands[kept] = NULL;
	cli->operand_count = kept;
	return cli_check_run_options(cli->operands + 1);
}

static const struct setup_target *
find_target(const char *name)
{
	const struct setup_target *target = setup_targets;

	while (target->name != NULL && strcmp(target->name, name) != 0)
		target++;
	return target->name == NULL ? NULL : target;
}

int
cli_setup(struct cli *cli)
{
	const struct setup_target *target = find_target(cli->operands[0]);
	struct cordon_error err = {0};
	char self[PATH_MAX], project[PATH_MAX];
	struct setup setup = {.self = self,
			      .project = project,
			      .home = getenv("HOME"),
			      .options = cli->operands + 1,
			      .err = &err};
	int status;

	if (target == NULL)
		return cli_usage(cli, "there is no set-up for \"%s\"", cli->operands[0]);
	if (take_flags(cli) != 0)
		return EXIT_CORDON;
	setup.remove = cli->remove;
	if (setup.home == NULL || *setup.home != '/')
		return cli_usage(cli, "HOME names no folder");
	if (getcwd(project, sizeof project) == NULL)
		return cli_usage(cli, "the working directory is gone");
	if (cli_find_self(cli->program, self, &err) < 0 || target->collect(&setup) < 0)
		status = cli_fail(cli, &err);
	else
		status = finish(cli, &setup);
	str_free(&setup.notes);
	arena_free(&setup.arena);
	return status;
}
