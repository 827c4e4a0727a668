# SPDX-License-Identifier: MIT
"""A file system in memory in which several spellings are one name, mounted at FOLDER:
foldfs.py FOLDER [short] [uncounted]. Small and capital letters are the same, as with vfat, NTFS or a disk of a
Mac; with "short" so are names with dots or blanks behind them, and every long name has a short one
(GIT~1). With "uncounted" the link count of every file is 0, as some file systems report it. The kernel shows a
file by the name that was used. Needs root; ends with its mount."""
import ctypes
import errno
import os
import stat
import struct
import sys
import time

LOOKUP, FORGET, GETATTR, SETATTR, READLINK, SYMLINK = range(1, 7)
MKNOD, MKDIR, UNLINK, RMDIR, RENAME, LINK, OPEN, READ, WRITE, STATFS, RELEASE = range(8, 19)
FLUSH, INIT, OPENDIR, READDIR, RELEASEDIR, CREATE, BATCH_FORGET, RENAME2 = 25, 26, 27, 28, 29, 35, 42, 45
NO_REPLY = (FORGET, BATCH_FORGET)


class Node:
    count = 0

    def __init__(self, mode, data=b""):
        Node.count += 1
        self.id, self.mode, self.data, self.nlink = Node.count, mode, data, 1
        self.names = {}  # folded: (as it was made, node)


def make_short(name):
    """As Windows makes them: GIT~1 of .git, SETTIN~1.JSO of settings.json; None for what is short."""
    base, _, end = name.lstrip(".").rpartition(".")
    if not base:
        base, end = end, ""
    if name[0] != "." and len(base) <= 8 and len(end) <= 3:
        return None
    return (base.replace(".", "")[:6] + "~1" + ("." + end[:3] if end else "")).lower()


class FoldFs:
    def __init__(self, has_short, counts=True):
        self.has_short, self.counts = has_short, counts
        self.root = Node(stat.S_IFDIR | 0o755)
        self.nodes = {1: self.root}

    # ---- names ----

    def fold(self, name):
        name = name.decode("utf-8", "surrogateescape").casefold()
        return name.rstrip(". ") or name if self.has_short else name

    def find(self, folder, name):
        """The key of a name in a folder, or None."""
        key = self.fold(name)
        if key in folder.names:
            return key
        if self.has_short:
            for long in folder.names:
                if make_short(long) == key:
                    return long
        return None

    def get(self, folder, name):
        key = self.find(folder, name)
        if key is None:
            raise OSError(errno.ENOENT, "")
        return folder.names[key][1]

    def add(self, folder, name, node):
        if self.find(folder, name) is not None:
            raise OSError(errno.EEXIST, "")
        folder.names[self.fold(name)] = (name, node)
        self.nodes[node.id] = node
        return node

    # ---- answers ----

    def attr(self, node):
        now = int(time.time())
        return struct.pack("=QQQQQQIIIIIIIIII", node.id, len(node.data), 0, now, now, now, 0, 0, 0, node.mode,
                           node.nlink if self.counts else 0, 0, 0, 0, 4096, 0)

    def entry(self, node):
        return struct.pack("=QQQQII", node.id, 0, 0, 0, 0, 0) + self.attr(node)

    def listing(self, node, start, size):
        out = b""
        for i, (name, inner) in enumerate([(b".", node), (b"..", node)] + list(node.names.values())):
            one = struct.pack("=QQII", inner.id, i + 1, len(name), inner.mode >> 12) + name
            one += b"\0" * (-len(one) % 8)
            if i < start:
                continue
            if len(out) + len(one) > size:
                break
            out += one
        return out

    # ---- calls ----

    def move(self, folder, name, other, new, flags):
        to, key = self.nodes[other], self.find(folder, name)
        if key is None:
            raise OSError(errno.ENOENT, "")
        at = self.find(to, new)
        if flags & 1 and at is not None:
            raise OSError(errno.EEXIST, "")
        if flags & 2 and at is not None:
            folder.names[key], to.names[at] = (name, to.names[at][1]), (new, folder.names[key][1])
            return b""
        node = folder.names.pop(key)[1]
        if at is not None:
            to.names.pop(at, None)
        to.names[self.fold(new)] = (new, node)
        return b""

    def remove(self, node, name, is_folder):
        key = self.find(node, name)
        if key is None:
            raise OSError(errno.ENOENT, "")
        if is_folder and node.names[key][1].names:
            raise OSError(errno.ENOTEMPTY, "")
        node.names.pop(key)[1].nlink -= 1
        return b""

    def write(self, node, body):
        _, offset, size = struct.unpack_from("=QQI", body)
        old = node.data.ljust(offset, b"\0")
        node.data = old[:offset] + body[40:40 + size] + old[offset + size:]
        return struct.pack("=II", size, 0)

    def set_attr(self, node, body):
        valid, _, _, size = struct.unpack_from("=IIQQ", body)
        mode = struct.unpack_from("=I", body, 68)[0]
        if valid & 8:
            node.data = node.data[:size].ljust(size, b"\0")
        if valid & 1:
            node.mode = stat.S_IFMT(node.mode) | stat.S_IMODE(mode)
        return struct.pack("=QII", 0, 0, 0) + self.attr(node)

    def answer(self, call, number, body):
        node = self.nodes.get(number)
        if call == INIT:
            return struct.pack("=IIIIHHIIHH32x", 7, 31, 65536, 0, 0, 0, 65536, 1, 0, 0)
        if call == STATFS:
            return struct.pack("=QQQQQIIII24x", 1, 1, 1, 9, 9, 4096, 255, 4096, 0)
        if call in (OPEN, OPENDIR):
            return struct.pack("=QII", 0, 1, 0)  # nothing is kept in the kernel
        if call in (RELEASE, RELEASEDIR, FLUSH):
            return b""
        if call == GETATTR:
            return struct.pack("=QII", 0, 0, 0) + self.attr(node)
        if call == SETATTR:
            return self.set_attr(node, body)
        if call == READLINK:
            return node.data
        if call in (READ, READDIR):
            _, offset, size = struct.unpack_from("=QQI", body)
            return node.data[offset:offset + size] if call == READ else self.listing(node, offset, size)
        if call == WRITE:
            return self.write(node, body)
        return self.answer_name(call, node, body)

    def answer_name(self, call, node, body):
        first = lambda skip: body[skip:].split(b"\0")[0]
        if call == LOOKUP:
            return self.entry(self.get(node, first(0)))
        if call == SYMLINK:
            name, text = body.split(b"\0")[:2]
            return self.entry(self.add(node, name, Node(stat.S_IFLNK | 0o777, text)))
        if call == MKDIR:
            mode = struct.unpack_from("=I", body)[0]
            return self.entry(self.add(node, first(8), Node(stat.S_IFDIR | stat.S_IMODE(mode))))
        if call == MKNOD:
            return self.entry(self.add(node, first(16), Node(struct.unpack_from("=I", body)[0])))
        if call == CREATE:
            mode = struct.unpack_from("=II", body)[1]
            made = self.add(node, first(16), Node(stat.S_IFREG | stat.S_IMODE(mode)))
            return self.entry(made) + struct.pack("=QII", 0, 1, 0)
        if call == LINK:
            old = self.nodes[struct.unpack_from("=Q", body)[0]]
            old.nlink += 1
            return self.entry(self.add(node, first(8), old))
        if call in (UNLINK, RMDIR):
            return self.remove(node, first(0), call == RMDIR)
        if call in (RENAME, RENAME2):
            skip = 8 if call == RENAME else 16
            other, flags = struct.unpack_from("=QI", body.ljust(16, b"\0"))
            old, new = body[skip:].split(b"\0")[:2]
            return self.move(node, old, other, new, flags if call == RENAME2 else 0)
        raise OSError(errno.ENOSYS, "")

    def serve(self, device):
        while True:
            try:
                message = os.read(device, 1 << 18)
            except OSError as error:
                if error.errno == errno.ENODEV:
                    return
                if error.errno in (errno.EINTR, errno.ENOENT, errno.EAGAIN):
                    continue
                raise
            size, call, unique, number = struct.unpack_from("=IIQQ", message)
            if call in NO_REPLY:
                continue
            try:
                body, why = self.answer(call, number, message[40:size]), 0
            except OSError as error:
                body, why = b"", error.errno
            try:
                os.write(device, struct.pack("=IiQ", 16 + len(body), -why, unique) + body)
            except OSError as error:
                if error.errno != errno.ENOENT:
                    raise


def main():
    device = os.open("/dev/fuse", os.O_RDWR)
    options = f"fd={device},rootmode=40755,user_id=0,group_id=0,default_permissions,allow_other"
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(b"foldfs", sys.argv[1].encode(), b"fuse", 0, options.encode()) < 0:
        sys.exit(f"cannot mount: {os.strerror(ctypes.get_errno())}")
    FoldFs("short" in sys.argv[2:], "uncounted" not in sys.argv[2:]).serve(device)


if __name__ == "__main__":
    main()
