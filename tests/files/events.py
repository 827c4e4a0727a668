# SPDX-License-Identifier: MIT
"""The events that a file watcher sees for each call that the broker makes on behalf.

usage: events.py FOLDER

Each call is made in its own folder, which is watched with its entries. Prints one line per call: its
name, and the inotify events in order. The lines of a bare run and under the broker must be the same, except that
before a folder is moved the broker lists it and those in it, which gives OPEN, ACCESS and CLOSE_NOWRITE.
"""
import ctypes
import os
import re
import socket
import struct
import sys

libc = ctypes.CDLL(None, use_errno=True)
NAMES = ["ACCESS", "MODIFY", "ATTRIB", "CLOSE_WRITE", "CLOSE_NOWRITE", "OPEN", "MOVED_FROM", "MOVED_TO", "CREATE",
         "DELETE", "DELETE_SELF", "MOVE_SELF"]
ALL_EVENTS = 0xFFF
WATCHED = {".": "top", "d": "d", "f": "f", "g": "g", "lf": "lf", "e": "e"}
DONT_FOLLOW = 0x02000000


def call(name, *args):
    if getattr(libc, name)(*args) < 0:
        raise OSError(ctypes.get_errno(), name)


def touch(path):
    with open(path, "w") as f:
        f.write("text")


def furnish():
    for folder in ("d", "d/sub", "e"):
        os.mkdir(folder)
    for file in ("f", "g", "d/f", "d/sub/f"):
        touch(file)
    os.symlink("f", "lf")


def opened(*args):
    os.close(os.open(*args))


def by_descriptor(act, flags=os.O_RDONLY):
    fd = os.open("f", flags)
    act(fd)
    os.close(fd)


def bound():
    server = socket.socket(socket.AF_UNIX)
    server.bind("s")
    server.listen(1)
    client = socket.socket(socket.AF_UNIX)
    client.connect("s")


def nameless():
    fd = os.open(".", os.O_TMPFILE | os.O_RDWR, 0o600)
    call("linkat", -100, f"/proc/self/fd/{fd}".encode(), -100, b"made", 0x400)
    os.close(fd)


def truncate(path, length):
    call("truncate", path, ctypes.c_long(length))


CALLS = {
    "open to read": lambda: opened("f", os.O_RDONLY),
    "open to write": lambda: opened("f", os.O_WRONLY),
    "open to cut": lambda: opened("f", os.O_WRONLY | os.O_TRUNC),
    "open to cut by reading": lambda: opened("f", os.O_RDONLY | os.O_TRUNC),
    "open through a link": lambda: opened("lf", os.O_RDWR),
    "open without following": lambda: opened("f", os.O_RDWR | os.O_NOFOLLOW),
    "create": lambda: opened("made", os.O_CREAT | os.O_WRONLY),
    "create what is there": lambda: opened("f", os.O_CREAT | os.O_WRONLY),
    "create exclusively": lambda: opened("made", os.O_CREAT | os.O_EXCL | os.O_RDWR),
    "create by its short call": lambda: call("creat", b"made", 0o644),
    "write": lambda: touch("f"),
    "nameless": nameless,
    "mkdir": lambda: os.mkdir("made"),
    "mkdir below": lambda: os.mkdir("d/made"),
    "mkdir where one is": lambda: libc.mkdir(b"d", 0o755),
    "rmdir": lambda: os.rmdir("e"),
    "rmdir of a full one": lambda: libc.rmdir(b"d"),
    "unlink": lambda: os.unlink("f"),
    "unlink a link": lambda: os.unlink("lf"),
    "mknod": lambda: os.mknod("made", 0o600 | 0o100000),
    "mkfifo": lambda: os.mkfifo("made"),
    "symlink": lambda: os.symlink("f", "made"),
    "symlink to a folder": lambda: os.symlink("d", "made"),
    "link": lambda: os.link("f", "made"),
    "link below": lambda: os.link("f", "d/made"),
    "link of a descriptor": lambda: by_descriptor(
        lambda fd: call("linkat", -100, f"/proc/self/fd/{fd}".encode(), -100, b"made", 0x400)),
    "rename": lambda: os.rename("f", "made"),
    "rename over": lambda: os.rename("f", "g"),
    "rename below": lambda: os.rename("f", "d/made"),
    "rename a folder": lambda: os.rename("d", "made"),
    "rename a folder over": lambda: os.rename("d", "e"),
    "rename a folder below": lambda: os.rename("d", "e/d"),
    "rename a link": lambda: os.rename("lf", "made"),
    "exchange": lambda: call("renameat2", -100, b"f", -100, b"g", 2),
    "exchange folders": lambda: call("renameat2", -100, b"d", -100, b"e", 2),
    "rename to nothing": lambda: call("renameat2", -100, b"f", -100, b"made", 1),
    "rename what is not there": lambda: libc.rename(b"none", b"made"),
    "truncate": lambda: truncate(b"f", 1),
    "truncate to more": lambda: truncate(b"f", 100),
    "truncate to the same": lambda: truncate(b"f", 4),
    "truncate through a link": lambda: truncate(b"lf", 1),
    "ftruncate": lambda: by_descriptor(lambda fd: os.ftruncate(fd, 1), os.O_RDWR),
    "chmod": lambda: os.chmod("f", 0o600),
    "chmod a folder": lambda: os.chmod("d", 0o700),
    "chmod by descriptor": lambda: by_descriptor(lambda fd: os.fchmod(fd, 0o600)),
    "chown": lambda: os.chown("f", os.getuid(), os.getgid()),
    "lchown": lambda: os.lchown("lf", os.getuid(), os.getgid()),
    "fchown": lambda: by_descriptor(lambda fd: os.fchown(fd, os.getuid(), -1)),
    "utime": lambda: os.utime("f", (1, 2)),
    "utime now": lambda: os.utime("f"),
    "utime of a link": lambda: os.utime("lf", (1, 2), follow_symlinks=False),
    "futimens": lambda: by_descriptor(lambda fd: os.utime(fd, (1, 2))),
    "setxattr": lambda: os.setxattr("f", "user.a", b"1"),
    "setxattr of a folder": lambda: os.setxattr("d", "user.a", b"1"),
    "fsetxattr": lambda: by_descriptor(lambda fd: os.setxattr(fd, "user.a", b"1")),
    "setxattr and remove": lambda: (os.setxattr("f", "user.a", b"1"), os.removexattr("f", "user.a")),
    "bind and connect": bound,
}


def watch(fd):
    """Also links: what is done to them is told of them."""
    return {libc.inotify_add_watch(fd, path.encode(), ALL_EVENTS | DONT_FOLLOW): name for path, name in WATCHED.items()}


def told(fd, names):
    events = []
    try:
        text = os.read(fd, 65536)
    except BlockingIOError:
        return "nothing"
    while text:
        number, mask, _, length = struct.unpack_from("iIII", text)
        name = re.sub(r"#\d+", "#N", text[16:16 + length].rstrip(b"\0").decode())
        bits = "+".join(n for i, n in enumerate(NAMES) if mask & 1 << i) or "GONE"
        events.append(f"{names[number]}/{name}:{bits}" if name else f"{names[number]}:{bits}")
        text = text[16 + length:]
    return " ".join(events)


def main():
    top = os.path.abspath(sys.argv[1])
    for i, (name, act) in enumerate(CALLS.items()):
        os.mkdir(f"{top}/{i}")
        os.chdir(f"{top}/{i}")
        furnish()
        fd = libc.inotify_init1(os.O_NONBLOCK)
        names = watch(fd)
        try:
            act()
            said = "done"
        except OSError as e:
            said = f"errno {e.errno}"
        print(f"{name}: {said}: {told(fd, names)}", flush=True)
        os.close(fd)


main()
