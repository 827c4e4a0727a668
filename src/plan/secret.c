// SPDX-License-Identifier: MIT
/* Table of paths below the home that hold credentials. */
#include "plan/secret.h"

#include <string.h>

#include "base/fd.h"
#include "base/path.h"

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
