// SPDX-License-Identifier: MIT
/*
 * The starter policy. The names in the project's root suggest profiles; no file is opened. All that
 * widens the policy is a comment or an add-on profile, so that the file as written grants little,
 * and nothing before it is approved.
 */
#include "explain/starter.h"

#include <string.h>

#include "base/array.h"
#include "base/path.h"

/* Names in the project's root that suggest a profile. The first name found for a profile is used. */
static const struct sign {
	const char *name;
	const char *profile;
} signs[] = {
	{".git", "git"},
	{"package.json", "node"},
	{"package-lock.json", "node"},
	{"pnpm-lock.yaml", "node"},
	{"yarn.lock", "node"},
	{"bun.lockb", "node"},
	{"bun.lock", "node"},
	{"deno.json", "node"},
	{"pyproject.toml", "python"},
	{"requirements.txt", "python"},
	{"setup.py", "python"},
	{"uv.lock", "python"},
	{"poetry.lock", "python"},
	{"Cargo.toml", "rust"},
	{"go.mod", "go"},
	{"pom.xml", "java"},
	{"build.gradle", "java"},
	{"build.gradle.kts", "java"},
	{"CMakeLists.txt", "c"},
	{"meson.build", "c"},
	{"configure.ac", "c"},
	{"Makefile", "c"},
	{"playwright.config.ts", "browser"},
	{"playwright.config.js", "browser"},
};

/* In the order of the output. */
static const struct suggestion {
	const char *profile;
	const char *what;
} suggestions[] = {
	{"git", "your git settings, for reading"},
	{"node", "caches of npm, pnpm, yarn and bun; your node versions"},
	{"python", "caches of pip, uv and poetry; your interpreters"},
	{"rust", "the crate registry and your toolchains"},
	{"go", "the module cache and the build cache"},
	{"java", "repositories and caches of Maven and Gradle"},
	{"c", "compiler caches"},
	{"browser", "fonts and downloaded browsers, for tests"},
};

/* Files that usually contain passwords, unlike .env.example. */
static const char *const env_files[] = {
	".env",
	".env.local",
	".env.development",
	".env.development.local",
	".env.production",
	".env.production.local",
	".env.staging",
	".env.test.local",
	NULL,
};

/* For each suggestion the name that was found, or NULL. */
struct starter_seen {
	const char *names[COUNT(suggestions)];
	bool any;
};

static bool
is_there(const struct plan *plan, const char *name)
{
	auto_arena struct arena arena = {0};
	const char *path = path_join(&arena, plan->host->project, name, NULL);
	enum fs_kind kind = path == NULL ? FS_MISSING : fs_kind_of(plan->host->view, path);

	return kind != FS_MISSING && kind != FS_HIDDEN;
}

static const char *
sign_of(const struct plan *plan, const char *profile)
{
	for (size_t i = 0; i < COUNT(signs); i++)
		if (strcmp(signs[i].profile, profile) == 0 && is_there(plan, signs[i].name))
			return signs[i].name;
	return NULL;
}

bool
starter_suggests(const struct plan *plan, const char *profile)
{
	return plan->host->project != NULL && sign_of(plan, profile) != NULL;
}

/* ---- parts of the text ---- */

static const char head[] =
	"// What commands may do in this project, for cordon.\n"
	"//\n"
	"// Without this file `cordon run` lets a command use the system's programs, and read,\n"
	"// change and run everything in the project. Other files, the network and most\n"
	"// environment variables are out of reach.\n"
	"//\n"
	"// What this file denies is denied at once. What it grants is only requested: run\n"
	"// `cordon trust` to see and approve it, and again after every change.\n"
	"//\n"
	"//   cordon check           what is odd or dangerous in this file\n"
	"//   cordon plan            what is enforced in the end\n"
	"//   cordon why read PATH   why something is allowed or not\n"
	"{\n";

static const char more_files[] =
	"\n"
	"    // May be read, but never changed, created or deleted:\n"
	"    // \"protect\": [\"$PROJECT/deploy\"],\n"
	"\n"
	"    // Outside the project, to be read; to be read and run; to be read and changed:\n"
	"    // \"read\": [\"~/.config/some-tool\"],\n"
	"    // \"execute\": [\"~/some-sdk/bin\"],\n"
	"    // \"write\": [\"~/.cache/some-tool\"],\n"
	"  },\n"
	"\n";

static const char tail[] =
	"\n"
	"  // Only a few harmless environment variables pass. More by name, or with a fixed\n"
	"  // value; keep secrets out of this file.\n"
	"  // \"env\": {\"allow\": [\"DATABASE_URL\"], \"set\": {\"CI\": \"1\"}},\n"
	"\n"
	"  // No limits are set. Time and output end everything. There are also limits of memory "
	"and\n"
	"  // processes, where there is a cgroup for them: `cordon doctor` says whether.\n"
	"  // \"limits\": {\"time\": \"10m\", \"output\": \"64M\"},\n"
	"}\n";

static void
add_extends(const struct starter_seen *seen, struct str *to)
{
	str_add(to, "  // Profiles on top of the default one, by what was found in the project:\n");
	/* an empty list would mean no base profile */
	if (!seen->any) {
		str_add(to, "  // nothing that a profile is for. Examples of profiles:\n"
			    "  // \"extends\": [\"git\", \"node\", \"python\"],\n\n");
		return;
	}
	str_add(to, "  \"extends\": [\n");
	for (size_t i = 0; i < COUNT(suggestions); i++)
		if (seen->names[i] != NULL)
			str_printf(to, "    \"%s\", // %s is here: %s\n", suggestions[i].profile,
				   seen->names[i], suggestions[i].what);
	if (seen->names[0] != NULL)
		str_add(to,
			"    // \"ssh\", // to fetch and push over ssh, with your agent's keys\n");
	str_add(to, "  ],\n\n");
}

static void
add_files(const struct plan *plan, struct str *to)
{
	bool any = false;

	str_add(to, "  \"files\": {\n"
		    "    // Cannot even be read, although it lies in the project:\n");
	for (size_t i = 0; env_files[i] != NULL; i++) {
		if (!is_there(plan, env_files[i]))
			continue;
		if (!any)
			str_add(to, "    \"deny\": [\n");
		any = true;
		str_printf(to, "      \"$PROJECT/%s\", // such files hold passwords as a rule\n",
			   env_files[i]);
	}
	str_add(to, any ? "    ],\n" : "    // \"deny\": [\"$PROJECT/.env\"],\n");
	str_add(to, more_files);
}

static const char network[] =
	"  // There is no network. To reach some names over ports 80 and 443 only:\n"
	"  // \"network\": {\"domains\": [\"packages.example.com\", \"api.example.com\"]},\n";

int
starter_make(const struct plan *plan, struct str *to, struct cordon_error *err)
{
	struct starter_seen seen = {0};

	for (size_t i = 0; i < COUNT(suggestions); i++) {
		seen.names[i] = sign_of(plan, suggestions[i].profile);
		seen.any = seen.any || seen.names[i] != NULL;
	}
	str_add(to, head);
	add_extends(&seen, to);
	add_files(plan, to);
	str_add(to, network);
	str_add(to, tail);
	return to->failed ? cordon_no_memory(err) : 0;
}
