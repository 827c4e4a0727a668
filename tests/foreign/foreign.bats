#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The runner for suites of other projects, with a small suite in the format of the Linux Test
# Project: a difference fails unless it is listed, and a listed one that does not occur is reported.

# shellcheck disable=SC2034,SC2154 # out and err are common's

load ../lib/common

# One test that is the same, one that only works bare, one that is skipped.
make_suite()
{
	mkdir -p "$T/suite/runtest" "$T/suite/testcases/bin" "$T/lists"
	printf '%s\n' 'same same' 'outside outside' 'never never' >"$T/suite/runtest/syscalls"
	printf '%s\n' '#!/bin/sh' 'echo x >inside' >"$T/suite/testcases/bin/same"
	# shellcheck disable=SC2016 # for the script
	printf '%s\n' '#!/bin/sh' 'echo x >"$HOME/outside"' >"$T/suite/testcases/bin/outside"
	printf '%s\n' '#!/bin/sh' 'exit 32' >"$T/suite/testcases/bin/never"
	chmod 755 "$T/suite/testcases/bin/"*
}

# compare STATUS: as the user who runs this test.
compare()
{
	local user=user

	[ "$(id -u)" -ne 0 ] || user=root
	status=0
	XDG_CACHE_HOME=$T/cache FOREIGN_LISTS=$T/lists TMPDIR=$T timeout 100 "$PYTHON" -B \
	    "$TREE/tests/foreign/run" --as "$user" ltp "$T/suite" >"$T/out" 2>"$T/err" || status=$?
	out=$(cat "$T/out")
	err=$(cat "$T/err")
	[ "$status" -eq "$1" ] || complain "status $1 was expected"
}

@test "a difference fails" {
	make_suite
	compare 1
	said 'outside: bare ok, confined failed' '2 passed, 1 failed, 0 skipped'
}

@test "a listed difference passes, and one that no longer occurs is reported" {
	make_suite
	printf 'outside\tthe home is not granted\nsame\tno reason any more\n' >"$T/lists/ltp.expected"
	compare 0
	said 'no longer different: same' '3 passed, 0 failed, 0 skipped'
}

@test "a line without a reason is an error" {
	make_suite
	printf 'outside\n' >"$T/lists/ltp.expected"
	compare 1
	[[ $err == *'ltp.expected:1: a test, a tab, a reason'* ]] || complain 'the line was not named'
}
