// SPDX-License-Identifier: MIT
/* Measures the time to start /bin/true: bare, by the floor, by cordon, by its peers. */
#include <stdio.h>
#include <string.h>

#include "scene.h"

#define ROUNDS 300
#define ROUNDS_QUICK 2

int
main(int argc, char **argv)
{
	static const char *const bases[] = {"bare", "floor+fork", "least", "bubblewrap", NULL};
	static char *const command[] = {"/bin/true", NULL};
	bool quick = argc > 1 && strcmp(argv[1], "--quick") == 0;
	struct contender contenders[CONTENDERS_MAX];
	struct scene scene;
	size_t count;
	bool failed;

	if (scene_make(&scene, argv[0]) < 0)
		return 1;
	machine_print(quick);
	count = scene_contenders(&scene,
				 PART_OURS | PART_LEAST | PART_TRACK | PART_DISK | PART_PEERS,
				 command, contenders);
	contenders_measure(contenders, count, quick ? ROUNDS_QUICK : ROUNDS);
	contenders_print(contenders, count, "start-up of /bin/true", bases);
	printf("\n");
	bar_print(contenders, count, "cordon", "least", 1.2);
	bar_print(contenders, count, "cordon", "bubblewrap", 0.55);
	bar_print(contenders, count, "least", "bubblewrap", 0.55);
	bar_print(contenders, count, "cordon --track-only", "least, no layers", 1.2);
	failed = contenders_failed(contenders, count);
	contenders_free(contenders, count);
	scene_remove(&scene);
	return failed;
}
