#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A folder gets another name while something is put into it: what is judged must be where it ends.

stale.py SECONDS: 0 when no file of a repository holds what was never vetted, 1 when one does.
"""
import os
import sys
import threading
import time

EVIL = "[core]\n\tfsmonitor = /bin/false\n"


def put(move, stop):
    while not stop.is_set():
        try:
            with open("evil", "w", encoding="ascii") as file:
                file.write(EVIL)
            move("evil", "foo/config")
        except OSError:
            pass


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


def clear():
    for name in ("foo/config", "foo.git/config", "evil"):
        try:
            os.unlink(name)
        except OSError:
            pass


def race(move, seconds):
    stop = threading.Event()
    for name in ("foo", "foo/objects", "foo/refs"):
        os.makedirs(name, exist_ok=True)
    threads = [threading.Thread(target=put, args=(move, stop)),
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
    clear()
    return found


def main():
    seconds = float(sys.argv[1])
    return 1 if race(os.rename, seconds) or race(os.link, seconds) else 0


sys.exit(main())
