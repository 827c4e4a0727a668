# SPDX-License-Identifier: MIT
"""Attempts of a process outside a session at the ports of its proxy.

usage: strangers.py PID NAME COUNT READY

PID is the session's. Opens COUNT connections to each port at which one of its children listens, queries the
resolver for NAME on each, then makes the file READY and keeps them until its input ends. Prints the
answers. Exits with 3 if it cannot see the ports.
"""
import glob
import os
import re
import socket
import struct
import sys

pid, name, count, ready = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]


def listening():
    """The inodes of what listens on loopback, with their ports."""
    found = {}
    with open("/proc/net/tcp", encoding="ascii") as file:
        for line in list(file)[1:]:
            words = line.split()
            if words[3] == "0A" and words[1].startswith("0100007F:"):
                found[words[9]] = int(words[1].split(":")[1], 16)
    return found


def ports():
    inodes, found = listening(), set()
    with open("/proc/%s/task/%s/children" % (pid, pid), encoding="ascii") as file:
        children = file.read().split()
    for child in children:
        for fd in glob.glob("/proc/%s/fd/*" % child):
            try:
                match = re.match(r"socket:\[(\d+)\]", os.readlink(fd))
            except OSError:
                continue
            if match and match[1] in inodes:
                found.add(inodes[match[1]])
    return found


def question():
    labels = b"".join(bytes([len(part)]) + part.encode() for part in name.split("."))
    text = b"\1\2\1\0\0\1\0\0\0\0\0\0" + labels + b"\0\0\1\0\1"
    return struct.pack(">H", len(text)) + text


def main():
    seen, held = ports(), []
    if not seen:
        sys.exit(3)
    for port in seen:
        for _ in range(count):
            client = socket.create_connection(("127.0.0.1", port), 60)
            client.settimeout(0.5)
            try:
                client.sendall(question())
            except OSError:
                pass
            held.append(client)
    open(ready, "w", encoding="ascii").close()
    sys.stdin.read()
    for client in held[::50]:
        try:
            print(client.recv(100))
        except OSError:
            pass


main()
