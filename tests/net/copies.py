#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
What programs do with sockets, one line of result each: the same lines are expected bare, with a broker that
duplicates the caller's sockets, and with one that keeps copies of them.

    copies.py unix|inet
    copies.py out|swap SOCKET    tries to connect to SOCKET
"""
import array
import ctypes
import errno
import os
import socket
import struct
import sys
import threading
import time

LIBC = ctypes.CDLL(None)


def attempt(step, *arguments):
    try:
        return step(*arguments)
    except OSError as e:
        return errno.errorcode[e.errno]


def unix_pair(name):
    """A connection through the socket NAME: its two ends, and the server."""
    server = socket.socket(socket.AF_UNIX)
    server.bind(name)
    server.listen()
    client = socket.socket(socket.AF_UNIX)
    client.connect(name)
    return server, client, server.accept()[0]


def unix():
    server, client, taken = unix_pair("s")
    print("again:", attempt(client.connect, "s"))
    client.send(b"x")
    print("read:", taken.recv(9), client.getpeername(), server.getsockname())
    client.close()
    print("end of file:", taken.recv(9))
    server.close()
    print("closed server:", attempt(socket.socket(socket.AF_UNIX).connect, "s"))
    print("taken name:", attempt(socket.socket(socket.AF_UNIX).bind, "s"))
    os.unlink("s")
    os.umask(0o077)
    socket.socket(socket.AF_UNIX).bind("s")
    print("mode:", oct(os.stat("s").st_mode))
    os.unlink("s")
    for _ in range(3):
        socket.socket(socket.AF_UNIX).bind("\0cordon-copies")
    print("abstract name of a closed socket: free")
    kept = [socket.socket(socket.AF_UNIX) for _ in range(40)]
    for _ in range(600):
        socket.socket(socket.AF_UNIX).close()
    server = socket.socket(socket.AF_UNIX)
    server.bind("s")
    server.listen(50)
    print("of many:", {attempt(one.connect, "s") for one in kept})
    # a child's, and one that was sent
    made = socket.socket(socket.AF_UNIX)
    if os.fork() == 0:
        made.connect("s")
        os._exit(0)
    print("by a child:", os.wait()[1], attempt(made.connect, "s"))
    here, there = socket.socketpair()
    passed = socket.socket(socket.AF_UNIX)
    here.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [passed.fileno()]))])
    passed.close()
    number = array.array("i", there.recvmsg(1, 64)[1][0][2])[0]
    print("sent:", attempt(socket.socket(fileno=number).connect, "s"))
    routes = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
    routes.bind((0, 0))
    print("netlink:", routes.getsockname()[0] > 0)
    os.unlink("s")


def inet():
    for _ in range(3):
        first = socket.socket()
        first.bind(("127.0.0.1", 0))
        address = first.getsockname()
        first.close()
        again = socket.socket()
        print("port of a closed socket:", attempt(again.bind, address))
        again.close()
    server = socket.socket()
    server.bind(("127.0.0.1", 0))
    server.listen()
    server.listen(5)  # again
    client = socket.socket()
    client.setblocking(False)
    print("under way:", attempt(client.connect, server.getsockname()) in (None, "EINPROGRESS"))
    taken = server.accept()[0]
    print("arrived:", attempt(client.connect, server.getsockname()) in (None, "EISCONN"))
    print("again:", attempt(client.connect, server.getsockname()))
    client.close()
    print("end of file:", taken.recv(9))
    address = server.getsockname()
    server.close()
    print("closed server:", attempt(socket.socket().connect, address))
    found = socket.socket()
    found.bind(("127.0.0.1", 0))
    address = found.getsockname()
    found.close()
    late = socket.socket()
    print("refused:", attempt(late.connect, address))
    server = socket.socket()
    server.bind(address)
    server.listen()
    print("later:", attempt(late.connect, address))


def out():
    print("reached:", attempt(socket.socket(socket.AF_UNIX).connect, sys.argv[2]))


def swap():
    """One thread exchanges two sockets and two addresses under the other's connect."""
    own = socket.socket(socket.AF_UNIX)
    own.bind("own")
    own.listen(100)
    spot = socket.socket(socket.AF_UNIX).detach()
    kind = socket.SOCK_STREAM | socket.SOCK_NONBLOCK
    stop, reached, answered = [], 0, 0

    def exchange():
        while not stop:
            made = socket.socket(socket.AF_UNIX, kind)
            os.dup2(made.fileno(), spot)
            made.close()

    os.set_blocking(spot, False)
    thread = threading.Thread(target=exchange)
    thread.start()
    end = time.monotonic() + 3
    while time.monotonic() < end:
        for path in (sys.argv[2], "own"):
            name = struct.pack("H108s", socket.AF_UNIX, path.encode())
            if LIBC.connect(spot, name, len(name)) == 0:
                reached += path != "own"
                answered += 1
    stop.append(True)
    thread.join()
    print("reached by swapping:", reached, "of", "some" if answered else "none")


{"unix": unix, "inet": inet, "out": out, "swap": swap}[sys.argv[1]]()
