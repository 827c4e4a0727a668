#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The bytes that the proxy passes on: in both directions at once, to slow readers, with one side closed, and
with either side closed in the middle. Both ends of every connection are in this process.

    streams.py ROLE

With NET_FULL in the environment, a hundred times as much."""
import hashlib
import os
import random
import selectors
import socket
import sys
import time

sys.dont_write_bytecode = True  # beside it, in the tree

import cases  # noqa: E402

BLOCK = os.urandom(1 << 20)
# anything but TLS and HTTP: from the first byte on it is not looked at
FIRST = b"\0"


class End:
    """One side: sends so many bytes in pieces of some sizes, then says that it is done; takes what comes."""

    def __init__(self, sock, size, sends=(1 << 18,), takes=1 << 18, waits=False):
        self.sock, self.left, self.sends, self.takes = sock, size, sends, takes
        self.waits = waits  # says nothing before the other has said everything
        self.sent, self.got, self.count = hashlib.sha256(), hashlib.sha256(), 0
        self.at, self.is_done, self.is_over = 0, False, False
        sock.setblocking(False)

    def wants(self):
        writes = not self.is_done and not (self.waits and not self.is_over)
        return ((0 if self.is_over else selectors.EVENT_READ)
                | (selectors.EVENT_WRITE if writes else 0))

    def write(self):
        if self.left == 0:
            self.sock.shutdown(socket.SHUT_WR)
            self.is_done = True
            return
        at = self.at % len(BLOCK)
        piece = BLOCK[at : at + min(self.left, random.choice(self.sends))]
        count = self.sock.send(piece)
        self.sent.update(piece[:count])
        self.at += count
        self.left -= count

    def read(self):
        data = self.sock.recv(self.takes)
        self.got.update(data)
        self.count += len(data)
        self.is_over = data == b""


def exchange(one, two):
    """Until both have everything; each must have what the other sent."""
    late = time.monotonic() + cases.LATE * (10 if cases.FULL else 2)
    with selectors.DefaultSelector() as ready:
        for end in (one, two):
            ready.register(end.sock, end.wants(), end)
        while not (one.is_over and two.is_over and one.is_done and two.is_done):
            assert time.monotonic() < late, (one.__dict__, two.__dict__)
            for key, events in ready.select(cases.LATE):
                if events & selectors.EVENT_READ:
                    key.data.read()
                if events & selectors.EVENT_WRITE and key.data.wants() & selectors.EVENT_WRITE:
                    key.data.write()
            for end in (one, two):
                if end.wants() == 0:
                    if end.sock in ready.get_map():
                        ready.unregister(end.sock)
                elif end.sock in ready.get_map():
                    ready.modify(end.sock, end.wants(), end)
                else:
                    ready.register(end.sock, end.wants(), end)
    assert one.got.digest() == two.sent.digest() and two.got.digest() == one.sent.digest(), (
        one.count, two.count)


def connection(role, listener, narrow=False):
    """Both ends of one, through the proxy; narrow: with as little room as can be had."""
    client, status, head = role.connect("a.test", listener.getsockname()[1])
    assert status == 200, head
    client.sendall(FIRST)
    far = listener.accept()[0]
    far.settimeout(cases.LATE)
    assert cases.exactly(far, 1) == FIRST
    for end in (client, far) if narrow else ():
        end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
    return client, far


def whole(role, listener):
    """Everything arrives, whatever the pace; and when one side is closed the other goes on."""
    size = 100 << 20 if cases.FULL else 6 << 20
    odd = (1, 3, 700, 16383, 16384, 16385, 70000)
    for first, second, narrow in (
            (dict(size=size), dict(size=size), False),
            (dict(size=size // 10, sends=odd), dict(size=size // 10, takes=4096), False),
            (dict(size=size // 40, takes=777), dict(size=size // 40, sends=odd), False),
            (dict(size=size // 200), dict(size=size // 200, takes=1000), True),
            (dict(size=size // 400, sends=(1, 2, 9)), dict(size=0), True),
            (dict(size=0), dict(size=size, waits=True), False),
            (dict(size=size, waits=True), dict(size=0), False),
            (dict(size=size // 10, waits=True), dict(size=size // 10), False)):
        client, far = connection(role, listener, narrow)
        with client, far:
            exchange(End(client, **first), End(far, **second))


def gone(role, listener):
    """Who is cut off in the middle, with bytes on their way in both directions, is the end of it."""
    for turn in range(400 if cases.FULL else 24):
        client, far = connection(role, listener)
        leaves, stays = (client, far) if turn % 2 else (far, client)
        for end in (client, far):
            end.setblocking(False)
        # as much as there is room for, or a little
        for _ in range(100 if turn % 3 else 1):
            for end in (client, far):
                try:
                    end.send(BLOCK[: 1 << turn % 20])
                except BlockingIOError:
                    pass
        if turn % 5 == 0:
            leaves.close()
        else:
            cases.reset(leaves)
        stays.settimeout(cases.LATE)
        cases.read_all(stays)
        stays.close()


def urgent(role, listener):
    """A byte out of band is no more than a gap: what comes before and after it arrives."""
    client, far = connection(role, listener)
    with client, far:
        client.sendall(b"before")
        client.send(b"!", socket.MSG_OOB)
        client.sendall(b"after")
        client.send(b"?", socket.MSG_OOB)
        client.shutdown(socket.SHUT_WR)
        got = cases.read_all(far)
        assert got.replace(b"!", b"").replace(b"?", b"") == b"beforeafter", got


def main():
    cases.ROLE = sys.argv[1]
    servers = cases.Servers({"a.test": "127.0.0.1"})
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)
    listener.settimeout(cases.LATE)
    role = cases.Role(servers, ports=[listener.getsockname()[1]],
                      opaque=[listener.getsockname()[1]])
    try:
        at_first = cases.descriptors(role)
        for case in (whole, gone, urgent):
            start = time.monotonic()
            case(role, listener)
            cases.until(lambda: cases.descriptors(role) <= at_first, "everything is closed")
            print("ok %s %.1f s" % (case.__name__, time.monotonic() - start), flush=True)
        role.close()
    finally:
        servers.close()


main()
