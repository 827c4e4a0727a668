#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# UDP and unix datagrams on this machine, where they are granted: sent by the broker, to loopback only.
# shellcheck disable=SC2154 # out and err are common's

load ../lib/common

teardown()
{
	end_started
	rm -rf "${O:-}"
}

begin()
{
	rm -rf .git
	cp "$TREE/tests/net/datagrams.py" .
	mkdir "$T/free"
}

# listen KIND: a server outside, unix or udp; leaves its address in at, and appends what it gets to $T/got.
listen()
{
	O=$(mktemp -d /tmp/cordon-d.XXXXXX)
	: >"$T/got"
	"$PYTHON" - "$1" "$O" "$T/got" 3>&- <<-'END' &
		import os, socket, sys
		s = socket.socket(socket.AF_UNIX if sys.argv[1] == "unix" else socket.AF_INET, socket.SOCK_DGRAM)
		s.bind(sys.argv[2] + "/s" if sys.argv[1] == "unix" else ("127.0.0.1", 0))
		with open(sys.argv[2] + "/new", "w") as f:
		    f.write(sys.argv[2] + "/s" if sys.argv[1] == "unix" else str(s.getsockname()[1]))
		os.rename(sys.argv[2] + "/new", sys.argv[2] + "/at")
		while True:
		    data = s.recv(99).decode()
		    with open(sys.argv[3], "a") as f:
		        print(data, file=f)
	END
	started="${started:-} $!"
	until_true 60 test -e "$O/at"
	at=$(cat "$O/at")
}

@test "datagrams on loopback have the results of a bare run" {
	begin
	(cd "$T/free" && "$PYTHON" "$P/datagrams.py" works) >"$T/expected"
	grep -q "^v4 b'pong ping'" "$T/expected"
	expect 0 run --net localhost --udp -- "$PYTHON" datagrams.py works
	diff "$T/expected" "$T/out" || complain 'differs'
	silent
}

@test "datagrams reach no other address, and no multicast group can be joined" {
	begin
	(cd "$T/free" && "$PYTHON" "$P/datagrams.py" refused) >"$T/expected"
	grep -q '^resolver 1' "$T/expected" && grep -q '^join None' "$T/expected"
	expect 0 run --net localhost --udp -- "$PYTHON" datagrams.py refused
	[ "$(grep -c -E ' (EACCES|EPERM|EINVAL|ENOTSUP|EADDRNOTAVAIL)$' "$T/out")" -eq 19 ] || complain 'something was not refused'
	for line in 'resolver EACCES' 'away EACCES' 'device EACCES' 'join ENOTSUP' 'untie EPERM' 'credentials EPERM'; do
		said "$line"
	done
}

@test "without udp the refusal names the missing grant, once" {
	for kind in 'AF_INET, socket.SOCK_DGRAM' 'AF_INET6, socket.SOCK_DGRAM, 17'; do
		expect 1 run --net localhost -- "$PYTHON" -c "import socket; socket.socket(socket.$kind)"
		heard 'Protocol not supported' 'cordon: refused: network.udp for python3: UDP and unix datagrams are not granted'
		heard '; allow them with --udp'
		[ "$(grep -c '^cordon: ' "$T/err")" -eq 1 ] || complain 'more than one line'
	done
	expect 0 run --net localhost --udp -- "$PYTHON" -c 'import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM)'
	silent
	# it is none of a network, nor of one by names
	expect 1 run --udp -- "$PYTHON" -c 'import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM)'
	heard 'no network access is granted'
}

@test "with a list of ports datagrams reach only those, and why agrees" {
	begin
	listen udp
	"$PYTHON" datagrams.py send "$at"
	until_true 20 grep -q x "$T/got"
	expect 0 run --net "localhost:$at" --udp -- "$PYTHON" datagrams.py send "$at"
	said 'send 1'
	until_true 20 test "$(wc -l <"$T/got")" -eq 2
	allowed --net "localhost:$at" --udp connect "127.0.0.1:$at/udp"
	expect 1 run --net localhost:9 --udp -- sh -c "$PYTHON datagrams.py send $at; exit 1"
	said 'send EACCES'
	heard "cordon: refused: send 127.0.0.1:$at: this port of this machine is not listed" "--net localhost:9,$at"
	denied --net localhost:9 --udp connect "127.0.0.1:$at/udp"
	denied --net localhost connect "127.0.0.1:$at/udp"
	said 'to allow it: --udp'
	denied --net localhost --udp connect 127.0.0.1:53/udp
	denied --net localhost --udp connect 192.0.2.1:9/udp
	denied --udp connect "127.0.0.1:$at/udp"
	allowed --net all connect 192.0.2.1:9/udp
}

@test "an address that a thread changes during the call has no effect" {
	begin
	listen udp
	expect 0 run --net localhost:9 --udp -- "$PYTHON" datagrams.py swap "$at" 3
	said 'tries True True'
	[ ! -s "$T/got" ] || complain "$(wc -l <"$T/got") arrived"
	# free they do
	"$PYTHON" datagrams.py swap "$at" 3
	until_true 20 grep -q swapped "$T/got"
}

@test "unix datagrams reach the sockets that can be connected to" {
	begin
	listen unix
	"$PYTHON" datagrams.py send "$at"
	until_true 20 grep -q x "$T/got"
	expect 0 run --net localhost --udp -- "$PYTHON" datagrams.py send "$at"
	said 'send EACCES'
	expect 0 run --net localhost --udp --socket "$at" -- "$PYTHON" datagrams.py send "$at"
	said 'send 1'
	until_true 20 test "$(wc -l <"$T/got")" -eq 2
}

@test "an unapproved project cannot grant datagrams" {
	begin
	policy <<-'END'
		{"network": {"localhost": true, "udp": true}}
	END
	user_policy <<-'END'
		{"network": "localhost"}
	END
	expect 0 run -q -- "$PYTHON" -c 'import socket
try: socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
except OSError as e: print(e.errno)'
	said 93
	expect 0 plan
	heard 'requests permissions that were not approved: UDP and unix datagrams on this machine'
	user_policy <<-'END'
		{"network": {"localhost": true, "udp": true}}
	END
	expect 0 plan
	said 'network   localhost, with UDP and unix datagrams (each that names an address'
	policy <<-'END'
		{"network": {"udp": false}}
	END
	denied connect 127.0.0.1:9/udp
}

@test "a nested session has datagrams only if both policies grant them" {
	begin
	inner="$CORDON run --no-project-policy"
	ask="$PYTHON datagrams.py send 9"
	expect 0 run --read "$(dirname "$CORDON")" --execute "$CORDON" --net localhost --udp -- sh -c "$inner --net localhost --udp -- $ask"
	said 'send 1'
	expect 0 run --read "$(dirname "$CORDON")" --execute "$CORDON" --net localhost --udp -- sh -c "$inner --net localhost -- $ask"
	unsaid 'send 1'
	expect 0 run --read "$(dirname "$CORDON")" --execute "$CORDON" --net localhost --udp -- sh -c "$inner --net localhost:8 --udp -- $ask"
	said 'send EACCES'
	expect 0 run --read "$(dirname "$CORDON")" --execute "$CORDON" --net localhost -- sh -c "$inner --net localhost --udp -- $ask"
	unsaid 'send 1'
}

# In every mode, also where datagrams are not granted: socat's listeners need such a pair.
@test "a datagram socketpair keeps message boundaries and cannot send elsewhere" {
	begin
	listen unix
	cat >pair.py <<-'END'
		import errno, os, socket, sys
		a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
		a.send(b"one")
		a.send(b"two")
		print(b.recv(9), b.recv(9), a.get_inheritable(), b.gettimeout())
		for way in (lambda: a.sendto(b"x", sys.argv[1]), lambda: (a.connect(sys.argv[1]), a.send(b"x"))):
		    try:
		        way()
		    except OSError as e:
		        print(errno.errorcode[e.errno])
	END
	"$PYTHON" pair.py "$at"
	until_true 20 test "$(wc -l <"$T/got")" -eq 2
	for options in '' '--net localhost' '--net localhost --udp' '--domain a.test' '--net all'; do
		# shellcheck disable=SC2086 # options are words
		expect 0 run $options -- "$PYTHON" pair.py "$at"
		said "b'one' b'two' False None"
	done
	[ "$(wc -l <"$T/got")" -eq 2 ] || complain 'something arrived'
}

@test "socat listens, sends and receives datagrams" {
	command -v socat >/dev/null || skip 'no socat'
	begin
	cat >so.sh <<-'END'
		port=$("$PYTHON" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
		retry() { for _ in $(seq 100); do "$@" 2>/dev/null && return; sleep 0.05; done; }
		socat UNIX-LISTEN:x.sock,fork SYSTEM:'echo from-unix' & a=$!
		socat TCP-LISTEN:$port,bind=127.0.0.1,fork,reuseaddr SYSTEM:'echo from-tcp' & b=$!
		retry socat -u UNIX-CONNECT:x.sock -
		retry socat -u TCP:127.0.0.1:$port -
		kill $a $b
		[ "$1" = datagrams ] || exit 0
		socat -u UNIX-RECV:d.sock CREATE:out & a=$!
		echo from-datagram >in
		retry socat -u OPEN:in UNIX-SENDTO:d.sock
		retry grep -h from-datagram out
		kill $a
	END
	export PYTHON
	expect 0 run --env PYTHON --net localhost -- sh so.sh streams
	said from-unix from-tcp
	rm -f x.sock
	expect 0 run --env PYTHON --net localhost --udp -- sh so.sh datagrams
	said from-unix from-tcp from-datagram
}
