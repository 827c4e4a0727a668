#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The answer of `why` about a connection is the result of a real one: by names of the hosts file, at
# the resolver's port, and at a path with a file that is no socket.
# shellcheck disable=SC2016,SC2154 # $ is for the shell inside; out is common's

load ../lib/common

# agree YES-OR-NO OPTION... -- HOST PORT: a connection from inside, and `why`
agree()
{
	local want=$1 options=()

	shift
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	expect 0 run -q "${options[@]}" -- "$PYTHON" reach.py "$1" "$2"
	[ "$out" = "$want" ] || complain "$1:$2 is reached: $out" || return 1
	if [ "$want" = yes ]; then
		allowed "${options[@]}" connect "$1:$2"
	else
		denied "${options[@]}" connect "$1:$2"
	fi
}

begin()
{
	cat >reach.py <<-'END'
		import socket, sys
		try:
		    socket.create_connection((sys.argv[1], int(sys.argv[2])), timeout=20).close()
		    print("yes")
		except OSError:
		    print("no")
	END
}

@test "a name that the hosts file maps to this machine is localhost" {
	how=-m
	[ "$(id -u)" -eq 0 ] || how=-rm
	printf '127.0.0.1 localhost\n127.0.0.1 here.test # other.test\n127.0.0.1 Both.test\n192.0.2.9 both.test far.test\n' >hosts
	unshare "$how" mount --bind hosts /etc/hosts 2>/dev/null || skip 'needs mounts of its own'
	begin
	# shellcheck disable=SC1090,SC2030 # the functions of this file, in another process
	hosts_agree()
	{
		mount --bind hosts /etc/hosts
		"$PYTHON" -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1], flush=True); input()' \
		    <pipe >port 3>&- &
		exec 4>pipe
		until_true 20 test -s port
		port=$(cat port)
		[ "$("$PYTHON" reach.py here.test "$port")" = yes ] || complain free || return 1
		agree yes --net localhost -- here.test "$port" || return 1
		agree yes --net localhost:"$port" -- HERE.test "$port" || return 1
		agree no --net localhost:1 -- here.test "$port" || return 1
		agree no --net localhost -- other.test "$port" || return 1
		agree no --net localhost -- far.test "$port" || return 1
		agree no -- here.test "$port" || return 1
		said "to allow it: --net localhost:$port"
		# the name is listed, and its address is this machine
		agree no --domain here.test --port "$port" -- here.test "$port" || return 1
		said 'only servers of the session'
		exec 4>&-
	}
	mkfifo pipe
	export -f hosts_agree agree expect complain said allowed denied until_true
	export P T PYTHON CORDON
	unshare "$how" bash -c 'cd "$P" && hosts_agree' || complain 'in it'
}

# port_53_of HOST...: the session's resolver answers there, and nothing does at port 54.
port_53_of()
{
	local host spelled

	for host in "$@"; do
		spelled=$host
		[ "$host" != ::1 ] || [ -e /proc/net/if_inet6 ] || continue
		expect 0 run -q --domain a.test -- "$PYTHON" reach.py "$host" 53
		[ "$out" = yes ] || complain "$host" || return 1
		[ "$host" != ::1 ] || spelled='[::1]'
		allowed --domain a.test connect "$spelled:53" && said "the session's own resolver" || return 1
		expect 0 run -q --domain a.test -- "$PYTHON" reach.py "$host" 54
		[ "$out" = no ] || complain "$host 54" || return 1
		denied --domain a.test connect "$spelled:54" || return 1
	done
}

@test "with domains port 53 of any address is the session's resolver, other ports are not" {
	begin
	port_53_of 192.0.2.1 127.0.0.1 0.0.0.0 ::1
	agree no --domain a.test -- b.test 53
	agree no --net localhost -- 192.0.2.1 53
	agree no -- 192.0.2.1 53
}

@test "with domains port 53 of localhost is the session's resolver" {
	needs_localhost
	begin
	port_53_of localhost
}

@test "a file that is no socket cannot be connected to, and why says so" {
	cat >unix.py <<-'END'
		import errno, os, socket, sys
		os.path.exists("s") or socket.socket(socket.AF_UNIX).bind("s")
		if sys.argv[1] == "own":
		    server = socket.socket(socket.AF_UNIX)
		    server.bind("own")
		    server.listen()
		try:
		    socket.socket(socket.AF_UNIX).connect(sys.argv[1])
		    print("yes")
		except OSError as e:
		    print(errno.errorcode[e.errno])
	END
	echo text >file
	mkfifo pipe
	for path in . file pipe "$P" own; do
		rm -f own
		free=$("$PYTHON" unix.py "$path")
		rm -f own
		expect 0 run -q -- "$PYTHON" unix.py "$path"
		[ "$out" = "$free" ] || complain "$path: $free" || return 1
		if [ "$path" = own ]; then
			[ "$free" = yes ] && allowed socket own || return 1
		else
			[ "$free" = ECONNREFUSED ] && denied socket "$path" && said 'not a socket' || return 1
			unsaid 'to allow it'
		fi
	done
	denied --socket "$P/file" socket file
	allowed socket none
}
