#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Names of hosts in nested sandboxes: each has its own proxy, which connects through that of the
# outer one, so all of them have to allow a name. All servers are on loopback.

# shellcheck disable=SC2016,SC2034,SC2154 # $ is for the shell inside; out and err are common's

load ../lib/common
load ../lib/servers
load ../lib/nest

start()
{
	begin
	servers 'a.test 127.0.0.1' 'b.test 127.0.0.1' 'c.test 127.0.0.1'
	cat >./get <<-END
		#!/bin/sh
		for name; do
			curl -sS --max-time 60 "http://\$name:$web/\$name" || :
			curl -sS --max-time 60 -k "https://\$name:$tls/tls-\$name" || :
		done
	END
	chmod +x ./get
}

teardown()
{
	stop_servers
}

# names NAME...: leaves the options for these domains.
names()
{
	local list

	list=$(printf ', "%s"' "$@")
	named=(--policy-json "{\"network\": {\"domains\": [${list#, }], \"ports\": [$web, $tls],
	    \"private\": [\"127.0.0.1\"], \"resolver\": \"127.0.0.1:$dns\"}}")
}

# got NAME...: each was reached, both ways. lost NAME...: neither.
got()
{
	local name

	for name; do
		said "GET /$name host=$name:$web" "GET /tls-$name host=$name:$tls" || return 1
	done
}

lost()
{
	local name

	for name; do
		unsaid "/$name " "/tls-$name " || return 1
	done
}

@test "a name is reached if both policies allow it" {
	start
	names a.test b.test
	outer=("${named[@]}")
	nest 0 "${outer[@]}" inner "${outer[@]}" -- ./get a.test b.test c.test 9>&-
	got a.test b.test
	lost c.test
	names a.test c.test
	nest 0 "${outer[@]}" inner "${named[@]}" -- ./get a.test b.test c.test 9>&-
	got a.test
	lost b.test c.test
	# where reading is supervised as well
	nest 0 "${outer[@]}" --deny '**/.env' inner "${named[@]}" --deny '**/.env' -- ./get a.test b.test 9>&-
	got a.test
	lost b.test
	# the outer one's own commands go on as before
	expect 0 run "${own[@]}" "${outer[@]}" -- sh -c '"$CORDON" run "$@" && ./get b.test' sh "${named[@]}" -- ./get a.test 9>&-
	got a.test b.test
}

@test "three deep, a name that one policy does not list is not reached" {
	start
	names a.test b.test
	outer=("${named[@]}")
	names a.test c.test
	middle=("${named[@]}")
	names a.test b.test c.test
	nest 0 "${outer[@]}" inner "${middle[@]}" -- "$CORDON" run "${own[@]}" "${named[@]}" -- ./get a.test b.test c.test 9>&-
	got a.test
	lost b.test c.test
	for net in none localhost; do
		nest 0 "${outer[@]}" inner --net "$net" -- "$CORDON" run "${own[@]}" "${named[@]}" -- ./get a.test b.test 9>&-
		lost a.test b.test
	done
}

@test "no connection bypasses the nest's own proxy" {
	start
	names a.test
	cat >around <<-'END'
		#!/bin/sh
		echo "$HTTP_PROXY" >outer.proxy
		p=${HTTP_PROXY##*:}
		"$PYTHON" nest.py "tcp=${p%/}" || exit 1
		exec "$CORDON" run "$@"
	END
	cat >try <<-'END'
		#!/bin/sh
		p=$(cat outer.proxy) q=${HTTP_PROXY##*:}
		[ "$p" != "$HTTP_PROXY" ] || echo the same proxy
		"$1" nest.py "tcp=${q%/}" "tcp6=${q%/}" "tcp=${p##*:}" "tcp6=${p##*:}" "tcp=$2" "tcp6=$2" tcp=53 listen=0
		HTTP_PROXY=$p http_proxy=$p curl -sS --max-time 60 "http://a.test:$2/past"
		env -u HTTP_PROXY -u http_proxy -u ALL_PROXY -u all_proxy curl -sS --max-time 60 "http://a.test:$2/plain"
		curl -sS --max-time 60 -x "http://cordon:wrong@127.0.0.1:${q%/}" "http://a.test:$2/wrong"
		curl -sS --max-time 60 "http://a.test:$2/right"
	END
	chmod +x around try
	export PYTHON
	expect 0 run "${own[@]}" --env PYTHON "${named[@]}" -- ./around "${named[@]}" -- ./try "$PYTHON" "$web" 9>&-
	[[ $out =~ ^tcp=[0-9]+:\ worked ]] || complain 'the outer one does not reach its proxy'
	unsaid 'the same proxy' /past /plain /wrong
	said 'GET /right' 'listen=0: worked'
	own_port=$(sed -n 's/^tcp=\([0-9]*\): worked$/\1/p' "$T/out" | sed -n 2p)
	worked "tcp6=$own_port"
	stopped "tcp=$web" "tcp6=$web" tcp=53
	[ "$(grep -c '^tcp6*=[0-9]*: refused' "$T/out")" -eq 5 ] || complain 'the outer proxy is reached'
}

# The outer server is reached from where it is, and the inner one from the inside; nothing else is.
each_its_own()
{
	[ "$(sed "s/$(cat outer.port)/outer/; s/$(cat inner.port)/inner/" "$T/out" | tr '\n' ' ')" = \
	    'tcp=outer: worked tcp=inner: worked tcp=outer: refused ' ] || complain 'not each its own'
}

@test "a nest reaches its own servers and not those of the outer session" {
	start
	names a.test
	cat >server.py <<-'END'
		import socket, sys, time, os
		server = socket.socket()
		server.bind(("127.0.0.1", 0))
		server.listen(8)
		with open(sys.argv[1] + ".new", "w") as file:
		    file.write(str(server.getsockname()[1]))
		os.rename(sys.argv[1] + ".new", sys.argv[1])
		while not os.path.exists("stop"):
		    time.sleep(0.05)
	END
	cat >inside <<-'END'
		#!/bin/sh
		"$1" server.py inner.port &
		while [ ! -s inner.port ]; do sleep 0.05; done
		"$1" nest.py "tcp=$(cat inner.port)" "tcp=$(cat outer.port)"
		touch stop
		wait
	END
	cat >around <<-'END'
		#!/bin/sh
		python=$1
		shift
		"$python" server.py outer.port &
		while [ ! -s outer.port ]; do sleep 0.05; done
		"$python" nest.py "tcp=$(cat outer.port)"
		"$CORDON" run "$@"
		wait
	END
	chmod +x inside around
	expect 0 run "${own[@]}" "${named[@]}" -- ./around "$PYTHON" "${named[@]}" -- ./inside "$PYTHON" 9>&-
	each_its_own
	# the same one further in
	rm -f stop inner.port outer.port
	expect 0 run "${own[@]}" "${named[@]}" -- ./around "$PYTHON" "${own[@]}" "${named[@]}" -- \
	    "$CORDON" run "${named[@]}" -- ./inside "$PYTHON" 9>&-
	each_its_own
}

@test "without an outer network a nest has none; without outer supervision domains is refused" {
	start
	names a.test
	for net in none localhost; do
		nest 0 --net "$net" inner "${named[@]}" -- ./get a.test 9>&-
		lost a.test
	done
	nest 125 --net all inner "${named[@]}" -- true 9>&-
	heard 'does not check addresses' 'start the outer one with --domain as well'
}

@test "the proxy of a nest ends with its session, however that ends" {
	start
	names a.test
	cat >around <<-'END'
		#!/bin/sh
		"$CORDON" run "$@" &
		launcher=$!
		while [ ! -s begun ]; do sleep 0.05; done
		cat begun
		all=$(cat "/proc/$launcher/task/$launcher/children")
		echo "$all" | wc -w
		kill -KILL "$launcher"
		for one in $all; do
			while kill -0 "$one" 2>/dev/null; do sleep 0.05; done
		done
		echo gone
	END
	chmod +x around
	expect 0 run "${own[@]}" "${named[@]}" -- ./around "${named[@]}" -- sh -c './get a.test >made; mv made begun; sleep 1000' 9>&-
	got a.test
	# the guard and the proxy
	[ "$(tail -n 2 "$T/out" | tr '\n' ' ')" = '2 gone ' ] || complain 'something is left'
}
