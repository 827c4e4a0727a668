# SPDX-License-Identifier: MIT
"""Datagrams of every kind, run bare and confined: prints one line each, with the result or the errno."""
import ctypes
import errno
import os
import signal
import socket
import struct
import sys
import threading
import time

LIBC = ctypes.CDLL(None, use_errno=True)
V4, V6, UNIX, DGRAM = socket.AF_INET, socket.AF_INET6, socket.AF_UNIX, socket.SOCK_DGRAM
NR_SENDMMSG, NR_SENDMSG, NR_SENDTO = (307, 46, 44) if os.uname().machine == "x86_64" else (269, 211, 206)


KEPT = []  # sockets whose numbers are used


def attempt(name, action):
    try:
        print(name, action(), flush=True)
    except OSError as e:
        print(name, errno.errorcode[e.errno], flush=True)


def made(family=V4, address=None):
    s = socket.socket(family, DGRAM)
    s.settimeout(10)
    if address is not None:
        s.bind(address)
    return s


def echo(family, host):
    server, client = made(family, (host, 0)), made(family)
    client.sendto(b"ping", server.getsockname())
    data, peer = server.recvfrom(100)
    server.sendto(b"pong " + data, peer)
    return client.recv(100)


def connected():
    server, client = made(V4, ("", 0)), made()
    client.connect(("127.0.0.1", server.getsockname()[1]))
    client.send(b"x")
    client.sendmsg([b"a", b"bc"])
    return server.recv(9), server.recv(9)


def blocking():
    """A receiver that has no room keeps the sender waiting, and neither is lost."""
    server, client, count = made(UNIX, "full"), socket.socket(UNIX, DGRAM), 2000
    thread = threading.Thread(target=lambda: [client.sendto(b"%d" % i, "full") for i in range(count)])
    thread.start()
    time.sleep(0.2)
    got = [int(server.recv(9)) for _ in range(count)]
    thread.join()
    return got == list(range(count))


def not_waiting():
    made(UNIX, "still")
    server, client = made(UNIX, "still2"), socket.socket(UNIX, DGRAM)
    client.setblocking(False)
    try:
        while True:
            client.sendto(b"x", "still2")
    except BlockingIOError:
        return server.recv(1)


def interrupted():
    """A signal that is caught ends the wait."""
    server, client = made(UNIX, "busy"), socket.socket(UNIX, DGRAM)

    def handle(*_):
        raise TimeoutError(errno.ETIMEDOUT, "")
    signal.signal(signal.SIGALRM, handle)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    while server:
        client.sendto(b"x", "busy")


def between():
    server, client = made(UNIX, "server"), made(UNIX, "client")
    client.sendto(b"hi", "server")
    return server.recvfrom(9)


def abstract():
    name = "\0cordon%d" % os.getpid()
    server = made(UNIX, name)
    made(UNIX).sendto(b"hi", name)
    return server.recv(9)


def files():
    a, b = socket.socketpair(UNIX, DGRAM)
    reads, writes = os.pipe()
    socket.send_fds(a, [b"x"], [writes])
    os.write(socket.recv_fds(b, 9, 9)[1][0], b"passed")
    return os.read(reads, 9)


def files_apart(kind, *counts):
    """Descriptors in several control messages arrive together, 253 at most."""
    a, b = socket.socketpair(UNIX, kind)
    writes = os.pipe()[1]
    a.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, struct.pack("i", writes) * n) for n in counts])
    return len(socket.recv_fds(b, 9, 253)[1])


def stream():
    a, b = socket.socketpair()
    got = []
    thread = threading.Thread(target=lambda: got.append(sum(iter(lambda: len(b.recv(65536)), 0))))
    thread.start()
    sent = a.sendmsg([b"x" * 1000000] * 3)
    a.close()
    thread.join()
    return sent, got


def broken():
    a, b = socket.socketpair()
    b.close()
    pid = os.fork()
    if pid == 0:
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        a.sendmsg([b"x"])
        os._exit(0)
    return os.waitpid(pid, 0)[1]


def credentials():
    a, b = socket.socketpair(UNIX, DGRAM)
    b.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
    who = struct.pack("iII", os.getpid(), os.getuid(), os.getgid())
    a.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_CREDENTIALS, who)])
    return struct.unpack("iII", b.recvmsg(9, 100)[1][0][2])[1:] == (os.getuid(), os.getgid())


def foreign_credentials():
    a, _ = socket.socketpair(UNIX, DGRAM)
    a.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_CREDENTIALS, struct.pack("iII", 1, 0, 0))])


def call(number, *args):
    LIBC.syscall.restype = ctypes.c_long
    n = LIBC.syscall(ctypes.c_long(number), *[ctypes.c_void_p(a) for a in args])
    if n < 0:
        raise OSError(ctypes.get_errno(), "")
    return n


def address(host, port):
    return ctypes.create_string_buffer(struct.pack("=H", V4) + struct.pack(">H", port) + socket.inet_aton(host) + bytes(8), 16)


def vector(count, to):
    """count messages of a byte each; kept alive with what it points to."""
    data = ctypes.create_string_buffer(b"x")
    part = ctypes.create_string_buffer(struct.pack("QQ", ctypes.addressof(data), 1))
    one = struct.pack("QiIQQQQIIII", ctypes.addressof(to), 16, 0, ctypes.addressof(part), 1, 0, 0, 0, 0, 77, 0)
    return ctypes.create_string_buffer(one * count), (data, part, to)


def many():
    """Each message of a vector arrives, however often it takes to send them."""
    server = made(V4, ("127.0.0.1", 0))
    messages, kept = vector(40, address("127.0.0.1", server.getsockname()[1]))
    client, sent = made(), 0
    while sent < 40:
        sent += call(NR_SENDMMSG, client.fileno(), ctypes.addressof(messages) + 64 * sent, 40 - sent, 0)
    lengths = {struct.unpack_from("I", messages, 64 * i + 56)[0] for i in range(40)}
    return [server.recv(9) for _ in range(40)] == [b"x"] * 40 and lengths == {1} and kept is not None


def huge():
    server = made(V4, ("127.0.0.1", 0))
    messages, kept = vector(5000, address("127.0.0.1", server.getsockname()[1]))
    return call(NR_SENDMMSG, number_of(made()), ctypes.addressof(messages), 5000, 0) > 0 and kept is not None


def number_of(sock):
    KEPT.append(sock)
    return sock.fileno()


def bad(number, *args):
    return lambda: call(number, number_of(made()), *args)


def works():
    attempt("v4", lambda: echo(V4, "127.0.0.1"))
    attempt("v6", lambda: echo(V6, "::1"))
    attempt("connected", connected)
    attempt("any", lambda: made().sendto(b"x", ("0.0.0.0", 9)))
    attempt("mapped", lambda: made(V6).sendto(b"x", ("::ffff:127.0.0.1", 9)))
    attempt("lo", lambda: made().sendmsg([b"x"], [(0, 8, struct.pack("iII", 1, 0, 0))], 0, ("127.0.0.1", 9)))
    attempt("too long", lambda: made().sendto(bytes(70000), ("127.0.0.1", 9)))
    attempt("too long, unix", lambda: made(UNIX).sendto(bytes(9000000), "server"))
    attempt("unix", between)
    attempt("nobody", lambda: made(UNIX).sendto(b"x", "none"))
    attempt("abstract", abstract)
    attempt("files", files)
    for kind in (DGRAM, socket.SOCK_STREAM):
        attempt("files apart", lambda: files_apart(kind, 1, 1))
        attempt("some without files", lambda: files_apart(kind, 2, 0, 3))
        attempt("too many files", lambda: files_apart(kind, 200, 54))
    attempt("stream", stream)
    attempt("broken", broken)
    attempt("credentials", credentials)
    attempt("blocking", blocking)
    attempt("not waiting", not_waiting)
    attempt("interrupted", interrupted)
    attempt("many", many)
    attempt("huge", huge)
    attempt("no memory", bad(NR_SENDTO, 0x10, 1, 0, 0x10, 16))
    attempt("no message", bad(NR_SENDMSG, 0x10, 0))
    attempt("no vector", bad(NR_SENDMMSG, 0x10, 4, 0))
    attempt("short address", lambda: call(NR_SENDTO, number_of(made()), 0, 0, 0, ctypes.addressof(HERE), 3))
    attempt("empty address", lambda: call(NR_SENDTO, number_of(made()), 0, 0, 0, ctypes.addressof(HERE), 0))
    attempt("empty address, v6", lambda: call(NR_SENDTO, number_of(made(V6)), 0, 0, 0, ctypes.addressof(HERE), 0))
    attempt("empty address, unix", lambda: call(NR_SENDTO, number_of(made(UNIX)), 0, 0, 0, ctypes.addressof(HERE), 0))
    attempt("larger address", lambda: call(NR_SENDTO, number_of(made()), 0, 0, 0, ctypes.addressof(ROOM), 128))
    attempt("too large address", lambda: call(NR_SENDTO, number_of(made()), 0, 0, 0, ctypes.addressof(ROOM), 129))
    attempt("other family, v6", lambda: call(NR_SENDTO, number_of(made(V6)), 0, 0, 0, ctypes.addressof(OTHER), 28))
    attempt("long address", lambda: call(NR_SENDTO, number_of(made()), 0, 0, 0, ctypes.addressof(HERE), -1))
    attempt("no socket", lambda: call(NR_SENDTO, 1, 0, 0, 0, ctypes.addressof(HERE), 16))
    attempt("closed", lambda: call(NR_SENDTO, 999, 0, 0, 0, ctypes.addressof(HERE), 16))


HERE = address("127.0.0.1", 9)
ROOM = ctypes.create_string_buffer(HERE.raw, 200)
OTHER = ctypes.create_string_buffer(struct.pack("=H", 99), 200)


def refused():
    attempt("resolver", lambda: made().sendto(b"x", ("127.0.0.53", 53)))
    attempt("connected resolver", lambda: made().connect(("127.0.0.53", 53)))
    attempt("away", lambda: made().sendto(b"x", ("192.0.2.1", 9)))
    attempt("away, connected", lambda: made().connect(("192.0.2.1", 9)))
    attempt("group", lambda: made().sendto(b"x", ("224.0.0.1", 9)))
    attempt("all", lambda: made().sendto(b"x", ("255.255.255.255", 9)))
    attempt("mapped", lambda: made(V6).sendto(b"x", ("::ffff:192.0.2.1", 9)))
    attempt("v6", lambda: made(V6).sendto(b"x", ("2001:db8::1", 9)))
    attempt("link", lambda: made(V6).sendto(b"x", ("fe80::1", 9, 0, 1)))
    attempt("v4 by v6", lambda: call(NR_SENDTO, number_of(made(V6)), 0, 0, 0, ctypes.addressof(address("192.0.2.1", 9)), 16))
    attempt("device", lambda: made().sendmsg([b"x"], [(0, 8, struct.pack("iII", 2, 0, 0))], 0, ("127.0.0.1", 9)))
    attempt("device, v6", lambda: made(V6).sendmsg([b"x"], [(41, 50, bytes(16) + struct.pack("i", 2))], 0, ("::1", 9)))
    attempt("option", lambda: made().sendmsg([b"x"], [(0, 7, bytes(4))], 0, ("127.0.0.1", 9)))
    attempt("join", lambda: made().setsockopt(0, 35, socket.inet_aton("224.1.1.1") + bytes(4)))
    attempt("join, v6", lambda: made(V6).setsockopt(41, 20, socket.inet_pton(V6, "ff02::99") + bytes(4)))
    attempt("untie", lambda: made().setsockopt(socket.SOL_SOCKET, 25, b"\0"))
    attempt("bind", lambda: made(V4, ("192.0.2.1", 0)))
    attempt("fast open", lambda: socket.socket().sendto(b"x", 0x20000000, ("127.0.0.1", 9)))
    attempt("credentials", foreign_credentials)


def swap(port, seconds):
    """Another thread changes the address while it is sent to: nothing may arrive where it may not."""
    to, sock = address("127.0.0.1", 9), made()
    data = ctypes.create_string_buffer(b"swapped")
    ends = time.monotonic() + seconds

    def change():
        while time.monotonic() < ends:
            struct.pack_into(">H", to, 2, port)
            struct.pack_into(">H", to, 2, 9)
    threading.Thread(target=change).start()
    tries = sent = 0
    while time.monotonic() < ends:
        tries += 1
        try:
            sent += call(NR_SENDTO, sock.fileno(), ctypes.addressof(data), 7, 0, ctypes.addressof(to), 16) > 0
        except OSError:
            pass
    print("tries", tries > 100, sent > 0)


if sys.argv[1] == "swap":
    swap(int(sys.argv[2]), float(sys.argv[3]))
elif sys.argv[1] == "send":
    attempt("send", lambda: made(UNIX).sendto(b"x", sys.argv[2]) if "/" in sys.argv[2]
            else made().sendto(b"x", ("127.0.0.1", int(sys.argv[2]))))
else:
    {"works": works, "refused": refused}[sys.argv[1]]()
