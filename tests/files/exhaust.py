#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Makes the broker use fds until it has none left.

usage: exhaust.py WAY [ends]: sockets of nests (handshakes), opens that block (pipes), or staged files
that are never closed (staged). Prints "EMFILE" once supervised calls fail for that, or "served", and the
state of a protected file; the processes that caused it stay behind, listed in the file "holders".
With "ends" they are killed, and it prints whether calls are served again.
"""
import ctypes
import errno
import os
import signal
import sys
import time

HANDSHAKE = 0x636F7201
CREATE_RULESET = 444
ROUNDS = 600

libc = ctypes.CDLL(None, use_errno=True)


def handshake():
    line = libc.syscall(CREATE_RULESET, ctypes.c_long(1), ctypes.c_long(0), ctypes.c_long(HANDSHAKE))
    return line >= 0


def hold_sockets(_):
    while handshake():
        pass


def hold_pipe(n):
    os.open(f"pipe{n}", os.O_WRONLY)


def hold_staged(n):
    while True:
        os.open(f"d{n}/.git", os.O_WRONLY | os.O_CREAT | os.O_EXCL)


def start_holder(way, n, told):
    """A process that holds what it can, and stays."""
    if os.fork() != 0:
        return
    os.write(told, b"%d\n" % os.getpid())
    try:
        way(n)
    except OSError:
        pass
    while True:
        signal.pause()


def is_served():
    """A routed call of a process that is in no sandbox inside."""
    try:
        os.chmod(".", 0o755)
        return True
    except OSError as error:
        if error.errno != errno.EMFILE:
            raise
        return False


def try_protected():
    try:
        os.close(os.open("kept/file", os.O_WRONLY | os.O_TRUNC))
        return "opened"
    except OSError:
        return "closed"


def end_holders():
    """A crowd that is gone again: by processes that came and went meanwhile, too."""
    with open("holders", encoding="ascii") as listed:
        for pid in map(int, listed):
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
    end = time.monotonic() + 10
    while not is_served() and time.monotonic() < end:
        time.sleep(0.05)
    print("as before" if is_served() else "stuck", flush=True)


def main():
    way, cap = {"handshakes": (hold_sockets, ROUNDS), "pipes": (hold_pipe, 70),
                "staged": (hold_staged, 40)}[sys.argv[1]]
    for n in range(cap):
        if way is hold_pipe:
            os.mkfifo(f"pipe{n}")
        elif way is hold_staged:
            os.mkdir(f"d{n}")
    told = os.open("holders", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    missed = 0
    for n in range(cap):
        start_holder(way, n, told)
        # more than once: what is held for a moment only is no shortage
        missed += not is_served()
        if os.fork() == 0:
            is_served()
            os._exit(0)
        os.wait()
        if missed > 20:
            break
    print("EMFILE" if missed > 20 else "served", try_protected(), flush=True)
    if sys.argv[2:] == ["ends"]:
        end_holders()


main()
