# SPDX-License-Identifier: MIT
"""The sockets that can be made, and the calls that reach an address.

usage: probe.py sockets                every relevant family, type and protocol, one per line
       probe.py reach HOST PORT        every call that sends to a TCP or UDP address
       probe.py flip GOOD BAD SECONDS [ROUNDS]  two ports of 127.0.0.1 in one changing address structure
       probe.py wait PORT              a connect that takes long, interrupted
       probe.py listen                 servers on every address; prints their ports and waits
"""
import ctypes
import errno
import mmap
import os
import select
import signal
import socket
import struct
import sys
import time

libc = ctypes.CDLL(None, use_errno=True)
FAST_OPEN = 0x20000000
FAST_OPEN_CONNECT = 30
MPTCP = 262
LIMIT = float(os.environ.get("LIMIT", "5"))


def name_of(why):
    return "EOPNOTSUPP" if why == errno.EOPNOTSUPP else errno.errorcode.get(why, str(why))


# ---- sockets ----

KINDS = [
    ("unix stream", 1, 1, 0), ("unix seqpacket", 1, 5, 0), ("unix datagram", 1, 2, 0),
    ("tcp", 2, 1, 0), ("tcp by number", 2, 1, 6), ("tcp6", 10, 1, 0),
    ("udp", 2, 2, 0), ("udp6", 10, 2, 17), ("udp-lite", 2, 2, 136), ("ping", 2, 2, 1),
    ("ping6", 10, 2, 58), ("raw icmp", 2, 3, 1), ("raw", 2, 3, 255), ("raw6", 10, 3, 58),
    ("mptcp", 2, 1, MPTCP), ("mptcp6", 10, 1, MPTCP), ("sctp", 2, 1, 132), ("sctp many", 2, 5, 132),
    ("dccp", 2, 6, 33), ("smc", 43, 1, 0), ("netlink route", 16, 3, 0), ("netlink diag", 16, 3, 4),
    ("netlink audit", 16, 3, 9), ("netlink uevent", 16, 3, 15), ("netlink generic", 16, 3, 16),
    ("packet", 17, 3, 768), ("vsock", 40, 1, 0), ("vsock datagram", 40, 2, 0), ("alg", 38, 5, 0),
    ("bluetooth", 31, 1, 3), ("can", 29, 3, 1), ("tipc", 30, 5, 0), ("xdp", 44, 3, 0),
    ("qipcrtr", 42, 2, 0), ("rds", 21, 5, 0), ("key", 15, 3, 2), ("llc", 26, 1, 0),
    ("ax25", 3, 5, 0), ("nfc", 39, 5, 0), ("phonet", 35, 2, 0), ("kcm", 41, 5, 0),
]


def question():
    """What libcurl makes to know whether there is IPv6; elsewhere a socket."""
    fd = libc.socket(10, 2, 0)
    if fd < 0:
        print("asking for IPv6:", name_of(ctypes.get_errno()))
        return
    address = address_of(10, "::1", 9)
    group = socket.inet_pton(socket.AF_INET6, "ff02::4242") + struct.pack("=I", 1)
    one = struct.pack("=I", 1)
    calls = {"connect": lambda: libc.connect(fd, address, len(address)),
             "bind": lambda: libc.bind(fd, address_of(10, "::1", 0), len(address)),
             "send": lambda: libc.sendto(fd, b"x", 1, 0, address, len(address)),
             "join": lambda: libc.setsockopt(fd, 41, 20, group, len(group)),
             "option": lambda: libc.setsockopt(fd, 1, 2, one, 4),
             "write": lambda: libc.write(fd, b"x", 1),
             "listen": lambda: libc.listen(fd, 1)}
    print("asking for IPv6: yes, then", {name: "yes" if call() >= 0 else name_of(ctypes.get_errno())
                                         for name, call in calls.items()})
    os.close(fd)


def sockets():
    for name, family, form, protocol in KINDS:
        fd = libc.socket(family, form, protocol)
        print(f"{name}: {'yes' if fd >= 0 else name_of(ctypes.get_errno())}")
        if fd >= 0:
            os.close(fd)
    for name, form in ("stream", 1), ("datagram", 2), ("seqpacket", 5):
        pair = (ctypes.c_int * 2)()
        rc = libc.socketpair(1, form, 0, pair)
        print(f"pair {name}: {'yes' if rc == 0 else name_of(ctypes.get_errno())}")
    question()


# ---- ways to an address ----

def raw(host, port):
    if ":" in host:
        return struct.pack("!2xHI", port, 0) + socket.inet_pton(socket.AF_INET6, host) + bytes(4)
    return struct.pack("!2xH", port) + socket.inet_pton(socket.AF_INET, host) + bytes(8)


def address_of(family, host, port):
    return struct.pack("=H", family) + raw(host, port)[2:]


def tcp(family, host, port, protocol=0, prepare=None):
    with socket.socket(family, socket.SOCK_STREAM, protocol) as s:
        s.settimeout(LIMIT)
        if prepare is not None:
            prepare(s)
        s.connect((host, port))
        s.sendall(b"x")


def fast_open(family, host, port, how):
    with socket.socket(family, socket.SOCK_STREAM) as s:
        s.settimeout(LIMIT)
        if how == "sendto":
            s.sendto(b"x", FAST_OPEN, (host, port))
        else:
            s.sendmsg([b"x"], [], FAST_OPEN, (host, port))


def udp(family, host, port, how, protocol=0):
    with socket.socket(family, socket.SOCK_DGRAM, protocol) as s:
        if how == "connect":
            s.connect((host, port))
            s.send(b"x")
        elif how == "sendto":
            s.sendto(b"x", (host, port))
        else:
            s.sendmsg([b"x"], [], 0, (host, port))


def reconnected(family, host, port):
    """Connected to what may be, taken back, connected anew."""
    with socket.socket(family, socket.SOCK_STREAM) as s:
        s.settimeout(LIMIT)
        s.connect(("127.0.0.1" if family == socket.AF_INET else "::1", int(os.environ["GOOD"])))
        libc.connect(s.fileno(), bytes(16), 16)
        s.connect((host, port))


def accepted(family, host, port):
    """What a server of one's own accepted, used to connect."""
    server = socket.socket(family, socket.SOCK_STREAM)
    server.listen(1)
    client = socket.socket(family, socket.SOCK_STREAM)
    client.settimeout(LIMIT)
    here = "127.0.0.1" if family == socket.AF_INET else "::1"
    client.connect((here, server.getsockname()[1]))
    peer, _ = server.accept()
    libc.connect(peer.fileno(), bytes(16), 16)
    peer.settimeout(LIMIT)
    peer.connect((host, port))


def device(s, name):
    s.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, name)


def reach(host, port):
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    away = os.environ.get("DEVICE", "eth0").encode()
    tries = {
        "tcp": lambda: tcp(family, host, port),
        "tcp by number": lambda: tcp(family, host, port, 6),
        "not waiting": lambda: tcp(family, host, port, 0, lambda s: s.settimeout(LIMIT)),
        "untied": lambda: tcp(family, host, port, 0, lambda s: device(s, b"")),
        "tied elsewhere": lambda: tcp(family, host, port, 0, lambda s: device(s, away)),
        "reconnected": lambda: reconnected(family, host, port),
        "accepted": lambda: accepted(family, host, port),
        "mptcp": lambda: tcp(family, host, port, MPTCP),
        "fast open, sendto": lambda: fast_open(family, host, port, "sendto"),
        "fast open, sendmsg": lambda: fast_open(family, host, port, "sendmsg"),
        "fast open, connect": lambda: tcp(
            family, host, port, 0, lambda s: s.setsockopt(6, FAST_OPEN_CONNECT, 1)),
        "udp, connect": lambda: udp(family, host, port, "connect"),
        "udp, sendto": lambda: udp(family, host, port, "sendto"),
        "udp, sendmsg": lambda: udp(family, host, port, "sendmsg"),
        "udp-lite": lambda: udp(family, host, port, "sendto", 136),
        "ping": lambda: udp(family, host, port, "sendto", 1),
    }
    if family == socket.AF_INET:
        tries["mapped"] = lambda: tcp(socket.AF_INET6, "::ffff:" + host, port)
    passed = []
    for name, fn in tries.items():
        try:
            fn()
            passed.append(name)
        except OSError as e:
            print(f"{name}: {name_of(e.errno) if e.errno else e}")
    print("passed:", passed)


# ---- races and waiting ----

def flipping(first, second):
    """Memory that is the one or the other by turns: another process has it, so neither waits for an
    interpreter. Whoever has it all is killed at the end."""
    buffer = (ctypes.c_char * 16).from_buffer(mmap.mmap(-1, 4096))
    ctypes.memmove(buffer, first, 16)
    pid = os.fork()
    if pid == 0:
        libc.prctl(1, signal.SIGKILL, 0, 0, 0)
        while True:
            ctypes.memmove(buffer, first, 16)
            ctypes.memmove(buffer, second, 16)
    return buffer, pid


def flip(good, bad, seconds, rounds=0):
    buffer, pid = flipping(address_of(2, "127.0.0.1", good), address_of(2, "127.0.0.1", bad))
    counts = {}
    end = time.monotonic() + seconds
    done = 0
    while done < rounds or time.monotonic() < end:
        done += 1
        with socket.socket() as s:
            if libc.connect(s.fileno(), buffer, 16) == 0:
                got = s.recv(100).decode()
            else:
                got = name_of(ctypes.get_errno())
        counts[got] = counts.get(got, 0) + 1
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    print(counts)


def crowd(port):
    """So many that the server's queue is full: the next ones wait."""
    kept = []
    for _ in range(8):
        s = socket.socket()
        s.setblocking(False)
        s.connect_ex(("127.0.0.1", port))
        kept.append(s)
    return kept


def status(s, port):
    address = address_of(2, "127.0.0.1", port)
    rc = libc.connect(s.fileno(), address, 16)
    return "done" if rc == 0 else name_of(ctypes.get_errno())


def wait():
    server = socket.socket()
    server.bind(("127.0.0.1", 0))
    server.listen(0)
    port = server.getsockname()[1]
    kept = crowd(port)
    signal.signal(signal.SIGALRM, lambda *_: None)
    signal.siginterrupt(signal.SIGALRM, True)
    s = socket.socket()
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    print("interrupted:", status(s, port))
    s.setblocking(False)
    print("under way:", status(s, port))
    t = socket.socket()
    t.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", 0, 200000))
    print("in time:", status(t, port))
    print("waits still:", os.get_blocking(t.fileno()))
    u = socket.socket()
    u.setblocking(False)
    print("not waiting:", status(u, port))
    print("again:", status(u, port))
    for k in kept:
        k.close()
    for _ in range(8):
        server.setblocking(False)
        try:
            server.accept()
        except BlockingIOError:
            break
    server.setblocking(True)
    poll = select.poll()
    poll.register(u, select.POLLOUT)
    while not poll.poll(1000):
        try:
            server.setblocking(False)
            server.accept()
        except BlockingIOError:
            pass
    print("came:", u.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR), status(u, port))
    gone = socket.socket()
    gone.bind(("127.0.0.1", 0))
    print("nobody there:", status(socket.socket(), gone.getsockname()[1]))
    v = socket.socket()
    v.setblocking(False)
    first = status(v, gone.getsockname()[1])
    poll = select.poll()
    poll.register(v, select.POLLOUT)
    poll.poll(30000)
    print("nobody there:", first, name_of(v.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)))


# ---- servers ----

def listen():
    servers = {}
    for name, family, host in (("any", 2, "0.0.0.0"), ("any6", 10, "::"), ("one", 2, "127.0.0.1"),
                               ("one6", 10, "::1"), ("unbound", 2, None), ("unbound6", 10, None)):
        s = socket.socket(family, socket.SOCK_STREAM)
        if host is not None:
            s.bind((host, 0))
        s.listen(8)
        servers[name] = s
    with open("ports.new", "w") as to:
        for name, s in servers.items():
            to.write(f"{name} {s.getsockname()[1]}\n")
    os.rename("ports.new", "ports")
    poll = select.poll()
    for s in servers.values():
        poll.register(s, select.POLLIN)
    names = {s.fileno(): (name, s) for name, s in servers.items()}
    while not os.path.exists("stop"):
        for fd, _ in poll.poll(50):
            name, s = names[fd]
            peer, _ = s.accept()
            peer.sendall(name.encode())
            peer.close()


{"sockets": sockets, "wait": wait, "listen": listen,
 "reach": lambda: reach(sys.argv[2], int(sys.argv[3])),
 "flip": lambda: flip(*map(int, sys.argv[2:]))}[sys.argv[1]]()
