# SPDX-License-Identifier: MIT
"""Attempts to open a terminal of another process.

usage: attack_terminals.py all|none NAME PID FD    all attempts must open it, or none
       attack_terminals.py flip NAME [OWN]         names and memory that change during the broker's check

NAME is the terminal, FD an fd of it in process PID. Exit status 0: all attempts were made, with the
expected results. OWN: a terminal that may be opened; without it one is made.
"""
import ctypes
import mmap
import os
import sys
import threading
import time

libc = ctypes.CDLL(None, use_errno=True)
AT_FDCWD = -100
HERE = os.environ.get("TMPDIR", "/tmp")
QUIET = os.O_NOCTTY | os.O_NONBLOCK
KEPT = []
MODES = {"r": os.O_RDONLY, "w": os.O_WRONLY, "rw": os.O_RDWR}


def checked(rc):
    if rc < 0:
        raise OSError(ctypes.get_errno(), "")
    return rc


def by_link(name, flags):
    link = os.path.join(HERE, "link")
    os.symlink(name, link)
    try:
        return os.open(link, flags)
    finally:
        os.unlink(link)


def by_folder(name, flags):
    folder = os.open(os.path.dirname(name), os.O_PATH)
    try:
        return os.open(os.path.basename(name), flags, dir_fd=folder)
    finally:
        os.close(folder)


def by_working_folder(name, flags):
    before = os.getcwd()
    os.chdir(os.path.dirname(name))
    try:
        return os.open(os.path.basename(name), flags)
    finally:
        os.chdir(before)


def by_path_descriptor(form):
    def way(name, flags):
        held = os.open(name, os.O_PATH)
        try:
            return os.open(form % held, flags)
        finally:
            os.close(held)
    return way


def as_standard(form):
    """A descriptor that only names it takes the place of standard input."""
    def way(name, flags):
        before = os.dup(0)
        held = os.open(name, os.O_PATH)
        os.dup2(held, 0)
        os.close(held)
        try:
            return os.open(form or name, flags)
        finally:
            os.dup2(before, 0)
            os.close(before)
    return way


def by_thread(name, flags):
    got = []
    thread = threading.Thread(target=lambda: got.append(attempt(os.open, name, flags)))
    thread.start()
    thread.join()
    if got[0] is None:
        raise OSError("refused")
    return got[0]


def by_creating(name, flags):
    return os.open(name, flags | os.O_CREAT | os.O_TRUNC, 0o600)


WAYS = {
    "name": os.open,
    "waiting": lambda name, flags: os.open(name, flags & ~os.O_NONBLOCK),
    "close on exec": lambda name, flags: checked(
        libc.open(name.encode(), (flags & ~os.O_NONBLOCK) | os.O_CLOEXEC)),
    "plain": lambda name, flags: checked(
        libc.open(name.encode(), flags & ~(os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC))),
    "slashes": lambda name, flags: os.open("//dev/.//pts/../pts//" + os.path.basename(name), flags),
    "link": by_link,
    "folder": by_folder,
    "working folder": by_working_folder,
    "root of a process": lambda name, flags: os.open("/proc/self/root" + name, flags),
    "path descriptor": by_path_descriptor("/proc/self/fd/%d"),
    "path descriptor of the thread": by_path_descriptor("/proc/thread-self/fd/%d"),
    "path descriptor in /dev": by_path_descriptor("/dev/fd/%d"),
    "standard input by name": as_standard(None),
    "standard input": as_standard("/dev/stdin"),
    "standard input of the process": as_standard("/proc/self/fd/0"),
    "thread": by_thread,
    "creating": by_creating,
}


def attempt(function, *args):
    try:
        return function(*args)
    except OSError:
        return None


def is_foreign(fd, name):
    """It is that terminal, and not only its name."""
    return os.fstat(fd).st_rdev == os.stat(name).st_rdev and os.isatty(fd)


def reaches(way, name, flags):
    fd = attempt(way, name, flags)
    if fd is None:
        return False
    found = is_foreign(fd, name)
    os.close(fd)
    return found


def touches(name):
    """Times of its own, by path and by a descriptor that only names it."""
    held = os.open(name, os.O_PATH)
    for path in (name, "/proc/self/fd/%d" % held):
        yield "times by " + path.split("/")[1], attempt(lambda path=path: os.utime(path) or True)
    yield "mode", attempt(lambda: os.chmod(name, os.stat(name).st_mode & 0o777) or True)
    yield "owner", attempt(lambda: os.chown(name, os.getuid(), -1) or True)
    os.close(held)


def others_descriptor(name, pid, number, flags):
    return reaches(lambda *_: os.open("/proc/%s/fd/%s" % (pid, number), flags), name, flags)


def by_leading(name):
    """A new session takes the first terminal it opens as its own."""
    pid = os.fork()
    if pid == 0:
        os.setsid()
        fd = attempt(os.open, name, os.O_RDWR)
        os._exit(0 if fd is None else 7)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7


def try_all(name, pid, number):
    for mode, flags in MODES.items():
        for what, way in WAYS.items():
            yield what + " " + mode, reaches(way, name, flags | QUIET)
        yield "their descriptor " + mode, others_descriptor(name, pid, number, flags | QUIET)
    yield from touches(name)
    yield "leading", by_leading(name)


def check(wanted, name, pid, number):
    wrong, count = [], 0
    for what, worked in try_all(name, pid, number):
        count += 1
        if bool(worked) != wanted:
            wrong.append(what)
    for what in wrong:
        print("refused:" if wanted else "reached:", what)
    print("tried", count)
    return 1 if wrong else 0


# ---- races ----

def keep_flipping(step):
    """In a process of its own, until this one ends or says so."""
    pid = os.fork()
    if pid == 0:
        while os.getppid() != 1:
            step()
        os._exit(0)
    return pid


def flipping_link(own, name):
    link, other = os.path.join(HERE, "flip"), os.path.join(HERE, "other")
    os.symlink(own, link)
    os.symlink(name, other)

    def step():
        libc.renameat2(AT_FDCWD, link.encode(), AT_FDCWD, other.encode(), 2)
    return link.encode(), keep_flipping(step)


def flipping_memory(own, name):
    """One text in shared memory, of which another process changes the number at the end."""
    numbers = [os.path.basename(path) for path in (own, name)]
    width = max(map(len, numbers))
    texts = [("/dev/pts/" + "/" * (width - len(n)) + n).encode() + b"\0" for n in numbers]
    memory = mmap.mmap(-1, 4096)
    KEPT.append(memory)
    memory[:len(texts[0])] = texts[0]

    def step():
        for text in texts:
            memory[:len(text)] = text
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    return ctypes.c_char_p(address), keep_flipping(step)


def race(path, own, name, seconds):
    """(how often it was ours, how often refused, how often theirs); until both ours and refused were seen"""
    ours, theirs = os.stat(own).st_rdev, os.stat(name).st_rdev
    counts = {ours: 0, theirs: 0, None: 0}
    end = time.monotonic() + seconds
    tries = 0
    while time.monotonic() < end and (tries < 400 or not counts[ours] or not counts[None]):
        tries += 1
        fd = libc.open(path, os.O_RDWR | QUIET)
        device = os.fstat(fd).st_rdev if fd >= 0 else None
        counts[device] = counts.get(device, 0) + 1
        if fd >= 0:
            os.close(fd)
    return counts[ours], counts[None], counts[theirs]


def flip(name, own=None):
    held = None
    if own is None:
        held = os.openpty()
        own = os.ttyname(held[1])
    wrong = 0
    for kind in (flipping_link, flipping_memory):
        path, pid = kind(own, name)
        got = race(path, own, name, 60)
        os.kill(pid, 9)
        os.waitpid(pid, 0)
        print(kind.__name__, "ours %d, refused %d, theirs %d" % got)
        wrong += got[2] > 0 or got[0] == 0 or got[1] == 0
    return 1 if wrong else 0


if __name__ == "__main__":
    if sys.argv[1] == "flip":
        sys.exit(flip(*sys.argv[2:]))
    sys.exit(check(sys.argv[1] == "all", *sys.argv[2:]))
