# SPDX-License-Identifier: MIT
"""No caller waits for a long call of another one.

usage: held_up.py (in the sandbox, in a folder with from/, to/, from/many/ of many files, and "file")

One process alone keeps the broker busy, then moves a folder of many files, each of which the
broker checks. A second one, which has not called for long, opens a file meanwhile, and is answered
before the folder is moved: in some of many tries, because a machine may be slow, and in
more than one, because the first may have been late with its move.
"""
import mmap
import os
import signal
import sys
import time

TRIES = 60
ENOUGH = 4
ROUND, ANSWERED, SEEN = range(3)
PLACES = ("from/many", "to/many")


def wait_for(shared, field, value):
    while shared[field] != value:
        time.sleep(0.0005)


def open_meanwhile(shared):
    for number in range(1, TRIES):
        wait_for(shared, ROUND, number)
        time.sleep(0.002)
        os.close(os.open("file", os.O_RDONLY))
        if os.path.exists(PLACES[(number + 1) % 2]):
            shared[ANSWERED] += 1
        shared[SEEN] = number


def move(shared, number):
    # a process that calls alone for a while is served by one thread
    for _ in range(100):
        os.chmod("file", 0o644)
    shared[ROUND] = number
    os.rename(PLACES[(number + 1) % 2], PLACES[number % 2])
    wait_for(shared, SEEN, number)


def main():
    shared = mmap.mmap(-1, 4096)
    child = os.fork()
    if child == 0:
        open_meanwhile(shared)
        os._exit(0)
    number = 1
    while number < TRIES and shared[ANSWERED] < ENOUGH:
        move(shared, number)
        number += 1
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    print("answered meanwhile:", shared[ANSWERED], "of", number - 1)
    return 0 if shared[ANSWERED] >= ENOUGH else 1


sys.exit(main())
