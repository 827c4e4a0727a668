// SPDX-License-Identifier: MIT
/* The files that programs try to write in the home directory, and do well without. They stay refused and logged. */
#include "explain/harmless.h"

#include <string.h>

#include "base/path.h"
#include "base/str.h"
#include "host/host.h"

/* Beginnings of paths below the home directory. */
static const char *const kept[] = {
	".lessh", /* .lesshst, and its new name .lesshsQ */
	".local/state/lesshst",
	".viminf", /* .viminfo, .viminfz.tmp */
	".python_history",
	".node_repl_history",
	".sqlite_history",
	".psql_history",
	".rediscli_history",
	".wget-hsts",
	".local/share/fish/fish_history",
	".config/fish/fish_variables",
	".npm/_update-notifier-last-checked",
	NULL,
};

bool
harmless_change(const struct plan *plan, const char *what, const char *subject)
{
	const char *home = plan->host->home;

	if (home == NULL || strcmp(what, "read") == 0 || strcmp(what, "execute") == 0 ||
	    !path_below(subject, home) || strlen(subject) <= strlen(home))
		return false;
	subject += strlen(home) + 1;
	for (size_t i = 0; kept[i] != NULL; i++)
		if (str_starts(subject, kept[i]))
			return true;
	return false;
}
