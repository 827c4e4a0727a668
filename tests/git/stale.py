#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A folder is renamed while a file is put into it: the path that is checked must be the one at which it ends.

stale.py SECONDS: 0 if every file of a repository was vetted, 1 if one was not.
"""
import os
import sys
import threading
import time

EVIL = "[core]\n\tfsmonitor = /bin/false\n"


def write(path, text=EVIL):
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


def by_move(move):
    write("evil")
    move("evil", "foo/config")


def in_one_piece():
    """Where the folder is a repository's, what is written comes into place when it is closed."""
    write("foo.git/config")


def lock_and_move():
    """The lock file is made under one name of the folder and moved under the other."""
    write("foo/config.lock")
    os.rename("foo.git/config.lock", "foo.git/config")


def put(way, stop):
    while not stop.is_set():
        try:
            way()
        except OSError:
            pass
        clear("foo/config")


def rename_folder(stop):
    while not stop.is_set():
        for old, new in (("foo", "foo.git"), ("foo.git", "foo")):
            try:
                os.rename(old, new)
            except OSError:
                pass


def is_planted():
    try:
        with open("foo.git/config", encoding="ascii") as file:
            return "fsmonitor" in file.read()
    except OSError:
        return False


def clear(*names):
    for name in names:
        try:
            os.unlink(name)
        except OSError:
            pass


def race(way, seconds):
    stop = threading.Event()
    for name in ("foo", "foo/objects", "foo/refs"):
        os.makedirs(name, exist_ok=True)
    threads = [threading.Thread(target=put, args=(way, stop)),
               threading.Thread(target=rename_folder, args=(stop,))]
    for thread in threads:
        thread.start()
    end = time.monotonic() + seconds
    found = False
    while time.monotonic() < end and not found:
        found = is_planted()
    stop.set()
    for thread in threads:
        thread.join()
    found = found or is_planted()
    clear("foo/config", "foo.git/config", "foo/config.lock", "foo.git/config.lock", "evil")
    return found


def main():
    seconds = float(sys.argv[1])
    ways = (lambda: by_move(os.rename), lambda: by_move(os.link), in_one_piece, lock_and_move)
    return 1 if any(race(way, seconds) for way in ways) else 0


sys.exit(main())
