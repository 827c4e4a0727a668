// SPDX-License-Identifier: MIT
/*
 * Measures what must not grow: a start with 10,000 rules must take less than 50 ms, and the size of the
 * project must not matter.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scene.h"

#define RULES 10000
#define FILES_FEW 1000
#define FILES_MANY 200000
#define PER_FOLDER 1000
#define BAR_MS 50.0

static char *const nothing[] = {"/bin/true", NULL};

/* ---- many rules ---- */

static void
path_of(const struct scene *scene, int number, char path[SCENE_PATH])
{
	snprintf(path, SCENE_PATH, "%.300s/many%02d/%d", scene->root, number % 100, number);
}

/* Creates directories outside the project. */
static int
make_folders(const struct scene *scene, int count)
{
	char path[SCENE_PATH];

	for (int i = 0; i < count; i++) {
		snprintf(path, sizeof path, "%.300s/many%02d", scene->root, i % 100);
		if (i < 100 && mkdir(path, 0755) < 0)
			return -1;
		path_of(scene, i, path);
		if (mkdir(path, 0755) < 0)
			return -1;
	}
	return 0;
}

/* One rule each, in the list that begins with files. */
static int
make_rules(const struct scene *scene, int count, const char *files, const char *policy)
{
	FILE *file = fopen(policy, "w");
	char path[SCENE_PATH];

	if (file == NULL)
		return -1;
	fprintf(file, "{\"files\": {%s [\n", files);
	for (int i = 0; i < count; i++) {
		path_of(scene, i, path);
		fprintf(file, "\"%s\",\n", path);
	}
	fputs("]}}\n", file);
	return fclose(file) != 0 ? -1 : 0;
}

static int
measure_rules(struct scene *scene, bool quick)
{
	static const char *const bases[] = {"floor", NULL};
	char policy[SCENE_PATH], rules[SCENE_PATH];
	struct contender contenders[2] = {
		{.name = "floor", .argv = {scene->floor, rules, "/bin/true"}},
		{.name = "cordon", .argv = {scene->cordon, "run", "-p", policy, "--", "/bin/true"}},
	};
	int count = quick ? 100 : RULES;
	char title[80];

	scene_path(policy, scene->root, "many.json");
	scene_path(rules, scene->root, "many.rules");
	contenders[0].cwd = contenders[1].cwd = scene->project;
	if (make_folders(scene, count) < 0 || make_rules(scene, count, "\"read\":", policy) < 0 ||
	    scene_record(scene, policy, rules) < 0)
		return -1;
	contenders_measure(contenders, 2, quick ? 1 : 50);
	snprintf(title, sizeof title, "start-up with %d rules", count);
	contenders_print(contenders, 2, title, bases);
	printf("\n");
	bar_print_number("cordon with that many rules", contender_median(&contenders[1]), BAR_MS,
			 "ms");
	contenders_free(contenders, 2);
	return contenders_failed(contenders, 2) ? -1 : 0;
}

/* The same number in other kinds of rules, none of which may take much longer. */
static int
measure_kinds(struct scene *scene, bool quick)
{
	static const struct {
		const char *name, *files;
	} kinds[] = {
		{"to be read", "\"read\":"},
		{"to be changed", "\"write\":"},
		{"to be read, but **/.env", "\"deny\": [\"**/.env\"], \"read\":"},
		{"denied", "\"deny\":"},
	};
	enum { KINDS = sizeof kinds / sizeof kinds[0] };
	static const char *const bases[] = {"to be read", NULL};
	char policies[KINDS][SCENE_PATH];
	struct contender contenders[KINDS];

	for (size_t i = 0; i < KINDS; i++) {
		char name[32];

		snprintf(name, sizeof name, "many%zu.json", i);
		scene_path(policies[i], scene->root, name);
		if (make_rules(scene, quick ? 100 : RULES, kinds[i].files, policies[i]) < 0)
			return -1;
		contenders[i] = (struct contender){.name = kinds[i].name,
						   .argv = {scene->cordon, "run", "-p", policies[i],
							    "--", nothing[0]},
						   .cwd = scene->project};
	}
	contenders_measure(contenders, KINDS, quick ? 1 : 20);
	contenders_print(contenders, KINDS, "start-up by what the rules say", bases);
	contenders_free(contenders, KINDS);
	return contenders_failed(contenders, KINDS) ? -1 : 0;
}

/* ---- many files ---- */

static int
make_files(const char *folder, int count)
{
	char path[SCENE_PATH];

	if (mkdir(folder, 0755) < 0)
		return -1;
	scene_path(path, folder, ".git");
	if (mkdir(path, 0755) < 0)
		return -1;
	for (int i = 0; i < count; i++) {
		int fd;

		snprintf(path, sizeof path, "%.400s/%d", folder, i / PER_FOLDER);
		if (i % PER_FOLDER == 0 && mkdir(path, 0755) < 0)
			return -1;
		snprintf(path, sizeof path, "%.400s/%d/%d", folder, i / PER_FOLDER, i);
		fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
		if (fd < 0 || close(fd) < 0)
			return -1;
	}
	return 0;
}

static int
measure_files(struct scene *scene, bool quick)
{
	static const char *const bases[] = {"cordon, 1,000 files", NULL};
	char few[SCENE_PATH], many[SCENE_PATH];
	struct contender contenders[CONTENDERS_MAX];

	scene_path(few, scene->root, "few");
	scene_path(many, scene->root, "many");
	if (make_files(few, quick ? 10 : FILES_FEW) < 0 ||
	    make_files(many, quick ? 20 : FILES_MANY) < 0)
		return -1;
	for (int i = 0; i < 2; i++)
		contenders[i] =
			(struct contender){.name = i == 0 ? bases[0] : "cordon, 200,000 files",
					   .argv = {scene->cordon, "run", "--", nothing[0]},
					   .cwd = i == 0 ? few : many};
	contenders_measure(contenders, 2, quick ? 1 : 200);
	contenders_print(contenders, 2, "start-up by size of the project", bases);
	contenders_free(contenders, 2);
	return contenders_failed(contenders, 2) ? -1 : 0;
}

int
main(int argc, char **argv)
{
	bool quick = argc > 1 && strcmp(argv[1], "--quick") == 0;
	struct scene scene;
	int rc;

	if (scene_make(&scene, argv[0]) < 0)
		return 1;
	machine_print(quick);
	rc = measure_rules(&scene, quick);
	if (rc == 0)
		rc = measure_kinds(&scene, quick);
	if (rc == 0)
		rc = measure_files(&scene, quick);
	if (rc < 0)
		fprintf(stderr, "bench_scale: cannot make or run what it measures\n");
	scene_remove(&scene);
	return rc < 0;
}
