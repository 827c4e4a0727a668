# SPDX-License-Identifier: MIT
"""Gives a socket a second path or a new one, and connects to it there.

usage: moves.py WAY SOCKET NAME [late]

SOCKET is .../e/f/s. NAME is .../f/s: a path at which sockets may be reached, "TMP" in it stands for TMPDIR.
With "late" it waits for the socket. Prints "reached" and the server's answer, or the error.
"""
import ctypes
import os
import socket
import sys
import time

libc = ctypes.CDLL(None, use_errno=True)
EXCHANGE, FOLLOW = 2, 0x400


def check(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def exchange(old, new):
    if os.path.isdir(old):
        os.makedirs(new, exist_ok=True)
    else:
        open(new, "w", encoding="ascii").close()
    check(libc.renameat2(-100, old.encode(), -100, new.encode(), EXCHANGE))


def by_descriptor(old, new):
    fd = os.open(old, os.O_PATH)
    check(libc.linkat(-100, b"/proc/self/fd/%d" % fd, -100, new.encode(), FOLLOW))


def up(path, levels=1):
    return path if levels == 0 else up(os.path.dirname(path), levels - 1)


# what is done, and to which folder above the socket
ways = {"rename": (os.rename, 0), "exchange": (exchange, 0), "link": (os.link, 0),
        "descriptor": (by_descriptor, 0), "folder": (os.rename, 1), "deep": (os.rename, 2),
        "exchange-folder": (exchange, 2)}


def main():
    way, old, new = sys.argv[1:4]
    new = new.replace("TMP", os.environ.get("TMPDIR", "/tmp"))
    while sys.argv[4:] and not os.path.exists(old):
        time.sleep(0.01)
    act, levels = ways[way]
    os.makedirs(up(new, levels + 1), exist_ok=True)
    act(up(old, levels), up(new, levels))
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(60)
        client.connect(new)
        print("reached", client.recv(9).decode())


try:
    main()
except OSError as error:
    print(error)
