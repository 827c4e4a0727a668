/* SPDX-License-Identifier: MIT */
/*
 * A profile on its way into the kernel. Applying it cannot be undone; whether it holds is tried at
 * once, by one path that must be denied and one that must be allowed.
 */
#pragma once

#include "macos/process/fingerprint.h"
#include "macos/sbpl/profile.h"

/* What the kernel is handed: borrowed from the profile. */
struct seatbelt {
	const char *text;
	const char *const *pairs; /* name, value, name, value, ..., NULL */
	const struct fingerprint *fingerprint;
};

/* pairs live in the profile's arena. */
int seatbelt_prepare(struct sbpl *sbpl, const struct fingerprint *fingerprint,
		     struct seatbelt *ret_seatbelt, struct cordon_error *err);
/*
 * Confines this process for good. Seatbelt allocates, so this is for a process without threads. After
 * a failure, which leaves the process as it was or confined without being believed, nothing may be
 * started in it.
 */
int seatbelt_apply(const struct seatbelt *seatbelt, struct cordon_error *err);
