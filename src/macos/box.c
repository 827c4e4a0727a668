// SPDX-License-Identifier: MIT
/*
 * Seatbelt is not applied yet. Every function refuses by name: nothing ever runs unconfined because
 * a part was missing.
 */
#include "enforce/enforce.h"

static int
not_built(struct cordon_error *err)
{
	return cordon_fail(
		err, CORDON_E_GAP, 0,
		"this version cannot confine anything on macOS yet; it plans and explains only");
}

int
enforce_compile(const struct plan *plan, const struct box_options *options, struct box **ret_box,
		struct cordon_error *err)
{
	(void)plan, (void)options, (void)ret_box;
	return not_built(err);
}

int
enforce_grant_tmp(struct box *box, const char *path, struct cordon_error *err)
{
	(void)box, (void)path;
	return not_built(err);
}

int
enforce_apply(const struct box *box, struct cordon_error *err)
{
	(void)box;
	return not_built(err);
}

struct box *
enforce_free(struct box *box)
{
	(void)box;
	return NULL;
}

int
enforce_prove(enum guarantee guarantee, struct proof *ret_proof, struct cordon_error *err)
{
	(void)guarantee, (void)ret_proof;
	return not_built(err);
}
