/* SPDX-License-Identifier: MIT */
/*
 * The narrow door between "what" and "how on this system". Exactly one of linux/ and macos/ stands
 * behind it in a build.
 */
#pragma once

#include "plan/plan.h"

/* What this host can do, found by trying; a throw-away child is used for what cannot be undone. */
int enforce_probe(struct facts *ret_facts, struct cordon_error *err);
/*
 * The facts that only a broker needs (notification, Yama), which take a child to find:
 * enforce_probe leaves them out where there is no broker. For doctor, and for a plan that is
 * printed with its facts.
 */
int enforce_probe_broker(struct facts *facts, struct cordon_error *err);
/* The system this build enforces on. */
enum system enforce_system(void);

/*
 * A plan made ready to be applied: every path opened once and checked against its canonical name,
 * rules and filter built, nothing left that could fail for want of memory.
 */
struct box;

struct box_options {
	const char *private_tmp; /* canonical; granted whole; NULL: none */
};

/*
 * Refuses (CORDON_E_GAP) a plan with gaps. A path that leads elsewhere than when it was planned is
 * an error for the user's own rules; of profiles it is skipped.
 */
int enforce_compile(const struct plan *plan, const struct box_options *options,
		    struct box **ret_box, struct cordon_error *err);
/*
 * In the child, between fork and exec: no allocation, no locks, no stdio. Everything or nothing:
 * after a failure the caller must not exec. Descriptors of the box are closed by it.
 */
int enforce_apply(const struct box *box, struct cordon_error *err);
struct box *enforce_free(struct box *box);

/* One thing that must fail and one that must work, tried in a child: for doctor. */
struct proof {
	enum guarantee guarantee;
	bool denied;  /* what must fail failed */
	bool allowed; /* what must work worked */
	char detail[160];
};
/* Proves what of a guarantee this host can be seen to keep; 0, or -CORDON_E_GAP when it cannot be tried here. */
int enforce_prove(enum guarantee guarantee, struct proof *ret_proof, struct cordon_error *err);
