/* SPDX-License-Identifier: MIT */
/*
 * Ownership in two forms: locals that clean up after themselves, and arenas for object graphs that
 * live and die together (a policy, a plan).
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

/* Hands an owned pointer over: reads it and leaves NULL behind. */
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

/* Zeroed memory that lives until arena_free. NULL sets err. */
void *arena_alloc(struct arena *arena, size_t size, struct cordon_error *err);
/* The same for text, which stands anywhere. */
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
 * Room for one more element of size bytes in an arena array. items points to the array pointer.
 * Returns the new zeroed element or NULL. Capacity doubles, so count decides when to grow.
 */
void *arena_push(struct arena *arena, void *items, size_t *count, size_t size,
		 struct cordon_error *err);
