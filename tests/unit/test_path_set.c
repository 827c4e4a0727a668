// SPDX-License-Identifier: MIT
/* Sets of paths answer as asking each of their paths does. */
#include <stdio.h>
#include <string.h>

#include "base/path.h"
#include "base/path_set.h"
#include "tap.h"

#define PATHS 40

static unsigned
pick(unsigned below)
{
	static unsigned long long seed = 5;

	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (unsigned)((seed >> 33) % below);
}

/* Names that sort before and after the slash, and begin like each other. */
static void
draw(char to[64])
{
	static const char *const names[] = {"a", "b", "a-", "a0", "aa", "\xff", "\001"};
	unsigned depth = pick(5);

	strcpy(to, depth == 0 ? "/" : "");
	for (unsigned i = 0; i < depth; i++) {
		strcat(to, "/");
		strcat(to, names[pick(sizeof names / sizeof names[0])]);
	}
}

static bool
agrees(const struct path_set *set, const char *path)
{
	bool has = false, covers = false, is_in = false;

	for (size_t i = 0; i < set->count; i++) {
		has = has || strcmp(set->items[i], path) == 0;
		covers = covers || path_below(path, set->items[i]);
		is_in = is_in || path_below(set->items[i], path);
	}
	return path_set_has(set, path) == has && path_set_covers(set, path) == covers &&
	       path_set_is_in(set, path) == is_in;
}

static void
a_set_answers_as_a_list_of_its_paths(void)
{
	int wrong = 0;

	for (int round = 0; round < 2000; round++) {
		auto_arena struct arena arena = {0};
		struct path_set set = {0};
		char paths[PATHS][64], asked[64];
		unsigned count = pick(PATHS);

		for (unsigned i = 0; i < count; i++) {
			draw(paths[i]);
			check_int(path_set_add(&set, &arena, paths[i], NULL), 0);
		}
		path_set_sort(&set);
		for (int i = 0; i < 30; i++) {
			draw(asked);
			wrong += !agrees(&set, asked);
		}
	}
	check_int(wrong, 0);
}

int
main(void)
{
	run(a_set_answers_as_a_list_of_its_paths);
	return tap_end();
}
