// SPDX-License-Identifier: MIT
/*
 * The table of directories of programs. The tool that installed programs in these directories runs them later, outside the
 * sandbox: write access means running code as the user. The alternative is in the project.
 */
#include "explain/hints.h"

#include "base/path.h"
#include "host/resolve.h"

#define BROWSER                                                                                    \
	"it holds passwords and cookies; with -p browser and --user-data-dir=\"$TMPDIR/browser\" " \
	"the browser needs none"

static const struct hint hints[] = {
	{"~/.npm/_npx", "npx runs what lies there, also outside the sandbox",
	 "--env npm_config_cache=node_modules/.npm"},
	{"$XDG_CACHE_HOME/pnpm/dlx", "pnpm runs what lies there, also outside the sandbox",
	 "--env npm_config_cache_dir=node_modules/.pnpm-cache"},
	{"$XDG_CACHE_HOME/node", "corepack runs what lies there, also outside the sandbox", NULL},
	{"$XDG_CACHE_HOME/pypoetry/virtualenvs",
	 "poetry runs what lies there, also outside the sandbox",
	 "--env POETRY_VIRTUALENVS_IN_PROJECT=true"},
	{"$XDG_CACHE_HOME/pre-commit", "git's hooks run what lies there, also outside the sandbox",
	 NULL},
	{"~/.ipython", "IPython runs what lies there, also outside the sandbox",
	 "--env IPYTHONDIR=\"$PWD/.ipython\""},
	{"~/.local/share/jupyter", "Jupyter runs what lies there, also outside the sandbox",
	 "--env JUPYTER_DATA_DIR=.jupyter"},
	{"~/.ansible", "ansible runs what lies there, also outside the sandbox; in tmp it does not",
	 "--write ~/.ansible/tmp/"},
	{"$XDG_CONFIG_HOME/fish", "fish runs what lies there, also outside the sandbox", NULL},
	{"~/.local/share/fish", "fish runs what lies there, also outside the sandbox", NULL},
	{"$XDG_CONFIG_HOME/chromium", BROWSER, NULL},
	{"$XDG_CONFIG_HOME/chromium-headless", BROWSER, NULL},
	{"$XDG_CONFIG_HOME/google-chrome", BROWSER, NULL},
	{"$XDG_CONFIG_HOME/google-chrome-headless", BROWSER, NULL},
	{"~/.gnupg",
	 "it holds keys; sign outside, or by ssh's agent with -p ssh and gpg.format ssh", NULL},
	{"~/.ssh", "it holds keys; -p ssh passes the ssh agent instead", NULL},
};

static bool
is_there(const struct plan *plan, const struct hint *hint, const char *path)
{
	const struct token_text text = {hint->folder, {0}, true, false};
	auto_arena struct arena arena = {0};
	const char *written;
	struct resolved at;

	return host_expand_token(&arena, plan->host, &text, &written, NULL) == 0 &&
	       written != NULL && resolve_path(&arena, plan->host->view, written, &at, NULL) == 0 &&
	       path_below(path, at.path);
}

const struct hint *
hint_find(const struct plan *plan, const char *path)
{
	for (size_t i = 0; i < sizeof hints / sizeof hints[0]; i++)
		if (is_there(plan, &hints[i], path))
			return &hints[i];
	return NULL;
}
