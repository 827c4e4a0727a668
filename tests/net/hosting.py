#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A host for git and for packages on loopback, for the programs of the tests.

    hosting.py FOLDER

FOLDER/git has bare repositories, served under /git/ by git's own http-backend, for pushing as well.
All other answers are files below FOLDER/www: the test writes there what npm and pip request, and
the answer for a folder is its file "index". When it listens, FOLDER/ports.hosting appears, with the ports
"host" and "other_host".
Ends when its standard input does."""
import http.server
import os
import subprocess
import sys
import threading

folder = os.path.abspath(sys.argv[1])


class Host(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def give(self, status, kind, body):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def body(self):
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        parts = []
        while True:
            size = int(self.rfile.readline(), 16)
            parts.append(self.rfile.read(size))
            self.rfile.readline()
            if not size:
                return b"".join(parts)

    def git(self, path, query):
        environment = dict(
            os.environ, GIT_PROJECT_ROOT=folder, GIT_HTTP_EXPORT_ALL="1", PATH_INFO=path,
            QUERY_STRING=query, REQUEST_METHOD=self.command, REMOTE_USER="tester",
            CONTENT_TYPE=self.headers.get("Content-Type") or "",
            HTTP_CONTENT_ENCODING=self.headers.get("Content-Encoding") or "",
            GIT_PROTOCOL=self.headers.get("Git-Protocol") or "")
        said = subprocess.run(["git", "http-backend"], input=self.body(), env=environment,
                              stdout=subprocess.PIPE, check=True).stdout
        head, _, body = said.partition(b"\r\n\r\n")
        headers = dict(line.split(": ", 1) for line in head.decode("ascii").split("\r\n"))
        self.give(int(headers.get("Status", "200").split()[0]), headers["Content-Type"], body)

    def file(self, path):
        path = os.path.normpath(folder + "/www/" + path)
        if os.path.isdir(path):
            path += "/index"
        if not path.startswith(folder + "/www/") or not os.path.isfile(path):
            self.give(404, "text/plain", b"no such file\n")
            return
        with open(path, "rb") as file:
            body = file.read()
        self.give(200, "text/html" if body.startswith(b"<") else "application/json", body)

    def do_GET(self):
        path, _, query = self.path.partition("?")
        if path.startswith("/git/"):
            self.git(path, query)
        else:
            self.file(path.replace("%2f", "/"))

    do_POST = do_GET

    def log_message(self, *_):
        pass


def serve():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Host)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


def main():
    path = os.path.join(folder, "ports.hosting")
    with open(path + ".new", "w", encoding="ascii") as file:
        file.write("host %d\nother_host %d\n" % (serve(), serve()))
    os.rename(path + ".new", path)
    sys.stdin.read()


main()
