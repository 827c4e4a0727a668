/* SPDX-License-Identifier: MIT */
/*
 * Arenas, and cleanup attributes for locals. An arena frees a whole object graph (a policy, a plan)
 * at once.
 */
#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/error.h"

static inline void
auto_free_fn(void *p)
{
	free(*(void **)p);
}
#define auto_free __attribute__((cleanup(auto_free_fn)))

/* Returns *p and sets it to NULL: ownership moves to the caller. */
#define take(p)                                 \
	({                                      \
		__typeof__(*(p)) taken_ = *(p); \
		*(p) = NULL;                    \
		taken_;                         \
	})

struct arena_chunk;
struct arena {
	struct arena_chunk *head;
};

/* Returns zeroed memory, valid until arena_free, or NULL with err set. */
void *arena_alloc(struct arena *arena, size_t size, struct cordon_error *err);
/* Like arena_alloc, but unaligned, for text. */
char *arena_text(struct arena *arena, size_t size, struct cordon_error *err);
char *arena_strdup(struct arena *arena, const char *text, struct cordon_error *err);
char *arena_strndup(struct arena *arena, const char *text, size_t length, struct cordon_error *err);
char *arena_printf(struct arena *arena, struct cordon_error *err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
char *arena_vprintf(struct arena *arena, struct cordon_error *err, const char *format, va_list args)
	__attribute__((format(printf, 3, 0)));
void arena_free(struct arena *arena);

static inline void
auto_arena_fn(struct arena *arena)
{
	arena_free(arena);
}
#define auto_arena __attribute__((cleanup(auto_arena_fn)))

/*
 * Appends a zeroed element of size bytes to an array in the arena; items points to the array
 * pointer. Returns it, or NULL with err set. The capacity follows from count and is not stored.
 */
void *arena_push(struct arena *arena, void *items, size_t *count, size_t size,
		 struct cordon_error *err);
/* Returns a zeroed array of count elements, to which arena_push can append. */
void *arena_array(struct arena *arena, size_t count, size_t size, struct cordon_error *err);
