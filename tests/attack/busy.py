# SPDX-License-Identifier: MIT
"""All calls made on behalf, by many processes with several threads each, at once.

usage: busy.py KIND SECONDS ALLOWED DENIED ALLOWED_PORT DENIED_PORT

Denied are the files named .env, and changes of ./kept. ALLOWED and DENIED are unix sockets, the
others ports of loopback; each server answers which it is. With KIND busy_domains both ports cannot be
reached, and own servers can. With CORDON some work in nests. Exit status 0: every answer was correct. Standard output lists the wrong ones.
"""
import ctypes
import errno
import itertools
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time

PROCESSES, THREADS, KILLED = 64, 3, 8
kind, seconds, allowed, denied, *ports = sys.argv[1:]
libc = ctypes.CDLL(None, use_errno=True)
CLOSED = (errno.EACCES, errno.EPERM, errno.ECONNREFUSED)


class Wrong(Exception):
    pass


def check(holds, what):
    if not holds:
        raise Wrong(what)


def refused(fn, *arguments, **more):
    try:
        fn(*arguments, **more)
    except OSError as e:
        check(e.errno in CLOSED, f"{fn.__name__}{arguments}: {e}")
        return
    raise Wrong(f"{fn.__name__}{arguments}: went through")


def text(path):
    with open(path, encoding="ascii") as f:
        return f.read()


def put(path, what, mode="x"):
    with open(path, mode, encoding="ascii") as f:
        f.write(what)


# ---- what each thread does, with a folder of its own ----

def reading(own, rng):
    put(f"{own}/file", own)
    for path in (f"{own}/file", f"/proc/self/cwd/{own}/file", f"/proc/thread-self/cwd/{own}/file"):
        check(text(path) == own, path)
    refused(text, ".env")
    refused(text, f"{own}/../sub/.env")
    refused(os.open, "/proc/self/cwd/.env", os.O_RDONLY)
    os.unlink(f"{own}/file")


def making(own, rng):
    os.mkdir(f"{own}/d", 0o750)
    put(f"{own}/d/a", "a")
    os.truncate(f"{own}/d/a", 0)
    os.link(f"{own}/d/a", f"{own}/d/b")
    os.symlink("b", f"{own}/d/c")
    put(f"{own}/d/c", "through", "w")
    check(text(f"{own}/d/a") == "through", "a link")
    os.chmod(f"{own}/d/a", 0o640)
    os.utime(f"{own}/d/a", (1, 2))
    at = os.stat(f"{own}/d/b")
    check((at.st_mode & 0o777, at.st_mtime, at.st_nlink) == (0o640, 2, 2), "metadata")
    for name in "abc":
        os.unlink(f"{own}/d/{name}")
    os.rmdir(f"{own}/d")


def moving(own, rng):
    os.mkdir(f"{own}/m")
    put(f"{own}/m/a", "moved")
    os.rename(f"{own}/m", f"{own}/n")
    os.rename(f"{own}/n/a", f"{own}/b")
    refused(os.rename, f"{own}/b", "kept/file")
    refused(os.rename, f"{own}/b", f"{own}/.env")
    check(text(f"{own}/b") == "moved", "moved")
    os.unlink(f"{own}/b")
    os.rmdir(f"{own}/n")


def nameless(own, rng):
    fd = os.open(own, os.O_TMPFILE | os.O_RDWR, 0o600)
    os.write(fd, b"nameless")
    check(libc.linkat(-100, f"/proc/self/fd/{fd}".encode(), -100, f"{own}/named".encode(), 0x400) == 0, "linkat")
    os.close(fd)
    check(text(f"{own}/named") == "nameless", "nameless")
    os.unlink(f"{own}/named")


def protected(own, rng):
    refused(put, "kept/file", "changed", "w")
    refused(os.mkdir, "kept/new")
    refused(os.chmod, "kept/file", 0o777)
    refused(put, f"{own}/.envrc", "planted")
    os.mkdir(f"{own}/.git")
    os.mkdir(f"{own}/.git/hooks")
    refused(put, f"{own}/.git/hooks/pre-commit", "planted")
    os.rmdir(f"{own}/.git/hooks")
    os.rmdir(f"{own}/.git")


def settings(own, rng):
    """What git writes in one piece: a lock file that is moved."""
    if rng.random() > 0.2:
        return
    git = ["git", "-C", f"{own}/repository"]
    if not os.path.exists(f"{own}/repository"):
        subprocess.run(["git", "init", "-q", f"{own}/repository"], check=True)
    subprocess.run([*git, "config", "user.name", own], check=True)
    done = subprocess.run([*git, "config", "core.pager", "evil"], check=False, capture_output=True)
    check(done.returncode != 0, "a pager was set")


def waiting(own, rng):
    """A pipe: opening it waits for the other end, here in another thread."""
    got = []
    os.mkfifo(f"{own}/pipe")
    reader = threading.Thread(target=lambda: got.append(text(f"{own}/pipe")))
    reader.start()
    put(f"{own}/pipe", "through", "w")
    reader.join()
    check(got == ["through"], "a pipe")
    os.unlink(f"{own}/pipe")


def heard(family, address):
    with socket.socket(family) as s:
        s.connect(address)
        return s.recv(100)


def connecting(own, rng):
    check(heard(socket.AF_UNIX, allowed) == b"allowed", allowed)
    refused(heard, socket.AF_UNIX, denied)
    refused(heard, socket.AF_INET, ("127.0.0.1", int(ports[1])))
    if kind == "busy_domains":
        refused(heard, socket.AF_INET, ("127.0.0.1", int(ports[0])))
    else:
        check(heard(socket.AF_INET, ("127.0.0.1", int(ports[0]))) == b"allowed", "a port")


def serve(family, address):
    """A server of the session, and the clients that connect to it."""
    with socket.socket(family) as listener:
        listener.bind(address)
        listener.listen(1)
        with socket.socket(family) as client:
            client.connect(address if family == socket.AF_UNIX else listener.getsockname())
            listener.accept()[0].close()


def serving(own, rng):
    serve(socket.AF_UNIX, f"{own}/socket")
    os.unlink(f"{own}/socket")
    if kind == "busy_domains":
        serve(socket.AF_INET, ("127.0.0.1", 0))


def terminals(own, rng):
    master, slave = os.openpty()
    # ttyname has one buffer for all threads
    again = os.open(os.readlink(f"/proc/self/fd/{slave}"), os.O_RDWR | os.O_NOCTTY)
    os.write(again, b"line\n")
    got = b""
    while not got.endswith(b"\n"):
        got += os.read(master, 100)
    check(got == b"line\r\n", f"a terminal: {got}")
    for fd in (master, slave, again):
        os.close(fd)


def signals(own, rng):
    with subprocess.Popen(["sleep", "1000"]) as child:
        child.send_signal(rng.choice((signal.SIGTERM, signal.SIGKILL, signal.SIGUSR1)))
        check(child.wait() < 0, "a signal")
    refused(os.kill, 1, 0)
    signal.pthread_kill(threading.get_ident(), signal.SIGURG)


def inside(own, rng):
    """A sandbox inside this one, which denies more."""
    put(f"{own}/s.pem", "key")
    put(f"{own}/t", "t")
    program = "cat t && ! cat s.pem && ! cat ../.env && echo u >u && mv u v && rm v && cat t"
    done = subprocess.run([os.environ["CORDON"], "run", "-q", "-C", ".", "--deny", "**/*.pem", "--", "sh", "-c",
                           program], check=False, capture_output=True, text=True, cwd=own)
    check(done.returncode == 0 and done.stdout == "tt", f"inside: {done}")
    os.unlink(f"{own}/s.pem")
    os.unlink(f"{own}/t")


WORK = [reading, making, moving, nameless, protected, settings, waiting, connecting, serving, terminals,
        signals]


# ---- the crowd ----

def thread_main(own, work, until, wrong):
    rng = random.Random(own)
    os.mkdir(own)
    try:
        for n in itertools.count():
            for fn in rng.sample(work, len(work)):
                fn(own, rng)
            if until() and n >= 1:
                return
    except (Wrong, OSError, subprocess.SubprocessError) as e:
        wrong.append(f"{own} {type(e).__name__} {e}")


def process_main(i, end):
    wrong = []
    # some do only what a sandbox inside does; those that are killed go on until they are
    work = [inside] if i < 4 and "CORDON" in os.environ else WORK
    signal.signal(signal.SIGURG, lambda *_: None)
    threads = [threading.Thread(target=thread_main, args=(
        f"own{i}-{n}", work, lambda: time.monotonic() > end and i < PROCESSES - KILLED, wrong))
        for n in range(1 if work[0] is inside else THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for line in wrong:
        os.write(1, (line + "\n").encode())
    os._exit(1 if wrong else 0)


def main():
    end = time.monotonic() + float(seconds)
    children = []
    for i in range(PROCESSES):
        pid = os.fork()
        if pid == 0:
            process_main(i, end)
        children.append(pid)
    wrong = [os.waitpid(pid, 0)[1] for pid in children[:-KILLED]]
    for pid in children[-KILLED:]:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    reading_again = text("sub/a")
    return 0 if set(wrong) == {0} and reading_again == "fine" else 1


sys.exit(main())
