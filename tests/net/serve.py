# SPDX-License-Identifier: MIT
"""Servers for the tests, outside of every sandbox.

usage: serve.py FOLDER NAME=KIND:ADDRESS...

KIND is unix, abstract, datagram (unix sockets), tcp, udp (ADDRESS is a host; the kernel chooses
the port) or full (a unix server that never accepts and whose queue is full). Each connection or packet
appends NAME to FOLDER/log and is answered by its name. FOLDER/NAME.port contains the port, FOLDER/ready
is made when all listen. Ends with its parent.
"""
import ctypes
import selectors
import signal
import socket
import sys

folder = sys.argv[1]
families = {"unix": (socket.AF_UNIX, socket.SOCK_STREAM),
            "full": (socket.AF_UNIX, socket.SOCK_STREAM),
            "abstract": (socket.AF_UNIX, socket.SOCK_STREAM),
            "datagram": (socket.AF_UNIX, socket.SOCK_DGRAM),
            "tcp": (socket.AF_INET, socket.SOCK_STREAM),
            "udp": (socket.AF_INET, socket.SOCK_DGRAM)}
ctypes.CDLL(None).prctl(1, signal.SIGKILL, 0, 0, 0)


def start(kind, address):
    family, form = families[kind]
    if ":" in address:
        family = socket.AF_INET6
    server = socket.socket(family, form)
    if family != socket.AF_UNIX:
        server.bind((address, 0))
    else:
        server.bind("\0" + address if kind == "abstract" else address)
    if form == socket.SOCK_STREAM:
        server.listen(0 if kind == "full" else 128)
    server.setblocking(False)
    return server


def answer(server, name, form):
    if form == socket.SOCK_STREAM:
        client, _ = server.accept()
        client.settimeout(5)
    else:
        server.recv(1000)
    with open(folder + "/log", "a") as log:
        log.write(name + "\n")
    if form == socket.SOCK_STREAM:
        try:
            client.sendall(name.encode())
        except OSError:
            pass
        client.close()


waits = selectors.DefaultSelector()
open(folder + "/log", "a").close()
kept = []
for word in sys.argv[2:]:
    name, _, rest = word.partition("=")
    kind, _, address = rest.partition(":")
    server = start(kind, address)
    kept.append(server)
    if families[kind][0] != socket.AF_UNIX:
        with open(f"{folder}/{name}.port", "w") as to:
            to.write(str(server.getsockname()[1]))
    if kind != "full":
        waits.register(server, selectors.EVENT_READ, (name, families[kind][1]))
open(folder + "/ready", "w").close()
while True:
    for key, _ in waits.select():
        try:
            answer(key.fileobj, *key.data)
        except BlockingIOError:
            pass
