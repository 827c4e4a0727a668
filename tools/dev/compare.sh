# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# Makes the README's table of other sandboxes. Read by ./dev.

COMPARED='@anthropic-ai/sandbox-runtime@0.0.83 @openai/codex@0.169.0'

cmd_compare()
{
	[ "$(uname -s)" = Linux ] && [ "$(id -u)" -eq 0 ] || fail 'compare: only as root, on Linux'
	setup build
	(setup test bench) || say 'some to compare with are not here'
	compile_default
	# not below /home, which has another content there
	tools=$(mktemp -d /var/tmp/cordon-tools.XXXXXX)
	trap 'rm -rf "$tools"' EXIT
	chmod 755 "$tools"
	# shellcheck disable=SC2086 # a list of packages
	npm --prefix "$tools" install $COMPARED --ignore-scripts --no-audit --no-fund --loglevel=error ||
	    say 'the programs of npm could not be fetched'
	tests/compare/run build/cordon "$tools"
}
