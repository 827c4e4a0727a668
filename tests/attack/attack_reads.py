# SPDX-License-Identifier: MIT
"""Attempts to read denied files inside a readable folder.

usage: attack_reads.py KIND NUMBER

Denied are the folder ./kept with kept/file, and every file named .env. Each of them contains the word
"secret"; no other file here does. Exit status 0: nothing was read, and all attempts were made.
"""
import ctypes
import mmap
import os
import signal
import subprocess
import sys
import threading
import time

libc = ctypes.CDLL(None, use_errno=True)
AT_FDCWD, AT_EMPTY_PATH, AT_SYMLINK_FOLLOW = -100, 0x1000, 0x400
SECRETS = ["kept/file", ".env", "sub/.env", "kept/.env"]


def checked(rc):
    if rc < 0:
        raise OSError(ctypes.get_errno(), "")
    return rc


def text_of(fd):
    text = os.read(fd, 4096)
    os.close(fd)
    return text


def read(path, flags=os.O_RDONLY, **more):
    return text_of(os.open(path, flags, 0o600, **more))


def linked(old, new, flags=0, folder=AT_FDCWD):
    checked(libc.linkat(folder, old.encode(), AT_FDCWD, new.encode(), flags))
    return read(new)


def moved(old, new, flags=0):
    checked(libc.renameat2(AT_FDCWD, old.encode(), AT_FDCWD, new.encode(), flags))
    text = read(new)
    libc.renameat2(AT_FDCWD, new.encode(), AT_FDCWD, old.encode(), flags)
    return text


def by_symlink(path, n):
    os.symlink(path, f"link{n}")
    return read(f"link{n}")


def by_folder(path, n, flags):
    fd = os.open(os.path.dirname(path) or ".", flags)
    return read(os.path.basename(path), dir_fd=fd)


def by_openat2(path):
    how = (ctypes.c_uint64 * 3)(0, 0, 0)
    return text_of(checked(libc.syscall(437, AT_FDCWD, path.encode(), how, 24)))


def by_old_open(path, flags=0):
    return text_of(checked(libc.syscall(2, path.encode(), flags, 0)))


def mapped(path):
    fd = os.open(path, os.O_RDONLY)
    return mmap.mmap(fd, 0, prot=mmap.PROT_READ)[:]


def from_inside(path):
    """With the denied folder as the working folder."""
    back = os.open(".", os.O_PATH)
    try:
        os.chdir(os.path.dirname(path) or ".")
        return read("./" + os.path.basename(path))
    finally:
        os.fchdir(back)


def by_child(*command, **more):
    return subprocess.run(command, capture_output=True, check=False, **more).stdout


def by_other_process(path, way):
    """The descriptor or folder of a child, by its folder in /proc."""
    fd = os.open(path, os.O_PATH)
    pid = os.fork()
    if pid == 0:
        signal.pause()
    try:
        return read(f"/proc/{pid}/" + way.format(fd=fd, path=path))
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(fd)


def routes(path, n):
    """Every way to a file, by name."""
    def held():
        return os.open(path, os.O_PATH)

    tid = threading.get_native_id()
    here = os.getcwd()
    return {
        "open": lambda: read(path),
        "the old open": lambda: by_old_open(path),
        "open with a flag nobody knows": lambda: by_old_open(path, 1 << 30),
        "openat2": lambda: by_openat2(path),
        "for writing, too": lambda: read(path, os.O_RDWR),
        "that may create": lambda: read(path, os.O_RDONLY | os.O_CREAT),
        "without following": lambda: read(path, os.O_RDONLY | os.O_NOFOLLOW),
        "without waiting": lambda: read(path, os.O_RDONLY | os.O_NONBLOCK),
        "direct": lambda: mapped(path),
        "absolute": lambda: read(os.path.join(here, path)),
        "dots": lambda: read(f"mine/..//./{path}"),
        "a link": lambda: by_symlink(path, f"{n}a"),
        "an absolute link": lambda: by_symlink(os.path.join(here, path), f"{n}b"),
        "a link through proc": lambda: by_symlink(f"/proc/self/cwd/{path}", f"{n}c"),
        "own folder in proc": lambda: read(f"/proc/self/cwd/{path}"),
        "own thread in proc": lambda: read(f"/proc/thread-self/cwd/{path}"),
        "own number in proc": lambda: read(f"/proc/{os.getpid()}/task/{tid}/cwd/{path}"),
        "own root in proc": lambda: read(f"/proc/self/root{here}/{path}"),
        "a folder held": lambda: by_folder(path, n, os.O_RDONLY | os.O_DIRECTORY),
        "a folder held by path": lambda: by_folder(path, n, os.O_PATH),
        "a file held by path": lambda: read(f"/proc/self/fd/{held()}"),
        "the same by dev": lambda: read(f"/dev/fd/{held()}"),
        "the same in a thread's": lambda: read(f"/proc/thread-self/fd/{held()}"),
        "a child's descriptor": lambda: by_other_process(path, "fd/{fd}"),
        "a child's folder": lambda: by_other_process(path, "cwd/{path}"),
        "the folder as one's own": lambda: from_inside(path),
        "a second name": lambda: linked(path, f"second{n}"),
        "a second name by path": lambda: linked("", f"second{n}b", AT_EMPTY_PATH, held()),
        "a second name by number": lambda: linked(f"/proc/self/fd/{held()}", f"second{n}c",
                                                  AT_SYMLINK_FOLLOW),
        "a second name in tmp": lambda: linked(path, os.environ["TMPDIR"] + f"/second{n}"),
        "a second name in shared memory": lambda: linked(path, f"/dev/shm/{os.getpid()}-{n}"),
        "another name": lambda: moved(path, f"moved{n}"),
        "another name in tmp": lambda: moved(path, os.environ["TMPDIR"] + f"/moved{n}"),
        "exchanged": lambda: moved(path, "mine/other", 2),
        "by cat": lambda: by_child("cat", path),
        "by cp": lambda: by_child("cp", path, f"copy{n}") and read(f"copy{n}") or read(f"copy{n}"),
        "by dd": lambda: by_child("dd", f"if={path}"),
        "by a shell": lambda: by_child("sh", "-c", f"while read l; do echo $l; done <{path}"),
        "by the loader": lambda: by_child("/bin/true", env={"LD_PRELOAD": path}),
        "as standard input": lambda: by_child("cat", "/dev/stdin", stdin=os.open(path, os.O_PATH)),
    }


def every_route(_):
    os.mkdir("mine")
    with open("mine/other", "w", encoding="ascii") as f:
        f.write("other")
    passed, tried = [], 0
    for n, path in enumerate(SECRETS):
        for name, fn in routes(path, n).items():
            tried += 1
            try:
                text = fn()
            except (OSError, ValueError):
                text = b""
            if b"secret" in text:
                passed.append(f"{name}: {path}")
    for name in ("kept", "sub"):
        try:
            os.rename(name, "renamed")
            passed += [f"moved {p}" for p in SECRETS if b"secret" in seen("renamed" + p[4:])]
            os.rename("renamed", name)
        except OSError:
            pass
    print("tried:", tried, "passed:", len(passed), passed[:3])
    return not passed and tried > 100


def seen(path):
    try:
        return read(path)
    except OSError:
        return b""


def listing(_):
    """Names stay to be seen in a folder that may be read, a denied folder cannot be listed."""
    try:
        os.listdir("kept")
        return False
    except OSError:
        return ".env" in os.listdir(".") and os.path.exists(".env") and seen("free/f") == b"fine"


def flip(rounds):
    """A thread changes the text of a path while the kernel and the broker look at it."""
    for allowed, denied in ((b"free/f", b"kept/file"), (b"free/f", b".env"), (b"sub/a", b"sub/.env")):
        got = flip_between(allowed, denied, int(rounds) // 3)
        print(allowed, denied, "read:", got)
        if got[1] or seen(allowed) != b"fine":
            return False
    return True


def flip_between(allowed, denied, rounds):
    text = ctypes.create_string_buffer(allowed, 32)
    buffer = ctypes.create_string_buffer(64)
    got, stop = [0, 0, 0], []

    def flipper():
        while not stop:
            ctypes.memmove(text, denied, len(denied) + 1)
            ctypes.memmove(text, allowed, len(allowed) + 1)

    thread = threading.Thread(target=flipper)
    thread.start()
    for i in range(rounds):
        fd = libc.open(text, (0, os.O_RDWR, os.O_CREAT, os.O_NOFOLLOW)[i % 4], 0o600)
        if fd < 0:
            got[2] += 1
            continue
        n = libc.read(fd, buffer, 60)
        got[1 if b"secret" in buffer.raw[:n] else 0] += 1
        libc.close(fd)
    stop.append(True)
    thread.join()
    return got


def flip_names(rounds):
    """The same for names that are moved and linked: afterwards a readable name must not have it."""
    old = ctypes.create_string_buffer(b"free/g", 32)
    stop = []

    def flipper():
        while not stop:
            ctypes.memmove(old, b"kept/file", 10)
            ctypes.memmove(old, b"sub/.env", 9)
            ctypes.memmove(old, b"free/g", 7)

    thread = threading.Thread(target=flipper)
    thread.start()
    leaked = made = 0
    for i in range(int(rounds)):
        if not os.path.exists("free/g"):
            with open("free/g", "w", encoding="ascii") as f:
                f.write("fine")
        new = f"new{i % 7}".encode()
        if (libc.rename if i % 2 else libc.link)(old, new) == 0:
            made += 1
            leaked += b"secret" in seen(new)
            libc.unlink(new)
    stop.append(True)
    thread.join()
    print("made:", made, "leaked:", leaked)
    return leaked == 0 and libc.rename(b"free/f", b"last") == 0


def swap(rounds):
    """A link that leads now here, now there; a folder that is exchanged for it."""
    stop, leaked, fine = [], 0, 0
    os.symlink("free/f", "one")
    os.symlink("kept/file", "two")
    os.mkdir("three")
    with open("three/file", "w", encoding="ascii") as f:
        f.write("fine")
    os.symlink("kept", "four")

    def swapper():
        while not stop:
            libc.renameat2(AT_FDCWD, b"one", AT_FDCWD, b"two", 2)
            libc.renameat2(AT_FDCWD, b"three", AT_FDCWD, b"four", 2)

    thread = threading.Thread(target=swapper)
    thread.start()
    for _ in range(int(rounds)):
        for path in ("one", "three/file", "/proc/self/cwd/one", "four/file"):
            text = seen(path)
            leaked += b"secret" in text
            fine += b"fine" in text
    stop.append(True)
    thread.join()
    print("fine:", fine, "leaked:", leaked)
    return leaked == 0 and seen("free/f") == b"fine"


def ancestors():
    """Processes above us: the launcher, the guard with its broker, and the process that started them."""
    pid, found = os.getpid(), []
    while pid > 1:
        with open(f"/proc/{pid}/stat", encoding="latin1") as f:
            pid = int(f.read().rsplit(")", 1)[1].split()[1])
        if pid > 0:
            found.append(pid)
    return found


# A folder of descriptors may be listed by its owner, only its links are kept from it.
GATED = ["environ", "mem", "maps", "smaps", "auxv", "cwd", "root", "exe", "cwd/etc",
         "root/etc/passwd", "fd/0", "fd/1", "fd/3", "fd/4", "fd/5", "fd/6", "pagemap",
         "ns/net", "task/{tid}/environ", "task/{tid}/fd/4", "task/{tid}/mem", "task/{tid}/cwd"]


def deputy(_):
    """The broker's own procfs files cannot be opened, whichever of its threads is named."""
    opened = []
    for pid in ancestors()[:2]:
        try:
            threads = os.listdir(f"/proc/{pid}/task")
        except OSError:
            continue
        for tid in threads:
            for name in GATED:
                for base in (f"/proc/{pid}", f"/proc/{tid}", f"/proc/self/../{tid}"):
                    opened += attempt(f"{base}/{name.format(tid=tid)}")
    print("ancestors:", len(ancestors()), "opened:", opened[:5])
    return len(ancestors()) >= 2 and not opened


def attempt(path):
    found = []
    ways = [lambda: os.open(path, os.O_RDONLY), lambda: os.open(path, os.O_RDONLY | os.O_CREAT),
            lambda: os.open(f"/proc/self/fd/{os.open(path, os.O_PATH)}", os.O_RDONLY),
            lambda: os.open(os.path.basename(path), os.O_RDONLY,
                            dir_fd=os.open(os.path.dirname(path), os.O_PATH)),
            lambda: os.open(path, os.O_RDWR), lambda: os.open(path, os.O_RDONLY | os.O_DIRECTORY)]
    for n, way in enumerate(ways):
        try:
            way()
            found.append((n, path))
        except OSError:
            pass
    os.closerange(3, 200)
    return found


def crowd(seconds):
    """Many at once, each reading what is its own; some are killed in the middle."""
    stop = time.monotonic() + seconds
    children = []
    for i in range(64):
        pid = os.fork()
        if pid == 0:
            wrong = 0
            with open(f"own{i}", "w", encoding="ascii") as f:
                f.write(f"own {i}")
            while time.monotonic() < stop or i >= 48:
                for path in (f"own{i}", f"/proc/self/cwd/own{i}", f"/proc/self/fd/../cwd/own{i}"):
                    wrong += seen(path) != f"own {i}".encode()
                wrong += seen(".env") != b"" or seen("/proc/self/stat").split()[0] != str(os.getpid()).encode()
                with open(f"made{i}", "w", encoding="ascii") as f:
                    f.write("x")
                os.rename(f"made{i}", f"gone{i}")
                os.unlink(f"gone{i}")
            os._exit(1 if wrong else 0)
        children.append(pid)
    status = []
    for pid in children[:48]:
        status.append(os.waitpid(pid, 0)[1])
    for pid in children[48:]:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    print("status:", set(status))
    return set(status) == {0} and seen("free/f") == b"fine"


kinds = {fn.__name__: fn for fn in (every_route, listing, flip, flip_names, swap, deputy, crowd)}
ok = kinds[sys.argv[1]](float(sys.argv[2]))
sys.stdout.flush()
os._exit(0 if ok else 3)
