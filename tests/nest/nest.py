#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Attempts of a program inside with its own layers and with the handshake.

Each word of the command line is one step. A step that changes something prints "STEP: worked" or
"STEP: refused"; any other error ends the program with a traceback.
"""
import ctypes
import os
import socket
import struct
import subprocess
import sys
import threading

DOOR = 0x636F7201
CREATE, ADD, RESTRICT = 444, 445, 446
# all of Landlock's first version but executing and reading
CHANGES = 0x1FFF & ~0b1101
RLIMIT_LOCKS = 10

libc = ctypes.CDLL(None, use_errno=True)
held = []


def call(number, *arguments):
    result = libc.syscall(number, *[ctypes.c_long(a) if isinstance(a, int) else a for a in arguments])
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def restrict(allowed=None, size=8):
    """A layer of our own, in which only what is below `allowed` can be changed."""
    attributes = struct.pack("Q", CHANGES).ljust(size, b"\0")
    ruleset = call(CREATE, attributes, len(attributes), 0)
    if allowed is not None:
        folder = os.open(allowed, os.O_PATH)
        call(ADD, ruleset, 1, struct.pack("=Qi", CHANGES, folder), 0)
    libc.prctl(38, 1, 0, 0, 0)
    call(RESTRICT, ruleset, 0)
    os.close(ruleset)


def say_yes(line):
    """Answers every question with all rights."""
    while True:
        question = line.recv(16384)
        if not question:
            return
        line.send(question[:8] + struct.pack("IIBBB5x", 0x1F, 0, 0, 0, 0))


def handshake():
    return socket.socket(fileno=call(CREATE, 1, 0, DOOR))


def attempt(name, what, *arguments):
    try:
        what(*arguments)
        print(f"{name}: worked", flush=True)
    except PermissionError:
        print(f"{name}: refused", flush=True)
    except OSError as error:
        print(f"{name}: refused ({error.strerror})", flush=True)


def make(path):
    with open(path, "w") as file:
        file.write("made\n")


def read(path):
    with open(path, "rb") as file:
        file.read(1)


def read_held(path):
    """By a descriptor that reads nothing, and its name in procfs."""
    held = os.open(path, os.O_PATH)
    read(f"/proc/self/fd/{held}")
    os.close(held)


def in_child(steps, **how):
    """The steps in a new program."""
    subprocess.run([sys.executable, __file__, *steps], check=True, **how)


def orphan(steps):
    """The steps in a process of a session of its own whose parent is gone."""
    ends = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            run(steps)
            sys.stdout.flush()
            os._exit(0)
        os._exit(0)
    os.wait()
    os.close(ends[1])
    os.read(ends[0], 1)  # end of file: the writer has exited


def in_thread(what, *arguments):
    thread = threading.Thread(target=what, args=arguments)
    thread.start()
    thread.join()


def open_handshake(answers):
    line = handshake()
    if answers:
        threading.Thread(target=say_yes, args=(line,), daemon=True).start()
    else:
        line.close()


def make_many(count, path):
    """So many at once, each in a process of its own; how many of them worked."""
    children = []
    for i in range(count):
        children.append(os.fork())
        if children[-1] == 0:
            try:
                make(f"{path}{i}")
                os._exit(0)
            except OSError:
                os._exit(1)
    return [os.waitpid(child, 0)[1] for child in children].count(0)


def connect(family, address):
    with socket.socket(family, socket.SOCK_STREAM) as client:
        client.settimeout(30)
        client.connect(address)


def listen(port):
    with socket.socket(socket.AF_INET) as server:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        server.bind(("127.0.0.1", port))
        server.listen(8)


def serve(path):
    """A server of our own, and a client of it."""
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(path)
        server.listen(8)
        connect(socket.AF_UNIX, path)


def set_limit(number, *arguments):
    attempt("limit", call, number, *arguments)


def set_limits():
    limit = struct.pack("QQ", 3, 3)
    everything = struct.pack("QQ", 2**64 - 1, 2**64 - 1)
    prlimit = {"x86_64": 302, "aarch64": 261}[os.uname().machine]
    setrlimit = {"x86_64": 160, "aarch64": 164}[os.uname().machine]
    for new in limit, everything:
        set_limit(setrlimit, RLIMIT_LOCKS, new)
        set_limit(setrlimit, RLIMIT_LOCKS | 1 << 32, new)
        set_limit(prlimit, 0, RLIMIT_LOCKS, new, 0)
        set_limit(prlimit, 0, RLIMIT_LOCKS | 1 << 32, new, 0)
        set_limit(prlimit, os.getpid(), RLIMIT_LOCKS, new, 0)
        set_limit(prlimit, os.getppid(), RLIMIT_LOCKS, new, 0)
    # another limit, and looking at this one
    call(setrlimit, 4, struct.pack("QQ", 0, 0))
    call(prlimit, 0, RLIMIT_LOCKS, 0, ctypes.create_string_buffer(16))


def run(steps):
    for i, step in enumerate(steps):
        word, _, value = step.partition("=")
        if word == "restrict":
            restrict(value or None)
        elif word == "restrict-thread":
            in_thread(restrict, value or None)
        elif word == "handshake":
            open_handshake(True)
        elif word == "dead-handshake":
            open_handshake(False)
        elif word == "silent-handshake":
            held.append(handshake())
        elif word == "many":
            count, _, path = value.partition(":")
            print(f"{step}: {make_many(int(count), path)}", flush=True)
        elif word == "handshakes":
            for _ in range(int(value)):
                if os.fork() == 0:
                    handshake()
                    os._exit(0)
                if os.wait()[1] != 0:
                    raise OSError("a handshake failed")
        elif word == "limits":
            set_limits()
        elif word == "child":
            in_child(steps[i + 1 :])
            return
        elif word == "session":
            in_child(steps[i + 1 :], start_new_session=True)
            return
        elif word == "orphan":
            orphan(steps[i + 1 :])
            return
        elif word == "thread":
            in_thread(run, steps[i + 1 :])
            return
        elif word == "make":
            attempt(step, make, value)
        elif word == "read":
            attempt(step, read, value)
        elif word == "held":
            attempt(step, read_held, value)
        elif word == "list":
            attempt(step, os.listdir, value)
        elif word == "layer":
            attempt(step, restrict, None, int(value))
        elif word == "mkdir":
            attempt(step, os.mkdir, value)
        elif word == "chmod":
            attempt(step, os.chmod, value, 0o600)
        elif word == "unlink":
            attempt(step, os.unlink, value)
        elif word == "truncate":
            attempt(step, os.truncate, value, 0)
        elif word == "link":
            attempt(step, os.link, *value.split(":"))
        elif word == "rename":
            attempt(step, os.rename, *value.split(":"))
        elif word == "connect":
            attempt(step, connect, socket.AF_UNIX, value)
        elif word == "abstract":
            attempt(step, connect, socket.AF_UNIX, "\0" + value)
        elif word == "tcp":
            attempt(step, connect, socket.AF_INET, ("127.0.0.1", int(value)))
        elif word == "tcp6":
            attempt(step, connect, socket.AF_INET6, ("::ffff:127.0.0.1", int(value)))
        elif word == "listen":
            attempt(step, listen, int(value))
        elif word == "lent":
            # lets go of its other end first, where it may
            ctypes.CDLL(None).connect(0, bytes(16), 16)
            attempt(step, socket.socket(fileno=0).connect, ("127.0.0.1", int(value)))
        elif word == "serve":
            attempt(step, serve, value)
        else:
            raise ValueError(step)


run(sys.argv[1:])
sys.stdout.flush()
# a thread that is ended opens a library, which some nests may not
os._exit(0)
