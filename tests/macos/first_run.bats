#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# tests/macos/real, the one command for the first person with a Mac: what it does can be tried there only, its
# limits, its report and its refusal of other systems are tried here, in a tree of programs that are made up.

# shellcheck disable=SC2016,SC2153,SC2154 # variables of common; $ is for the programs that are made

load ../lib/common

setup_tree()
{
	local name

	tree=$T/tree
	mkdir -p "$tree/tests/macos" "$tree/build/tests/unit" "$T/site"
	cp "$TREE/tests/macos/real" "$tree/tests/macos/"
	for name in dev build/cordon tests/macos/session build/tests/unit/test_denial_log build/tests/unit/test_sbpl_rules; do
		printf '#!/bin/sh\necho "ok 1 - %s"\n' "$name" >"$tree/$name"
		chmod +x "$tree/$name"
	done
	echo 'print("ok 1 - tables", flush=True)' >"$tree/tests/macos/tables.py"
	cp "$tree/tests/macos/tables.py" "$tree/tests/macos/random_policies.py"
	echo 'import platform; platform.system = lambda: "Darwin"' >"$T/site/sitecustomize.py"
}

ended()
{
	! kill -0 "$1" 2>/dev/null
}

# real STATUS [ARGUMENT...]: as on a Mac. Sets seconds.
real()
{
	local wanted=$1 status=0 before=$SECONDS

	shift
	PYTHONPATH=$T/site timeout 200 "$tree/tests/macos/real" "$@" >"$T/said" 2>&1 || status=$?
	seconds=$((SECONDS - before))
	[ "$status" -eq "$wanted" ] || complain "status $status, $wanted expected" "$(cat "$T/said")"
}

@test "on another system it is refused by name, and nothing is written" {
	local status=0

	setup_tree
	cd "$tree"
	tests/macos/real >"$T/said" 2>&1 || status=$?
	[ "$status" -eq 1 ]
	[ "$(cat "$T/said")" = 'tests/macos/real is for a Mac; ./dev macos does what can be done elsewhere' ]
	[ ! -e cordon-macos-report.txt ]
}

@test "each step is in the report, with how it ended" {
	setup_tree
	printf '#!/bin/sh\necho "$1 $HOME"; exit 3\n' >"$tree/build/cordon"
	printf '#!/bin/sh\nprintf "\\377\\303\\251\\n"\n' >"$tree/dev"
	echo 'import os; print(os.environ["HOME"], "XDG_CACHE_HOME" in os.environ)' >"$tree/tests/macos/tables.py"
	HOME=$T/the.home USER=sam XDG_CACHE_HOME=$T PYTHONIOENCODING=ascii real 1 "$T/report"
	grep -A 1 -x '## ./dev build' "$T/report" | grep -qx '.é' || complain "$(cat "$T/report" "$T/said")"
	# relative to the caller
	(cd "$T" && real 1 "$(printf 'there\377')")
	[ -s "$T/$(printf 'there\377')" ]
	grep -A 2 -x '## build/cordon doctor' "$T/report" | tr '\n' ' ' | grep -q 'doctor ~ (status 3) $'
	grep -qx 'ok 1 - tests/macos/session' "$T/report"
	# a home of its own for the tests
	grep -A 1 '^## python3 -B tests/macos/tables.py' "$T/report" | grep -q '^/.* False$'
	grep -q 'steps did not end well' "$T/report"
}

@test "names of the user and the machine are not in the report, and words that contain them stay" {
	setup_tree
	printf '#!/bin/sh\necho "sam: same-sandbox balsam /Users/sam/x %s $HOME/y"\n' "$(uname -n)" >"$tree/dev"
	HOME=$T/h USER=sam real 1 "$T/report"
	grep -qx 'USER: same-sandbox balsam /Users/USER/x HOST ~/y' "$T/report" || complain "$(cat "$T/report")"
}

@test "a step that hangs is stopped with what it started, the time for all is kept, and the report says so" {
	setup_tree
	cat >"$tree/build/cordon" <<-EOF
		#!/bin/sh
		trap '' TERM
		echo begun
		setsid sleep 120 &
		echo \$! >"$T/away"
		sleep 1000 &
		echo \$! >"$T/child"
		wait
		sleep 1000
	EOF
	real 1 "$T/report" 8
	kill "$(cat "$T/away")"
	# the limit, and twice the grace: none of the 120 seconds in which the output is held open
	[ "$seconds" -lt 100 ] || complain "it took $seconds seconds"
	grep -A 2 -x '## build/cordon doctor' "$T/report" | tr '\n' ' ' | grep -qE 'begun \(STOPPED after [0-8] seconds\) $'
	grep -A 1 -x '## tests/macos/session' "$T/report" | grep -qx '(NOT RUN: the time is over)'
	until_true 10 ended "$(cat "$T/child")"
	"$PYTHON" - "$tree/tests/macos/real" <<-'EOF'
		import re, sys
		text = open(sys.argv[1]).read()
		number = lambda name: int(re.search(rf"^{name} = (\d+)", text, re.M).group(1))
		assert number("SECONDS") + 2 * number("GRACE") < 600
	EOF
}

@test "bad arguments are refused, and a report that cannot be written" {
	setup_tree
	real 2 "$T/report" soon
	grep -q 'usage: tests/macos/real' "$T/said"
	real 2 "$T/report" -1
	real 2 "$T/report" nan
	real 2 a b c
	real 1 "$T/no/such/report"
	grep -q "cannot write $T/no/such/report" "$T/said"
}
