// SPDX-License-Identifier: MIT
/*
 * A box on Linux: a Landlock ruleset and a seccomp filter, ready; and the order in which a child
 * enters it. Nothing is decided here. What a plan could not promise was refused before, so a part
 * that is absent was accepted by name.
 */
#include "enforce/enforce.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "linux/filter.h"
#include "linux/landlock.h"
#include "linux/privileges.h"

struct box {
	int ruleset;			 /* -1: no Landlock here */
	const struct sock_fprog *filter; /* NULL: no seccomp here */
	int abi;			 /* of Landlock */
};

static int
refuse_gaps(const struct plan *plan, struct cordon_error *err)
{
	int gap = 0, more = plan_gaps(plan) - 1;
	const struct promise *promise;
	char others[32] = "";

	while (plan->promises[gap].keeping != KEPT_GAP)
		gap++;
	promise = &plan->promises[gap];
	if (more > 0)
		snprintf(others, sizeof others, " (and %d more)", more);
	return cordon_fail(
		err, CORDON_E_GAP, 0, "%s cannot be kept here: %.90s%s%.70s; or --accept %s%s",
		guarantee_names[gap], promise->how == NULL ? "nothing keeps it" : promise->how,
		promise->remedy == NULL ? "" : "; ", promise->remedy == NULL ? "" : promise->remedy,
		guarantee_names[gap], others);
}

static int
choose_filter(const struct plan *plan, const struct sock_fprog **ret_filter,
	      struct cordon_error *err)
{
	*ret_filter = NULL;
	if (!plan->facts.values[FACT_SECCOMP_FILTER])
		return 0;
	/* what lies between none and all is decided by addresses: a gap here, refused or accepted */
	*ret_filter = filter_choose(plan->settings.network.mode != NET_NONE);
	if (*ret_filter == NULL)
		return cordon_fail(err, CORDON_E_GAP, 0,
				   "there is no seccomp filter for this processor");
	return 0;
}

int
enforce_compile(const struct plan *plan, const struct box_options *options, struct box **ret_box,
		struct cordon_error *err)
{
	struct box *box;
	int rc = 0;

	if (plan->facts.system != SYSTEM_LINUX)
		return cordon_fail(err, CORDON_E_GAP, 0, "the plan is for another system");
	if (plan_gaps(plan) > 0)
		return refuse_gaps(plan, err);
	box = calloc(1, sizeof *box);
	if (box == NULL)
		return cordon_no_memory(err);
	box->ruleset = -1;
	box->abi = plan->facts.values[FACT_LANDLOCK_ABI];
	rc = choose_filter(plan, &box->filter, err);
	if (rc == 0)
		rc = ruleset_make(plan, options, &box->ruleset, err);
	if (rc < 0) {
		enforce_free(box);
		return rc;
	}
	*ret_box = box;
	return 0;
}

int
enforce_grant_tmp(struct box *box, const char *path, struct cordon_error *err)
{
	return box->ruleset < 0 ? 0 : ruleset_grant_tmp(box->ruleset, box->abi, path, err);
}

/*
 * Privileges first: with them gone nothing below can be undone, and no_new_privs is what lets the
 * rest happen without them. The filter last: it refuses calls that the steps before need.
 */
int
enforce_apply(const struct box *box, struct cordon_error *err)
{
	int rc = privileges_drop(err);

	if (rc == 0 && box->ruleset >= 0)
		rc = ruleset_enter(box->ruleset, err);
	if (box->ruleset >= 0)
		close(box->ruleset);
	if (rc == 0 && box->filter != NULL)
		rc = filter_load(box->filter, err);
	return rc;
}

struct box *
enforce_free(struct box *box)
{
	if (box == NULL)
		return NULL;
	if (box->ruleset >= 0)
		close(box->ruleset);
	free(box);
	return NULL;
}
