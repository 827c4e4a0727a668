#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Repeated handshakes with the broker.

    handshake.py hold PROCESSES     each keeps its socket open; prints how many got one and which other calls work
    handshake.py use NUMBER         so many sockets, one after the other; prints how many failed
    handshake.py stay NUMBER        the same, while a process lives whose own socket is closed
    handshake.py restrict NUMBER    so many sockets of processes that restrict themselves afterwards
"""
import ctypes
import os
import signal
import struct
import sys

HANDSHAKE, CREATE, RESTRICT, LINE = 0x636F7201, 444, 446, 1
DEPTH = 15  # as far as sandboxes go into each other

libc = ctypes.CDLL(None, use_errno=True)


def handshake():
    return libc.syscall(CREATE, ctypes.c_long(LINE), ctypes.c_long(0), ctypes.c_long(HANDSHAKE))


def in_child(work):
    """What work returned in a process of its own, which stays if work says so."""
    ends = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(ends[0])
        os.write(ends[1], str(work()).encode())
        os.close(ends[1])
        signal.pause()
    os.close(ends[1])
    said = int(os.read(ends[0], 32) or -1)
    os.close(ends[0])
    return child, said


def works(what, deed):
    try:
        deed()
        print(f"{what}: worked", flush=True)
    except OSError as error:
        print(f"{what}: refused ({error})", flush=True)


def make():
    with open("made", "w", encoding="utf-8") as file:
        file.write("x")
    os.rename("made", "moved")


def end(children):
    for child in children:
        os.kill(child, signal.SIGKILL)
    for child in children:
        os.waitpid(child, 0)


def hold(count):
    children = [in_child(handshake) for _ in range(count)]
    lines = sum(said >= 0 for _, said in children)
    print(f"lines: {lines}", flush=True)
    works("make", make)
    end([child for child, _ in children])
    child, said = in_child(handshake)
    end([child])
    print("afterwards:", "worked" if said >= 0 else "refused", flush=True)


def knock_deep():
    failed = 0
    for _ in range(DEPTH):
        line = handshake()
        failed += line < 0
        if line >= 0:
            os.close(line)
    return failed


def use(count):
    failed = 0
    for _ in range(0, count, DEPTH):
        child, said = in_child(knock_deep)
        end([child])
        failed += said
    print(f"failed: {failed}", flush=True)
    works("make", make)


def stay(count):
    """Its number must never become another's."""
    ends = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(handshake())
        os.close(ends[1])
        os.read(ends[0], 1)
        works("planted", lambda: os.mkdir("planted"))
        os._exit(0)
    use(count)
    lines = [in_child(handshake)[0] for _ in range(100)]
    os.write(ends[1], b"x")
    os.waitpid(child, 0)
    end(lines)


def knock_and_restrict():
    line, failed = handshake(), 0
    attributes = struct.pack("Q", 1 << 8)
    libc.prctl(38, 1, 0, 0, 0)
    for _ in range(2):
        ruleset = libc.syscall(CREATE, attributes, ctypes.c_long(8), ctypes.c_long(0))
        failed += libc.syscall(RESTRICT, ctypes.c_long(ruleset), ctypes.c_long(0)) < 0
    return failed + (line < 0)


def restrict(count):
    failed = 0
    for _ in range(count):
        child, said = in_child(knock_and_restrict)
        end([child])
        failed += said
    print(f"failed: {failed}", flush=True)


{"hold": hold, "use": use, "stay": stay, "restrict": restrict}[sys.argv[1]](int(sys.argv[2]))
