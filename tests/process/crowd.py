#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Many threads call the broker while it cannot answer, and get a signal whose handler does not restart calls.

crowd.py STATE COMMAND...: starts the command, which must run this file with the argument "inside". The broker is
stopped by the lock that it needs for every change of names. Prints how many of the calls that waited then ended
with EINTR: a call that the broker has received does not.
"""
import ctypes
import fcntl
import os
import signal
import struct
import subprocess
import sys
import threading
import time

THREADS = 24
F_OFD_SETLK, F_OFD_SETLKW = 37, 38
libc = ctypes.CDLL(None, use_errno=True)


def inside():
    ended = []

    def make(name):
        while not os.path.exists("over"):
            fd = libc.open(name, os.O_CREAT | os.O_WRONLY, 0o600)
            if fd < 0:
                ended.append(ctypes.get_errno())
            else:
                os.close(fd)

    signal.signal(signal.SIGUSR1, lambda number, frame: None)
    signal.siginterrupt(signal.SIGUSR1, True)
    threads = [threading.Thread(target=make, args=(b"f%d" % i,)) for i in range(THREADS)]
    for thread in threads:
        thread.start()
    print(os.getpid(), flush=True)
    for thread in threads:
        thread.join()
    print(len(ended), flush=True)


def lock(file, kind):
    fcntl.fcntl(file, F_OFD_SETLKW, struct.pack("hhqqi4x", kind, os.SEEK_SET, 0, 0, 0))


def find_file(top, name):
    return next(os.path.join(folder, name) for folder, _, files in os.walk(top) if name in files)


def find_threads(process):
    return [int(tid) for tid in os.listdir(f"/proc/{process}/task") if int(tid) != process]


def main(state, command):
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as session:
        process = int(session.stdout.readline())
        time.sleep(0.5)
        with open(find_file(state, ".ranges"), "r+b") as file:
            lock(file, fcntl.F_WRLCK)
            time.sleep(1)
            for thread in find_threads(process):
                libc.tgkill(process, thread, signal.SIGUSR1)
            time.sleep(0.5)
            with open("over", "wb"):
                pass
            lock(file, fcntl.F_UNLCK)
        print(session.stdout.readline().strip())
        return session.wait()


if __name__ == "__main__":
    if sys.argv[1:] == ["inside"]:
        inside()
    else:
        sys.exit(main(sys.argv[1], sys.argv[2:]))
