// SPDX-License-Identifier: MIT
/*
 * Measures creating, changing and opening files through the broker: many files, a tarball, a clone, an npm
 * project. Each run uses a new directory and none is removed before the end, because ext4 examines recently
 * freed inodes. Runs in /var/tmp, which is on a disk where /tmp may not be.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scene.h"

struct work {
	const char *name;
	const char *kind; /* argument of bench/prepare; skipped if that fails */
	const char *does; /* shell command; $1: a new directory, $2: number of files */
	unsigned parts;
	double bar;
	int rounds;
};

static const struct work works[] = {
	{"making 20,000 files of 1 kB", "make", "exec ./worker make \"$1\" $(($2 * 4))",
	 PART_PAIR | PART_NOTIFY | PART_EXACT, 3.0, 5},
	{"unpacking a tarball of 5,000 files", "tarball", "exec tar -xf files.tar -C \"$1\"",
	 PART_PAIR | PART_EXACT, 3.0, 5},
	{"git clone of 5,000 files", "clone", "exec git clone -q ./origin \"$1/clone\"",
	 PART_PAIR | PART_EXACT, 1.5, 5},
	{"npm ci of 40 packages, 2,000 files", "npm",
	 "cp npm/project/*.json \"$1\" && cd \"$1\" && exec npm ci --offline --no-audit --no-fund "
	 "--cache ../../cache",
	 PART_PAIR, 1.5, 3},
	{"reading 20,000 files, every open routed", "read", "exec ./worker read many",
	 PART_PAIR | PART_NOTIFY | PART_EXACT | PART_HIDE, 2.0, 15},
};

static bool
is_prepared(const struct scene *scene, const struct work *work, int files)
{
	char words[SCENE_PATH + 80];

	snprintf(words, sizeof words, "'%s/bench/prepare' %s %d", scene->source, work->kind, files);
	return scene_shell(scene, words) == 0;
}

static bool
measure(struct scene *scene, const struct work *work, int files, int rounds)
{
	static const char *const bases[] = {"bare", "exact broker", NULL};
	struct contender contenders[CONTENDERS_MAX];
	char words[SCENE_PATH];
	char *command[] = {"/bin/sh", "-c", words, NULL};
	size_t count;
	bool failed;

	snprintf(words, sizeof words, "set -- \"$(mktemp -d runs/XXXXXX)\" %d && %s", files,
		 work->does);
	count = scene_contenders(scene, work->parts, command, contenders);
	contenders_measure(contenders, count, rounds);
	contenders_print(contenders, count, work->name, bases);
	printf("\n");
	bar_print(contenders, count, work->parts & PART_HIDE ? "cordon --deny **/.env" : "cordon",
		  "bare", work->bar);
	fflush(stdout);
	failed = contenders_failed(contenders, count);
	contenders_free(contenders, count);
	return failed;
}

int
main(int argc, char **argv)
{
	bool quick = argc > 1 && strcmp(argv[1], "--quick") == 0, failed = false;
	int files = quick ? 250 : 5000;
	struct scene scene;

	setenv("TMPDIR", "/var/tmp", 0);
	if (scene_make(&scene, argv[0]) < 0)
		return 1;
	machine_print(quick);
	failed = scene_shell(&scene, "mkdir runs") != 0;
	for (size_t i = 0; !failed && i < sizeof works / sizeof works[0]; i++) {
		if (is_prepared(&scene, &works[i], files))
			failed = measure(&scene, &works[i], files, quick ? 1 : works[i].rounds);
		else
			printf("\n### %s: not measured, it cannot be done here\n", works[i].name);
	}
	scene_remove(&scene);
	return failed;
}
