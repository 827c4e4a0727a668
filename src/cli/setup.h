/* SPDX-License-Identifier: MIT */
/* Files that `cordon setup` changes: collected first, then shown, then written. */
#pragma once

#include <stdbool.h>
#include <sys/stat.h>

#include "base/json.h"
#include "base/str.h"

/* One file. before or after is NULL if it does not exist then. */
struct setup_file {
	const char *path;   /* where links lead */
	const char *before; /* what it has now */
	const char *after;  /* what it shall have; the same pointer: no change */
	size_t after_length;
	mode_t mode;
	bool is_binary;
};

struct setup {
	struct arena arena;
	struct setup_file *files;
	size_t file_count;
	const char *self; /* path of cordon */
	const char *home;
	const char *project;  /* the working directory */
	char *const *options; /* of `cordon run`, up to NULL */
	bool remove;
	struct str notes; /* lines to show afterwards */
	struct cordon_error *err;
};

/* What a target changes: in a table by name. */
struct setup_target {
	const char *name;
	int (*collect)(struct setup *setup);
};
extern const struct setup_target setup_targets[];

/* Returns the file, read on first use. must_exist: a missing one is an error. */
struct setup_file *setup_file(struct setup *setup, const char *path, bool must_exist);
/* A file that is made, or with setup->remove removed, if its content is still this. */
int setup_create(struct setup *setup, const char *path, const char *text, size_t length,
		 mode_t mode, bool is_binary);
/* Reads the present text of a file; a missing one is an empty object. */
int setup_read(struct setup *setup, struct setup_file *file, const struct json **ret_root);
/* Replaces the text of a file. Frees what to has. */
int setup_change(struct setup *setup, struct setup_file *file, struct str *to);
void setup_note(struct setup *setup, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Wraps the local servers of "mcpServers" in a JSON file, or unwraps them. */
int setup_servers(struct setup *setup, struct setup_file *file);
/*
 * An item at a path of keys: an element of a list (name NULL) or a member. ours: text that tells our items from
 * others. Any of ours is removed first, with containers that become empty.
 */
struct setup_item {
	const char *keys[3];
	const char *name;
	const char *ours;
	const char *value;
};
int setup_put_item(struct setup *setup, struct setup_file *file, const struct setup_item *item);
