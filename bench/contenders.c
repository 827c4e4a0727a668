// SPDX-License-Identifier: MIT
/*
 * The contenders and their command lines. Peers are configured to come closest to cordon's default: system
 * readable, project writable, own temporary directory, no network. One that is not installed is left out;
 * one that fails is reported and not measured.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scene.h"

struct list {
	struct scene *scene;
	char *const *command;
	struct contender *contenders;
	size_t count;
};

static void
add_words(struct contender *to, size_t *used, const char *const *words)
{
	for (size_t i = 0; words[i] != NULL && *used + 1 < WORDS_MAX; i++)
		to->argv[(*used)++] = (char *)words[i];
}

/* words: the command line before the measured command. */
static struct contender *
add(struct list *list, const char *name, const char *const *words)
{
	struct contender *to = &list->contenders[list->count++];
	size_t used = 0;

	*to = (struct contender){.name = name, .cwd = list->scene->project};
	add_words(to, &used, words);
	add_words(to, &used, (const char *const *)list->command);
	to->argv[used] = NULL;
	return to;
}

static void
add_ours(struct list *list)
{
	const struct scene *scene = list->scene;

	add(list, "bare", (const char *const[]){NULL});
	/* it creates no directory; its rules grant this one */
	add(list, "floor", (const char *const[]){scene->floor, scene->rules, NULL})->tmp =
		scene->tmp;
	add(list, "floor+fork", (const char *const[]){scene->floor, "-f", scene->rules, NULL})
		->tmp = scene->tmp;
	add(list, "floor+filter", (const char *const[]){scene->floor, "-s", scene->rules, NULL})
		->tmp = scene->tmp;
	add(list, "cordon", (const char *const[]){scene->cordon, "run", "--", NULL});
}

static void
add_tracking(struct list *list)
{
	const struct scene *scene = list->scene;

	add(list, "spawn+fork", (const char *const[]){scene->floor, "-f", "-", NULL});
	add(list, "least, no layers", (const char *const[]){scene->least, "-", NULL});
	add(list, "cordon --track-only",
	    (const char *const[]){scene->cordon, "run", "--track-only", "--", NULL});
}

static void
add_notifying(struct list *list)
{
	const struct scene *scene = list->scene;

	add(list, "asked for each open", (const char *const[]){scene->notify, "go", NULL});
	add(list, "each open handed over", (const char *const[]){scene->notify, "hand", NULL});
}

/* ---- peers ---- */

static bool
find_program(const char *name, char to[SCENE_PATH])
{
	const char *path = getenv("PATH");

	for (size_t length; path != NULL && *path != '\0'; path += length + (path[length] == ':')) {
		length = strcspn(path, ":");
		if (*path == '/' &&
		    snprintf(to, SCENE_PATH, "%.*s/%s", (int)length, path, name) < SCENE_PATH &&
		    access(to, X_OK) == 0)
			return true;
	}
	return false;
}

static void
add_bubblewrap(struct list *list, const char *program)
{
	const char *project = list->scene->project;

	add(list, "bubblewrap",
	    (const char *const[]){program,
				  "--unshare-all",
				  "--die-with-parent",
				  "--ro-bind",
				  "/usr",
				  "/usr",
				  "--ro-bind-try",
				  "/bin",
				  "/bin",
				  "--ro-bind-try",
				  "/sbin",
				  "/sbin",
				  "--ro-bind-try",
				  "/lib",
				  "/lib",
				  "--ro-bind-try",
				  "/lib64",
				  "/lib64",
				  "--ro-bind-try",
				  "/opt",
				  "/opt",
				  "--ro-bind",
				  "/etc",
				  "/etc",
				  "--ro-bind",
				  "/sys",
				  "/sys",
				  "--proc",
				  "/proc",
				  "--dev",
				  "/dev",
				  "--tmpfs",
				  "/tmp",
				  "--bind",
				  project,
				  project,
				  "--setenv",
				  "TMPDIR",
				  "/tmp",
				  "--chdir",
				  project,
				  "--",
				  NULL});
}

static void
add_firejail(struct list *list, const char *program)
{
	char *whitelist = list->scene->whitelist;

	snprintf(whitelist, sizeof list->scene->whitelist, "--whitelist=%s", list->scene->project);
	add(list, "firejail",
	    (const char *const[]){program, "--quiet", "--noprofile", "--net=none", "--private-dev",
				  "--caps.drop=all", "--nonewprivs", "--seccomp", "--private",
				  whitelist, "--", NULL});
}

static void
add_srt(struct list *list, const char *program)
{
	add(list, "srt", (const char *const[]){program, NULL});
}

static void
add_codex(struct list *list, const char *program)
{
	add(list, "codex",
	    (const char *const[]){program, "sandbox", "linux", "--full-auto", "--", NULL});
}

static void
add_peers(struct list *list)
{
	static const struct {
		const char *program;
		void (*add)(struct list *list, const char *program);
	} peers[PEERS] = {
		{"bwrap", add_bubblewrap},
		{"firejail", add_firejail},
		{"srt", add_srt},
		{"codex", add_codex},
	};

	for (size_t i = 0; i < PEERS; i++)
		if (find_program(peers[i].program, list->scene->peers[i]))
			peers[i].add(list, list->scene->peers[i]);
}

size_t
scene_contenders(struct scene *scene, unsigned parts, char *const *command,
		 struct contender *contenders)
{
	struct list list = {scene, command, contenders, 0};

	if (parts & PART_OURS)
		add_ours(&list);
	if (parts & PART_PAIR) {
		add(&list, "bare", (const char *const[]){NULL});
		add(&list, "cordon", (const char *const[]){scene->cordon, "run", "--", NULL});
	}
	if (parts & PART_NOTIFY)
		add_notifying(&list);
	if (parts & PART_LEAST)
		add(&list, "least", (const char *const[]){scene->least, scene->rules, NULL});
	if (parts & PART_EXACT)
		add(&list, "exact broker",
		    (const char *const[]){scene->exact, parts & PART_HIDE ? "read" : "change",
					  NULL});
	if (parts & PART_TRACK)
		add_tracking(&list);
	if (parts & PART_DISK && *scene->memory != '\0')
		add(&list, "cordon, tmp on disk",
		    (const char *const[]){scene->cordon, "run", "--", NULL})
			->tmp = scene->tmp;
	if (parts & PART_HIDE)
		add(&list, "cordon --deny **/.env",
		    (const char *const[]){scene->cordon, "run", "--deny", "**/.env", "--", NULL});
	if (parts & PART_PEERS)
		add_peers(&list);
	return list.count;
}
