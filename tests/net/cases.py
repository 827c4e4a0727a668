#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The proxy against servers on loopback, without a session: tests/net/role plays the broker.

    cases.py ROLE CASE        cases.py ROLE all

Every wait is for a condition, never for a time; a case that is not done after a minute has failed."""
import base64
import os
import re
import resource
import select
import shutil
import signal
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
LATE = 60
FULL = "NET_FULL" in os.environ  # also what takes long
cases = {}


def case(function):
    cases[function.__name__] = function
    return function


def until(condition, what):
    end = time.monotonic() + LATE
    while not condition():
        if time.monotonic() > end:
            raise AssertionError("not within a minute: " + what)
        time.sleep(0.01)


class Servers:
    def __init__(self, names, tls=False):
        self.folder = tempfile.mkdtemp(prefix="cordon-net.")
        self.names(names)
        for name in ("asked", "upstream"):
            self.write(name, "")
        arguments = [sys.executable, os.path.join(HERE, "servers.py"), self.folder]
        if tls:
            arguments += make_certificate(self.folder)
        self.process = subprocess.Popen(arguments, stdin=subprocess.PIPE)
        until(lambda: os.path.exists(os.path.join(self.folder, "ports")), "the servers listen")
        self.ports = {}
        for line in self.read("ports").splitlines():
            name, port = line.split()
            self.ports[name] = int(port)

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path + ".new", "w", encoding="ascii") as file:
            file.write(text)
        os.rename(path + ".new", path)

    def read(self, name):
        with open(os.path.join(self.folder, name), encoding="ascii") as file:
            return file.read()

    def names(self, names):
        self.write("names", "".join("%s %s\n" % (n, a) for n, a in names.items()))

    def asked(self):
        return {line.split()[0] for line in self.read("asked").splitlines()}

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        shutil.rmtree(self.folder)


def make_certificate(folder):
    cert, key = os.path.join(folder, "cert.pem"), os.path.join(folder, "key.pem")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
         "-nodes", "-days", "2", "-subj", "/CN=a.test", "-addext",
         "subjectAltName=DNS:a.test,DNS:b.test", "-keyout", key, "-out", cert],
        check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return [cert, key]


class Role:
    """The proxy, and the broker's end of its line."""

    def __init__(self, servers, domains=("a.test",), ports=(), private=("127.0.0.1",), env=None,
                 resolver=None, descriptors=None, ech=False, opaque=None):
        arguments = [ROLE, "resolver", resolver or "127.0.0.1:%d" % servers.ports["dns"]]
        arguments += ["ech", "allow"] if ech else []
        # the server that sends back what it gets speaks nothing that names a host
        opaque = (servers.ports["echo"],) if opaque is None else opaque
        for name, values in (("domain", domains), ("port", ports), ("private", private),
                             ("opaque", opaque)):
            for value in values:
                arguments += [name, str(value)]
        self.process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        env=dict(env or {}, PATH=os.environ["PATH"]),
                                        preexec_fn=descriptors and (lambda: resource.setrlimit(
                                            resource.RLIMIT_NOFILE, (descriptors, descriptors))))
        self.heard = b""
        words = self.line().split()
        self.named, self.through, self.stub = (int(words[i]) for i in (1, 3, 5))
        self.token, self.pid = words[7], int(words[9])
        self.refusals = []
        self.next = 0

    def line(self):
        while b"\n" not in self.heard:
            ready, _, _ = select.select([self.process.stdout], [], [], LATE)
            assert ready, "the broker's side says nothing"
            piece = os.read(self.process.stdout.fileno(), 65536)
            assert piece, "the broker's side is gone"
            self.heard += piece
        line, self.heard = self.heard.split(b"\n", 1)
        return line.decode()

    def say(self, text):
        self.process.stdin.write(text.encode() + b"\n")
        self.process.stdin.flush()

    def answer(self):
        """The next answer; refusals on the way are kept."""
        while True:
            line = self.line()
            if line.startswith("refused "):
                self.refusals.append(line[8:].strip())
            else:
                return int(line.split()[2])

    def refused(self, *texts):
        """A refusal with each of these texts was told, or will be."""
        while not any(all(t in r for t in texts) for r in self.refusals):
            line = self.line()
            assert line.startswith("refused "), line
            self.refusals.append(line[8:].strip())

    def ask(self, address, port):
        self.next += 1
        self.say("ask %d %s %d" % (self.next, address, port))
        return self.next, self.answer()

    def reach(self, address, port, early=True):
        """As the broker does it: asked for, then turned round."""
        number, why = self.ask(address, port)
        assert why == 0, why
        self.expect(number)
        client = socket.create_connection(("127.0.0.1", self.through), LATE)
        client.settimeout(LATE)
        self.say("comes %d %s %d" % ((number,) + client.getsockname()[:2]))
        return client

    def expect(self, number):
        """Says that a connection will come; the proxy has heard it when another is answered."""
        self.say("expect %d" % number)
        self.next += 1
        self.say("ask %d 192.0.2.1 1" % self.next)
        assert self.answer() == 111

    def ask_names(self, family=socket.AF_INET):
        """A connection to the resolver, as the broker makes it."""
        self.next += 1
        number = self.next
        self.expect(number)
        host = "127.0.0.1" if family == socket.AF_INET else "::1"
        client = socket.create_connection((host, self.stub), LATE)
        client.settimeout(LATE)
        self.say("asks %d %s %d" % ((number,) + client.getsockname()[:2]))
        return client

    def basic(self):
        return base64.b64encode(b"cordon:" + self.token.encode()).decode()

    def request(self, text, auth=True, family=socket.AF_INET):
        """Sends a request head to the named port; the connection."""
        client = socket.create_connection(
            ("127.0.0.1" if family == socket.AF_INET else "::1", self.named), LATE)
        client.settimeout(LATE)
        if auth:
            text = text.replace("\r\n\r\n",
                                "\r\nProxy-Authorization: Basic %s\r\n\r\n" % self.basic(), 1)
        client.sendall(text.encode("latin-1"))
        return client

    def connect(self, name, port):
        client = self.request("CONNECT %s:%d HTTP/1.1\r\nHost: %s:%d\r\n\r\n"
                              % (name, port, name, port))
        head = read_head(client)
        return client, int(head.split()[1]), head

    def close(self):
        self.process.stdin.close()
        status = self.process.wait(LATE)
        assert status == 0, "the broker's side ended with %d" % status

    def open(self, *ports, own=True):
        """Connections to the proxy, and to these ports, that some side has not closed."""
        wanted = ({self.named, self.through, self.stub} if own else set()) | set(ports)
        count = 0
        for name in ("/proc/net/tcp", "/proc/net/tcp6"):
            if not os.path.exists(name):
                continue
            with open(name, encoding="ascii") as file:
                for line in list(file)[1:]:
                    words = line.split()
                    ends = {int(word.rsplit(":", 1)[1], 16) for word in words[1:3]}
                    # established, or closed by the other side only
                    count += words[3] in ("01", "08") and bool(ends & wanted)
        return count


def nobody_at():
    """A port where nobody listens, taken so that nobody will; what holds it."""
    while True:
        stream = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        stream.bind(("127.0.0.1", 0))
        port = stream.getsockname()[1]
        datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            datagrams.bind(("127.0.0.1", port))
            # with a peer it takes nothing from others
            datagrams.connect(("127.0.0.1", 9))
            return port, (stream, datagrams)
        except OSError:
            stream.close()
            datagrams.close()


def reset(client):
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.close()


def read_head(client):
    data = b""
    while b"\r\n\r\n" not in data:
        piece = client.recv(1)
        if not piece:
            break
        data += piece
    return data.decode("latin-1")


def exactly(client, count):
    data = b""
    while len(data) < count:
        piece = client.recv(min(65536, count - len(data)))
        assert piece, "it ended early, after %d" % len(data)
        data += piece
    return data


def read_until(client, text):
    data = b""
    while text not in data:
        piece = client.recv(4096)
        assert piece, data
        data += piece


def read_hello_or_alert(client):
    """What comes up to the next record with a hello of the server's, or DENIED."""
    data = b""
    while DENIED not in data and not re.search(rb"\x16\x03\x03..\x02", data, re.S):
        piece = client.recv(4096)
        assert piece, data
        data += piece
    return data


def read_all(client):
    data = b""
    while True:
        try:
            piece = client.recv(65536)
        except ConnectionResetError:
            return data
        if not piece:
            return data
        data += piece


def fetch(role, text, **options):
    """Status and the whole answer."""
    with role.request(text, **options) as client:
        data = read_all(client).decode("latin-1")
    return int(data.split()[1]) if data else 0, data


def get(host, path="/"):
    return "GET http://%s%s HTTP/1.1\r\nHost: %s\r\n\r\n" % (host, path, host)


def socks(role, password=None, methods=b"\x02"):
    client = socket.create_connection(("127.0.0.1", role.named), LATE)
    client.settimeout(LATE)
    client.sendall(b"\x05" + bytes([len(methods)]) + methods)
    answer = client.recv(2)
    if answer != b"\x05\x02":
        return client, answer
    word = (role.token if password is None else password).encode()
    client.sendall(b"\x01\x06cordon" + bytes([len(word)]) + word)
    return client, client.recv(2)


def socks_connect(role, name, port):
    client, answer = socks(role)
    assert answer == b"\x01\x00", answer
    client.sendall(b"\x05\x01\x00\x03" + bytes([len(name)]) + name.encode()
                   + struct.pack(">H", port))
    return client, exactly(client, 10)[1]


def query(name, kind=1):
    labels = b"".join(bytes([len(w)]) + w.encode() for w in name.split(".")) + b"\0"
    return struct.pack(">HHHHHH", 0x4242, 0x0100, 1, 0, 0, 0) + labels + struct.pack(">HH", kind, 1)


def resolve(role, name, kind=1, family=socket.AF_INET):
    """The code, and the addresses."""
    question = query(name, kind)
    with role.ask_names(family) as client:
        client.sendall(struct.pack(">H", len(question)) + question)
        size = struct.unpack(">H", exactly(client, 2))[0]
        data = exactly(client, size)
    assert data[:2] == question[:2]
    count, at, found = struct.unpack(">H", data[6:8])[0], len(question), []
    for _ in range(count):
        size = struct.unpack(">H", data[at + 10 : at + 12])[0]
        found.append(socket.inet_ntop(socket.AF_INET if size == 4 else socket.AF_INET6,
                                      data[at + 12 : at + 12 + size]))
        at += 12 + size
    return data[3] & 15, found


def make_hello(name, curve=None):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    if curve:
        context.set_ecdh_curve(curve)
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    tls = context.wrap_bio(incoming, outgoing, server_hostname=name)
    try:
        tls.do_handshake()
    except ssl.SSLWantReadError:
        pass
    return outgoing.read()


def hide(hello, content=b"\0" * 200):
    """The same hello with an encrypted one inside, or noise that looks like it."""
    body = bytearray(hello[5:])
    at = 4 + 2 + 32
    at += 1 + body[at]
    at += 2 + struct.unpack(">H", body[at : at + 2])[0]
    at += 1 + body[at]
    added = struct.pack(">HH", 0xfe0d, len(content)) + content
    size = struct.unpack(">H", body[at : at + 2])[0] + len(added)
    body[at : at + 2] = struct.pack(">H", size)
    body[at + 2 : at + 2] = added
    body[1:4] = struct.pack(">I", len(body) - 4)[1:]
    return hello[:3] + struct.pack(">H", len(body)) + bytes(body)


DENIED = b"\x15\x03\x03\x00\x02\x02\x31"


# ---- the port for programs that know proxies ----

@case
def http_urls(servers):
    """An http URL of an allowed name is fetched; the token does not go along."""
    web = servers.ports["web"]
    role = Role(servers, ports=[web])
    status, text = fetch(role, get("a.test:%d" % web, "/x?y"))
    assert status == 200 and "GET /x?y host=a.test:%d body=0 auth=None" % web in text, text
    status, text = fetch(role, get("A.TEST.:%d" % web))
    assert status == 200, text
    head = ("POST http://a.test:%d/ HTTP/1.1\r\nHost: a.test:%d\r\nContent-Length: 5\r\n\r\n"
            % (web, web))
    with role.request(head) as client:
        client.sendall(b"hel")
        client.sendall(b"loGET / HTTP/1.1\r\nHost: b.test\r\n\r\n")
        text = read_all(client).decode()
    assert "body=5" in text and text.count("HTTP/1.1 200") == 1, text
    status, text = fetch(role, get("a.test:%d" % web), family=socket.AF_INET6)
    assert status == 200, text
    role.close()


@case
def tokens(servers):
    """Without the token nothing is served, looked up or reached."""
    web = servers.ports["web"]
    role = Role(servers, ports=[web])
    status, text = fetch(role, get("a.test:%d" % web), auth=False)
    assert status == 407 and "Proxy-Authenticate: Basic" in text, text
    wrong = get("a.test:%d" % web).replace(
        "\r\n\r\n", "\r\nProxy-Authorization: Basic %s\r\n\r\n"
        % base64.b64encode(b"cordon:" + b"0" * 32).decode())
    assert fetch(role, wrong, auth=False)[0] == 407
    for password in ("", "x", role.token[:-1], role.token + "x"):
        client, answer = socks(role, password)
        assert answer[0] == 1 and answer[1] != 0, answer
        client.close()
    client, answer = socks(role, methods=b"\x00")
    assert answer == b"\x05\xff", answer
    client.close()
    with socket.create_connection(("127.0.0.1", role.named), LATE) as client:
        client.sendall(b"\x04\x01\x00\x50\x7f\x00\x00\x01\x00")
        client.settimeout(LATE)
        assert b" 400 " in read_all(client)
    assert servers.asked() == set(), servers.asked()
    role.close()


@case
def refusals(servers):
    """Another name, another port, an address: refused, in words, and told."""
    web = servers.ports["web"]
    role = Role(servers, ports=[web], private=["127.0.0.0/8", "::1"])
    status, text = fetch(role, get("api.evil.test:%d" % web))
    assert status == 403, text
    assert ("cordon: api.evil.test is not among the allowed domains; "
            "allow it with --domain api.evil.test") in text, text
    role.refused("connect api.evil.test:%d" % web, "--domain api.evil.test")
    status, text = fetch(role, get("a.test:1"))
    assert status == 403 and "port 1 is not among the ports; allow it with --port 1" in text, text
    role.refused("connect a.test:1", "--port 1")
    for host in ("127.0.0.1", "localhost", "2130706433", "0x7f.1", "127.1", "b.test", "xa.test",
                 "a.test.b.test", "x.a.test", "test"):
        status, text = fetch(role, get("%s:%d" % (host, web)))
        assert status == 403, (host, text)
        client, status, text = role.connect(host, web)
        assert status == 403, (host, text)
        client.close()
        client, reply = socks_connect(role, host, web)
        assert reply == 2, (host, reply)
        client.close()
    for host in ("[::1]", "", "a.test/../b.test", "a.test@b.test", "b.test\\a.test", "a_%.test"):
        status, text = fetch(role, "CONNECT %s:%d HTTP/1.1\r\n\r\n" % (host, web))
        assert status == 400, (host, text)
    client, answer = socks(role)
    client.sendall(b"\x05\x01\x00\x01\x7f\x00\x00\x01" + struct.pack(">H", web))
    assert exactly(client, 10)[1] == 2
    client.close()
    assert servers.asked() == set(), "only allowed names are looked up: %s" % servers.asked()
    role.close()


@case
def wildcards(servers):
    """*.parent is for those below, not for the parent."""
    web = servers.ports["web"]
    servers.names({"x.w.test": "127.0.0.1", "y.x.w.test": "127.0.0.1", "w.test": "127.0.0.1"})
    role = Role(servers, domains=["*.w.test"], ports=[web])
    for host, wanted in (("x.w.test", 200), ("y.x.w.test", 200), ("w.test", 403),
                         ("xw.test", 403), ("w.test.x", 403)):
        status, text = fetch(role, get("%s:%d" % (host, web)))
        assert status == wanted, (host, text)
    role.close()


@case
def empty_list(servers):
    """No domain listed: nothing is reached."""
    role = Role(servers, domains=[], ports=[servers.ports["web"]])
    assert fetch(role, get("a.test:%d" % servers.ports["web"]))[0] == 403
    assert resolve(role, "a.test")[0] == 3
    assert servers.asked() == set()
    role.close()


@case
def tunnels(servers):
    """CONNECT carries what is for its name, and nothing else."""
    web, echo = servers.ports["web"], servers.ports["echo"]
    role = Role(servers, ports=[web, echo])
    client, status, _ = role.connect("a.test", echo)
    assert status == 200
    assert exactly(client, 11) == b"echo ready\n"
    client.sendall(b"\x00binary")
    assert exactly(client, 7) == b"\x00binary"
    client.shutdown(socket.SHUT_WR)
    assert read_all(client) == b""
    client.close()
    client, status, _ = role.connect("a.test", web)
    one = "GET /1 HTTP/1.1\r\nHost: a.test:%d\r\n\r\n" % web
    two = "GET /2 HTTP/1.1\r\nHost: b.test:%d\r\n\r\n" % web
    client.sendall(one.encode())
    read_until(client, b"GET /1 host=a.test:%d body=0 auth=None\n" % web)
    client.sendall((one + two).encode())
    text = read_all(client)
    assert b"GET /2" not in text and b"403 Forbidden" in text, text
    role.refused("b.test:%d" % web, "another host")
    client.close()
    role.close()


@case
def unnamed_protocols(servers):
    """What names no host passes on an opaque port only; a request without a version nowhere."""
    web, echo = servers.ports["web"], servers.ports["echo"]
    nine = b"GET /nine\r\nHost: b.test\r\n\r\n"
    others = (b"\0\0\0\x08\x04\xd2\x16\x2f", b"PING\r\n", b"EHLO a.test\r\n")
    never = (nine, b"\r\n" + nine, nine.replace(b"\r", b""), b"POST\t/up\r\n\r\n",
             b"\x15\x03\x01\0\x02\x01\0" + make_hello("b.test"),
             b"\x14\x03\x03\0\x01\x01" + make_hello("b.test"))
    # servers answer such a request: Python's does
    with socket.create_connection(("127.0.0.1", web), LATE) as client:
        client.sendall(nine)
        read_until(client, b"GET /nine")
    for opaque in ((), (web, echo)):
        role = Role(servers, ports=[web, echo], opaque=opaque)
        for port, bytes_ in [(web, never[0])] + [(echo, one) for one in never + others]:
            for split in (False, True):
                client, status, _ = role.connect("a.test", port)
                assert status == 200, status
                pieces = [bytes_[i:i + 1] for i in range(len(bytes_))] if split else [bytes_]
                try:
                    for piece in pieces:
                        client.sendall(piece)
                except OSError:
                    pass
                if opaque and bytes_ in others:
                    read_until(client, bytes_)
                else:
                    text = read_all(client)
                    for said in (b"/nine host", bytes_[:7]):
                        assert said not in text.replace(b"echo ready", b""), (port, bytes_, text)
                client.close()
        if not opaque:
            role.refused("a.test:%d" % echo, "--opaque-port %d" % echo)
        role.close()


@case
def other_upgrades(servers):
    """An upgrade to HTTP/2 or TLS is not asked for; one to WebSocket is."""
    echo = servers.ports["echo"]
    role = Role(servers, ports=[echo], opaque=())
    head = "GET / HTTP/1.1\r\nHost: a.test:%d\r\n" % echo
    for asked, passed in (
            ("Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: A\r\n", ""),
            ("Connection: upgrade, close\r\nUpgrade: TLS/1.2\r\n", "Connection:close\r\n"),
            ("Connection: Upgrade\r\nUpgrade: websocket\r\n", None)):
        client, _, _ = role.connect("a.test", echo)
        client.sendall((head + asked + "\r\n").encode())
        wanted = head + (asked if passed is None else passed) + "\r\n"
        assert exactly(client, 11 + len(wanted)) == b"echo ready\n" + wanted.encode()
        client.close()
    role.close()


@case
def ssh_on_both_sides(servers):
    """SSH needs no opaque port where the server speaks it, whoever speaks first."""
    line = b"SSH-2.0-test comment\r\n"
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        role = Role(servers, ports=[port], opaque=())
        for says, first, passes in ((line, True, True), (line, False, True),
                                    (b"HTTP/1.1 400 Bad\r\n", True, False),
                                    (b"220 mail\r\n", False, False)):
            client, status, _ = role.connect("a.test", port)
            far = listener.accept()[0]
            far.settimeout(LATE)
            if first:
                far.sendall(says)
                assert exactly(client, len(says)) == says
            client.sendall(line + b"more")
            if first and not passes:
                assert far.recv(100) == b""
            elif not first:
                assert exactly(far, len(line)) == line
                far.sendall(says)
            if passes:
                assert exactly(far, 4 if not first else len(line) + 4)[-4:] == b"more"
            else:
                assert read_all(far) == b""
            client.close()
            far.close()
        role.close()


@case
def server_names(servers):
    """The name of a TLS hello is the name of the connection, also split and late."""
    tls = servers.ports["tls"]
    role = Role(servers, domains=["a.test", "b.test"], ports=[tls])
    client, status, _ = role.connect("a.test", tls)
    context = ssl.create_default_context(cafile=os.path.join(servers.folder, "cert.pem"))
    with context.wrap_socket(client, server_hostname="a.test") as far:
        far.sendall(b"GET /in HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n")
        assert b"GET /in host=a.test" in read_all(far)
    for name in ("b.test", "evil.test", None):
        client, status, _ = role.connect("a.test", tls)
        client.sendall(make_hello(name))
        assert read_all(client) == DENIED, name
        client.close()
    role.refused("evil.test:%d" % tls, "another name")
    client, status, _ = role.connect("a.test", tls)
    for byte in make_hello("b.test"):
        try:
            client.sendall(bytes([byte]))
        except OSError:
            break
    assert read_all(client) == DENIED
    client.close()
    role.close()


@case
def hidden_names(servers):
    """A name that nobody can read is sent along only where that is allowed, beside the right one."""
    tls = servers.ports["tls"]
    noise = b"\0\0\1\0\1\x42\0\x20" + os.urandom(32) + b"\0\x90" + os.urandom(144)
    for ech in (False, True):
        role = Role(servers, domains=["a.test", "b.test"], ports=[tls], ech=ech)
        resolve(role, "a.test")
        for begin in (lambda: role.connect("a.test", tls)[0], lambda: role.reach("127.0.0.1", tls)):
            for content in (noise, b""):
                with begin() as client:
                    client.sendall(hide(make_hello("a.test"), content))
                    # a server that has no key takes it for noise, and goes on: handshake, server hello
                    answer = exactly(client, 7)
                    assert (answer == DENIED) != ech and (not ech or answer[0] == 22), answer
            for name in ("b.test", "evil.test", None):
                with begin() as client:
                    client.sendall(hide(make_hello(name)))
                    assert read_all(client) == DENIED, name
        if not ech:
            role.refused("connect a.test:%d" % tls, "hidden", '"network": {"ech": "allow"}')
        # whoever asks learns no key to hide with
        for kind in (64, 65):
            assert resolve(role, "a.test", kind) == (0, [])
        role.close()


@case
def second_hellos(servers):
    """A server that wants another key asks for a second hello, which may not be for another name."""
    tls = servers.ports["tls_again"]
    role = Role(servers, domains=["a.test", "b.test"], ports=[tls])
    resolve(role, "a.test")
    context = ssl.create_default_context(cafile=os.path.join(servers.folder, "cert.pem"))
    again = bytes.fromhex("cf21ad74e59a6111")

    def free():
        client = socket.create_connection(("127.0.0.1", tls), LATE)
        client.settimeout(LATE)
        return client
    for begin in (free, lambda: role.connect("a.test", tls)[0], lambda: role.reach("127.0.0.1", tls)):
        with context.wrap_socket(begin(), server_hostname="a.test") as far:
            assert far.version() == "TLSv1.3"
            far.sendall(b"GET /in HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n")
            assert b"GET /in host=a.test" in read_all(far)
        for name in ("a.test", "b.test", "evil.test"):
            # at once, or when it is asked for; in one piece, or in single bytes
            for early, size in ((False, 5000), (False, 1), (True, 5000)):
                with begin() as client:
                    second = make_hello(name, "prime256v1")
                    client.sendall(make_hello("a.test") + (second if early else b""))
                    assert exactly(client, 43)[11:19] == again
                    for at in range(0, 0 if early else len(second), size):
                        try:
                            client.sendall(second[at : at + size])
                        except OSError:
                            break
                    # free, or for the right name, the server goes on with a hello of its own
                    rest = read_hello_or_alert(client)
                    assert (DENIED in rest) == (begin is not free and name != "a.test"), (name, rest)
    role.refused("connect evil.test:%d" % tls, "another name")
    role.close()


@case
def second_hellos_after_alerts(servers):
    """Nor may it where the server sends an alert first, or its answer in records of a few bytes."""
    again = bytes.fromhex("020000540303cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c")
    alert = bytes.fromhex("15030300020170")
    pieces = b"".join(b"\x16\x03\x03\0\x02" + again[at : at + 2] for at in range(0, len(again), 2))
    for answer in (alert + b"\x16\x03\x03\0\x58" + again, pieces):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            listener.settimeout(LATE)
            port = listener.getsockname()[1]
            role = Role(servers, domains=["a.test"], ports=[port])
            for name in ("a.test", "evil.test"):
                client = role.connect("a.test", port)[0]
                server = listener.accept()[0]
                with client, server:
                    server.settimeout(LATE)
                    first, second = make_hello("a.test"), make_hello(name)
                    client.sendall(first)
                    assert exactly(server, len(first)) == first
                    for at in range(len(answer)):
                        server.sendall(answer[at : at + 1])
                        assert exactly(client, 1) == answer[at : at + 1]
                    client.sendall(second)
                    if name == "a.test":
                        assert exactly(server, len(second)) == second
                    else:
                        assert DENIED in read_hello_or_alert(client)
                        assert server.recv(1) == b""
            role.refused("connect evil.test:%d" % port, "another name")
            role.close()


@case
def odd_requests(servers):
    """Oversized, contradictory and malformed requests are answered, and nobody is reached."""
    web = servers.ports["web"]
    role = Role(servers, ports=[web])
    where = "http://a.test:%d/" % web
    host = "Host: a.test:%d\r\n" % web
    for text, wanted in (
            ("GET %s HTTP/1.1\r\nHost: b.test:%d\r\n\r\n" % (where, web), 403),
            ("GET %s HTTP/1.1\r\n%sContent-Length: 1\r\nContent-Length: 2\r\n\r\nx" % (where, host), 400),
            ("POST %s HTTP/1.1\r\n%sContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
             % (where, host), 400),
            ("GET / HTTP/1.1\r\n%s\r\n" % host, 400),
            ("GET %s HTTP/3.0\r\n%s\r\n" % (where, host), 505),
            ("GET %s HTTP/1.1\r\n%sX: %s\r\n\r\n" % (where, host, "x" * 20000), 431),
            ("GET %s HTTP/1.1\n%s\n" % (where, host), 400),
            ("\0\1\2\3", 400)):
        status, answer = fetch(role, text)
        assert status == wanted, (text[:80], answer)
    # split into single bytes it is the same
    client = role.request("")
    for byte in get("a.test:%d" % web).replace(
            "\r\n\r\n", "\r\nProxy-Authorization: Basic %s\r\n\r\n" % role.basic()).encode():
        client.sendall(bytes([byte]))
    assert b"200 OK" in read_all(client)
    client.close()
    role.close()


@case
def odd_names(servers):
    """Names that are none, or could be read in two ways, are refused; nobody asks for them."""
    web = servers.ports["web"]
    role = Role(servers, domains=["a.test", "*.a.test"], ports=[web])
    long_label = "x" * 64 + ".a.test"
    too_long = ".".join(["x" * 60] * 5) + ".a.test"
    for host in ("a.test\0.evil.test", "a.test%00.evil.test", "a..test", ".a.test", "-", "a.test..",
                 "a.test#x", "a.test?x", "evil.test;a.test", "a.test,evil.test", "a test",
                 "\u00e4.a.test".encode().decode("latin-1"), "127.0.0.1.a.test@evil.test",
                 "[a.test]", "[::ffff:127.0.0.1]", "[fe80::1%25lo]", long_label, too_long,
                 "0177.0.0.1", "0x7f000001", "127.0.0.1."):
        for text in ("CONNECT %s:%d HTTP/1.1\r\n\r\n" % (host, web), get("%s:%d" % (host, web))):
            status, answer = fetch(role, text)
            assert status in (400, 403, 505), (host, answer)
        if len(host) < 256 and host.isascii():
            client, reply = socks_connect(role, host, web)
            assert reply in (1, 2, 8), (host, reply)
            client.close()
    for port in ("", "0", "65536", "-1", "+80", "80x", "99999999999999999999", " 80"):
        assert fetch(role, "CONNECT a.test:%s HTTP/1.1\r\n\r\n" % port)[0] in (400, 403, 505), port
    # in labels of the wire, which may hold anything
    for labels in (b"\x06a\0test\0", b"\x03a.b\x04test\0", b"\x01a\x04test\xc0\x0c", b"\xc0\x0c",
                   b"\x40" + b"x" * 64 + b"\0", (b"\x3f" + b"x" * 63) * 4 + b"\0", b"\x01"):
        question = struct.pack(">HHHHHH", 7, 0x0100, 1, 0, 0, 0) + labels + struct.pack(">HH", 1, 1)
        with role.ask_names() as client:
            client.settimeout(LATE)
            client.sendall(struct.pack(">H", len(question)) + question)
            head = client.recv(2)
            code = exactly(client, struct.unpack(">H", head)[0])[3] & 15 if head else None
            assert code in (None, 1, 3), (labels, code)
    assert servers.asked() == set(), servers.asked()
    assert fetch(role, get("A.tEsT.:%d" % web))[0] == 200
    role.close()


@case
def split_requests(servers):
    """SOCKS and DNS byte by byte are the same as in one piece."""
    web = servers.ports["web"]
    role = Role(servers, ports=[web])
    word = role.token.encode()
    pieces = (b"\x05\x01\x02", b"\x01\x06cordon" + bytes([len(word)]) + word,
              b"\x05\x01\x00\x03\x06a.test" + struct.pack(">H", web))
    with socket.create_connection(("127.0.0.1", role.named), LATE) as client:
        client.settimeout(LATE)
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for piece, size in zip(pieces, (2, 2, 10)):
            for byte in piece:
                client.sendall(bytes([byte]))
            assert exactly(client, size)[1] == (2 if piece is pieces[0] else 0)
        client.sendall(b"GET /s HTTP/1.1\r\nHost: a.test:%d\r\nConnection: close\r\n\r\n" % web)
        assert b"GET /s" in read_all(client)
    question = query("a.test")
    with role.ask_names() as client:
        client.settimeout(LATE)
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for byte in struct.pack(">H", len(question)) + question:
            client.sendall(bytes([byte]))
        size = struct.unpack(">H", exactly(client, 2))[0]
        assert exactly(client, size)[3] & 15 == 0
    role.close()


# ---- where names lead ----

@case
def private_addresses(servers):
    """A name that leads to this machine or a private network is refused, also when it flips."""
    web = servers.ports["web"]
    role = Role(servers, domains=["a.test", "*.n.test"], ports=[web], private=["127.0.0.1"])
    servers.names({"a.test": "127.0.0.1"})
    assert fetch(role, get("a.test:%d" % web))[0] == 200
    for number, address in enumerate(("127.0.0.2", "10.0.0.1", "169.254.169.254", "192.168.0.1", "0.0.0.0", "::1",
                    "::ffff:127.0.0.2", "::ffff:7f00:2", "fe80::1", "fd00::1", "64:ff9b::7f00:2",
                    "2002:7f00:2::1", "100.64.0.1")):
        # a name without an address of the other kind is not asked for again at once
        name = "a.test" if ":" not in address else "n%d.n.test" % number
        servers.names({name: address})
        status, text = fetch(role, get("%s:%d" % (name, web)))
        assert status == 403 and "leads to" in text, (address, text)
        code, found = resolve(role, name, 28 if ":" in address else 1)
        assert (code, found) == (0, []), (address, found)
        assert role.ask(address, web)[1] == 111, address
    role.refused("connect a.test:%d" % web, "169.254.169.254", "metadata")
    # one good among bad ones is enough, and the only one that is reached
    servers.names({"a.test": "10.0.0.1 127.0.0.1 169.254.169.254"})
    assert fetch(role, get("a.test:%d" % web))[0] == 200
    assert resolve(role, "a.test") == (0, ["127.0.0.1"])
    role.close()


@case
def own_ports(servers):
    """The proxy is no way to the proxy."""
    # the numbers are not known before: all that the system chooses from are allowed
    with open("/proc/sys/net/ipv4/ip_local_port_range", encoding="ascii") as file:
        first, last = (int(word) for word in file.read().split())
    role = Role(servers, ports=range(first, last + 1))
    for port in (role.named, role.through, role.stub):
        status, text = fetch(role, get("a.test:%d" % port))
        assert status == 403 and "this proxy" in text, text
    role.close()


@case
def six(servers):
    """IPv6 all the way."""
    web = servers.ports.get("web6")
    if web is None:
        return
    servers.names({"a.test": "::1"})
    role = Role(servers, ports=[web], private=["::1"])
    status, text = fetch(role, get("a.test:%d" % web), family=socket.AF_INET6)
    assert status == 200, text
    assert resolve(role, "a.test", 28, family=socket.AF_INET6) == (0, ["::1"])
    assert role.ask("::1", web)[1] == 0
    role.close()


@case
def six_dropped(servers):
    """IPv6 addresses come first and drop everything: the IPv4 address that comes later is used."""
    web = servers.ports["web"]
    if "web6" not in servers.ports:
        return
    servers.names({"a.test": "four-late ::1 127.0.0.1"})
    role = Role(servers, ports=[web], private=["::1", "127.0.0.1"])
    with socket.socket(socket.AF_INET6) as full, socket.socket(socket.AF_INET6) as first, socket.socket(socket.AF_INET6) as second:
        # a connection that has ended may have had the port
        full.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        # with its queue full a server drops what comes
        full.bind(("::1", web))
        full.listen(0)
        for one in first, second:
            one.setblocking(False)
            one.connect_ex(("::1", web))
        status, text = fetch(role, get("a.test:%d" % web))
        assert status == 200, text
    # and one that refuses is not the end of it
    servers.names({"b.test": "four-late ::1 127.0.0.1"})
    role.close()
    role = Role(servers, domains=["b.test"], ports=[web], private=["::1", "127.0.0.1"])
    status, text = fetch(role, get("b.test:%d" % web))
    assert status == 200, text
    role.close()


@case
def failures(servers):
    """Nobody there, no such name, no resolver: said, not hung."""
    port, held = nobody_at()
    role = Role(servers, domains=["a.test", "none.test"], ports=[port])
    status, text = fetch(role, get("a.test:%d" % port))
    assert status == 502 and "Connection refused" in text, text
    client, reply = socks_connect(role, "a.test", port)
    assert reply == 5, reply
    client.close()
    status, text = fetch(role, get("none.test:%d" % port))
    assert status == 502 and "no address" in text, text
    role.close()
    role = Role(servers, ports=[port], resolver="127.0.0.1:%d" % port)
    status, text = fetch(role, get("a.test:%d" % port))
    assert status == 502 and "does not answer" in text, text
    assert resolve(role, "a.test")[0] == 2
    role.close()
    for one in held:
        one.close()


# ---- the resolver stub ----

@case
def stub(servers):
    """Allowed names are answered; no other question leaves."""
    servers.names({"a.test": "127.0.0.1", "b.test": "127.0.0.1", "cut.test": "cut 127.0.0.1"})
    role = Role(servers, domains=["a.test", "cut.test", "none.test"])
    assert resolve(role, "a.test") == (0, ["127.0.0.1"])
    assert resolve(role, "A.Test") == (0, ["127.0.0.1"])
    assert resolve(role, "a.test", 28) == (0, [])
    assert resolve(role, "a.test", 65) == (0, [])
    assert resolve(role, "a.test", 16) == (0, [])
    assert resolve(role, "b.test") == (3, [])
    assert resolve(role, "c2VjcmV0.evil.test") == (3, [])
    assert resolve(role, "x.a.test") == (3, [])
    assert resolve(role, "1.0.0.127.in-addr.arpa", 12) == (3, [])
    assert resolve(role, "none.test") == (3, [])
    assert resolve(role, "cut.test") == (0, ["127.0.0.1"])
    assert servers.asked() == {"a.test", "none.test", "cut.test"}, servers.asked()
    assert "cut.test 1 tcp" in servers.read("asked")
    role.refused("resolve c2vjcmv0.evil.test", "--domain c2vjcmv0.evil.test")
    # two questions at once on one connection, then nonsense
    with role.ask_names() as client:
        client.settimeout(LATE)
        one = query("a.test")
        client.sendall((struct.pack(">H", len(one)) + one) * 2)
        size = struct.unpack(">H", exactly(client, 2))[0]
        exactly(client, size + 2 + size)
        client.sendall(b"\xff\xffnonsense")
        assert client.recv(1) == b""
    # nothing listens for datagrams
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.bind(("127.0.0.1", role.stub))
    role.close()


# ---- connections that the broker turns round ----

@case
def through(servers):
    """An address is reached when it was answered for an allowed name, and by who was announced."""
    web, echo = servers.ports["web"], servers.ports["echo"]
    servers.names({"a.test": "127.0.0.1", "b.test": "127.0.0.1", "c.test": "127.0.0.1"})
    role = Role(servers, domains=["a.test", "b.test"], ports=[web, echo])
    assert role.ask("127.0.0.1", web)[1] == 111
    role.refused("connect 127.0.0.1:%d" % web, "was not looked up")
    assert resolve(role, "a.test") == (0, ["127.0.0.1"])
    assert role.ask("127.0.0.1", 1)[1] == 111
    role.refused("connect 127.0.0.1:1", "port 1")
    with role.reach("127.0.0.1", echo) as client:
        assert exactly(client, 11) == b"echo ready\n"
        client.sendall(b"EHLO x\r\n")
        assert exactly(client, 8) == b"EHLO x\r\n"
    # for whom it may be: the names this address was answered for, and no others
    for host, wanted in (("a.test", b"200"), ("b.test", b"403"), ("c.test", b"403")):
        with role.reach("127.0.0.1", web) as client:
            client.sendall(b"GET / HTTP/1.1\r\nHost: %s:%d\r\nConnection: close\r\n\r\n"
                           % (host.encode(), web))
            assert read_all(client).split()[1] == wanted, host
    assert resolve(role, "b.test") == (0, ["127.0.0.1"])
    with role.reach("127.0.0.1", web) as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: b.test:%d\r\nConnection: close\r\n\r\n" % web)
        assert read_all(client).split()[1] == b"200"
    # nobody there: known before the command's socket is touched
    port, held = nobody_at()
    role.close()
    role = Role(servers, ports=[port])
    resolve(role, "a.test")
    assert role.ask("127.0.0.1", port)[1] == 111
    role.close()
    for one in held:
        one.close()


def many_descriptors():
    """A login has 1024. Roles that were started before keep that limit."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def stranger(port):
    """A connection of a process that is not the session's."""
    client = socket.create_connection(("127.0.0.1", port), LATE)
    client.settimeout(LATE)
    return client


@case
def strangers(servers):
    """Other processes neither get answers nor take places, however many they are."""
    echo = servers.ports["echo"]
    role = Role(servers, ports=[echo], domains=["a.test", "*.w.test"])
    many_descriptors()
    one = query("secret.w.test")
    held = []
    for i in range(1500):
        client = stranger(role.stub if i % 2 else role.through)
        try:
            client.sendall(struct.pack(">H", len(one)) + one)
        except OSError:
            pass
        held.append(client)
    assert resolve(role, "a.test") == (0, ["127.0.0.1"])
    with role.reach("127.0.0.1", echo) as client:
        assert exactly(client, 11) == b"echo ready\n"
    # also where they come between what is said before and after a connect
    for port, kind in ((role.stub, "asks"), (role.through, "comes")):
        number = role.next = role.next + 1
        if kind == "comes":
            number, why = role.ask("127.0.0.1", echo)
            assert why == 0
        role.expect(number)
        held += [stranger(port) for _ in range(200)]
        client = stranger(port)
        held += [stranger(port) for _ in range(200)]
        role.say("%s %d %s %d" % ((kind, number) + client.getsockname()[:2]))
        if kind == "asks":
            client.sendall(struct.pack(">H", len(one)) + one)
        assert client.recv(1) != b"", kind
        client.close()
    for client in held:
        try:
            assert client.recv(100) == b""
        except ConnectionResetError:
            pass
        client.close()
    assert "secret.w.test" in servers.asked()
    assert len([a for a in servers.read("asked").splitlines() if a.startswith("secret")]) <= 2
    role.close()


@case
def uninvited(servers):
    """Who comes to that port unannounced gets nothing; a connection that was given up is closed."""
    echo = servers.ports["echo"]
    role = Role(servers, ports=[echo])
    resolve(role, "a.test")
    # nothing is expected: it is closed at once, before the far side is there and after
    assert stranger(role.through).recv(1) == b""
    number, why = role.ask("127.0.0.1", echo)
    assert why == 0
    assert stranger(role.through).recv(1) == b""
    # one is: whoever came is known when it has been named
    role.expect(number)
    thief, other = stranger(role.through), stranger(role.stub)
    client = stranger(role.through)
    role.say("comes %d %s %d" % ((number,) + client.getsockname()[:2]))
    assert exactly(client, 11) == b"echo ready\n"
    assert thief.recv(1) == b"" and other.recv(1) == b""
    # again with the same number: it is taken
    role.expect(number)
    thief = stranger(role.through)
    role.say("comes %d %s %d" % ((number,) + thief.getsockname()[:2]))
    assert thief.recv(1) == b""
    client.close()
    number, why = role.ask("127.0.0.1", echo)
    role.say("forget %d" % number)
    until(lambda: role.open(echo, own=False) == 0, "what was given up is closed")
    role.close()


@case
def through_tls(servers):
    """The same for TLS: the hello's name must be one of the address's names."""
    tls = servers.ports["tls"]
    servers.names({"a.test": "127.0.0.1", "b.test": "127.0.0.1"})
    role = Role(servers, domains=["a.test", "b.test"], ports=[tls])
    resolve(role, "a.test")
    context = ssl.create_default_context(cafile=os.path.join(servers.folder, "cert.pem"))
    with context.wrap_socket(role.reach("127.0.0.1", tls), server_hostname="a.test") as far:
        far.sendall(b"GET /in HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n")
        assert b"GET /in host=a.test" in read_all(far)
    for name in ("b.test", "evil.test", None):
        with role.reach("127.0.0.1", tls) as client:
            client.sendall(make_hello(name))
            assert read_all(client) == DENIED, name
    role.close()


# ---- the caller's own proxy ----

@case
def upstream(servers):
    """What goes out goes through the proxy of the caller's environment, except what that excepts."""
    web, port = servers.ports["web"], servers.ports["upstream"]
    servers.names({"direct.test": "127.0.0.1"})
    url = "http://me:pass@127.0.0.1:%d" % port
    role = Role(servers, domains=["a.test", "direct.test"], ports=[web, 80],
                env={"HTTP_PROXY": url, "HTTPS_PROXY": url, "NO_PROXY": "direct.test"})
    status, text = fetch(role, get("a.test"))
    assert status == 200 and "upstream took it" in text, text
    client, status, _ = role.connect("a.test", web)
    assert status == 200
    client.sendall(b"GET /far HTTP/1.1\r\nHost: a.test:%d\r\nConnection: close\r\n\r\n" % web)
    assert b"GET /far" in read_all(client)
    client.close()
    notes = servers.read("upstream")
    auth = "Proxy-Authorization: Basic %s" % base64.b64encode(b"me:pass").decode()
    assert "GET http://a.test/ HTTP/1.1 | " + auth in notes, notes
    assert "CONNECT a.test:%d HTTP/1.1 | %s" % (web, auth) in notes, notes
    assert role.token not in notes
    # nor is its password had back from it
    status, text = fetch(role, get("a.test").replace("GET", "TRACE", 1))
    assert status == 403 and "TRACE" not in servers.read("upstream"), text
    status, text = fetch(role, get("direct.test:%d" % web))
    assert status == 200 and "host=direct.test" in text, text
    assert "direct.test" not in servers.read("upstream")
    assert fetch(role, get("b.test"))[0] == 403
    role.close()


@case
def upstream_hangs(servers):
    """A proxy of the caller's that takes connections and says nothing holds up nobody else."""
    web = servers.ports["web"]
    servers.names({"direct.test": "127.0.0.1"})
    url = "http://127.0.0.1:%d" % servers.ports["keep"]
    role = Role(servers, domains=["a.test", "direct.test"], ports=[web, 80],
                env={"HTTP_PROXY": url, "HTTPS_PROXY": url, "NO_PROXY": "direct.test"})
    at_first = descriptors(role)
    held = [role.request("CONNECT a.test:%d HTTP/1.1\r\n\r\n" % web) for _ in range(50)]
    held += [role.request(get("a.test")) for _ in range(50)]
    for _ in range(20):
        assert fetch(role, get("direct.test:%d" % web))[0] == 200
    for client in held:
        reset(client)
    until(lambda: descriptors(role) <= at_first, "what was held is closed")
    role.close()


# ---- whoever is slow, and many at once ----

@case
def slow_ones(servers):
    """Clients that say nothing, names that nobody answers, servers that hang: others go on."""
    web, silent = servers.ports["web"], servers.ports["silent"]
    servers.names({"a.test": "127.0.0.1", "slow.test": "slow"})
    role = Role(servers, domains=["a.test", "slow.test"], ports=[web, silent])
    held = [socket.create_connection(("127.0.0.1", role.named), LATE) for _ in range(300)]
    for client in held[:100]:
        client.sendall(b"CONNECT a.te")
    for client in held[100:200]:
        client.sendall(b"\x05")
    held += [role.request(get("slow.test:%d" % web)) for _ in range(50)]
    held += [role.request(get("a.test:%d" % silent)) for _ in range(50)]
    for _ in range(20):
        assert fetch(role, get("a.test:%d" % web))[0] == 200
    assert resolve(role, "a.test") == (0, ["127.0.0.1"])
    for client in held:
        reset(client)
    until(lambda: role.open(web) == 0, "what was held is closed")
    role.close()


def leads_to(port):
    """Connections to this port that their own side has not closed."""
    with open("/proc/net/tcp", encoding="ascii") as file:
        lines = [line.split() for line in list(file)[1:]]
    return sum(1 for words in lines if words[3] == "01" and int(words[2].rsplit(":", 1)[1], 16) == port)


@case
def cut_off(servers):
    """A client that breaks off while nothing can be passed on is noticed all the same."""
    silent = servers.ports["silent"]
    role = Role(servers, ports=[silent])
    client, status, _ = role.connect("a.test", silent)
    assert status == 200
    client.sendall(b"POST / HTTP/1.1\r\nHost: a.test:%d\r\nContent-Length: 999999999\r\n\r\n" % silent)
    client.setblocking(False)
    while select.select([], [client], [], 1)[1]:
        try:
            client.send(b"x" * 65536)
        except BlockingIOError:
            pass
    assert leads_to(silent) == 1
    reset(client)
    until(lambda: leads_to(silent) == 0, "the far side is closed")
    role.close()


@case
def unproven(servers):
    """Whoever fills the port without the token is let go first."""
    web = servers.ports["web"]
    role = Role(servers, ports=[web])
    held = [socket.create_connection(("127.0.0.1", role.named), LATE) for _ in range(900)]
    assert fetch(role, get("a.test:%d" % web))[0] == 200
    poll = select.poll()
    for client in held:
        poll.register(client, select.POLLIN)
    until(lambda: len(poll.poll(0)) >= 900 - 512, "the oldest are let go")
    for client in held:
        client.close()
    role.close()


@case
def memory(servers):
    """A hundred connections, each with bytes on its way that nobody reads: a few MB."""
    web = servers.ports["web"]
    role = Role(servers, ports=[web])
    held = []
    for _ in range(100):
        client, status, _ = role.connect("a.test", web)
        assert status == 200
        client.sendall(b"GET /big9000000 HTTP/1.1\r\nHost: a.test:%d\r\n\r\n" % web)
        assert client.recv(1) == b"H"
        held.append(client)
    size = pss(role.pid)
    assert size is None or ASAN or size <= 3000, "%d kB" % size
    if FULL:
        print("# %s kB for 100 connections" % size)
    # still served, and whole
    assert len(exactly(held[0], 9000000)) == 9000000
    for client in held:
        client.close()
    until(lambda: role.open(web) == 0, "everything is closed")
    role.close()


ASAN = b"__asan_init" in open(sys.argv[1], "rb").read()


def pss(pid, what="Pss:"):
    try:
        with open("/proc/%d/smaps_rollup" % pid, encoding="ascii") as file:
            return int([line for line in file if line.startswith(what)][0].split()[1])
    except (OSError, IndexError):
        return None


@case
def many(servers):
    """Connections by the hundred, one after the other and at once: none lost, nothing left over."""
    echo = servers.ports["echo"]
    role = Role(servers, ports=[echo])
    for _ in range(5):
        held = []
        for _ in range(60):
            held.append(role.request("CONNECT a.test:%d HTTP/1.1\r\n\r\n" % echo))
        for client in held:
            assert " 200 " in read_head(client)
        for client in held:
            assert exactly(client, 11) == b"echo ready\n"
        for number, client in enumerate(held):
            if number % 2:
                reset(client)
            client.close()
    until(lambda: role.open(echo) == 0, "everything is closed")
    role.close()


@case
def storm(servers):
    """Thousands in a row from several sides, with others that hang: nothing grows, nothing is left."""
    echo, silent = servers.ports["echo"], servers.ports["silent"]
    role = Role(servers, ports=[echo, silent])
    held = [role.request(get("a.test:%d" % silent)) for _ in range(50)]
    run_clients(role, echo, 50)
    before = pss(role.pid, "Anonymous:")
    run_clients(role, echo, 15000 if FULL else 100)
    after = pss(role.pid, "Anonymous:")
    assert before is None or ASAN or after <= before + 500, "%d kB, then %d" % (before, after)
    for client in held:
        reset(client)
    until(lambda: role.open(echo) == 0, "everything is closed")
    role.close()


def descriptors(role):
    """How many it has open; 0 for who may not look."""
    try:
        return len(os.listdir("/proc/%d/fd" % role.pid))
    except PermissionError:
        return 0


def middle_of(role, port, count=15):
    """How long a request takes, in the middle of so many."""
    times = []
    for _ in range(count):
        start = time.monotonic()
        assert fetch(role, get("a.test:%d" % port))[0] == 200
        times.append(time.monotonic() - start)
    return sorted(times)[count // 2]


@case
def load(servers):
    """1,000 connections a second, beside slow clients, half-open ones and a server that hangs."""
    web, echo, silent = (servers.ports[name] for name in ("web", "echo", "silent"))
    role = Role(servers, ports=[web, echo, silent])
    seconds = 60 if FULL else 3
    alone = middle_of(role, web)
    at_first = descriptors(role)
    held = [role.request("CONNECT a.te", auth=False) for _ in range(50)]
    held += [role.request(get("a.test:%d" % silent)) for _ in range(50)]
    for _ in range(50):
        client, status, _ = role.connect("a.test", echo)
        assert status == 200
        client.shutdown(socket.SHUT_WR)
        held.append(client)
    start = time.monotonic()
    pids = start_clients(role, echo, 250 * seconds, 250)
    beside = middle_of(role, web)
    end_clients(pids)
    took = time.monotonic() - start
    if FULL:
        print("# %.0f a second; a request took %.1f ms alone and %.1f beside"
              % (1000 * seconds / took, 1000 * alone, 1000 * beside))
    # far more than noise: one that waits for a slow one waits for ever
    assert beside <= 100 * alone + 5, (alone, beside)
    for client in held:
        reset(client)
    until(lambda: role.open(web, echo) == 0, "everything is closed")
    until(lambda: descriptors(role) <= at_first, "every descriptor too")
    role.close()


@case
def held(servers):
    """Thousands of connections at once: all are served, others are, and nothing is left of them."""
    web, keep = servers.ports["web"], servers.ports["keep"]
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    role = Role(servers, ports=[web, keep], descriptors=most)
    many_descriptors()
    count = min(10000 if FULL else 500, (most - 1000) // 2)
    at_first = descriptors(role)
    clients = []
    for _ in range(count):
        client, status, _ = role.connect("a.test", keep)
        assert status == 200, len(clients)
        clients.append(client)
    took = middle_of(role, web)
    if FULL:
        print("# %d held, %s kB; a request took %.1f ms" % (count, pss(role.pid), 1000 * took))
    for client in clients:
        reset(client)
    until(lambda: role.open(own=True) == 0, "everything is closed")
    until(lambda: descriptors(role) <= at_first, "every descriptor too")
    assert fetch(role, get("a.test:%d" % web))[0] == 200
    role.close()


@case
def limits(servers):
    """Where open files are the limit, that is told; whoever is there stays."""
    web, keep = servers.ports["web"], servers.ports["keep"]
    role = Role(servers, ports=[web, keep], descriptors=320)
    clients = []
    while len(clients) < 80:
        client, status, _ = role.connect("a.test", keep)
        assert status == 200, len(clients)
        clients.append(client)
    one_more = role.request("CONNECT a.test:%d HTTP/1.1\r\n\r\n" % keep)
    assert read_all(one_more) == b""
    role.refused("connect one more", "one connection too many", "limit on open files", "320) allows 80")
    reset(clients.pop())

    def has_room():
        try:
            return fetch(role, get("a.test:%d" % web))[0] == 200
        except OSError:
            return False
    until(has_room, "room again")
    role.close()


def run_clients(role, port, count):
    end_clients(start_clients(role, port, count))


def start_clients(role, port, count, rate=None):
    """Four of them; each so many connections, at most at that rate a second."""
    children = []
    begin = time.monotonic()
    for _ in range(4):
        pid = os.fork()
        if pid == 0:
            status = 1
            try:
                for number in range(count):
                    if rate:
                        time.sleep(max(0, begin + number / rate - time.monotonic()))
                    client, status, _ = role.connect("a.test", port)
                    assert status == 200
                    exactly(client, 11)
                    client.close()
                status = 0
            finally:
                os._exit(status != 0)
        children.append(pid)
    return children


def end_clients(children):
    for pid in children:
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


# ---- its own walls, and its end ----

@case
def walls(servers):
    """It has no privileges, a filter, and no descriptor but what it serves with."""
    role = Role(servers)
    with open("/proc/%d/status" % role.pid, encoding="ascii") as file:
        status = dict(line.split(":", 1) for line in file)
    for name, wanted in (("Seccomp", "2"), ("NoNewPrivs", "1"), ("CapEff", "0" * 16),
                         ("CapPrm", "0" * 16), ("Threads", "1")):
        assert status[name].strip() == wanted, (name, status[name])
    try:
        links = [os.readlink("/proc/%d/fd/%s" % (role.pid, fd))
                 for fd in os.listdir("/proc/%d/fd" % role.pid)]
    except PermissionError:
        links = []
    for link in links:
        assert link.startswith(("socket:", "anon_inode:", "pipe:")) or link == "/dev/null", link
    role.close()


@case
def the_end(servers):
    """It is gone with the line, and with the session's process."""
    role = Role(servers)
    role.close()
    until(lambda: not os.path.exists("/proc/%d" % role.pid), "gone with the line")
    role = Role(servers)
    os.kill(role.process.pid, signal.SIGKILL)
    role.process.wait()
    until(lambda: not os.path.exists("/proc/%d" % role.pid)
          or open("/proc/%d/stat" % role.pid, encoding="ascii").read().split(")")[1].split()[0] == "Z",
          "gone with the session")


def main():
    global ROLE
    ROLE = sys.argv[1]
    names = list(cases) if sys.argv[2] == "all" else sys.argv[2:]
    for name in names:
        servers = Servers({"a.test": "127.0.0.1", "b.test": "127.0.0.1"},
                          name in ("server_names", "hidden_names", "second_hellos", "through_tls"))
        start = time.monotonic()
        try:
            cases[name](servers)
        finally:
            servers.close()
        if len(names) > 1:
            print("ok %s %.1f s" % (name, time.monotonic() - start), flush=True)


if __name__ == "__main__":
    main()
