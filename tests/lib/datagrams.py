#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Reads datagrams of a unix socket until the file STOP exists, and writes each to a file of its own.

    datagrams.py SOCKET FOLDER      FOLDER/ready when it listens; ends with FOLDER/stop
"""
import os
import socket
import sys

path, folder = sys.argv[1:]
server = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
server.bind(path)
os.chmod(path, 0o666)
server.settimeout(0.1)
open(os.path.join(folder, "ready"), "w", encoding="ascii").close()
count = 0
while True:
    try:
        data = server.recv(1 << 20)
    except socket.timeout:
        if os.path.exists(os.path.join(folder, "stop")):
            break
        continue
    with open(os.path.join(folder, "%03d" % count), "wb") as file:
        file.write(data)
    count += 1
