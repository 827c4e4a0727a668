#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `--pty` without a terminal outside, as for a program that starts cordon: all bytes pass, in both
# directions, up to the last, and nothing blocks.

# shellcheck disable=SC2016,SC2034,SC2154 # $ is for the shell inside; out and err are common's

load ../lib/common

# pty STATUS COMMAND...: standard input is the test's. Leaves out, without the terminal's carriage returns.
pty()
{
	local want=$1

	shift
	status=0
	timeout 120 "$CORDON" run --pty -- "$@" >"$T/raw" 2>"$T/err" || status=$?
	tr -d '\r' <"$T/raw" >"$T/out"
	out=$(cat "$T/out") err=$(cat "$T/err")
	[ "$status" -eq "$want" ] || complain "status $want was expected of: $*"
}

@test "descriptors 0 to 2 are terminals with a size and an owner" {
	pty 0 sh -c 'test -t 0 && test -t 1 && test -t 2 && echo three; tty; stty -a | grep -o -- "-echo;\|-echo "' </dev/null
	said three /dev/pts/ -echo
	silent
}

@test "the end of the input reaches the command, also in the middle of a line" {
	pty 0 cat < <(printf 'one\ntwo')
	[ "$out" = $'one\ntwo' ] || complain 'the text was expected, once'
	pty 0 cat < <(printf 'one\n')
	[ "$out" = one ]
	pty 0 cat </dev/null
	[ "$out" = '' ]
	pty 7 sh -c 'read -r a; read -r b; echo "$b$a"; exit 7' < <(printf 'x\ny\n')
	[ "$out" = yx ]
}

@test "the last byte of a long output arrives" {
	for _ in 1 2 3 4 5; do
		pty 3 sh -c 'seq 20000; exit 3' </dev/null
		seq 20000 | cmp - "$T/out"
	done
}

@test "large input and large output at the same time" {
	seq 50000 >lines
	pty 0 cat <lines
	cmp lines "$T/out"
	# unread output blocks no process
	pty 0 sh -c 'seq 5000' <lines
	[ "$(tail -n 1 "$T/out")" = 5000 ]
}

@test "a reader that closes its end ends the command, a slow reader does not" {
	{
		status=0
		timeout 120 "$CORDON" run --pty -- sh -c 'while :; do echo y; done' </dev/null || status=$?
		echo "$status" >"$T/status"
	} 2>"$T/err" | head -n 1 >"$T/out"
	# 128 and SIGHUP
	[ "$(cat "$T/status")" -eq 129 ]
	[ "$(tr -d '\r' <"$T/out")" = y ]
	"$CORDON" run --pty -- seq 20000 </dev/null | (
		read -r _
		sleep 0.3
		cat
	) | tr -d '\r' >"$T/out"
	[ "$(tail -n 1 "$T/out")" = 20000 ]
}

@test "a command that closes its terminal and opens it again" {
	pty 0 sh -c 'exec </dev/null >/dev/null 2>&1; sleep 0.2; echo again >/dev/tty' </dev/null
	[ "$out" = again ]
}

@test "signals end the command or are handled by it" {
	pty 143 sh -c 'kill -TERM $$' </dev/null
	pty 137 sh -c 'kill -KILL $$' </dev/null
	"$CORDON" run --pty -- sh -c 'trap "echo told; exit 5" USR1; echo ready; while :; do sleep 0.05; done' \
	    </dev/null >"$T/out" 3>&- &
	pid=$!
	for _ in $(seq 600); do ! grep -q ready "$T/out" || break; sleep 0.05; done
	kill -USR1 "$pid"
	status=0
	wait "$pid" || status=$?
	[ "$status" -eq 5 ]
	grep -q told "$T/out"
}

@test "the command can create ptys" {
	for option in '' --pty; do
		# shellcheck disable=SC2086 # an option or none
		timeout 120 "$CORDON" run $option -- "$PYTHON" -c \
		    'import pty, sys; sys.exit(pty.spawn(["sh", "-c", "test -t 0 && tty; exit 3"]) >> 8)' \
		    </dev/null >"$T/out" 2>"$T/err" && status=0 || status=$?
		out=$(cat "$T/out") err=$(cat "$T/err")
		said /dev/pts/
		[ "$status" -eq 3 ]
	done
}
