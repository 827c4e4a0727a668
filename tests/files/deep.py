# SPDX-License-Identifier: MIT
"""Calls in folders whose absolute path is longer than the kernel's limit, 4,095 bytes.

usage: deep.py [git]     in an empty folder

Prints one line per call: its name, and its error or result. Names that begin with "denied" are for **/.env. With
"git" only names that git uses are tried.
"""
import ctypes
import errno
import os
import sys

libc = ctypes.CDLL(None, use_errno=True)
NAME = "n" * 200
PART = "/".join([NAME] * 15)


def tried(name, act):
    try:
        print(name, "done", act(), flush=True)
    except OSError as e:
        print(name, errno.errorcode[e.errno], flush=True)


def write(name, text="text"):
    with open(name, "w") as f:
        f.write(text)


def renamed2(old, new, flags):
    if libc.renameat2(-100, old, -100, new, flags) < 0:
        raise OSError(ctypes.get_errno(), "")


def by_descriptor():
    fd = os.open("e", os.O_RDWR)
    os.fchmod(fd, 0o640)
    os.utime(fd, (3, 4))
    os.close(fd)
    return oct(os.stat("e").st_mode), os.stat("e").st_mtime


def by_folder():
    fd = os.open(".", os.O_RDONLY)
    os.mkdir("made", dir_fd=fd)
    os.close(os.open("made/f", os.O_CREAT | os.O_WRONLY, dir_fd=fd))
    os.rename("made/f", "made/g", src_dir_fd=fd, dst_dir_fd=fd)
    os.unlink("made/g", dir_fd=fd)
    os.rmdir("made", dir_fd=fd)
    os.close(fd)


def files():
    tried("create", lambda: write("f"))
    tried("write", lambda: write("f", "other"))
    tried("append", lambda: os.close(os.open("f", os.O_WRONLY | os.O_APPEND)))
    tried("exclusively", lambda: os.open("f", os.O_CREAT | os.O_EXCL))
    tried("read", lambda: open("f").read())
    tried("truncate", lambda: (os.truncate("f", 2), open("f").read()))
    tried("mkdir", lambda: os.mkdir("d"))
    tried("mkdir again", lambda: os.mkdir("d"))
    tried("below", lambda: write("d/f"))
    tried("rename", lambda: os.rename("f", "g"))
    tried("rename below", lambda: os.rename("g", "d/g"))
    tried("rename a folder", lambda: os.rename("d", "e"))
    tried("exchange", lambda: (write("x"), renamed2(b"x", b"e", 2), sorted(os.listdir("."))))
    tried("link", lambda: os.link("e", "second"))
    tried("symlink", lambda: os.symlink("x/g", "link"))
    tried("read by link", lambda: open("link").read())
    tried("write by link", lambda: write("link"))
    tried("rename over", lambda: (write("y"), os.rename("y", "second")))
    tried("rename nothing", lambda: os.rename("none", "y"))
    tried("tmpfile", lambda: os.close(os.open(".", os.O_TMPFILE | os.O_RDWR, 0o600)))
    tried("mkfifo", lambda: os.mkfifo("p"))
    tried("by folder", by_folder)


def metadata():
    tried("chmod", lambda: os.chmod("e", 0o600))
    tried("chmod a folder", lambda: os.chmod("x", 0o700))
    tried("chmod by link", lambda: os.chmod("link", 0o644))
    tried("utime", lambda: os.utime("e", (1, 2)))
    tried("utime of a link", lambda: os.utime("link", (1, 2), follow_symlinks=False))
    tried("by descriptor", by_descriptor)
    tried("xattr", lambda: (os.setxattr("e", "user.a", b"1"), os.getxattr("e", "user.a")))
    tried("chown", lambda: os.chown("e", os.getuid(), os.getgid()))
    tried("rename up", lambda: os.rename("e", "../e"))
    tried("unlink", lambda: os.unlink("../e"))
    tried("rmdir of a full one", lambda: os.rmdir("x"))


def denied():
    write("y")
    tried("denied write", lambda: write(".env"))
    tried("denied rename", lambda: os.rename("y", ".env"))
    write("z")
    tried("denied link", lambda: os.link("z", ".env2") or os.rename(".env2", "d2/.env"))
    tried("denied below", lambda: (os.mkdir("deny"), write("deny/.env")))
    tried("denied mkdir", lambda: os.mkdir("deny/.env"))


def git():
    for name in (".git", "HEAD", "objects", "hooks", "config", "info", "commondir", ".Git"):
        tried(f"mkdir {name}", lambda: os.mkdir(name))
        tried(f"create {name}", lambda: write(name))
        tried(f"link {name}", lambda: os.symlink("x", name))
    os.mkdir("plain")
    tried("rename", lambda: os.rename("plain", "hooks"))


def main():
    top = os.open(".", os.O_RDONLY)
    os.symlink(PART, "down")
    for _ in range(2):
        os.makedirs(PART)
        os.chdir(PART)
    if sys.argv[1:] == ["git"]:
        git()
        return
    os.mkdir("d2")
    write("f")
    files()
    metadata()
    denied()
    os.fchdir(top)
    through = "down/" + PART
    tried("write through a link", lambda: write(f"{through}/through"))
    tried("read through a link", lambda: open(f"{through}/through").read())
    tried("chmod through a link", lambda: os.chmod(f"{through}/through", 0o600))
    tried("denied through a link", lambda: write(f"{through}/deny/.env"))


main()
