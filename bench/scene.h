/* SPDX-License-Identifier: MIT */
/*
 * The environment of a benchmark: a temporary directory with home, project and tmp, fixed environment
 * variables, and the contenders.
 */
#pragma once

#include "measure.h"

#define SCENE_PATH 512
#define CONTENDERS_MAX 16
#define PEERS 4

struct scene {
	char root[SCENE_PATH], project[SCENE_PATH], rules[SCENE_PATH];
	char tmp[SCENE_PATH];	 /* on disk, or $TMPDIR */
	char memory[SCENE_PATH]; /* a directory on tmpfs; "": none */
	/* programs in the build directory; worker is a copy in the project, so that it can run inside */
	char cordon[SCENE_PATH], floor[SCENE_PATH], recorder[SCENE_PATH], worker[SCENE_PATH];
	char notify[SCENE_PATH], least[SCENE_PATH], exact[SCENE_PATH];
	char source[SCENE_PATH]; /* the source tree */
	/* arguments of the peers' command lines */
	char peers[PEERS][SCENE_PATH], whitelist[SCENE_PATH + 16];
};

/* Returns 0, or -1 after a message. program is argv[0]. */
int scene_make(struct scene *scene, const char *program);
void scene_remove(struct scene *scene);
/* Joins dir and name; exits if they do not fit. */
void scene_path(char to[SCENE_PATH], const char *dir, const char *name);
int scene_write(const char *path, const char *text);
/* Runs a shell command in the project without output; returns its status. */
int scene_shell(const struct scene *scene, const char *words);
/* Writes the rules that cordon would load; policy: an additional one, or NULL. */
int scene_record(const struct scene *scene, const char *policy, const char *rules);

/* Groups of contenders. */
enum taking_part {
	PART_OURS = 1,	  /* bare, floors, cordon */
	PART_TRACK = 2,	  /* spawn+fork, cordon --track-only */
	PART_PEERS = 4,	  /* bubblewrap, firejail, and those from npm, if installed */
	PART_DISK = 8,	  /* cordon with its private tmp on disk */
	PART_HIDE = 16,	  /* cordon with a pattern that hides files: every open is supervised */
	PART_PAIR = 32,	  /* only bare and cordon, where a floor would need a broker */
	PART_NOTIFY = 64, /* a broker that only answers, or opens and passes the fd */
	PART_LEAST = 256, /* a session's processes without a policy */
	PART_EXACT = 128, /* a correct broker that decides nothing */
};

/* Fills contenders (CONTENDERS_MAX), each running command; returns their number. */
size_t scene_contenders(struct scene *scene, unsigned parts, char *const *command,
			struct contender *contenders);
