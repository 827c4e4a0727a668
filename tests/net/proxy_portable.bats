#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The proxy without epoll, as on macOS: poll(2), and bytes that are inspected, sent and then taken.
# The cases are those of proxy.bats.

load ../lib/common

role()
{
	timeout 250 "$PYTHON" "$TREE/tests/net/cases.py" \
	    "$(dirname "$CORDON")/tests/net/role_portable" "$@" >"$T/out" 2>"$T/err" || {
		# shellcheck disable=SC2034 # they are common's
		out=$(cat "$T/out") err=$(cat "$T/err")
		complain "one of these cases failed: $*"
		return 1
	}
}

@test "the portable proxy: requests, tunnels, tokens, refusals" {
	role http_urls tunnels tokens refusals private_addresses server_names second_hellos second_hellos_after_alerts odd_requests
}

@test "the portable proxy: servers that refuse, hang, or break off" {
	role failures slow_ones cut_off unproven
}

@test "the portable proxy: an upstream proxy, IPv6, names, redirected connections" {
	role upstream six stub through
}

@test "the portable proxy: every byte arrives at any pace" {
	timeout 300 "$PYTHON" "$TREE/tests/net/streams.py" \
	    "$(dirname "$CORDON")/tests/net/role_portable" >"$T/out" 2>"$T/err" ||
	    complain "$(cat "$T/out" "$T/err")"
}

@test "the portable proxy: many connections, and its end" {
	role many memory storm load held limits walls the_end
}
