#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Domains and ports of this machine together: an API by its name and a local database by its port. The
# kernel, `why` and the plan agree. All servers are on loopback and started by the tests.
# shellcheck disable=SC2034,SC2154 # out, web and others are set by the functions of lib
# shellcheck disable=SC2016 # variables are for the shell inside

load ../lib/common
load ../lib/servers

teardown()
{
	end_started
	stop_servers
}

begin()
{
	servers 'a.test 127.0.0.1' 'evil.test 127.0.0.1'
	options=(--private 127.0.0.1 --private ::1 --resolver "127.0.0.1:$dns" --port "$web")
	# the local database: a server that the session did not start
	"$PYTHON" -c 'import http.server as h, sys
s = h.HTTPServer(("127.0.0.1", 0), h.SimpleHTTPRequestHandler)
print(s.server_address[1], file=open(sys.argv[1] + ".new", "w"), flush=True)
import os; os.rename(sys.argv[1] + ".new", sys.argv[1]); s.serve_forever()' "$T/db" >/dev/null 2>&1 3>&- 9>&- &
	started=$!
	until_true 60 test -s "$T/db"
	db=$(cat "$T/db")
	cat >reach.py <<-'PROGRAM'
		import socket, sys
		try:
		    with socket.create_connection((sys.argv[1], int(sys.argv[2])), timeout=20) as s:
		        s.sendall(b"GET / HTTP/1.1\r\nHost: %b\r\nConnection: close\r\n\r\n" % sys.argv[1].encode())
		        print("yes" if s.recv(100).startswith((b"HTTP/1.1 200", b"HTTP/1.0 200")) else "no")
		except OSError as error:
		    print("no", error)
	PROGRAM
}

# agree YES-OR-NO HOST PORT: a connection of a program that knows no proxy, and `why`.
agree()
{
	plain 0 "$PYTHON" reach.py "$2" "$3" || return 1
	case $out in "$1"*) ;; *) complain "$2:$3, expected $1" || return 1 ;; esac
	if [ "$1" = yes ]; then
		allowed "${options[@]}" connect "$2:$3"
	else
		denied "${options[@]}" connect "$2:$3"
	fi
}

@test "a domain and a port of this machine are reached together, and nothing else" {
	begin
	for host in 127.0.0.1 0.0.0.0; do
		[ "$("$PYTHON" reach.py "$host" "$db")" = yes ] || complain "fails without cordon: $host"
	done
	[ "$("$PYTHON" reach.py 127.0.0.1 "$web")" = yes ] || complain 'web fails without cordon'
	options+=(--domain a.test --net "localhost:$db")
	agree yes a.test "$web"
	agree no evil.test "$web"
	agree yes 127.0.0.1 "$db"
	agree yes 0.0.0.0 "$db"
	agree no 127.0.0.1 "$web"
	expect 0 plan --json "${options[@]}"
	json "d['network']['mode'] == 'domains' and d['network']['localhost'] == [$db] and 'a.test' in d['network']['domains']"
	expect 0 plan "${options[@]}"
	said 'domains: a.test' "this machine on ports $db"
}

@test "a port of this machine is reached by the name localhost" {
	needs_localhost
	begin
	[ "$("$PYTHON" reach.py localhost "$db")" = yes ] || complain 'fails without cordon'
	options+=(--domain a.test --net "localhost:$db")
	agree yes localhost "$db"
	agree no localhost "$web"
}

@test "without the list the same server is refused, and the remedy works" {
	begin
	options=(--domain a.test --resolver "127.0.0.1:$dns")
	agree no 127.0.0.1 "$db"
	said "to allow it: --net domains --net localhost:$db"
	plain 1 sh -c "$PYTHON reach.py 127.0.0.1 $db | grep yes"
	heard "is a server of this machine" "allow it with --net domains --net localhost:$db"
	options+=(--net domains --net "localhost:$db" --private 127.0.0.1 --port "$web")
	agree yes 127.0.0.1 "$db"
	agree yes a.test "$web"
}

@test "policies list both, a project may narrow them and not add ports" {
	begin
	user_policy <<-JSON
		{"network": {"domains": ["a.test"], "localhost": [$db, 1], "ports": [$web], "private": ["127.0.0.1"],
		             "resolver": "127.0.0.1:$dns"}}
	JSON
	options=()
	agree yes 127.0.0.1 "$db"
	agree yes a.test "$web"
	policy <<<'{"network": {"domains": ["a.test"], "localhost": [1, 2]}}'
	agree no 127.0.0.1 "$db"
	agree yes a.test "$web"
	expect 1 trust
	said 'port 2 of this machine'
}

@test "the options go together in either order, and nothing is dropped in silence" {
	expect 0 plan --json --net localhost:5432 --domain a.test
	json "d['network']['mode'] == 'domains' and d['network']['localhost'] == [5432]"
	expect 0 plan --json --net domains --net localhost:5432
	json "d['network']['mode'] == 'domains' and d['network']['localhost'] == [5432]"
	expect 0 plan --json --net none --net localhost:5432
	json "d['network']['mode'] == 'localhost'"
	expect 0 plan --json --domain a.test --private 10.0.0.0/8
	json "d['network']['private'] == ['10.0.0.0/8']"
	for mode in none localhost; do
		refused run --domain a.test --net "$mode" -- true
		heard "--net: \"$mode\"" --domain
	done
	# the whole network includes the domain
	expect 0 plan --json --domain a.test --net all
	json "d['network']['mode'] == 'all'"
	refused run --net localhost --domain a.test -- true
	heard 'localhost:5432'
	refused run --domain a.test --private 10.0.0.0/99 -- true
	heard '--private'
}
