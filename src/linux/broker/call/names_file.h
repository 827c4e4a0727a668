/* SPDX-License-Identifier: MIT */
/* The file by which sessions exclude each other and tell what they changed. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "linux/broker/names_range.h"

/* As many of the last changes can be read. */
#define NAMES_NOTES 64

struct names_lock_loan;
struct names_state;

/* Opens the file again, so that each fd has its own locks. Returns how many there are; 0: none. */
int names_file_open(int file, int *ret_fds, int count);
/* NULL: the content cannot be used. */
struct names_state *names_file_map(int file);
void names_file_unmap(struct names_state *state);

/* Waits. Locks of one fd replace each other. */
void names_file_lock(int fd, struct names_state *state, const struct names_ranges *ranges,
		     bool is_exclusive);
void names_file_unlock(int fd, const struct names_ranges *ranges);

/* 0 without a state. */
uint64_t names_file_generation(const struct names_state *state);
/* Starts a new generation, of which it notes the two changed paths; the first "": all. */
uint64_t names_file_publish(int fd, struct names_state *state, const char paths[2][PATH_MAX]);
/* Returns false if the note is incomplete or was overwritten. */
bool names_file_read_note(int fd, uint64_t generation, char ret_paths[2][PATH_MAX]);

/*
 * Notes that the ranges are lent by a holder that will lock them again. Sets slot, motions and changes of
 * the loan, which has its time. Returns false if that is not possible.
 */
bool names_file_lend(struct names_state *state, const struct names_ranges *ranges,
		     struct names_lock_loan *loan);
/* Called by every holder: tells those that have lent these ranges. */
void names_file_note_motion(struct names_state *state, const struct names_ranges *ranges,
			    bool is_exclusive);
/* Called when the ranges are locked again. Returns false if another holder had them that matters. */
bool names_file_end_loan(struct names_state *state, const struct names_lock_loan *loan,
			 bool is_exclusive);
