#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Turns the kernel's auditing on while a command runs, and off again. Needs root in the first namespaces.

    audit.py COMMAND [ARGUMENT...]      the status is the command's; 77: auditing cannot be turned on
"""
import socket
import struct
import subprocess
import sys

AUDIT_GET, AUDIT_SET, ENABLED = 1000, 1001, 1
REQUEST, ACKNOWLEDGE = 1, 4


def ask(kind, flags, data=b""):
    """Sends one message; returns the first answer."""
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 9) as line:
        line.settimeout(10)
        line.send(struct.pack("=IHHII", 16 + len(data), kind, flags, 1, 0) + data)
        return line.recv(9000)


def enabled():
    """0, 1, or 2: it is on and locked."""
    answer = ask(AUDIT_GET, REQUEST)
    return struct.unpack("=I", answer[20:24])[0] if len(answer) >= 56 else None


def turn(on):
    """True if the kernel did it."""
    status = struct.pack("=10I", ENABLED, on, *[0] * 8)
    answer = ask(AUDIT_SET, REQUEST | ACKNOWLEDGE, status)
    return struct.unpack("=i", answer[16:20])[0] == 0


try:
    before = enabled()
    works = before is not None and (before > 0 or turn(1))
except OSError:
    works = False
if not works:
    sys.exit(77)
try:
    done = subprocess.run(sys.argv[1:], check=False, close_fds=False)
finally:
    if before == 0:
        turn(0)
sys.exit(done.returncode if done.returncode >= 0 else 128 - done.returncode)
