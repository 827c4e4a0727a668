#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Servers on loopback for the tests of the proxy: a resolver whose answers are a file, read again for
each question, and servers that return the request.

    servers.py FOLDER [CERTIFICATE KEY]

FOLDER/names has lines "NAME ADDRESS..." (a name without address does not exist; "slow" never answers;
"cut" is answered by UDP with the truncation bit; with "four-late" IPv4 is answered a second later). FOLDER/asked gets the questions. When everything
listens, FOLDER/ports appears: lines "NAME PORT". Ends when its standard input does."""
import http.server
import os
import resource
import socket
import socketserver
import ssl
import struct
import sys
import threading
import time

folder = sys.argv[1]
lock = threading.Lock()


def lookup(name, kind):
    """None: does not exist. "slow", "cut", or addresses of that kind."""
    with open(os.path.join(folder, "names"), encoding="ascii") as file:
        for line in file:
            words = line.split()
            if not words or words[0] != name:
                continue
            if words[1:2] == ["four-late"] and kind == 1:
                time.sleep(1)
            if words[1:2] in (["slow"], ["cut"], ["four-late"]):
                return words[1], [w for w in words[2:] if (":" in w) == (kind == 28)]
            return "ok", [w for w in words[1:] if (":" in w) == (kind == 28)]
    return None, []


def answer(query, over_tcp):
    labels, at = [], 12
    while query[at]:
        labels.append(query[at + 1 : at + 1 + query[at]].decode("ascii", "replace").lower())
        at += 1 + query[at]
    kind = struct.unpack(">H", query[at + 1 : at + 3])[0]
    end = at + 5
    name = ".".join(labels)
    with lock, open(os.path.join(folder, "asked"), "a", encoding="ascii") as file:
        file.write("%s %d %s\n" % (name, kind, "tcp" if over_tcp else "udp"))
    how, addresses = lookup(name, kind)
    if how == "slow":
        return None
    cut = how == "cut" and not over_tcp
    code = 3 if how is None else 0
    if cut:
        addresses = []
    head = query[:2] + struct.pack(
        ">HHHHH", 0x8180 | code | (0x0200 if cut else 0), 1, len(addresses), 0, 0)
    body = query[12:end]
    for address in addresses:
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        data = socket.inet_pton(family, address)
        body += struct.pack(">HHHIH", 0xC00C, kind, 1, 0, len(data)) + data
    return head + body


class Udp(socketserver.BaseRequestHandler):
    def handle(self):
        reply = answer(self.request[0], False)
        if reply:
            self.request[1].sendto(reply, self.client_address)


class Tcp(socketserver.StreamRequestHandler):
    def handle(self):
        while True:
            head = self.rfile.read(2)
            if len(head) < 2:
                return
            reply = answer(self.rfile.read(struct.unpack(">H", head)[0]), True)
            if reply:
                self.wfile.write(struct.pack(">H", len(reply)) + reply)


class Web(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def reply(self):
        size = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(size)
        if self.path.startswith("/big"):
            count = int(self.path[4:] or 1)
            self.send_response(200)
            self.send_header("Content-Length", str(count))
            self.end_headers()
            while count > 0:
                piece = min(count, 65536)
                self.wfile.write(b"x" * piece)
                count -= piece
            return
        text = "%s %s host=%s body=%d auth=%s\n" % (
            self.command, self.path, self.headers.get("Host"), len(body),
            self.headers.get("Proxy-Authorization"))
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    do_GET = do_POST = do_PUT = do_HEAD = reply

    def log_message(self, *_):
        pass


class Echo(socketserver.BaseRequestHandler):
    """Greets first, as ssh and smtp do; then says back what it hears."""

    def handle(self):
        self.request.sendall(b"echo ready\n")
        while True:
            data = self.request.recv(65536)
            if not data:
                return
            self.request.sendall(data)


class Upstream(socketserver.StreamRequestHandler):
    """A proxy, as a company has one: notes what it was asked, then goes to the first server."""

    def handle(self):
        line = self.rfile.readline().decode("latin-1").strip()
        headers = []
        while True:
            header = self.rfile.readline().decode("latin-1").strip()
            if not header:
                break
            headers.append(header)
        auth = [h for h in headers if h.lower().startswith("proxy-authorization")]
        with lock, open(os.path.join(folder, "upstream"), "a", encoding="ascii") as file:
            file.write("%s | %s\n" % (line, " ".join(auth)))
        if not line.startswith("CONNECT"):
            text = b"upstream took it\n"
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(text) + text)
            return
        far = socket.create_connection(("127.0.0.1", ports["web"]))
        self.wfile.write(b"HTTP/1.1 200 fine\r\n\r\n")
        other = threading.Thread(target=pump, args=(far, self.connection), daemon=True)
        other.start()
        pump(self.connection, far)
        other.join()


def pump(source, target):
    try:
        while True:
            data = source.recv(65536)
            if not data:
                break
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass


class Threads(socketserver.ThreadingMixIn, socketserver.TCPServer):
    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 512

    def handle_error(self, request, client_address):
        """Clients that go away without a word are part of the tests."""


class Threads6(Threads):
    address_family = socket.AF_INET6


class Datagrams(socketserver.ThreadingMixIn, socketserver.UDPServer):
    daemon_threads = True


ports = {}


def serve(name, server):
    ports[name] = server.server_address[1]
    threading.Thread(target=server.serve_forever, daemon=True).start()


def resolver():
    while True:
        tcp = Threads(("127.0.0.1", 0), Tcp)
        try:
            udp = Datagrams(("127.0.0.1", tcp.server_address[1]), Udp)
        except OSError:
            tcp.server_close()
            continue
        serve("dns", tcp)
        serve("dns", udp)
        return


def keep(listener, kept):
    while True:
        kept.append(listener.accept()[0])


def many_descriptors():
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def main():
    many_descriptors()
    resolver()
    for prefix in "", "other_":
        serve(prefix + "web", Threads(("127.0.0.1", 0), Web))
        serve(prefix + "echo", Threads(("127.0.0.1", 0), Echo))
    serve("upstream", Threads(("127.0.0.1", 0), Upstream))
    try:
        serve("web6", Threads6(("::1", 0), Web))
    except OSError:
        pass
    # listens and never answers: its backlog accepts every client
    silent = socket.create_server(("127.0.0.1", 0))
    ports["silent"] = silent.getsockname()[1]
    # accepts every client, and never answers either
    listener = socket.create_server(("127.0.0.1", 0), backlog=512)
    ports["keep"] = listener.getsockname()[1]
    threading.Thread(target=keep, args=(listener, []), daemon=True).start()
    if len(sys.argv) > 3:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[2], sys.argv[3])
        for name in "tls", "other_tls", "tls_again":
            tls = Threads(("127.0.0.1", 0), Web)
            # the last one wants a key of another kind than clients send, and asks for a second hello
            if name == "tls_again":
                context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                context.load_cert_chain(sys.argv[2], sys.argv[3])
                context.set_ecdh_curve("prime256v1")
            tls.socket = context.wrap_socket(tls.socket, server_side=True,
                                             do_handshake_on_connect=False)
            serve(name, tls)
    path = os.path.join(folder, "ports")
    with open(path + ".new", "w", encoding="ascii") as file:
        for name, port in ports.items():
            file.write("%s %d\n" % (name, port))
    os.rename(path + ".new", path)
    sys.stdin.read()


main()
