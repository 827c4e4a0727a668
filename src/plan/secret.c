// SPDX-License-Identifier: MIT
/* Table of paths below the home that hold credentials. */
#include "plan/secret.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/path.h"
#include "base/str.h"

/* Below the home; each includes everything in it. */
static const char *const secrets[] = {".ssh",
				      ".gnupg",
				      ".aws",
				      ".azure",
				      ".kube",
				      ".docker",
				      ".netrc",
				      ".npmrc",
				      ".pypirc",
				      ".pgpass",
				      ".password-store",
				      ".config/gh",
				      ".config/gcloud",
				      ".config/op",
				      ".config/rclone",
				      ".git-credentials",
				      ".cargo/credentials",
				      ".cargo/credentials.toml",
				      ".local/share/keyrings",
				      ".mozilla",
				      ".config/google-chrome",
				      ".config/chromium",
				      "Library/Keychains",
				      ".vault-token",
				      NULL};

bool
secret_is_path(const struct plan *plan, const char *path)
{
	const char *home = plan->host->home;

	if (home == NULL || !path_below(path, home) || strlen(path) == strlen(home))
		return false;
	path += strlen(home) + (strcmp(home, "/") != 0);
	for (size_t i = 0; secrets[i] != NULL; i++)
		if (path_below(path, secrets[i]))
			return true;
	return false;
}

/* Appends those that exist and can be read. */
static void
list_readable(const struct plan *plan, struct str *to)
{
	const char *home = plan->host->home;

	for (size_t i = 0; home != NULL && secrets[i] != NULL; i++) {
		char path[PATH_MAX];
		enum fs_kind kind;

		if (snprintf(path, sizeof path, "%s/%s", home, secrets[i]) >= PATH_MAX)
			continue;
		kind = fs_kind_of(plan->host->view, path);
		if (kind < FS_HIDDEN && kind != FS_MISSING &&
		    index_decide(&plan->index, path).rights & RIGHT_READ)
			str_printf(to, "%s~/%s", to->length == 0 ? ", also " : ", ", secrets[i]);
	}
}

int
secret_note_home(struct plan *plan, struct cordon_error *err)
{
	auto_str struct str readable = {0};

	list_readable(plan, &readable);
	if (readable.failed)
		return cordon_no_memory(err);
	return plan_notice(plan, err,
			   "the project %s is or contains a home folder: all of it but "
			   "protected names can be read, changed and executed%s",
			   plan->host->project, readable.length == 0 ? "" : readable.text);
}
