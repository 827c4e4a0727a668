#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Allowed calls end as without cordon, and calls that fail either way fail with the same error: odd
# arguments, events that a file watcher sees, calls that only query.

# shellcheck disable=SC2016,SC2034,SC2154 # $ is for the shell inside; out and err are common's

load ../lib/common

# Two folders, for a bare and a boxed run.
begin()
{
	rm -rf .git
	mkdir kept bare boxed
	cp "$TREE/tests/files/$1" .
	bare=''
	if [ "$(id -u)" -eq 0 ]; then
		# root's powers are gone inside; without them it is a fair comparison
		bare='setpriv --bounding-set=-all --inh-caps=-all'
	fi
}

# compare_odd NETWORK: every call with odd arguments, bare and boxed.
compare_odd()
{
	begin odd_calls.py
	$bare "$PYTHON" -B odd_calls.py run bare >"$T/bare" 2>"$T/bare.err" || complain "$(cat "$T/bare.err")"
	[ "$(wc -l <"$T/bare")" -gt 4000 ]
	CORDON_TIMEOUT=240 expect 0 run -q --protect kept --net "$1" -- "$PYTHON" -B odd_calls.py run boxed
	chmod -R u+rwX bare boxed
	"$PYTHON" -B odd_calls.py compare "$T/bare" "$T/out" "$1" >"$T/diff" 2>&1 || complain "$(head -30 "$T/diff")"
}

@test "calls with unusual arguments have the errors of a bare run, without a network" {
	compare_odd none
}

@test "calls with unusual arguments have the errors of a bare run, with network localhost" {
	compare_odd localhost
}

# A file that has a lease, and a process that waits for its end, as /proc/locks lists it.
wait_for_lease()
{
	cat >"$T/lease.py" <<-'END'
		import fcntl, os, signal, sys
		signal.signal(signal.SIGIO, signal.SIG_IGN)
		held = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT)
		fcntl.fcntl(held, fcntl.F_SETLEASE, fcntl.F_WRLCK)
		waiter = os.fork()
		if waiter == 0:
		    os.close(held)
		    os.open(sys.argv[1], os.O_RDONLY)
		    os._exit(0)
		while "-> LEASE" not in open("/proc/locks").read():
		    pass
		print("waiting", flush=True)
		sys.stdin.read()
		os.kill(waiter, signal.SIGKILL)
	END
	mkfifo "$T/release"
	"$PYTHON" "$T/lease.py" "$T/leased" <"$T/release" >"$T/lease" &
	exec 7>"$T/release"
	until_true 10 grep -q waiting "$T/lease"
}

# Lists are looked at before a folder is moved; a file watcher takes none of that for a change.
listed='s/ [^ ]*:\(OPEN\|ACCESS\|CLOSE_NOWRITE\)//g'

@test "inotify reports the same events as in a bare run" {
	begin events.py
	$bare "$PYTHON" -B events.py bare >"$T/bare"
	[ "$(wc -l <"$T/bare")" -gt 50 ] && grep -q '^truncate: done: top/f:MODIFY f:MODIFY$' "$T/bare"
	for options in '--protect kept' '--protect kept --deny **/.env'; do
		rm -rf boxed
		mkdir boxed
		# shellcheck disable=SC2086 # words
		set -f -- $options
		set +f
		expect 0 run "$@" -- "$PYTHON" -B events.py boxed
		sed "/folder\(s\|\| over\| below\): /$listed" "$T/out" >"$T/boxed"
		sed "/folder\(s\|\| over\| below\): /$listed" "$T/bare" | diff - "$T/boxed" >"$T/diff" || complain "$options: $(cat "$T/diff")"
	done
}

@test "a lease held by another process changes no event of inotify" {
	wait_for_lease
	begin events.py
	expect 0 run --protect kept -- "$PYTHON" -B events.py boxed
	grep -q -- '-> LEASE' /proc/locks || complain 'the lease ended too early'
	exec 7>&-
	[ "$(grep -c '^truncate.*: done: top/f:MODIFY f:MODIFY$' "$T/out")" -eq 4 ] || complain 'truncate opened the file'
}

@test "interface ioctls have the results of a bare run where there is a network" {
	cat >asks.py <<-'END'
		import socket
		print(socket.if_nametoindex("lo"), socket.if_indextoname(1), ("lo" in [n for _, n in socket.if_nameindex()]))
		print(socket.getaddrinfo("fe80::1%lo", 80, type=socket.SOCK_STREAM)[0][4])
		print(socket.getnameinfo(("::1", 80, 0, 0), socket.NI_NUMERICHOST | socket.NI_NUMERICSERV))
		print(socket.getnameinfo(("fe80::1", 80, 0, 1), socket.NI_NUMERICHOST | socket.NI_NUMERICSERV))
		print(socket.getnameinfo(("127.0.0.1", 80), socket.NI_NUMERICHOST))
		try:
		    socket.if_nametoindex("no-such-one")
		except OSError as e:
		    print(e)
	END
	"$PYTHON" asks.py >"$T/bare"
	for network in localhost domains; do
		expect 0 run --net "$network" -- "$PYTHON" asks.py
		diff "$T/bare" "$T/out" >"$T/diff" || complain "$network: $(cat "$T/diff")"
	done
	# without one, interfaces are listed, and not more
	expect 0 run --net none -- "$PYTHON" -c 'import socket; print("lo" in [n for _, n in socket.if_nameindex()])'
	said True
}

@test "queries of mappings and of the clock have the results of a bare run" {
	cat >asks.py <<-'END'
		import ctypes, errno, fcntl, struct
		libc = ctypes.CDLL(None, use_errno=True)
		with open("/proc/self/maps") as maps:
		    start = int(maps.readline().split("-")[0], 16)
		    query = bytearray(struct.pack("QQQ", 104, 0, start).ljust(104, b"\0"))
		    try:
		        fcntl.ioctl(maps, 0xc0686611, query)
		        print("mapping", struct.unpack_from("Q", query, 24)[0] == start)
		    except OSError as error:
		        print("mapping", errno.errorcode[error.errno])
		clock = (ctypes.c_int * 64)()
		print("read", libc.adjtimex(clock) >= 0, libc.clock_adjtime(0, clock) >= 0)
		# the frequency, to what it is
		clock[0] = 2
		print("set", libc.adjtimex(clock), errno.errorcode[ctypes.get_errno()])
	END
	bare=''
	[ "$(id -u)" -ne 0 ] || bare='setpriv --bounding-set=-all --inh-caps=-all'
	$bare "$PYTHON" asks.py >"$T/bare"
	grep -q '^read True True' "$T/bare"
	expect 0 run -- "$PYTHON" asks.py
	diff "$T/bare" "$T/out" >"$T/diff" || complain "$(cat "$T/diff")"
}
