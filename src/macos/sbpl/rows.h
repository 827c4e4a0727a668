/* SPDX-License-Identifier: MIT */
/*
 * The lines of a profile one by one. One operation or filter that a release of macOS does not know makes it
 * refuse the whole text, so what it does not know is left out, where nothing is lost by that. Pure.
 */
#pragma once

#include "macos/sbpl/profile.h"

/* One line, "(allow ...)" or "(deny ...)", in the text of a profile. */
struct sbpl_row {
	size_t from, length;
	enum guarantee guarantee; /* what is lost without it; G_COUNT: nothing, it allows */
};

/* Answers whether the system compiles a text with the parameters of the profile. */
struct sbpl_compiler {
	bool (*compiles)(const void *context, const char *text);
	const void *context;
};

/*
 * Writes the text anew without what does not compile. An allow may be left out: what it allows stays denied.
 * A deny may be left out only if its guarantee is accepted; else this fails with -CORDON_E_GAP and names it.
 * sbpl->dropped lists the operations. accept may be NULL.
 */
int sbpl_drop_unknown(struct sbpl *sbpl, const struct sbpl_compiler *compiler, const bool *accept,
		      struct cordon_error *err);
