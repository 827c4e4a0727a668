// SPDX-License-Identifier: MIT
/*
 * Measures work inside a session: reading small files, walking a tree, git status, make. The floor pays the
 * same price for Landlock, so cordon is compared with the floor.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scene.h"

#define FOLDERS 200
#define PER_FOLDER 100
#define BAR 1.03
#define HIDE_BAR 2.0

struct work {
	const char *name;
	char *const *command;
	int rounds;
	unsigned parts;
};

/* ---- files ---- */

static int
make_file(const char *folder, int number)
{
	static char content[1000];
	char path[SCENE_PATH];
	int fd;
	ssize_t n;

	memset(content, 'a' + number % 26, sizeof content);
	content[sizeof content - 1] = '\n';
	if (snprintf(path, sizeof path, "%s/file%03d.txt", folder, number) >= (int)sizeof path)
		return -1;
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	n = fd < 0 ? -1 : write(fd, content, sizeof content);
	return fd < 0 || close(fd) < 0 || n != (ssize_t)sizeof content ? -1 : 0;
}

static int
make_files(const struct scene *scene, int folders)
{
	for (int i = 0; i < folders; i++) {
		char folder[SCENE_PATH];

		snprintf(folder, sizeof folder, "%.400s/folder%03d", scene->project, i);
		if (mkdir(folder, 0755) < 0)
			return -1;
		for (int k = 0; k < PER_FOLDER; k++)
			if (make_file(folder, k) < 0)
				return -1;
	}
	return 0;
}

/* The C project is cordon's own source, the part that needs only libc. */
static int
make_project(const struct scene *scene)
{
	static const char makefile[] =
		"OBJECTS := $(patsubst %.c,%.o,$(wildcard src/base/*.c) src/policy/model/model.c "
		"src/policy/read/native.c src/policy/read/printer.c src/policy/model/guarantee.c "
		"src/host/fs_view.c src/host/resolve.c src/host/host.c)\n"
		"all:\n"
		"\t@rm -f $(OBJECTS) libpart.a\n"
		"\t@$(MAKE) -s libpart.a\n"
		"libpart.a: $(OBJECTS)\n"
		"\t@ar rcs $@ $(OBJECTS)\n"
		"%.o: %.c\n"
		"\t@cc -std=gnu11 -O1 -D_GNU_SOURCE -iquote src -Iinclude -c -o $@ $<\n";
	char words[SCENE_PATH * 3], path[SCENE_PATH];

	snprintf(
		words, sizeof words,
		"mkdir code && cp -R '%s/src' '%s/include' code/ && command -v cc && command -v ar",
		scene->source, scene->source);
	if (scene_shell(scene, words) != 0)
		return -1;
	scene_path(path, scene->project, "code/Makefile");
	return scene_write(path, makefile);
}

static int
make_repository(const struct scene *scene)
{
	return scene_shell(scene, "rm -rf .git && git init -q . && git add -A && "
				  "git -c user.name=x -c user.email=x@y commit -qm x && "
				  "git status");
}

/* ---- measurement ---- */

static bool
measure(struct scene *scene, const struct work *work)
{
	static const char *const bases[] = {"bare", "floor", "floor+filter", NULL};
	struct contender contenders[CONTENDERS_MAX];
	unsigned parts = PART_OURS | PART_HIDE | work->parts;
	size_t count = scene_contenders(scene, parts, work->command, contenders);
	bool failed;

	contenders_measure(contenders, count, work->rounds);
	contenders_print(contenders, count, work->name, bases);
	printf("\n");
	bar_print(contenders, count, "cordon", "floor", BAR);
	bar_print(contenders, count, "floor+filter", "floor", BAR);
	bar_print(contenders, count, "least", "floor", BAR);
	bar_print(contenders, count, "cordon --deny **/.env", "bare", HIDE_BAR);
	fflush(stdout);
	failed = contenders_failed(contenders, count);
	contenders_free(contenders, count);
	return failed;
}

int
main(int argc, char **argv)
{
	bool quick = argc > 1 && strcmp(argv[1], "--quick") == 0;
	struct scene scene;
	char *read_files[] = {scene.worker, "read", ".", NULL};
	char *walk[] = {scene.worker, "walk", ".", NULL};
	char *status[] = {"/usr/bin/git", "status", NULL};
	char *make[] = {"/usr/bin/make",
			"-s",
			"-j2",
			"-C",
			"code",
			quick ? "OBJECTS=src/base/path.o src/base/arena.o" : NULL,
			NULL};
	const struct work works[] = {
		{"reading 20,000 small files", read_files, quick ? 1 : 25, PART_PEERS | PART_LEAST},
		{"walking a tree of 20,000 files", walk, quick ? 1 : 25, PART_PEERS | PART_LEAST},
		{"git status in 20,000 files", status, quick ? 1 : 25, PART_PEERS | PART_LEAST},
		{"make -j2 of a C project", make, quick ? 1 : 7, PART_PEERS},
	};
	bool has[4] = {true, true, false, false}, failed = false;

	if (scene_make(&scene, argv[0]) < 0)
		return 1;
	machine_print(quick);
	has[0] = has[1] = make_files(&scene, quick ? 2 : FOLDERS) == 0;
	has[2] = access(status[0], X_OK) == 0 && make_repository(&scene) == 0;
	has[3] = access(make[0], X_OK) == 0 && make_project(&scene) == 0;
	for (size_t i = 0; i < sizeof works / sizeof works[0]; i++) {
		if (has[i])
			failed = measure(&scene, &works[i]) || failed;
		else
			printf("\n### %s: not measured, it cannot be done here\n", works[i].name);
	}
	scene_remove(&scene);
	return failed || !has[0];
}
