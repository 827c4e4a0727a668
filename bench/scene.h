/* SPDX-License-Identifier: MIT */
/*
 * Where a bench takes place: a throw-away folder with a home, a project and a folder for temporary
 * files, an environment that is the same everywhere, and everyone who takes part.
 */
#pragma once

#include "measure.h"

#define SCENE_PATH 512
#define CONTENDERS_MAX 16
#define PEERS 4

struct scene {
	char root[SCENE_PATH], project[SCENE_PATH], rules[SCENE_PATH];
	char tmp[SCENE_PATH];	 /* on disk, or wherever $TMPDIR is */
	char memory[SCENE_PATH]; /* a folder on a tmpfs; "" : there is none */
	/* the programs beside the bench; the worker is a copy in the project, to be run inside */
	char cordon[SCENE_PATH], floor[SCENE_PATH], recorder[SCENE_PATH], worker[SCENE_PATH];
	char notify[SCENE_PATH], least[SCENE_PATH], exact[SCENE_PATH];
	char source[SCENE_PATH]; /* the tree in which the build folder lies */
	/* words of the peers' command lines */
	char peers[PEERS][SCENE_PATH], whitelist[SCENE_PATH + 16];
};

/* 0, or -1 when it said why not. program is argv[0]. */
int scene_make(struct scene *scene, const char *program);
void scene_remove(struct scene *scene);
/* dir/name; exits when it does not fit: names here are ours. */
void scene_path(char to[SCENE_PATH], const char *dir, const char *name);
int scene_write(const char *path, const char *text);
/* A shell's words in the project, silent; the status. */
int scene_shell(const struct scene *scene, const char *words);
/* Writes the rules cordon would load, for the floor; policy: one to add, or NULL. */
int scene_record(const struct scene *scene, const char *policy, const char *rules);

/* Who takes part. */
enum taking_part {
	PART_OURS = 1,	/* bare, floors, cordon */
	PART_TRACK = 2, /* spawn+fork, cordon --track-only */
	PART_PEERS = 4, /* bubblewrap, firejail, and what npm brought, where installed */
	PART_DISK = 8,	/* cordon once more, with its private folder on disk */
	PART_HIDE =
		16, /* cordon once more, with a pattern that hides files: every open is supervised */
	PART_PAIR = 32,	  /* only bare and cordon: where the floor's rules leave it to a broker */
	PART_NOTIFY = 64, /* a broker that does nothing but answer, or open and hand over */
	PART_LEAST = 256, /* a session's own processes, and no policy */
	PART_EXACT = 128, /* one whose answers are right, but that judges nothing */
};

/* Fills contenders (CONTENDERS_MAX) with command run by each; returns how many. */
size_t scene_contenders(struct scene *scene, unsigned parts, char *const *command,
			struct contender *contenders);
