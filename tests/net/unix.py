# SPDX-License-Identifier: MIT
"""Attempts to reach unix sockets that were not named.

usage: unix.py KIND DENIED ALLOWED [SECONDS | ROUNDS r]

DENIED and ALLOWED are paths of servers that answer with their name. Prints the successful attempts; the
caller also checks which servers had connections.
"""
import ctypes
import os
import signal
import socket
import struct
import sys
import threading
import time

libc = ctypes.CDLL(None, use_errno=True)
kind, denied, allowed = sys.argv[1:4]
seconds = float(sys.argv[4]) if len(sys.argv) > 4 else 1
rounds = int(seconds) if len(sys.argv) > 5 else 0


def raw_connect(fd, address):
    if libc.connect(fd, address, len(address)) < 0:
        why = ctypes.get_errno()
        raise OSError(why, os.strerror(why))


def raw(path):
    return struct.pack("H", socket.AF_UNIX) + path


def talk(path, form=socket.SOCK_STREAM):
    with socket.socket(socket.AF_UNIX, form) as s:
        s.connect(path)
        return s.recv(100)


def talk_raw(address):
    with socket.socket(socket.AF_UNIX) as s:
        raw_connect(s.fileno(), address)
        return s.recv(100)


def by_descriptor(form):
    fd = os.open(os.path.dirname(denied), os.O_PATH)
    try:
        return talk(form.format(fd, os.path.basename(denied)))
    finally:
        os.close(fd)


def held():
    fd = os.open(denied, os.O_PATH)
    try:
        return talk(f"/proc/self/fd/{fd}")
    finally:
        os.close(fd)


def moved_there():
    old = os.getcwd()
    os.chdir(os.path.dirname(denied))
    try:
        return talk(os.path.basename(denied))
    finally:
        os.chdir(old)


def linked(target, path):
    if not os.path.islink("link"):
        os.symlink(target, "link")
    try:
        return talk(path)
    finally:
        os.unlink("link")


def hard_linked():
    os.link(denied, "hard")
    try:
        return talk("hard")
    finally:
        os.unlink("hard")


def datagram():
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as s:
        s.sendto(b"x", denied + ".d")


def datagram_pair(how):
    a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    if how == "connect":
        a.connect(denied + ".d")
        a.send(b"x")
    elif how == "sendto":
        a.sendto(b"x", denied + ".d")
    else:
        a.sendmsg([b"x"], [], 0, denied + ".d")
    # a pair that is SOCK_SEQPACKET ignores the address: its own other end has got it
    b.setblocking(False)
    try:
        b.recv(1)
    except BlockingIOError:
        return
    raise OSError("it came to the other end")


def raw_datagram():
    with socket.socket(socket.AF_UNIX, socket.SOCK_RAW) as s:
        s.sendto(b"x", denied + ".d")


def routes():
    """Each spelling and each call; none may get through."""
    path = denied.encode()
    tries = {
        "absolute": lambda: talk(denied),
        "relative": lambda: talk(os.path.relpath(denied)),
        "dots": lambda: talk(os.path.dirname(denied) + "/./../" +
                             os.path.basename(os.path.dirname(denied)) + "//" +
                             os.path.basename(denied)),
        "from its folder": moved_there,
        "link": lambda: linked(denied, "link"),
        "linked folder": lambda: linked(os.path.dirname(denied),
                                        "link/" + os.path.basename(denied)),
        "hard link": hard_linked,
        "without its end": lambda: talk_raw(raw(path)),
        "with zeros behind": lambda: talk_raw(raw(path.ljust(108, b"\0"))),
        "filled up": lambda: talk_raw(raw(b"/" * (108 - len(path)) + path)),
        "by descriptor": lambda: by_descriptor("/proc/self/fd/{}/{}"),
        "by thread descriptor": lambda: by_descriptor("/proc/thread-self/fd/{}/{}"),
        "by /dev/fd": lambda: by_descriptor("/dev/fd/{}/{}"),
        "by its own number": lambda: by_descriptor(f"/proc/{os.getpid()}/fd/{{}}/{{}}"),
        "by root": lambda: talk("/proc/self/root" + denied),
        "by cwd": lambda: talk("/proc/self/cwd/" + os.path.relpath(denied)),
        "held": held,
        "seqpacket": lambda: talk(denied + ".q", socket.SOCK_SEQPACKET),
        "datagram": datagram,
        "raw": raw_datagram,
        "pair, connected": lambda: datagram_pair("connect"),
        "pair, sendto": lambda: datagram_pair("sendto"),
        "pair, sendmsg": lambda: datagram_pair("sendmsg"),
    }
    passed = []
    for name, fn in tries.items():
        try:
            fn()
            passed.append(name)
        except OSError as e:
            print(f"{name}: {e}")
    print("passed:", passed)


def flip():
    """The address changes between the two while it is looked at, and so does the descriptor."""
    paths = [raw(denied.encode().ljust(108, b"\0")), raw(allowed.encode().ljust(108, b"\0"))]
    buffer = ctypes.create_string_buffer(paths[0], len(paths[0]))
    going = True

    def turn():
        while going:
            ctypes.memmove(buffer, paths[0], 110)
            ctypes.memmove(buffer, paths[1], 110)

    thread = threading.Thread(target=turn)
    thread.start()
    end = time.monotonic() + seconds
    counts = {}
    while sum(counts.values()) < rounds if rounds else time.monotonic() < end:
        with socket.socket(socket.AF_UNIX) as s:
            if libc.connect(s.fileno(), buffer, 110) == 0:
                got = s.recv(100).decode()
            else:
                got = os.strerror(ctypes.get_errno())
        counts[got] = counts.get(got, 0) + 1
    going = False
    thread.join()
    print(counts)


def swap():
    """A link leads to the one or the other by turns."""
    os.symlink(denied, "a")
    os.symlink(allowed, "b")
    going = True

    def turn():
        i = 0
        while going:
            i += 1
            os.symlink(denied if i % 2 else allowed, "new")
            os.rename("new", "turning")

    os.symlink(allowed, "turning")
    thread = threading.Thread(target=turn)
    thread.start()
    end = time.monotonic() + seconds
    counts = {}
    while time.monotonic() < end:
        try:
            got = talk("turning").decode()
        except OSError as e:
            got = e.strerror
        counts[got] = counts.get(got, 0) + 1
    going = False
    thread.join()
    print(counts)


def fill(path):
    """Connects until there is no more room."""
    kept = []
    for _ in range(64):
        s = socket.socket(socket.AF_UNIX)
        s.setblocking(False)
        try:
            s.connect(path)
        except BlockingIOError:
            return kept
        kept.append(s)
    sys.exit("there is always room")


def connect_status(path):
    with socket.socket(socket.AF_UNIX) as s:
        address = raw(path.encode())
        rc = libc.connect(s.fileno(), address, len(address))
        return "done" if rc == 0 else os.strerror(ctypes.get_errno())


def in_time():
    with socket.socket(socket.AF_UNIX) as s:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", 0, 200000))
        try:
            raw_connect(s.fileno(), raw(denied.encode()))
        except OSError as e:
            print("in time:", e.strerror)
        print("waits still:", os.get_blocking(s.fileno()))


def begun_again():
    """Signals with a handler that lets calls go on, until the server takes one."""
    reads, writes = os.pipe()
    os.set_blocking(writes, False)
    signal.set_wakeup_fd(writes, warn_on_full_buffer=False)
    server = socket.socket(socket.AF_UNIX)
    server.bind("own")
    server.listen(0)
    kept = fill("own")

    def make_room():
        heard = 0
        while heard < 3:
            heard += len(os.read(reads, 1))
        server.accept()

    thread = threading.Thread(target=make_room)
    thread.start()
    signal.siginterrupt(signal.SIGALRM, False)
    signal.setitimer(signal.ITIMER_REAL, 0.1, 0.1)
    print("begun again:", connect_status("own"))
    signal.setitimer(signal.ITIMER_REAL, 0)
    thread.join()
    del kept


def many_wait():
    """While they do, and when they are killed at it, others are served."""
    pids = []
    for _ in range(40):
        pid = os.fork()
        if pid == 0:
            connect_status(denied)
            os._exit(0)
        pids.append(pid)
    print("beside many:", talk(allowed).decode())
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    print("after many:", talk(allowed).decode())


def waiting():
    """A server whose queue is full: a non-blocking connect fails, a blocking one can be interrupted."""
    kept = fill(denied)
    in_time()
    signal.signal(signal.SIGALRM, lambda *_: None)
    signal.siginterrupt(signal.SIGALRM, True)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    print("interrupted:", connect_status(denied))
    begun_again()
    many_wait()
    del kept


{"routes": routes, "flip": flip, "swap": swap, "waiting": waiting}[kind]()
