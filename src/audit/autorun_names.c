// SPDX-License-Identifier: MIT
/*
 * The names of autorun files, each with a reason: whole names, then prefixes and suffixes, then directories
 * in which every file counts. Protected names are not listed because they cannot change.
 */
#include "audit/autorun_names.h"

#include <string.h>

#include "base/array.h"
#include "base/ascii.h"

#define MAKE "make runs it"
#define SHELL "a shell runs it when it starts"
#define CI "a build service runs it"
#define AGENT "agents do what it says"
#define EDITOR "an editor runs it"
#define CONTAINER "a container is made by it"
#define HOOK "it runs when git commits"
#define CONSOLE "its language's console runs it when it starts"

static const struct later names[] = {
	{"Makefile", MAKE},
	{"GNUmakefile", MAKE},
	{"BSDmakefile", MAKE},
	{"CMakeLists.txt", "cmake runs it"},
	{"CMakePresets.json", "cmake builds by it"},
	{"CMakeUserPresets.json", "cmake builds by it"},
	{"meson.build", "meson runs it"},
	{"build.ninja", "ninja runs it"},
	{"configure", "builds run it"},
	{"configure.ac", "autoconf makes a script of it"},
	{"autogen.sh", "builds run it"},
	{"SConstruct", "scons runs it"},
	{"SConscript", "scons runs it"},
	{"wscript", "waf runs it"},
	{"WORKSPACE", "bazel builds by it"},
	{"MODULE.bazel", "bazel builds by it"},
	{"BUILD.bazel", "bazel builds by it"},
	{".bazelrc", "bazel builds by it"},
	{"bazel", "bazelisk runs it"},
	{".bazelversion", "bazelisk fetches and runs what it names"},
	{".bazeliskrc", "bazelisk fetches and runs what it names"},
	{"Justfile", "just runs it"},
	{".justfile", "just runs it"},
	{"Earthfile", "earthly runs it"},
	{"Tiltfile", "tilt runs it"},
	{"Procfile", "foreman runs it"},
	{"package.json", "npm runs its scripts"},
	{".npmrc", "npm installs by it"},
	{".pnpmfile.cjs", "pnpm runs it"},
	{"pnpm-workspace.yaml", "pnpm installs by it"},
	{"bunfig.toml", "bun loads what it names"},
	{"binding.gyp", "npm builds by it"},
	{"deno.json", "deno runs its tasks"},
	{"deno.jsonc", "deno runs its tasks"},
	{"turbo.json", "turbo runs by it"},
	{"nx.json", "nx loads what it names"},
	{"setup.py", "pip runs it"},
	{"setup.cfg", "pip builds by it"},
	{"pyproject.toml", "pip and test tools build and run by it"},
	{"conftest.py", "pytest runs it"},
	{"pytest.ini", "pytest runs by it"},
	{"tox.ini", "tox runs its commands"},
	{"noxfile.py", "nox runs it"},
	{"fabfile.py", "fab runs it"},
	{"dodo.py", "doit runs it"},
	{"Pipfile", "pipenv runs its scripts"},
	{"pixi.toml", "pixi runs its tasks"},
	{".pdbrc", "pdb runs it"},
	{"sitecustomize.py", "python runs it when it starts"},
	{"usercustomize.py", "python runs it when it starts"},
	{"build.rs", "cargo runs it"},
	{"Cargo.toml", "cargo builds by it"},
	{"magefile.go", "mage runs it"},
	{"Rakefile", "rake runs it"},
	{"Gemfile", "bundler runs it"},
	{"Guardfile", "guard runs it"},
	{".rspec", "rspec loads what it names"},
	{".rubocop.yml", "rubocop loads what it names"},
	{".irbrc", CONSOLE},
	{".pryrc", CONSOLE},
	{".Rprofile", "R runs it when it starts"},
	{".ghci", CONSOLE},
	{".iex.exs", CONSOLE},
	{".ocamlinit", CONSOLE},
	{".octaverc", CONSOLE},
	{".perldb", "the debugger of perl runs it"},
	{"ansible.cfg", "ansible loads what it names"},
	{"gradle.properties", "gradle runs by it"},
	{".jvmopts", "sbt runs by it"},
	{".sbtopts", "sbt runs by it"},
	{".user.ini", "php loads what it names"},
	{"Fastfile", "fastlane runs it"},
	{"Dangerfile", "danger runs it"},
	{".proverc", "prove runs by it"},
	{"Vagrantfile", "vagrant runs it"},
	{"Podfile", "pod runs it"},
	{"Package.swift", "swift runs it"},
	{"pom.xml", "maven builds by it"},
	{"build.xml", "ant runs it"},
	{"composer.json", "composer runs its scripts"},
	{"mix.exs", "mix runs it"},
	{"Makefile.PL", "perl runs it to build"},
	{"Build.PL", "perl runs it to build"},
	{"Setup.hs", "cabal runs it"},
	{"build.zig", "zig runs it"},
	{"flake.nix", "nix builds by it"},
	{"shell.nix", "nix builds by it"},
	{"default.nix", "nix builds by it"},
	{"devenv.nix", "nix builds by it"},
	{"devbox.json", "devbox runs it"},
	{"terragrunt.hcl", "terragrunt runs its hooks"},
	{"mise.toml", "mise runs by it"},
	{".mise.toml", "mise runs by it"},
	{"mise.local.toml", "mise runs by it"},
	{".mise.local.toml", "mise runs by it"},
	{".tool-versions", "asdf and mise run what it names"},
	{".lintstagedrc", HOOK},
	{".huskyrc", HOOK},
	{".overcommit.yml", HOOK},
	{"hgrc", "hg runs its hooks"},
	{"lazygit.yml", "lazygit runs its commands"},
	{"action.yml", CI},
	{"action.yaml", CI},
	{".travis.yml", CI},
	{".drone.yml", CI},
	{".woodpecker.yml", CI},
	{".cirrus.yml", CI},
	{"appveyor.yml", CI},
	{".gitpod.yml", CI},
	{".devcontainer.json", CONTAINER},
	{"compose.yml", CONTAINER},
	{"compose.yaml", CONTAINER},
	{".exrc", EDITOR},
	{".vimrc", EDITOR},
	{".lvimrc", EDITOR},
	{".nvimrc", EDITOR},
	{".nvim.lua", EDITOR},
	{".dir-locals.el", EDITOR},
	{".gvimrc", EDITOR},
	{".luarc.json", EDITOR},
	{".gdbinit", "gdb runs it"},
	{".lldbinit", "lldb runs it"},
	{".bashrc", SHELL},
	{".bash_profile", SHELL},
	{".profile", SHELL},
	{".zshrc", SHELL},
	{".zshenv", SHELL},
	{".zprofile", SHELL},
	{"AGENTS.md", AGENT},
	{"CLAUDE.md", AGENT},
	{"GEMINI.md", AGENT},
	{".cursorrules", AGENT},
	{".clinerules", AGENT},
	{".roomodes", AGENT},
	{".roorules", AGENT},
	{".windsurfrules", AGENT},
	{".aider.conf.yml", AGENT},
	{"opencode.json", AGENT},
	{"opencode.jsonc", AGENT},
	{"crush.json", AGENT},
	{".crush.json", AGENT},
	{".goosehints", AGENT},
	{"copilot-instructions.md", AGENT},
};

static const struct later beginnings[] = {
	{"Makefile.", MAKE},
	{"Dockerfile", CONTAINER},
	{"Containerfile", CONTAINER},
	{"docker-compose", CONTAINER},
	{"build.gradle", "gradle runs it"},
	{"settings.gradle", "gradle runs it"},
	{"init.gradle", "gradle runs it"},
	{"gradlew", "builds run it"},
	{"gradle-wrapper.", "gradle fetches and runs by it"},
	{"mvnw", "builds run it"},
	{"Jenkinsfile", CI},
	{".gitlab-ci", CI},
	{"azure-pipelines", CI},
	{"bitbucket-pipelines", CI},
	{"cloudbuild.", CI},
	{".pre-commit-config.", HOOK},
	{"lefthook.", HOOK},
	{".lefthook.", HOOK},
	{"Taskfile.", "task runs it"},
	{"Gruntfile", "grunt runs it"},
	{"gulpfile", "gulp runs it"},
	{".eslintrc", "eslint loads what it names"},
	{".prettierrc", "prettier loads what it names"},
	{".stylelintrc", "stylelint loads what it names"},
	{".babelrc", "babel loads what it names"},
	{".mocharc", "mocha loads what it names"},
	{".php-cs-fixer.", "php-cs-fixer runs it"},
	{"phpunit.xml", "phpunit runs what it names"},
	{".php-cs-fixer", "php-cs-fixer runs it"},
	{"karma.conf.", "karma runs it"},
	{".lintstagedrc", HOOK},
	{".autoenv", SHELL},
	{".yarnrc", "yarn runs by it"},
	{"rust-toolchain", "cargo runs what it names"},
};

static const struct later endings[] = {
	{".mk", MAKE},
	{".cmake", "cmake runs it"},
	{".bzl", "bazel runs it"},
	{".sbt", "sbt runs it"},
	{".gradle", "gradle runs it"},
	{".gradle.kts", "gradle runs it"},
	{".gemspec", "bundler runs it"},
	{".podspec", "pod runs it"},
	{".csproj", "msbuild runs it"},
	{".fsproj", "msbuild runs it"},
	{".vbproj", "msbuild runs it"},
	{".vcxproj", "msbuild runs it"},
	{".targets", "msbuild runs it"},
	{".props", "msbuild runs it"},
	{".pbxproj", "xcode builds by it"},
	{".dockerfile", CONTAINER},
	{".code-workspace", EDITOR},
	{".sublime-project", EDITOR},
	{".tf", "terraform runs by it"},
	{".config.js", "its tool runs it"},
	{".config.cjs", "its tool runs it"},
	{".config.mjs", "its tool runs it"},
	{".config.ts", "its tool runs it"},
	{".pth", "python runs it when it starts"},
};

/* Each begins with a dot; the search relies on it. */
static const struct later folders[] = {
	{".github/workflows", CI},
	{".github/actions", CI},
	{".gitea/workflows", CI},
	{".forgejo/workflows", CI},
	{".circleci", CI},
	{".buildkite", CI},
	{".woodpecker", CI},
	{".husky", HOOK},
	{".githooks", HOOK},
	{".devcontainer", CONTAINER},
	{".agents", AGENT},
	{".clinerules", AGENT},
	{".continue", AGENT},
	{".factory", AGENT},
	{".github/agents", AGENT},
	{".github/instructions", AGENT},
	{".github/prompts", AGENT},
	{".github/skills", AGENT},
	{".augment", AGENT},
	{".junie", AGENT},
	{".kilo", AGENT},
	{".kilocode", AGENT},
	{".amp", AGENT},
	{".gemini", AGENT},
	{".kiro", AGENT},
	{".mux", AGENT},
	{".openhands", AGENT},
	{".pi", AGENT},
	{".qwen", AGENT},
	{".trae", AGENT},
	{".opencode", AGENT},
	{".roo", AGENT},
	{".windsurf", AGENT},
	{".bundle", "bundler runs by it"},
	{".cargo", "cargo runs by it"},
	{".mise", "mise runs by it"},
	{".config/mise", "mise runs by it"},
	{".fleet", EDITOR},
	{".helix", EDITOR},
	{".nova", EDITOR},
	{".theia", EDITOR},
	{".vs", EDITOR},
	{".mvn", "maven runs by it"},
	{".yarn/plugins", "yarn runs it"},
	{".yarn/releases", "yarn runs it"},
	{".config/autostart", "it starts with the session"},
	{".config/systemd/user", "it starts with the session"},
};

/*
 * Quick check, because it runs for every file opened for writing: most names differ in the first two
 * letters.
 */
static bool
may_be(const char *known, const char *name)
{
	return ((known[0] ^ name[0]) & ~0x20) == 0 && ((known[1] ^ name[1]) & ~0x20) == 0;
}

static const struct later *
find_name(const struct later *rows, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (may_be(rows[i].name, name) && ascii_same(rows[i].name, name))
			return &rows[i];
	return NULL;
}

static const struct later *
find_beginning(const char *name)
{
	for (size_t i = 0; i < COUNT(beginnings); i++)
		if (may_be(beginnings[i].name, name) &&
		    ascii_same_n(beginnings[i].name, name, strlen(beginnings[i].name)))
			return &beginnings[i];
	return NULL;
}

/* Looks up each suffix of the name that begins with a dot. */
static const struct later *
find_ending(const char *name)
{
	const struct later *found = NULL;

	for (const char *dot = strchr(name, '.'); found == NULL && dot != NULL;
	     dot = strchr(dot + 1, '.'))
		found = find_name(endings, COUNT(endings), dot);
	return found;
}

/*
 * The path is below the directory, or is the directory or a parent of it: a symbolic link there replaces
 * all of it.
 */
static bool
is_in(const char *path, const char *folder)
{
	size_t length = strlen(folder), left = strlen(path);

	if (left > length)
		return path[length] == '/' && ascii_same_n(path, folder, length);
	return ascii_same_n(path, folder, left) && (folder[left] == '/' || folder[left] == '\0');
}

static const struct later *
find_folder(const char *path)
{
	for (const char *at = strstr(path, "/."); at != NULL; at = strstr(at + 1, "/."))
		for (size_t i = 0; i < COUNT(folders); i++)
			if (may_be(folders[i].name, at + 1) && is_in(at + 1, folders[i].name))
				return &folders[i];
	return NULL;
}

const struct later *
autorun_names_find(const char *path, bool *ret_is_exact)
{
	const char *slash = strrchr(path, '/'), *name = slash == NULL ? path : slash + 1;
	const struct later *found = find_name(names, COUNT(names), name);

	*ret_is_exact = found != NULL;
	if (found == NULL)
		found = find_beginning(name);
	if (found == NULL)
		found = find_ending(name);
	return found != NULL ? found : find_folder(path);
}
