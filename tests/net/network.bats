#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The network: the sockets of each mode; with localhost only the allowed ports of this machine can
# be reached, by any call. Servers are started here, on loopback.

# shellcheck disable=SC2016,SC2034,SC2154 # $ is for the shell inside; out and err are common's

load ../lib/common

# serve NAME=KIND:ADDRESS...: servers outside, ready when this returns.
serve()
{
	mkdir -p "$T/served"
	rm -f "$T/served/ready"
	"$PYTHON" "$TREE/tests/net/serve.py" "$T/served" "$@" 3>&- &
	started="${started:-} $!"
	until_true 60 test -e "$T/served/ready"
}

# web: a web server of the folder $T/web on 127.0.0.1:$web and [::1]:$web6.
web()
{
	mkdir -p "$T/web"
	echo 'hello from outside' >"$T/web/index.html"
	"$PYTHON" - "$T" 3>&- <<-'END' &
		import functools, http.server, os, socket, sys, threading
		class Six(http.server.ThreadingHTTPServer):
		    address_family = socket.AF_INET6
		handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=sys.argv[1] + "/web")
		servers = [http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler), Six(("::1", 0), handler)]
		with open(sys.argv[1] + "/ports.new", "w") as to:
		    to.write(" ".join(str(s.server_address[1]) for s in servers))
		sys.stderr = open(os.devnull, "w")
		os.rename(sys.argv[1] + "/ports.new", sys.argv[1] + "/ports")
		threading.Thread(target=servers[0].serve_forever, daemon=True).start()
		servers[1].serve_forever()
	END
	started="${started:-} $!"
	until_true 60 test -s "$T/ports"
	read -r web web6 <"$T/ports" || true
}

teardown()
{
	end_started
}

begin()
{
	rm -rf .git
	cp "$TREE/tests/net/probe.py" .
}

reached()
{
	grep -c "^$1\$" "$T/served/log" || true
}

# settled NAME: number of connections to it, with this one: it is answered after all earlier ones.
settled()
{
	"$PYTHON" -c 'import socket, sys
with socket.create_connection(("127.0.0.1", int(sys.argv[1])), 60) as s:
    assert s.recv(99)' "$(port "$1")"
	reached "$1"
}

port()
{
	cat "$T/served/$1.port"
}

# A line "NAME: RESULT" for each RESULT, of the same run.
results()
{
	local name

	for name in "${@:2}"; do
		said "$name: $1"
	done
}

internet=(tcp 'tcp by number' tcp6)
packets=(udp udp6 udp-lite ping ping6)
others=(packet vsock 'vsock datagram' alg bluetooth can tipc xdp qipcrtr rds key llc ax25 nfc phonet
	kcm smc)
odd=(mptcp mptcp6 sctp)
raws=('raw icmp' raw raw6)
netlinks=('netlink diag' 'netlink audit' 'netlink uevent' 'netlink generic')

@test "each network mode allows its kinds of sockets and no others" {
	begin
	for net in none localhost domains all; do
		expect 0 run --net "$net" -- "$PYTHON" probe.py sockets
		results yes 'unix stream' 'unix seqpacket' 'pair stream' 'pair seqpacket' 'netlink route'
		results EAFNOSUPPORT "${others[@]}"
		results EPROTONOSUPPORT "${netlinks[@]}"
		case $net in
		none) results EACCES "${internet[@]}" "${packets[@]}" "${odd[@]}" "${raws[@]}" 'sctp many' dccp ;;
		localhost | domains)
			results yes "${internet[@]}"
			results EPROTONOSUPPORT "${packets[@]}" "${odd[@]}"
			results ESOCKTNOSUPPORT 'sctp many' dccp
			results EPERM "${raws[@]}"
			# it is no socket of that family that answers that
			said "asking for IPv6: yes, then {'connect': 'EINVAL', 'bind': 'EINVAL', \
'send': 'EOPNOTSUPP', 'join': 'EOPNOTSUPP', 'option': 'yes', 'write': 'ENOTCONN', 'listen': 'EINVAL'}"
			;;
		all)
			results yes "${internet[@]}" udp udp6
			results EPERM "${raws[@]}"
			said "'option': 'yes'"
			;;
		esac
	done
}

@test "localhost: programs reach servers of this machine" {
	begin
	web
	for url in "http://127.0.0.1:$web/" "http://[::1]:$web6/" "http://0.0.0.0:$web/"; do
		expect 0 run --net localhost -- "$PYTHON" -c 'import sys, urllib.request
print(urllib.request.urlopen(sys.argv[1]).read().decode())' "$url"
		said 'hello from outside'
	done
	if command -v curl >/dev/null; then
		expect 0 run --net localhost -- curl -sS "http://localhost:$web/"
		said 'hello from outside'
	fi
	if command -v node >/dev/null; then
		expect 0 run --net localhost -- node -e 'require("http").get(process.argv[1],
			r => r.on("data", d => console.log(d.toString())))' "http://127.0.0.1:$web/"
		said 'hello from outside'
	fi
	git init -q --bare "$T/web/repository"
	git -C "$T/web/repository" update-server-info
	expect 0 run --net localhost -- git -c init.defaultBranch=main ls-remote "http://127.0.0.1:$web/repository"
}

@test "localhost: programs reach servers of this machine by that name" {
	needs_localhost
	begin
	web
	expect 0 run --net localhost -- "$PYTHON" -c 'import sys, urllib.request
print(urllib.request.urlopen(sys.argv[1]).read().decode())' "http://localhost:$web/"
	said 'hello from outside'
}

# R172 differs: single ports; UDP on this machine by `"udp"`
@test "localhost: only listed ports are reached" {
	begin
	serve good=tcp:127.0.0.1 bad=tcp:127.0.0.1 good6=tcp:::1
	policy "$T/policy" <<-END
		{"network": {"localhost": [$(port good), $(port good6)]}}
	END
	script='import socket, sys
for host, port in zip(sys.argv[1::2], sys.argv[2::2]):
    with socket.create_connection((host, int(port))) as s:
        print(s.recv(99).decode())'
	expect 0 run -p "$T/policy" -- "$PYTHON" -c "$script" 127.0.0.1 "$(port good)" ::1 \
	    "$(port good6)" ::ffff:127.0.0.1 "$(port good)" 127.1.2.3 "$(port good)" || true
	said good good6
	expect 1 run -p "$T/policy" --status-fd 8 -- "$PYTHON" -c "$script" 127.0.0.1 "$(port bad)" \
	    8>"$T/status"
	heard PermissionError "refused: connect 127.0.0.1:$(port bad)" \
	    "allow it with --net localhost:$(port good),$(port good6),$(port bad)"
	grep -q "\"event\": \"refused\".*\"allow\": \"--net localhost:.*,$(port bad)\"" "$T/status"
	expect 0 run -p "$T/policy" --net "localhost:$(port good),$(port good6),$(port bad)" -- \
	    "$PYTHON" -c "$script" 127.0.0.1 "$(port bad)"
	said bad
	expect 1 run --net "localhost:$(port good)" -- "$PYTHON" -c "$script" 0.0.0.0 "$(port bad)"
	allowed -p "$T/policy" connect "127.0.0.1:$(port good)"
	denied -p "$T/policy" connect "127.0.0.1:$(port bad)"
	[ "$(reached bad)" -eq 1 ]
}

@test "localhost: no call reaches an unlisted port" {
	begin
	serve good=tcp:127.0.0.1 bad=tcp:127.0.0.1 udp=udp:127.0.0.1
	GOOD=$(port good)
	export GOOD
	# free, they all lead there
	"$PYTHON" probe.py reach 127.0.0.1 "$(port bad)" >"$T/free.out"
	grep -q "passed: \['tcp', 'tcp by number', 'not waiting', 'untied'" "$T/free.out"
	grep -q "'reconnected', 'accepted'" "$T/free.out"
	before=$(settled bad)
	expect 0 run --net "localhost:$GOOD" --env GOOD -- "$PYTHON" probe.py reach 127.0.0.1 "$(port bad)"
	said 'passed: []' 'tcp: EACCES' 'untied: EPERM' 'mapped: EACCES'
	said 'fast open, sendto: EOPNOTSUPP' 'fast open, sendmsg: EOPNOTSUPP' 'mptcp: EPROTONOSUPPORT'
	expect 0 run --net "localhost:$GOOD" --env GOOD -- "$PYTHON" probe.py reach 127.0.0.1 "$(port udp)"
	said 'passed: []'
	[ "$(settled bad)" -eq $((before + 1)) ]
	[ "$(reached udp)" -eq 0 ]
}

@test "localhost: no other machine is reached" {
	begin
	serve good=tcp:127.0.0.1
	GOOD=$(port good)
	export GOOD LIMIT=1
	for host in 203.0.113.1 2001:db8::1 198.51.100.255 ::ffff:203.0.113.1 255.255.255.255 224.0.0.1; do
		expect 0 run --net localhost --env GOOD --env LIMIT -- "$PYTHON" probe.py reach "$host" 80
		said 'passed: []' 'tcp: EACCES' 'accepted: EACCES'
	done
	denied --net localhost connect 203.0.113.1:80
}

@test "localhost: no packet leaves by another network device" {
	begin
	[ "$(id -u)" -eq 0 ] || return 0
	export LIMIT=0.3 DEVICE=v0 GOOD=9
	status=0
	"$TREE/tests/net/away.sh" "$PYTHON" probe.py reach 198.51.100.9 80 >"$T/free.out" 2>&1 || status=$?
	# a machine that makes no such device has proved the rest by addresses
	[ "$status" -ne 77 ] || return 0
	left=$(sed -n 's/^left: //p' "$T/free.out")
	[ "$left" -gt 3 ] || complain "$(cat "$T/free.out")"
	"$TREE/tests/net/away.sh" "$CORDON" run --net localhost --env LIMIT --env DEVICE --env GOOD \
	    -- "$PYTHON" probe.py reach 198.51.100.9 80 >"$T/out" 2>"$T/err"
	out=$(cat "$T/out")
	said 'passed: []' 'left: 0'
}

@test "localhost: the local resolver is reached only if its port is listed" {
	begin
	denied --net localhost connect 127.0.0.53:53
	allowed --net localhost:53 connect 127.0.0.53:53
	expect 0 run --net localhost -- "$PYTHON" -c 'import socket
s = socket.socket()
print(s.connect_ex(("127.0.0.1", 53)))'
	said 13
	expect 0 run --net localhost:53 -- "$PYTHON" -c 'import socket
s = socket.socket()
print(s.connect_ex(("127.0.0.1", 53)) != 13)'
	said True
}

@test "an address changed during the call leads nowhere else" {
	begin
	serve good=tcp:127.0.0.1 bad=tcp:127.0.0.1
	"$PYTHON" probe.py flip "$(port good)" "$(port bad)" 1 >"$T/free.out"
	grep -q "'bad'" "$T/free.out"
	before=$(settled bad)
	expect 0 run --net "localhost:$(port good)" -- "$PYTHON" probe.py flip "$(port good)" "$(port bad)" 2
	said "'good'" "'EACCES'"
	unsaid "'bad'"
	[ "$(settled bad)" -eq $((before + 1)) ]
}

@test "a slow connect waits and is interrupted as in a bare run" {
	begin
	"$PYTHON" probe.py wait >"$T/free.out"
	for net in localhost all; do
		expect 0 run --net "$net" -- "$PYTHON" probe.py wait
		diff "$T/free.out" "$T/out" || complain "$(cat "$T/free.out")"
	done
	said 'interrupted: EINTR' 'in time: EINPROGRESS' 'not waiting: EINPROGRESS' \
	    'nobody there: ECONNREFUSED'
}

@test "localhost: servers of the session are reached from outside on loopback" {
	begin
	"$CORDON" run --net localhost -- "$PYTHON" probe.py listen 3>&- &
	started=$!
	until_true 60 test -e ports
	"$PYTHON" - <<-'END'
		import socket
		for line in open("ports"):
		    name, port = line.split()
		    host = "::1" if "6" in name else "127.0.0.1"
		    got = socket.create_connection((host, int(port)), 30).recv(99).decode()
		    assert got == name, (got, name)
	END
	touch stop
	wait "$started"
	started=''
	# of another machine's addresses there are none to be had
	expect 1 run --net localhost -- "$PYTHON" -c 'import socket
socket.socket().bind(("203.0.113.1", 0))'
	heard 'Cannot assign requested address'
	expect 0 run --net localhost:9 -- "$PYTHON" -c 'import socket
for host, port in ("127.0.0.1", 7999), ("203.0.113.1", 0), ("127.0.0.1", 0), ("0.0.0.0", 0):
    try:
        socket.socket().bind((host, port))
        print("bound", host, port)
    except OSError as e:
        print(e.errno, host, port)'
	said '13 127.0.0.1 7999' '99 203.0.113.1 0' 'bound 127.0.0.1 0' 'bound 0.0.0.0 0'
}

@test "localhost: a server on all addresses is not reached by another network device" {
	begin
	[ "$(id -u)" -eq 0 ] || return 0
	cat >both.sh <<-'END'
		"$@" "$PYTHON" probe.py listen 2>/dev/null &
		i=0
		while [ ! -e ports ] && [ "$i" -lt 1200 ]; do i=$((i + 1)); sleep 0.05; done
		# from the device itself, as a packet of another machine comes
		port=$(sed -n 's/^any //p' ports)
		ip netns exec "$OTHER" "$PYTHON" -c 'import socket, sys
		s = socket.socket()
		s.settimeout(20)
		print("from outside:", s.connect_ex(("198.51.100.1", int(sys.argv[1]))))' "$port"
		touch stop
		wait
		rm -f stop ports
	END
	cat >net.sh <<-'END'
		set -e
		ip link set lo up
		ip link add v0 type veth peer name v1 || exit 77
		ip netns add "$OTHER"
		trap 'ip netns delete "$OTHER"' EXIT
		ip link set v1 netns "$OTHER"
		ip address add 198.51.100.1/24 dev v0
		ip link set v0 up
		ip netns exec "$OTHER" sh -c 'ip address add 198.51.100.2/24 dev v1; ip link set v1 up'
		sh both.sh env
		sh both.sh "$CORDON" run --net localhost --
	END
	export OTHER=cordon-test-$$ PYTHON CORDON
	unshare -nm sh net.sh >"$T/out" 2>"$T/err" || status=$?
	[ "${status:-0}" -ne 77 ] || return 0
	out=$(cat "$T/out") err=$(cat "$T/err")
	# reached without cordon, refused with it
	[ "$(sed -n 1p "$T/out")" = 'from outside: 0' ] || complain free
	[ "$(sed -n 2p "$T/out")" = 'from outside: 111' ] || complain confined
}

# R86 differs: without a network namespace: a broker redirects connections, so programs need no proxy support
@test "domains: neither addresses nor localhost are reached directly" {
	begin
	serve bad=tcp:127.0.0.1
	policy "$T/policy" <<-END
		{"network": {"domains": ["example.org"], "ports": [80, $(port bad)]}}
	END
	export GOOD=9 LIMIT=5
	for to in '203.0.113.1 80' '2001:db8::1 80' "127.0.0.1 $(port bad)" "0.0.0.0 $(port bad)" \
	    "::ffff:127.0.0.1 $(port bad)"; do
		# shellcheck disable=SC2086 # two words
		expect 0 run -p "$T/policy" --env GOOD --env LIMIT -- "$PYTHON" probe.py reach $to
		said 'passed: []'
	done
	[ "$(settled bad)" -eq 1 ]
}

# within STATUS ARGUMENT...: own.py in a session with domains, in which no address outside is allowed.
within()
{
	local want=$1

	shift
	expect "$want" run --domain a.test -- "$PYTHON" own.py "$@"
}

# outside ARGUMENT...: own.py without cordon, until the file stop is there.
outside()
{
	rm -f stop port taken heard
	"$PYTHON" own.py "$@" 3>&- &
	started="${started:-} $!"
}

# Does this kernel tell which sockets listen (sock_diag)? Without that no server counts as the session's own.
has_diag()
{
	"$PYTHON" -c 'import socket, struct
for family in 2, 10:
    s = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 4)
    s.send(struct.pack("=IHHIIBBBxI48x", 72, 20, 0x301, 0, 0, family, 6, 0, 1 << 10))
    assert struct.unpack("=IH", s.recv(65536)[:6])[1] != 2' 2>/dev/null
}

@test "domains: the session reaches its own servers" {
	begin
	has_diag || return 0
	cp "$TREE/tests/net/own.py" .
	within 0 reach
	said "127.0.0.1 ['own', 'own', 'own']" "0.0.0.0 ['own', 'own', 'own']" "::1 ['own', 'own']"
	said ":: ['own', 'own', 'own', 'own']" 'unbound own' 'not waiting EINPROGRESS 0 0 EISCONN'
	said "another process b\"b'own'"
	within 0 many 200
	said 'stays: own last: 0'
	# as people do it; a server that is not there yet is waited for
	echo 'hello from inside' >page
	expect 0 run --domain a.test -- sh -c ': >log; "$0" -u -m http.server --bind 127.0.0.1 0 >log 2>&1 & server=$!
	    n=0; until port=$(sed -n "s/.* port \([0-9]*\) .*/\1/p" log) && [ -n "$port" ]; do
	    n=$((n + 1)); [ $n -lt 1200 ] || exit 9; sleep 0.05; done
	    curl -sS "http://127.0.0.1:$port/page" && curl -sS "http://localhost:$port/page"; kill $server' "$PYTHON"
	[ "$out" = 'hello from inside
hello from inside' ] || complain 'both ways'
}

@test "domains: the session reaches its own servers by the name localhost" {
	needs_localhost
	begin
	has_diag || return 0
	cp "$TREE/tests/net/own.py" .
	within 0 named
	said "localhost own"
}

@test "domains: a server of another process is not reached, and that is reported" {
	begin
	cp "$TREE/tests/net/own.py" .
	serve bad=tcp:127.0.0.1
	[ "$("$PYTHON" own.py others "$(port bad)")" = "$(port bad) ['bad', 'bad', 'bad']" ]
	before=$(settled bad)
	expect 3 run --domain a.test -- sh -c '"$1" own.py others "$2" 9; exit 3' sh "$PYTHON" "$(port bad)"
	said "$(port bad) ['ECONNREFUSED', 'ECONNREFUSED', 'ECONNREFUSED']"
	heard "refused: connect 127.0.0.1:$(port bad) is a server of this machine, and not of this session"
	# nothing is reported about an address without a server
	case $err in
	*:9\ *) complain 'nobody is there' ;;
	esac
	[ "$(settled bad)" -eq $((before + 1)) ]
	# the same for another session
	"$CORDON" run --domain a.test -- "$PYTHON" probe.py listen 3>&- &
	started="$started $!"
	until_true 60 test -e ports
	within 0 others "$(sed -n 's/^any //p' ports)"
	said "['ECONNREFUSED', 'ECONNREFUSED', 'ECONNREFUSED']"
	[ "$("$PYTHON" own.py others "$(sed -n 's/^any //p' ports)")" = \
	    "$(sed -n 's/^any //p' ports) ['any', 'any', 'any']" ]
	touch stop
}

@test "domains: a port of the session is not reached once another process has it" {
	begin
	has_diag || return 0
	cp "$TREE/tests/net/own.py" .
	outside take
	within 0 leave
	said 'own: own' 'closed: ECONNREFUSED' 'taken: ECONNREFUSED ECONNREFUSED'
	[ ! -e heard ] || complain "$(cat heard)"
	touch stop
	wait
	# not even while it waits for a server whose queue is full
	outside take
	within 0 full
	said 'full: ETIMEDOUT' "taken: ['ECONNREFUSED'] ECONNREFUSED"
	[ ! -e heard ] || complain "$(cat heard)"
	touch stop
	wait
	outside share
	until_true 60 test -e port
	within 0 shared "$(cat port)"
	unsaid other own
	[ ! -e heard ] || complain "$(cat heard)"
	touch stop
	wait
}

@test "domains: a port that changes its owner during a connect is not reached" {
	begin
	has_diag || return 0
	cp "$TREE/tests/net/own.py" .
	outside rival
	until_true 60 test -e port
	# free, both are reached
	"$PYTHON" own.py race 0 own other >"$T/free.out"
	grep -q "'own'" "$T/free.out"
	until_true 60 grep -q came:secret heard
	touch stop
	wait
	outside rival
	until_true 60 test -e port
	within 0 race 3 own
	said "'own'"
	unsaid "'other'"
	! grep -qs secret heard || complain "$(cat heard)"
	touch stop
	wait
}

@test "inherited descriptors do not reach a refused address" {
	begin
	serve bad=tcp:127.0.0.1
	# one that has no other end is refused (stdio.bats); this one lets go of its own
	script='import ctypes, socket, sys
s = socket.socket(fileno=0)
ctypes.CDLL(None).connect(0, bytes(16), 16)
print("connect:", s.connect_ex(("127.0.0.1", int(sys.argv[1]))))
try:
    s.bind(("0.0.0.0", 0))
    print("bound")
except OSError as e:
    print("bind:", e.errno)'
	for net in none localhost:9; do
		"$PYTHON" -c 'import socket, subprocess, sys
other = socket.create_server(("127.0.0.1", 0))
s = socket.create_connection(other.getsockname())
subprocess.run(sys.argv[1:], stdin=s, check=True)' "$CORDON" run --net "$net" -- "$PYTHON" -c "$script" \
		    "$(port bad)" >"$T/out" 2>"$T/err"
		out=$(cat "$T/out") err=$(cat "$T/err")
		said 'connect: 13'
	done
	[ "$(settled bad)" -eq 1 ]
}
