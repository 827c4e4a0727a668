# SPDX-License-Identifier: MIT
"""Attempts to change a protected folder inside a writable project.

usage: attack.py KIND SECONDS

The folder is ./kept with the file ./kept/file; everything else here may be changed. Exit status 0:
all attempts were made. The caller checks the folder afterwards.
"""
import ctypes
import os
import signal
import socket
import sys
import threading
import time

libc = ctypes.CDLL(None, use_errno=True)


def attempt(fn):
    try:
        return fn()
    except OSError as e:
        return e


def every_route():
    """Each way that has a system call of its own; all must fail."""
    fd = os.open("kept/file", os.O_RDONLY)
    folder = os.open("kept", os.O_RDONLY)
    handle = os.open("kept/file", os.O_PATH)
    os.symlink("kept", "l1")
    os.symlink("kept/file", "l2")
    os.symlink("kept/new", "l3")
    os.mkdir("mine")
    open("mine/file", "w").close()
    tries = {
        "write": lambda: open("kept/file", "w"),
        "append": lambda: open("kept/file", "a"),
        "write through a link": lambda: open("l2", "w"),
        "create through a link": lambda: open("l3", "w"),
        "create through a linked folder": lambda: open("l1/new", "w"),
        "create by ..": lambda: open("mine/../kept/new", "w"),
        "create by folder": lambda: os.open("new", os.O_CREAT | os.O_WRONLY, dir_fd=folder),
        "reopen": lambda: os.open(f"/proc/self/fd/{fd}", os.O_WRONLY),
        "reopen a path": lambda: os.open(f"/proc/self/fd/{handle}", os.O_RDWR),
        "nameless": lambda: os.open("kept", os.O_TMPFILE | os.O_RDWR),
        "cut": lambda: os.truncate("kept/file", 0),
        "remove": lambda: os.unlink("kept/file"),
        "remove by folder": lambda: os.unlink("file", dir_fd=folder),
        "mkdir": lambda: os.mkdir("kept/new"),
        "fifo": lambda: os.mkfifo("kept/new"),
        "symlink": lambda: os.symlink("x", "kept/new"),
        "socket": lambda: socket.socket(socket.AF_UNIX).bind("kept/new"),
        "move out": lambda: os.rename("kept/file", "out"),
        "move in": lambda: os.rename("mine/file", "kept/file"),
        "move in anew": lambda: os.rename("mine/file", "kept/new"),
        "move itself": lambda: os.rename("kept", "other"),
        "replace itself": lambda: os.rename("mine", "kept"),
        "exchange": lambda: exchange("mine", "kept"),
        "exchange file": lambda: exchange("mine/file", "kept/file"),
        "second name": lambda: os.link("kept/file", "second"),
        "second name in": lambda: os.link("mine/file", "kept/new"),
        "second name by descriptor": lambda: os.link(f"/proc/self/fd/{fd}", "second",
                                                     follow_symlinks=True),
        "mode": lambda: os.chmod("kept/file", 0o777),
        "mode by descriptor": lambda: os.fchmod(fd, 0o777),
        "mode by link": lambda: os.chmod("l2", 0o777),
        "mode by own name": lambda: os.chmod(f"/proc/self/fd/{handle}", 0o777),
        "owner": lambda: os.chown("kept/file", os.getuid(), os.getgid()),
        "times": lambda: os.utime("kept/file", (1, 1)),
        "times by descriptor": lambda: os.utime(fd, (1, 1)),
        "attribute": lambda: os.setxattr("kept/file", "user.x", b"1"),
        "attribute by descriptor": lambda: os.setxattr(fd, "user.x", b"1"),
        "mode of itself": lambda: os.chmod("kept", 0o700),
        "remove itself": lambda: os.rmdir("kept"),
    }
    passed = [name for name, fn in tries.items() if not isinstance(attempt(fn), OSError)]
    print("passed:", passed)
    return not passed


def exchange(a, b):
    if libc.renameat2(-100, a.encode(), -100, b.encode(), 2) < 0:
        raise OSError(ctypes.get_errno(), "")


def race(seconds):
    """A thread flips the text of a path while another uses it."""
    text = ctypes.create_string_buffer(b"free/f", 16)
    stop = time.monotonic() + seconds
    tries = 0

    def flip():
        while time.monotonic() < stop:
            ctypes.memmove(text, b"kept/f", 7)
            ctypes.memmove(text, b"free/f", 7)

    os.makedirs("free", exist_ok=True)
    threading.Thread(target=flip, daemon=True).start()
    while time.monotonic() < stop:
        fd = libc.open(text, os.O_CREAT | os.O_WRONLY, 0o666)
        if fd >= 0:
            os.close(fd)
        libc.unlink(text)
        libc.mkdir(text, 0o777)
        libc.rmdir(text)
        libc.chmod(text, 0o777)
        tries += 1
    print("tries:", tries)
    return tries > 0


def cutting(seconds):
    """What is cut without being opened for writing, by a name or flags that change meanwhile."""
    stop = time.monotonic() + seconds
    text = ctypes.create_string_buffer(b"./././kept/file")
    how = (ctypes.c_uint64 * 3)(os.O_PATH, 0, 0)
    names = [b"./././kept/file", b"/etc/./hostname", b"/proc/self/comm", b"././/free/////f"]
    tries = 0

    def flip():
        while time.monotonic() < stop:
            for name in names:
                ctypes.memmove(text, name, 15)
                how[0] = os.O_TRUNC
                how[0] = os.O_PATH

    os.makedirs("free", exist_ok=True)
    with open("free/f", "w", encoding="utf-8"):
        pass
    threading.Thread(target=flip, daemon=True).start()
    while time.monotonic() < stop:
        for fd in (libc.open(text, os.O_RDONLY | os.O_TRUNC),
                   libc.open(text, os.O_ACCMODE | os.O_TRUNC),
                   libc.open(b"kept/file", os.O_ACCMODE | os.O_TRUNC),
                   libc.syscall(437, -100, b"kept/file", how, 24)):
            if fd >= 0:
                os.close(fd)
        libc.truncate(text, ctypes.c_long(0))
        tries += 1
    print("tries:", tries)
    return tries > 0


def layered():
    """With a Landlock layer of its own, which is about devices alone."""
    rules = (ctypes.c_uint64 * 1)(1 << 15)
    ruleset = libc.syscall(444, rules, 8, 0)
    libc.prctl(38, 1, 0, 0, 0)
    if ruleset < 0 or libc.syscall(446, ruleset, 0) != 0:
        return False
    for mode in range(4):
        fd = libc.open(b"kept/file", mode | os.O_TRUNC)
        if fd >= 0:
            os.close(fd)
    return libc.truncate(b"kept/file", ctypes.c_long(0)) != 0


def moving(seconds):
    """Folders are exchanged by one thread while another makes files by their names."""
    stop = time.monotonic() + seconds
    os.makedirs("a/in", exist_ok=True)
    attempt(lambda: os.symlink("kept", "b"))

    def swap():
        while time.monotonic() < stop:
            attempt(lambda: exchange("a", "b"))

    threading.Thread(target=swap, daemon=True).start()
    while time.monotonic() < stop:
        attempt(lambda: os.close(os.open("a/f", os.O_CREAT | os.O_WRONLY)))
        attempt(lambda: os.chmod("a/file", 0o777))
        attempt(lambda: os.unlink("a/f"))
    return True


def emptying(seconds):
    """Files are cut by names that lead to the protected one every other moment."""
    stop = time.monotonic() + seconds
    late = stop + 60
    os.makedirs("a", exist_ok=True)
    for name, target in (("b", "kept"), ("y", "kept/file")):
        attempt(lambda name=name, target=target: os.symlink(target, name))
    for name in ("a/file", "x"):
        open(name, "w").close()
    cuts = {"a/file": 0, "x": 0}

    def swap():
        while True:
            attempt(lambda: exchange("a", "b"))
            attempt(lambda: exchange("x", "y"))

    threading.Thread(target=swap, daemon=True).start()
    while os.path.getsize("kept/file") > 0 and time.monotonic() < late:
        if time.monotonic() > stop and min(cuts.values()) > 0:
            break
        for name in cuts:
            for flags in (os.O_WRONLY, os.O_RDONLY, os.O_RDWR | os.O_CREAT):
                fd = attempt(lambda: os.open(name, flags | os.O_NOFOLLOW | os.O_TRUNC))
                if not isinstance(fd, OSError):
                    os.close(fd)
                    cuts[name] += 1
    print("cuts:", cuts)
    return True


def deputy():
    """A link into procfs must show the caller, never the broker."""
    os.symlink("/proc/self", "ps")
    os.symlink("/proc/thread-self", "pt")
    for name in ("ps/environ", "ps/mem", "ps/maps", "pt/environ", "/dev/fd/../environ"):
        fd = attempt(lambda name=name: os.open(name, os.O_RDONLY | os.O_CREAT))
        if isinstance(fd, OSError):
            print(name, "-", fd.strerror)
            continue
        if not name.endswith("mem"):
            sys.stdout.buffer.write(os.read(fd, 1 << 20) + b"\n")
        os.close(fd)
    print("comm:", attempt(lambda: open("ps/comm").read().strip()))
    return True


def race_rounds(rounds):
    """The same by the number: what is opened for writing, moved, linked and cut must be the free one."""
    text = ctypes.create_string_buffer(b"free/f", 16)
    stop = []

    def flip():
        while not stop:
            ctypes.memmove(text, b"kept/file", 10)
            ctypes.memmove(text, b"free/f", 7)

    os.makedirs("free", exist_ok=True)
    thread = threading.Thread(target=flip)
    thread.start()
    done = [0, 0, 0, 0]
    for i in range(int(rounds)):
        if i % 64 == 0:
            open("free/f", "a", encoding="ascii").close()
        fd = libc.open(text, os.O_WRONLY | (os.O_TRUNC, os.O_APPEND)[i % 2])
        if fd >= 0:
            done[0] += os.write(fd, b"x")
            os.close(fd)
        done[1] += libc.rename(text, b"free/g") == 0
        done[2] += libc.rename(b"free/g", text) == 0
        done[3] += libc.truncate(text, ctypes.c_long(0)) == 0
    stop.append(True)
    thread.join()
    print("done:", done)
    return min(done) > 0


def storm(seconds):
    """Signals that let calls begin again, and such that do not: nothing happens twice or is lost."""
    return all(storm_of(seconds / 2, breaks) for breaks in (False, True))


def send_signals(to):
    """In bursts: on a busy machine nothing would ever be done between signals that never pause."""
    sender = os.fork()
    while sender == 0:
        for _ in range(100):
            os.kill(to, signal.SIGALRM)
            time.sleep(0.0002)
        time.sleep(0.02)
    return sender


def storm_of(seconds, breaks):
    """Without a restart a call may end by EINTR; then it must not have happened."""
    def again(name, *args):
        while True:
            rc = getattr(libc, name)(*args)
            if rc >= 0 or not breaks or ctypes.get_errno() != 4:
                return rc

    false = []
    signal.signal(signal.SIGALRM, lambda *_: None)
    signal.siginterrupt(signal.SIGALRM, breaks)
    sender = send_signals(os.getpid())
    stop = time.monotonic() + seconds
    n = 0
    while time.monotonic() < stop:
        n += 1
        rcs = [again("open", b"s%d" % n, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600),
               again("rename", b"s%d" % n, b"t%d" % n), again("unlink", b"t%d" % n),
               again("mkdir", b"m%d" % n, 0o700), again("rmdir", b"m%d" % n)]
        if rcs[0] >= 0:
            os.close(rcs[0])
        if min(rcs) < 0:
            false.append((n, rcs))
    os.kill(sender, signal.SIGKILL)
    os.waitpid(sender, 0)
    left = len(os.listdir("/proc/self/fd"))
    print("rounds:", n, "false:", false[:3], "descriptors:", left)
    return n > 0 and not false and left < 16


def crowd(seconds):
    """Many at once; some are killed in the middle of a call."""
    children = []
    for i in range(8):
        pid = os.fork()
        if pid == 0:
            for n in range(100000):
                os.close(os.open(f"c{i}-{n}", os.O_CREAT | os.O_WRONLY))
                os.unlink(f"c{i}-{n}")
            os._exit(0)
        children.append(pid)
    time.sleep(seconds)
    for pid in children:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    for n in range(200):
        open(f"after{n}", "w").close()
    return len([n for n in os.listdir(".") if n.startswith("after")]) == 200


kinds = {"every_route": lambda s: every_route(), "race": race, "race_rounds": race_rounds,
         "moving": moving, "cutting": cutting, "emptying": emptying, "layered": lambda s: layered(),
         "deputy": lambda s: deputy(), "storm": storm, "crowd": crowd}
sys.stdout.flush()
ok = kinds[sys.argv[1]](float(sys.argv[2]))
sys.stdout.flush()
os._exit(0 if ok else 3)
