# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# Programs from npm that tests/agents runs: agents, and the client of the Model Context Protocol. Read by ./dev.

NPM_PACKAGES='@anthropic-ai/claude-code@2.1.197 @openai/codex@0.169.0 @google/gemini-cli@0.61.0
    opencode-ai@1.18.33 @modelcontextprotocol/sdk@1.32.2'

# The cache of the packages, 900 MB; only ./dev test ci and all download it.
npm_cache()
{
	cache=${XDG_CACHE_HOME:-$HOME/.cache}/cordon-npm
	ln -sfn "$cache" build/npm
}

# Fetches them once, before the suites, which run without the caller's cache and mirror. Of their install
# scripts only the two run that put a native program in its place.
fetch_npm()
{
	npm_cache
	[ "$(cat "$cache/packages" 2>/dev/null)" != "$NPM_PACKAGES" ] || return 0
	command -v npm >/dev/null || return 0
	mkdir -p "$cache"
	# do not wait long for an unreachable registry: the tests are skipped then
	# shellcheck disable=SC2086 # a list of packages
	if timeout 1200 npm --prefix "$cache" install $NPM_PACKAGES --ignore-scripts --no-audit --no-fund \
	    --fetch-retries=1 --fetch-timeout=60000 --loglevel=error >"$cache/npm.log" 2>&1 &&
	    (cd "$cache/node_modules/@anthropic-ai/claude-code" && node install.cjs) >>"$cache/npm.log" 2>&1 &&
	    (cd "$cache/node_modules/opencode-ai" && node postinstall.mjs) >>"$cache/npm.log" 2>&1; then
		say "$NPM_PACKAGES" >"$cache/packages"
	else
		say 'the agents could not be fetched from npm'
	fi
}
