# SPDX-License-Identifier: MIT
"""Odd arguments of every supervised or filtered call: odd paths, flags, fds and pointers.

usage: odd_calls.py run FOLDER [GROUP...]     makes the calls, and prints one line each: its arguments, a tab, its result
       odd_calls.py compare BARE BOXED MODE   compares two such outputs; MODE names the network

Most of them fail, and must fail with the same error as without cordon. Each call is made in a fresh folder.
EXPECTED has the calls that end differently, each with its reason; one of these that ends as without cordon is also
a failure.
"""
import ctypes
import errno
import itertools
import os
import re
import sys

libc = ctypes.CDLL(None, use_errno=True)
HERE = -100
BAD = ctypes.c_void_p(8)
NUMBERS = {"open": 2, "rename": 82, "mkdir": 83, "rmdir": 84, "creat": 85, "link": 86, "unlink": 87, "symlink": 88,
           "chmod": 90, "chown": 92, "lchown": 94, "truncate": 76, "utime": 132, "utimes": 235, "mknod": 133,
           "openat": 257, "mkdirat": 258, "mknodat": 259, "fchownat": 260, "futimesat": 261, "unlinkat": 263,
           "renameat": 264, "linkat": 265, "symlinkat": 266, "fchmodat": 268, "utimensat": 280, "renameat2": 316,
           "fchmodat2": 452, "setxattr": 188, "lsetxattr": 189, "removexattr": 197, "lremovexattr": 198,
           "fchmod": 91, "fchown": 93, "fsetxattr": 190, "fremovexattr": 199, "ftruncate": 77,
           "socket": 41, "connect": 42, "bind": 49, "listen": 50, "socketpair": 53, "setpriority": 141, "ioprio_set": 251}

PATHS = [b"f", b"d", b"new", b"", b".", b"..", b"d/.", b"d/..", b"f/", b"d/", b"new/", b"f/x", b"none/x", b"lf", b"ld",
         b"ldang", b"lloop", b"lloop/x", b"ld/", b"ldang/", b"ld/.", b"n" * 256, b"n" * 256 + b"/x", b"d/" * 2100, b"closed/x",
         b"d/f", b"/proc/self/fd/999", BAD, None]


def made(name, *args):
    """By its number: libc looks at some arguments itself."""
    ctypes.set_errno(0)
    rc = libc.syscall(ctypes.c_long(NUMBERS[name]), *(ctypes.c_long(a) if isinstance(a, int) else a for a in args))
    return rc, ctypes.get_errno()


def furnish(folder):
    os.makedirs(folder)
    os.chdir(folder)
    for d in ("d", "closed"):
        os.mkdir(d)
    for f in ("f", "d/f", "closed/x"):
        with open(f, "w") as out:
            out.write("text")
    for text, link in (("f", "lf"), ("d", "ld"), ("nowhere", "ldang"), ("lloop", "lloop")):
        os.symlink(text, link)
    os.chmod("closed", 0)


def group_paths():
    """Calls with one path, all of the odd ones."""
    one = [("mkdir", 0o755), ("rmdir",), ("unlink",), ("creat", 0o644), ("chmod", 0o640), ("chown", -1, -1), ("lchown", -1, -1),
           ("truncate", 1), ("truncate", -1), ("utime", None), ("utimes", None), ("removexattr", b"user.a"),
           ("lremovexattr", b"user.a"), ("open", os.O_WRONLY), ("open", os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o644)]
    for (name, *args), path in itertools.product(one, PATHS):
        yield name, (path, *args)


def group_nodes():
    """Kinds of nodes: plain, pipe, socket, devices, a folder, none that there is."""
    kinds = [0o100644, 0, 0o010644, 0o140644, 0o020644, 0o060644, 0o040755, 0o120644, 0o170644]
    for kind, path in itertools.product(kinds, PATHS):
        yield "mknod", (path, kind, 0x103)
    for kind in kinds[:4]:
        yield "mknod", (b"new", kind, -1)


def group_moves():
    for flags, (old, new) in itertools.product((3, 4, 5, 6, 7, 8, -1), ((b"f", b"new"), (b"f", b"d"), (b"none", b"new"), (BAD, b"new"))):
        yield "renameat2", (HERE, old, HERE, new, flags)
    for flags, old, new in itertools.product((0, 1, 2), (b"none", b"f", b"d", b"."), (b".", b"..", b"d/..", b"/", b"d/.")):
        yield "renameat2", (HERE, old, HERE, new, flags)
    for new in (b"new", b"f", b"d/new", b"none/x"):
        yield "link", (b"/dev/null", new)
    for flags, path in itertools.product((0, 1, 2), PATHS):
        yield "renameat2", (HERE, path, HERE, b"new", flags)
        yield "renameat2", (HERE, b"d", HERE, path, flags)
        yield "renameat2", (HERE, b"f", HERE, path, flags)
    for path in PATHS:
        yield "rename", (path, path)
        yield "link", (path, b"new")
        yield "link", (b"f", path)
        yield "link", (b"d", path)
        yield "link", (path, path)
        yield "symlink", (path, b"new")
        yield "symlink", (b"text", path)


def group_flags():
    """Calls with flags, and a descriptor that is a folder, a file, by path only, or none."""
    calls = [("unlinkat", ()), ("linkat", (HERE, b"given")), ("fchownat", (-1, -1)), ("fchmodat2", (0o640,)), ("utimensat", (None,))]
    for (name, between), folder, path, flags in itertools.product(
            calls, ("here", "folder", "file", "path", "none"), (b"f", b"d", b"", b"lf", b".", b"none", BAD, None),
            (0, 0x100, 0x200, 0x400, 0x1000, 0x1100, 0x1400, 0x8000, -1)):
        yield name, (folder, path, *between, flags)


def group_folders():
    calls = [("openat", (os.O_RDWR | os.O_CREAT, 0o644)), ("mkdirat", (0o755,)), ("mknodat", (0o100644, 0)), ("mknodat", (0o020644, 0x103)),
             ("fchmodat", (0o640,)), ("futimesat", (None,))]
    for (name, args), folder, path in itertools.product(calls, ("folder", "file", "path", "none"), (b"f", b"new", b"", b".", b"none/x", BAD, None)):
        yield name, (folder, path, *args)
    for folder, path in itertools.product(("folder", "file", "none"), (b"f", b"", b".", BAD)):
        yield "renameat", (folder, path, HERE, b"new")
        yield "renameat", (HERE, b"f", folder, path)
        yield "symlinkat", (b"text", folder, path)


def group_descriptors():
    """By number, where it is no file, or by path only; and attributes that cannot be."""
    for number in ("folder", "file", "path", "none", "pipe"):
        yield "fchmod", (number, 0o640)
        yield "fchown", (number, -1, -1)
        yield "ftruncate", (number, 1)
        for name, value in ((b"user.a", b"1"), (b"bad", b"1"), (b"", b"1"), (BAD, b"1"), (b"user." + b"n" * 300, b"1"), (b"user.a", BAD)):
            yield "fsetxattr", (number, name, value, 1, 0)
        yield "fremovexattr", (number, b"user.a")
    for size, flags in itertools.product((0, 1, 70000, -1), (0, 1, 2, 3, 8)):
        yield "setxattr", (b"f", b"user.a", b"1", size, flags)
        yield "lsetxattr", (b"lf", b"user.a", b"1", size, flags)


def group_priorities():
    """Of the caller itself, by kinds that there are and that there are not."""
    for kind, who in itertools.product((3, 99, -1), (0, 1, -1)):
        yield "setpriority", (kind, who, 10)
    for kind, who in itertools.product((0, 4, -1), (0, 1, -1)):
        yield "ioprio_set", (kind, who, 2 << 13 | 4)
    yield "setpriority", (0, 0, 0)
    yield "setpriority", (0, 4999999, 0)
    yield "ioprio_set", (1, 4999999, 2 << 13 | 4)


def group_sockets():
    """Domains, types and protocols that are, that are not, and that do not go together."""
    types = (0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 15, 1 | 0x10, 1 | 0x100000, 2 | 0x800, 99, -1)
    for domain, kind, protocol in itertools.product((0, 1, 2, 10, 44, 99, -1), types, (0, 1, 6, 17, 255, 256, 999, -1)):
        yield "socket", (domain, kind, protocol)
    for domain, kind, protocol in itertools.product((0, 1, 2, 10, 99, -1), types, (0, 1, 6, 999)):
        yield "socketpair", (domain, kind, protocol, ctypes.create_string_buffer(8))
    for domain, kind in ((1, 1), (1, 99), (2, 1), (99, 1)):
        yield "socketpair", (domain, kind, 0, BAD)
        yield "socketpair", (domain, kind, 0, None)


def address(family, port, host=b"\x7f\0\0\1"):
    return family.to_bytes(2, "little") + port.to_bytes(2, "big") + host + b"\0" * 20


def group_addresses():
    """Binding and connecting to what is none, or is elsewhere (192.0.2.1 is never anywhere)."""
    far = address(2, 0, b"\xc0\0\2\1")
    for number in ("stream", "pipe", "file", "none"):
        for text, size in ((far, 16), (address(2, 0), 16), (address(2, 0), 15), (address(2, 0), 0), (address(2, 0), -1), (address(2, 0), 129),
                           (address(99, 0), 16), (address(0, 0), 16), (address(0, 0, b"\0\0\0\0"), 16), (address(10, 0), 28), (BAD, 16), (None, 16)):
            yield "bind", (number, text, size)
        for text, size in ((address(2, 1), 0), (address(2, 1), 15), (address(99, 1), 16), (address(2, 1), -1), (address(2, 1), 129), (BAD, 16)):
            yield "connect", (number, text, size)
        yield "listen", (number, 1)
    for text, size in ((b"\1\0", 2), (b"\1\0f\0", 4), (b"\1\0none/x\0", 9), (b"\1\0f/x\0", 6), (b"\1\0" + b"n" * 107, 109), (b"\1\0" + b"n" * 109, 111),
                       (b"\1\0.\0", 4), (b"\1\0d/\0", 5), (b"\2\0f\0", 4), (b"\1", 1), (BAD, 10), (b"\1\0lloop/x\0", 10)):
        yield "bind", ("unix", text, size)
        yield "connect", ("unix", text, size)


GROUPS = {n[6:]: f for n, f in list(globals().items()) if n.startswith("group_")}


def number_of(kind):
    """A descriptor by its word; others are arguments as they are."""
    if kind == "here":
        return HERE
    if kind in ("folder", "file", "path"):
        return os.open("." if kind == "folder" else "f", os.O_PATH if kind == "path" else os.O_RDONLY)
    if kind == "pipe":
        return os.pipe()[0]
    if kind == "stream":
        return made("socket", 2, 1, 0)[0]
    if kind == "unix":
        return made("socket", 1, 1, 0)[0]
    return 999


def show(name, args):
    words = ["BAD" if a is BAD else "buffer" if isinstance(a, ctypes.Array) else repr(a[:12]) + (f"*{len(a)}" if len(a) > 12 else "")
             if isinstance(a, bytes) else hex(a) if isinstance(a, int) else str(a) for a in args]
    return f"{name}({', '.join(words)})"


def one(name, args):
    """The result, and whether it changed anything: then the next call has a new folder."""
    numbers = [number_of(a) if isinstance(a, str) else a for a in args]
    rc, why = made(name, *numbers)
    os.closerange(3, 64)
    gives = name in ("open", "openat", "creat", "socket")
    return errno.errorcode.get(why, str(why)) if rc < 0 else "a descriptor" if gives else rc


def run(folder, groups):
    os.umask(0o022)
    top, fresh = os.path.abspath(folder), 0
    for name, args in (c for g in groups or GROUPS for c in GROUPS[g]()):
        if fresh == 0 or result in ("a descriptor", 0):
            fresh += 1
            os.chdir(top)
            furnish(f"{fresh}/h")
        result = one(name, args)
        print(f"{show(name, args)}\t{result}", flush=True)


# (modes of the network, what the call looks like, bare, boxed, why)
EXPECTED = [
    ("any", r"renameat2\(.*, 0x[45]\)", ".*", "EINVAL", "RENAME_WHITEOUT leaves a device node: the filter refuses it before it sees a path"),
    ("any", r"socket(pair)?\(0x1, 0x(2|3|802), 0x[01]", "a descriptor|0", "EACCES", "unix datagrams go anywhere below Landlock ABI 9"),
    ("any", r"socket\(0x2c, ", "EPERM", "EAFNOSUPPORT", "other families are as in a kernel without them: making one may load a module"),
    ("any", r"socketpair\(.*(BAD|None)\)", "EFAULT", "EAFNOSUPPORT|ENOTSUP|EOPNOTSUPP", "a filter does not look at memory"),
    ("any", r"socketpair\(0x(2|a), ", ".*", "ENOTSUP", "there are no pairs of these, whatever else is wrong with them"),
    ("any", r"connect\(unix, .*lloop", "ELOOP", "EACCES", "a loop of links and a way through procfs look the same"),
    ("none", r"socket\(0x(2|a), ", ".*", "EACCES", "without a network there is no internet socket, whatever else is wrong with it"),
    ("none", r"(bind|connect|listen)\(stream", ".*", "EBADF", "without a network there is no internet socket to begin with"),
    ("localhost domains", r"socket\(0x(2|a), 0x(2|802), ", "a descriptor|EACCES", "EPROTONOSUPPORT", "UDP and ping sockets do not exist"),
]


def reason(mode, words, bare, boxed):
    for modes, pattern, was, is_, why in EXPECTED:
        if (modes == "any" or mode in modes.split()) and re.fullmatch(was, bare) and re.fullmatch(is_, boxed) and re.match(pattern, words):
            return why
    return None


def compare(bare, boxed, mode):
    lines = [open(f).read().splitlines() for f in (bare, boxed)]
    problems = 0 if len(lines[0]) == len(lines[1]) else 1
    counts = {}
    for was, is_ in zip(*lines):
        words, before = was.rsplit("\t", 1)
        words_, after = is_.rsplit("\t", 1)
        why = "same" if before == after and words == words_ else reason(mode, words, before, after)
        counts[why] = counts.get(why, 0) + 1
        if why is None:
            problems += 1
            print(f"{words}: bare {before}, here {after}")
    for why, count in sorted(counts.items(), key=lambda c: str(c[0])):
        print(f"# {count} {why or 'not expected'}", file=sys.stderr)
    return problems


if sys.argv[1] == "run":
    run(sys.argv[2], sys.argv[3:])
else:
    sys.exit(min(compare(*sys.argv[2:5]), 1))
