// SPDX-License-Identifier: MIT
/* Edits by offsets: nothing is printed again that was not asked to be changed. */
#include "base/json_edit.h"

#include <string.h>

static bool
is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* The white space at the beginning of the line with this offset. */
static size_t
indent_of(const char *text, size_t at, size_t *ret_start)
{
	size_t start = at, end;

	while (start > 0 && text[start - 1] != '\n')
		start--;
	for (end = start; text[end] == ' ' || text[end] == '\t';)
		end++;
	*ret_start = start;
	return end - start;
}

static void
add_item(const char *key, const char *value, struct str *to)
{
	if (key != NULL) {
		str_json(to, key);
		str_add(to, ": ");
	}
	str_add(to, value);
}

/* Before the first item, which gets a line of its own if it has one. */
static void
insert_before(const char *text, const struct json *first, const char *key, const char *value,
	      struct str *to)
{
	size_t from = first->key_start;

	while (is_space(text[from - 1]) && text[from - 1] != '\n')
		from--;
	str_add_n(to, text, first->key_start);
	add_item(key, value, to);
	str_add(to, text[from - 1] == '\n' ? ",\n" : ", ");
	if (text[from - 1] == '\n')
		str_add_n(to, text + from, first->key_start - from);
	str_add(to, text + first->key_start);
}

void
json_edit_insert(const char *text, const struct json *container, const char *key, const char *value,
		 struct str *to)
{
	size_t start, indent = indent_of(text, container->start, &start);

	if (container->first != NULL) {
		insert_before(text, container->first, key, value, to);
		return;
	}
	str_add_n(to, text, container->start + 1);
	str_add(to, "\n");
	str_add_n(to, text + start, indent);
	str_add(to, indent > 0 && text[start] == '\t' ? "\t" : "  ");
	add_item(key, value, to);
	str_add(to, "\n");
	str_add_n(to, text + start, indent);
	str_add(to, text + container->start + 1);
}

void
json_edit_delete(const char *text, const struct json *item, struct str *to)
{
	size_t from = item->key_start, end = item->end;

	while (is_space(text[end]))
		end++;
	if (text[end] == ',') {
		for (end++; is_space(text[end]);)
			end++;
	} else {
		while (from > 0 && is_space(text[from - 1]))
			from--;
		/* the last item: the comma before it goes, and the line break behind it stays */
		if (from > 0 && text[from - 1] == ',') {
			from--;
			end = item->end;
		}
	}
	str_add_n(to, text, from);
	str_add(to, text + end);
}

void
json_edit_replace(const char *text, const struct json *item, const char *value, struct str *to)
{
	str_add_n(to, text, item->start);
	str_add(to, value);
	str_add(to, text + item->end);
}
