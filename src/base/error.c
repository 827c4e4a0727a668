// SPDX-License-Identifier: MIT
/*
 * Errors as plain values. No heap and no locale, so that a failure after fork or out of memory is
 * reported like any other. Control characters never reach the text: it is one line on a terminal.
 */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A place longer than this is cut from the left, so that the message itself always fits. */
#define PLACE_MAX 100

static void
one_line(char *text)
{
	for (; *text != '\0'; text++)
		if ((unsigned char)*text < 0x20 || *text == 0x7f)
			*text = '?';
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
		snprintf(err->text + used, sizeof err->text - used, ": %s", strerror(sys));
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
