# SPDX-License-Identifier: MIT
"""A name that resolves to an address of this machine on the open network, at which a server listens:
here.py CORDON, in its own network namespace. The address is in no table. Prints how often it was reached, bare
and by a session that is allowed the name, by each kind of connection; with "private" that is intended. "far" is
a name with such addresses of another machine, a second namespace: it is reached."""
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
# of another machine in the same networks
FAR, FAR_SIX = "151.101.1.69", "2a04:4e42::645"
NEAR, NEAR_SIX = "151.101.1.1", "2a04:4e42::1"
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

FAR_ADDRESSES = {"far.test": (1, FAR), "far6.test": (28, FAR_SIX)}


def resolve(server):
    while True:
        question, client = server.recvfrom(2000)
        at, labels = 12, []
        while question[at]:
            labels.append(question[at + 1:at + 1 + question[at]].decode())
            at += question[at] + 1
        kind = struct.unpack_from(">H", question, at + 1)[0]
        of, address = {**ADDRESSES, **FAR_ADDRESSES}.get(".".join(labels).lower(), (0, ""))
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


def ip(*words):
    return subprocess.run(["ip", *words], check=False).returncode == 0


def web_server(port):
    if "six.test" in ADDRESSES:
        return socket.create_server(("::", port), family=socket.AF_INET6, dualstack_ipv6=True)
    return socket.create_server(("", port))


def be_far():
    """The other machine: here.py far PORT [six], in a second namespace that has the device far1."""
    print("ready", flush=True)
    sys.stdin.readline()
    for command in (["link", "set", "lo", "up"], ["address", "add", FAR + "/24", "dev", "far1"],
                    ["link", "set", "far1", "up"]):
        assert ip(*command), command
    if sys.argv[3:] != ["six"]:
        del ADDRESSES["six.test"]
    else:
        assert ip("address", "add", FAR_SIX + "/64", "dev", "far1", "nodad")
    server = web_server(int(sys.argv[2]))
    print("serves", flush=True)
    answer(server)


def start_far(web):
    """Returns the process; it ends with its standard input and ours."""
    six = ["six"] if "six.test" in ADDRESSES else []
    far = subprocess.Popen(["unshare", "-n", sys.executable, "-B", __file__, "far", str(web), *six],
                           stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert far.stdout.readline() == "ready\n"
    for command in (["link", "add", "far0", "type", "veth", "peer", "name", "far1"],
                    ["link", "set", "far1", "netns", str(far.pid)],
                    ["address", "add", NEAR + "/24", "dev", "far0"], ["link", "set", "far0", "up"]):
        assert ip(*command), command
    if six:
        assert ip("address", "add", NEAR_SIX + "/64", "dev", "far0", "nodad")
    else:
        del FAR_ADDRESSES["far6.test"]
    far.stdin.write("\n")
    far.stdin.flush()
    assert far.stdout.readline() == "serves\n"
    return far


def start():
    for command in (["link", "set", "lo", "up"], ["address", "add", FIRST + "/24", "dev", "lo"],
                    ["address", "add", SECOND + "/24", "dev", "lo"]):
        subprocess.run(["ip"] + command, check=True)
    # there are machines without IPv6
    if not ip("address", "add", SIX + "/128", "dev", "lo"):
        del ADDRESSES["six.test"], ADDRESSES["any.test"]
    else:
        subprocess.run(["ip", "-6", "route", "add", "local", ANY_PREFIX, "dev", "lo"], check=True)
    resolver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    resolver.bind(("127.0.0.1", 0))
    web = web_server(0)
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
    far = start_far(web)
    for _, address in [*ADDRESSES.values(), *FAR_ADDRESSES.values()]:
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
    ask("far", list(FAR_ADDRESSES), [])
    # where every address can be bound, a second one of the same network is not told
    if bind_any():
        ask("any bound", [host for host in ADDRESSES if host != "two.test"], [])
    sys.stdout.flush()
    far.kill()
    os._exit(0)


if __name__ == "__main__":
    if sys.argv[1] == "far":
        be_far()
    else:
        main()
