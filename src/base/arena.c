// SPDX-License-Identifier: MIT
/*
 * Arena allocator: chunks of growing size, freed together. Objects never move. An array that grows
 * leaves its old copy in the arena, which wastes at most its own size.
 */
#include "base/arena.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define CHUNK_FIRST 4096u
#define CHUNK_LARGEST (1u << 20)
#define CLEAR_FROM (128u << 10) /* from this size on malloc maps fresh pages */
#define CLEAR_AHEAD 512u
#define ALIGNMENT _Alignof(max_align_t)

struct arena_chunk {
	struct arena_chunk *next;
	size_t size;
	size_t used;
	size_t clear; /* bytes up to here are zeroed */
	max_align_t bytes[];
};

static struct arena_chunk *
chunk_new(struct arena *arena, size_t need)
{
	size_t size = arena->head == NULL ? CHUNK_FIRST : arena->head->size * 2;
	struct arena_chunk *chunk;

	if (size > CHUNK_LARGEST)
		size = CHUNK_LARGEST;
	if (size < need)
		size = need;
	/*
	 * calloc is cheap for large chunks, which malloc maps; small ones are hardly used in full
	 */
	chunk = size < CLEAR_FROM ? malloc(sizeof *chunk + size) : calloc(1, sizeof *chunk + size);
	if (chunk == NULL)
		return NULL;
	chunk->size = size;
	chunk->used = 0;
	chunk->clear = size < CLEAR_FROM ? 0 : size;
	chunk->next = arena->head;
	arena->head = chunk;
	return chunk;
}

/* Zeroes some bytes more than needed: most requests are small. */
static void
clear_more(struct arena_chunk *chunk)
{
	size_t up_to = chunk->size - chunk->used < CLEAR_AHEAD ? chunk->size
							       : chunk->used + CLEAR_AHEAD;

	memset((char *)chunk->bytes + chunk->clear, 0, up_to - chunk->clear);
	chunk->clear = up_to;
}

/* Returns size bytes whose offset is a multiple of alignment. */
static void *
cut(struct arena *arena, size_t size, size_t alignment, struct cordon_error *err)
{
	struct arena_chunk *chunk = arena->head;
	size_t from = chunk == NULL ? 0 : (chunk->used + alignment - 1) / alignment * alignment;

	if (size > SIZE_MAX / 4) {
		cordon_no_memory(err);
		return NULL;
	}
	if (chunk == NULL || chunk->size < from || chunk->size - from < size) {
		chunk = chunk_new(arena, size);
		from = 0;
	}
	if (chunk == NULL) {
		cordon_no_memory(err);
		return NULL;
	}
	chunk->used = from + size;
	if (chunk->used > chunk->clear)
		clear_more(chunk);
	return (char *)chunk->bytes + from;
}

void *
arena_alloc(struct arena *arena, size_t size, struct cordon_error *err)
{
	return cut(arena, size, ALIGNMENT, err);
}

char *
arena_text(struct arena *arena, size_t size, struct cordon_error *err)
{
	return cut(arena, size, 1, err);
}

char *
arena_strndup(struct arena *arena, const char *text, size_t length, struct cordon_error *err)
{
	char *copy = arena_text(arena, length + 1, err);

	if (copy != NULL)
		memcpy(copy, text, length);
	return copy;
}

char *
arena_strdup(struct arena *arena, const char *text, struct cordon_error *err)
{
	return arena_strndup(arena, text, strlen(text), err);
}

char *
arena_vprintf(struct arena *arena, struct cordon_error *err, const char *format, va_list args)
{
	char at_once[256]; /* nearly always large enough to format only once */
	va_list again;
	char *text;
	int length;

	va_copy(again, args);
	length = vsnprintf(at_once, sizeof at_once, format, args);
	if (length < 0)
		cordon_no_memory(err);
	text = length < 0 ? NULL : arena_text(arena, (size_t)length + 1, err);
	if (text != NULL && length < (int)sizeof at_once)
		memcpy(text, at_once, (size_t)length);
	else if (text != NULL)
		vsnprintf(text, (size_t)length + 1, format, again);
	va_end(again);
	return text;
}

char *
arena_printf(struct arena *arena, struct cordon_error *err, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = arena_vprintf(arena, err, format, args);
	va_end(args);
	return text;
}

void
arena_free(struct arena *arena)
{
	struct arena_chunk *chunk = arena->head;

	while (chunk != NULL) {
		struct arena_chunk *next = chunk->next;

		free(chunk);
		chunk = next;
	}
	arena->head = NULL;
}

void *
arena_push(struct arena *arena, void *items, size_t *count, size_t size, struct cordon_error *err)
{
	void **array = items;
	size_t n = *count;

	/* the array is full when count is 0 or a power of two from 4 on */
	if (n == 0 || (n >= 4 && (n & (n - 1)) == 0)) {
		void *grown = arena_alloc(arena, (n == 0 ? 4 : n * 2) * size, err);

		if (grown == NULL)
			return NULL;
		if (n != 0)
			memcpy(grown, *array, n * size);
		*array = grown;
	}
	(*count)++;
	return (char *)*array + n * size;
}

void *
arena_array(struct arena *arena, size_t count, size_t size, struct cordon_error *err)
{
	size_t room = 4;

	while (room < count)
		room *= 2;
	return arena_alloc(arena, room * size, err);
}
