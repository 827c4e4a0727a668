# SPDX-License-Identifier: MIT
"""Inside a session with network "domains": own servers, and those of other processes.

usage: own.py reach             own servers, on every address, by every kind of caller
       own.py others PORT...    ports at which another process listens, or none
       own.py leave             a server that closes; the next process at its port is not reached
       own.py full              a server whose queue is full, and then belongs to another process
       own.py shared PORT       a port that is shared with another process
       own.py race SECONDS WHOM...  a server that closes and opens while it is connected to, at
                                least until each of WHOM, own or other, was reached
       own.py many COUNT        one server stays while so many others open and close
and outside, where the file "heard" gets the received data:
       own.py take              the port in the file "port" once that exists, until "stop" exists
       own.py share             a port that others may share, and makes the file "port"; likewise
       own.py rival             that port again and again, whenever it is free; likewise
"""
import errno
import os
import select
import socket
import subprocess
import sys
import threading
import time

LIMIT = 60


def until(name):
    """Somebody outside makes this file."""
    end = time.monotonic() + LIMIT
    while not os.path.exists(name):
        assert time.monotonic() < end, name
        time.sleep(0.01)


def say(name, text):
    with open(name + ".new", "w", encoding="ascii") as to:
        to.write(str(text))
    os.rename(name + ".new", name)


def server(host="127.0.0.1", port=0, backlog=64, shared=False):
    s = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if shared:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    s.bind((host, port))
    s.listen(backlog)
    return s


def serve(s):
    def loop():
        while True:
            try:
                peer, _ = s.accept()
                peer.sendall(b"own")
                peer.close()
            except OSError:
                return
    threading.Thread(target=loop, daemon=True).start()
    return s.getsockname()[1]


def name_of(why):
    return errno.errorcode.get(why, str(why)) if why else "0"


def said(host, port):
    s = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    s.settimeout(None)
    why = s.connect_ex((host, port))
    got = name_of(why) if why else s.recv(9).decode()
    s.close()
    return got


def named():
    print("localhost", said(socket.gethostbyname("localhost"), serve(server("127.0.0.1"))))


def reach():
    for host, others in (("127.0.0.1", ["0.0.0.0", "::ffff:127.0.0.1"]),
                         ("0.0.0.0", ["127.0.0.1", "127.1.2.3"]), ("::1", ["::1"]),
                         ("::", ["::1", "127.0.0.1", "::"])):
        port = serve(server(host))
        print(host, [said(other, port) for other in [host] + others])
    unbound = socket.socket()
    unbound.listen(8)
    print("unbound", said("127.0.0.1", serve(unbound)))
    s = socket.socket()
    s.setblocking(False)
    port = serve(server())
    first = s.connect_ex(("127.0.0.1", port))
    select.select([], [s], [], LIMIT)
    print("not waiting", name_of(first), s.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR),
          name_of(s.connect_ex(("127.0.0.1", port))), name_of(s.connect_ex(("127.0.0.1", port))))
    code = "import socket, sys; print(socket.create_connection(('127.0.0.1', %d)).recv(9))" % port
    print("another process", subprocess.run([sys.executable, "-c", code], check=True,
                                            stdout=subprocess.PIPE).stdout)


def others(ports):
    for port in ports:
        print(port, [said(host, port) for host in ("127.0.0.1", "0.0.0.0", "::ffff:127.0.0.1")])


def leave():
    s = server()
    port = serve(s)
    print("own:", said("127.0.0.1", port))
    s.shutdown(socket.SHUT_RDWR)
    s.close()
    print("closed:", said("127.0.0.1", port))
    say("port", port)
    until("taken")
    print("taken:", said("127.0.0.1", port), said("0.0.0.0", port))


def full():
    s = server(backlog=0)
    port = s.getsockname()[1]
    kept = []
    why = 0
    while why in (0, errno.EINPROGRESS) and len(kept) < 100:
        one = socket.socket()
        one.setblocking(False)
        why = one.connect_ex(("127.0.0.1", port))
        kept.append(one)
    print("full:", name_of(why))
    waits = [socket.socket() for _ in range(4)]
    answers = []
    threads = [threading.Thread(target=lambda w=w: answers.append(w.connect_ex(("127.0.0.1", port))))
               for w in waits]
    for thread in threads:
        thread.start()
    s.close()
    for one in kept:
        one.close()
    say("port", port)
    until("taken")
    for thread in threads:
        thread.join()
    print("taken:", sorted({name_of(answer) for answer in answers}), said("127.0.0.1", port))


def shared(port):
    s = server(port=port, shared=True)
    serve(s)
    print("shared:", [said("127.0.0.1", port) for _ in range(20)])


def race(seconds, whom):
    begin = time.monotonic()
    counts = {}
    going = True
    port = int(open("port", encoding="ascii").read())

    def flap():
        while going:
            try:
                s = server(port=port)
            except OSError:
                continue
            s.setblocking(False)
            try:
                for _ in range(50):
                    try:
                        peer, _ = s.accept()
                        peer.sendall(b"own")
                        peer.close()
                    except OSError:
                        pass
            finally:
                s.close()

    thread = threading.Thread(target=flap)
    thread.start()
    while time.monotonic() < begin + seconds or (
            not set(whom) <= set(counts) and time.monotonic() < begin + LIMIT / 2):
        s = socket.socket()
        got = name_of(s.connect_ex(("127.0.0.1", port)))
        if got == "0":
            try:
                s.sendall(b"secret")
                got = s.recv(9).decode()
            except OSError as e:
                got = name_of(e.errno)
        counts[got] = counts.get(got, 0) + 1
        s.close()
    going = False
    thread.join()
    print(counts)


def many(count):
    stays = serve(server())
    for _ in range(count):
        server().close()
    kept = [server() for _ in range(100)]
    print("stays:", said("127.0.0.1", stays), "last:", name_of(
        socket.socket().connect_ex(kept[-1].getsockname())))


# ---- outside ----

def hear(s, count=None):
    """Connections, and what each says, until it is time or so many looks."""
    s.setblocking(False)
    looks = 0
    while not os.path.exists("stop") and looks != count:
        looks += 1
        ready = select.select([s], [], [], 0 if count else 0.05)[0]
        try:
            peer = s.accept()[0] if ready else None
            if peer is None:
                continue
            peer.sendall(b"other")
            peer.settimeout(LIMIT)
            data = peer.recv(99)
            peer.close()
        except OSError:
            data = b""
        with open("heard", "ab") as to:
            to.write(b"came:" + data + b"\n")


def take():
    until("port")
    port = int(open("port", encoding="ascii").read())
    end = time.monotonic() + LIMIT
    s = None
    while s is None:
        try:
            s = server(port=port)
        except OSError:  # another connection may use the port for a moment
            assert time.monotonic() < end
            time.sleep(0.05)
    say("taken", "")
    hear(s)


def share():
    s = server(shared=True)
    say("port", s.getsockname()[1])
    hear(s)


def rival():
    s = server()
    port = s.getsockname()[1]
    s.close()
    say("port", port)
    while not os.path.exists("stop"):
        try:
            s = server(port=port)
        except OSError:
            continue
        hear(s, 20)
        s.close()


{"take": take, "share": share, "rival": rival,
 "reach": reach, "named": named, "others": lambda: others(map(int, sys.argv[2:])), "leave": leave, "full": full,
 "shared": lambda: shared(int(sys.argv[2])), "race": lambda: race(float(sys.argv[2]), sys.argv[3:]),
 "many": lambda: many(int(sys.argv[2]))}[sys.argv[1]]()
