// SPDX-License-Identifier: MIT
/* Creates and removes the environment of a benchmark. */
#include "scene.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#define TMPFS 0x01021994

void
scene_path(char to[SCENE_PATH], const char *dir, const char *name)
{
	if (snprintf(to, SCENE_PATH, "%s/%s", dir, name) >= SCENE_PATH)
		exit(1);
}

int
scene_write(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");
	int rc;

	if (file == NULL)
		return -1;
	rc = fputs(text, file) < 0 ? -1 : 0;
	return fclose(file) == 0 ? rc : -1;
}

static int
complain(const char *what)
{
	fprintf(stderr, "bench: %s: %s\n", what, strerror(errno));
	return -1;
}

/* ---- directories ---- */

static int
make_folder(char to[SCENE_PATH], const char *dir, const char *name)
{
	scene_path(to, dir, name);
	return mkdir(to, 0755);
}

/* A tmpfs: /tmp on many systems, else another world-writable directory. */
static void
find_memory(struct scene *scene)
{
	static const char *const places[] = {"/tmp", "/dev/shm"};
	char name[SCENE_PATH];
	struct statfs fs;

	for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
		snprintf(name, sizeof name, "%s/cordon-bench.XXXXXX", places[i]);
		if (statfs(places[i], &fs) == 0 && fs.f_type == TMPFS && mkdtemp(name) != NULL) {
			strcpy(scene->memory, name);
			return;
		}
	}
}

static int
make_folders(struct scene *scene)
{
	const char *base = getenv("TMPDIR");
	char name[SCENE_PATH], real[PATH_MAX], git[SCENE_PATH], home[SCENE_PATH];

	scene_path(name, base == NULL || *base != '/' ? "/tmp" : base, "cordon-bench.XXXXXX");
	if (mkdtemp(name) == NULL || realpath(name, real) == NULL || strlen(real) >= SCENE_PATH / 2)
		return complain(name);
	strcpy(scene->root, real);
	if (make_folder(scene->project, scene->root, "project") < 0 ||
	    make_folder(git, scene->project, ".git") < 0 ||
	    make_folder(scene->tmp, scene->root, "tmp") < 0 ||
	    make_folder(home, scene->root, "home") < 0)
		return complain(scene->root);
	scene_path(scene->rules, scene->root, "rules");
	find_memory(scene);
	return 0;
}

/* The caller's policies and audit log are not used, only the runtime directory is. */
static int
make_environment(const struct scene *scene)
{
	static const char *const gone[] = {"XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME",
					   "LD_PRELOAD"};
	char home[SCENE_PATH], state[SCENE_PATH];

	scene_path(home, scene->root, "home");
	scene_path(state, home, "state");
	for (size_t i = 0; i < sizeof gone / sizeof gone[0]; i++)
		unsetenv(gone[i]);
	if (setenv("HOME", home, 1) < 0 || setenv("XDG_STATE_HOME", state, 1) < 0 ||
	    setenv("TMPDIR", *scene->memory != '\0' ? scene->memory : scene->tmp, 1) < 0 ||
	    setenv("LC_ALL", "C", 1) < 0)
		return complain("environment");
	return 0;
}

/* ---- programs ---- */

static int
find_programs(struct scene *scene, const char *program)
{
	char real[PATH_MAX];
	const char *paths[] = {scene->cordon, scene->floor, scene->recorder, scene->worker,
			       scene->notify, scene->least, scene->exact};

	if (realpath(program, real) == NULL || strlen(real) >= SCENE_PATH / 2)
		return complain(program);
	*strrchr(real, '/') = '\0';
	scene_path(scene->floor, real, "floor");
	scene_path(scene->recorder, real, "rules");
	scene_path(scene->worker, real, "worker");
	scene_path(scene->notify, real, "notify");
	scene_path(scene->least, real, "least");
	scene_path(scene->exact, real, "exact");
	*strrchr(real, '/') = '\0';
	scene_path(scene->cordon, real, "cordon");
	scene_path(scene->source, real, "..");
	for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
		if (access(paths[i], X_OK) < 0)
			return complain(paths[i]);
	return 0;
}

static int
run_words(char *const *argv, const char *output)
{
	pid_t child = fork();
	int status = -1;

	if (child == 0) {
		int fd = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0644);

		if (fd < 0 || dup2(fd, 1) < 0)
			_exit(127);
		execv(argv[0], argv);
		_exit(127);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		return -1;
	return status;
}

int
scene_shell(const struct scene *scene, const char *words)
{
	char command[SCENE_PATH * 4];
	char *argv[] = {"/bin/sh", "-c", command, NULL};

	if (snprintf(command, sizeof command, "cd '%s' && { %s; } >/dev/null 2>&1", scene->project,
		     words) >= (int)sizeof command)
		return -1;
	return run_words(argv, "/dev/null");
}

int
scene_record(const struct scene *scene, const char *policy, const char *rules)
{
	char *argv[] = {(char *)scene->recorder, (char *)scene->project, (char *)scene->tmp,
			(char *)policy, NULL};

	if (run_words(argv, rules) == 0)
		return 0;
	fprintf(stderr, "bench: this machine cannot enforce the default policy\n");
	return -1;
}

static int
copy_worker(struct scene *scene)
{
	char copy[SCENE_PATH];
	char *argv[] = {"/bin/cp", scene->worker, copy, NULL};

	scene_path(copy, scene->project, "worker");
	if (run_words(argv, "/dev/null") != 0)
		return complain(copy);
	strcpy(scene->worker, copy);
	return 0;
}

/* ---- environment ---- */

int
scene_make(struct scene *scene, const char *program)
{
	*scene = (struct scene){0};
	if (find_programs(scene, program) < 0 || make_folders(scene) < 0 ||
	    make_environment(scene) < 0 || copy_worker(scene) < 0 ||
	    scene_record(scene, NULL, scene->rules) < 0) {
		scene_remove(scene);
		return -1;
	}
	return 0;
}

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path) < 0 && errno != ENOENT ? -1 : 0;
}

void
scene_remove(struct scene *scene)
{
	if (*scene->root != '\0')
		nftw(scene->root, remove_one, 64, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
	if (*scene->memory != '\0')
		nftw(scene->memory, remove_one, 64, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}
