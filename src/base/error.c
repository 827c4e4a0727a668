// SPDX-License-Identifier: MIT
/*
 * Errors as plain values. No heap and no locale, so that a failure after fork or without memory is
 * reported like any other. The text is one line of valid UTF-8 without characters that a terminal
 * acts on.
 */
#include "base/os.h"

#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/utf8.h"

/* A file name longer than this is cut from the left, so that the message itself always fits. */
#define PLACE_MAX 100

/* Removes the last character if the end of the buffer cut it. */
static void
drop_half(char *text, size_t length)
{
	size_t back = 1;
	uint32_t code;

	while (back < 4 && back < length && ((unsigned char)text[length - back] & 0xc0) == 0x80)
		back++;
	if (utf8_decode(text + length - back, back, &code) == 0)
		text[length - back] = '\0';
}

/* Replaces each unsafe character by one '?'. Works in place: the text never grows. */
static void
one_line(char *text)
{
	char *to = text;
	size_t left = strlen(text), length;
	uint32_t code;

	for (; left > 0; text += length, left -= length) {
		length = utf8_decode(text, left, &code);
		if (length == 0 || utf8_is_unsafe(code)) {
			length = length == 0 ? 1 : length;
			*to++ = '?';
			continue;
		}
		memmove(to, text, length);
		to += length;
	}
	*to = '\0';
}

const char *
error_errno_text(int sys)
{
	const char *text = os_errno_text(sys);

	return text == NULL ? "unknown error" : text;
}

static int
fill(struct cordon_error *err, enum cordon_code code, int sys, size_t used, const char *format,
     va_list args)
{
	if (err == NULL)
		return -(int)code;
	err->code = (int32_t)code;
	err->sys = sys;
	vsnprintf(err->text + used, sizeof err->text - used, format, args);
	used = strlen(err->text);
	if (sys != 0)
		snprintf(err->text + used, sizeof err->text - used, ": %s", error_errno_text(sys));
	if (strlen(err->text) == sizeof err->text - 1)
		drop_half(err->text, sizeof err->text - 1);
	one_line(err->text);
	return -(int)code;
}

int
cordon_fail(struct cordon_error *err, enum cordon_code code, int sys, const char *format, ...)
{
	va_list args;
	int rc;

	if (err != NULL)
		err->line = err->column = 0;
	va_start(args, format);
	rc = fill(err, code, sys, 0, format, args);
	va_end(args);
	return rc;
}

static size_t
write_place(struct cordon_error *err, const char *file, uint32_t line, uint32_t column)
{
	size_t length = strlen(file);
	const char *dots = "";

	err->line = (int32_t)line;
	err->column = (int32_t)column;
	if (length > PLACE_MAX) {
		file += length - PLACE_MAX;
		/* not in the middle of a UTF-8 character */
		while ((*file & 0xc0) == 0x80)
			file++;
		dots = "...";
	}
	if (line == 0)
		snprintf(err->text, sizeof err->text, "%s%s: ", dots, file);
	else
		snprintf(err->text, sizeof err->text, "%s%s:%u:%u: ", dots, file, line, column);
	return strlen(err->text);
}

int
cordon_fail_at(struct cordon_error *err, enum cordon_code code, const char *file, uint32_t line,
	       uint32_t column, const char *format, ...)
{
	va_list args;
	int rc;

	va_start(args, format);
	rc = fill(err, code, 0, err != NULL ? write_place(err, file, line, column) : 0, format,
		  args);
	va_end(args);
	return rc;
}

int
cordon_no_memory(struct cordon_error *err)
{
	return cordon_fail(err, CORDON_E_MEMORY, 0, "out of memory");
}

bool
error_errno_is_fault(int sys)
{
	static const int faults[] = {ENOMEM, EMFILE, ENFILE, EIO, ENOSPC, ENOBUFS, EAGAIN, EINTR};

	for (size_t i = 0; i < COUNT(faults); i++)
		if (faults[i] == sys)
			return true;
	return false;
}
