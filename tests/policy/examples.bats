#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Each example is a policy to start from: it is read without a warning and can be used in a home
# folder without any preparation.

load ../lib/common

@test "every example has no warning, and a command runs with it" {
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

@test "what the examples claim is enforced" {
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

# harness ARGUMENT...: the example in Python, with cordon on the PATH; leaves $T/out.
harness()
{
	PATH=${CORDON%/*}:$PATH timeout 60 "$PYTHON" "$TREE/examples/harness.py" "$@" >"$T/out" 2>"$T/err" </dev/null ||
	    complain "$(cat "$T/err")"
}

@test "the harness in Python learns how a command ended, what was refused and what changed" {
	mkdir -p .git/hooks
	harness -- sh -c 'echo said; echo x >.git/hooks/pre-commit; echo all: >Makefile; exit 3'
	json 'd["cause"] == "exit" and d["status"] == 3 and d["output"].startswith("said\n")'
	json "d['refused'][0][3] == '--write $P/.git/hooks/pre-commit'"
	json "d['changed'] == [['added', '$P/Makefile']]"
	harness -- ./absent
	json 'd["cause"] == "not started" and d["status"] == 127 and "absent" in d["error"]'
	harness -p nonsense -- true
	json 'd["cause"] == "not started" and d["status"] == 125 and "nonsense" in d["error"]'
	harness --nonsense -- true
	json 'd["cause"] == "not started" and d["status"] == 125 and "--nonsense" in d["output"]'
}
