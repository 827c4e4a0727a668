#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The npm package, unpacked as npm does it, with the built program.

load ../lib/common

case_of()
{
	local node

	node=$(command -v node) || skip 'no node'
	[ "$("$node" -p 'process.platform')" = linux ] || skip 'the package is for Linux'
	mkdir -p "$T/node_modules"
	cp -R "$TREE/packages/npm" "$T/node_modules/cordon-sandbox"
	program=$T/node_modules/cordon-sandbox/bin/$(uname -s)-$(uname -m)
	mkdir "$program"
	cp "$CORDON" "$program/cordon"
	# as ./dev package writes it
	sed -i 's/"@NPM_CPU@"\|@NPM_CPU@/["x64", "arm64"]/' "$T/node_modules/cordon-sandbox/package.json"
	cp "$TREE/tests/packages/npm.mjs" "$T/npm.mjs"
	timeout 60 "$node" "$T/npm.mjs" "$1"
}

@test "a refused write is reported, and the file is not there" { case_of refuses; }
@test "status, cause and signal are those of the command" { case_of ends; }
@test "events arrive while the command runs, to each reader" { case_of streams; }
@test "a policy that cannot be kept: CordonNotStarted, and nothing runs" { case_of not_started; }
@test "a misused option: CordonNotStarted, and nothing runs" { case_of misused; }
@test "a command that is not found or not executable: CordonNotStarted with 127 or 126" { case_of not_found; }
@test "a program that is missing or is not cordon: an error by name, and nothing runs" { case_of other_program; }
@test "cordon is killed: CordonLost, and the command ends" { case_of lost; }
@test "another processor or system: CordonUnsupported" { case_of unsupported; }
@test "arguments of a wrong kind" { case_of bad_arguments; }
@test "output through pipes" { case_of pipes; }
@test "import and require are the same functions" { case_of both_forms; }

@test "the script becomes the program, through links, with its status and process" {
	case_of ends
	ln -s cordon-sandbox/bin/cordon "$T/node_modules/cordon"
	CORDON=$T/node_modules/cordon
	expect 0 --version
	expect 3 run -- sh -c 'exit 3'
	"$CORDON" run -- sleep 60 &
	started=$!
	until_true 20 eval "grep -q Linux- /proc/$started/cmdline"
	kill -TERM "$started"
	status=0
	wait "$started" || status=$?
	started=''
	[ "$status" -eq 143 ] || complain "ended by TERM"
	rm -r "$program"
	expect 125 run -- touch "$T/made"
	[ ! -e "$T/made" ]
}

teardown()
{
	end_started
}
