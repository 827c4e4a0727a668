// SPDX-License-Identifier: MIT
/*
 * The JSON reader. Every accepted text gives a sound tree: correct counts, positions inside the text,
 * unique keys, depth within the limit.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(int condition)
{
	if (!condition)
		abort();
}

static void check_value(const struct json *value, size_t size, int depth);

static void
check_inside(const struct json *value, size_t size, int depth)
{
	size_t count = 0;

	for (const struct json *m = value->first; m != NULL; m = m->next) {
		must((m->key != NULL) == (value->type == JSON_OBJECT));
		must(m->key == NULL || json_member(value, m->key) == m);
		must(m->line >= value->line);
		check_value(m, size, depth + 1);
		count++;
	}
	must(count == value->count);
}

static void
check_value(const struct json *value, size_t size, int depth)
{
	must(depth <= JSON_DEPTH_MAX + 1);
	must(value->line >= 1 && value->line <= size + 1);
	must(value->column >= 1 && value->column <= size + 1);
	must(value->type != JSON_STRING || strlen(value->string) <= size * 3);
	must(value->type != JSON_BOOL || value->integer == 0 || value->integer == 1);
	must(strlen(json_type_name(value)) > 0);
	if (value->type == JSON_ARRAY || value->type == JSON_OBJECT)
		check_inside(value, size, depth);
	else
		must(value->first == NULL && value->count == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_arena struct arena arena = {0};
	struct cordon_error err = {0};
	const struct json *value = NULL;
	int rc = json_read(&arena, "input", (const char *)data, size, &value, &err);

	must(rc <= 0);
	if (rc < 0)
		must(err.code == -rc && strlen(err.text) > 0);
	else
		check_value(value, size, 0);
	return 0;
}
