#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What ./dev try shows after the build: each command free first, an agent, a killed daemon, an allowed domain, the next step.
# shellcheck disable=SC2016,SC2034 # variables are for the shell inside

load ../lib/common

teardown()
{
	end_started
}

@test "./dev try shows an agent, a killed daemon and an allowed domain, and ends with the next step" {
	"$CORDON" doctor -q >/dev/null || skip 'the default policy cannot be enforced here'
	mkdir -p "$T/root/build"
	ln -s "$CORDON" "$T/root/build/cordon"
	status=0
	timeout 100 sh -euc 'say() { printf "%s\n" "$*"; }; fail() { say "$*"; exit 1; }; setup() { :; }; compile_default() { :; }
	    ROOT=$1; . "$2/tools/dev/try.sh"; cmd_try' sh "$T/root" "$TREE" >"$T/out" 2>"$T/err" 3>&- || status=$?
	out=$(cat "$T/out") err=$(cat "$T/err")
	[ "$status" -eq 0 ] || complain 'it failed'
	silent
	said '  read the key' '  left a daemon' 'the daemon ended with the agent' '3 refused; cordon why --last' \
	    'example.com:443 is not among the allowed domains' 'Next, in a project of yours:'
	[ "$(grep -c 'hello from the server' "$T/out")" -eq 2 ] || complain 'the allowed domain was not reached twice'
}
