# SPDX-License-Identifier: MIT
# Fds 0 to 2 of a caller: the command gets files, pipes and connected sockets unchanged, without
# further rights; fds that can be redirected are refused, and nothing starts.

load ../lib/common

# given KIND COMMAND...: runs it with such a thing on descriptor 0, told where the receiver is. What the
# receiver got is in $T/got; nothing: it is empty.
given()
{
	status=0
	timeout 60 "$PYTHON" - "$T" "$@" >"$T/out" 2>"$T/err" <<-'END' || status=$?
		import ctypes, os, select, socket, subprocess, sys
		place, kind, command = sys.argv[1], sys.argv[2], sys.argv[3:]
		unix = socket.AF_UNIX

		def receiver(family, type, address):
		    s = socket.socket(family, type)
		    s.bind(address)
		    if type == socket.SOCK_STREAM:
		        s.listen(9)
		    return s

		name = place + "/receiver"
		for path in (name, name + ".stream"):
		    if os.path.exists(path):
		        os.unlink(path)
		udp = receiver(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0))
		tcp = receiver(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0))
		dgram = receiver(unix, socket.SOCK_DGRAM, name)
		stream = receiver(unix, socket.SOCK_STREAM, name + ".stream")
		other = None
		events = select.epoll()

		def pair(type):
		    global other
		    one, other = socket.socketpair(unix, type)
		    return one.detach()

		def connected():
		    global other
		    one = socket.create_connection(tcp.getsockname())
		    other = tcp.accept()
		    return one.detach()

		def ring():
		    libc = ctypes.CDLL(None)
		    fd = libc.syscall(425, 8, ctypes.create_string_buffer(bytes(120)))
		    return fd if fd >= 0 else os.eventfd(0)

		kinds = {
		    "udp": lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).detach(),
		    "tcp": lambda: socket.socket().detach(),
		    "tcp-listening": lambda: receiver(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)).detach(),
		    "tcp-connected": connected,
		    "unix-dgram": lambda: socket.socket(unix, socket.SOCK_DGRAM).detach(),
		    "unix-dgram-pair": lambda: pair(socket.SOCK_DGRAM),
		    "unix-stream": lambda: socket.socket(unix).detach(),
		    "unix-pair": lambda: pair(socket.SOCK_STREAM),
		    "unix-listening": lambda: receiver(unix, socket.SOCK_STREAM, place + "/listening").detach(),
		    "netlink": lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0).detach(),
		    "ring": ring,
		    "events": lambda: os.eventfd(1),
		    "epoll": lambda: events.fileno(),
		    "process": lambda: os.pidfd_open(os.getpid()),
		    "memory": lambda: os.memfd_create("x"),
		}
		fd = kinds[kind]()
		env = dict(os.environ, UDP=str(udp.getsockname()[1]), TCP=str(tcp.getsockname()[1]), UNIX=name)
		done = subprocess.run(command, stdin=fd, env=env)
		os.close(fd)
		with open(place + "/got", "w") as got:
		    for s in (udp, tcp, dgram, stream):
		        s.setblocking(False)
		        try:
		            if s in (udp, dgram):
		                s.recv(9, socket.MSG_PEEK)
		            source = s if s in (udp, dgram) else s.accept()[0]
		            source.settimeout(30)
		            print(source.recv(9), file=got)
		        except BlockingIOError:
		            pass
		sys.exit(done.returncode)
	END
	out=$(tr '\000' '?' <"$T/out")
	err=$(tr '\000' '?' <"$T/err")
}

# leads_out KIND SENTENCE: reaches the receiver from descriptor 0, free; confined nothing starts.
leads_out()
{
	given "$1" "$PYTHON" -c "$2"
	[ "$status" -eq 0 ] && [ -s "$T/got" ] || complain "$1: leads nowhere, free" || return 1
	given "$1" "$CORDON" run --env UDP --env TCP --env UNIX -- "$PYTHON" -c "$2"
	[ "$status" -eq 125 ] || complain "$1: 125 was expected" || return 1
	[ ! -s "$T/got" ] || complain "$1: leads out: $(cat "$T/got")" || return 1
	one_notice 'descriptor 0 is a socket' 'it would bypass the policy'
}

preface='import os, socket; s = socket.socket(fileno=0); to = ("127.0.0.1", int(os.environ["UDP"]));'
first='s.sendto(b"out", 0x20000000, ("127.0.0.1", int(os.environ["TCP"])))'

@test "a datagram socket as standard descriptor is refused" {
	leads_out udp "$preface s.sendto(b'out', to)"
	leads_out unix-dgram "$preface s.sendto(b'out', os.environ['UNIX'])"
	leads_out unix-dgram-pair "$preface s.sendto(b'out', os.environ['UNIX'])"
}

@test "an unconnected or disconnected socket is refused" {
	leads_out tcp "$preface s.connect(('127.0.0.1', int(os.environ['TCP']))); s.send(b'out')"
	leads_out tcp "$preface $first"
	leads_out tcp-listening "$preface s.shutdown(2); $first"
	leads_out unix-stream "$preface s.connect(os.environ['UNIX'] + '.stream'); s.send(b'out')"
}

@test "netlink, io_uring, perf, epoll and pidfd descriptors are refused" {
	for kind in netlink ring events epoll process; do
		given "$kind" true
		[ "$status" -eq 0 ] || complain "$kind: cannot be had, free"
		given "$kind" "$CORDON" run -- touch ran
		[ "$status" -eq 125 ] || complain "$kind: 125 was expected"
		[ ! -e ran ] || complain "$kind: it ran"
		one_notice 'descriptor 0 is' 'it would bypass the policy'
	done
}

@test "they are refused in a running shared session, too" {
	expect 0 run --session door -- sh -c 'sleep 1000 & true'
	given udp "$CORDON" run --session door -- touch ran
	[ "$status" -eq 125 ] || complain '125 was expected'
	[ ! -e ran ]
	given unix-pair "$CORDON" run --session door -- touch ran
	[ "$status" -eq 0 ] || complain '0 was expected'
	[ -e ran ]
	expect 0 kill door
}

@test "with --track-only a datagram socket can be used" {
	given udp "$CORDON" run --track-only -- "$PYTHON" -c "$preface s.sendto(b'out', to)"
	[ "$status" -eq 0 ] && [ -s "$T/got" ] || complain 'it was expected to send'
}

@test "connected sockets, memfds and listening unix sockets are passed unchanged" {
	for kind in tcp-connected unix-pair unix-listening memory; do
		rm -f "$T/listening"
		given "$kind" "$CORDON" run -- touch "ran-$kind"
		[ "$status" -eq 0 ] || complain "$kind: 0 was expected"
		[ -e "ran-$kind" ]
	done
}

@test "a connected socket cannot be connected elsewhere" {
	local again="$preface import ctypes; n = ctypes.CDLL(None).connect(0, bytes(16), 16);"

	given tcp-connected "$PYTHON" -c "$again $first"
	[ "$status" -eq 0 ] && [ -s "$T/got" ] || complain 'it could not be led elsewhere, free'
	given tcp-connected "$CORDON" run --env UDP --env TCP -- "$PYTHON" -c "$again $first"
	[ "$status" -eq 1 ] && [ ! -s "$T/got" ] || complain 'it was led elsewhere'
}

@test "files outside can be used only as they were opened" {
	echo in >"$T/in"
	echo out >"$T/appended"
	attempts='
import os, sys
def works(what, *how):
    try:
        what(*how)
        return True
    except OSError:
        return False
done = 0
for way in ("/proc/self/fd/%d", "/dev/fd/%d", "/proc/thread-self/fd/%d", "/proc/%d/fd/%%d" % os.getpid()):
    done += works(os.open, way % 0, os.O_WRONLY) + works(os.open, way % 0, os.O_RDWR)
    done += works(os.open, way % 1, os.O_RDONLY) + works(os.open, way % 1, os.O_RDWR)
    done += works(os.open, way % 1, os.O_WRONLY) + works(os.chmod, way % 0, 0o640)
    done += works(os.utime, way % 0, (1, 1))
done += works(os.fchmod, 0, 0o640) + works(os.utime, 0, (1, 1))
sys.exit(10 + done)'
	status=0
	"$PYTHON" -c "$attempts" <"$T/in" >>"$T/appended" || status=$?
	[ "$status" -eq 40 ] || complain 'all was expected to work, free'
	chmod 644 "$T/in"
	touch -d '2020-01-01' "$T/in"
	before=$(stat -c '%a %Y' "$T/in")
	status=0
	"$CORDON" run -q -- "$PYTHON" -c "$attempts" <"$T/in" >>"$T/appended" || status=$?
	[ "$status" -eq 10 ] || complain 'nothing was expected to work'
	[ "$(stat -c '%a %Y' "$T/in")" = "$before" ]
	[ "$(cat "$T/in" "$T/appended")" = "$(printf 'in\nout')" ]
}
