// SPDX-License-Identifier: MIT
/*
 * Text on its way out: to a terminal, into JSON, into an error. Names are chosen by whoever made the
 * file, so every byte sequence is a case, and none may drive a terminal or break the form.
 */
#include <stdlib.h>

#include "base/array.h"
#include "base/ascii.h"
#include "base/json.h"
#include "base/str.h"
#include "base/utf8.h"
#include "tap.h"

struct text_case {
	const char *text, *visible, *json, *error;
};

static const struct text_case cases[] = {
	{"plain \\ \"", "plain \\ \"", "\"plain \\\\ \\\"\"", "plain \\ \""},
	{"h\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", "h\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80",
	 "\"h\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\"", "h\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"},
	{"a\n\t\x1b[2J\x7f", "a\\x0a\\x09\\x1b[2J\\x7f", "\"a\\n\\t\\u001b[2J\\u007f\"",
	 "a???[2J?"},
	/* CSI as a character, and as the byte some terminals still take */
	{"\xc2\x9b"
	 "2J",
	 "\\u{009b}2J", "\"\\u009b2J\"", "?2J"},
	{"\x9b"
	 "2J",
	 "\\x9b2J", "\"\\ufffd2J\"", "?2J"},
	{"\xc2\x80\xc2\x9f\xc2\xa0", "\\u{0080}\\u{009f}\xc2\xa0", "\"\\u0080\\u009f\xc2\xa0\"",
	 "??\xc2\xa0"},
	/* overlong, surrogate, beyond the last, cut short, not a lead */
	{"\xc0\xaf", "\\xc0\\xaf", "\"\\ufffd\\ufffd\"", "??"},
	{"\xe0\x80\xaf", "\\xe0\\x80\\xaf", "\"\\ufffd\\ufffd\\ufffd\"", "???"},
	{"\xed\xa0\x80", "\\xed\\xa0\\x80", "\"\\ufffd\\ufffd\\ufffd\"", "???"},
	{"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\"", "????"},
	{"\xe2\x82", "\\xe2\\x82", "\"\\ufffd\\ufffd\"", "??"},
	{"\xe2\x82x", "\\xe2\\x82x", "\"\\ufffd\\ufffdx\"", "??x"},
	{"\xff\xc3", "\\xff\\xc3", "\"\\ufffd\\ufffd\"", "??"},
};

static const char *
visible(struct str *s, const char *text)
{
	str_visible(s, text);
	return s->text == NULL ? "" : s->text;
}

static const char *
quoted(struct str *s, const char *text)
{
	str_json(s, text);
	return s->text == NULL ? "" : s->text;
}

static void
every_form_is_made_safe(void)
{
	for (size_t i = 0; i < COUNT(cases); i++) {
		auto_str struct str seen = {0}, json = {0};
		struct cordon_error err = {0};

		check_str(visible(&seen, cases[i].text), cases[i].visible);
		check_str(quoted(&json, cases[i].text), cases[i].json);
		cordon_fail(&err, CORDON_E_PATH, 0, "%s", cases[i].text);
		check_str(err.text, cases[i].error);
	}
}

static void
words_are_quoted_for_a_shell(void)
{
	static const struct {
		const char *text, *word;
	} words[] = {
		{"/a/b-c_.d", "/a/b-c_.d"}, {"", "''"},		  {"a b", "'a b'"},
		{"$(x)", "'$(x)'"},	    {"a'b", "'a'\\''b'"}, {"'", "''\\'''"},
		{"~/x", "'~/x'"},	    {"a\nb", "'a\nb'"},	  {"\xc3\xa9", "\xc3\xa9"},
	};
	static const char *const none[] = {"a b",   "$x",  "'a", "a\\", "\\a",
					   "'a';b", "`x`", "*",	 "a\nb"};

	for (size_t i = 0; i < COUNT(words); i++) {
		auto_str struct str word = {0};

		str_shell(&word, words[i].text);
		check_str(word.text, words[i].word);
		check(str_is_shell_word(word.text));
	}
	for (size_t i = 0; i < COUNT(none); i++)
		check(!str_is_shell_word(none[i]));
}

static void
unseen_and_turning_characters_are_named(void)
{
	static const struct {
		uint32_t first, last;
	} ranges[] = {{0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x2060}, {0x2066, 0x2069},
		      {0xfeff, 0xfeff}, {0x61c, 0x61c},	  {0x80, 0x9f}};

	for (size_t i = 0; i < COUNT(ranges); i++)
		for (uint32_t code = ranges[i].first; code <= ranges[i].last; code++) {
			auto_str struct str seen = {0}, json = {0};
			char text[4] = "", form[16];

			if (code < 0x800) {
				text[0] = (char)(0xc0 | code >> 6);
				text[1] = (char)(0x80 | (code & 0x3f));
			} else {
				text[0] = (char)(0xe0 | code >> 12);
				text[1] = (char)(0x80 | (code >> 6 & 0x3f));
				text[2] = (char)(0x80 | (code & 0x3f));
			}
			snprintf(form, sizeof form, "\\u{%04x}", code);
			check_str(visible(&seen, text), form);
			snprintf(form, sizeof form, "\"\\u%04x\"", code);
			check_str(quoted(&json, text), form);
		}
	check(!utf8_is_unsafe(0x200a) && !utf8_is_unsafe(0x2010) && !utf8_is_unsafe(0x2027));
	check(!utf8_is_unsafe(0x202f) && !utf8_is_unsafe(0x20) && !utf8_is_unsafe(0xa0));
}

/* Three bytes of anything: the reader takes what the writer made, and the error is UTF-8. */
static void
json_of_any_bytes_can_be_read(void)
{
	static const unsigned char bytes[] = {0x01, 0x1b, '"',	'\\', 'a',  0x7f, 0x80, 0x8f,
					      0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc2, 0xdf, 0xe0,
					      0xe2, 0xed, 0xef, 0xf0, 0xf4, 0xf5, 0xff};
	const size_t n = COUNT(bytes);

	for (size_t i = 0; i < n * n * n; i++) {
		const char text[4] = {(char)bytes[i % n], (char)bytes[i / n % n],
				      (char)bytes[i / n / n], '\0'};
		auto_arena struct arena arena = {0};
		auto_str struct str json = {0};
		struct cordon_error err = {0};
		const struct json *value;

		str_json(&json, text);
		check_int(json_read(&arena, "f", json.text, json.length, &value, &err), 0);
	}
}

static bool
is_utf8(const char *text)
{
	size_t left = strlen(text);
	uint32_t code;

	while (left > 0) {
		size_t length = utf8_decode(text, left, &code);

		if (length == 0 || utf8_is_unsafe(code))
			return false;
		text += length;
		left -= length;
	}
	return true;
}

static void
a_cut_error_ends_with_a_whole_character(void)
{
	static const char *const characters[] = {"\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80"};

	for (size_t i = 0; i < COUNT(characters); i++)
		for (int shift = 0; shift < 4; shift++) {
			auto_str struct str text = {0};
			struct cordon_error err = {0};

			while (text.length < 300)
				str_add(&text, characters[i]);
			cordon_fail(&err, CORDON_E_PATH, 2, "%.*s%s", shift, "abc", text.text);
			check(is_utf8(err.text));
			check(strlen(err.text) + strlen(characters[i]) >= sizeof err.text);
			/* what was cut is gone, not questioned */
			check(strchr(err.text, '?') == NULL);
		}
}

/* In the words of strerror, as far as there are some. */
static void
every_errno_has_words(void)
{
	for (int sys = 1; sys < 200; sys++) {
		const char *text = error_errno_text(sys);

		if (strcmp(text, "unknown error") != 0)
			check_str(text, strerror(sys));
	}
	check_str(error_errno_text(2), "No such file or directory");
	check(*error_errno_text(-1) != '\0' && *error_errno_text(99999) != '\0');
}

static void
a_full_error_keeps_its_last_character(void)
{
	struct cordon_error err = {0};
	char text[sizeof err.text] = "";

	memset(text, 'a', sizeof text - 1);
	cordon_fail(&err, CORDON_E_PATH, 0, "%s", text);
	check_str(err.text, text);
	memcpy(text + sizeof text - 5, "\xf0\x9f\x98\x80", 4);
	cordon_fail(&err, CORDON_E_PATH, 0, "%s", text);
	check_str(err.text, text);
}

/* In a buffer of its exact size, so that reading on shows under a sanitizer. */
static void
nothing_is_read_past_the_end(void)
{
	static const char whole[] = "\xf0\x9f\x98\x80";
	uint32_t code = 7;

	for (size_t length = 1; length < 4; length++) {
		auto_free char *cut = malloc(length);

		if (cut == NULL)
			return;
		memcpy(cut, whole, length);
		check_int(utf8_decode(cut, length, &code), 0);
	}
	check_int(utf8_decode(whole, 0, &code), 0);
	check_int(utf8_decode("", 1, &code), 0);
	check_int(code, 7);
	check_int(utf8_decode(whole, 4, &code), 4);
	check_int(code, 0x1f600);
}

static void
letters_are_bytes(void)
{
	check(ascii_same(".GIT", ".git") && ascii_same("", "") && ascii_same("\xc4", "\xc4"));
	check(!ascii_same("git", "gi") && !ascii_same("gi", "git") && !ascii_same("\xc4", "\xe4"));
	/* neighbours of the letters, 32 apart */
	check(!ascii_same("@", "`") && !ascii_same("[", "{"));
	check(ascii_same_n("HEADx", "heady", 4) && !ascii_same_n("HEADx", "heady", 5));
	check(ascii_same_n("a", "A", 9));
	check(ascii_has("x\nInCLUDE", "include") && !ascii_has("includ", "include") &&
	      !ascii_has("", "a"));
	for (int c = -128; c < 128; c++) {
		check(ascii_is_digit((char)c) == (c >= '0' && c <= '9'));
		check(ascii_is_letter((char)c) ==
		      ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')));
	}
}

static void
a_number_is_digits_and_nothing_else(void)
{
	static const char *const bad[] = {"", "-1", "+1", " 1", "1 ", "0x1", "1e3", "x", "256"};
	const char *end = NULL;
	uint64_t number = 7;

	for (size_t i = 0; i < COUNT(bad); i++)
		check(!str_number(bad[i], 255, &number));
	check_int(number, 7);
	check(str_number("255", 255, &number) && number == 255);
	check(str_number("000", 0, &number) && number == 0);
	check(str_number("18446744073709551615", UINT64_MAX, &number) && number == UINT64_MAX);
	check(!str_number("18446744073709551616", UINT64_MAX, &number));
	check(!str_number("99999999999999999999999", UINT64_MAX, &number));
	check(!str_number("1", 0, &number));
	check(str_digits("12ms", 99, &number, &end) && number == 12);
	check_str(end, "ms");
}

int
main(void)
{
	run(every_form_is_made_safe);
	run(words_are_quoted_for_a_shell);
	run(unseen_and_turning_characters_are_named);
	run(json_of_any_bytes_can_be_read);
	run(a_cut_error_ends_with_a_whole_character);
	run(every_errno_has_words);
	run(a_full_error_keeps_its_last_character);
	run(nothing_is_read_past_the_end);
	run(letters_are_bytes);
	run(a_number_is_digits_and_nothing_else);
	return tap_end();
}
