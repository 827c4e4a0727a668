// SPDX-License-Identifier: MIT
/* The words of causes. */
#include "policy/model/cause.h"

static const struct cause_row rows[CAUSE_COUNT] = {[CAUSE_NONE] = {"NONE", FORM_SENTENCE,
								   REMEDY_NONE, ""},
#define CAUSE_ROW(id, form, remedy, text) [CAUSE_##id] = {#id, FORM_##form, REMEDY_##remedy, text},
						   CAUSES(CAUSE_ROW)};

const struct cause_row *
cause_row(enum cause cause)
{
	return &rows[cause];
}

const char *
cause_text(enum cause cause)
{
	return rows[cause].text;
}
