/* SPDX-License-Identifier: MIT */
/*
 * Hands a profile to the kernel. Applying it is irreversible; it is tested at once with a path that must be
 * denied and one that must be allowed.
 */
#pragma once

#include "macos/process/fingerprint.h"
#include "macos/sbpl/profile.h"

/* Arguments for the kernel, borrowed from the profile. */
struct seatbelt {
	const char *text;
	const char *const *pairs; /* name, value, name, value, ..., NULL */
	const struct fingerprint *fingerprint;
};

/* pairs is allocated in the profile's arena. */
int seatbelt_prepare(struct sbpl *sbpl, const struct fingerprint *fingerprint,
		     struct seatbelt *ret_seatbelt, struct cordon_error *err);
/*
 * Confines this process permanently. Seatbelt allocates, so the process must have one thread. After a
 * failure the process may or may not be confined; start nothing in it.
 */
int seatbelt_apply(const struct seatbelt *seatbelt, struct cordon_error *err);
