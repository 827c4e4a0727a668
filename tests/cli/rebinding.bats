#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Names that lead to where their owner has no business: to this machine, by addresses of its own that
# are on the open network.

# shellcheck disable=SC2034 # err is read by complain

load common

@test "domains: a name does not lead to this machine by an address of the open network" {
	how=-n
	[ "$(id -u)" -eq 0 ] || how=-rn
	unshare "$how" true 2>/dev/null || skip 'needs a network of its own'
	timeout 250 unshare "$how" "$PYTHON" "$TREE/tests/net/here.py" "$CORDON" >"$T/out" 2>"$T/err" || status=$?
	out=$(cat "$T/out") err=$(cat "$T/err")
	[ "$(grep -c '^free: here$' "$T/out")" -eq 3 ] || complain 'nobody is there'
	said 'private: here here here here here here' 'confined: - - - - - -'
	# where every address can be bound, only a second one of the same network is not told
	case $out in
	*'any bound: - - here here - -'* | *'any bound: - - - - - -'*) ;;
	*) complain 'reached by its first address' ;;
	esac
	heard 'which is this machine'
}
