#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What the kernel refuses by itself is reported from its audit log, where root may read that. Auditing is on for the
# whole machine meanwhile, so this file runs while no other suite does.
# shellcheck disable=SC2016,SC2034,SC2154 # $ is for the shell inside; err is common's

load ../lib/common

setup_file()
{
	/usr/bin/python3 "$BATS_TEST_DIRNAME/../lib/audit.py" true || skip 'auditing cannot be turned on here'
}

# audited STATUS ARGUMENT...: as expect, with auditing on.
audited()
{
	local program=$CORDON want=$1

	shift
	CORDON=/usr/bin/python3
	expect "$want" "$TREE/tests/lib/audit.py" "$program" "$@"
	CORDON=$program
}

# traced EXPRESSION: it holds about the events (d) of $T/status, which have the schema.
traced()
{
	/usr/bin/python3 "$TREE/tests/policy/events.py" "$T/status" -- "$@" || complain "$(cat "$T/status")"
}

@test "a read that Landlock refuses is reported without --trace, once" {
	echo kept >"$HOME/kept"
	echo kept >"$HOME/a b"
	audited 1 run --status-fd 5 -- sh -c 'cat "$0" "$1" "$0" "$0.none"; exit 1' "$HOME/kept" "$HOME/a b" 5>"$T/status"
	heard "cordon: refused: read $HOME/kept is not granted" "cordon: refused: read $HOME/a b is not granted"
	traced '[(x["what"], x["known"], x["subject"].split("/")[-1]) for x in d if x["event"] == "refused"] == [("read", "decided", "kept"), ("read", "decided", "a b")]'
	audited 0 run --read "$HOME/kept" -- cat "$HOME/kept"
	said kept
	silent
	# without auditing: as before
	expect 1 run -- sh -c 'cat "$0"' "$HOME/kept"
	unsaid "refused: read $HOME/kept is not granted;"
}

@test "also where no call is supervised, and for a program that may not be run" {
	policy='{"extends": [], "files": {"execute": ["/usr", "/bin", "/lib", "/lib64"], "read": ["/etc"]}}'
	printf '#!/bin/sh\n' >"$HOME/program"
	chmod 755 "$HOME/program"
	audited 126 run --policy-json "$policy" --status-fd 5 -- sh -c '"$0"' "$HOME/program" 5>"$T/status"
	traced '"execute" in [x["what"] for x in d if x["event"] == "refused" and x["subject"].endswith("/program")]'
	audited 0 plan --policy-json "$policy"
	said 'trace     what the kernel refuses is read from its audit log'
}

@test "denials of other Landlock domains are not reported" {
	echo kept >"$HOME/kept"
	audited 1 run --status-fd 5 -- sh -c 'sleep 1; exit 1' 5>"$T/status" &
	background=$!
	sleep 0.3
	audited 1 run -q -- cat "$HOME/kept"
	wait "$background"
	traced 'not [x for x in d if x["event"] == "refused"]'
}

@test "a command cannot open or write the audit log" {
	audited 0 run -- /usr/bin/python3 -c '
import socket
try:
    socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 9)
except OSError as error:
    print(error.strerror)
else:
    raise SystemExit(1)'
	said 'Protocol not supported'
}
