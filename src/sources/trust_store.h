/* SPDX-License-Identifier: MIT */
/*
 * What a user approved: for one project file with one content, what it asked for and where its paths
 * led at that moment. Kept outside every project, one file each, readable by nobody else.
 */
#pragma once

#include <stdint.h>

#include "policy/model/model.h"

#define TRUST_HASH_SIZE 65 /* SHA-256 in hexadecimal, terminated */

/* A path as it was when it was approved. inode 0: it did not exist. */
struct pin {
	const char *path; /* canonical */
	uint64_t device, inode;
};

struct trust {
	const char *file; /* canonical path of the project's policy file */
	char hash[TRUST_HASH_SIZE];
	struct words approved; /* in words, for people */
	struct pin *pins;
	size_t pin_count;
};

void trust_hash(const char *text, size_t length, char ret_hash[TRUST_HASH_SIZE]);
/* 1 found, 0 nothing approved for this file; a damaged or foreign record is an error. */
int trust_load(struct arena *arena, const char *state_dir, const char *file, struct trust *ret,
	       struct cordon_error *err);
int trust_save(const char *state_dir, const struct trust *trust, struct cordon_error *err);
/* 1 removed, 0 there was nothing. */
int trust_remove(const char *state_dir, const char *file, struct cordon_error *err);
/* The pin for a canonical path, as the file system has it now. */
struct pin trust_store_pin(const char *path);
