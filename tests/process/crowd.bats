#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Calls of many threads wait for the broker; a signal must not end those that it could have received.

# shellcheck disable=SC2154 # out and err are common's

load ../lib/common

@test "calls of a crowd that wait are received before one is answered" {
	"$CORDON" doctor --json | grep -q '"notify_wait_killable": *true' || skip 'a signal ends every call here (before 5.19)'
	cp "$TREE/tests/process/crowd.py" .
	timeout 20 "$PYTHON" crowd.py "$T" "$CORDON" run -q -- "$PYTHON" crowd.py inside >"$T/ended" 2>"$T/err" ||
		complain "$(cat "$T/err")"
	# of 24 threads; four of them would have been received one by one
	[ "$(cat "$T/ended")" -le 8 ] || complain "$(cat "$T/ended") calls ended with EINTR"
}
