#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The bench programs run, one small round each. Times are not checked: that needs a machine at rest.
# A program fails if the measured work failed.

# shellcheck disable=SC2034,SC2154 # out and err are common's

load ../lib/common

# bench NAME: one quick round; what it measured has to be there and to have run.
bench()
{
	local program

	program=$(dirname "$CORDON")/bench/bench_$1
	[ -x "$program" ] || return 1
	status=0
	env -u XDG_STATE_HOME TMPDIR="$T" timeout 250 "$program" --quick >"$T/out" 2>"$T/err" || status=$?
	out=$(cat "$T/out")
	err=$(cat "$T/err")
	[ "$status" -eq 0 ] || complain "the bench failed" || return 1
	[ -z "$(find "$T" -maxdepth 1 -name 'cordon-*')" ] || complain 'it left something behind'
}

@test "policies: load, plan, answer" {
	bench policy
	said ' paths ' ' patterns '
}

@test "starting" {
	bench start
	said '| bare |' '| floor+fork |' '| least |' '| cordon |' '| cordon --track-only |' 'bar 1.20x' 'bar 0.55x'
}

@test "working" {
	bench work
	said '### reading' '### walking' '### git status' '### make' 'bar 1.03x'
}

@test "making and opening files" {
	bench files
	said '### making' '### unpacking' '### git clone' '### npm ci' '### reading' '| each open handed over |'
	unsaid 'not measured' 'does not run here'
}

@test "growing" {
	bench scale
	said '### start-up with' '### start-up by size' 'bar 50.00 ms'
}

@test "ending" {
	bench session
	said 'processes left behind' ', 0 left alive' '(PSS)' 'the program, stripped'
}

@test "the proxy" {
	bench net
	said 'one stream' 'new connections' 'held memory'
}
