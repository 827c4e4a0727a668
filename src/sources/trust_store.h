/* SPDX-License-Identifier: MIT */
/*
 * Approvals of a user: for one project file with one content, its requests and where their paths
 * led at that time. Stored outside every project, one private file each.
 */
#pragma once

#include <stdint.h>

#include "policy/model/model.h"

#define TRUST_HASH_SIZE 65 /* SHA-256 in hexadecimal, terminated */

/* Identity of a path when it was approved. inode 0: it did not exist. */
struct pin {
	const char *path; /* canonical path */
	uint64_t device, inode;
};

struct trust {
	const char *file; /* canonical path of the project's policy file */
	char hash[TRUST_HASH_SIZE];
	struct words approved; /* the requests in words, for people */
	struct pin *pins;
	size_t pin_count;
};

void trust_store_hash(const char *text, size_t length, char ret_hash[TRUST_HASH_SIZE]);
/* Returns 1, or 0 if nothing is approved. A damaged or foreign record is an error. */
int trust_store_load(struct arena *arena, const char *state_dir, const char *file,
		     struct trust *ret, struct cordon_error *err);
int trust_store_save(const char *state_dir, const struct trust *trust, struct cordon_error *err);
/* Returns 1 if a record was removed, 0 if there was none. */
int trust_store_remove(const char *state_dir, const char *file, struct cordon_error *err);
/* Returns the current pin of a canonical path. */
struct pin trust_store_pin(const char *path);
