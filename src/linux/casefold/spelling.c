// SPDX-License-Identifier: MIT
/* Case-folding lookup for `why`. The broker calls casefold directly. */
#include <stdlib.h>

#include "enforce/enforce.h"
#include "linux/casefold/casefold.h"

struct spelt {
	struct spelling spelling; /* must be first: cast from struct spelling */
	struct casefold *fold;
};

static struct verdict
decide_spelt(const struct spelling *spelling, const char *path)
{
	return casefold_decide(((const struct spelt *)(const void *)spelling)->fold, path);
}

int
enforce_spelling(const struct plan *plan, struct spelling **ret_spelling, struct cordon_error *err)
{
	struct spelt *spelt = calloc(1, sizeof *spelt);

	if (spelt == NULL)
		return cordon_no_memory(err);
	spelt->spelling = (struct spelling){decide_spelt, casefold_below};
	spelt->fold = casefold_new(&plan->index, plan->host->project);
	if (spelt->fold == NULL) {
		free(spelt);
		return cordon_no_memory(err);
	}
	*ret_spelling = &spelt->spelling;
	return 0;
}

void
enforce_spelling_free(struct spelling *spelling)
{
	struct spelt *spelt = (struct spelt *)(void *)spelling;

	if (spelt == NULL)
		return;
	casefold_free(spelt->fold);
	free(spelt);
}
