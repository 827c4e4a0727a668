// SPDX-License-Identifier: MIT
/* Guesses by the arguments of a command what it was refused. */
#include "api/guess.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool
guess_argument(const struct plan *plan, char *const *argv, struct refusal *ret_refusal)
{
	for (size_t i = 1; argv[0] != NULL && argv[i] != NULL; i++) {
		struct refusal refusal = {.what = REFUSED_READ, .missing = RIGHT_READ};
		struct verdict verdict;
		char path[PATH_MAX];
		struct stat at;

		/* a mode that forbids it is not the plan's doing; a folder is often not read, but made */
		if (realpath(argv[i], path) == NULL || access(path, R_OK) < 0 ||
		    stat(path, &at) < 0 || !S_ISREG(at.st_mode) ||
		    strlen(path) >= sizeof refusal.subject)
			continue;
		verdict = index_decide(&plan->index, path);
		if (verdict.rights & RIGHT_READ)
			continue;
		refusal_decided(&refusal, &verdict.by[REFUSED_READ]);
		refusal.known = REFUSAL_GUESSED;
		strcpy(refusal.subject, path);
		*ret_refusal = refusal;
		return true;
	}
	return false;
}
