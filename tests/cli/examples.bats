#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Each example is a policy to start from: it is read without a warning and can be run with, in a home
# where nothing was made ready for it.

load common

@test "every example: nothing to warn of, and a command runs with it" {
	local file count=0

	# the home of a test is in /tmp, and one of the presets grants that
	mkdir "$T/tmp"
	export TMPDIR=$T/tmp
	for file in "$TREE"/examples/*.json; do
		case $file in
		*/clash-presets.json) file="clash:$file#project" ;;
		esac
		expect 0 check "$file" || return 1
		expect 0 run -p "$file" true || return 1
		silent || return 1
		count=$((count + 1))
	done
	[ "$count" -ge 10 ]
}

@test "every sandbox of the presets runs a command" {
	local name

	mkdir -p "$HOME/.config/git" "$HOME/.config/gh" "$HOME/.ssh"
	: >"$HOME/.gitconfig"
	for name in readonly project git_safe git_full workspace unrestricted; do
		expect 0 run -p "clash:$TREE/examples/clash-presets.json#$name" true || return 1
	done
}

@test "what the examples promise, holds" {
	expect 0 run -p "$TREE/examples/drop-folder.json" -- sh -c 'echo one >~/drop/a'
	expect 2 run -p "$TREE/examples/drop-folder.json" -- sh -c 'echo two >~/drop/a || exit 2'
	expect 1 run -p "$TREE/examples/drop-folder.json" -- rm -f "$HOME/drop/a"
	[ "$(cat "$HOME/drop/a")" = one ]
	expect 0 run -p "$TREE/examples/from-nothing.json" -- sh -c 'echo x >out/x'
	expect 2 run -p "$TREE/examples/from-nothing.json" -- sh -c 'echo x >x || exit 2'
	[ -s out/x ] && [ ! -e x ]
	echo secret >.env
	expect 1 run -p "$TREE/examples/minimal.json" -- cat .env
}
