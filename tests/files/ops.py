# SPDX-License-Identifier: MIT
"""Calls that change files, one by one, each in its own folder.

usage: ops.py FOLDER [TABLE]

All but the cases of that table; it is the longest of those that the other mode tries.
Prints one line per case: its name, the error or result, and the folder afterwards.
The lines of a bare run and under the broker must be the same: an allowed call has the kernel's own
result, even if the broker made it.
"""
import ctypes
import errno
import os
import socket
import stat
import sys
import threading
import time

libc = ctypes.CDLL(None, use_errno=True)
AT_FDCWD = -100
AT_EMPTY_PATH = 0x1000
AT_SYMLINK_FOLLOW = 0x400
cases = []


def case(fn):
    cases.append((fn.__name__, fn))
    return fn


def table(name, *rows):
    """One case for every row of arguments."""

    def wrap(fn):
        for i, row in enumerate(rows):
            cases.append((f"{fn.__name__}[{name}:{i}]", lambda row=row: fn(*row)))
        return fn

    return wrap


def call(name, *args):
    ctypes.set_errno(0)
    rc = getattr(libc, name)(*args)
    if rc < 0:
        raise OSError(ctypes.get_errno(), "")
    return rc


def raw(number, *args):
    ctypes.set_errno(0)
    rc = libc.syscall(ctypes.c_long(number), *args)
    if rc < 0:
        raise OSError(ctypes.get_errno(), "")
    return rc


def use(fd, text=b"x"):
    """What a descriptor can do."""
    said = []
    for what, fn in (("w", lambda: os.write(fd, text)), ("r", lambda: len(os.read(fd, 9)))):
        try:
            said.append(f"{what}{fn()}")
        except OSError as e:
            said.append(f"{what}!{errno.errorcode[e.errno]}")
    flags = fcntl_flags(fd)
    os.close(fd)
    return " ".join(said) + f" {flags:o}"


def fcntl_flags(fd):
    import fcntl

    return fcntl.fcntl(fd, fcntl.F_GETFL) & ~0o100000 | (fcntl.fcntl(fd, fcntl.F_GETFD) << 24)


def put(name, text="old"):
    with open(name, "w") as f:
        f.write(text)


SHAPES = ["f", "new", "d", "d/", "f/", "new/", "d/.", "d/..", ".", "..", "d/f", "d/new", "./f",
          "d/../f", "lf", "ld", "ldang", "lloop", "ld/f", "ld/new", "ldang/x", "f/x", "lf/", "ld/",
          "missing/x", "n" * 255, "n" * 256, "x/" * 2100, "", "d//f", "labs"]
MODES = [os.O_RDONLY, os.O_WRONLY, os.O_RDWR, os.O_WRONLY | os.O_CREAT,
         os.O_WRONLY | os.O_CREAT | os.O_EXCL, os.O_RDONLY | os.O_CREAT, os.O_WRONLY | os.O_TRUNC,
         os.O_RDWR | os.O_CREAT | os.O_TRUNC, os.O_WRONLY | os.O_APPEND | os.O_CREAT,
         os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW, os.O_WRONLY | os.O_DIRECTORY,
         os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, os.O_WRONLY | os.O_NONBLOCK | os.O_CREAT,
         os.O_TMPFILE | os.O_RDWR, os.O_TMPFILE | os.O_WRONLY | os.O_EXCL]


def furnish():
    put("f")
    os.mkdir("d")
    put("d/f")
    os.symlink("f", "lf")
    os.symlink("d", "ld")
    os.symlink("nowhere", "ldang")
    os.symlink("lloop", "lloop")
    os.symlink(os.path.abspath("f"), "labs")


def name_of(shape):
    return shape if shape else ""


@table("open", *[(s, m) for s in SHAPES for m in MODES])
def opens(shape, mode):
    return use(os.open(name_of(shape), mode & ~os.O_CLOEXEC if mode & os.O_CLOEXEC == 0 else mode, 0o666))


@table("name", *[(s, k) for s in SHAPES for k in
                 ("mkdir", "rmdir", "unlink", "symlink", "mkfifo", "truncate", "chmod", "utime",
                  "link from", "link to", "rename from", "rename to", "replace dir", "mknod",
                  "lchown", "exchange", "noreplace")])
def names(shape, kind):
    s = name_of(shape)
    if kind == "mkdir":
        os.mkdir(s, 0o777)
    elif kind == "rmdir":
        os.rmdir(s)
    elif kind == "unlink":
        os.unlink(s)
    elif kind == "symlink":
        os.symlink("target", s)
    elif kind == "mkfifo":
        os.mkfifo(s, 0o666)
    elif kind == "mknod":
        os.mknod(s, 0o666 | stat.S_IFREG)
    elif kind == "truncate":
        call("truncate", s.encode(), ctypes.c_long(1))
    elif kind == "chmod":
        os.chmod(s, 0o640)
    elif kind == "utime":
        os.utime(s, (100, 200))
    elif kind == "link from":
        os.link(s, "made")
    elif kind == "link to":
        os.link("d/f", s)
    elif kind == "rename from":
        os.rename(s, "moved")
    elif kind == "rename to":
        os.rename("d/f", s)
    elif kind == "replace dir":
        os.mkdir("e")
        os.rename("e", s)
    elif kind == "lchown":
        os.lchown(s, os.getuid(), os.getgid())
    elif kind == "exchange":
        call("renameat2", AT_FDCWD, b"d/f", AT_FDCWD, s.encode(), 2)
    elif kind == "noreplace":
        call("renameat2", AT_FDCWD, b"d/f", AT_FDCWD, s.encode(), 1)


@table("umask", (0o000,), (0o022,), (0o027,), (0o077,))
def umasks(mask):
    os.umask(mask)
    os.close(os.open("u1", os.O_CREAT | os.O_WRONLY, 0o777))
    os.mkdir("u2", 0o777)
    os.mkfifo("u3", 0o666)


@case
def modes_of_new_files():
    for mode in (0, 0o200, 0o400, 0o600, 0o755, 0o1777):
        os.close(os.open(f"m{mode:o}", os.O_CREAT | os.O_WRONLY, mode))


@case
def setgid_folder():
    os.chmod("d", 0o2775)
    os.close(os.open("d/in", os.O_CREAT | os.O_WRONLY, 0o666))
    os.mkdir("d/deep")


@case
def relative_to_a_descriptor():
    fd = os.open("d", os.O_RDONLY)
    path = os.open("d", os.O_PATH)
    os.close(os.open("a", os.O_CREAT | os.O_WRONLY, dir_fd=fd))
    os.close(os.open("b", os.O_CREAT | os.O_WRONLY, dir_fd=path))
    os.mkdir("c", dir_fd=path)
    os.rename("a", "a2", src_dir_fd=fd, dst_dir_fd=path)
    os.unlink("b", dir_fd=fd)


@case
def a_file_as_folder():
    fd = os.open("f", os.O_RDONLY)
    os.open("a", os.O_CREAT | os.O_WRONLY, dir_fd=fd)


@case
def a_bad_descriptor():
    os.open("a", os.O_CREAT | os.O_WRONLY, dir_fd=999)


@case
def a_bad_pointer():
    raw(257, AT_FDCWD, ctypes.c_void_p(8), os.O_CREAT | os.O_WRONLY, 0o666)


@case
def a_deleted_folder():
    os.mkdir("gone")
    os.chdir("gone")
    os.rmdir("../gone")
    os.open("a", os.O_CREAT | os.O_WRONLY)


@case
def descriptors_by_number():
    fd = os.open("f", os.O_RDONLY)
    os.fchmod(fd, 0o604)
    os.fchown(fd, os.getuid(), os.getgid())
    os.utime(fd, (7, 8))
    os.setxattr(fd, "user.a", b"1")
    os.removexattr(fd, "user.a")
    return sorted(os.listxattr(fd))


@case
def attributes_by_path():
    os.setxattr("f", "user.a", b"12")
    os.setxattr("lf", "user.b", b"")
    said = [(n, os.getxattr("f", n)) for n in sorted(os.listxattr("f"))]
    os.removexattr("f", "user.a")
    return said, sorted(os.listxattr("f"))


@table("xattr", ("user.a", b"1", 2), ("user.a", b"1", 1), ("bad", b"1", 0), ("user." + "n" * 300, b"", 0),
       ("user.a", b"1", 4), ("user." + "n" * 300, b"", 4))
def odd_attributes(name, value, flags):
    os.setxattr("f", name, value, flags)


ODD_PATHS = [None, b"", b"f", b"lf", b"ldang", b"none", b"f/", b"."]
ODD_FLAGS = [0, 0x100, AT_EMPTY_PATH, AT_EMPTY_PATH | 0x100, AT_SYMLINK_FOLLOW, 0x200, 0x8000]


def odd_folder(kind):
    """A descriptor to begin from: the working folder, a file, a folder, a file by its path only, none."""
    if kind in ("here", "none"):
        return AT_FDCWD if kind == "here" else -1
    return os.open("." if kind == "folder" else "f", os.O_PATH if kind == "path" else os.O_RDONLY)


@table("at", *[(folder, path, flags) for folder in ("here", "file", "folder", "path", "none")
               for path in ODD_PATHS for flags in ODD_FLAGS])
def odd_flags(folder, path, flags):
    """Flags that a call does not know, paths that say nothing: each call, each in its own order."""
    omit = (ctypes.c_long * 4)(0, 0x3FFFFFFE, 0, 0x3FFFFFFE)
    ways = [("fchownat", path, os.getuid(), -1, flags), ("linkat", path, AT_FDCWD, b"given", flags)]
    if path is not None:  # libc has a word of its own about that
        ways += [("utimensat", path, None, flags), ("utimensat", path, omit, flags)]
    said = []
    for name, *args in ways:
        fd = odd_folder(folder)
        try:
            said.append(call(name, fd, *args))
        except OSError as e:
            said.append(errno.errorcode[e.errno])
    return said


@case
def open_or_by_path_only():
    """fchmod(2) and its like take nothing that was opened with O_PATH."""
    fd, said = os.open("f", os.O_PATH), []
    for name, *args in (("fchmod", 0o600), ("fchown", os.getuid(), -1), ("futimens", None),
                        ("fsetxattr", b"user.a", b"1", 1, 0), ("fremovexattr", b"user.a")):
        try:
            said.append(call(name, fd, *args))
        except OSError as e:
            said.append(errno.errorcode[e.errno])
    return said


@case
def by_own_descriptor_names():
    fd = os.open("f", os.O_RDWR)
    for folder in ("/proc/self/fd", "/dev/fd"):
        os.chmod(f"{folder}/{fd}", 0o606)
        os.utime(f"{folder}/{fd}", (3, 4))
        os.close(os.open(f"{folder}/{fd}", os.O_WRONLY | os.O_TRUNC))


@case
def nameless_then_linked():
    fd = os.open(".", os.O_TMPFILE | os.O_RDWR, 0o600)
    os.write(fd, b"text")
    call("linkat", AT_FDCWD, f"/proc/self/fd/{fd}".encode(), AT_FDCWD, b"given", AT_SYMLINK_FOLLOW)
    os.fchmod(fd, 0o640)


@case
def times_now_and_omitted():
    os.utime("f")
    spec = (ctypes.c_long * 4)(5, 0, 0, 0x3FFFFFFE)
    call("utimensat", AT_FDCWD, b"f", spec, 0)
    spec = (ctypes.c_long * 4)(0, 0x3FFFFFFE, 6, 0)
    call("utimensat", AT_FDCWD, b"f", spec, 0)
    spec = (ctypes.c_long * 4)(9, 0, 9, 0)
    call("utimensat", AT_FDCWD, b"ldang", spec, 0x100)
    st = os.lstat("ldang")
    return os.stat("f").st_atime, os.stat("f").st_mtime, st.st_mtime


@case
def a_socket_with_a_name():
    s = socket.socket(socket.AF_UNIX)
    s.bind("sock")
    s.listen(1)
    c = socket.socket(socket.AF_UNIX)
    c.connect("sock")
    c.send(b"x")
    return s.accept()[0].recv(1)


@case
def a_socket_where_one_is():
    s = socket.socket(socket.AF_UNIX)
    s.bind("f")


@case
def a_pipe_with_a_name():
    os.mkfifo("p")
    got = []
    reader = threading.Thread(target=lambda: got.append(open("p").read()))
    reader.start()
    with open("p", "w") as f:
        f.write("through")
    reader.join()
    return got


@case
def a_pipe_without_a_reader():
    os.mkfifo("p")
    os.open("p", os.O_WRONLY | os.O_NONBLOCK)


READ_FLAGS = [0, os.O_NOFOLLOW, os.O_DIRECTORY, os.O_NONBLOCK, os.O_NOATIME, os.O_CLOEXEC,
              os.O_DIRECTORY | os.O_NOFOLLOW, os.O_DIRECT, os.O_SYNC, os.O_APPEND,
              os.O_DIRECTORY | os.O_CREAT, os.O_TMPFILE, os.O_NOCTTY | os.O_ASYNC, 1 << 30]


@table("read", *[(s, m) for s in SHAPES for m in READ_FLAGS])
def reads(shape, flags):
    fd = raw(2, name_of(shape).encode(), flags, 0)
    flags = fcntl_flags(fd)
    st = os.fstat(fd)
    said = sorted(os.listdir(fd)) if stat.S_ISDIR(st.st_mode) else ""
    os.close(fd)
    return f"{st.st_mode:o} {flags:o} {said}"


def own(path):
    return path.replace("TID", str(threading.get_native_id())).replace("PID", str(os.getpid()))


PROC = ["/proc/self/comm", "/proc/thread-self/comm", "/proc/PID/comm", "/proc/PID/task/TID/comm",
        "/proc/self/task/TID/comm", "/proc/self", "/proc/self/", "/proc/self/fd/9", "/dev/fd/9",
        "/proc/self/fd/77", "/proc/self/fd/9/", "/proc/self/fd/8/f", "/dev/fd/8/../f",
        "/proc/self/cwd/f", "/proc/self/cwd", "/proc/self/root/proc/self/comm", "/proc/mounts",
        "/proc/net/unix", "/proc/self/nothing", "/proc/nothing", "/proc/sys/kernel/ostype",
        "/proc/self/task/1/comm", "/proc/1/environ", "/proc/1/mem", "/proc/1/cwd/etc", "/proc/1/fd",
        "lp/comm", "lp/fd/9", "lc/f", "lm", "lfd", "/dev/stdin", "/proc/self/exe/x",
        "/proc/self/map_files/1-2", "/proc/self/../self/comm", "/proc/self/environ", "/proc/self/fd",
        "/proc/self/fdinfo/9", "/proc/self/ns/net", "/proc/uptime/x", "/dev/tty"]


# What is not granted for writing as a whole is no comparison: procfs itself.
@table("proc", *[(s, m) for s in PROC for m in (0, os.O_NOFOLLOW, os.O_WRONLY, os.O_DIRECTORY,
                                                os.O_RDONLY | os.O_CREAT)
                 if m != os.O_WRONLY or s[-1] in "9f/n"])
def procfs(path, flags):
    """Whoever looks, it is the caller that is seen. Without a terminal: what has none says so."""
    os.setsid()
    for link, to in (("lp", "/proc/self"), ("lc", "/proc/thread-self/cwd"), ("lm", "lp/mounts"),
                     ("lfd", "/dev/fd/9")):
        if not os.path.lexists(link):
            os.symlink(to, link)
    os.dup2(os.open("f", os.O_RDONLY), 9)
    os.dup2(os.open("d", os.O_RDONLY), 8)
    os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
    os.closerange(3, 8)
    os.closerange(10, 256)
    fd = os.open(own(path), flags, 0o600)
    st = os.fstat(fd)
    if stat.S_ISDIR(st.st_mode):
        return fd, sorted(os.listdir(fd))[:3] if "/fd" in path else "folder"
    text = os.read(fd, 4096) if flags & 3 != 1 else b"write only"
    return fd, text[:60] if "comm" in path or "f" == path[-1] else bool(text)


@case
def objects_without_names():
    r, w = os.pipe()
    os.write(w, b"in the pipe")
    again = os.open(f"/proc/self/fd/{r}", os.O_RDONLY)
    memory = os.memfd_create("m")
    os.write(memory, b"in memory")
    copy = os.open(f"/dev/fd/{memory}", os.O_RDONLY)
    fd = os.open("f", os.O_RDONLY)
    os.unlink("f")
    deleted = os.open(f"/proc/self/fd/{fd}", os.O_RDONLY)
    said = [os.read(n, 20) for n in (again, copy, deleted)]
    a, _ = socket.socketpair()
    try:
        os.open(f"/proc/self/fd/{a.fileno()}", os.O_RDONLY)
    except OSError as e:
        said.append(e.errno)
    return said


@case
def held_by_path_only():
    fd = os.open("d", os.O_PATH)
    file = os.open("f", os.O_PATH)
    link = os.open("lf", os.O_PATH | os.O_NOFOLLOW)
    said = [os.read(os.open("f", os.O_RDONLY, dir_fd=fd), 9),
            os.read(os.open(f"/proc/self/fd/{file}", os.O_RDONLY), 9)]
    for n in (file, link, 88):
        try:
            os.open("x" if n != link else f"/proc/self/fd/{link}", os.O_RDONLY, dir_fd=n)
        except OSError as e:
            said.append(e.errno)
    return said


@case
def many_descriptors_are_too_many():
    import resource

    resource.setrlimit(resource.RLIMIT_NOFILE, (20, 20))
    try:
        while True:
            os.open("f", os.O_RDONLY)
    finally:
        os.closerange(3, 20)


@case
def too_many_descriptors_to_change_anything():
    import resource

    resource.setrlimit(resource.RLIMIT_NOFILE, (20, 20))
    said = []
    os.dup2(0, 19)
    try:
        while True:
            os.open("/dev/null", os.O_RDONLY)
    except OSError:
        pass
    for name, flags in (("f", os.O_TRUNC), ("new", os.O_CREAT), ("newer", os.O_CREAT | os.O_EXCL)):
        try:
            os.open(name, os.O_WRONLY | flags)
            said.append("opened")
        except OSError as e:
            said.append(e.errno)
    os.close(7)
    said.append(os.open("made", os.O_WRONLY | os.O_CREAT))
    os.closerange(3, 20)
    return said


@case
def a_reader_waits_for_a_writer():
    os.mkfifo("p")
    got = []
    reader = threading.Thread(target=lambda: got.append(open("p").read()))
    reader.start()
    os.close(os.open("f", os.O_RDONLY))
    with open("p", "w") as f:
        f.write("at last")
    reader.join()
    return got


@case
def a_signal_ends_waiting():
    import signal

    class Late(Exception):
        pass

    def late(*_):
        raise Late

    os.mkfifo("p")
    said = []
    signal.signal(signal.SIGALRM, late)
    for mode in ("r", "w"):
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.1)
            open("p", mode)
        except Late:
            said.append("late")
    return said


@case
def a_signal_for_all_ends_the_waiting_of_one():
    """Whichever thread is not the one that it was given to goes on waiting."""
    import signal

    class Late(Exception):
        pass

    def late(*_):
        raise Late

    def wait():
        try:
            os.close(call("open", b"p", os.O_WRONLY))
            said.append("opened")
        except OSError as e:
            said.append(e.errno)

    os.mkfifo("p")
    os.mkfifo("q")
    said = []
    signal.signal(signal.SIGALRM, late)
    threads = [threading.Thread(target=wait) for _ in range(6)]
    for t in threads:
        t.start()
    for _ in range(4):
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.1)
            open("q", "w")
        except Late:
            said.append("late")
    while any(t.is_alive() for t in threads):
        fd = os.open("p", os.O_RDONLY | os.O_NONBLOCK)
        for t in threads:
            t.join(0.02)
        os.close(fd)
    return said


@case
def a_stop_while_waiting():
    import signal

    os.mkfifo("p")
    said = []
    for stop in (signal.SIGTSTP, signal.SIGSTOP):
        pid = os.fork()
        if pid == 0:
            os.setpgid(0, 0)
            os.close(os.open("p", os.O_WRONLY))
            os._exit(0)
        # whether it waits cannot be seen from outside
        time.sleep(0.2)
        os.kill(pid, stop)
        for _ in range(100):
            ended, status = os.waitpid(pid, os.WUNTRACED | os.WNOHANG)
            if ended:
                break
            time.sleep(0.02)
        said.append(os.WIFSTOPPED(status) if ended else "goes on")
        os.kill(pid, signal.SIGCONT)
        fd = os.open("p", os.O_RDONLY | os.O_NONBLOCK)
        said.append(os.waitpid(pid, 0)[1])
        os.close(fd)
    return said


@case
def permissions_of_modes():
    put("secret")
    os.chmod("secret", 0)
    os.mkdir("closed")
    put("closed/f")
    os.chmod("closed", 0)
    said = []
    for name in ("secret", "closed", "closed/f"):
        try:
            os.open(name, os.O_RDONLY)
            said.append("opened")
        except OSError as e:
            said.append(e.errno)
    os.chmod("closed", 0o755)
    return said


@case
def threads_with_folders_of_their_own():
    said = []

    def work(i):
        # a container's filter may refuse it
        if libc.unshare(0x200) < 0:
            return
        os.mkdir(f"t{i}")
        os.chdir(f"t{i}")
        os.umask(0o077 if i % 2 else 0)
        for n in range(20):
            os.close(os.open(f"f{n}", os.O_CREAT | os.O_WRONLY, 0o666))
        said.append(i)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return sorted(said)


@case
def inherited_acls():
    """A default ACL takes the place of the umask, for whoever makes the file."""
    def entry(tag, perm, who=0xFFFFFFFF):
        return tag.to_bytes(2, "little") + perm.to_bytes(2, "little") + who.to_bytes(4, "little")

    acl = (2).to_bytes(4, "little") + entry(1, 7) + entry(2, 6, 12345) + entry(4, 5) + entry(0x10, 7) + entry(0x20, 4)
    os.setxattr("d", "system.posix_acl_default", acl)
    os.umask(0o077)
    os.close(os.open("d/made", os.O_CREAT | os.O_WRONLY, 0o666))
    os.close(os.open("d/closed", os.O_CREAT | os.O_WRONLY, 0o600))
    os.mkdir("d/deep", 0o777)
    os.mknod("d/deep/node", 0o666)
    os.mkfifo("d/pipe", 0o666)
    os.close(os.open("made", os.O_CREAT | os.O_WRONLY, 0o666))
    names = ("d/made", "d/closed", "d/deep", "d/deep/node", "d/pipe", "made")
    return [(n, a, os.getxattr(n, a).hex()) for n in names for a in sorted(os.listxattr(n)) if "acl" in a]


@case
def not_dumpable():
    call("prctl", 4, 0, 0, 0, 0)
    put("made")
    os.rename("made", "moved")
    os.chmod("moved", 0o640)
    return open("moved").read()


@case
def waiting_writers_keep_nobody_waiting():
    os.mkfifo("p")
    writers = [threading.Thread(target=lambda: open("p", "w").close()) for _ in range(12)]
    for t in writers:
        t.start()
    for i in range(50):
        put(f"n{i}")
        os.unlink(f"n{i}")
    while any(t.is_alive() for t in writers):
        fd = os.open("p", os.O_RDONLY | os.O_NONBLOCK)
        for t in writers:
            t.join(0.02)
        os.close(fd)
    return "done"


@case
def a_borrowing_child():
    """vfork: the caller waits, its memory is in use by another."""
    pid = os.posix_spawn("/bin/sh", ["sh", "-c", "echo x >by-child; mv by-child moved"], os.environ,
                         file_actions=[(os.POSIX_SPAWN_OPEN, 1, "out", os.O_CREAT | os.O_WRONLY, 0o644)])
    return os.waitpid(pid, 0)[1]


@case
def run_at_once():
    """Opened for writing, closed and run, with nothing in between."""
    import shutil

    shutil.copy("/bin/true", "t")
    failed = 0
    for _ in range(40):
        os.close(os.open("t", os.O_WRONLY))
        failed += os.spawnv(os.P_WAIT, "t", ["t"]) != 0
    return failed


@case
def written_then_run():
    for i in range(20):
        fd = os.open("s", os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o755)
        os.write(fd, b"#!/bin/sh\nexit 7\n")
        os.close(fd)
        if os.spawnl(os.P_WAIT, "s", "s") != 7:
            return "text file busy"
    return "ran"


@case
def mapped_and_grown():
    import mmap

    # larger than any memory, and nearly all of it a hole
    size = 1 << 40
    fd = os.open("big", os.O_CREAT | os.O_RDWR, 0o600)
    os.ftruncate(fd, size)
    m = mmap.mmap(fd, 4096)
    m[0:2] = b"ok"
    os.posix_fallocate(fd, 0, 8192)
    os.pwrite(fd, b"end", size - 3)
    again = os.open("big", os.O_RDONLY)
    return os.pread(again, 2, 0), os.pread(again, 9, size - 3), os.fstat(again).st_size


def look():
    said = []
    for top, dirs, files in os.walk("."):
        for n in sorted(dirs + files):
            p = os.path.join(top, n)
            try:
                st = os.lstat(p)
            except PermissionError:
                said.append(f"{p} closed")
                continue
            text = ""
            if stat.S_ISLNK(st.st_mode):
                text = os.readlink(p).replace(os.getcwd(), "CWD")
            elif stat.S_ISREG(st.st_mode) and st.st_size < 100 and os.access(p, os.R_OK):
                text = open(p, "rb").read()
            times = "" if st.st_mtime > 1000 else f" {int(st.st_mtime)}"
            said.append(f"{p} {st.st_mode:o} {st.st_nlink} {text}{times}")
    return sorted(said)


def reopen(*folders):
    """What a case closed must be looked into; how it left them is part of the answer."""
    said = []
    for folder in folders:
        said.append(f"{os.stat(folder).st_mode:o}")
        os.chmod(folder, 0o755)
    return " ".join(said)


def one(name, fn, home):
    os.makedirs(home, exist_ok=True)
    os.chdir(home)
    os.umask(0o022)
    if not os.path.lexists("f"):
        furnish()
    try:
        result = repr(fn())
    except OSError as e:
        result = errno.errorcode.get(e.errno, str(e.errno))
    modes = reopen(os.path.dirname(home), home)
    os.chdir(home)
    print(name, result, modes, "|", "; ".join(look()).replace(home, "HOME"), flush=True)


def main():
    top = os.path.abspath(sys.argv[1])
    for i, (name, fn) in enumerate(cases):
        if name.startswith((sys.argv + [""])[2] + "["):
            continue
        # what only reads can share a folder: making links is slow
        home = f"{top}/{'reading' if name.startswith(('reads[', 'procfs[')) else f'c{i}'}/h"
        pid = os.fork()
        if pid == 0:
            try:
                one(name, fn, home)
                os._exit(0)
            except BaseException as e:
                print(name, repr(e), flush=True)
            finally:
                os._exit(1)
        if os.waitpid(pid, 0)[1] != 0:
            print(name, "died", flush=True)


main()
