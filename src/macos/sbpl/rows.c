// SPDX-License-Identifier: MIT
/*
 * Compiles line by line, and a line that does not compile operation by operation. Text between the lines is
 * kept: comments, the version and the default.
 */
#include "macos/sbpl/rows.h"

#include <stdlib.h>
#include <string.h>

/* Each line is tried under the same default as in the profile. */
#define HEAD "(version 1)\n(deny default)\n"
#define OPERATION_LETTERS "abcdefghijklmnopqrstuvwxyz-*"

struct dropping {
	struct sbpl *sbpl;
	const struct sbpl_compiler *compiler;
	const bool *accept;
	struct str text, dropped;
	struct cordon_error *err;
};

static int
try_text(const struct dropping *d, const char *text, size_t length, bool *ret_compiles)
{
	auto_str struct str whole = {0};

	str_add(&whole, HEAD);
	str_add_n(&whole, text, length);
	if (whole.failed)
		return cordon_no_memory(d->err);
	*ret_compiles = d->compiler->compiles(d->compiler->context, whole.text);
	return 0;
}

static int
drop(struct dropping *d, const char *operation, size_t length, enum guarantee guarantee)
{
	if (guarantee != G_COUNT && (d->accept == NULL || !d->accept[guarantee]))
		return cordon_fail(d->err, CORDON_E_GAP, 0,
				   "%s cannot be enforced here: this macOS does not know %.*s; "
				   "or --accept %s",
				   guarantee_names[guarantee], (int)length, operation,
				   guarantee_names[guarantee]);
	str_add(&d->dropped, d->dropped.length == 0 ? "" : ", ");
	str_add_n(&d->dropped, operation, length);
	return 0;
}

/* "(deny a b FILTER)": tries "(deny a FILTER)" and "(deny b FILTER)", and adds those that compile. */
static int
add_by_operation(struct dropping *d, const struct sbpl_row *row, const char *text)
{
	size_t action = strcspn(text, " ") + 1;
	const char *end = text + action, *rest;
	int rc = 0;

	while (*end != '\0' && strspn(end, OPERATION_LETTERS) > 0)
		end += strspn(end, OPERATION_LETTERS) +
		       (end[strspn(end, OPERATION_LETTERS)] == ' ');
	rest = end[-1] == ' ' ? end - 1 : end;
	for (const char *at = text + action; rc == 0 && at < rest;) {
		size_t length = strspn(at, OPERATION_LETTERS);
		auto_str struct str one = {0};
		bool compiles = false;

		str_add_n(&one, text, action);
		str_add_n(&one, at, length);
		str_add_n(&one, rest, (size_t)(text + row->length - rest));
		if (one.failed)
			return cordon_no_memory(d->err);
		rc = try_text(d, one.text, one.length, &compiles);
		if (rc == 0 && compiles)
			str_add_n(&d->text, one.text, one.length);
		else if (rc == 0)
			rc = drop(d, at, length, row->guarantee);
		at += length + (at[length] == ' ');
	}
	return rc;
}

static int
add_row(struct dropping *d, const struct sbpl_row *row)
{
	const char *text = d->sbpl->text + row->from;
	bool compiles = false;
	int rc = try_text(d, text, row->length, &compiles);

	if (rc == 0 && !compiles)
		return add_by_operation(d, row, text);
	str_add_n(&d->text, text, row->length);
	return rc;
}

static int
add_rows(struct dropping *d)
{
	const struct sbpl *sbpl = d->sbpl;
	size_t done = 0;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < sbpl->row_count; i++) {
		const struct sbpl_row *row = &sbpl->rows[i];

		str_add_n(&d->text, sbpl->text + done, row->from - done);
		rc = add_row(d, row);
		done = row->from + row->length;
	}
	str_add(&d->text, sbpl->text + done);
	return rc;
}

int
sbpl_drop_unknown(struct sbpl *sbpl, const struct sbpl_compiler *compiler, const bool *accept,
		  struct cordon_error *err)
{
	struct dropping d = {.sbpl = sbpl, .compiler = compiler, .accept = accept, .err = err};
	bool compiles = false;
	int rc = try_text(&d, "", 0, &compiles);
	char *text = NULL;

	/* then no line is to blame */
	if (rc < 0 || !compiles)
		return rc;
	rc = add_rows(&d);
	if (rc == 0 && d.dropped.length > 0)
		sbpl->dropped = d.dropped.failed ? NULL
						 : arena_strdup(&sbpl->arena, d.dropped.text, err);
	if (rc == 0)
		rc = str_finish(&d.text, &text, err);
	if (rc == 0 && d.dropped.length > 0 && sbpl->dropped == NULL)
		rc = cordon_no_memory(err);
	str_free(&d.text);
	str_free(&d.dropped);
	if (rc < 0) {
		free(text);
		return rc;
	}
	free(sbpl->text);
	sbpl->text = text;
	sbpl->row_count = 0;
	return 0;
}
