#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""An ssh server on loopback for the tests, for any user: each connection is passed to its own dropbear,
so no free port has to be found, and nss_wrapper provides the one user, "tester", whose shell and
home folder are the test's even if the system has neither for this user.

    sshd.py FOLDER

FOLDER/there is the home folder of that user, with .ssh/authorized_keys. FOLDER/host.pub gets the server's key. When
it listens, FOLDER/ports.ssh appears, with the ports "ssh" and
"other_ssh". Ends when its standard input does."""
import os
import socket
import subprocess
import sys
import threading

folder = os.path.abspath(sys.argv[1])


def file(name):
    return os.path.join(folder, name)


def write(name, text):
    with open(file(name + ".new"), "w", encoding="ascii") as to:
        to.write(text)
    os.rename(file(name + ".new"), file(name))


def keys():
    said = subprocess.run(["dropbearkey", "-t", "ed25519", "-f", file("host")], check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.decode()
    write("host.pub", [line for line in said.splitlines() if line.startswith("ssh-")][0] + "\n")


def serve(connection, environment):
    subprocess.run(["dropbear", "-i", "-s", "-r", file("host")], stdin=connection,
                   stdout=connection, env=environment, check=False)
    connection.close()


def accept(listener, environment):
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=serve, args=(connection, environment), daemon=True).start()


def main():
    keys()
    write("passwd", "tester:x:%d:%d::%s:/bin/sh\n" % (os.getuid(), os.getgid(), file("there")))
    write("group", "tester:x:%d:\n" % os.getgid())
    environment = dict(os.environ, LD_PRELOAD="libnss_wrapper.so",
                       NSS_WRAPPER_PASSWD=file("passwd"), NSS_WRAPPER_GROUP=file("group"),
                       PATH=os.environ["PATH"] + ":/usr/sbin")
    ports = ""
    for name in "ssh", "other_ssh":
        listener = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=accept, args=(listener, environment), daemon=True).start()
        ports += "%s %d\n" % (name, listener.getsockname()[1])
    write("ports.ssh", ports)
    sys.stdin.read()


main()
