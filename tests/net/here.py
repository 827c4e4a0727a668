# SPDX-License-Identifier: MIT
"""A name that resolves to an address of this machine on the open network, at which a server listens:
here.py CORDON, in its own network namespace. The address is in no table. Prints how often it was reached, bare
and by a session that is allowed the name, by each kind of connection; with "private" that is intended."""
import json
import os
import socket
import struct
import subprocess
import sys
import threading

FIRST, SECOND, SIX = "93.184.216.34", "93.184.216.35", "2606:2800:220::34"
# of a prefix that is local as a whole: no device has the address
ANY, ANY_PREFIX = "2606:2800:221::99", "2606:2800:221::/48"
ASK = """
import socket, sys, urllib.request
def named(url):
    return urllib.request.urlopen(url, timeout=60).read().decode()
def plain(host, port):
    with socket.create_connection((host, port), timeout=60) as peer:
        peer.sendall(b"GET / HTTP/1.0\\r\\nHost: %s:%d\\r\\n\\r\\n" % (host.encode(), port))
        return peer.makefile().read().split("\\n")[-1]
said = []
for host in sys.argv[2:]:
    for ask in (lambda: named("http://%s:%s/" % (host, sys.argv[1])), lambda: plain(host, int(sys.argv[1]))):
        try:
            said.append(ask())
        except OSError:
            said.append("-")
print(said.count("here"), "of", len(said))
sys.exit(3 if "-" in said else 0)
"""
ADDRESSES = {"one.test": (1, FIRST), "two.test": (1, SECOND), "six.test": (28, SIX), "any.test": (28, ANY)}


def resolve(server):
    while True:
        question, client = server.recvfrom(2000)
        at, labels = 12, []
        while question[at]:
            labels.append(question[at + 1:at + 1 + question[at]].decode())
            at += question[at] + 1
        kind = struct.unpack_from(">H", question, at + 1)[0]
        of, address = ADDRESSES.get(".".join(labels).lower(), (0, ""))
        data = socket.inet_pton(socket.AF_INET if of == 1 else socket.AF_INET6, address) if of == kind else b""
        record = b"\xc0\x0c" + struct.pack(">HHIH", kind, 1, 60, len(data)) + data if data else b""
        server.sendto(question[:2] + b"\x81\x80\0\1" + struct.pack(">H", bool(data)) + b"\0\0\0\0" +
                      question[12:at + 5] + record, client)


def answer(server):
    while True:
        peer, _ = server.accept()
        with peer:
            peer.recv(4096)
            peer.sendall(b"HTTP/1.0 200 OK\r\nContent-Length: 4\r\n\r\nhere")


def start():
    for command in (["link", "set", "lo", "up"], ["address", "add", FIRST + "/24", "dev", "lo"],
                    ["address", "add", SECOND + "/24", "dev", "lo"]):
        subprocess.run(["ip"] + command, check=True)
    # there are machines without IPv6
    if subprocess.run(["ip", "address", "add", SIX + "/128", "dev", "lo"], check=False).returncode != 0:
        del ADDRESSES["six.test"], ADDRESSES["any.test"]
    else:
        subprocess.run(["ip", "-6", "route", "add", "local", ANY_PREFIX, "dev", "lo"], check=True)
    resolver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    resolver.bind(("127.0.0.1", 0))
    if "six.test" in ADDRESSES:
        web = socket.create_server(("::", 0), family=socket.AF_INET6, dualstack_ipv6=True)
    else:
        web = socket.create_server(("", 0))
    for target, server in ((resolve, resolver), (answer, web)):
        threading.Thread(target=target, args=(server,), daemon=True).start()
    return resolver.getsockname()[1], web.getsockname()[1]


def bind_any():
    """Every address can be bound from now on; False: that cannot be said here."""
    for family in "ipv4", "ipv6":
        try:
            with open(f"/proc/sys/net/{family}/ip_nonlocal_bind", "w", encoding="ascii") as file:
                file.write("1")
        except OSError:
            if family == "ipv4" or "six.test" in ADDRESSES:
                return False
    return True


def main():
    resolver, web = start()
    for _, address in ADDRESSES.values():
        with socket.create_connection((address, web), timeout=60) as peer:
            peer.sendall(b"GET / HTTP/1.0\r\n\r\n")
            assert peer.makefile().read().endswith("here")

    def ask(what, hosts, private):
        with open("policy", "w", encoding="ascii") as file:
            json.dump({"network": {"domains": ["*.test"], "ports": [web], "private": private,
                                   "resolver": "127.0.0.1:%d" % resolver}}, file)
        done = subprocess.run([sys.argv[1], "run", "-p", "policy", "--", sys.executable, "-c", ASK, str(web)] + hosts,
                              stdout=subprocess.PIPE, check=False)
        print(what + ":", done.stdout.decode().strip())

    ask("confined", list(ADDRESSES), [])
    ask("private", list(ADDRESSES), [FIRST + "/24", SIX, ANY_PREFIX])
    # where every address can be bound, a second one of the same network is not told
    if bind_any():
        ask("any bound", [host for host in ADDRESSES if host != "two.test"], [])
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
