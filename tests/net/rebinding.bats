#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Names that resolve to addresses of this machine on the open network.

# shellcheck disable=SC2034 # err is read by complain

load ../lib/common

@test "domains: a name with a public address of this machine does not reach it" {
	how=-n
	[ "$(id -u)" -eq 0 ] || how=-rn
	unshare "$how" ip link set lo up 2>/dev/null || skip 'needs a network of its own'
	timeout 250 unshare "$how" "$PYTHON" "$TREE/tests/net/here.py" "$CORDON" >"$T/out" 2>"$T/err" || status=$?
	out=$(cat "$T/out") err=$(cat "$T/err")
	grep -qE '^confined: 0 of [48]$' "$T/out" || complain 'reached, or not tried'
	! grep -q '^any bound: [^0]' "$T/out" || complain 'reached where any address is bound'
	grep -qE '^private: (4 of 4|8 of 8)$' "$T/out" || complain 'not reached where that is meant'
	grep -qE '^far: (2 of 2|4 of 4)$' "$T/out" || complain 'another machine is not reached'
	heard 'which is this machine'
}
