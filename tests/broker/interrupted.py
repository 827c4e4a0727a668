# SPDX-License-Identifier: MIT
"""Many that call at once, with signals that interrupt: most calls do not end by one.

usage: interrupted.py (in the sandbox, in a folder that may be changed)

Each process moves a file to and fro, with a timer every 2 ms whose handler lets no call begin again.
A call that the broker has received is not ended by it; one that still waits for that is. Exit
status 0: fewer were ended than done, in one of some tries, because a machine may be busy.
"""
import ctypes
import errno
import os
import signal
import sys
import time

PROCESSES, SECONDS, TRIES = 48, 1, 12
libc = ctypes.CDLL(None, use_errno=True)


def move(number):
    names = (b"a%d" % number, b"b%d" % number)
    os.close(os.open(names[0], os.O_CREAT | os.O_WRONLY))
    signal.signal(signal.SIGALRM, lambda *_: None)
    signal.siginterrupt(signal.SIGALRM, True)
    signal.setitimer(signal.ITIMER_REAL, 0.002, 0.002)
    done = ended = 0
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        if libc.rename(names[done % 2], names[(done + 1) % 2]) == 0:
            done += 1
        elif ctypes.get_errno() == errno.EINTR:
            ended += 1
        else:
            raise OSError(ctypes.get_errno(), names)
    signal.setitimer(signal.ITIMER_REAL, 0)
    os.unlink(names[done % 2])
    return done, ended


def count():
    reading, writing = os.pipe()
    for number in range(PROCESSES):
        if os.fork() == 0:
            os.write(writing, b"%d %d\n" % move(number))
            os._exit(0)
    os.close(writing)
    with open(reading, encoding="ascii") as lines:
        told = [tuple(map(int, line.split())) for line in lines]
    for _ in range(PROCESSES):
        os.wait()
    assert len(told) == PROCESSES, told
    return sum(done for done, _ in told), sum(ended for _, ended in told)


for _ in range(TRIES):
    done, ended = count()
    print("done:", done, "interrupted:", ended, flush=True)
    if ended < done:
        sys.exit(0)
sys.exit(1)
