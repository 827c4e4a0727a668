// SPDX-License-Identifier: MIT
/*
 * The JSON reader: what it takes, what it refuses and at which line and column. Hostile text is
 * given in buffers of its exact size, so that reading past the end shows under a sanitizer.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/json.h"
#include "base/str.h"
#include "tap.h"

static int
read_n(struct arena *arena, const char *text, size_t length, const struct json **ret,
       struct cordon_error *err)
{
	auto_free char *exact = malloc(length == 0 ? 1 : length);

	if (exact == NULL)
		return -CORDON_E_MEMORY;
	memcpy(exact, text, length);
	return json_read(arena, "f", exact, length, ret, err);
}

/* Never NULL, so that a failed read shows as failed checks and not as a crash. */
static const struct json *
value_of(struct arena *arena, const char *text)
{
	static const struct json failed = {.type = JSON_NULL, .string = "failed", .key = "failed"};
	struct cordon_error err = {0};
	const struct json *value = NULL;

	if (read_n(arena, text, strlen(text), &value, &err) == 0)
		return value;
	printf("# %s: %s\n", text, err.text);
	tap.failed_checks++;
	return &failed;
}

static const char *
error_of_n(const char *text, size_t length)
{
	static struct cordon_error err;
	auto_arena struct arena arena = {0};
	const struct json *value = NULL;
	int rc;

	err = (struct cordon_error){0};
	rc = read_n(&arena, text, length, &value, &err);
	if (rc == 0)
		return "";
	if (rc != -CORDON_E_SYNTAX || err.code != CORDON_E_SYNTAX || value != NULL)
		return "the error value does not fit the result";
	return err.text;
}

static const char *
error_of(const char *text)
{
	return error_of_n(text, strlen(text));
}

struct row {
	const char *text, *expected;
};

static void
check_errors(const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(error_of(rows[i].text), rows[i].expected) != 0)
			printf("# for %s\n", rows[i].text);
		check_str(error_of(rows[i].text), rows[i].expected);
	}
}

/* ---- errors and their places ---- */

static void
syntax_errors_name_line_and_column(void)
{
	static const struct row rows[] = {
		{"", "f:1:1: text ends where a value is expected"},
		{"  \n ", "f:2:2: text ends where a value is expected"},
		{"// nothing", "f:1:11: text ends where a value is expected"},
		{"?", "f:1:1: a value is expected here"},
		{"tru", "f:1:1: a value is expected here"},
		{"True", "f:1:1: a value is expected here"},
		{"nul", "f:1:1: a value is expected here"},
		{"'a'", "f:1:1: a value is expected here"},
		{"truefalse", "f:1:5: nothing more is expected after the value"},
		{"{} {}", "f:1:4: nothing more is expected after the value"},
		{"1 2", "f:1:3: nothing more is expected after the value"},
		{"{}\n]", "f:2:1: nothing more is expected after the value"},
		{"1,", "f:1:2: nothing more is expected after the value"},
		{"[", "f:1:2: text ends where a value is expected"},
		{"[1", "f:1:3: text ends inside a list"},
		{"[1,", "f:1:4: text ends where a value is expected"},
		{"[1 2]", "f:1:4: \",\" or \"]\" is expected here"},
		{"[1}", "f:1:3: \",\" or \"]\" is expected here"},
		{"[,]", "f:1:2: a value is expected here"},
		{"[1,,]", "f:1:4: a value is expected here"},
		{"{", "f:1:2: text ends inside an object"},
		{"{\"a\"", "f:1:5: \":\" is expected after \"a\""},
		{"{\"a\" 1}", "f:1:6: \":\" is expected after \"a\""},
		{"{\"a\":", "f:1:6: text ends where a value is expected"},
		{"{\"a\":}", "f:1:6: a value is expected here"},
		{"{\"a\":1", "f:1:7: text ends inside an object"},
		{"{\"a\":1,", "f:1:8: text ends inside an object"},
		{"{\"a\":1]", "f:1:7: \",\" or \"}\" is expected here"},
		{"{\"a\":1 \"b\":2}", "f:1:8: \",\" or \"}\" is expected here"},
		{"{,}", "f:1:2: a key in double quotes is expected here"},
		{"{a:1}", "f:1:2: a key in double quotes is expected here"},
		{"{1:1}", "f:1:2: a key in double quotes is expected here"},
		{"{\n  \"a\": 1,\n  'b': 2}", "f:3:3: a key in double quotes is expected here"},
	};

	check_errors(rows, COUNT(rows));
}

static void
string_errors_name_line_and_column(void)
{
	static const struct row rows[] = {
		{"[\n \"abc", "f:2:2: this string has no end"},
		{"\"a\\", "f:1:4: text ends inside a string"},
		{"\"a\\\"", "f:1:1: this string has no end"},
		{"\"a\nb\"", "f:1:3: control character in a string; write it as an escape"},
		{"\"a\tb\"", "f:1:3: control character in a string; write it as an escape"},
		{"\"\x1f\"", "f:1:2: control character in a string; write it as an escape"},
		{"\"\\x41\"", "f:1:3: unknown escape \\x"},
		{"\"\\'\"", "f:1:3: unknown escape \\'"},
		{"\"\\N\"", "f:1:3: unknown escape \\N"},
		{"\"\\u12g4\"", "f:1:6: \\u needs four hexadecimal digits"},
		{"\"\\u12", "f:1:6: \\u needs four hexadecimal digits"},
		{"\"\\u\"", "f:1:4: \\u needs four hexadecimal digits"},
		{"\"\\u0000\"", "f:1:8: \\u0000 is not allowed"},
		{"\"\\ud800\"", "f:1:8: half of a surrogate pair"},
		{"\"\\ud800x\"", "f:1:8: half of a surrogate pair"},
		{"\"\\ud800\\n\"", "f:1:8: half of a surrogate pair"},
		{"\"\\ud800\\u0041\"", "f:1:14: half of a surrogate pair"},
		{"\"\\ud800\\ud800\"", "f:1:14: half of a surrogate pair"},
		{"\"\\udc00\"", "f:1:8: half of a surrogate pair"},
		{"\"\\udfff\\ud800\"", "f:1:8: half of a surrogate pair"},
		{"\"\\ud83d\\u12\"", "f:1:12: \\u needs four hexadecimal digits"},
	};

	check_errors(rows, COUNT(rows));
}

static void
numbers_follow_the_grammar_of_json(void)
{
	static const struct row rows[] = {
		{"-", "f:1:2: a number needs digits here"},
		{"-a", "f:1:2: a number needs digits here"},
		{"--1", "f:1:2: a number needs digits here"},
		{"+1", "f:1:1: a value is expected here"},
		{".5", "f:1:1: a value is expected here"},
		{"01", "f:1:3: a number must not start with 0"},
		{"-00", "f:1:4: a number must not start with 0"},
		{"1.", "f:1:3: a number needs digits after its point"},
		{"1.e5", "f:1:3: a number needs digits after its point"},
		{"1e", "f:1:3: a number needs digits in its exponent"},
		{"1e+", "f:1:4: a number needs digits in its exponent"},
		{"1E-x", "f:1:4: a number needs digits in its exponent"},
		{"0x10", "f:1:2: nothing more is expected after the value"},
		{"1_000", "f:1:2: nothing more is expected after the value"},
		{"1.2.3", "f:1:4: nothing more is expected after the value"},
		{"Infinity", "f:1:1: a value is expected here"},
		{"NaN", "f:1:1: a value is expected here"},
		{"-Infinity", "f:1:2: a number needs digits here"},
	};

	check_errors(rows, COUNT(rows));
}

static void
whole_numbers_are_exact_and_others_are_not_whole(void)
{
	static const struct {
		const char *text;
		bool whole;
		long long integer;
	} rows[] = {
		{"0", true, 0},
		{"-0", true, 0},
		{"7", true, 7},
		{"-65535", true, -65535},
		{"999999999999999999", true, 999999999999999999},
		{"-999999999999999999", true, -999999999999999999},
		{"9223372036854775808", false, 0},
		{"100000000000000000000000000000000", false, 0},
		{"1.0", false, 0},
		{"0.5", false, 0},
		{"1e3", false, 0},
		{"1E-3", false, 0},
		{"12.5e+10", false, 0},
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		auto_arena struct arena arena = {0};
		const struct json *value = value_of(&arena, rows[i].text);

		check_int(value->type, JSON_NUMBER);
		check_int(value->whole, rows[i].whole);
		if (rows[i].whole)
			check_int(value->integer, rows[i].integer);
	}
}

/* ---- what goes beyond plain JSON ---- */

static void
comments_are_allowed_wherever_space_is(void)
{
	static const char *const texts[] = {
		"// a\n[1, 2]",
		"[1, 2] // to the end",
		"/**/[/* a */1/* b */,/***/2/* c\n d */]/* e */",
		"[1 // one\n, // and\n 2 // two\n]",
		"/* // */[1,2]",
		"// /*\n[1,2]",
		"[1,2]//",
		"/* \xc3\xa9 \xf0\x9f\x98\x80 */ [1, 2]",
	};
	static const struct row bad[] = {
		{"[1,\n  /* a", "f:2:3: this comment has no end"},
		{"/*/", "f:1:1: this comment has no end"},
		{"[1 /* *", "f:1:4: this comment has no end"},
		{"[1 / 2]", "f:1:4: \",\" or \"]\" is expected here"},
		{"/", "f:1:1: a value is expected here"},
		{"# a\n1", "f:1:1: a value is expected here"},
		{"tr/**/ue", "f:1:1: a value is expected here"},
	};

	for (size_t i = 0; i < COUNT(texts); i++) {
		auto_arena struct arena arena = {0};
		const struct json *value = value_of(&arena, texts[i]);

		check_int(value->type, JSON_ARRAY);
		check_int(value->count, 2);
	}
	check_errors(bad, COUNT(bad));
}

static void
a_comment_inside_a_string_is_text(void)
{
	auto_arena struct arena arena = {0};

	check_str(value_of(&arena, "\"https://a/*b*/\"")->string, "https://a/*b*/");
}

static void
one_trailing_comma_is_taken_and_counts_nothing(void)
{
	auto_arena struct arena arena = {0};

	check_int(value_of(&arena, "[1,]")->count, 1);
	check_int(value_of(&arena, "[1, // last\n]")->count, 1);
	check_int(value_of(&arena, "{\"a\":1,}")->count, 1);
	check_int(value_of(&arena, "{\"a\":[1,2,],\n}")->first->count, 2);
	check_str(error_of("{\"a\":1,,}"), "f:1:8: a key in double quotes is expected here");
}

static void
a_byte_order_mark_is_skipped_once_and_in_front_only(void)
{
	auto_arena struct arena arena = {0};
	const struct json *value = value_of(&arena, "\xef\xbb\xbf{\"a\": 1}");

	check_int(value->column, 1);
	check_int(value->first->column, 7);
	check_str(error_of("\xef\xbb\xbf?"), "f:1:1: a value is expected here");
	check_str(error_of("\xef\xbb\xbf\xef\xbb\xbf{}"), "f:1:1: a value is expected here");
	check_str(error_of("{}\xef\xbb\xbf"), "f:1:3: nothing more is expected after the value");
	check_str(error_of("\xef\xbb"), "f:1:1: not valid UTF-8 here");
	check_str(error_of("\xef\xbb\xbf"), "f:1:1: text ends where a value is expected");
}

/* ---- strings ---- */

static void
escapes_become_their_characters(void)
{
	static const struct row rows[] = {
		{"\"\"", ""},
		{"\"plain\"", "plain"},
		{"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t"},
		{"\"\\u0041\\u006a\\u006A\"", "Ajj"},
		{"\"\\u007f\"", "\x7f"},
		{"\"\\u0080\"", "\xc2\x80"},
		{"\"\\u07ff\"", "\xdf\xbf"},
		{"\"\\u0800\"", "\xe0\xa0\x80"},
		{"\"\\ud7ff\"", "\xed\x9f\xbf"},
		{"\"\\ue000\"", "\xee\x80\x80"},
		{"\"\\uffff\"", "\xef\xbf\xbf"},
		{"\"\\ud800\\udc00\"", "\xf0\x90\x80\x80"},
		{"\"\\ud83d\\ude00!\"", "\xf0\x9f\x98\x80!"},
		{"\"\\udbff\\udfff\"", "\xf4\x8f\xbf\xbf"},
		{"\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\"",
		 "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"},
		{"\"it's\"", "it's"},
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		auto_arena struct arena arena = {0};
		const struct json *value = value_of(&arena, rows[i].text);

		check_int(value->type, JSON_STRING);
		check_str(value->string, rows[i].expected);
	}
}

static void
invalid_utf8_of_each_kind_is_refused_where_it_stands(void)
{
	static const char *const bad[] = {
		"\x80", /* a continuation alone */
		"\xbf",
		"\xc3", /* cut: followed by the quote */
		"\xe2\x82",
		"\xf0\x9f\x98",
		"\xc0\xaf", /* overlong slash */
		"\xc1\xbf",
		"\xe0\x80\xaf",
		"\xe0\x9f\xbf",
		"\xf0\x80\x80\xaf",
		"\xf0\x8f\xbf\xbf",
		"\xed\xa0\x80", /* surrogates */
		"\xed\xbf\xbf",
		"\xf4\x90\x80\x80", /* beyond U+10FFFF */
		"\xf5\x80\x80\x80",
		"\xf8\x88\x80\x80\x80",
		"\xfe",
		"\xff",
		"\xe2\x28\xa1", /* broken in the middle */
		"\xf0\x9f\x28\x80",
	};

	for (size_t i = 0; i < COUNT(bad); i++) {
		char text[32];

		snprintf(text, sizeof text, "[\n\"\xc3\xa9%s\"]", bad[i]);
		check_str(error_of(text), "f:2:3: not valid UTF-8 here");
		snprintf(text, sizeof text, "[1] // %s", bad[i]);
		check_str(error_of(text), "f:1:8: not valid UTF-8 here");
		check_str(error_of(bad[i]), "f:1:1: not valid UTF-8 here");
	}
}

static void
the_edges_of_utf8_are_taken(void)
{
	static const char *const good[] = {"\xc2\x80",	       "\xdf\xbf",	   "\xe0\xa0\x80",
					   "\xed\x9f\xbf",     "\xee\x80\x80",	   "\xef\xbf\xbf",
					   "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf", "\x7f"};

	for (size_t i = 0; i < COUNT(good); i++) {
		auto_arena struct arena arena = {0};
		char text[16];

		snprintf(text, sizeof text, "\"%s\"", good[i]);
		check_str(value_of(&arena, text)->string, good[i]);
	}
}

static void
nul_bytes_are_refused_wherever_they_stand(void)
{
	check_str(error_of_n("\0", 1), "f:1:1: NUL byte in policy text");
	check_str(error_of_n("{}\0", 3), "f:1:3: NUL byte in policy text");
	check_str(error_of_n("[\n\"a\0b\"]", 8), "f:2:3: NUL byte in policy text");
	check_str(error_of_n("// \0\n1", 6), "f:1:4: NUL byte in policy text");
	check_str(error_of_n("{}", 2), "");
}

/* ---- keys ---- */

static void
a_duplicate_key_is_refused_at_the_second_one(void)
{
	static const struct row rows[] = {
		{"{\"a\":1,\"a\":2}", "f:1:8: \"a\" is a duplicate key, first in line 1"},
		{"{\"a\":1,\n \"b\":2,\n  \"a\":3}",
		 "f:3:3: \"a\" is a duplicate key, first in line 1"},
		{"{\"a\":1,\n\"\\u0061\":2}", "f:2:1: \"a\" is a duplicate key, first in line 1"},
		{"{\"\\u0061\":1,\n\"a\":2}", "f:2:1: \"a\" is a duplicate key, first in line 1"},
		{"{\"\":1,\"\":2}", "f:1:7: \"\" is a duplicate key, first in line 1"},
		{"[{\"x\":{\"k\":1,\"k\":1}}]", "f:1:14: \"k\" is a duplicate key, first in line "
						"1"},
		{"{\"/\":1,\"\\/\":2}", "f:1:8: \"/\" is a duplicate key, first in line 1"},
	};

	check_errors(rows, COUNT(rows));
}

static void
like_keys_in_different_objects_and_cases_are_fine(void)
{
	auto_arena struct arena arena = {0};

	check_int(value_of(&arena, "{\"a\":{\"a\":1},\"b\":{\"a\":1}}")->count, 2);
	check_int(value_of(&arena, "[{\"a\":1},{\"a\":1}]")->count, 2);
	check_int(value_of(&arena, "{\"a\":1,\"A\":2,\"\xc3\xa1\":3}")->count, 3);
}

static void
a_member_is_found_by_its_key(void)
{
	auto_arena struct arena arena = {0};
	const struct json *value = value_of(&arena, "{\"a\":1,\"b\":[2],\"\\u0063\":\"x\"}");

	check_int(json_member(value, "a")->integer, 1);
	check_int(json_member(value, "b")->type, JSON_ARRAY);
	check_str(json_member(value, "c")->string, "x");
	check(json_member(value, "d") == NULL);
	check(json_member(value, "") == NULL);
}

/* ---- places ---- */

static void
every_value_and_key_has_its_position(void)
{
	auto_arena struct arena arena = {0};
	const struct json *value =
		value_of(&arena, "\n {\"a\" :\n   [true,\r\n\tnull], \"b\": {}}");
	const struct json *a = value->first, *b = a->next;

	check_int(value->line, 2);
	check_int(value->column, 2);
	check_int(a->key_line, 2);
	check_int(a->key_column, 3);
	check_int(a->line, 3);
	check_int(a->column, 4);
	check_int(a->first->column, 5);
	check_int(a->first->next->line, 4);
	check_int(a->first->next->column, 2);
	check_int(b->key_line, 4);
	check_int(b->key_column, 9);
	check_int(b->column, 14);
	check(b->next == NULL);
}

static void
columns_count_characters_not_bytes(void)
{
	auto_arena struct arena arena = {0};
	const struct json *value =
		value_of(&arena, "[\"\xc3\xa9\", /* \xe2\x82\xac */ \"\xf0\x9f\x98\x80\", 1]");
	const struct json *second = value->first->next;

	check_int(value->first->column, 2);
	check_int(second->column, 15);
	check_int(second->next->column, 20);
	check_str(error_of("[\"\xc3\xa9\xc3\xa9\" ?"), "f:1:7: \",\" or \"]\" is expected here");
	check_str(error_of("{\"\xf0\x9f\x98\x80\": ?}"), "f:1:7: a value is expected here");
}

static void
types_have_names_for_messages(void)
{
	static const struct row rows[] = {{"null", "null"},  {"true", "true or false"},
					  {"1", "a number"}, {"\"\"", "a string"},
					  {"[]", "a list"},  {"{}", "an object"}};

	for (size_t i = 0; i < COUNT(rows); i++) {
		auto_arena struct arena arena = {0};

		check_str(json_type_name(value_of(&arena, rows[i].text)), rows[i].expected);
	}
}

/* ---- limits ---- */

/* depth containers in each other, the innermost empty; objects where object is set. */
static const char *
error_at_depth(int depth, bool object)
{
	auto_str struct str text = {0};

	for (int i = 1; i < depth; i++)
		str_add(&text, object ? "{\"a\":" : "[");
	str_add(&text, object ? "{" : "[");
	for (int i = 0; i < depth; i++)
		str_add(&text, object ? "}" : "]");
	return error_of(text.text);
}

static void
sixty_four_deep_is_taken_and_sixty_five_is_not(void)
{
	check_int(JSON_DEPTH_MAX, 64);
	check_str(error_at_depth(64, false), "");
	check_str(error_at_depth(64, true), "");
	check_str(error_at_depth(65, false), "f:1:65: nested more than 64 deep");
	check_str(error_at_depth(65, true), "f:1:321: nested more than 64 deep");
}

static void
depth_is_of_nesting_not_of_count(void)
{
	auto_str struct str text = {0};

	str_add(&text, "[");
	for (int i = 0; i < 1000; i++)
		str_add(&text, "[{}],");
	str_add(&text, "]");
	check_str(error_of(text.text), "");
}

static void
a_million_open_brackets_end_quickly(void)
{
	auto_free char *text = malloc(1000000);

	memset(text, '[', 1000000);
	check_str(error_of_n(text, 1000000), "f:1:65: nested more than 64 deep");
}

static void
four_mebibytes_are_read_and_one_byte_more_is_not(void)
{
	auto_free char *text = malloc(JSON_SIZE_MAX + 1);

	check_int(JSON_SIZE_MAX, 4 << 20);
	memset(text, ' ', JSON_SIZE_MAX + 1);
	text[0] = '1';
	check_str(error_of_n(text, JSON_SIZE_MAX), "");
	check_str(error_of_n(text, JSON_SIZE_MAX + 1), "f:1:1: larger than 4 MiB");
	memset(text, 'a', JSON_SIZE_MAX);
	text[0] = text[JSON_SIZE_MAX - 1] = '"';
	check_str(error_of_n(text, JSON_SIZE_MAX), "");
}

/* With a comparison of each pair this would take hours. */
static void
an_object_of_200000_keys_is_read(void)
{
	auto_arena struct arena arena = {0};
	auto_str struct str text = {0};
	const struct json *value;

	str_add(&text, "{");
	for (int i = 0; i < 200000; i++)
		str_printf(&text, "\"k%d\":%d,\n", i, i % 10);
	value = value_of(&arena, (str_add(&text, "}"), text.text));
	check_int(value->count, 200000);
	text.length -= 1;
	str_add(&text, "\"k100\":0}");
	check_str(error_of(text.text), "f:200001:1: \"k100\" is a duplicate key, first in line "
				       "101");
}

static void
every_prefix_of_a_text_fails_cleanly(void)
{
	static const char text[] =
		"{\"a\": [1, -2.5e+3, \"\\ud83d\\ude00\", true, null], /* c */ \"b\": "
		"{\"c\": \"\xc3\xa9\"}, // d\n}";

	check_str(error_of(text), "");
	for (size_t i = 0; i < sizeof text - 1; i++)
		check(*error_of_n(text, i) != '\0');
}

static void
a_failure_needs_no_error_value(void)
{
	auto_arena struct arena arena = {0};
	const struct json *value = NULL;

	check_int(json_read(&arena, "f", "[", 1, &value, NULL), -CORDON_E_SYNTAX);
	check_int(json_read(&arena, "f", "[]", 2, &value, NULL), 0);
	check(value != NULL);
}

static void
a_message_is_one_line_whatever_the_file_is_called(void)
{
	auto_arena struct arena arena = {0};
	const struct json *value = NULL;
	struct cordon_error err = {0};
	char name[2000];

	json_read(&arena, "a\nb\x1b[2J", "{\"x\ty\":", 7, &value, &err);
	check(strpbrk(err.text, "\n\x1b\t") == NULL);
	memset(name, 'n', sizeof name - 1);
	name[sizeof name - 1] = '\0';
	json_read(&arena, name, "[1 2]", 5, &value, &err);
	check(strstr(err.text, "n:1:4: \",\" or \"]\" is expected here") != NULL);
	check_int(err.line, 1);
	check_int(err.column, 4);
}

int
main(void)
{
	run(syntax_errors_name_line_and_column);
	run(string_errors_name_line_and_column);
	run(numbers_follow_the_grammar_of_json);
	run(whole_numbers_are_exact_and_others_are_not_whole);
	run(comments_are_allowed_wherever_space_is);
	run(a_comment_inside_a_string_is_text);
	run(one_trailing_comma_is_taken_and_counts_nothing);
	run(a_byte_order_mark_is_skipped_once_and_in_front_only);
	run(escapes_become_their_characters);
	run(invalid_utf8_of_each_kind_is_refused_where_it_stands);
	run(the_edges_of_utf8_are_taken);
	run(nul_bytes_are_refused_wherever_they_stand);
	run(a_duplicate_key_is_refused_at_the_second_one);
	run(like_keys_in_different_objects_and_cases_are_fine);
	run(a_member_is_found_by_its_key);
	run(every_value_and_key_has_its_position);
	run(columns_count_characters_not_bytes);
	run(types_have_names_for_messages);
	run(sixty_four_deep_is_taken_and_sixty_five_is_not);
	run(depth_is_of_nesting_not_of_count);
	run(a_million_open_brackets_end_quickly);
	run(four_mebibytes_are_read_and_one_byte_more_is_not);
	run(an_object_of_200000_keys_is_read);
	run(every_prefix_of_a_text_fails_cleanly);
	run(a_failure_needs_no_error_value);
	run(a_message_is_one_line_whatever_the_file_is_called);
	return tap_end();
}
