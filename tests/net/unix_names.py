# SPDX-License-Identifier: MIT
"""Binds unix sockets by addresses of every form and prints what the calls report about them.

usage: unix_names.py FOLDER

FOLDER is an absolute path, links included, of the working folder. The output of a bare run and of
a confined one must be the same.
"""
import os
import socket
import sys

folder = sys.argv[1]


def report(address):
    server = socket.socket(socket.AF_UNIX)
    client = socket.socket(socket.AF_UNIX)
    try:
        server.bind(address)
        server.listen()
        client.connect(address)
        accepted = server.accept()[0]
        print(address, server.getsockname(), client.getpeername(), accepted.getsockname())
        os.unlink(address)
    except OSError as why:
        print(address, why.errno)


os.makedirs("sub/deep", exist_ok=True)
os.symlink("sub", "link")
os.symlink(folder + "/sub", "far")
open("s", "w").close()
for address in (
    "a", "./a", "sub/a", "sub//a", "sub/../a", "sub/deep/../../a", "link/a", "far/deep/a",
    folder + "/a", folder + "/sub/a", folder + "/./sub/../a", folder + "/link/deep/a",
    "s", "sub", "none/a", "s/a", "sub/", "a/", "", "link", "x" * 107, "x" * 108,
):
    report(address)
# The path of a folder may be longer than an address.
os.makedirs("/".join(["y" * 60] * 3))
os.chdir("/".join(["y" * 60] * 3))
report("a")
print(os.path.exists(folder + "/s"))
