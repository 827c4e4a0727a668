/* SPDX-License-Identifier: MIT */
/*
 * Hands a profile to the kernel. Applying it is irreversible; it is tested at once with a path that must be
 * denied and one that must be allowed.
 */
#pragma once

#include "macos/process/fingerprint.h"
#include "macos/process/libsandbox.h"
#include "macos/sbpl/profile.h"

/* What the kernel is given. Text, pairs and fingerprint are borrowed. */
struct seatbelt {
	struct libsandbox library;
	struct libsandbox_profile *compiled; /* NULL: without libsandbox, text and pairs are used */
	const char *text;
	const char *const *pairs; /* name, value, name, value, ..., NULL */
	const struct fingerprint *fingerprint;
};

/*
 * Compiles the profile, before fork because it allocates. What this release of macOS does not know is left
 * out where nothing is lost by it, or the lost guarantee is accepted; else -CORDON_E_GAP names it. accept is
 * indexed by guarantee, or NULL. pairs is allocated in the profile's arena.
 */
int seatbelt_prepare(struct sbpl *sbpl, const struct fingerprint *fingerprint, const bool *accept,
		     struct seatbelt *ret_seatbelt, struct cordon_error *err);
void seatbelt_release(struct seatbelt *seatbelt);
/*
 * Confines this process permanently. With a compiled profile nothing is allocated here. Without one Seatbelt
 * allocates, so the process must have one thread and no threads before it was forked. After a failure the
 * process may or may not be confined; start nothing in it.
 */
int seatbelt_apply(const struct seatbelt *seatbelt, struct cordon_error *err);
